"""Loads hoisted above the store of the iteration before, where that store's index is known late.

    for i:                  x = a[0]; j = f(0, x)
      x = a[i]              for i:
      j = f(i, x)      ->     n = a[i + 1]
      a[j] = y                a[j] = y
                              x, j = j == i + 1 ? (y, f(i + 1, y)) : (n, f(i + 1, n))

A load waits for the address of a store before it, or the processor speculates that the two don't alias and
flushes its pipeline where they do (memory disambiguation: Hennessy and Patterson, Computer Architecture,
chapter 3). Software pipelined by one iteration it waits for nothing; a select repairs it where the store was
to the same entry, and the next index is computed of both values meanwhile. RC4's key schedule is such a loop,
and takes two thirds of the time.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from finalist.ir.builder import Builder
from finalist.ir.graph import Graph, Node, Region, every_region, postorder
from finalist.ir.ops import CONTROL, Op
from finalist.ir.rewrite import Rewriter, rewrite
from finalist.ir.types import ArrayType
from finalist.passes.simplify import simplify


class _Ahead(NamedTuple):
    """A loop-carried array, by its number among the carried values; the loads of an iteration at the loop's
    index, before any store; the one store at another index; and the nodes that compute that index."""

    carried: int
    loads: tuple[Node, ...]
    store: Node
    origins: tuple[Node, ...]

    @property
    def target(self) -> Node:
        """Where the store goes."""
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
        if not isinstance(param.type, ArrayType) or param.type.length == 1:
            continue  # of one entry the next is this one, which all stores are to
        elsewhere = [store for store in _stores(param, result) if store.inputs[1] is not index]
        loads = tuple(node for node in region.body if node.op is Op.LOAD and node.inputs == (param, index))
        if len(elsewhere) == 1:
            origins = tuple(node for node in postorder([elsewhere[0].inputs[1]]) if node in inside)
            if _can_be_ahead(origins, param, loads):
                yield _Ahead(number, loads, elsewhere[0], origins)


def _stores(param: Node, result: Node) -> list[Node]:
    """The stores between two versions of an array; none if anything else is between them."""
    found = []
    while result.op is Op.STORE:
        found.append(result)
        result = result.inputs[0]
    return found if result is param else []


def _can_be_ahead(origins: tuple[Node, ...], array: Node, loads: tuple[Node, ...]) -> bool:
    """Whether an index depends on the array's entry, and on nothing else that is loaded from the array or
    that the same iteration stores."""
    others = [node for node in origins if node not in loads]
    simple = all(node.op not in CONTROL and node.op is not Op.STORE for node in others)
    return len(others) < len(origins) and simple and all(array not in node.inputs for node in others)


# -- the loop ---------------------------------------------------------------------------------------------


class _Loop:
    """Builds the loop that carries the next entry, and the index of the next store, as well."""

    def __init__(self, rewriter: Rewriter, region: Region, one: _Ahead) -> None:
        self.rewriter, self.region, self.one = rewriter, region, one

    def made(self, node: Node, inputs: tuple[Node, ...]) -> Node:
        """The loop; its first results are those of the old one."""
        rewriter, region, one = self.rewriter, self.region, self.one
        make, (start, stop, *initial) = rewriter.builder, inputs
        entry = make.make(Op.LOAD, (initial[one.carried], start))
        target = self._target(start, initial, entry)
        params = [rewriter.remake_param(param) for param in region.params]
        ahead = [make.param("carried", word.type, name) for word, name in ((entry, "ahead"), (target, "to"))]
        rewriter.map.update(zip(region.params, params, strict=True))
        rewriter.map.update(dict.fromkeys(one.loads, ahead[0]) | {one.target: ahead[1]})
        results = rewriter.all(region.results)
        body = Region([*params, *ahead], [*results, *self._next(params[0], params[1:], results, ahead[1])])
        made = make.make(Op.LOOP, (start, stop, *initial, entry, target), body)
        rewriter.gives(node, make.results(made))
        return made

    def _next(self, index: Node, carried: list[Node], results: list[Node], target: Node) -> list[Node]:
        """The entry that the next iteration loads, and the index that it stores at: both for the value before
        this iteration's store at ``target``, or for the value stored, if it was to that entry."""
        make, array = self.rewriter.builder, carried[self.one.carried]
        after = make.make(Op.ADD, (index, make.const(1, index.width)))
        width = max(index.width, target.width)
        length = make.const(array.length, width)
        at, other = (make.make(Op.REM, (make.extend(word, width), length)) for word in (target, after))
        same = make.make(Op.EQ, (at, other))
        entries = self.rewriter.get(self.one.store.inputs[2]), make.make(Op.LOAD, (array, after))
        targets = [self._target(after, results, entry) for entry in entries]
        return [make.make(Op.SELECT, (same, *both)) for both in (entries, targets)]

    def _target(self, index: Node, carried: list[Node], entry: Node) -> Node:
        """Where the iteration of an index stores, computed of its carried values and its entry."""
        within = self.rewriter.within()
        for node in self.one.origins:
            within.map.pop(node, None)
        within.map.update(zip(self.region.params, (index, *carried), strict=True))
        within.map.update(dict.fromkeys(self.one.loads, entry))
        return within.get(self.one.target)
