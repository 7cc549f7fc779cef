"""Entries of an array that two stores exchanged, read again: values that are there already.

    x = a[i];  y = a[j];  a[i] = y;  a[j] = x;  a[i] + a[j]    ->    ...  y + x

Where i and j are equal, so are x and y: an exchange leaves at i what it stored there, wherever j is.
Compilers, which look at one store at a time, load both again.
"""

from __future__ import annotations

from finalist.ir.builder import Builder
from finalist.ir.graph import Graph, Node
from finalist.ir.ops import Op
from finalist.ir.rewrite import Rewriter, rewrite
from finalist.passes.simplify import simplify


def with_exchanges(graph: Graph) -> Graph:
    """The graph with what two stores exchanged, and what the last store was to, not read again."""
    if not any(node.op is Op.STORE for node in graph.body):
        return graph
    make = Builder(simplify)

    def visit(rewriter: Rewriter, node: Node, inputs: tuple[Node, ...]) -> Node | None:
        return _left(*inputs) if node.op is Op.LOAD else None

    return rewrite(graph, make, visit)


def _left(array: Node, place: Node) -> Node | None:
    """What lies at a place of an array, if the last stores say it."""
    if array.op is not Op.STORE:
        return None
    before, last, value = array.inputs
    if last is place:
        return value
    if before.op is not Op.STORE or before.inputs[1] is not place:
        return None
    stored, exchanged = before.inputs[2], _read(before.inputs[0], value, place)
    return stored if exchanged and _read(before.inputs[0], stored, last) else None


def _read(array: Node, word: Node, place: Node) -> bool:
    """Whether a word was read there."""
    return word.op is Op.LOAD and word.inputs == (array, place)
