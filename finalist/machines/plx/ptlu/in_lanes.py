"""Words stay in the lanes of a register in which memory has them, each in a register of its own.

Where `finalist.machines.plx.ptlu.superwords` does the same to all words of a register, here each word is
worked on alone, whatever the other lanes then hold. What is gained: words of a block, and of the key, come
together by one access; and bytes of a word in another lane read other tables, so that they need not be turned
to read the same tables in another order. A sum over all bytes of a word is made in all lanes, so that it can
be added to a word in any of them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from finalist.ir.graph import Graph, Node
from finalist.ir.ops import Op
from finalist.ir.rewrite import Rewriter
from finalist.ir.types import WordType
from finalist.machines.plx.ptlu.builder import WideBuilder
from finalist.machines.plx.ptlu.folded_sums import Folder
from finalist.machines.plx.ptlu.key_layout import is_key

_WORD = WordType(32)
_ALIKE = frozenset({Op.XOR, Op.AND, Op.OR, Op.ADD, Op.SUB, Op.NOT})
_TURNS = frozenset({Op.ROL, Op.ROR})


def with_words_in_lanes(graph: Graph, lanes: int, kinds: int, ascending: bool) -> Graph | None:
    """The graph with its words in lanes; None where it has no sums that are made in all lanes.

    ``kinds``: in how many lanes bytes read different tables; ``ascending``: whether of words in memory the
    first is in the lowest lane of a register.
    """
    worker = _Worker(graph, lanes, kinds, ascending)
    return worker.graph() if worker.lane else None


class _Worker:
    def __init__(self, graph: Graph, lanes: int, kinds: int, ascending: bool) -> None:
        self.old, self.lanes = graph, lanes
        self.wide = WideBuilder(lanes)
        self.make = self.wide.make
        self.folder = Folder(graph, lanes, self._kind)
        self.folder.make = self.make
        self.kinds = kinds
        words = [p for p in graph.params if p.attr == "memory" and p.type == _WORD]
        whole = words[: len(words) // lanes * lanes]
        turn = 0 if ascending else lanes - 1
        starts = range(0, len(whole), lanes)
        self.groups = [tuple(whole[k ^ turn] for k in range(at, at + lanes)) for at in starts]
        #: Sums that are made in all lanes, and what is made of nothing but those; others' lanes.
        self.sums = {node for node in graph.body if self._is_sum(node)}
        self.everywhere = self._everywhere()
        self.lane = self._lanes()
        self._keys = self._key_words()
        self._registers: dict[Node, Node] = {}

    # -- what goes where ------------------------------------------------------------------------

    def _is_sum(self, node: Node) -> bool:
        whole, rest = self.folder.parts(node)
        return bool(whole) and not rest

    def _everywhere(self) -> set[Node]:
        found = set(self.sums)
        for node in self.old.body:
            inputs = [child for child in _operands(node) if child.op is not Op.CONST]
            if inputs and all(child in found for child in inputs):
                found.add(node)
        return found

    def _lanes(self) -> dict[Node, int]:
        """For words that are made of words of memory, of the key and of sums alone the lane that they are in.

        Where words of two lanes meet, all stay as they are.
        """
        lane = {word: k for group in self.groups for k, word in enumerate(group)}
        for node in self.old.body:
            if node in self.everywhere or not _operands(node):
                continue
            found = {lane[child] for child in node.inputs if child in lane}
            if len(found) == 1 and all(self._has_a_place(child, lane) for child in _operands(node)):
                lane[node] = found.pop()
        return self._spread(lane)

    def _spread(self, lane: dict[Node, int]) -> dict[Node, int]:
        """Sums of the key and what is made everywhere are in the lane of what takes them."""
        for node in reversed(self.old.body):
            for child in _operands(node):
                alone = child not in lane and child not in self.everywhere and bool(_operands(child))
                if node in lane and alone:
                    lane[child] = lane[node]
        return lane

    def _has_a_place(self, node: Node, lane: Mapping[Node, int]) -> bool:
        if node in lane or node in self.everywhere or node.op is Op.CONST or is_key(node):
            return True
        inner = _operands(node)
        return bool(inner) and all(child in self.everywhere or is_key(child) for child in inner)

    def _kind(self, word: Node) -> int:
        """Of a word of the new graph."""
        return word.attr % self.kinds if word.op is Op.RESULT else 0

    # -- the key --------------------------------------------------------------------------------

    def _key_words(self) -> dict[Node, Sequence[Node]]:
        """For entries of the key those of the register that they are read in, where they fill one."""
        wanted: dict[Node, int] = {}
        for node, lane in self.lane.items():
            for child in _operands(node):
                if is_key(child):
                    wanted.setdefault(child, lane)
        groups: dict[tuple[Node, int], list[Node]] = {}
        for entry in wanted:
            groups.setdefault((entry.inputs[0], entry.inputs[1].attr // self.lanes), []).append(entry)
        found: dict[Node, Sequence[Node]] = {}
        for entries in groups.values():
            by_lane = {wanted[entry]: entry for entry in entries}
            if len(by_lane) == self.lanes == len(entries):
                register = [by_lane[k] for k in range(self.lanes)]
                found.update((entry, register) for entry in entries)
        return found

    # -- the new graph --------------------------------------------------------------------------

    def graph(self) -> Graph:
        """The graph anew."""
        rewriter = Rewriter(self.make, self._visit)
        for group in self.groups:
            self.wide.in_memory(group)
            register = self.wide.register(group)
            rewriter.map.update(zip(group, self.wide.words(register), strict=True))
        for node in self.old.body:
            rewriter.get(node)
        return Graph(self.old.name, self.old.params, rewriter.all(self.old.results), self.old.rounds)

    def _visit(self, rewriter: Rewriter, node: Node, inputs: tuple[Node, ...]) -> Node | None:
        if node in self.sums:
            return self._in(self.folder.folded(rewriter, self.folder.parts(node)[0]), node, 0)
        if node in self.everywhere or node in self.lane:
            lane = self.lane.get(node, 0)
            sides = [self._side(rewriter, child, lane) for child in _operands(node)]
            if node.op in _TURNS:
                sides.append(node.inputs[1].attr)
            return self._in(self.wide.alike(node.op, *sides), node, lane)
        return None

    def _in(self, register: Node, node: Node, lane: int) -> Node:
        self._registers[node] = register
        return self.wide.lane(register, lane)

    def _side(self, rewriter: Rewriter, child: Node, lane: int) -> Node | int:
        """A register with an operand in this lane."""
        if child.op is Op.CONST:
            return int(child.attr)
        new = rewriter.get(child)
        if child in self.everywhere:
            return self._registers[child]
        if child in self.lane:
            register = self._registers[child] if child in self._registers else new.inputs[0]
            return self._moved(register, lane - self.lane[child])
        if child in self._keys and self._keys[child].index(child) == lane:
            return self.wide.register([rewriter.get(word) for word in self._keys[child]])
        zero = self.make.const(0, 32)
        return self.wide.register([new if k == lane else zero for k in range(self.lanes)])

    def _moved(self, register: Node, up: int) -> Node:
        return self.wide.rotated(register, up) if up % self.lanes else register


def _operands(node: Node) -> tuple[Node, ...]:
    """The words that an operation in lanes is done to; none of other operations."""
    if node.type != _WORD:
        return ()
    if node.op in _TURNS:
        return node.inputs[:1] if node.inputs[1].op is Op.CONST else ()
    return node.inputs if node.op in _ALIKE else ()
