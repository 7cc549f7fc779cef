"""What passes ask of a graph: what depends on the key alone, who uses a node, how large a value can be."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import prod

from finalist.ir.builder import mask
from finalist.ir.graph import Graph, Node, Region, operands, postorder
from finalist.ir.ops import CONTROL, Op
from finalist.ir.program import Program
from finalist.ir.types import WordType


class KeyOnly:
    """Whether a node of a kernel depends on the expanded key and constants alone.

    ``kinds``: the kinds of parameters it may depend on; with ``index`` also on the iteration of a loop.
    """

    def __init__(self, *kinds: str) -> None:
        self._kinds = kinds or ("key",)
        self._known: dict[Node, bool] = {}

    def __call__(self, node: Node) -> bool:
        known = self._known.get(node)
        if known is None:
            if all(map(self._known.__contains__, operands(node))):  # the common case, in order
                self._known[node] = self._decide(node)
            else:
                for needed in postorder([node], self._known):
                    self._known[needed] = self._decide(needed)
            known = self._known[node]
        return known

    def _decide(self, node: Node) -> bool:
        if node.op is Op.PARAM:
            return node.attr in self._kinds
        if node.op in CONTROL:
            return False
        if node.op is Op.STORE and node.inputs[0].op is Op.PARAM:
            return False  # it overwrites the expanded key, which must not be done in the key schedule
        return all(map(self._known.__getitem__, node.inputs))


def left_to_key_schedule(program: Program) -> KeyOnly:
    """Whether a node of the kernel is to move to the key schedule: none where round keys are computed."""
    return KeyOnly("") if program.computed else KeyOnly()


def users(region: Region) -> dict[Node, list[Node]]:
    """For each node of the region's body, parameters included, the nodes that take it as an input."""
    found: dict[Node, list[Node]] = {node: [] for node in (*region.params, *region.body)}
    for node in region.body:
        for child in node.inputs:
            if child in found:
                found[child].append(node)
    return found


def stored(array: Node) -> tuple[dict[int, Node], Node]:
    """What the last writes to an array, at constant indices, leave at each; and the version before them."""
    found: dict[int, Node] = {}
    while array.op is Op.STORE and array.inputs[1].op is Op.CONST:
        found.setdefault(array.inputs[1].attr % array.length, array.inputs[2])
        array = array.inputs[0]
    return found, array


def handed_on(graph: Graph, ignored: Callable[[Node], bool]) -> int:
    """The most words, but for those ``ignored``, that one round hands on to the next."""
    last: dict[Node, int] = {}
    for node in reversed(graph.body):  # a part of a word is taken from it where it is needed
        until = last.get(node, 0) if node.op in _PARTS else node.phase
        for child in node.inputs:
            last[child] = max(last.get(child, 0), until)
    live: dict[int, int] = {}
    for node in (*graph.params, *graph.body):
        if isinstance(node.type, WordType) and node.op not in _PARTS and not ignored(node):
            for phase in range(node.phase, last.get(node, 0)):
                live[phase] = live.get(phase, 0) + 1
    between = (live.get(first + r, 0) for first, count in graph.rounds for r in range(count - 1))
    return max(between, default=0)


_PARTS = frozenset({Op.SLICE, Op.EXTEND})


class Bounds:
    """Upper bounds of words; ``limits`` gives those of parameters, such as the index of a loop."""

    def __init__(self, limits: Mapping[Node, int] | None = None) -> None:
        self.limits = {} if limits is None else limits

    def greatest(self, node: Node, depth: int = 8) -> int:
        """An upper bound of the word's value."""
        limit = mask(node.width)
        bound = _BOUNDS.get(node.op)
        if bound is None or not depth:
            return limit
        return min(limit, self.limits.get(node, limit), bound(self, node, depth - 1, limit))

    def inputs(self, node: Node, depth: int) -> list[int]:
        """The bounds of the operands."""
        return [self.greatest(child, depth) for child in node.inputs]


class Ranges(Bounds):
    """Bounds from below as well, by which differences and remainders are bounded."""

    def greatest(self, node: Node, depth: int = 8) -> int:
        """An upper bound of the word's value."""
        bound = super().greatest(node, depth)
        if depth and node.op in (Op.SUB, Op.REM):
            first, second = node.inputs
            least, most = self.least(second, depth - 1), self.greatest(second, depth - 1)
            if node.op is Op.REM and least:
                return min(bound, most - 1)
            if node.op is Op.SUB and self.least(first, depth - 1) >= most:
                return min(bound, self.greatest(first, depth - 1) - least)
        return bound

    def least(self, node: Node, depth: int = 8) -> int:
        """A lower bound of the word's value."""
        if node.op is Op.CONST:
            return int(node.attr)
        if not depth or node.op not in (Op.SUB, Op.SLICE, Op.EXTEND):
            return 0
        first = self.least(node.inputs[0], depth - 1)
        if node.op is Op.SUB:
            return max(0, first - self.greatest(node.inputs[1], depth - 1))
        whole = node.op is Op.EXTEND or (
            not node.attr and self.greatest(node.inputs[0], depth - 1) <= mask(node.width)
        )
        return first if whole else 0


def greatest(node: Node) -> int:
    """An upper bound of the word's value, nothing being known of parameters."""
    return Bounds().greatest(node)


Bound = Callable[[Bounds, Node, int, int], int]


def _sum(known: Bounds, node: Node, depth: int, limit: int) -> int:
    """Unless the true sum could pass the width and wrap around; then nothing is known."""
    value = 0
    for child in node.inputs:
        value += known.greatest(child, depth)
        if value >= limit:  # no look at the others, of which each may have as many below it
            return limit
    return value


def _shl(known: Bounds, node: Node, depth: int, limit: int) -> int:
    amount = node.inputs[1]
    if amount.op is not Op.CONST:
        return limit
    value = known.greatest(node.inputs[0], depth) << min(amount.attr, 64)
    return value if value <= limit else limit


def _shr(known: Bounds, node: Node, depth: int, limit: int) -> int:
    amount = node.inputs[1]
    return known.greatest(node.inputs[0], depth) >> (amount.attr if amount.op is Op.CONST else 0)


def _rem(known: Bounds, node: Node, depth: int) -> int:
    value, divisor = node.inputs
    bound = known.greatest(value, depth)
    return min(bound, divisor.attr - 1) if divisor.op is Op.CONST and divisor.attr else bound


def _slice(known: Bounds, node: Node, depth: int, limit: int) -> int:
    value = known.greatest(node.inputs[0], depth) >> node.attr
    return value if value <= limit else limit


def _union(known: Bounds, node: Node, depth: int, limit: int) -> int:
    value = 0
    for child in node.inputs:
        value = max(value, mask(known.greatest(child, depth).bit_length()))
        if value >= limit:  # as above
            return limit
    return value


_BOUNDS: dict[Op, Bound] = {
    Op.PARAM: lambda known, node, depth, limit: limit,
    Op.CONST: lambda known, node, depth, limit: int(node.attr),
    Op.ADD: _sum,
    Op.MUL: lambda known, node, depth, limit: min(limit, prod(known.inputs(node, depth))),
    Op.REM: lambda known, node, depth, limit: _rem(known, node, depth),
    Op.SHL: _shl,
    Op.SHR: _shr,
    Op.AND: lambda known, node, depth, limit: min(known.inputs(node, depth)),
    Op.OR: _union,
    Op.XOR: _union,
    Op.SLICE: _slice,
    Op.EXTEND: lambda known, node, depth, limit: known.greatest(node.inputs[0], depth),
    Op.LOOKUP: lambda known, node, depth, limit: max(node.attr.values),
}
