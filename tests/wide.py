"""A cipher that is nothing but wide: every operation on words of 64 bits, for tests of narrow machines."""

from __future__ import annotations

import random
from typing import Any

from finalist.ir.program import ByteOrder
from finalist.language import (
    Array,
    Cipher,
    Table,
    bit_permutation,
    join,
    loop,
    mulhi,
    rol,
    ror,
    rounds,
    select,
    tabulate,
    u64,
    when,
    words,
)

_SOURCE = random.Random(64)
BOX = Table([_SOURCE.getrandbits(64) for _ in range(256)], 64, "BOX")
SMALL = Table([_SOURCE.getrandbits(48) for _ in range(64)], 48, "SMALL")
SPREAD = bit_permutation([i * 29 % 64 for i in range(64)])
START = [_SOURCE.getrandbits(64) for _ in range(24)]
ROUNDS = 6


def sums(x: Any, k: Any) -> Any:
    """Arithmetic, and decisions on its results."""
    y = x * (k | 1) + 0x9E3779B97F4A7C15
    z = mulhi(y, x ^ k) - k
    return select(y < z, y ^ z, select(x == k, x, z - y))


def turns(x: Any, k: Any) -> Any:
    """Moves by constants, by bits of a word, by whole words."""
    y = rol(x, 13) ^ (x >> 5) ^ (k << 40) ^ ror(k, x[0:6])
    return rol(y, k) + (y >> (x & 127)) + (k << y[3:9])


def boxes(x: Any, k: Any) -> Any:
    """Tables, a linear map, a word of 48 bits."""
    (y,) = SPREAD(BOX[x[0:8]] ^ BOX[x[56:64]])
    z = rol(SMALL[k[30:36]] + x[9:57], x)
    return y ^ join(z[20:48], BOX[z[0:8]][28:64])


def wide_cipher(order: ByteOrder) -> type[Cipher]:
    """Its words lie in memory in this order."""

    class Wide(Cipher):
        block = words(2, u64, order)
        key_bits = (128, 192)

        def expand_key(self, key: Any) -> Any:
            state = Array(24, 64, START)
            for i in loop(0, 72):
                x = state[i] + key[0]
                with when(x[63]):
                    state[i + 7] = state[i + 7] ^ turns(x, key[1])
                state[x] = sums(state[x], i.extend(64)) + key[-1]
            keyed = tabulate(lambda x: rol(BOX[x] ^ key[0], 9) * (key[1] | 1), 8)
            return {"rounds": [state[i] for i in range(ROUNDS)], "state": state, "keyed": keyed}

        def feistel(self, x: Any, keys: Any, turn: int) -> Any:
            x = sums(x, keys["rounds"][turn])
            x = turns(x ^ keys["keyed"][x[8:16]], keys["state"][x])
            return boxes(x, keys["state"][6 + turn])

        def encrypt(self, block: Any, keys: Any) -> Any:
            a, b = block
            for r in rounds(ROUNDS):
                a, b = b, a ^ self.feistel(b, keys, r)
            return a, b

        def decrypt(self, block: Any, keys: Any) -> Any:
            a, b = block
            for r in rounds(ROUNDS - 1, -1, -1):
                a, b = b ^ self.feistel(a, keys, r), a
            return a, b

    return Wide
