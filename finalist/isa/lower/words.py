"""Each operation of the graph as a term: words narrower than the processor's, kept with zeros above them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from finalist.errors import GraphError
from finalist.ir.builder import mask
from finalist.ir.graph import Node, is_tuple_word
from finalist.ir.ops import BITWISE, Op
from finalist.isa.lower.context import Context
from finalist.isa.lower.homes import Home
from finalist.isa.lower.rewrites import CLEAN, InMemory
from finalist.isa.lower.tuples import lane_term, tuple_term
from finalist.isa.prepare.operations import at_most
from finalist.isa.target.meaning import Leaf, Term, constant


def term_of(context: Context, node: Node) -> Term:
    """The word that a node is. Raises GraphError for operations that preparation should have replaced."""
    form = _FORMS.get(node.op)
    if form is None:
        raise GraphError(f"{node.op.label} ({node.line}) was left by preparation")
    return form(context, node)


def _inputs(context: Context, node: Node) -> tuple[Term, ...]:
    return tuple(context.term(child) for child in node.inputs)


def _plain(context: Context, node: Node) -> Term:
    return Term(node.op, _inputs(context, node))


def _cut(context: Context, node: Node, whole: Term, lane: bool = True) -> Term:
    """A word of an operation that may have left bits above: done in lanes, or masked."""
    width = context.processor.width
    if node.width == width:
        return whole
    if lane and node.width in context.processor.lanes:
        return Term(whole.op, whole.args, whole.attr, node.width)
    return whole & mask(node.width)


def loose(context: Context, node: Node) -> Term | None:
    """The word with something above the bits that count, where keeping those clear would take a mask."""
    width = context.processor.width
    if is_tuple_word(node):
        return lane_term(context, node)
    if context.is_loose(node):
        return _in_lanes(context, node)
    if node.op not in _LOOSE or node.width >= width or node.width in context.processor.lanes:
        return None
    if node.op is Op.SHL and (node.inputs[1].op is not Op.CONST or _fits(context, node)):
        return None
    if node.op is Op.ADD and _fits(context, node):
        return None
    if node.op is Op.SHL:
        return Term(Op.SHL, (context.low(node.inputs[0]), context.term(node.inputs[1])))
    return Term(node.op, tuple(context.low(child) for child in node.inputs))


def _in_lanes(context: Context, node: Node) -> Term:
    """An operation in lanes, on words with something above them."""
    if node.op in (Op.ROL, Op.ROR):
        return Term(node.op, (context.low(node.inputs[0]), _amount(context, node)), lane=node.width)
    lows = tuple(context.low(child) for child in node.inputs)
    if node.op is Op.NOT:
        return ~lows[0]
    if node.op is Op.MUL:
        return _product(context, node, lows)
    return Term(node.op, lows, lane=0 if node.op in BITWISE else node.width)


def _amount(context: Context, node: Node) -> Term:
    """How far a word is rotated in its lane: only the lowest bits of an amount count."""
    amount = node.inputs[1]
    enough = 1 << amount.width >= node.width and amount.op is not Op.CONST
    return context.low(amount) if enough else context.term(amount)


def _product(context: Context, node: Node, factors: Sequence[Term]) -> Term:
    """A product; of short words multipliers of short operands may be told so."""
    if 2 * node.width > context.processor.width:
        return Term(Op.MUL, tuple(factors))
    ones = constant(mask(context.processor.width // 2))
    return Term(Op.MUL, tuple(Term(Op.AND, (x, ones), CLEAN) for x in factors))


#: Operations whose lowest bits depend on nothing but the lowest bits of their operands.
_LOOSE = frozenset({Op.ADD, Op.SUB, Op.MUL, Op.SHL})


def _fits(context: Context, node: Node) -> bool:
    """Whether the true value never passes the width."""
    if node.op is Op.SHL:
        return bool(context.bounds.greatest(node.inputs[0]) << node.inputs[1].attr <= mask(node.width))
    return sum(context.bounds.inputs(node, 6)) <= mask(node.width)


def _arithmetic(context: Context, node: Node) -> Term:
    return _cut(context, node, _plain(context, node))


def _add(context: Context, node: Node) -> Term:
    return _plain(context, node) if _fits(context, node) else _arithmetic(context, node)


def _not(context: Context, node: Node) -> Term:
    (a,) = _inputs(context, node)
    return ~a if node.width == context.processor.width else a ^ mask(node.width)


def _mul(context: Context, node: Node) -> Term:
    return _cut(context, node, _product(context, node, _inputs(context, node)), lane=False)


def _mulhi(context: Context, node: Node) -> Term:
    if node.width == context.processor.width:
        return _plain(context, node)
    if 2 * node.width > context.processor.width:
        a, b = _inputs(context, node)
        above: int = context.processor.width - node.width
        return Term(Op.MULHI, (a, b)) << above | (a * b >> node.width)
    a, b = _inputs(context, node)
    return a * b >> node.width


def _shl(context: Context, node: Node) -> Term:
    a, b = _shift_inputs(context, node)
    if b.op is Leaf.CONSTANT and _fits(context, node):
        return a << b
    return _cut(
        context, node, a << b, lane=b.op is Leaf.CONSTANT and context.processor.has(Op.SHL, node.width)
    )


def _shr(context: Context, node: Node) -> Term:
    a, b = _shift_inputs(context, node)
    return a >> b


def _shift_inputs(context: Context, node: Node) -> tuple[Term, Term]:
    """The word and the amount; one in a register counts modulo the word on a processor."""
    a, b = _inputs(context, node)
    width, amounts = context.processor.width, context.processor.amounts
    if amounts > width and b.op is not Leaf.CONSTANT and at_most(node.inputs[1]) < amounts:
        return a, Term(Op.AND, (b, constant(amounts - 1)), CLEAN)
    if b.op is Leaf.CONSTANT or (b.op is Op.AND and b.args[1] == constant(width - 1)):
        return a, b
    if amounts > width:
        return a, Term(Op.AND, (b & (width - 1), constant(amounts - 1)), CLEAN)
    return a, b & (width - 1)


def _rotate(context: Context, node: Node) -> Term:
    width = context.processor.width
    if node.width in context.processor.lanes and context.processor.has(Op.ROR, node.width):
        return Term(node.op, (context.term(node.inputs[0]), _amount(context, node)), lane=node.width)
    a, b = _inputs(context, node)
    if node.width == width:
        return Term(node.op, (a, b))
    if b.op is not Leaf.CONSTANT:
        raise GraphError(f"a rotation of {node.width} bits by a word was left by preparation")
    left: int = (b.attr if node.op is Op.ROL else -b.attr) % node.width
    if not left:
        return a
    right: int = node.width - left
    return (a << left) & mask(node.width) | (a >> right)


def _compare(context: Context, node: Node) -> Term:
    short = node.inputs[0].width < context.processor.width and node.op is Op.LT
    return Term(node.op, _inputs(context, node), CLEAN if short else None)


def _slice(context: Context, node: Node) -> Term:
    low, child = node.attr, node.inputs[0]
    loose_child = is_tuple_word(child) or context.is_loose(child)
    top = low + node.width == child.width and low > 0 and not loose_child
    a = context.term(child) if top else context.low(child)
    if node.width == child.width:
        return context.term(child)
    moved = _down(a, low, context.processor.width)
    return Term(Op.AND, (moved, constant(mask(node.width))), CLEAN if top else None)


def _down(a: Term, low: int, width: int) -> Term:
    """Shifted right; two shifts are one, if they leave anything."""
    if low and a.op is Op.SHR and a.args[1].op is Leaf.CONSTANT and not a.lane:
        both = int(a.args[1].attr) + low
        return a.args[0] >> both if both < width else constant(0)
    return a >> low if low else a


def _join(context: Context, node: Node) -> Term:
    total, at = None, 0
    for child in node.inputs:
        part = context.moved(child)
        if part is None:
            part = context.term(child) << at if at else context.term(child)
        total = part if total is None else total | part
        at += child.width
    assert total is not None
    return total


def _lookup(context: Context, node: Node) -> Term:
    return read_table(context, context.table(node.attr), node.inputs[0], node.width)


def read_table(context: Context, table: InMemory | Home, index: Node, width: int) -> Term:
    """An entry of a table."""
    if isinstance(table, InMemory):
        return Term(Op.LOOKUP, (context.term(index),), table)
    return table.read(context, index, index.width, width)


_FORMS: dict[Op, Callable[[Context, Node], Term]] = {
    Op.AND: _plain,
    Op.OR: _plain,
    Op.XOR: _plain,
    Op.NOT: _not,
    Op.ADD: _add,
    Op.SUB: _arithmetic,
    Op.MUL: _mul,
    Op.MULHI: _mulhi,
    Op.SHL: _shl,
    Op.SHR: _shr,
    Op.ROL: _rotate,
    Op.ROR: _rotate,
    Op.EQ: _compare,
    Op.LT: _compare,
    Op.SELECT: _plain,
    Op.SLICE: _slice,
    Op.JOIN: _join,
    Op.EXTEND: lambda context, node: _inputs(context, node)[0],
    Op.LOOKUP: _lookup,
    Op.TUPLE: tuple_term,
}
