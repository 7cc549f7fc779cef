"""Reads of one table that a dialect does two at a time, for a vector that has no second one beside it."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from finalist.ir.graph import Node
from finalist.ir.ops import Op
from finalist.machines.native.text.dialect import Scalar


def mates(nodes: Iterable[Node], paired: Callable[[Node], bool], dialect: Scalar) -> dict[Node, Node]:
    """For each read that is done at once with a later one of the same table: that one.

    ``nodes``: as they are written, in their order. The later one's place must be known by then.
    """
    found: dict[Node, Node] = {}
    turns: dict[Node, int] = {}
    waiting: dict[object, list[Node]] = {}
    for turn, node in enumerate(nodes):
        turns[node] = turn
        if not paired(node):
            continue
        known = turns.get(dialect.place(node), -1)
        firsts = waiting.setdefault(_table(node), [])
        first = next((one for one in firsts if turns[one] > known), None)
        if first is None:
            firsts.append(node)
        else:
            found[first] = node
            firsts.remove(first)
    return found


def _table(node: Node) -> object:
    """What a read finds its entry in, and the bits of that."""
    return (node.attr if node.op is Op.LOOKUP else node.inputs[0]), node.width
