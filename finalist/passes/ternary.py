"""Bitwise operations as gates of three inputs, for machines that have one for each function of three words.

A gate may stand for any part of the graph with up to three words going in (a cut) and one coming out; what
others take as well is then computed twice. Every node's cuts are known from those of its operands. Which
are taken is decided by what a gate costs with all that it needs, shared out among those who use it, and
then gate by gate, by what would be gained if another took its place. (A. Mishchenko, S. Chatterjee,
R. Brayton, "Improvements to Technology Mapping for LUT-Based FPGAs", FPGA 2006.)
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import product
from math import fsum

from finalist.ir.builder import Builder, mask
from finalist.ir.graph import Graph, Node, Region, operands
from finalist.ir.ops import BITWISE, CONTROL, Op
from finalist.ir.rewrite import Rewriter
from finalist.passes.analysis import KeyOnly

#: Words that go into a gate, and the truth tables of these words themselves.
INPUTS = 3
COLUMNS = (0xAA, 0xCC, 0xF0)
_ALL = 0xFF
#: Cuts of a node that are kept, and how often all gates are chosen anew.
_CUTS, _TURNS = 24, 3

Cut = frozenset[Node]


def with_ternary_gates(graph: Graph) -> Graph:
    """The same graph, what depends on the block on gates of three inputs."""
    rewriter = _Gates(KeyOnly("key", "index")).rewriter(graph)
    for node in graph.body:
        rewriter.get(node)
    return Graph(graph.name, graph.params, rewriter.all(graph.results), graph.rounds)


class _Gates:
    """Writes gates in place of what they stand for, in a region and those within it."""

    def __init__(self, shared: Callable[[Node], bool]) -> None:
        self.shared = shared
        self.chosen: dict[Node, Cut] = {}
        self.functions: dict[Region, Region] = {}

    def rewriter(self, region: Region) -> Rewriter:
        """What remakes the region's nodes."""
        self._choose(region)
        return Rewriter(Builder(), self._visit)

    def _choose(self, region: Region) -> None:
        self.chosen |= cover(region, self.shared)
        for node in region.body:
            if node.op in CONTROL:
                self._choose(node.region)

    def _visit(self, rewriter: Rewriter, node: Node, inputs: tuple[Node, ...]) -> Node | None:
        if node.op is Op.APPLY:
            return rewriter.builder.apply(self._function(node.region), inputs)
        cut = self.chosen.get(node)
        if cut is None:
            return None
        leaves = sorted(cut, key=lambda leaf: leaf.serial)
        inputs = tuple(rewriter.map[leaf] for leaf in leaves)
        return gate(rewriter.builder, inputs, truth(node, leaves), node.width)

    def _function(self, region: Region) -> Region:
        if region not in self.functions:
            inner = self.rewriter(region)
            inner.map.update((param, inner.remake_param(param)) for param in region.params)
            for node in region.body:
                inner.get(node)
            params = [inner.map[param] for param in region.params]
            self.functions[region] = Region(params, inner.all(region.results))
        return self.functions[region]


# -- gates -----------------------------------------------------------------------------------------------


def truth(node: Node, leaves: Iterable[Node]) -> int:
    """The truth table of a node as a function of up to three words that it is made of."""
    known = dict(zip(leaves, COLUMNS, strict=False))

    def of(part: Node) -> int:
        if part not in known:
            known[part] = _constant(part) if part.op is Op.CONST else _computed(part, map(of, part.inputs))
        return known[part]

    return of(node)


def _is_constant(node: Node) -> bool:
    """Whether a word is all zeros or all ones; of another constant, bits differ."""
    return node.op is Op.CONST and node.attr in (0, mask(node.width))


def _constant(node: Node) -> int:
    return _ALL if node.attr else 0


def _computed(node: Node, inputs: Iterable[int]) -> int:
    """An operation on truth tables."""
    columns = tuple(inputs)
    if node.op is not Op.BOOL:
        return _OPERATIONS[node.op](*columns) & _ALL
    rows = (sum((column >> row & 1) << k for k, column in enumerate(columns)) for row in range(8))
    return sum((node.attr >> index & 1) << row for row, index in enumerate(rows))


_OPERATIONS: dict[Op, Callable[..., int]] = {
    Op.AND: lambda a, b: a & b,
    Op.OR: lambda a, b: a | b,
    Op.XOR: lambda a, b: a ^ b,
    Op.NOT: lambda a: ~a,
}


def gate(make: Builder, inputs: Sequence[Node], table: int, width: int) -> Node:
    """The node for a truth table on up to three words: an operation on two where two are enough."""
    for place, word in enumerate(inputs):
        if _is_constant(word):
            table = _with_constant(table, place, word.attr != 0)
    places = [k for k in range(len(inputs)) if _depends(table, k)]
    words, small = tuple(inputs[k] for k in places), _reduced(table, places)
    if not places:
        return make.const(mask(width) if table else 0, width)
    if len(places) == 1:
        return words[0] if small == 0b10 else make.make(Op.NOT, words)
    if len(places) == 2 and small in _SIMPLE:
        op, complemented = _SIMPLE[small]
        return make.make(
            op, [make.make(Op.NOT, (w,)) if k == complemented else w for k, w in enumerate(words)]
        )
    return make.make(Op.BOOL, words, small)


