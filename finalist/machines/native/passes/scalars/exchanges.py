"""Store-to-load forwarding after a swap of two array entries, whose indices may be equal.

    x = a[i];  y = a[j];  a[i] = y;  a[j] = x;  a[i] + a[j]    ->    ...  y + x

Where i and j are equal, so are x and y: after a swap a[i] is what was stored there, whether or not the second
store was to the same entry. Compilers can't forward past a store that may alias, and load a[i] again.
"""

from __future__ import annotations

from finalist.ir.builder import Builder
from finalist.ir.graph import Graph, Node
from finalist.ir.ops import Op
from finalist.ir.rewrite import Rewriter, rewrite
from finalist.passes.simplify import simplify


def with_exchanges(graph: Graph) -> Graph:
    """The graph without loads of entries that a swap, or the last store, has just written."""
    if not any(node.op is Op.STORE for node in graph.body):
        return graph
    make = Builder(simplify)

    def visit(rewriter: Rewriter, node: Node, inputs: tuple[Node, ...]) -> Node | None:
        return _forwarded(*inputs) if node.op is Op.LOAD else None

    return rewrite(graph, make, visit)


def _forwarded(array: Node, index: Node) -> Node | None:
    """The value of an entry, if the last stores determine it."""
    if array.op is not Op.STORE:
        return None
    before, last, value = array.inputs
    if last is index:
        return value
    if before.op is not Op.STORE or before.inputs[1] is not index:
        return None
    stored, swapped = before.inputs[2], _is_load(value, before.inputs[0], index)
    return stored if swapped and _is_load(stored, before.inputs[0], last) else None


def _is_load(word: Node, array: Node, index: Node) -> bool:
    return word.op is Op.LOAD and word.inputs == (array, index)
