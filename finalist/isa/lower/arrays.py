"""Arrays of the graph in memory or elsewhere: which version lies where, and when it must be copied.

A version that is overwritten gives its place to the next, unless it may not be: the expanded key must stay,
and an array from outside of a loop must be the same again at the next iteration.

On processors whose addresses are longer than words an instruction has the address, and a register adds an
index.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from finalist.errors import GraphError
from finalist.ir.graph import Node
from finalist.ir.ops import Op
from finalist.ir.types import storage_bits
from finalist.isa.lower.homes import Home
from finalist.isa.lower.packed_words import in_memory_order
from finalist.isa.lower.rewrites import InMemory
from finalist.isa.target.meaning import (
    Leaf,
    Term,
    address,
    branch,
    constant,
    equal,
    load,
    register,
    store,
)
from finalist.isa.target.memory import Place

if TYPE_CHECKING:
    from finalist.isa.lower.lowerer import Lowerer


from finalist.isa.lower.borders import INDEX


class Arrays:
    """The arrays of a piece of program. ``of``: where each version lies; ``own``: which may change."""

    def __init__(self, lowerer: Lowerer) -> None:
        self.to = lowerer
        self.of: dict[Node, Place | Home] = {}
        self.own: set[Node] = set()

    # -- places ---------------------------------------------------------------------------------

    def base(self, place: Place) -> Term:
        """Where an array begins."""
        short = self.to.conventions.short and place.address + place.size <= self.to.processor.reach
        return constant(place.address) if short else address(place.address)

    def entry(self, place: Place, index: Node) -> Term:
        """The address of an entry."""
        if index.op is Op.CONST:
            return self._fixed(place, index.attr * place.step)
        moving = self.to.control.moving(place, index)
        if moving is not None:
            return moving
        scale = place.step.bit_length() - 1
        number = self.to.term(index)
        return (number << scale if scale else number) + self.base(place)

    def _fixed(self, place: Place, offset: int) -> Term:
        """A place known beforehand: a displacement from an address that many have in common."""
        where, reach = place.address + offset, self.to.processor.reach
        if self.to.conventions.short and self.to.processor.base and where < reach:
            return constant(where)  # programs count addresses from a register that holds where memory begins
        anchor = where // reach * reach
        return address(anchor) + (where - anchor)

    def origin(self, place: Place, step: int, first: int, last: int) -> int:
        """What a pointer that moves with a loop would be at iteration 0; ``first``, ``last``: iterations."""
        return place.address

    def elsewhere(self, array: Node) -> bool:
        """Whether an array, or what it is made of in the loop under way, is not in memory."""
        while array not in self.of and array.op is Op.STORE:
            array = array.inputs[0]
        return array in self.of and not isinstance(self.of[array], Place)

    # -- reading and writing --------------------------------------------------------------------

    def read(self, array: Node, index: Node, width: int) -> Term:
        """An entry."""
        place = self.of[array]
        if not isinstance(place, Place):
            return place.read(self.to, index, _index_bits(array), width)
        if index.op is Op.CONST or self.to.control.moving(place, index) is not None:
            return load(place.bytes, self.entry(place, index))
        if place.apart:
            raise GraphError(f"{place.name} is read at an index that is not known, and is not in one piece")
        return Term(Op.LOOKUP, (self.to.term(index),), InMemory(self.base(place), place.bytes))

    def read_moved(self, array: Node, index: Node, up: int) -> Term | None:
        """An entry of a byte, so many bytes higher, if there is a shorter way than to move it."""
        place = self.of[array]
        if isinstance(place, Place):
            return None
        return place.read_moved(self.to, index, _index_bits(array), up)

    def wide(self, node: Node) -> bool:
        """Whether a tuple of entries of an array fills a word of the processor, from memory."""
        array = node.inputs[0].inputs[0]
        place = self.of.get(array)
        return isinstance(place, Place) and 8 * place.bytes * len(node.inputs) == self.to.processor.width

    def together(self, node: Node) -> Term | None:
        """The address of a tuple's entries if they lie side by side as it has them."""
        place = self.of[node.inputs[0].inputs[0]]
        assert isinstance(place, Place)
        where = [self.entry(place, word.inputs[1]) for word in node.inputs]
        first, *others = in_memory_order(where, self.to.memory.ascending)
        if any(_beyond(first, k * place.bytes) != other for k, other in enumerate(others, start=1)):
            return None
        return first

    def put_together(self, words: Sequence[Node]) -> Term:
        """Words stored side by side, and what reads them as one; `access` stays their place for that."""
        size = words[0].width // 8
        place = self.to.memory.place("together", size, len(words), align=size * len(words))
        for number, word in enumerate(in_memory_order(words, self.to.memory.ascending)):
            self.to.act(store(size, self._fixed(place, number * size), self.to.low(word)), access=place)
        self.to.access = place
        return load(place.size, self._fixed(place, 0))

    def write(self, node: Node) -> None:
        """One entry overwritten."""
        array, index, value = node.inputs
        place = self.of[node] = self.writable(array)
        if not isinstance(place, Place):
            stored = self.to.term(value)
            if storage_bits(node.width) == node.width:
                stored = self.to.low(value)
            if storage_bits(node.width) < self.to.processor.width:
                stored = stored & (1 << storage_bits(node.width)) - 1
            self.to.act(place.write(self.to, index, _index_bits(array), stored), access=place)
        else:
            whole = node.width == 8 * place.bytes
            stored = self.to.low(value) if whole else self.to.term(value)
            self.to.act(store(place.bytes, self.entry(place, index), stored), access=place)
        self.own.add(node)

    def writable(self, array: Node) -> Place | Home:
        """The place of an array if it may be overwritten, else that of a copy."""
        place = self.of[array]
        if array in self.own or not isinstance(place, Place):
            return place
        target = self.to.memory.place(place.name, place.bytes, place.length, align=4)
        self.copy(place, target)
        return target

    def fresh(self, node: Node) -> None:
        """A new array with its first contents."""
        place = self.of.get(node)
        if place is None:
            place = self.to.memory.place(
                node.name or "array", storage_bits(node.width) // 8, node.length, align=4
            )
            self.of[node] = place
        assert isinstance(place, Place)
        self.own.add(node)
        values = tuple(node.attr)
        if any(values):
            source = self.to.memory.place("first", place.bytes, place.length, align=4)
            self.to.memory.contents[source] = values
            self.copy(source, place)
        else:
            self.copy(None, place)

    # -- carried --------------------------------------------------------------------------------

    def carry(self, home: Node, value: Node) -> None:
        """An array that goes into a loop or conditional."""
        self.of[home] = self.writable(value)

    def settle(self, home: Node, result: Node) -> None:
        """What the array is after an iteration must lie where it was before."""
        there, here = self.of[home], self.of[result]
        if there != here:
            assert isinstance(there, Place) and isinstance(here, Place)
            self.copy(here, there)

    def hand_over(self, node: Node, home: Node) -> None:
        """An array that comes out of a loop or conditional."""
        self.of[node] = self.of[home]
        self.own.add(node)

    # -- copying --------------------------------------------------------------------------------

    #: Stores that are written one by one.
    _FEW = 8

    def copy(self, source: Place | None, target: Place) -> None:
        """All of an array, or zeros; by words of four bytes where it has whole ones."""
        size = 4 if target.size % 4 == 0 else target.bytes
        count = target.size // size
        if count <= self._FEW:
            for k in range(count):
                self._copy_one(source, target, size, k * size)
            return
        self._copy_loop(source, target, size, count)

    def _copy_one(self, source: Place | None, target: Place, size: int, offset: int) -> None:
        value: Term = constant(0)
        if source is not None:
            self.to.access = source
            value = register(self.to.emit(load(size, self._fixed(source, offset))))
            self.to.access = None
        self.to.act(store(size, self._fixed(target, offset), value), access=target)

    def _copy_loop(self, source: Place | None, target: Place, size: int, count: int) -> None:
        to = self.to
        there = to.emit(constant(target.address), to.code.fresh())
        here = None if source is None else to.emit(constant(source.address), to.code.fresh())
        to.depth += 1
        head = to.begin("copy")
        value: Term = constant(0)
        if here is not None:
            to.access = source
            value = register(to.emit(load(size, register(here) + 0)))
            to.access = None
        to.act(store(size, register(there) + 0, value), access=target)
        to.emit(register(there) + size, there)
        if here is not None:
            to.emit(register(here) + size, here)
        end = constant(target.address + size * count)
        to.act(branch(equal(register(there), end) ^ 1), head.label)
        to.depth -= 1
        to.begin("copied")


