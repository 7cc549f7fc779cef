"""Padding of short keys to longer ones under which a cipher is the same function: one key set-up for both."""

from __future__ import annotations

import random
from dataclasses import dataclass

from finalist import api
from finalist.export.data import schedules
from finalist.ir.memoized import memoized
from finalist.language.cipher import Cipher
from finalist.machines.base import CompiledProgram
from finalist.machines.native.bound import least_setup
from finalist.machines.native.run import NativeProgram

#: Core cycles that filling a key up, and wiping it, takes, as measured with Serpent's on Sapphire Rapids.
_FILLING = 18
#: A key set-up that takes less than so many times that of a filled up key stands for itself.
_QUICKER = 0.97
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


@dataclass(frozen=True, slots=True)
class Padded:
    """A key set-up that is one for longer keys: that of ``longer``, with keys filled up as ``fill`` says."""

    longer: NativeProgram
    fill: Padding


def as_quick(program: NativeProgram, longer: NativeProgram) -> bool:
    """Whether the key schedule of ``longer`` takes at most a few per cent more, by the operations of both.

    It takes more where the number of rounds depends on the length of the key, or where parts of it are equal.
    """
    filled = least_setup(longer.program) + _FILLING
    return least_setup(program.program) >= _QUICKER * filled


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
