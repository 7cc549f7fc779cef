"""Bits that nothing takes, and bits that are always 0: what only makes such bits is left out.

    ((a << 4 | b >> 4) ^ c) & 15    ->    ((b >> 4) ^ c) & 15        bits 0 to 3 of a << 4 are 0

Words that are cut into bytes bring it with them: a shift of a word moves bits from byte to byte, of which a
mask then leaves none.
"""

from __future__ import annotations

from collections.abc import Mapping

from finalist.ir.builder import Builder, mask
from finalist.ir.graph import Graph, Node, operands
from finalist.ir.ops import CONTROL, Op
from finalist.ir.rewrite import Rewriter, rewrite
from finalist.ir.types import WordType
from finalist.passes.simplify import simplify

_SUMS = frozenset({Op.OR, Op.XOR})


def without_unwanted(graph: Graph) -> Graph:
    """The graph without operands that make no bit that is wanted."""
    possible = _possible(graph)
    wanted = _wanted(graph)

    def visit(rewriter: Rewriter, node: Node, inputs: tuple[Node, ...]) -> Node | None:
        if node not in wanted:
            return None  # in a loop
        want = wanted[node]
        if node.op in _SUMS:
            left = [new for old, new in zip(node.inputs, inputs, strict=True) if _ones(old, possible) & want]
            return left[0] if len(left) == 1 else None
        if node.op is Op.AND and node.inputs[1].op is Op.CONST:
            needless = not want & _ones(node.inputs[0], possible) & ~node.inputs[1].attr
            return inputs[0] if needless else None
        return None

    return rewrite(graph, Builder(simplify), visit)


def _ones(node: Node, possible: Mapping[Node, int]) -> int:
    """The bits that may be 1."""
    if node.op is Op.CONST:
        return int(node.attr)
    return possible.get(node, mask(node.width))


def _possible(graph: Graph) -> dict[Node, int]:
    """Of the words of a graph the bits that may be 1, where that is not all."""
    found: dict[Node, int] = {}
    for node in graph.body:
        if node.op not in (Op.AND, *_SUMS, Op.SHL, Op.SHR, Op.EXTEND, Op.SLICE):
            continue
        first = _ones(node.inputs[0], found)
        if node.op is Op.AND:
            found[node] = first & _ones(node.inputs[1], found)
        elif node.op in _SUMS:
            found[node] = first | _ones(node.inputs[1], found)
        elif node.op is Op.EXTEND:
            found[node] = first
        elif node.op is Op.SLICE:
            found[node] = first >> node.attr & mask(node.width)
        elif (amount := _amount(node)) is not None:
            moved = first << amount if node.op is Op.SHL else first >> amount
            found[node] = moved & mask(node.width)
    return found


def _wanted(graph: Graph) -> dict[Node, int]:
    """Of the words of a graph, but for those within loops, the bits that something takes."""
    found: dict[Node, int] = {}

    def want(node: Node, bits: int) -> None:
        if isinstance(node.type, WordType):
            found[node] = found.get(node, 0) | bits & mask(node.width)

    for node in graph.results:
        want(node, -1)
    for node in reversed(graph.body):
        bits = found.get(node, 0)
        for child in operands(node):
            want(child, -1 if node.op in CONTROL else _taken(node, child, bits))
    return found


def _taken(node: Node, child: Node, bits: int) -> int:
    """The bits of an operand that an operation takes, of which these are wanted."""
    if node.op in _SUMS or node.op in (Op.NOT, Op.EXTEND):
        return bits
    if node.op is Op.AND:
        others = [one for one in node.inputs if one is not child]
        return bits & (others[0].attr if others and others[0].op is Op.CONST else -1)
    if node.op is Op.SLICE:
        return bits << int(node.attr)
    amount = _amount(node)
    if amount is None or child is not node.inputs[0]:
        return -1
    return bits >> amount if node.op is Op.SHL else bits << amount


def _amount(node: Node) -> int | None:
    """By how many bits a shift moves, if that is known."""
    known = node.op in (Op.SHL, Op.SHR) and node.inputs[1].op is Op.CONST
    return int(node.inputs[1].attr) if known else None
