"""A key schedule as a sequence of operations, apart from the writes that fill arrays."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from finalist.ir.graph import Node, Region, operands, users_of
from finalist.ir.ops import CONTROL, Op
from finalist.ir.types import ArrayType
from finalist.passes.analysis import Ranges

#: Operations on arrays, or with regions: they stay in their order.
FIXED = CONTROL | {Op.ARRAY, Op.LOAD, Op.STORE}


@dataclass(frozen=True)
class Straight:
    """``nodes``: all of the region's but those of `filled`.

    ``stored``: for each value the full arrays that it is stored in, with the offsets. ``filled``: each full
    array, which is its last store, with the one that it began as: a fresh one, or one that a loop carries.
    ``bases``: what is added to the offsets in that, where it isn't 0. ``users``: who needs a node, writes not
    counted; ``results`` are those of the region.
    """

    region: Region
    nodes: tuple[Node, ...]
    stored: dict[Node, list[tuple[Node, int]]]
    filled: dict[Node, Node]
    bases: dict[Node, Node]
    users: dict[Node, list[Node]]
    results: frozenset[Node]

    @classmethod
    def of(cls, region: Region, ranges: Ranges) -> Straight:
        """The region's sequence, in its order; ``ranges``: of the indices of loops that it is in."""
        chains = [chain for chain in _filling(region) if chain.once_each(ranges)]
        inner = {node for chain in chains for node in chain.writes}
        filled = {chain.full: chain.array for chain in chains}
        stored: dict[Node, list[tuple[Node, int]]] = {}
        for chain in chains:
            for write, offset in zip(chain.writes, chain.offsets, strict=True):
                stored.setdefault(write.inputs[2], []).append((chain.full, offset))
        begun = set(filled.values())
        nodes = tuple(n for n in region.body if n in filled or (n not in inner and n not in begun))
        users = users_of(node for node in nodes if node not in filled)
        bases = {chain.full: chain.base for chain in chains if chain.base is not None}
        return cls(region, nodes, stored, filled, bases, users, frozenset(region.results))

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


@dataclass
class _Chain:
    """Stores to an array, one after the other, at constant ``offsets`` from a ``base``; None is 0."""

    array: Node
    writes: list[Node]
    offsets: list[int]
    base: Node | None

    @property
    def full(self) -> Node:
        return self.writes[-1]

    def once_each(self, ranges: Ranges) -> bool:
        """Whether no entry is stored twice, indices being modulo the length, and none passing 2^32."""
        length = self.array.length
        most = max(self.offsets) + (0 if self.base is None else ranges.greatest(self.base))
        return most < 1 << 32 and len({offset % length for offset in self.offsets}) == len(self.offsets)


def _filling(region: Region) -> Iterator[_Chain]:
    """The chains of writes that fill an array before anything else needs it."""
    takers, results = users_of(region.body), set(region.results)
    arrays = [node for node in region.body if node.op is Op.ARRAY]
    carried = [param for param in region.params if isinstance(param.type, ArrayType)]
    for array in (*arrays, *carried):
        chain = _chain(array, takers, results)
        if chain.writes:
            yield chain


def _chain(array: Node, takers: dict[Node, list[Node]], results: set[Node]) -> _Chain:
    """The stores from a version of an array on; a fresh one's base is 0."""
    chain = _Chain(array, [], [], None)
    version = array
    while version not in results and len(takers.get(version, ())) == 1:
        (write,) = takers[version]
        if write.op is not Op.STORE or write.inputs[0] is not version:
            break
        base, offset = _split(write.inputs[1])
        begins = not chain.writes and array.op is Op.PARAM and (base is None or base.width == 32)
        if not begins and base is not chain.base:
            break
        chain.base = base
        chain.writes.append(write)
        chain.offsets.append(offset)
        version = write
    return chain


def _split(index: Node) -> tuple[Node | None, int]:
    """An index as base and offset: ``i * 16 + 3`` -> ``i * 16``, 3."""
    if index.op is Op.CONST:
        return None, index.attr
    if index.op is Op.ADD and index.width == 32 and index.inputs[1].op is Op.CONST:
        return index.inputs[0], index.inputs[1].attr
    return index, 0
