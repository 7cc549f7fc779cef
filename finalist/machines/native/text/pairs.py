"""Table lookups in pairs, for a dialect that does two of one table at once, within a single vector.

``T[a], T[b] -> (T[a], T[b]) = pair(T, a, b)``, where b is known before ``T[a]`` is written. With two
vectors interleaved a lookup is paired with the same one of the other vector.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from finalist.ir.graph import Node
from finalist.ir.ops import Op
from finalist.machines.native.text.dialect import Scalar


def mates(nodes: Iterable[Node], paired: Callable[[Node], bool], dialect: Scalar) -> dict[Node, Node]:
    """For each lookup that is done at once with a later one of the same table: that one.

    ``nodes``: in the order in which they are written. The later lookup's index must be known by then.
    """
    found: dict[Node, Node] = {}
    positions: dict[Node, int] = {}
    waiting: dict[object, list[Node]] = {}
    for position, node in enumerate(nodes):
        positions[node] = position
        if not paired(node):
            continue
        known = positions.get(dialect.place(node), -1)
        firsts = waiting.setdefault(_table(node), [])
        first = next((one for one in firsts if positions[one] > known), None)
        if first is None:
            firsts.append(node)
        else:
            found[first] = node
            firsts.remove(first)
    return found


def _table(node: Node) -> object:
    """What a lookup reads, and the bits of an entry."""
    return (node.attr if node.op is Op.LOOKUP else node.inputs[0]), node.width
