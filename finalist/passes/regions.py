"""Linear regions: masks, moves and XORs after lookups are one linear map, which `fuse` can make a table of.

CRYPTON mixes the bits of its columns by masking and adding words, and then transposes the bytes; each
word that comes of it is a linear map of four lookups, though the definition never says so.
"""

from __future__ import annotations

from collections.abc import Callable

from finalist.ir.builder import Builder
from finalist.ir.graph import Graph, Matrix, Node, every_node, operands
from finalist.ir.ops import Op
from finalist.ir.program import Program
from finalist.ir.rewrite import Rewriter, rewrite
from finalist.passes.simplify import simplify

#: A word as the XOR over the leaves of matrix * leaf.
Form = dict[Node, Matrix]


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
            forms[node] = {node: tuple(1 << bit for bit in range(node.width))}
        elif node.op in _FORMS and all(child in forms for child in _words(node)):
            form = _FORMS[node.op](node, forms)
            if form:
                forms[node] = form
    return forms


def _words(node: Node) -> tuple[Node, ...]:
    """The operands but for a mask or an amount."""
    return node.inputs[:1] if node.op in _BY_CONSTANT else node.inputs


def _roots(graph: Graph, forms: dict[Node, Form]) -> set[Node]:
    wanted = set(graph.results)
    for node in graph.body:
        if node not in forms or node.op is Op.LOOKUP:
            wanted.update(operands(node))
    return {node for node in wanted if node in forms and _pays(node, forms[node])}


def _pays(node: Node, form: Form) -> bool:
    spreads = any(column & (column - 1) for matrix in form.values() for column in matrix)
    return spreads and sum(leaf.width for leaf in form) <= node.width


# -- forms of the operations --------------------------------------------------------------------------


def _moved(form: Form, move: Callable[[int], int]) -> Form:
    return {leaf: tuple(move(column) for column in matrix) for leaf, matrix in form.items()}


def _raised(form: Form, by: int) -> Form:
    return _moved(form, lambda column: column << by)


def _sum(forms: list[Form]) -> Form:
    total: Form = {}
    for form in forms:
        for leaf, matrix in form.items():
            if leaf in total:
                matrix = tuple(a ^ b for a, b in zip(total[leaf], matrix, strict=True))
            total[leaf] = matrix
    return {leaf: matrix for leaf, matrix in total.items() if any(matrix)}


def _xor(node: Node, forms: dict[Node, Form]) -> Form:
    return _sum([forms[child] for child in node.inputs])


def _join(node: Node, forms: dict[Node, Form]) -> Form:
    parts, low = [], 0
    for child in node.inputs:
        parts.append(_raised(forms[child], low))
        low += child.width
    return _sum(parts)


def _extend(node: Node, forms: dict[Node, Form]) -> Form:
    return forms[node.inputs[0]]


def _slice(node: Node, forms: dict[Node, Form]) -> Form:
    low, mask = node.attr, (1 << node.width) - 1
    return _sum([_moved(forms[node.inputs[0]], lambda column: column >> low & mask)])


def _by_constant(node: Node, forms: dict[Node, Form]) -> Form:
    word, constant = node.inputs
    if constant.op is not Op.CONST:
        return {}
    n, mask, c = node.width, (1 << node.width) - 1, constant.attr
    move: Callable[[int], int] = {
        Op.AND: lambda column: column & c,
        Op.SHL: lambda column: column << c & mask if c < n else 0,
        Op.SHR: lambda column: column >> c,
        Op.ROL: lambda column: (column << c % n | column >> (n - c % n)) & mask,
    }[node.op]
    return _sum([_moved(forms[word], move)])


_BY_CONSTANT = frozenset({Op.AND, Op.SHL, Op.SHR, Op.ROL})
_FORMS: dict[Op, Callable[[Node, dict[Node, Form]], Form]] = {
    Op.XOR: _xor,
    Op.JOIN: _join,
    Op.EXTEND: _extend,
    Op.SLICE: _slice,
    **dict.fromkeys(_BY_CONSTANT, _by_constant),
}
