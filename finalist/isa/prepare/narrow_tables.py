"""Tables whose entries fit a narrower word, in that word; indices without the zeros above them.

The place of an iteration in an array may come from a table, with entries as wide as the iteration's number::

    key[T[i]]  (32 bits)  ->  key[T'[i]]  (T' of 8 bits, if no entry is above 255)
"""

from __future__ import annotations

from dataclasses import replace

from finalist.ir.builder import Builder
from finalist.ir.graph import Graph, Node, TableData, every_node
from finalist.ir.ops import Op
from finalist.ir.program import Program
from finalist.ir.rewrite import Rewriter, rewrite
from finalist.passes.simplify import simplify


def run(program: Program, width: int) -> Program:
    """The program with entries of ``width`` bits where no entry of a table needs more."""
    return program.with_graphs(narrowed(program.expand, width), narrowed(program.kernel, width))


def narrowed(graph: Graph, width: int) -> Graph:
    """The graph, in which entries of tables have ``width`` bits where no entry needs more."""
    narrow = {node for node in every_node(graph) if node.op is Op.LOOKUP and _fits(node.attr, width)}

    def visit(rewriter: Rewriter, node: Node, inputs: tuple[Node, ...]) -> Node | None:
        builder = rewriter.builder
        if node in narrow:
            found = builder.make(Op.LOOKUP, inputs, replace(node.attr, width=width))
            return builder.extend(found, node.width)
        if node.op in (Op.LOAD, Op.STORE) and node.inputs[1] in narrow:
            array, index, *word = inputs
            return builder.make(node.op, (array, index.inputs[0], *word), node.attr)
        return None

    return rewrite(graph, Builder(simplify), visit) if narrow else graph


def _fits(table: TableData, width: int) -> bool:
    return table.width > width and not max(table.values) >> width
