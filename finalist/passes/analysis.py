"""What passes ask of a graph: what depends on the key alone, who uses a node, how large a value can be."""

from __future__ import annotations

from collections.abc import Iterable

from finalist.ir.builder import mask
from finalist.ir.graph import Node, Region, postorder
from finalist.ir.ops import CONTROL, Op


class KeyOnly:
    """Whether a node of a kernel depends on the expanded key and constants alone.

    ``kinds``: the kinds of parameters it may depend on; with ``index`` also on the turn of a loop.
    """

    def __init__(self, *kinds: str) -> None:
        self._kinds = kinds or ("key",)
        self._known: dict[Node, bool] = {}

    def __call__(self, node: Node) -> bool:
        if node not in self._known:
            for needed in postorder([node], self._known):
                self._known[needed] = self._decide(needed)
        return self._known[node]

    def _decide(self, node: Node) -> bool:
        if node.op is Op.PARAM:
            return node.attr in self._kinds
        if node.op in CONTROL:
            return False
        return all(self._known[child] for child in node.inputs)


def users(region: Region) -> dict[Node, list[Node]]:
    """For each node of the region's body, parameters included, the nodes that take it as an input."""
    found: dict[Node, list[Node]] = {node: [] for node in (*region.params, *region.body)}
    for node in region.body:
        for child in node.inputs:
            if child in found:
                found[child].append(node)
    return found


def depends(nodes: Iterable[Node], targets: set[Node]) -> bool:
    """Whether any of the nodes needs one of the targets."""
    oldest = min(target.serial for target in targets)
    stack, seen = list(nodes), set(targets)
    while stack:
        node = stack.pop()
        if node in targets:
            return True
        # Operands are made before their users, so nothing older than the targets can need them.
        if node.serial >= oldest and node not in seen:
            seen.add(node)
            stack.extend(node.inputs)
    return False


def greatest(node: Node, depth: int = 8) -> int:
    """An upper bound of the word's value."""
    bound = _BOUNDS.get(node.op)
    limit = mask(node.width)
    return min(limit, bound(node, depth - 1)) if bound and depth else limit



def _sum(node: Node, depth: int) -> int:
    total = greatest(node.inputs[0], depth) + greatest(node.inputs[1], depth)
    return total if total <= mask(node.width) else mask(node.width)


def _product(node: Node, depth: int) -> int:
    total = greatest(node.inputs[0], depth) * greatest(node.inputs[1], depth)
    return total if total <= mask(node.width) else mask(node.width)


def _shl(node: Node, depth: int) -> int:
    amount = node.inputs[1]
    if amount.op is not Op.CONST:
        return mask(node.width)
    total = greatest(node.inputs[0], depth) << min(amount.attr, 64)
    return total if total <= mask(node.width) else mask(node.width)


def _shr(node: Node, depth: int) -> int:
    amount = node.inputs[1]
    return greatest(node.inputs[0], depth) >> (amount.attr if amount.op is Op.CONST else 0)


def _union(node: Node, depth: int) -> int:
    bits = max(greatest(child, depth).bit_length() for child in node.inputs[-2:])
    return mask(bits)


_BOUNDS = {
    Op.CONST: lambda node, depth: node.attr,
    Op.ADD: _sum,
    Op.MUL: _product,
    Op.SHL: _shl,
    Op.SHR: _shr,
    Op.AND: lambda node, depth: min(greatest(child, depth) for child in node.inputs),
    Op.OR: _union,
    Op.XOR: _union,
    Op.EXTEND: lambda node, depth: greatest(node.inputs[0], depth),
    Op.LOOKUP: lambda node, depth: max(node.attr.values),
}
