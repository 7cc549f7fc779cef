"""Products of long words by halves, for lanes that multiply no more than halves of themselves.

Vector units multiply 32-bit words to 64-bit ones; the upper half of a product of 64-bit words they don't
have. It is put together from four such products here, with whatever else is added to the product: what
``low = a * x + b; high = mulhi(a, x) + (low < b)`` says in several operations is one sum of 128 bits, whose
carries need no comparison since b's halves are added where there is room for them.

And rotation amounts: only their low bits count, so an amount that was rotated up to them is a shift. RC6 and
MARS rotate by the top five bits of a product, which a rotation left by five has just brought down: the amount
is then ``p >> 27``, known to be below 32, and needs no reduction where one is dear.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import reduce

from finalist.ir.builder import Builder, mask
from finalist.ir.graph import Graph, Node
from finalist.ir.ops import Op
from finalist.ir.program import Program
from finalist.ir.rewrite import Rewriter, rewrite
from finalist.passes.analysis import KeyOnly, greatest
from finalist.passes.simplify import simplify

#: Bits of the words, and of their halves.
WORD, HALF = 64, 32
#: So many words can be added to a product of two without passing twice their bits.
_ADDENDS = 2


@dataclass(frozen=True, slots=True, eq=False)
class Sum:
    """A product of two words with words added, twice as long; ``low``: the node that is its lower half."""

    factors: tuple[Node, ...]
    addends: tuple[Node, ...]
    low: Node | None


def run(program: Program) -> Program:
    """The program with its kernel's products by halves."""
    return program.with_graphs(program.expand, with_half_products(program.kernel))


def with_half_products(kernel: Graph) -> Graph:
    """The kernel without `mulhi` on 64-bit words of the block."""
    highs = _highs(kernel)
    lows = {total.low: total for total in highs.values() if total.low is not None}
    known: dict[Sum, tuple[Node, Node]] = {}

    def visit(rewriter: Rewriter, node: Node, inputs: tuple[Node, ...]) -> Node | None:
        total = highs.get(node) or lows.get(node)
        if total is None:
            return _turned(rewriter.builder, node, inputs)
        if total not in known:
            columns = _Columns(rewriter.builder)
            known[total] = columns.added(rewriter.all(total.factors), rewriter.all(total.addends))
        return known[total][node in highs]

    return rewrite(kernel, Builder(simplify), visit)


# -- sums of two words' length ----------------------------------------------------------------------


def _highs(kernel: Graph) -> dict[Node, Sum]:
    """The nodes that are upper halves, and of what."""
    key_only, found = KeyOnly(), dict[Node, Sum]()
    products = {frozenset(node.inputs): node for node in kernel.body if node.op is Op.MUL}
    for node in kernel.body:
        if node.op not in (Op.MULHI, Op.ADD) or node.width != WORD or key_only(node):
            continue
        if node.op is Op.MULHI:
            found[node] = Sum(node.inputs, (), products.get(frozenset(node.inputs)))
        else:
            found.update((node, longer) for longer in _longer(node, found))
    return found


def _longer(node: Node, found: dict[Node, Sum]) -> Iterator[Sum]:
    """What the node is the upper half of, if it adds to one the carry of an addition to the lower half."""
    for high, carry in (node.inputs, node.inputs[::-1]):
        total, added = found.get(high), _carried(carry)
        if total is None or added is None or len(total.addends) == _ADDENDS:
            continue
        if total.low in added.inputs:
            a, b = added.inputs
            yield Sum(total.factors, (*total.addends, b if a is total.low else a), added)
            return


def _carried(carry: Node) -> Node | None:
    """The addition that this is the carry of: 1 if the sum is less than what was added."""
    less = carry.inputs[0] if carry.op is Op.EXTEND else carry
    if less.op is not Op.LT:
        return None
    total, part = less.inputs
    return total if total.op is Op.ADD and part in total.inputs else None


class _Columns:
    """Adds halves in words; what passes the lower half of a column goes to the next."""

    def __init__(self, make: Builder) -> None:
        self.make = make

    def added(self, factors: list[Node], addends: list[Node]) -> tuple[Node, Node]:
        """The lower and the upper half of the product of the factors, plus the addends."""
        (a, b), (c, d) = map(self.halves, factors)
        parts = [self.halves(word) for word in addends]
        lowest, none = self.column([self.product(a, c), *(low for low, _ in parts)])
        assert not none  # there is room for that many
        carried = [self.upper(lowest), *(high for _, high in parts)]
        middle, over = self.column([*carried, self.product(a, d), self.product(b, c)])
        high = self.total([self.product(b, d), *over, self.upper(middle)])  # all of it fits a word
        halves = [self.make.slice(word, 0, HALF) for word in (lowest, middle)]
        return self.make.make(Op.JOIN, halves), high

    def column(self, terms: Iterable[Node]) -> tuple[Node, list[Node]]:
        """A sum, and what of it goes to the next column already, so that it fits a word."""
        total, bound, over = self.make.const(0, WORD), 0, list[Node]()
        for term in terms:
            if bound + greatest(term) > mask(WORD):
                over.append(self.upper(total))
                total, bound = self.lower(total), mask(HALF)
            total, bound = self.make.make(Op.ADD, (total, term)), bound + greatest(term)
        return total, over

    def total(self, terms: Iterable[Node]) -> Node:
        return reduce(lambda a, b: self.make.make(Op.ADD, (a, b)), terms)

    def product(self, a: Node, b: Node) -> Node:
        return self.make.make(Op.MUL, (a, b))

    def halves(self, word: Node) -> tuple[Node, Node]:
        return self.lower(word), self.upper(word)

    def lower(self, word: Node) -> Node:
        return self.make.extend(self.make.slice(word, 0, HALF), WORD)

    def upper(self, word: Node) -> Node:
        return self.make.extend(self.make.slice(word, HALF, HALF), WORD)


def _turned(make: Builder, node: Node, inputs: tuple[Node, ...]) -> Node | None:
    """Two parts of a word side by side that changed places: a rotation, which lanes have as one."""
    if node.op is not Op.JOIN or len(inputs) != 2 or any(part.op is not Op.SLICE for part in inputs):
        return None
    upper, lower = inputs
    word = upper.inputs[0]
    turned = lower.inputs[0] is word and lower.attr == 0 and upper.attr == lower.width
    if not turned or word.width != node.width:
        return None
    return make.make(Op.ROR, (word, make.const(upper.attr, 8)))


def with_small_amounts(graph: Graph) -> Graph:
    """Amounts of rotations that are themselves rotations by log2(width) as shifts."""

    def visit(rewriter: Rewriter, node: Node, inputs: tuple[Node, ...]) -> Node | None:
        if node.op not in (Op.ROL, Op.ROR):
            return None
        word, amount = inputs
        bits = word.width.bit_length() - 1
        turned = amount.op is Op.ROL and amount.inputs[1].op is Op.CONST
        if not turned or 1 << bits != word.width or amount.inputs[1].attr != bits:
            return None
        make = rewriter.builder
        down = make.const(amount.width - bits, 8)
        small = make.make(Op.SHR, (amount.inputs[0], down))
        return make.make(node.op, (word, small))

    return rewrite(graph, Builder(simplify), visit)
