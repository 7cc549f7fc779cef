"""Writes to arrays that nobody reads, and reads whose value is known.

A write to a fixed place is dropped where a later one overwrites it before anything can have read it. What is
read of an array in which two entries have just been exchanged is known, even where the two may be one.
"""

from __future__ import annotations

from finalist.ir.builder import Builder
from finalist.ir.graph import Graph, Node, every_node, operands
from finalist.ir.ops import Op
from finalist.ir.program import Program
from finalist.ir.rewrite import Rewriter, rewrite
from finalist.passes.simplify import simplify


def run(program: Program) -> Program:
    """The program with a kernel without needless reads and writes."""
    return program.with_graphs(program.expand, without_dead_writes(with_known_reads(program.kernel)))


def with_known_reads(graph: Graph) -> Graph:
    """Reads after an exchange become the values that were exchanged."""

    def visit(rewriter: Rewriter, node: Node, inputs: tuple[Node, ...]) -> Node | None:
        return _exchanged(*inputs) if node.op is Op.LOAD else None

    return rewrite(graph, Builder(simplify), visit)


def _exchanged(array: Node, index: Node) -> Node | None:
    """What stands at ``index`` after ``a[i], a[j] = a[j], a[i]``, if the array is that.

    If i = j, both values are the same, and either is right for both places.
    """
    if array.op is not Op.STORE or array.inputs[0].op is not Op.STORE:
        return None
    (inner, j, second), (before, i, first) = array.inputs, array.inputs[0].inputs
    assert inner is array.inputs[0]
    exchange = _reads(first, before, j) and _reads(second, before, i)
    if not exchange:
        return None
    return first if index is i else second if index is j else None


def _reads(value: Node, array: Node, index: Node) -> bool:
    return value.op is Op.LOAD and value.inputs[0] is array and value.inputs[1] is index


def without_dead_writes(graph: Graph) -> Graph:
    """Writes to fixed places that a later one of the same chain overwrites, unread, are left out."""
    users: dict[Node, int] = {}
    for node in every_node(graph):
        for child in operands(node):
            users[child] = users.get(child, 0) + 1
        if node.op in (Op.LOOP, Op.WHEN, Op.APPLY):
            for child in node.region.results:
                users[child] = users.get(child, 0) + 1
    for result in graph.results:
        users[result] = users.get(result, 0) + 1
    dead: set[Node] = set()
    for node in graph.body:
        if node.op is Op.STORE and node.inputs[1].op is Op.CONST:
            dead |= _overwritten(node, users)

    def visit(rewriter: Rewriter, node: Node, inputs: tuple[Node, ...]) -> Node | None:
        return inputs[0] if node in dead else None

    return rewrite(graph, Builder(simplify), visit) if dead else graph


def _overwritten(last: Node, users: dict[Node, int]) -> set[Node]:
    """The writes to the same place before this one, back to the first version that something else uses."""
    length, found = last.length, set()
    place = last.inputs[1].attr % length
    node = last.inputs[0]
    while node.op is Op.STORE and node.inputs[1].op is Op.CONST and users.get(node) == 1:
        if node.inputs[1].attr % length == place:
            found.add(node)
        node = node.inputs[0]
    return found
