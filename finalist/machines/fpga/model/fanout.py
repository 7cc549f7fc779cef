"""How many cells a bit of each word drives, by the bits that are read: the most of all bits of the word."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from math import ceil

from finalist.ir.ops import Op
from finalist.machines.fpga.signals import Part, Signal

#: Bits of a word: the word, the lowest bit, how many.
Range = tuple[Signal, int, int]


def fanouts(
    order: Sequence[Signal], absorbed: Collection[Signal], *, memories: bool = False
) -> dict[Signal, int]:
    """Of all words that something reads over wires; what is ``absorbed`` is in the cells of its user.

    ``order``: operands before what reads them. ``memories``: tables are in block RAM.
    """
    return {word: max(counts) for word, counts in bit_loads(order, absorbed, memories=memories).items()}


def bit_loads(
    order: Sequence[Signal], absorbed: Collection[Signal], *, memories: bool = False
) -> dict[Signal, list[int]]:
    """As `fanouts`, for each bit of a word, the lowest first."""
    loads: dict[Signal, list[int]] = {}
    for signal in reversed(order):
        if signal.fixed:
            continue
        copies = max(loads.get(signal, [1])) if signal in absorbed else 1
        for word, low, size, drives in reads(signal, memories=memories):
            if word.op is not Op.CONST:
                counts = loads.setdefault(word, [0] * word.width)
                for bit in range(low, low + size):
                    counts[bit] += drives * copies
    return {word: counts for word, counts in loads.items() if word not in absorbed}


def reads(signal: Signal, *, memories: bool = False) -> Iterator[tuple[Signal, int, int, int]]:
    """Ranges that an operation reads, and how many cells each bit of them drives there."""
    if signal.op is Part.FLAG:  # written with the turn, a row earlier
        return
    if signal.op is Op.LINEAR:
        for matrix, word in zip(signal.attr, signal.inputs, strict=True):
            for at, source, low, size in word.runs:
                columns = enumerate(matrix[at : at + size], low)
                yield from ((source, bit, 1, column.bit_count()) for bit, column in columns if column)
        return
    for place, word in enumerate(signal.inputs):
        drives = 1 if memories and signal.op is Op.LOOKUP else _drives(signal, place)
        yield from ((*part, drives) for part in ranges(word, 0, word.width))


def _drives(signal: Signal, place: int) -> int:
    """One that chooses for a whole word drives all of its bits, one of an address all tables."""
    if signal.op is Op.SELECT and place == 0:
        return signal.width
    if signal.op is Part.MUX and place == 0:
        return signal.width * ceil((len(signal.inputs) - 1) / 2)
    if signal.op is Op.LOOKUP:
        return signal.width * max(1, 1 << max(0, int(signal.attr.index_width) - 4))
    return 1


def ranges(word: Signal, low: int, size: int) -> Iterator[Range]:
    """Where bits of a word come from, through arrangements of wires; zeros are left out."""
    if not word.fixed:
        yield word, low, size
    else:
        yield from (run[1:] for run in word.bits_of(low, size))
