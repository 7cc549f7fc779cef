"""Linear regions: masks, moves and XORs after lookups are one linear map, which `fuse` can make a table of.

CRYPTON mixes the bits of its columns by masking and adding words, and then transposes the bytes; each
word that comes of it is a linear map of four lookups, though the definition never says so.
"""

from __future__ import annotations

from finalist.ir.builder import Builder
from finalist.ir.graph import Graph, Node, every_node, operands
from finalist.ir.ops import Op
from finalist.ir.program import Program
from finalist.ir.rewrite import Rewriter, rewrite
from finalist.passes.linear_forms import Form, form_of
from finalist.passes.matrices import identity
from finalist.passes.simplify import simplify

#: What a region is made of.
_SEEN = frozenset({Op.XOR, Op.JOIN, Op.EXTEND, Op.SLICE, Op.AND, Op.SHL, Op.SHR, Op.ROL})


def run(program: Program) -> Program:
    """Both graphs with their linear regions as `linear` operations."""
    return program.with_graphs(found(program.expand), found(program.kernel))


def widest(program: Program) -> int:
    """Bits of the widest linear map that the program has or that `run` finds; 0 if there is none."""
    graphs = (program.expand, program.kernel)
    had = (node.width for graph in graphs for node in every_node(graph) if node.op is Op.LINEAR)
    new = (node.width for graph in graphs for node in _roots(graph, _forms(graph)))
    return max((*had, *new), default=0)


def found(graph: Graph) -> Graph:
    """Each word that is a spreading linear map of lookups, no more of them than fill it, as that map."""
    forms = _forms(graph)
    roots = _roots(graph, forms)
    if not roots:
        return graph

    def visit(rewriter: Rewriter, node: Node, inputs: tuple[Node, ...]) -> Node | None:
        if node not in roots:
            return None
        leaves = forms[node]
        return rewriter.builder.linear(list(leaves.values()), rewriter.all(leaves), node.width)

    return rewrite(graph, Builder(simplify), visit)


def _forms(graph: Graph) -> dict[Node, Form]:
    """The forms of all words that depend on lookups alone, linearly."""
    forms: dict[Node, Form] = {}
    for node in graph.body:
        if node.op is Op.LOOKUP:
            forms[node] = {node: identity(node.width)}
        elif node.op in _SEEN and (form := form_of(node, forms)):
            forms[node] = form
    return forms


def _roots(graph: Graph, forms: dict[Node, Form]) -> set[Node]:
    wanted = set(graph.results)
    for node in graph.body:
        if node not in forms or node.op is Op.LOOKUP:
            wanted.update(operands(node))
    return {node for node in wanted if node in forms and _pays(node, forms[node])}


def _pays(node: Node, form: Form) -> bool:
    spreads = any(column & (column - 1) for matrix in form.values() for column in matrix)
    return spreads and sum(leaf.width for leaf in form) <= node.width
