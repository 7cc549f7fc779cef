"""Words side by side in a register: what registers of words are built of.

A register is a tuple of the graph. Words in and words out are words still; a machine finds in the tuples
between them

    tuple(xor(a[0], b[0]), xor(a[1], b[1]), ...)     one operation on two registers,
    tuple(lookup(w.byte(0)), lookup(w.byte(1)), ...)  a parallel lookup,
    tuple(load(i), load(i + 1), ...)                  one wide access,
    tuple(a[1], a[2], a[3], a[0])                     a rotation.
"""

from __future__ import annotations

from collections.abc import Sequence

from finalist.ir.builder import Builder
from finalist.ir.graph import Node
from finalist.ir.ops import Op
from finalist.ir.types import TupleType, WordType

#: The words of a register, lowest first.
Words = tuple[Node, ...]


class WideBuilder:
    """Builds registers of ``lanes`` words. ``make`` is without rules, which would take them apart again."""

    def __init__(self, lanes: int) -> None:
        self.make = Builder()
        self.lanes = lanes
        self._from_memory: dict[Node, Node] = {}

    def lane(self, register: Node, number: int) -> Node:
        """A word of a register."""
        self.make.phase = register.phase
        return self.make.make(Op.RESULT, (register,), number)

    def words(self, register: Node) -> Words:
        """All words of a register."""
        return tuple(self.lane(register, k) for k in range(self.lanes))

    def register(self, words: Sequence[Node]) -> Node:
        """The words as a register; one that holds them in this order is taken as it is."""
        words = tuple(self._from_memory.get(word, word) for word in words)
        first = words[0]
        source = first.inputs[0] if first.op is Op.RESULT else first
        if source.type == TupleType((WordType(32),) * self.lanes) and words == self.words(source):
            return source
        self.make.phase = max(word.phase for word in words)
        return self.make.make(Op.TUPLE, words)

    def alike(self, op: Op, *registers: Node | int | Sequence[int]) -> Node:
        """An operation on each lane; an integer is a constant for all, several are one for each."""
        columns = [self._column(one) for one in registers]
        self.make.phase = max(one.phase for one in registers if isinstance(one, Node))
        return self.register([self.make.make(op, inputs) for inputs in zip(*columns, strict=True)])

    def _column(self, one: Node | int | Sequence[int]) -> Words:
        if isinstance(one, Node):
            return self.words(one)
        numbers = (one,) * self.lanes if isinstance(one, int) else one
        return tuple(self.make.const(number, 32) for number in numbers)

    def rotated(self, register: Node, up: int) -> Node:
        """Each word ``up`` lanes higher, the highest ones below."""
        words = self.words(register)
        return self.register([words[(k - up) % self.lanes] for k in range(self.lanes)])

    def moved(self, register: Node, up: int) -> Node:
        """Each word ``up`` lanes higher, or lower if that is negative; zeros go in at the end."""
        words, zero = self.words(register), self.make.const(0, 32)
        numbers = [k - up for k in range(self.lanes)]
        return self.register([words[k] if 0 <= k < self.lanes else zero for k in numbers])

    def in_memory(self, words: Words) -> None:
        """These words come from memory together."""
        register = self.make.make(Op.TUPLE, words)
        self._from_memory.update(zip(words, self.words(register), strict=True))