def _index_bits(array: Node) -> int:
    return (array.length - 1).bit_length()


def _beyond(place: Term, bytes_: int) -> Term | None:
    """An address so many bytes behind another, if that is a displacement from something."""
    if place.op is not Op.ADD or place.args[1].op is not Leaf.CONSTANT:
        return None
    return place.args[0] + (int(place.args[1].attr) + bytes_)


class IndexedArrays(Arrays):
    """Places that move with a loop are indices, and arrays are copied byte by byte."""

    def origin(self, place: Place, step: int, first: int, last: int) -> int:
        """So that an index is never less than 0. Raises GraphError where it would pass a word."""
        reach = abs(step) * (last - first)
        if reach >> self.to.processor.width:
            raise GraphError(f"a loop passes over {reach} bytes of {place.name}; an index has fewer values")
        return -min(step * first, step * last)

    def read(self, array: Node, index: Node, width: int) -> Term:
        """An entry; of the key at an index that stays within it the offset is part of the address."""
        place = self.of[array]
        if index.op is not Op.ADD or index.inputs[0].attr != INDEX or not isinstance(place, Place):
            return super().read(array, index, width)
        start, offset = index.inputs
        base = address(place.address + offset.attr)
        return Term(Op.LOOKUP, (self.to.term(start),), InMemory(base, place.bytes))

    def copy(self, source: Place | None, target: Place) -> None:
        """All of an array, or zeros."""
        steps = target.step, target.step if source is None else source.step
        if target.length <= self._FEW or steps[0] != steps[1]:
            for k in range(target.length):
                self._copy_at(source, target, k)
            return
        most = (1 << self.to.processor.width) // steps[0]
        for start in range(0, target.length, most):
            self._copy_indexed(source, target, start, min(most, target.length - start))

    def _copy_at(self, source: Place | None, target: Place, k: int) -> None:
        """One entry of a byte."""
        value = constant(0) if source is None else load(1, address(k * source.step) + source.address)
        self.to.act(store(1, address(k * target.step) + target.address, value), access=target)

    def _copy_indexed(self, source: Place | None, target: Place, start: int, count: int) -> None:
        to, first = self.to, start * target.step
        index = to.emit(constant(0), to.code.fresh())
        to.depth += 1
        head = to.begin("copy")
        value = constant(0) if source is None else load(1, register(index) + (source.address + first))
        to.act(store(1, register(index) + (target.address + first), value), access=target)
        to.emit(register(index) + target.step, index)
        end = constant(count * target.step & (1 << to.processor.width) - 1)
        to.act(branch(equal(register(index), end) ^ 1), head.label)
        to.depth -= 1
        to.begin("copied")
