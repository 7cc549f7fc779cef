"""Who uses what, so that values used once need no name."""

from __future__ import annotations

from collections.abc import Callable, Container

from finalist.ir.graph import Node, Region
from finalist.ir.ops import CONTROL, Op

#: What a node is made of, as it is written.
Takes = Callable[[Node], tuple[Node, ...]]


def needed(region: Region, takes: Takes) -> set[Node]:
    """The nodes that those which must be written take, and the results."""
    found = set(region.results)
    for node in reversed(region.body):
        if node in found or node.op in CONTROL:
            found.update(takes(node))
            if node.op in CONTROL:
                found |= needed(node.region, takes)
    return found


def use_counts(
    region: Region, takes: Takes = lambda node: node.inputs, unwritten: Container[Node] = ()
) -> dict[Node, list[Node]]:
    """The users of each node; a use by a nested region or as a result counts twice, so it is kept."""
    uses: dict[Node, list[Node]] = {}
    for node in region.body:
        for child in () if node in unwritten else takes(node):
            uses.setdefault(child, []).append(node)
        if isinstance(node.attr, Region) and node.op is not Op.APPLY:
            for child in node.attr.free:
                uses.setdefault(child, []).extend([node, node])
    for child in region.results:
        uses.setdefault(child, []).extend([child, child])
    return uses
