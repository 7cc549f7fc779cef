"""What logic is, whichever registers it reads: rounds and stages that are alike are worked on once."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from finalist.machines.fpga.signals import Part, Signal, in_order


def shape(inputs: Sequence[Signal], ends: Sequence[Signal]) -> Hashable:
    """What is equal for units that differ in nothing but which registers and round keys they read."""
    order = in_order([*inputs, *ends])
    number = {signal: rank for rank, signal in enumerate(order)}
    signals = [
        (
            signal.op,
            signal.width,
            None if signal.op is Part.KEY else signal.attr,
            *(number[child] for child in signal.inputs),
        )
        for signal in order
    ]
    return tuple(signals), tuple(number[end] for end in ends)
