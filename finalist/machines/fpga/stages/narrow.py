"""Registers without the bits that nothing reads: of an amount of a rotation, say, those above the amount."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from finalist.ir.ops import Op
from finalist.machines.fpga.model.fanout import ranges, reads
from finalist.machines.fpga.signals import Part, Signal, Stage, again, constant
from finalist.machines.fpga.walks import in_order, rebuilt


def narrow(stage: Stage, ends: Sequence[Signal]) -> list[Signal]:
    """The same words, from registers of a stage that keep what is read of them and nothing else."""
    used: dict[Signal, tuple[int, int]] = {}
    for word, low, size in _ranges(ends):
        begin, end = used.get(word, (low, low + size))
        used[word] = min(begin, low), max(end, low + size)
    instead: dict[Signal, Signal] = {}
    stage.registers = [register for register in stage.registers if register.output in used]
    for register in stage.registers:
        whole = register.output
        low, end = used[whole]
        if end - low < whole.width:
            register.output = Signal(Part.INPUT, (), end - low, name=whole.name)
            register.input = Signal(Op.SLICE, (register.input,), end - low, low)
            instead[whole] = placed(register.output, low, whole.width)
    return rebuilt(ends, lambda signal, inputs: instead.get(signal) or again(signal, inputs))


def placed(part: Signal, low: int, width: int) -> Signal:
    """A word of which there is but a part, from a bit up; zeros stand for what nothing reads."""
    parts = [constant(0, low), part, constant(0, width - low - part.width)]
    return Signal(Op.JOIN, [part for part in parts if part.width], width)


def _ranges(ends: Sequence[Signal]) -> Iterator[tuple[Signal, int, int]]:
    """All bits that are read, by operations or as they are."""
    for signal in in_order(ends):
        if not signal.fixed:
            yield from (read[:3] for read in reads(signal))
    for end in ends:
        yield from ranges(end, 0, end.width)
