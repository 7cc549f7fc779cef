"""A graph as a sequence of operations, the writes that fill fresh arrays set apart.

Where fresh arrays are filled entry by entry and read only when they are full, it does not matter when an
entry is written: each value may be, as soon as it is there.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from finalist.ir.graph import Graph, Node, operands
from finalist.ir.ops import CONTROL, Op

#: Operations on arrays, or with regions: they stay in their order.
FIXED = CONTROL | {Op.ARRAY, Op.LOAD, Op.STORE}


@dataclass(frozen=True)
class Straight:
    """``nodes``: all of the graph's but those of `filled`.

    ``stored``: for each value the full arrays that it goes into, and where. ``filled``: each full array,
    which is its last write, with the fresh one that it began as. ``users``: who needs a node, writes not
    counted; ``results`` are those of the graph.
    """

    graph: Graph
    nodes: tuple[Node, ...]
    stored: dict[Node, list[tuple[Node, int]]]
    filled: dict[Node, Node]
    users: dict[Node, list[Node]]
    results: frozenset[Node]

    @classmethod
    def of(cls, graph: Graph) -> Straight:
        """The graph's sequence, in its order."""
        writes = _filling(graph)
        inner = {node for chain in writes for node in chain}
        filled = {chain[-1]: chain[0].inputs[0] for chain in writes}
        stored: dict[Node, list[tuple[Node, int]]] = {}
        for chain in writes:
            for write in chain:
                stored.setdefault(write.inputs[2], []).append((chain[-1], write.inputs[1].attr))
        fresh = set(filled.values())
        nodes = tuple(n for n in graph.body if n in filled or (n not in inner and n not in fresh))
        users: dict[Node, list[Node]] = {}
        for node in nodes:
            for child in () if node in filled else operands(node):
                users.setdefault(child, []).append(node)
        return cls(graph, nodes, stored, filled, users, frozenset(graph.results))

    def goes_to(self, node: Node) -> tuple[Node, ...]:
        """The full arrays that a value goes into."""
        return tuple(full for full, _ in self.stored.get(node, ()))

    def eager(self) -> tuple[Node, ...]:
        """The nodes in another order: each as soon as its operands are there, but for the first ones."""
        own = frozenset(self.nodes)
        missing = {node: sum(child in own for child in _once(operands(node))) for node in self.nodes}
        order: dict[Node, None] = {}
        for node in self.nodes:
            stack = [] if node in order else [node]
            while stack:
                one = stack.pop()
                order[one] = None
                ready = []
                for user in _once(self.users.get(one, ())):
                    missing[user] -= 1
                    if not missing[user] and user.op not in FIXED:
                        ready.append(user)
                stack.extend(reversed(ready))
        return tuple(order)


def _once(nodes: Iterable[Node]) -> dict[Node, None]:
    return dict.fromkeys(nodes)


def _filling(graph: Graph) -> list[list[Node]]:
    """The chains of writes to fixed places, each once, that fill an array before anything else needs it."""
    takers: dict[Node, list[Node]] = {}
    for node in graph.body:
        for child in operands(node):
            takers.setdefault(child, []).append(node)
    chains = []
    for node in graph.body:
        if node.op is Op.ARRAY and node not in graph.results:
            chain = _chain(node, takers, set(graph.results))
            places = {write.inputs[1].attr % node.length for write in chain}
            if chain and len(places) == len(chain):
                chains.append(chain)
    return chains


def _chain(array: Node, takers: dict[Node, list[Node]], results: set[Node]) -> list[Node]:
    chain: list[Node] = []
    version = array
    while version not in results and len(takers.get(version, ())) == 1:
        (write,) = takers[version]
        if write.op is not Op.STORE or write.inputs[0] is not version or write.inputs[1].op is not Op.CONST:
            break
        chain.append(write)
        version = write
    return chain
