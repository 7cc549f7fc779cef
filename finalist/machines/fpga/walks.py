"""Walks over signals: all that results need, in order, and the same made anew."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from finalist.ir import graph
from finalist.machines.fpga.signals import Signal


def in_order(results: Iterable[Signal]) -> list[Signal]:
    """All signals that the results need, operands first; inputs and constants among them."""
    return graph.in_order(results, lambda signal: signal.inputs)


def rebuilt(ends: Iterable[Signal], make: Callable[[Signal, list[Signal]], Signal]) -> list[Signal]:
    """The ends, each signal that they need being made anew, of the new ones of its inputs."""
    ends = list(ends)
    made: dict[Signal, Signal] = {}
    for signal in in_order(ends):
        made[signal] = make(signal, [made[child] for child in signal.inputs])
    return [made[end] for end in ends]
