"""About how long a key schedule takes: what it executes, and what waits for what.

A processor does some operations at once, unless each waits for the one before. So the time is the longer of
two: all operations at so many a cycle, and the longest chain of operations one after the other.
"""

from __future__ import annotations

from finalist.ir.graph import Graph, Node, Region, trip_count
from finalist.ir.ops import Op
from finalist.ir.types import ArrayType
from finalist.machines.native.passes.scalars.readiness import Readiness
from finalist.passes.analysis import KeyOnly

#: Operations that processors of today do in a cycle, of code that was not written to be independent.
A_CYCLE = 3
#: What a C compiler makes part of another instruction, or of none.
_FREE = frozenset({Op.SLICE, Op.EXTEND, Op.JOIN, Op.RESULT, Op.TUPLE, Op.ARRAY})


def grown(graph: Graph, looped: Graph) -> float:
    """How many times the cycles of a straight graph those of the same with loops are, about."""
    ready = Readiness()
    chain = max((ready.at(node) for node in graph.results), default=0)
    before, after = (max(chain, executed(one) / A_CYCLE) for one in (graph, looped))
    return after / before if before else 1.0


def executed(region: Region) -> int:
    """Operations that are executed: those of a loop in all of its iterations, with what it hands on.

    What depends on the iteration alone is part of an address, but for lookups.
    """
    addresses = KeyOnly("index")
    return sum(
        trip_count(node, 1) * (executed(node.region) + _handed_on(node) + 1)
        if node.op is Op.LOOP
        else node.op not in _FREE and (node.op is Op.LOOKUP or not addresses(node))
        for node in region.body
    )


def _handed_on(loop: Node) -> int:
    region = loop.region
    pairs = zip(region.params[1:], region.results, strict=True)
    return sum(param is not result and not isinstance(param.type, ArrayType) for param, result in pairs)
