"""Wide linear maps in two levels of tables, so that a row of registers can go between them."""

from __future__ import annotations

from collections.abc import Iterable

from finalist.ir.ops import Op
from finalist.machines.fpga.cover import LUT
from finalist.machines.fpga.signals import Signal, in_order, row_weight


def in_levels(ends: Iterable[Signal]) -> list[Signal]:
    """The same words; a linear map that takes two levels is a sum of maps that take one."""
    ends = list(ends)
    made: dict[Signal, Signal] = {}
    for signal in in_order(ends):
        inputs = [made[child] for child in signal.inputs]
        if signal.op is Op.LINEAR and not signal.fixed and _levels(signal) == 2:
            made[signal] = _sum(signal, inputs)
        elif inputs != list(signal.inputs):
            made[signal] = Signal(signal.op, inputs, signal.width, signal.attr, signal.name, signal.line)
        else:
            made[signal] = signal
    return [made[end] for end in ends]


def _levels(signal: Signal) -> int:
    weight = max(row_weight(signal.attr, bit) for bit in range(signal.width))
    return 1 if weight <= LUT else 2 if weight <= LUT * LUT else 3


def _sum(signal: Signal, inputs: list[Signal]) -> Signal:
    """Each part takes the next few input bits of every sum."""
    parts = [[[0] * len(matrix) for matrix in signal.attr] for _ in range(LUT)]
    for bit in range(signal.width):
        terms = (
            (word, place)
            for word, matrix in enumerate(signal.attr)
            for place, column in enumerate(matrix)
            if column >> bit & 1
        )
        for number, (word, place) in enumerate(terms):
            parts[number // LUT][word][place] |= 1 << bit
    total: Signal | None = None
    for part in parts:
        used = [(tuple(matrix), word) for matrix, word in zip(part, inputs, strict=True) if any(matrix)]
        if used:
            attr, words = tuple(m for m, _ in used), [word for _, word in used]
            one = Signal(Op.LINEAR, words, signal.width, attr, "", signal.line)
            total = (
                one if total is None else Signal(Op.XOR, (total, one), signal.width, None, "", signal.line)
            )
    assert total is not None
    return total
