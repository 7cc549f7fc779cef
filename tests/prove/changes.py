"""Programs in which one operation is another: faults that must not be proved."""

from __future__ import annotations

from collections.abc import Callable

from finalist.ir.builder import Builder
from finalist.ir.graph import Node
from finalist.ir.ops import Op
from finalist.ir.program import Program
from finalist.ir.rewrite import Rewriter, rewrite

Change = Callable[[Builder, Node, tuple[Node, ...]], Node]


def changed(program: Program, op: Op, number: int, change: Change) -> Program:
    """A program of whose kernel the operation of a number, of those of one kind, is another one."""
    at = [node for node in program.kernel.body if node.op is op][number]

    def visit(rewriter: Rewriter, node: Node, inputs: tuple[Node, ...]) -> Node | None:
        return change(rewriter.builder, node, inputs) if node is at else None

    return program.with_graphs(program.expand, rewrite(program.kernel, Builder(), visit))


def no_carry(make: Builder, node: Node, inputs: tuple[Node, ...]) -> Node:
    return make.const(0, 1)


def swapped(make: Builder, node: Node, inputs: tuple[Node, ...]) -> Node:
    return make.make(node.op, (inputs[1], inputs[1]))
