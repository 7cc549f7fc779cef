"""Loops that pass over more of an array than an index reaches, cut into several in a row.

Where an instruction has the address of an array and a register adds an index of one word, the places of a
loop must lie within what that word counts. (Index set splitting; M. Wolfe, "High Performance Compilers for
Parallel Computing", 1996.) With indices of 8 bits::

    for i in 0 .. 4: x = f(x, key[128 * i])
    ->  for i in 0 .. 2: x = f(x, key[128 * i]);  for i in 2 .. 4: x = f(x, key[128 * i])
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from finalist.ir.builder import Builder
from finalist.ir.graph import Graph, Node, Region, every_node, origin
from finalist.ir.ops import Op
from finalist.ir.program import Program
from finalist.ir.rewrite import Rewriter, rewrite
from finalist.ir.types import storage_bits
from finalist.isa.allocate.rows import steps_of
from finalist.isa.lower.control import found_in, inside
from finalist.passes.simplify import simplify

#: Bytes from one entry of an array to the next, by what the array begins as, where entries of others lie
#: between them.
Steps = Mapping[Node, int]


def run(program: Program, width: int) -> Program:
    """The program with loops whose places an index of ``width`` bits reaches."""
    steps = steps_of(program, width)
    return program.with_graphs(
        within_reach(program.expand, width, steps), within_reach(program.kernel, width, steps)
    )


def within_reach(graph: Graph, width: int, steps: Steps | None = None) -> Graph:
    """The graph, in which each loop of known bounds passes over no more than an index reaches."""
    arrays = _Arrays(graph, steps or {})
    parts = {node: found for node in every_node(graph) if (found := _parts(node, width, arrays)) is not None}

    def visit(rewriter: Rewriter, node: Node, inputs: tuple[Node, ...]) -> Node | None:
        return _in_parts(rewriter, node, inputs, parts[node]) if node in parts else None

    return rewrite(graph, Builder(simplify), visit) if parts else graph


class _Arrays:
    """How far the entries of a graph's arrays are apart."""

    def __init__(self, graph: Graph, steps: Steps) -> None:
        self.steps = steps
        #: By a loop's parameter for what it carries, what that is before the first iteration.
        self.initial: dict[Node, Node] = {}
        for node in every_node(graph):
            if node.op is Op.LOOP:
                self.initial.update(zip(node.region.params[1:], node.inputs[2:], strict=True))

    def step(self, array: Node) -> int:
        """Bytes from one entry to the next."""
        first = origin(array)
        while first in self.initial:
            first = origin(self.initial[first])
        return self.steps.get(first, storage_bits(array.width) // 8)


def _parts(node: Node, width: int, arrays: _Arrays) -> range | None:
    """Where loops in the place of a loop begin, if it is to be several."""
    if node.op is not Op.LOOP or any(bound.op is not Op.CONST for bound in node.inputs[:2]):
        return None
    start, stop = (bound.attr for bound in node.inputs[:2])
    found = range(start, stop, _iterations(node.region, start, stop, width, arrays))
    return found if len(found) > 1 else None


def _iterations(region: Region, start: int, stop: int, width: int, arrays: _Arrays) -> int:
    """The most iterations of a loop in a row whose places an index reaches."""
    farthest = max(_steps(region, start, stop - 1, arrays), default=0)
    return max(stop - start, 1) if not farthest else 1 + ((1 << width) - 1) // farthest


def _steps(region: Region, first: int, last: int, arrays: _Arrays) -> Iterator[int]:
    """The bytes by which places that move with a loop do so in an iteration."""
    found = found_in(region, first, last)
    for node in region.body:
        if node.op in (Op.LOAD, Op.STORE) and node.inputs[1] in found.affine:
            form, array = found.affine[node.inputs[1]], node.inputs[0]
            if inside(form, first, last, array.length):
                yield abs(form[0]) * arrays.step(array)


def _in_parts(rewriter: Rewriter, node: Node, inputs: tuple[Node, ...], parts: range) -> Node:
    """Loops that begin at ``parts``, each with the values that the one before it left."""
    make, (start, stop), values = rewriter.builder, node.inputs[:2], list(inputs[2:])
    for first in parts:
        last = min(first + parts.step, stop.attr)
        region = _copied(rewriter, node.region)
        values = make.loop(make.const(first, start.width), make.const(last, stop.width), values, region)
    rewriter.gives(node, values)
    return values[0].inputs[0] if values else inputs[0]


def _copied(rewriter: Rewriter, region: Region) -> Region:
    """The region on parameters of its own, its loops cut as well."""
    inner = rewriter.within()
    params = [inner.remake_param(param) for param in region.params]
    inner.map.update(zip(region.params, params, strict=True))
    for node in region.body:
        inner.get(node)
    return Region(params, inner.all(region.results))
