"""Wide linear maps, large tables and choices among many in levels, so that registers can go between them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cache

from finalist.ir.graph import TableData
from finalist.ir.ops import Op
from finalist.ir.program import ByteOrder, Layout
from finalist.machines.fpga.model.cover import LUT
from finalist.machines.fpga.signals import Part, Signal, again
from finalist.machines.fpga.walks import rebuilt
from finalist.machines.fpga.wiring import row_weight

#: Address bits of a table that a slice and its neighbour make in one hop.
_HOP = 6
#: Words that are chosen from there likewise.
_CHOICES = 8


def in_levels(ends: Iterable[Signal]) -> list[Signal]:
    """The same words; a linear map that takes two levels is a sum of maps that take one."""
    return _with(ends, lambda signal: signal.op is Op.LINEAR and _levels(signal) == 2, _sum)


def tables_in_levels(ends: Iterable[Signal]) -> list[Signal]:
    """The same words; a table of more than one hop is a choice among tables of one."""
    return _with(ends, lambda signal: signal.op is Op.LOOKUP and signal.attr.index_width > _HOP, _choice)


def choices_in_levels(ends: Iterable[Signal]) -> list[Signal]:
    """The same words; a choice among more than a hop's is one among choices by the low bits of the select."""
    return _with(ends, lambda signal: signal.op is Part.MUX and len(signal.attr) > _CHOICES, _groups)


def _groups(signal: Signal, inputs: list[Signal]) -> Signal:
    select, words = inputs[0], inputs[1:]
    low = Signal(Op.SLICE, (select,), _CHOICES.bit_length() - 1, 0)
    high = Signal(Op.SLICE, (select,), select.width - low.width, low.width)
    parts = [signal.attr[at : at + _CHOICES] for at in range(0, len(signal.attr), _CHOICES)]
    groups = [_among(low, [None if k is None else words[k] for k in part], signal) for part in parts]
    whole = _among(high, groups, signal)
    assert whole is not None
    return whole


def _among(select: Signal, words: Sequence[Signal | None], like: Signal) -> Signal | None:
    """A choice among those words that there are."""
    own = list(dict.fromkeys(word for word in words if word is not None))
    if len(own) <= 1:
        return own[0] if own else None
    places = tuple(None if word is None else own.index(word) for word in words)
    return Signal(Part.MUX, (select, *own), like.width, places, like.name, like.line)


def _with(
    ends: Iterable[Signal], wide: Callable[[Signal], bool], parts: Callable[[Signal, list[Signal]], Signal]
) -> list[Signal]:
    def make(signal: Signal, inputs: list[Signal]) -> Signal:
        return parts(signal, inputs) if not signal.fixed and wide(signal) else again(signal, inputs)

    return rebuilt(ends, make)


def _choice(signal: Signal, inputs: list[Signal]) -> Signal:
    """Each small table takes the low bits of the address; the high ones choose."""
    (address,) = inputs
    high = address.width - _HOP
    low = Signal(Op.SLICE, (address,), _HOP, 0)
    tables = [Signal(Op.LOOKUP, (low,), signal.width, part, "", signal.line) for part in _parts(signal.attr)]
    select = Signal(Op.SLICE, (address,), high, _HOP)
    places = tuple(range(len(tables)))
    return Signal(Part.MUX, (select, *tables), signal.width, places, signal.name, signal.line)


@cache
def _parts(table: TableData) -> tuple[TableData, ...]:
    size = 1 << _HOP
    return tuple(
        TableData(table.values[at : at + size], table.width, f"{table.name}_{at // size}", table.note)
        for at in range(0, len(table.values), size)
    )


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


def words_of(block: Signal, layout: Layout) -> list[Signal]:
    """The words of a block that lies in a port, first byte in the highest bits."""
    size = layout.width // 8
    words = []
    for k in range(layout.count):
        top = block.width - k * layout.width
        if layout.order is ByteOrder.BIG or size == 1:
            words.append(Signal(Op.SLICE, (block,), layout.width, top - layout.width))
        else:
            parts = [Signal(Op.SLICE, (block,), 8, top - 8 * (j + 1)) for j in range(size)]
            words.append(Signal(Op.JOIN, parts, layout.width))
    return words


def block_of(words: Sequence[Signal], layout: Layout) -> Signal:
    """The inverse of `words_of`."""
    parts: list[Signal] = []
    for word in reversed(words):
        if layout.order is ByteOrder.BIG or layout.width == 8:
            parts.append(word)
        else:
            parts += [Signal(Op.SLICE, (word,), 8, low) for low in reversed(range(0, layout.width, 8))]
    return Signal(Op.JOIN, parts, layout.bytes * 8)
