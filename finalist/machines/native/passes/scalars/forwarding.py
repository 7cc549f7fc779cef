"""Store-to-load forwarding in registers, past a store to an index that is not known.

    a[1] = v;  a[j] = x;  y = a[1]   ->   a[1] = v;  a[j] = x;  y = j == 1 ? x : v

A processor forwards a store to a load some cycles later, and has to be right about which store that is
(store-to-load forwarding, memory disambiguation: Hennessy and Patterson, Computer Architecture, chapter 3).
The choice is there a cycle after both values, but it is an operation more than the load, and waits for
``x``, which a processor takes for granted that it need not. So it is made where loads are what the time goes
to: in regions whose critical path is longer than all their operations take in parallel. FROG's encryption is
such a one, and takes a third of the time; its decryption, which loads what was stored a round ago, is not.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from finalist.ir.builder import Builder
from finalist.ir.graph import Graph, Node, Region, every_region, operands
from finalist.ir.ops import Op
from finalist.ir.rewrite import Rewriter, rewrite
from finalist.machines.native.passes.scalars.readiness import CYCLES
from finalist.passes.analysis import stored
from finalist.passes.simplify import simplify

#: Cycles after which a stored value is forwarded to a load; operations that are done in one cycle.
_FORWARDED, _PER_CYCLE = 6, 4


class _Choice(NamedTuple):
    """What a load at a constant index gives: ``last`` if ``other`` is equal to that, else ``before``."""

    other: Node
    last: Node
    before: Node


def with_forwarding(graph: Graph) -> Graph:
    """The graph with such loads as choices, in each of its regions whose critical path they are on."""
    found = {load: choice for region in every_region(graph) for load, choice in _worthwhile(region).items()}
    if not found:
        return graph
    make = Builder(simplify)

    def visit(rewriter: Rewriter, node: Node, inputs: tuple[Node, ...]) -> Node | None:
        if node not in found:
            return None
        index, last, before = rewriter.all(found[node])
        length = make.const(node.inputs[0].length, index.width)
        own = make.const(node.inputs[1].attr % node.inputs[0].length, index.width)
        return make.make(
            Op.SELECT, (make.make(Op.EQ, (make.make(Op.REM, (index, length)), own)), last, before)
        )

    return rewrite(graph, make, visit)


def _worthwhile(region: Region) -> dict[Node, _Choice]:
    """The loads of a region that are better choices: all, or none."""
    choices = {node: choice for node in region.body if (choice := _choice(node)) is not None}
    if not choices:
        return {}
    path = _critical_path(region, {})
    work = sum(CYCLES.get(node.op, 1) > 0 for node in region.body)
    return choices if path * _PER_CYCLE > work and _critical_path(region, choices) < path else {}


def _choice(node: Node) -> _Choice | None:
    """What a node loads, if the last store was to an unknown index and one before it to its own."""
    if node.op is not Op.LOAD or node.inputs[1].op is not Op.CONST or node.inputs[0].op is not Op.STORE:
        return None
    array, index, last = node.inputs[0].inputs
    if index.op is Op.CONST:
        return None
    before = stored(array)[0].get(node.inputs[1].attr % array.length)
    return None if before is None else _Choice(index, last, before)


def _critical_path(region: Region, choices: Mapping[Node, _Choice]) -> int:
    """Its cycles in a region, some of whose loads are choices."""
    ready: dict[Node, int] = {}
    for node in region.body:
        ready[node] = _ready(node, ready, choices)
    return max(ready.values(), default=0)


def _ready(node: Node, ready: Mapping[Node, int], choices: Mapping[Node, _Choice]) -> int:
    """The cycle in which a value is there. A load at a constant index waits for the last store to that; that
    no store to an unknown index was to it, processors speculate."""
    if node in choices:
        index, *values = choices[node]
        return max(ready.get(index, 0) + 1, *(ready.get(value, 0) for value in values)) + 1
    if node.op is Op.STORE:
        return 0
    if node.op is Op.LOAD:
        last = _last_stored(*node.inputs)
        return max(
            ready.get(node.inputs[1], 0) + CYCLES[Op.LOAD],
            0 if last is None else ready.get(last, 0) + _FORWARDED,
        )
    return max((ready.get(child, 0) for child in operands(node)), default=0) + CYCLES.get(node.op, 1)


def _last_stored(array: Node, index: Node) -> Node | None:
    """What was last stored to a constant index, stores to unknown ones aside."""
    while index.op is Op.CONST and array.op is Op.STORE:
        array, other, value = array.inputs
        if other.op is Op.CONST and (other.attr - index.attr) % array.length == 0:
            return value
    return None
