"""Which bytes are computed together, and where each of them lies among the slots of a pack."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from finalist.ir.graph import Matrix, Node, every_node
from finalist.ir.ops import Op
from finalist.machines.native.passes.byteslice.parts import COMPUTED, Parts
from finalist.passes.linear_forms import Form

Kind = tuple[Op | None, Any]
#: How many bytes have to be computed one after the other, and how many sums after the last.
Level = tuple[int, int]
_FIRST: Level = (0, 0)


@dataclass(frozen=True, eq=False)
class Pack:
    """Bytes that one run of an operation computes; ``slots`` has them by place, None where one is free."""

    kind: Kind
    slots: tuple[Node | None, ...]

    @property
    def nodes(self) -> list[Node]:
        """The bytes."""
        return [node for node in self.slots if node is not None]


#: The kind of the bytes of a block, and of those that are sums.
GIVEN: Kind = (None, None)
SUM: Kind = (Op.XOR, None)
#: The kind of bytes that are those of an earlier pack, in other slots.
COPY: Kind = (Op.LINEAR, None)


class Packs:
    """The packs of a kernel, each after what it is made of; where every byte lies.

    What every so many rounds hand on, ``period``, lies in the same slots each time, so that they can be the
    iterations of a loop; 0: wherever the fewest bytes have to move.
    """

    def __init__(self, parts: Parts, slots: int, *, period: int = 0) -> None:
        self.parts = parts
        self.count = slots
        self.place: dict[Node, tuple[Pack, int]] = {}
        self.all: list[Pack] = []
        self.handed_on = _handed_on(parts, period) if period else set()
        groups = _groups(parts, slots)
        self._add(GIVEN, parts.given)
        if period:
            self._copy_given(groups)
        for group in groups:
            self._add(_kind(parts, group[0]), self._arranged(group))

    def _copy_given(self, groups: Sequence[Sequence[Node]]) -> None:
        """The block's bytes as a round would hand them on: those together that are taken together."""
        seen: set[Node] = set()
        for group in groups:
            taken = {source for node in group for source in self.parts.sources(node)} - seen
            seen |= taken
            fresh = [byte for byte in self.parts.given if byte in taken]
            if fresh and [self.place[byte][1] for byte in fresh] != list(range(len(fresh))):
                self._add(COPY, fresh)

    def _add(self, kind: Kind, slots: Sequence[Node | None]) -> None:
        pack = Pack(kind, tuple(slots) + (None,) * (self.count - len(slots)))
        self.all.append(pack)
        self.place.update({n: (pack, at) for at, n in enumerate(pack.slots) if n is not None})

    def _arranged(self, nodes: Sequence[Node]) -> Sequence[Node | None]:
        """The slots that the fewest bytes have to move to: as they come, or where an operand lies."""
        if not self.handed_on.isdisjoint(nodes):
            return nodes
        forms = [self.parts.forms[node] for node in nodes]
        orders = [list(range(len(nodes))), *self._homes(forms)]
        best = min(orders, key=lambda order: self._moves(forms, order))
        slots: list[Node | None] = [None] * self.count
        for node, at in zip(nodes, best, strict=True):
            slots[at] = node
        return slots

    def _homes(self, forms: Sequence[Sequence[Form]]) -> Iterable[list[int]]:
        """Orders in which a term of every byte, of one pack and by one matrix, lies where it is."""
        found: dict[tuple[int, Pack, Matrix], list[int]] = {}
        for operands in forms:
            for number, form in enumerate(operands):
                for source, matrix in form.items():
                    pack, at = self.place[source]
                    found.setdefault((number, pack, matrix), []).append(at)
        for order in found.values():
            if len(order) == len(forms) == len(set(order)):
                yield order

    def _moves(self, forms: Sequence[Sequence[Form]], order: Sequence[int]) -> int:
        """How many moves of a pack there are: distances are as good as moves to count them by."""
        moves: dict[tuple[int, Pack, Matrix], Counter[tuple[int, int]]] = {}
        for operands, to in zip(forms, order, strict=True):
            for number, form in enumerate(operands):
                seen = Counter[tuple[int, Pack, Matrix]]()
                for source, matrix in form.items():
                    pack, at = self.place[source]
                    key = (number, pack, matrix)
                    seen[key] += at != to
                for key, count in seen.items():
                    moves.setdefault(key, Counter())[0, count] += 1
        return sum(max(count for _, count in counter) for counter in moves.values())


def _handed_on(parts: Parts, period: int) -> set[Node]:
    """The bytes that are taken in later iterations of so many rounds."""
    first = min((start for start, _ in parts.graph.rounds), default=0)

    def iteration(node: Node) -> int:
        return (node.phase - first) // period

    pairs = ((source, node) for node in parts.computed for source in parts.sources(node))
    return {source for source, node in pairs if iteration(source) < iteration(node)} - set(parts.given)


def _groups(parts: Parts, most: int) -> list[list[Node]]:
    """The bytes that are computed at once: all as soon as they can be."""
    levels = _soon(parts)
    found: dict[tuple[Level, Kind], list[Node]] = {}
    for node in parts.computed:
        found.setdefault((levels[node], _kind(parts, node)), []).append(node)
    groups = sorted(found.items(), key=lambda item: item[0][0])
    return [nodes[k : k + most] for _, nodes in groups for k in range(0, len(nodes), most)]


def _kind(parts: Parts, node: Node) -> Kind:
    return SUM if parts.is_sum(node) else (node.op, node.attr)


def _soon(parts: Parts) -> dict[Node, Level]:
    """For each byte how many have to be computed before it.

    Bytes of one step are to stay together, though for some of them much is known with the key: so what is
    computed from the key counts as if it were not. For the same reason sums count apart.
    """
    levels: dict[Node, Level] = dict.fromkeys(parts.given, _FIRST)
    key: dict[Node, int] = {}
    for node in every_node(parts.graph):
        known = max((key.get(child, 0) for child in node.inputs), default=0)
        if parts.key_only(node):
            key[node] = known + (node.op in COMPUTED)
            continue
        computed, sums = max(levels[child] for child in node.inputs if child in levels)
        if parts.is_sum(node):
            sums += 1
        if steps := known + (node.op in COMPUTED and node in parts.forms):
            computed, sums = computed + steps, 0
        levels[node] = computed, sums
    return levels
