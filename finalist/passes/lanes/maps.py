"""Layers of linear maps as few maps of one word each, and few XORs.

For vectors a map of one small word is cheap whatever it is (two permutes, or one instruction), so what
counts is how many there are. A layer's matrices are written in a basis, and M a + M b is M (a + b): in
Rijndael's MixColumns, of sixteen products by 2 and by 3 a column, four products by 2 are left, in its
inverse seven by 2, 4 and 8. The sums that this leaves are shared two words at a time (C. Paar,
"Optimized arithmetic for Reed-Solomon encoders", ISIT 1997).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from functools import cache, reduce
from itertools import combinations
from math import comb

from finalist.ir.builder import Builder
from finalist.ir.graph import Graph, Matrix, Node, operands
from finalist.ir.ops import Op
from finalist.ir.program import Program
from finalist.ir.rewrite import Rewriter, rewrite
from finalist.passes.analysis import KeyOnly
from finalist.passes.matrices import added, identity, reduced
from finalist.passes.simplify import simplify

#: Bases that are tried at most; beyond, the layer's own matrices are one.
_TRIALS = 4000
#: Matrices of a basis at most; a layer with more, as wirings have, is left in its own.
_LARGEST = 5

#: Some words that are added up.
Sum = frozenset[Node]


def run(program: Program) -> Program:
    """The program with its kernel's linear maps shared; those of the key alone stay as they are."""
    return program.with_graphs(program.expand, shared(program.kernel))


def shared(graph: Graph) -> Graph:
    """Each `linear` that depends on the block as XORs of `linear` operations of one word."""
    layers = dict(_layers(graph))
    if not layers:
        return graph
    made: dict[Node, Node] = {}

    def visit(rewriter: Rewriter, node: Node, inputs: tuple[Node, ...]) -> Node | None:
        if node not in layers:
            return None
        if node not in made:
            made.update(_Layer(layers[node], rewriter.get).made(rewriter.builder))
        return made[node]

    return rewrite(graph, Builder(simplify), visit)


def _layers(graph: Graph) -> Iterator[tuple[Node, tuple[Node, ...]]]:
    """Each linear map of the block with those of its round that need it no more than it needs them."""
    key_only, depth = KeyOnly(), dict[Node, int]()
    found: dict[tuple[int, int, int], list[Node]] = {}
    for node in graph.body:
        depth[node] = max((depth.get(child, 0) for child in operands(node)), default=0)
        if node.op is Op.LINEAR:
            depth[node] += 1
            if not key_only(node):
                found.setdefault((node.phase, depth[node], node.width), []).append(node)
    for nodes in found.values():
        yield from ((node, tuple(nodes)) for node in nodes)


class _Layer:
    """The maps of one layer. ``get``: what an old word is in the new graph."""

    def __init__(self, nodes: tuple[Node, ...], get: Callable[[Node], Node]) -> None:
        self.nodes = nodes
        self.get = get
        self.width = nodes[0].width

    def made(self, make: Builder) -> dict[Node, Node]:
        """The new node for each."""
        split = {node: self._split(node) for node in self.nodes}
        adder = Adder(make, self.width)
        mapped = [s for parts in split.values() for matrix, s in parts.items() if matrix != self._one(s)]
        adder.share(mapped)
        sums = {node: odd(self._words(make, adder, parts)) for node, parts in split.items()}
        adder.share(sums.values())
        return {node: adder.total(words, self.width) for node, words in sums.items()}

    def _words(self, make: Builder, adder: Adder, parts: dict[Matrix, Sum]) -> Iterator[Node]:
        for matrix, words in parts.items():
            if matrix == self._one(words):
                yield from words
            else:
                yield make.linear([matrix], [adder.total(words, len(matrix))], self.width)

    def _one(self, words: Sum) -> Matrix | None:
        return identity(next(iter(words)).width) if next(iter(words)).width == self.width else None

    def _split(self, node: Node) -> dict[Matrix, Sum]:
        """For each matrix of the basis the words that it is applied to, as words of the new graph."""
        parts: dict[Matrix, set[Node]] = {}
        for matrix, word in zip(node.attr, node.inputs, strict=True):
            for part in self._basis(word.width)[matrix]:
                parts.setdefault(part, set()).symmetric_difference_update({self.get(word)})
        return {matrix: frozenset(words) for matrix, words in parts.items() if words}

    def _basis(self, width: int) -> dict[Matrix, tuple[Matrix, ...]]:
        """Each matrix of words of this width as a sum of those of the basis."""
        used = [
            tuple(m for m, word in zip(node.attr, node.inputs, strict=True) if word.width == width)
            for node in self.nodes
        ]
        return basis(tuple(dict.fromkeys(used)), width == self.width)


def odd(words: Iterable[Node]) -> Sum:
    """What is left of words that are added up: those that are there an odd number of times."""
    return frozenset(word for word, count in Counter(words).items() if count % 2)


