"""Entries of an array read an iteration ahead of a store to a place that is known late.

    for i:                  x = a[0]; p = f(0, x)
      x = a[i]              for i:
      p = f(i, x)      ->     n = a[i + 1]
      a[p] = y                a[p] = y
                              x, p = p == i + 1 ? (y, f(i + 1, y)) : (n, f(i + 1, n))

A load that stands after a store has to wait until it is known where that goes, or the processor guesses that
it goes elsewhere, and begins anew where it was wrong (memory disambiguation: Hennessy and Patterson, Computer
Architecture, chapter 3). Read before the store, and mended where that was to its entry, it waits for nothing,
and the next place is computed for both meanwhile. RC4's key schedule is such a loop, and takes two thirds of
the time.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from finalist.ir.builder import Builder
from finalist.ir.graph import Graph, Node, Region, every_region, postorder
from finalist.ir.ops import CONTROL, Op
from finalist.ir.rewrite import Rewriter, rewrite
from finalist.ir.types import ArrayType
from finalist.passes.simplify import simplify


class _Ahead(NamedTuple):
    """An array that a loop carries, by its place among what is carried; the loads of an iteration at the
    loop's index, before any store; the one store to another place; and what that place is computed from."""

    carried: int
    loads: tuple[Node, ...]
    store: Node
    origins: tuple[Node, ...]

    @property
    def place(self) -> Node:
        return self.store.inputs[1]


def with_reads_ahead(graph: Graph) -> Graph:
    """The graph with such reads in its loops, each an iteration ahead."""
    loops = (node for region in every_region(graph) for node in region.body if node.op is Op.LOOP)
    found = {node: one for node in loops if (one := next(_arrays(node.region), None)) is not None}
    if not found:
        return graph
    make = Builder(simplify)

    def visit(rewriter: Rewriter, node: Node, inputs: tuple[Node, ...]) -> Node | None:
        return _Loop(rewriter, node.region, found[node]).made(node, inputs) if node in found else None

    return rewrite(graph, make, visit)


# -- which ------------------------------------------------------------------------------------------------


def _arrays(region: Region) -> Iterator[_Ahead]:
    index, *carried = region.params
    inside = set(region.body)
    for number, (param, result) in enumerate(zip(carried, region.results, strict=True)):
        if (
            not isinstance(param.type, ArrayType) or param.type.length == 1
        ):  # the next entry would be this one
            continue
        elsewhere = [store for store in _stores(param, result) if store.inputs[1] is not index]
        loads = tuple(node for node in region.body if node.op is Op.LOAD and node.inputs == (param, index))
        if len(elsewhere) == 1:
            origins = tuple(node for node in postorder([elsewhere[0].inputs[1]]) if node in inside)
            if _can_be_ahead(origins, param, loads):
                yield _Ahead(number, loads, elsewhere[0], origins)


def _stores(param: Node, result: Node) -> list[Node]:
    """The stores that make an array of another; none if it is made otherwise, too."""
    found = []
    while result.op is Op.STORE:
        found.append(result)
        result = result.inputs[0]
    return found if result is param else []


def _can_be_ahead(origins: tuple[Node, ...], array: Node, loads: tuple[Node, ...]) -> bool:
    """Whether a place waits for the array's entry, and for nothing else that is read from it or was stored in
    the same iteration."""
    others = [node for node in origins if node not in loads]
    simple = all(node.op not in CONTROL and node.op is not Op.STORE for node in others)
    return len(others) < len(origins) and simple and all(array not in node.inputs for node in others)


# -- the loop ---------------------------------------------------------------------------------------------


class _Loop:
    """Makes a loop that carries the next entry, and the place of the next store, as well."""

    def __init__(self, rewriter: Rewriter, region: Region, one: _Ahead) -> None:
        self.rewriter, self.region, self.one = rewriter, region, one

    def made(self, node: Node, inputs: tuple[Node, ...]) -> Node:
        """The loop; its first values are those that the old one had."""
        rewriter, region, one = self.rewriter, self.region, self.one
        make, (start, stop, *initial) = rewriter.builder, inputs
        entry = make.make(Op.LOAD, (initial[one.carried], start))
        place = self._place(start, initial, entry)
        params = [rewriter.remake_param(param) for param in region.params]
        ahead = [make.param("carried", word.type, name) for word, name in ((entry, "ahead"), (place, "to"))]
        rewriter.map.update(zip(region.params, params, strict=True))
        rewriter.map.update(dict.fromkeys(one.loads, ahead[0]) | {one.place: ahead[1]})
        results = rewriter.all(region.results)
        body = Region([*params, *ahead], [*results, *self._next(params[0], params[1:], results, ahead[1])])
        made = make.make(Op.LOOP, (start, stop, *initial, entry, place), body)
        rewriter.gives(node, make.results(made))
        return made

    def _next(self, index: Node, carried: list[Node], results: list[Node], place: Node) -> list[Node]:
        """The entry that the next iteration reads, and the place that it stores to: of what lay there before
        this one's store, or of what it put there."""
        make, array = self.rewriter.builder, carried[self.one.carried]
        after = make.make(Op.ADD, (index, make.const(1, index.width)))
        width = max(index.width, place.width)
        at, other = (
            make.make(Op.REM, (make.extend(word, width), make.const(array.length, width)))
            for word in (place, after)
        )
        same = make.make(Op.EQ, (at, other))
        entries = self.rewriter.get(self.one.store.inputs[2]), make.make(Op.LOAD, (array, after))
        places = [self._place(after, results, entry) for entry in entries]
        return [make.make(Op.SELECT, (same, *both)) for both in (entries, places)]

    def _place(self, index: Node, carried: list[Node], entry: Node) -> Node:
        """The place of the store in the iteration of an index, of what is carried to it and of the entry."""
        known: Mapping[Node, Node] = dict(zip(self.region.params, (index, *carried), strict=True))
        within = self.rewriter.within()
        for node in self.one.origins:
            within.map.pop(node, None)
        within.map.update({**known, **dict.fromkeys(self.one.loads, entry)})
        return within.get(self.one.place)
