"""What logic is, whichever registers it reads: rounds and stages that are alike are worked on once."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

from finalist.machines.fpga.signals import Part, Signal
from finalist.machines.fpga.walks import in_order


@dataclass(frozen=True, slots=True)
class Shape:
    """``key``: what is equal for units that differ in nothing but which registers and round keys they read;
    ``order``: the unit's signals, operands first, in which equal units agree place by place."""

    key: Hashable
    order: Sequence[Signal]

    @classmethod
    def of(cls, inputs: Sequence[Signal], ends: Sequence[Signal]) -> Shape:
        """The shape of a unit."""
        order = in_order([*inputs, *ends])
        number = {signal: rank for rank, signal in enumerate(order)}
        signals = [
            (
                signal.op,
                signal.width,
                None if signal.op is Part.KEY else signal.attr,
                *[number[child] for child in signal.inputs],
            )
            for signal in order
        ]
        return cls((tuple(signals), tuple([number[end] for end in ends])), order)
