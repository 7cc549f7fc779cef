"""What an operation does to words that are linear maps over GF(2) of other words; linear regions.

Masks, moves and XORs after lookups are one linear map, which `fuse` can make a table of. CRYPTON mixes the
bits of its columns by masking and adding words, and then transposes the bytes; each word that comes of it is
a linear map of four lookups, though the definition never says so.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from finalist.ir.builder import Builder
from finalist.ir.graph import Graph, Matrix, Node, every_node, operands
from finalist.ir.ops import Op
from finalist.ir.program import Program
from finalist.ir.rewrite import Rewriter, rewrite
from finalist.passes.matrices import added, composed, identity
from finalist.passes.simplify import simplify

#: A word as the XOR over the leaves of matrix * leaf.
Form = dict[Node, Matrix]


def words_of(node: Node) -> tuple[Node, ...]:
    """The operands but for a mask or an amount."""
    return node.inputs[:1] if node.op in _BY_CONSTANT else node.inputs


def form_of(node: Node, forms: Mapping[Node, Form]) -> Form | None:
    """The form of an operation on words with forms; None where it is not linear.

    What is added to all, as NOT does, is left out.
    """
    if node.op not in _FORMS or not all(child in forms for child in words_of(node)):
        return None
    if node.op in _BY_CONSTANT and node.inputs[1].op is not Op.CONST:
        return None
    return _FORMS[node.op](node, forms)


def _moved(form: Form, move: Callable[[int], int]) -> Form:
    return {leaf: tuple(move(column) for column in matrix) for leaf, matrix in form.items()}


def _raised(form: Form, by: int) -> Form:
    return _moved(form, lambda column: column << by)


def _sum(forms: list[Form]) -> Form:
    total: Form = {}
    for form in forms:
        for leaf, matrix in form.items():
            total[leaf] = added(total[leaf], matrix) if leaf in total else matrix
    return {leaf: matrix for leaf, matrix in total.items() if any(matrix)}


def _join(node: Node, forms: Mapping[Node, Form]) -> Form:
    parts, low = [], 0
    for child in node.inputs:
        parts.append(_raised(forms[child], low))
        low += child.width
    return _sum(parts)


def _same(node: Node, forms: Mapping[Node, Form]) -> Form:
    return forms[node.inputs[0]]


def _slice(node: Node, forms: Mapping[Node, Form]) -> Form:
    low, mask = node.attr, (1 << node.width) - 1
    return _sum([_moved(forms[node.inputs[0]], lambda column: column >> low & mask)])


def _linear(node: Node, forms: Mapping[Node, Form]) -> Form:
    terms = zip(node.attr, node.inputs, strict=True)
    return _sum(
        [{leaf: composed(matrix, inner) for leaf, inner in forms[child].items()} for matrix, child in terms]
    )


def _by_constant(node: Node, forms: Mapping[Node, Form]) -> Form:
    word, constant = node.inputs
    n, mask, c = node.width, (1 << node.width) - 1, constant.attr
    move: Callable[[int], int] = {
        Op.AND: lambda column: column & c,
        Op.SHL: lambda column: column << c & mask if c < n else 0,
        Op.SHR: lambda column: column >> c,
        Op.ROL: lambda column: (column << c % n | column >> (n - c % n)) & mask,
        Op.ROR: lambda column: (column >> c % n | column << (n - c % n)) & mask,
    }[node.op]
    return _sum([_moved(forms[word], move)])


_BY_CONSTANT = frozenset({Op.AND, Op.SHL, Op.SHR, Op.ROL, Op.ROR})
_FORMS: dict[Op, Callable[[Node, Mapping[Node, Form]], Form]] = {
    Op.XOR: lambda node, forms: _sum([forms[child] for child in node.inputs]),
    Op.NOT: _same,
    Op.JOIN: _join,
    Op.EXTEND: _same,
    Op.SLICE: _slice,
    Op.LINEAR: _linear,
    **dict.fromkeys(_BY_CONSTANT, _by_constant),
}


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
