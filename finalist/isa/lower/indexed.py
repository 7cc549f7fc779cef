"""Arrays on processors whose addresses are longer than words: an instruction has the address, to which a
register adds an index."""

from __future__ import annotations

from finalist.errors import GraphError
from finalist.isa.lower.arrays import Arrays
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

    def copy(self, source: Place | None, target: Place) -> None:
        """All of an array, or zeros."""
        most = 1 << self.to.processor.width
        if target.size <= self._FEW:
            for k in range(target.size):
                self._copy_at(source, target, address(k))
            return
        for start in range(0, target.size, most):
            self._copy_indexed(source, target, start, min(most, target.size - start))

    def _copy_at(self, source: Place | None, target: Place, offset: Term) -> None:
        """One byte, so far from where both begin."""
        value = constant(0) if source is None else load(1, offset + source.address)
        self.to.act(store(1, offset + target.address, value), access=target)

    def _copy_indexed(self, source: Place | None, target: Place, start: int, count: int) -> None:
        to = self.to
        index = to.emit(constant(0), to.code.fresh())
        to.depth += 1
        head = to.begin("copy")
        value = constant(0) if source is None else load(1, register(index) + (source.address + start))
        to.act(store(1, register(index) + (target.address + start), value), access=target)
        to.emit(register(index) + 1, index)
        end = constant(count & (1 << to.processor.width) - 1)
        to.act(branch(equal(register(index), end) ^ 1), head.label)
        to.depth -= 1
        to.begin("copied")
