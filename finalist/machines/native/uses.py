"""Who uses what: so that values used once need no name, and arrays filled at once no first values."""

from __future__ import annotations

from collections.abc import Callable, Container

from finalist.ir.graph import Node, Region, operands
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


def overwritten(region: Region) -> set[Node]:
    """Fresh arrays whose every entry is written before any is read, so that they need no first values."""
    chains: dict[Node, tuple[Node, set[int]]] = {n: (n, set()) for n in region.body if n.op is Op.ARRAY}
    done = set()
    for node in region.body:
        touched = [child for child in operands(node) if child in chains]
        if node.op is Op.STORE and touched and node.inputs[1].op is Op.CONST:
            origin, places = chains.pop(node.inputs[0])
            places.add(node.inputs[1].attr % node.length)
            chains[node] = (origin, places)
            if len(places) == node.length:
                done.add(origin)
        else:
            done |= {chains[child][0] for child in touched if _fills(node, child)}
            for child in touched:
                del chains[child]
    return done


def _fills(loop: Node, array: Node) -> bool:
    """Whether a loop writes each entry of an array in turn, and reads none."""
    if loop.op is not Op.LOOP or operands(loop).count(array) != 1 or array not in loop.inputs[2:]:
        return False
    start, stop, *carried = loop.inputs
    if any(bound.op is not Op.CONST for bound in (start, stop)) or (start.attr, stop.attr) != (
        0,
        array.length,
    ):
        return False
    place, region = carried.index(array), loop.region
    index, parameter, stored = region.params[0], region.params[1 + place], region.results[place]
    alone = use_counts(region).get(parameter) == [stored]
    return alone and stored.op is Op.STORE and stored.inputs[:2] == (parameter, index)
