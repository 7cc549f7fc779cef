"""Words that count if one of several conditions holds: a mask for each, the key's in the key schedule.

``select(c | k, x, 0)``, ``k`` of the key alone -> ``x & (mask(c) | mask(k))``: the second mask is part of the
expanded key, and the first takes one operation less on the critical path.
"""

from __future__ import annotations

from functools import reduce

from finalist.ir.builder import Builder, mask
from finalist.ir.graph import Graph, Node
from finalist.ir.ops import Op
from finalist.ir.program import Program
from finalist.ir.rewrite import Rewriter, rewrite
from finalist.passes import hoist
from finalist.passes.analysis import KeyOnly
from finalist.passes.simplify import simplify


def run(program: Program) -> Program:
    """The program with such words taken by masks."""
    key_only = KeyOnly()
    if not any(_conditions(node, key_only) for node in program.kernel.body):
        return program
    return hoist.run(program.with_graphs(program.expand, _by_masks(program.kernel)))


def _by_masks(kernel: Graph) -> Graph:
    make, key_only = Builder(simplify), KeyOnly()

    def visit(rewriter: Rewriter, node: Node, inputs: tuple[Node, ...]) -> Node | None:
        conditions = _conditions(node, key_only)
        if not conditions:
            return None
        masks = [mask_of(make, rewriter.get(bit), node.width) for bit in conditions]
        return make.make(Op.AND, (inputs[1], reduce(lambda a, b: make.make(Op.OR, (a, b)), masks)))

    return rewrite(kernel, make, visit)


def _conditions(node: Node, key_only: KeyOnly) -> list[Node]:
    """Of a word that counts if one of several conditions holds, some of them the key's alone, these; the
    block's first."""
    if node.op is not Op.SELECT or not _is(node.inputs[2], 0):
        return []
    found = sorted(_alternatives(node.inputs[0]), key=key_only)
    return found if key_only(found[-1]) and not key_only(found[0]) else []


def _alternatives(bit: Node) -> list[Node]:
    return [one for child in bit.inputs for one in _alternatives(child)] if bit.op is Op.OR else [bit]


def mask_of(make: Builder, bit: Node, width: int) -> Node:
    """A word of ones if a condition holds, else of zeros."""
    return make.make(Op.SELECT, (bit, make.const(mask(width), width), make.const(0, width)))


def is_mask(node: Node) -> bool:
    """Whether a node is such a word."""
    return node.op is Op.SELECT and _is(node.inputs[1], mask(node.width)) and _is(node.inputs[2], 0)


def zero_tested(node: Node) -> Node | None:
    """Of a mask of a word's being 0, that word."""
    if not is_mask(node) or node.inputs[0].op is not Op.EQ:
        return None
    word, other = node.inputs[0].inputs
    return word if _is(other, 0) else None


def _is(node: Node, value: int) -> bool:
    return node.op is Op.CONST and node.attr == value
