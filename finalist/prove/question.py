"""Whether words of two programs are equal, as a question that stands for all of its shape."""

from __future__ import annotations

from collections.abc import Sequence

from finalist.ir.graph import Node
from finalist.ir.ops import Op
from finalist.prove.literals import Candidate, Cut, Literals

_NONE: frozenset[int] = frozenset()


class Question:
    """Operations, each after what it takes of them, on literals; which of the candidates are equal.

    ``opened``: literals that are none here, but made. ``shape``: equal for questions of which one is another
    with other names of literals.
    """

    def __init__(
        self,
        nodes: Sequence[Node],
        cut: Cut,
        opened: frozenset[int] = _NONE,
        candidates: Sequence[Candidate] = (),
    ) -> None:
        self.nodes, self.cut, self.opened, self.candidates = nodes, cut, opened, candidates
        self.indices = {node: k for k, node in enumerate(nodes)}
        #: By literal, without its complement, its number here, in the order in which they come.
        self._numbers: dict[int, int] = {0: 0}
        entries = [(n.op, n.attr, n.type, tuple(map(self._name, n.inputs)), self.numbers(n)) for n in nodes]
        names = [
            (self._name(c.node), c.start, self._name(c.second), c.second_start, c.width) for c in candidates
        ]
        self.shape = tuple(entries), tuple(names)

    def _name(self, node: Node) -> object:
        if node.op is Op.CONST:
            return "const", node.attr, node.width
        index = self.indices.get(node)
        return self.numbers(node) if index is None else index

    def numbers(self, node: Node) -> Literals:
        """The literals of a word by their numbers here; None for bits that are made."""
        return tuple(map(self._number, self.cut.of(node)))

    def _number(self, literal: int | None) -> int | None:
        if literal is None or literal & ~1 in self.opened:
            return None
        return self._numbers.setdefault(literal & ~1, 2 * len(self._numbers)) | literal & 1

    def literals(self, numbers: Literals) -> Literals:
        """Numbers here as literals."""
        all_ = list(self._numbers)
        return tuple(None if number is None else all_[number >> 1] | number & 1 for number in numbers)

    def below(self, node: Node) -> frozenset[int]:
        """The literals that a word is made of here, without their complements."""
        seen = {node} & self.indices.keys()
        waiting, found = list(seen), set[int]()
        while waiting:
            for child in waiting.pop().inputs:
                if child not in self.indices:
                    found.update(bit & ~1 for bit in self.cut.of(child) if bit is not None)
                elif child not in seen:
                    seen.add(child)
                    waiting.append(child)
        return frozenset(found)
