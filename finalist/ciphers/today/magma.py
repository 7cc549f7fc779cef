"""Magma (GOST 28147-89 with the S-boxes of GOST R 34.12-2015; RFC 8891)."""

from finalist.language import BIG, Cipher, Facts, Table, join, rol, rounds, u32, words

#: Section 4.1: Pi'_0, of the lowest four bits, to Pi'_7.
PI = [
    Table([int(digit, 16) for digit in row], name=f"PI{n}")
    for n, row in enumerate(
        (
            "C462A5B9E8D703F1",
            "68239A5C1E47BD0F",
            "B3582FADE174C960",
            "C821D4F670A53E9B",
            "7F5A816D093EB42C",
            "5DF692CAB78143E0",
            "8E25691CF4B0DA37",
            "17ED05834FA69CB2",
        )
    )
]


def t(a):
    return join(*(box[a[4 * n : 4 * n + 4]] for n, box in enumerate(PI)))


def g(k, a):
    return rol(t(a + k), 11)


def feistel(block, keys, order):
    """32 rounds; the halves are not exchanged after the last."""
    a1, a0 = block
    for r in order:
        a1, a0 = a0, g(keys[r], a0) ^ a1
    return a0, a1


class Magma(Cipher):
    """Magma (USSR 1989): a Feistel network of additions, 4-bit S-boxes and rotations."""

    facts = Facts(
        title="Magma",
        year=1989,
        designers="KGB; S-boxes: TC 26",
        structure="Feistel network",
        state="weak",
        analysis="attacks on all rounds from 2^192 (Dinur, Dunkelman, Shamir, FSE 2012); a block of 64 bits;"
        " GOST R 34.12-2015",
    )
    aliases = ("gost",)
    block = words(2, u32, BIG)
    key_bits = (256,)

    def expand_key(self, key):
        return key * 3 + key[::-1]

    def encrypt(self, block, keys):
        return feistel(block, keys, rounds(32))

    def decrypt(self, block, keys):
        return feistel(block, keys, rounds(31, -1, -1))
