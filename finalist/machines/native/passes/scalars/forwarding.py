"""Reads of what was just written to an array, where the write after it was at an unknown place.

    a[1] = v;  a[j] = x;  ... a[1] ...

The read waits for memory, some cycles of which a processor needs to hand on what was written last. The value
is one of two that are in registers: ``j == 1 ? x : v``. The comparison takes as many operations as the read,
and both values are waited for, so that only what waits for its memory is better off: where the longest path
through such reads is longer than all operations take side by side. FROG's encryption is like that, and takes
a third of the time; its decryption, whose reads are of what was written long ago, is not.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from finalist.ir.builder import Builder
from finalist.ir.graph import Graph, Node, Region, operands
from finalist.ir.ops import Op
from finalist.ir.rewrite import Rewriter, rewrite
from finalist.machines.native.passes.scalars.readiness import CYCLES
from finalist.passes.analysis import stored
from finalist.passes.simplify import simplify

#: Cycles from a value's being written to its being read from there; operations that are done in one cycle.
_HANDED_ON, _PER_CYCLE = 6, 4


class _Choice(NamedTuple):
    """What a read at a constant place gives: ``last``, if written ``at`` this one, else ``before``."""

    at: Node
    last: Node
    before: Node


def with_forwarding(graph: Graph) -> Graph:
    """The graph with such reads as choices, in each of its regions that waits for them."""
    found = {read: choice for region in _regions(graph) for read, choice in _worthwhile(region).items()}
    if not found:
        return graph
    make = Builder(simplify)

    def visit(rewriter: Rewriter, node: Node, inputs: tuple[Node, ...]) -> Node | None:
        if node not in found:
            return None
        index, last, before = rewriter.all(found[node])
        length = make.const(node.inputs[0].length, index.width)
        place = make.const(node.inputs[1].attr % node.inputs[0].length, index.width)
        return make.make(
            Op.SELECT, (make.make(Op.EQ, (make.make(Op.REM, (index, length)), place)), last, before)
        )

    return rewrite(graph, make, visit)


def _regions(region: Region) -> Iterator[Region]:
    yield region
    for node in region.body:
        if isinstance(node.attr, Region):
            yield from _regions(node.attr)


def _worthwhile(region: Region) -> dict[Node, _Choice]:
    """The reads of a region that are better made choices: all, or none."""
    choices = {node: choice for node in region.body if (choice := _choice(node)) is not None}
    if not choices:
        return {}
    waits = _longest_path(region, {})
    work = sum(CYCLES.get(node.op, 1) > 0 for node in region.body)
    return choices if waits * _PER_CYCLE > work and _longest_path(region, choices) < waits else {}


def _choice(node: Node) -> _Choice | None:
    """What a node reads, if the last write was at an unknown place and that before it at its own."""
    if node.op is not Op.LOAD or node.inputs[1].op is not Op.CONST or node.inputs[0].op is not Op.STORE:
        return None
    array, index, last = node.inputs[0].inputs
    if index.op is Op.CONST:
        return None
    before = stored(array)[0].get(node.inputs[1].attr % array.length)
    return None if before is None else _Choice(index, last, before)


def _longest_path(region: Region, choices: Mapping[Node, _Choice]) -> int:
    """Cycles from the region's begin to its last value, with some of its reads as choices."""
    ready: dict[Node, int] = {}
    for node in region.body:
        ready[node] = _ready(node, ready, choices)
    return max(ready.values(), default=0)


def _ready(node: Node, ready: Mapping[Node, int], choices: Mapping[Node, _Choice]) -> int:
    """When a value is there. A read waits for what was last written at its own place, if that is a constant
    one; that no write at an unknown place was there, processors take for granted until it was."""
    if node in choices:
        at, *values = choices[node]
        return max(ready.get(at, 0) + 1, *(ready.get(value, 0) for value in values)) + 1
    if node.op is Op.STORE:
        return 0
    if node.op is Op.LOAD:
        written = _written(*node.inputs)
        return max(
            ready.get(node.inputs[1], 0) + CYCLES[Op.LOAD],
            0 if written is None else ready.get(written, 0) + _HANDED_ON,
        )
    return max((ready.get(child, 0) for child in operands(node)), default=0) + CYCLES.get(node.op, 1)


def _written(array: Node, index: Node) -> Node | None:
    """What was last written at a constant place, writes at unknown ones aside."""
    while index.op is Op.CONST and array.op is Op.STORE:
        array, place, value = array.inputs
        if place.op is Op.CONST and (place.attr - index.attr) % array.length == 0:
            return value
    return None
