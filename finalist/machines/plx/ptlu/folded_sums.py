"""Sums of what all bytes of a word find: the bytes are looked up together, and the register's words added up.

For machines whose parallel lookup gives a register of words (`finalist.machines.plx.ptlu.superwords`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from finalist.ir.builder import Builder
from finalist.ir.graph import Graph, Node, every_node
from finalist.ir.ops import Op
from finalist.ir.rewrite import Rewriter, rewrite
from finalist.machines.plx.ptlu.sums_of_lookups import ByteLookup, byte_lookup, leaves_of

_BYTES = 4


def with_folded_sums(graph: Graph, lanes: int) -> Graph:
    """The graph with sums over all four bytes of a word as sums over registers of ``lanes`` words.

    Where the bytes of one word read the tables in another order than those of others, the word is turned
    first: a parallel lookup reads each table by the same byte.
    """
    folder = Folder(graph, lanes)
    return rewrite(graph, folder.make, folder.visit)


class Folder:
    """Folds sums. ``kind_of``: words of different kinds may read the tables in different orders."""

    def __init__(self, graph: Graph, lanes: int, kind_of: Callable[[Node], int] = lambda word: 0) -> None:
        self.make = Builder()
        self.lanes = lanes
        self.kind_of = kind_of
        self.inner = _inner(graph)
        #: The byte that reads each table, by words' kind.
        self.reader: dict[tuple[int, object], int] = {}

    def parts(self, node: Node) -> tuple[list[list[ByteLookup]], list[Node]]:
        """Of the end of a sum the lookups by whole words, and what else is added; nothing of others."""
        if node.op is not Op.XOR or node in self.inner:
            return [], []
        return _whole_words(leaves_of(node))

    def visit(self, rewriter: Rewriter, node: Node, inputs: tuple[Node, ...]) -> Node | None:
        """The end of a sum."""
        whole, rest = self.parts(node)
        if not whole:
            return None
        total = self._lane(self.folded(rewriter, whole))
        for leaf in rest:
            total = self.make.make(Op.XOR, (total, rewriter.get(leaf)))
        return total

    def _lane(self, register: Node) -> Node:
        return self.make.make(Op.RESULT, (register,), 0)

    def folded(self, rewriter: Rewriter, whole: Sequence[Sequence[ByteLookup]]) -> Node:
        """A register that has the sum of all of these lookups in each of its words."""
        runs = [[_renewed(rewriter, one) for one in run] for run in whole]
        register: Node | None = None
        for run in map(self._in_place, runs):
            for start in range(0, _BYTES, self.lanes):
                found = self.make.make(Op.TUPLE, run[start : start + self.lanes])
                register = found if register is None else self._sum(register, found)
        assert register is not None
        step = self.lanes
        while step > 1:
            step //= 2
            register = self._sum(register, self._turned(register, step))
        return register

    def _in_place(self, run: Sequence[ByteLookup]) -> list[Node]:
        """The lookups of a word, turned so that each table is read by its byte."""
        kind = self.kind_of(run[0].word)
        for one in run:
            self.reader.setdefault((kind, _table(one)), one.byte)
        turns = {(one.byte - self.reader[kind, _table(one)]) % _BYTES for one in run}
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


def _renewed(rewriter: Rewriter, one: ByteLookup) -> ByteLookup:
    """The same lookup in the graph that is being made."""
    made = byte_lookup(rewriter.get(one.leaf))
    assert made is not None
    return made


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
        if one is not None and one.mask is None and leaf.width == 8 * _BYTES:
            by_word.setdefault(one.word, {}).setdefault(one.byte, one)
    whole = [[own[k] for k in range(_BYTES)] for own in by_word.values() if len(own) == _BYTES]
    taken = {id(one.leaf) for run in whole for one in run}
    return whole, [leaf for leaf in leaves if id(leaf) not in taken]
