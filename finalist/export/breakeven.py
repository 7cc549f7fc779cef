"""From how many blocks on a program is done sooner than another, by the operations of both."""

from __future__ import annotations

import math

from finalist.export.parts import same_keys, smallest_call
from finalist.machines.native.bound import least_setup
from finalist.machines.native.run import NativeProgram

#: How many times as long as its operations alone a key set-up takes, whose words wait for one another.
_SETUP = 3


def least_blocks(one: NativeProgram, many: NativeProgram) -> int:
    """The blocks that are done sooner by the smallest kernel of many, by the operations of both."""
    if many is one:
        return 1
    return max(2, min(smallest_call(many), math.ceil(_call(many) / _block(one))))


def paying_blocks(one: NativeProgram, other: NativeProgram, least: int) -> int:
    """The blocks that are done sooner by another program, with its key set-up, by the operations of both."""
    saved = _block(one) - _call(other) / smallest_call(other)
    if same_keys(one, other) or saved <= 0:
        return least
    return max(least, math.ceil(_setup(other) / saved))


def resting_blocks(one: NativeProgram, other: NativeProgram) -> int:
    """The blocks that a call of another program does sooner than ``one`` does them with its key set-up."""
    if same_keys(one, other):
        return 0
    return max(0, math.ceil((_call(other) - _setup(one)) / _block(one)))


def _setup(program: NativeProgram) -> float:
    """The core cycles of a key set-up."""
    return _SETUP * least_setup(program.program)


def _block(program: NativeProgram) -> float:
    """The core cycles of a block; scalar code comes half as close to its bound as vectors do."""
    return program.work.least_cycles * program.block_bytes * (2 if program.shape.bits <= 64 else 1)


def _call(program: NativeProgram) -> float:
    """The core cycles of the smallest call, if its operations bound it."""
    return program.work.least_cycles * program.block_bytes * smallest_call(program)
