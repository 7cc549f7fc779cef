"""A cipher of a few cells, for what takes long on a real one: two kinds of rounds, sums, turns, tables."""

from __future__ import annotations

import random

from finalist.language import LITTLE, Cipher, Table, join, rol, rounds, u8, words

_SOURCE = random.Random(32)
ONE, OTHER = (Table(_SOURCE.sample(range(16), 16), 4, name) for name in ("ONE", "OTHER"))
ROUNDS = 6


def boxes(r, t):
    """The tables of round r."""
    box = OTHER if r % 2 else ONE
    return join(box[t[0:4]], box[t[4:8]])


class Toy(Cipher):
    """Four bytes, six rounds; nothing that anyone should use."""

    block = words(4, u8, LITTLE)
    key_bits = (64,)

    def expand_key(self, key):
        return [key[i % 8] + i for i in range(ROUNDS + 1)]

    def encrypt(self, block, keys):
        a, b, c, d = block
        for r in rounds(ROUNDS):
            t = rol(b + keys[r], a)
            a, b, c, d = b, boxes(r, t) + c ^ keys[r], d + t * (2 * t + 1), a
        return a, b + keys[ROUNDS], c, d

    def decrypt(self, block, keys):
        a, b, c, d = block
        b = b - keys[ROUNDS]
        for r in rounds(ROUNDS - 1, -1, -1):
            t = rol(a + keys[r], d)
            a, b, c, d = d, a, (b ^ keys[r]) - boxes(r, t), c - t * (2 * t + 1)
        return a, b, c, d


TOY = __file__
