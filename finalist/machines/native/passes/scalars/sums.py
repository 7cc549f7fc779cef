"""A sum with a key word that is multiplied by a constant, or shifted left, and added to a key word again.

``c (x + k) + m`` becomes ``c x + (c k + m)``: as many operations in the kernel, whose last term is the key
schedule's work, but the product waits for the sum no longer, where that is needed, too.
"""

from __future__ import annotations

from finalist.ir.builder import Builder
from finalist.ir.graph import Graph, Node
from finalist.ir.ops import Op
from finalist.ir.program import Program
from finalist.ir.rewrite import Rewriter, rewrite
from finalist.passes import hoist
from finalist.passes.analysis import KeyOnly
from finalist.passes.simplify import simplify


def run(program: Program) -> Program:
    """The program with such sums taken apart, and what is of the key alone in the key schedule."""
    kernel = program.kernel
    key_only = KeyOnly()
    if not any(_parts(factor, added, key_only) for node in kernel.body for factor, added in _sums(node)):
        return program
    return hoist.run(program.with_graphs(program.expand, _taken_apart(kernel)))


def _taken_apart(kernel: Graph) -> Graph:
    make, key_only = Builder(simplify), KeyOnly()

    def visit(rewriter: Rewriter, node: Node, inputs: tuple[Node, ...]) -> Node | None:
        for factor, added in _sums(node, inputs):
            parts = _parts(factor, added, key_only)
            if parts is not None:
                word, key = (make.make(factor.op, (part, factor.inputs[1])) for part in parts)
                return make.make(Op.ADD, (word, make.make(Op.ADD, (key, added))))
        return None

    return rewrite(kernel, make, visit)


def _sums(node: Node, inputs: tuple[Node, ...] = ()) -> tuple[tuple[Node, ...], ...]:
    """The terms of a sum, either one first."""
    inputs = inputs or node.inputs
    return (inputs, inputs[::-1]) if node.op is Op.ADD else ()


def _parts(factor: Node, added: Node, key_only: KeyOnly) -> tuple[Node, ...] | None:
    """Of a multiple of a sum that a key word is added to, the word and the key word in that sum."""
    scaled = factor.op in (Op.SHL, Op.MUL) and factor.inputs[1].op is Op.CONST and not key_only(factor)
    if not scaled or not key_only(added):
        return None
    return next((terms for terms in _sums(factor.inputs[0]) if key_only(terms[1])), None)
