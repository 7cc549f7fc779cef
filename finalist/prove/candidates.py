"""Words of two programs that may be equal, found by their values on keys and blocks at random."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b
from typing import Any

import numpy as np

from finalist.ir.graph import Node
from finalist.ir.interpreter import Environment, carried_out, dtype
from finalist.ir.ops import Op
from finalist.prove.literals import Candidate, Cut
from finalist.prove.recorded import Recorded, simulated

#: Keys, each with blocks of its own.
ROWS = 1024
#: Bits of the narrowest words by which wider ones are looked for.
NARROWEST = 4
#: Words of one value that are looked at, and that are tried.
LOOKED_AT, TRIED = 64, 4

#: A word and the position of the lowest of some of its bits.
Slice = tuple[Node, int]


class Candidates:
    """The words of a second program, for those of a first one that are equal to them."""

    def __init__(
        self, nodes: Sequence[Node], second: Sequence[Node], recorded: Sequence[Recorded], cut: Cut
    ) -> None:
        """``nodes``: of both, in order; ``second``: of the second."""
        self.cut = cut
        source = np.random.default_rng(1)
        first = recorded[0]
        size = max(one.program.key.bytes for one in recorded)
        keys = source.integers(0, 256, (ROWS, size), np.uint8)
        data = source.integers(0, 256, (ROWS, len(first.blocks) * first.program.block.bytes), np.uint8)
        self._values = simulated(nodes, recorded, keys, data)
        self._second = {node: k for k, node in enumerate(second)}
        #: The widths that these words have, the greatest first.
        self.widths = sorted({node.width for node in second}, reverse=True)
        #: By width and values the slices that have them.
        self._found: dict[int, dict[bytes, list[Slice]]] = {}
        self._columns: dict[int, Any] = {}

    def include(self, node: Node) -> None:
        """Have the values of a word that neither program has."""
        with np.errstate(over="ignore"):
            self._values[node] = carried_out(node, self._values)

    def of(self, node: Node) -> list[list[Candidate]]:
        """Of the bits of a word, slice by slice, the candidates that may be equal to them."""
        found: list[list[Candidate]] = []
        start = 0
        while start < node.width:
            candidates = self._longest(node, start)
            if candidates:
                found.append(candidates)
                start += candidates[0].width
            else:
                start += NARROWEST
        return found

    def _longest(self, node: Node, start: int) -> list[Candidate]:
        """Those of the widest slice from a bit on that has any."""
        for width in self.widths:
            if start + width > node.width or (width < NARROWEST and width < node.width):
                continue
            some = self._index(width).get(_digest(self._values[node], start, width))
            if some:
                best = self._best(node, start, width, some)
                return [Candidate(node, start, second, second_start, width) for second, second_start in best]
        return []

    def _index(self, width: int) -> dict[bytes, list[Slice]]:
        if width not in self._found:
            found = self._found[width] = {}
            for node in self._second:
                for start in range(0, node.width - width + 1, width):
                    found.setdefault(_digest(self._values[node], start, width), []).append((node, start))
        return self._found[width]

    # -- of several -----------------------------------------------------------------------------

    def _best(self, node: Node, start: int, width: int, some: Sequence[Slice]) -> Sequence[Slice]:
        """Those that are tried of some with the same values: first what is not cut yet, and near to what was
        cut last, if it has the same values of the literals that it is made of, too."""
        if len(some) == 1:
            return some
        near = 0 if self.cut.last is None else self._second[self.cut.last]
        order = sorted(some, key=lambda one: (self.cut.is_cut(one[0]), abs(self._second[one[0]] - near)))
        own = self._local(node, start, width)
        alike = [one for one in order[:LOOKED_AT] if self._local(*one, width) == own]
        return (alike or order)[:TRIED]

    def _local(self, node: Node, start: int, width: int) -> bytes:
        """The values of bits of a word where the literals that it is made of are drawn at random: this
        distinguishes words that have one value on all keys, or on nearly all."""
        env = Environment({})
        with np.errstate(over="ignore"):
            for one in self.cut.cone([node]) or ():
                for child in one.inputs:
                    if child not in env and child.op is not Op.CONST:
                        env[child] = self._drawn(child)
                env[one] = carried_out(one, env)
                if one in self.cut.words:
                    env[one] = self._drawn(one, env[one])
        return _digest(env[node] if node in env else self._drawn(node), start, width)

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


def _digest(values: Any, start: int, width: int) -> bytes:
    """A hash of bits of a word."""
    values = np.asarray(values)
    part = values >> values.dtype.type(start) & values.dtype.type((1 << width) - 1)
    shown = np.broadcast_to(part, (ROWS,)).astype(dtype(width)).tobytes()
    return blake2b(shown, digest_size=16).digest()