#: Functions of two words that machines have, and which of these is complemented.
_SIMPLE = {
    0b1000: (Op.AND, -1),
    0b1110: (Op.OR, -1),
    0b0110: (Op.XOR, -1),
    0b0010: (Op.AND, 1),
    0b0100: (Op.AND, 0),
}


def _with_constant(table: int, place: int, ones: bool) -> int:
    """The truth table where one of the words is all zeros or all ones."""
    step = 1 << place
    rows = (row | step if ones else row & ~step for row in range(8))
    return sum((table >> row & 1) << k for k, row in enumerate(rows))


def _depends(table: int, place: int) -> bool:
    step = 1 << place
    return any((table >> row ^ table >> (row | step)) & 1 for row in range(8) if not row & step)


def _reduced(table: int, places: list[int]) -> int:
    """The truth table as a function of the words at these places alone."""
    rows = (sum((row >> k & 1) << place for k, place in enumerate(places)) for row in range(1 << len(places)))
    return sum((table >> row & 1) << k for k, row in enumerate(rows))


# -- cuts ------------------------------------------------------------------------------------------------


def cover(region: Region, shared: Callable[[Node], bool]) -> dict[Node, Cut]:
    """The words that gates of three inputs compute, of all bitwise operations, and what goes into each."""
    small = (node for node in region.body if node.op in BITWISE and len(node.inputs) <= INPUTS)
    own = [node for node in small if not shared(node)]
    return _Cover(region, own).chosen() if own else {}


class _Cover:
    """The choice of a cut for each word that is needed."""

    def __init__(self, region: Region, own: list[Node]) -> None:
        self.own = own
        self.cuts: dict[Node, list[Cut]] = {}
        for node in own:
            self.cuts[node] = self._cuts_of(node)
        self.needed = [node for node in _outside(region, self.cuts) if node in self.cuts]
        self.best = {node: cuts[0] for node, cuts in self.cuts.items()}
        #: How many take each word.
        self.uses: dict[Node, int] = {}

    def _cuts_of(self, node: Node) -> list[Cut]:
        """The words that a node may be made of, itself excepted, the fewest first."""
        found: dict[Cut, None] = {}
        for parts in product(*(self._given(child) for child in node.inputs)):
            cut = frozenset[Node]().union(*parts)
            if len(cut) <= INPUTS:
                found[cut] = None
        fewest = sorted(found, key=len)
        kept: list[Cut] = []
        for cut in fewest:
            if len(kept) < _CUTS and not any(other <= cut for other in kept):
                kept.append(cut)
        return kept

    def _given(self, child: Node) -> list[Cut]:
        if _is_constant(child):
            return [frozenset()]
        return [frozenset({child}), *self.cuts.get(child, ())]

    def chosen(self) -> dict[Node, Cut]:
        """The cuts of the words that are needed."""
        for node in self.own:
            for child in node.inputs:
                self.uses[child] = self.uses.get(child, 0) + 1
        for _ in range(_TURNS):
            self._by_flow()
            self._count()
        for _ in range(_TURNS):
            self._by_gain()
        return {node: self.best[node] for node in self._taken()}

    # -- what a gate costs with all that it needs -------------------------------------------------------

    def _by_flow(self) -> None:
        flow: dict[Node, float] = {}

        def cost(cut: Cut) -> float:
            # The same for any order of a set's elements.
            return fsum(flow.get(leaf, 0) / max(1, self.uses.get(leaf, 0)) for leaf in cut)

        for node in self.own:
            self.best[node] = min(self.cuts[node], key=cost)
            flow[node] = 1 + cost(self.best[node])

    def _taken(self) -> Iterator[Node]:
        """The words that are computed, users before what they need."""
        wanted = set(self.needed)
        for node in reversed(self.own):
            if node in wanted:
                wanted |= self.best[node]
                yield node

    def _count(self) -> None:
        self.uses = dict.fromkeys(self.needed, 1)
        for node in self._taken():
            for leaf in self.best[node]:
                self.uses[leaf] = self.uses.get(leaf, 0) + 1

    # -- what would be gained ---------------------------------------------------------------------------

    def _by_gain(self) -> None:
        """Each gate that is there exchanged for the one that needs the fewest others that are not."""
        for node in self.own:
            if not self.uses.get(node):
                continue
            self._free(self.best[node])
            self.best[node] = min(self.cuts[node], key=self._tried)
            self._take(self.best[node])

    def _tried(self, cut: Cut) -> int:
        """Gates that a cut needs beyond those that there are."""
        added = self._take(cut)
        self._free(cut)
        return added

    def _take(self, cut: Cut) -> int:
        """Use the words of a cut, and what those need that nobody else uses: how many gates that adds."""
        added, waiting = 0, [*cut]
        while waiting:
            leaf = waiting.pop()
            uses = self.uses.get(leaf, 0)
            self.uses[leaf] = uses + 1
            if not uses and leaf in self.cuts:
                added += 1
                waiting += self.best[leaf]
        return added

    def _free(self, cut: Cut) -> None:
        """The way back."""
        waiting = [*cut]
        while waiting:
            leaf = waiting.pop()
            self.uses[leaf] -= 1
            if not self.uses[leaf] and leaf in self.cuts:
                waiting += self.best[leaf]


def _outside(region: Region, gates: Mapping[Node, object]) -> dict[Node, None]:
    """What anything but gates takes."""
    users = (node for node in region.body if node not in gates)
    return dict.fromkeys([child for node in users for child in operands(node)] + list(region.results))
