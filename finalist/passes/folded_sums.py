"""Sums of what all bytes of a word find: the bytes are looked up together, and the register's words added up.

For machines whose parallel lookup gives a register of words (see `finalist.passes.superwords`).
"""

from __future__ import annotations

from collections.abc import Sequence

from finalist.ir.builder import Builder
from finalist.ir.graph import Graph, Node, every_node
from finalist.ir.ops import Op
from finalist.ir.rewrite import Rewriter, rewrite
from finalist.passes.sums_of_lookups import ByteLookup, byte_lookup, leaves_of

_BYTES = 4


def with_folded_sums(graph: Graph, lanes: int) -> Graph:
    """The graph with sums over all four bytes of a word as sums over registers of ``lanes`` words.

    Where the bytes of one word read the tables in another order than those of others, the word is turned
    first: a parallel lookup reads each table by the same byte.
    """
    folder = _Folder(graph, lanes)
    return rewrite(graph, folder.make, folder.visit)


class _Folder:
    def __init__(self, graph: Graph, lanes: int) -> None:
        self.make = Builder()
        self.lanes = lanes
        self.inner = _inner(graph)
        #: The byte that reads each table.
        self.reader: dict[object, int] = {}

    def visit(self, rewriter: Rewriter, node: Node, inputs: tuple[Node, ...]) -> Node | None:
        """The end of a sum."""
        if node.op is not Op.XOR or node in self.inner:
            return None
        leaves = [rewriter.get(leaf) for leaf in leaves_of(node)]
        whole, rest = _whole_words(leaves)
        if not whole:
            return None
        total = self._folded(whole)
        for leaf in rest:
            total = self.make.make(Op.XOR, (total, leaf))
        return total

    def _folded(self, whole: Sequence[Sequence[ByteLookup]]) -> Node:
        register: Node | None = None
        for run in map(self._in_place, whole):
            for start in range(0, _BYTES, self.lanes):
                found = self.make.make(Op.TUPLE, run[start : start + self.lanes])
                register = found if register is None else self._sum(register, found)
        assert register is not None
        step = self.lanes
        while step > 2:
            step //= 2
            register = self._sum(register, self._turned(register, step))
        first, second = self._words(register)[:2]
        return self.make.make(Op.XOR, (first, second))

    def _in_place(self, run: Sequence[ByteLookup]) -> list[Node]:
        """The lookups of a word, turned so that each table is read by its byte."""
        for one in run:
            self.reader.setdefault(_table(one), one.byte)
        turns = {(one.byte - self.reader[_table(one)]) % _BYTES for one in run}
        if len(turns) > 1 or turns == {0}:
            return [one.leaf for one in run]
        (turn,) = turns
        word = self.make.make(Op.ROR, (run[0].word, self.make.const(8 * turn, 8)))
        found = {}
        for one in run:
            byte = (one.byte - turn) % _BYTES
            index = self.make.slice(word, 8 * byte, 8)
            found[byte] = self.make.make(one.leaf.op, (*one.leaf.inputs[:-1], index), one.leaf.attr)
        return [found[byte] for byte in range(_BYTES)]

    def _words(self, register: Node) -> list[Node]:
        return [self.make.make(Op.RESULT, (register,), k) for k in range(self.lanes)]

    def _sum(self, a: Node, b: Node) -> Node:
        pairs = zip(self._words(a), self._words(b), strict=True)
        return self.make.make(Op.TUPLE, [self.make.make(Op.XOR, pair) for pair in pairs])

    def _turned(self, register: Node, step: int) -> Node:
        words = self._words(register)
        return self.make.make(Op.TUPLE, words[step:] + words[:step])


def _table(one: ByteLookup) -> object:
    """What a lookup reads."""
    return one.leaf.attr if one.leaf.op is Op.LOOKUP else one.leaf.inputs[0]


def _inner(graph: Graph) -> set[Node]:
    """Sums that only go into one other sum."""
    users: dict[Node, list[Node | None]] = {}
    for node in every_node(graph):
        for child in node.inputs:
            users.setdefault(child, []).append(node)
        if node.op in (Op.LOOP, Op.WHEN):
            for result in node.region.results:
                users.setdefault(result, []).append(None)
    for result in graph.results:
        users.setdefault(result, []).append(None)
    return {
        node
        for node, own in users.items()
        if node.op is Op.XOR and len(own) == 1 and own[0] is not None and own[0].op is Op.XOR
    }


def _whole_words(leaves: Sequence[Node]) -> tuple[list[list[ByteLookup]], list[Node]]:
    """Lookups by all bytes of a word, by word and in order; and the other leaves."""
    by_word: dict[Node, dict[int, ByteLookup]] = {}
    for leaf in leaves:
        one = byte_lookup(leaf)
        if one is not None and one.mask is None:
            by_word.setdefault(one.word, {}).setdefault(one.byte, one)
    whole = [[own[k] for k in range(_BYTES)] for own in by_word.values() if len(own) == _BYTES]
    taken = {id(one.leaf) for run in whole for one in run}
    return whole, [leaf for leaf in leaves if id(leaf) not in taken]
