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
from finalist.prove.recorded import Recorded

#: The literals of a word's bits, the lowest first; None for bits that are not cut.
Literals = tuple[int | None, ...]
#: Operations between words that are cut, beyond which a proof is not tried.
LONGEST = 1500


@dataclass(frozen=True, slots=True)
class Candidate:
    """Bits of a word of the first program, ``width`` from ``start`` on, that may be those of a word of the
    second from ``second_start`` on."""

    node: Node
    start: int
    second: Node
    second_start: int
    width: int


class Cut:
    """The literals of the words of two programs, first those of key and blocks."""

    def __init__(self, first: Recorded, second: Recorded) -> None:
        self.words: dict[Node, Literals] = {}
        #: Of the second program the word that was cut last.
        self.last: Node | None = None
        self._count = 2
        key = [self._byte() for _ in range(max(one.program.key.bytes for one in (first, second)))]
        data = [self._byte() for _ in range(len(first.blocks) * first.program.block.bytes)]
        for one in (first, second):
            self._given(one.key, definition.split(one.program.key, key))
            size = one.program.block.bytes
            for number, block in enumerate(one.blocks):
                own = data[number * size : number * size + size]
                self._given(block, definition.split(one.program.block, own))
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

    def equate(self, candidate: Candidate) -> None:
        """Cut two words at bits that are proved to be equal."""
        first, second = list(self.of(candidate.node)), list(self.of(candidate.second))
        for k in range(candidate.width):
            i, j = candidate.start + k, candidate.second_start + k
            bit = second[j] if first[i] is None else first[i]
            bit = self.fresh() if bit is None else bit
            first[i], second[j] = bit, bit if second[j] is None else second[j]
        self.words[candidate.node], self.words[candidate.second] = tuple(first), tuple(second)
        self.last = candidate.second

    def equal(self, candidate: Candidate) -> bool:
        """Whether both have the same literals."""
        first = self.of(candidate.node)[candidate.start :][: candidate.width]
        second = self.of(candidate.second)[candidate.second_start :][: candidate.width]
        return None not in first and first == second

    def bits(self, candidate: Candidate) -> frozenset[int]:
        """Of a candidate's bits in the second program the literals, without their complements."""
        bits = self.of(candidate.second)[candidate.second_start :][: candidate.width]
        return frozenset(bit & ~1 for bit in bits if bit is not None)

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
