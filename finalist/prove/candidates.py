"""Words of two programs that may be equal, found by their values on keys and blocks at random."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b
from typing import Any

import numpy as np

from finalist.ir.graph import Node
from finalist.ir.interpreter import Environment, carried_out, dtype
from finalist.ir.ops import Op
from finalist.prove.literals import Cut, Piece
from finalist.prove.recorded import Course, simulated

#: Keys, each with blocks of its own.
ROWS = 1024
#: Bits of the narrowest words by which wider ones are looked for.
NARROWEST = 4
#: Words of one value that are looked at, and that are tried.
LOOKED_AT, TRIED = 64, 4

#: A word and the place of the first of some of its bits.
Place = tuple[Node, int]


class Candidates:
    """The words of a second program, for those of a first one that are equal to them."""

    def __init__(
        self, nodes: Sequence[Node], second: Sequence[Node], courses: Sequence[Course], cut: Cut
    ) -> None:
        """``nodes``: of both, in order; ``second``: of the second."""
        self.cut = cut
        source = np.random.default_rng(1)
        first = courses[0]
        size = max(course.program.key.bytes for course in courses)
        keys = source.integers(0, 256, (ROWS, size), np.uint8)
        data = source.integers(0, 256, (ROWS, len(first.blocks) * first.program.block.bytes), np.uint8)
        self._values = simulated(nodes, courses, keys, data)
        self._second = {node: k for k, node in enumerate(second)}
        #: The widths that these words have, the greatest first.
        self.widths = sorted({node.width for node in second}, reverse=True)
        #: By width and values the places of such bits.
        self._found: dict[int, dict[bytes, list[Place]]] = {}
        self._columns: dict[int, Any] = {}

    def include(self, node: Node) -> None:
        """Have the values of a word that neither program has."""
        with np.errstate(over="ignore"):
            self._values[node] = carried_out(node, self._values)

    def of(self, node: Node) -> list[list[Piece]]:
        """Of the bits of a word, from some places on, the pieces that may be equal to them."""
        found: list[list[Piece]] = []
        place = 0
        while place < node.width:
            pieces = self._at(node, place)
            if pieces:
                found.append(pieces)
                place += pieces[0].width
            else:
                place += NARROWEST
        return found

    def _at(self, node: Node, place: int) -> list[Piece]:
        """The same from one place on, of as many bits as can be."""
        for width in self.widths:
            if place + width > node.width or (width < NARROWEST and width < node.width):
                continue
            some = self._index(width).get(_digest(self._values[node], place, width))
            if some:
                best = self._best(node, place, width, some)
                return [Piece(node, place, second, at, width) for second, at in best]
        return []

    def _index(self, width: int) -> dict[bytes, list[Place]]:
        if width not in self._found:
            found = self._found[width] = {}
            for node in self._second:
                for place in range(0, node.width - width + 1, width):
                    found.setdefault(_digest(self._values[node], place, width), []).append((node, place))
        return self._found[width]

    # -- of several -----------------------------------------------------------------------------

    def _best(self, node: Node, place: int, width: int, some: Sequence[Place]) -> Sequence[Place]:
        """Those that are tried of some with the same values: first what is not cut yet, and near to what was
        cut last, if it has the same values of the literals that it is made of, too."""
        if len(some) == 1:
            return some
        near = 0 if self.cut.last is None else self._second[self.cut.last]
        order = sorted(some, key=lambda one: (self.cut.is_cut(one[0]), abs(self._second[one[0]] - near)))
        own = self._local(node, place, width)
        alike = [one for one in order[:LOOKED_AT] if self._local(*one, width) == own]
        return (alike or order)[:TRIED]

    def _local(self, node: Node, place: int, width: int) -> bytes:
        """The values of bits of a word where the literals that it is made of are drawn at random: so words
        are told apart that have one value on all keys, or on nearly all."""
        env = Environment({})
        with np.errstate(over="ignore"):
            for one in self.cut.cone([node]) or ():
                for child in one.inputs:
                    if child not in env and child.op is not Op.CONST:
                        env[child] = self._drawn(child)
                env[one] = carried_out(one, env)
                if one in self.cut.words:
                    env[one] = self._drawn(one, env[one])
        return _digest(env[node] if node in env else self._drawn(node), place, width)

    def _drawn(self, node: Node, made: Any = None) -> Any:
        """A word by its literals; ``made``: what it is where it has none."""
        total = np.zeros(ROWS, np.uint64)
        for k, bit in enumerate(self.cut.of(node)):
            if bit is not None:
                column = self._column(bit >> 1) ^ np.uint64(bit & 1)
            elif made is not None:
                column = (made >> made.dtype.type(k) & made.dtype.type(1)).astype(np.uint64)
            else:
                continue
            total |= column << np.uint64(k)
        return total.astype(dtype(node.width))

    def _column(self, number: int) -> Any:
        """The values of an unknown bit; number 0 is false."""
        if number not in self._columns:
            source = np.random.default_rng(number)
            self._columns[number] = source.integers(0, 2 if number else 1, ROWS, np.uint64)
        return self._columns[number]


def _digest(values: Any, place: int, width: int) -> bytes:
    """A hash of bits of a word."""
    values = np.asarray(values)
    part = values >> values.dtype.type(place) & values.dtype.type((1 << width) - 1)
    shown = np.broadcast_to(part, (ROWS,)).astype(dtype(width)).tobytes()
    return blake2b(shown, digest_size=16).digest()
