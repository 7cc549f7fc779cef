"""What a kernel on bytes is made of: bytes that are computed, and linear maps of them in between."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from finalist.ir.graph import Graph, Node, operands
from finalist.ir.ops import Op
from finalist.ir.types import WordType
from finalist.passes.analysis import KeyOnly
from finalist.passes.linear_forms import Form, form_of
from finalist.passes.matrices import identity

#: Bits of the words that are computed with.
BYTE = 8
#: Operations on bytes that are not linear, and have a form on their bits.
COMPUTED = frozenset({Op.LOOKUP, Op.AND, Op.OR, Op.ADD, Op.SUB})


class Parts:
    """The bytes of a kernel that are computed, in order, and what their operands are linear maps of.

    Such a byte is what an operation gives that is not linear, or a sum of others that is taken more than
    once: who takes it need not make it again. Those of the block come first.
    """

    def __init__(self, graph: Graph, blocks: int) -> None:
        self.graph = graph
        self.key_only = KeyOnly()
        self.given = graph.params[:blocks]
        self.computed: list[Node] = []
        #: For each of those the forms of its operands; of a sum, its own.
        self.forms: dict[Node, list[Form]] = {}
        self._known: dict[Node, Form] = {}
        self.taken = Counter(child for node in graph.body for child in set(operands(node)))
        self.taken.update(graph.results)
        for node in self.given:
            self._known[node] = {node: identity(BYTE)}
        for node in graph.body:
            if not self.key_only(node):
                self._add(node)

    def form(self, node: Node) -> Form:
        """A word as a linear map of bytes; nothing of one that is of the key."""
        return self._known.get(node, {})

    def is_sum(self, node: Node) -> bool:
        """Whether a computed byte is a sum of others."""
        return node in self.forms and node.op not in COMPUTED

    def sources(self, node: Node) -> Iterator[Node]:
        """The computed bytes, and the block's, that one is made of."""
        for form in self.forms.get(node, ()):
            yield from form

    def _add(self, node: Node) -> None:
        self._known |= {child: {} for child in node.inputs if self.key_only(child)}
        form = form_of(node, self._known)
        if form is None:
            self._computed(node, [self.form(child) for child in node.inputs])
        elif self.taken[node] > 1 and len(form) > 1 and node.width == BYTE:
            self._computed(node, [form])
        else:
            self._known[node] = form

    def _computed(self, node: Node, forms: list[Form]) -> None:
        self.computed.append(node)
        self.forms[node] = forms
        self._known[node] = {node: identity(BYTE)}


def obstacle(graph: Graph, blocks: int) -> str:
    """Why a kernel is not made of bytes; empty if it is."""
    key_only, known = KeyOnly(), dict[Node, Form]()
    for node in graph.params[:blocks]:
        known[node] = {}
    reasons = (_refusal(node, key_only, known) for node in graph.body if not key_only(node))
    return next(filter(None, reasons), "")


def _refusal(node: Node, key_only: KeyOnly, known: dict[Node, Form]) -> str:
    known |= {child: {} for child in node.inputs if key_only(child)}
    linear = form_of(node, known) is not None
    known[node] = {}
    if linear:
        return ""
    if node.op not in COMPUTED:
        return f"{node.op.label} has no form on bits of bytes side by side ({node.line})"
    if any(one.type != WordType(BYTE) for one in (node, *node.inputs)):
        return f"{node.op.label} of words that are no bytes has no form on their bits ({node.line})"
    return ""
