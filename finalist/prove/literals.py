"""Words of programs that are cut: of whose bits nothing is known but which of them are equal.

A literal is twice the number of an unknown bit, plus 1 where it is complemented; 0 is false, 1 true. Bits
that have one literal are equal for all keys and blocks.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from finalist.ir.graph import Node, in_order
from finalist.ir.ops import Op
from finalist.prove import definition
from finalist.prove.recorded import Course

#: The literals of a word's bits, the lowest first; None for bits that are not cut.
Literals = tuple[int | None, ...]
#: Operations between words that are cut, beyond which a proof is not tried.
LONGEST = 1500


@dataclass(frozen=True, slots=True)
class Piece:
    """Bits of a word of the first program, ``width`` from ``place`` on, that may be those of a word of the
    second from ``at`` on."""

    node: Node
    place: int
    second: Node
    at: int
    width: int


class Cut:
    """The literals of the words of two programs, first those of key and blocks."""

    def __init__(self, first: Course, second: Course) -> None:
        self.words: dict[Node, Literals] = {}
        #: Of the second program the word that was cut last.
        self.last: Node | None = None
        self._count = 2
        key = [self._byte() for _ in range(max(one.program.key.bytes for one in (first, second)))]
        data = [self._byte() for _ in range(len(first.blocks) * first.program.block.bytes)]
        for course in (first, second):
            self._given(course.key, definition.split(course.program.key, key))
            size = course.program.block.bytes
            for number, block in enumerate(course.blocks):
                own = data[number * size : number * size + size]
                self._given(block, definition.split(course.program.block, own))
        #: The first literal that is no input.
        self.own = self._count

    def _byte(self) -> tuple[int, ...]:
        return tuple(self.fresh() for _ in range(8))

    def _given(self, nodes: Sequence[Node], words: Sequence[int | tuple[int, ...]]) -> None:
        for node, word in zip(nodes, words, strict=True):
            assert not isinstance(word, int)
            self.words[node] = word

    def fresh(self) -> int:
        """The literal of a bit that nothing is known of."""
        self._count += 2
        return self._count - 2

    def of(self, node: Node) -> Literals:
        """The literals of a word."""
        return self.words.get(node, (None,) * node.width)

    def filled(self, literals: Literals) -> Literals:
        """With literals for the bits that have none."""
        return tuple(self.fresh() if bit is None else bit for bit in literals)

    def equate(self, piece: Piece) -> None:
        """Cut two words at bits that are proved to be equal."""
        first, second = list(self.of(piece.node)), list(self.of(piece.second))
        for k in range(piece.width):
            i, j = piece.place + k, piece.at + k
            bit = second[j] if first[i] is None else first[i]
            bit = self.fresh() if bit is None else bit
            first[i], second[j] = bit, bit if second[j] is None else second[j]
        self.words[piece.node], self.words[piece.second] = tuple(first), tuple(second)
        self.last = piece.second

    def equal(self, piece: Piece) -> bool:
        """Whether both have the same literals."""
        first = self.of(piece.node)[piece.place :][: piece.width]
        return None not in first and first == self.of(piece.second)[piece.at :][: piece.width]

    def is_cut(self, node: Node, opened: frozenset[int] = frozenset()) -> bool:
        """Whether all bits of a word are cut; ``opened``: literals that are none meanwhile."""
        if node.op is Op.CONST:
            return True
        bits = self.words.get(node)
        if bits is None or None in bits:
            return False
        return not opened or all(bit is not None and bit & ~1 not in opened for bit in bits)

    def cone(self, targets: Sequence[Node], opened: frozenset[int] = frozenset()) -> list[Node] | None:
        """What words are made of, and they, from words that are cut on, each after what it takes; None where
        that is too much."""

        def open_(nodes: Sequence[Node]) -> list[Node]:
            return [node for node in nodes if not self.is_cut(node, opened)]

        seen = set(open_(targets))
        waiting = list(seen)
        while waiting:
            more = set(open_(waiting.pop().inputs)) - seen
            seen |= more
            waiting += more
            if len(seen) > LONGEST:
                return None
        return in_order(open_(targets), lambda node: open_(node.inputs))
