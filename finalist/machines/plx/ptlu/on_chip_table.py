"""A table on the chip: how it is read, written, and filled from memory.

It is read by the byte of a word that has its number, modulo the bytes of a word.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from finalist.ir.builder import mask
from finalist.ir.graph import Node
from finalist.ir.ops import Op
from finalist.ir.types import storage_bits
from finalist.isa.lower.context import Context
from finalist.isa.lower.lowerer import Lowerer
from finalist.isa.target.meaning import (
    Bank,
    Leaf,
    Term,
    branch,
    constant,
    equal,
    load,
    lookup,
    register,
    store,
    write,
)
from finalist.isa.target.memory import Place
from finalist.isa.target.processor import Processor

#: A word, and the bit of it from which on an index stands there.
At = tuple[Term, int]


@dataclass(frozen=True, slots=True)
class OnChipTable:
    """A table on the chip: for the bytes that read it directly the number under which they find it.

    ``blank``: the numbers of tables that read as 0 (see `finalist.machines.plx.ptlu.table_placement.BLANK`).
    """

    numbers: tuple[tuple[int, int], ...]
    blank: frozenset[int] = frozenset()

    @property
    def first(self) -> int:
        """The number of the first copy."""
        return self.numbers[0][1]

    @property
    def all(self) -> tuple[int, ...]:
        """The numbers of all copies."""
        return tuple(number for _, number in self.numbers)

    # -- entries --------------------------------------------------------------------------------

    def read(self, context: Context, index: Node, bits: int, width: int) -> Term:
        """An entry, by any of the copies."""
        number, word, there = self._read_at(context.processor, _place(context, index, bits))
        return _cut(lookup(Bank(number), word.byte(there)), storage_bits(width), context.processor)

    def read_moved(self, context: Context, index: Node, bits: int, up: int) -> Term | None:
        """An entry of a byte so many bytes higher: below it, bytes are read in blank tables."""
        processor = context.processor
        number, word, there = self._read_at(processor, _place(context, index, bits))
        size, total = processor.width // 8, None
        numbers = [(number - up + k) % processor.banks for k in range(up)]
        if not set(numbers) <= self.blank:
            return None
        for k, bank in enumerate([*numbers, number]):
            entry = lookup(Bank(bank), word.byte((there - up + k) % size)) & mask(8)
            entry = entry << 8 * k if k else entry
            total = entry if total is None else total | entry
        return total

    def write(self, context: Context, index: Node, bits: int, value: Term) -> Term:
        """An entry of the first copy; tables that are written have no other."""
        word, low = _place(context, index, bits)
        return write(Bank(self.first), word.byte(low // 8), value)

    def _read_at(self, processor: Processor, at: At) -> tuple[int, Term, int]:
        """The table's number, the word that is looked up, rotated if it must be, and the byte."""
        size = processor.width // 8
        word, low = at
        byte = low // 8
        number, right, lane = min(self._ways(processor, byte), key=lambda way: (way[1], way[2] == 0))
        rotated = Term(Op.ROR, (word, constant(8 * right)), lane=lane) if right else word
        start = byte // 4 * 4 if lane else 0
        return number, rotated, start + (byte - start - right) % (4 if lane else size)

    def _ways(self, processor: Processor, byte: int) -> Iterator[tuple[int, int, int]]:
        """How a byte gets to where it reads a table: its number, bytes to rotate right, bits of a lane.

        Bytes as far apart as there are tables read the same one.
        """
        reach = min(processor.width // 8, processor.banks)
        for number in self.all:
            yield number, (byte - number) % reach, 0
            if processor.has(Op.ROR, 32) and byte % reach // 4 == number % reach // 4:
                yield number, (byte - number) % 4, 32

    # -- contents -------------------------------------------------------------------------------

    def fill(self, to: Lowerer, place: Place) -> None:
        """All copies from memory."""
        for number in self.all:
            _each_entry(to, Bank(number), place, _fill_one)

    def save(self, to: Lowerer, place: Place) -> None:
        """The first copy to memory."""
        _each_entry(to, Bank(self.first), place, _save_one)


def _place(context: Context, index: Node, bits: int) -> At:
    """Where an index stands that reads a table by so many bits.

    Contents repeat, so what stands above those does not matter, and a mask that leaves them is left out.
    """
    place = context.low(index) if index.width >= bits else context.term(index)
    if place.op is not Op.AND or place.args[1].op is not Leaf.CONSTANT or ~place.args[1].attr & mask(bits):
        return place, 0
    inner = place.args[0]
    if inner.op is not Op.SHR or inner.args[1].op is not Leaf.CONSTANT or inner.lane:
        return inner, 0
    low = inner.args[1].attr
    return (place, 0) if low % 8 else (inner.args[0], low)


def _cut(entry: Term, bits: int, processor: Processor) -> Term:
    """The entry's bits alone."""
    return entry & mask(bits) if bits < processor.width else entry


def _each_entry(
    to: Lowerer, bank: Bank, place: Place, act: Callable[[Lowerer, Bank, Place, Term, Term], None]
) -> None:
    """A loop over the entries of a bank; a table that is shorter stands there as often as it fits."""
    index = to.emit(constant(0), to.code.fresh())
    to.depth += 1
    head = to.begin("entry")
    repeated = to.emit(register(index) & (place.length - 1))
    scale = place.bytes.bit_length() - 1
    scaled = to.emit(register(repeated) << scale) if scale else repeated
    act(to, bank, place, register(index), register(scaled) + to.arrays.base(place))
    to.emit(register(index) + 1, index)
    to.act(branch(equal(register(index), constant(to.processor.entries)) ^ 1), head.label)
    to.depth -= 1
    to.begin("entered")


def _fill_one(to: Lowerer, bank: Bank, place: Place, index: Term, where: Term) -> None:
    value = register(to.emit(load(place.bytes, where)))
    to.act(write(bank, index.byte(0), _cut(value, 8 * place.bytes, to.processor)), access=bank)


def _save_one(to: Lowerer, bank: Bank, place: Place, index: Term, where: Term) -> None:
    lane = bank.number % (to.processor.width // 8)
    moved = index << 8 * lane if lane else index
    to.access = bank
    value = to.emit(_cut(lookup(bank, moved.byte(lane)), 8 * place.bytes, to.processor))
    to.access = None
    to.act(store(place.bytes, where, register(value)), access=place)
