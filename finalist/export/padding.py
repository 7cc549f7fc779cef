"""Shorter keys that are longer ones, filled up: they need no key set-up of their own."""

from __future__ import annotations

import random
from dataclasses import dataclass

from finalist import api
from finalist.export.data import schedules
from finalist.ir.memoized import memoized
from finalist.language.cipher import Cipher
from finalist.machines.base import CompiledProgram

#: Keys and blocks that two key lengths are held against each other on, so that none but the same function
#: passes; a library's vectors are of every key length besides.
_TRIALS = 4
_SEED = 1
#: What schedules.json says of a built-in cipher, whose key set-up may take the interpreter minutes.
_FILLS = ("zeros", "one", "repeated")


@dataclass(frozen=True, slots=True)
class Padding:
    """How a key becomes a longer one: by the bytes of ``tail``, or over and over again where that is None."""

    tail: bytes | None

    def applied(self, key: bytes, length: int) -> bytes:
        """The longer key, of so many bytes."""
        return (key * length)[:length] if self.tail is None else key + self.tail


@memoized
def padding(cipher: type[Cipher], key_bits: int, longer: int) -> Padding | None:
    """How keys of ``key_bits`` become ``longer`` ones under which the cipher is the same function.

    None where they do not in any of the ways that key schedules have: zeros, a one and zeros, or repetition.
    """
    rest = (longer - key_bits) // 8
    if not cipher.source:
        fill = schedules().get(cipher.name(), {}).get("fill")
        return _filled(fill, rest) if fill else None
    short, long = (api.compile(cipher, "interpreter", "encrypt", bits) for bits in (key_bits, longer))
    draw = random.Random(_SEED)
    keys = [draw.randbytes(key_bits // 8) for _ in range(_TRIALS)]
    blocks = [draw.randbytes(short.block_bytes) for _ in range(_TRIALS)]
    expected = short.run_many(keys, blocks)
    for found in (_filled(fill, rest) for fill in _FILLS):
        if _same(long, found, keys, blocks, expected):
            return found
    return None


def _filled(fill: str, rest: int) -> Padding:
    if fill == "repeated":
        return Padding(None)
    return Padding((b"\x01" if fill == "one" else b"").ljust(rest, b"\0"))


def _same(
    long: CompiledProgram, found: Padding, keys: list[bytes], blocks: list[bytes], expected: list[bytes]
) -> bool:
    """Whether all blocks become what is expected; the first one settles most cases."""
    filled = [found.applied(key, long.key_bits // 8) for key in keys]
    first = long.run_many(filled[:1], blocks[:1])
    return first == expected[:1] and long.run_many(filled, blocks) == expected