@cache
def basis(rows: tuple[tuple[Matrix, ...], ...], square: bool) -> dict[Matrix, tuple[Matrix, ...]]:
    """The matrices of a layer, each as the sum of some of a basis that leaves few maps to do.

    ``rows``: for each word of the result the matrices that its operands are multiplied by; equal places
    are equal operands. ``square``: whether the identity is one of them, which costs nothing.
    """
    matrices = list(dict.fromkeys(m for row in rows for m in row))
    free = [identity(len(matrices[0]))] if square else []
    own = _independent([*free, *matrices])[len(free) :]
    sums = (added(a, b) for a, b in combinations([*free, *matrices], 2))
    if len(own) > _LARGEST:
        return {m: (m,) if any(m) else () for m in matrices}
    candidates = list(dict.fromkeys([*own, *(m for m in [*matrices, *sums] if m not in free and any(m))]))
    choices: Iterable[tuple[Matrix, ...]] = [tuple(own)]
    if comb(len(candidates), len(own)) <= _TRIALS:
        choices = combinations(candidates, len(own))
    found = (_written(matrices, free, chosen) for chosen in choices)
    return min((w for w in found if w is not None), key=lambda written: _maps(rows, written, free))


def _maps(
    rows: tuple[tuple[Matrix, ...], ...], written: dict[Matrix, tuple[Matrix, ...]], free: list[Matrix]
) -> tuple[int, int]:
    """How many different maps the rows then take, and how many words they add up."""
    needed: set[tuple[Matrix, frozenset[int]]] = set()
    words = 0
    for row in rows:
        places: dict[Matrix, set[int]] = {}
        for place, matrix in enumerate(row):
            for part in written[matrix]:
                places.setdefault(part, set()).add(place)
        words += sum(map(len, places.values()))
        needed.update((part, frozenset(where)) for part, where in places.items() if part not in free)
    return len(needed), words


def _written(
    matrices: list[Matrix], free: list[Matrix], chosen: tuple[Matrix, ...]
) -> dict[Matrix, tuple[Matrix, ...]] | None:
    """Each matrix as a sum of the chosen and free ones; None if one is none."""
    sums: dict[Matrix, tuple[Matrix, ...]] = {(0,) * len(matrices[0]): ()}
    parts = [*free, *chosen]
    for count in range(1, len(parts) + 1):
        for some in combinations(parts, count):
            sums.setdefault(reduce(added, some), some)
    return {m: sums[m] for m in matrices} if all(m in sums for m in matrices) else None


def _independent(matrices: list[Matrix]) -> list[Matrix]:
    """The first matrices that are no sums of those before them."""
    independent, basis = [], list[int]()
    for matrix in matrices:
        rest = reduced(_flat(matrix), basis)
        if rest:
            independent.append(matrix)
            basis.append(rest)
    return independent


def _flat(matrix: Matrix) -> int:
    return sum(column << 64 * place for place, column in enumerate(matrix))


class Adder:
    """Sums of words, each pair of which is added once."""

    def __init__(self, make: Builder, width: int) -> None:
        self.make = make
        self.width = width
        #: The pairs that are added, each where it was found worth it.
        self.pairs: dict[frozenset[Node], Node] = {}
        self.reduced: dict[Sum, Sum] = {}

    def share(self, sums: Iterable[Sum]) -> None:
        """Find, again and again, the pair that most sums have, and let them have its sum instead."""
        left = {words: set(words) for words in dict.fromkeys(sums)}
        order = {node: place for place, node in enumerate(dict.fromkeys(_listed(left)))}
        while True:
            counts = Counter(pair for words in left.values() for pair in _pairs(words, order))
            pair = max(counts, key=lambda pair: self._gain(pair, counts[pair]), default=None)
            if pair is None or self._gain(pair, counts[pair]) < 1:
                break
            added = self._added(pair)
            order.setdefault(added, len(order))
            for words in left.values():
                if words >= set(pair):
                    words.difference_update(pair)
                    words.symmetric_difference_update({added})
        self.reduced.update((words, frozenset(rest)) for words, rest in left.items())

    def total(self, words: Sum, width: int) -> Node:
        """The sum of the words."""
        total = self.make.const(0, width)
        for word in sorted(self.reduced.get(words, words), key=lambda node: node.serial):
            total = self.make.make(Op.XOR, (total, word))
        return total

    def _gain(self, pair: tuple[Node, Node], count: int) -> int:
        return count if frozenset(pair) in self.pairs else count - 1

    def _added(self, pair: tuple[Node, Node]) -> Node:
        key = frozenset(pair)
        if key not in self.pairs:
            self.pairs[key] = self.make.make(Op.XOR, pair)
        return self.pairs[key]


def _listed(left: dict[Sum, set[Node]]) -> Iterator[Node]:
    for words in left:
        yield from sorted(words, key=lambda node: node.serial)


def _pairs(words: set[Node], order: dict[Node, int]) -> Iterable[tuple[Node, Node]]:
    return combinations(sorted(words, key=lambda node: order[node]), 2)
