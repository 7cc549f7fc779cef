"""Arrays on processors whose addresses are longer than words: an instruction has the address, to which a
register adds an index."""

from __future__ import annotations

from finalist.errors import GraphError
from finalist.ir.graph import Node
from finalist.ir.ops import Op
from finalist.isa.lower.arrays import Arrays
from finalist.isa.lower.borders import INDEX
from finalist.isa.lower.rewrites import InMemory
from finalist.isa.target.meaning import Term, address, branch, constant, equal, load, register, store
from finalist.isa.target.memory import Place


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
