"""What a term can be rewritten to on processors that shift by one bit, and have a carry.

A condition is the carry of a comparison: added with carry to nothing it is a word, subtracted from nothing a
mask. Rewrites never lead back: a shift becomes shorter ones, a decision a carry.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from finalist.ir.ops import Op
from finalist.isa.code import ZERO
from finalist.isa.lower.rewrites import CLEAN, InMemory, complement
from finalist.isa.target.meaning import Flow, Leaf, Term, address, branch, constant, equal, less
from finalist.isa.target.processor import Processor

Rule = Callable[[Term, Processor], Iterator[Term]]


def single_steps(term: Term, processor: Processor, status: bool) -> Iterator[Term]:
    """Terms that are the same word; ``status``: it is wanted as a condition code."""
    if is_bit(term) and not status and term.op is not Op.EQ:
        yield constant(0) + constant(0) + term
    rule = _RULES.get(term.op)
    if rule is not None:
        yield from rule(term, processor)


def is_bit(term: Term) -> bool:
    """Whether a term is what a condition code can be."""
    if term.op is Leaf.REGISTER:
        return isinstance(term.attr, str)
    if term.op is Op.OR:
        return all(map(is_bit, term.args))
    return term.op in (Op.LT, Op.EQ) or (term.op is Op.SHR and term.args[1].number == 7)


def _and(t: Term, p: Processor) -> Iterator[Term]:
    a, b = t.args
    if t.attr == CLEAN or b.number == (1 << p.width) - 1:
        yield a
    if b.number == 1 and is_bit(a):
        yield a


def _or(t: Term, p: Processor) -> Iterator[Term]:
    """A bit that comes in at the top is one of a carry."""
    for a, b in (t.args, t.args[::-1]):
        bit = b.args[0] if b.op is Op.SHL and b.args[1].number == p.width - 1 else None
        if bit is not None and not (is_bit(bit) or (bit.op is Op.AND and bit.args[1].number == 1)):
            yield a | (bit & 1) << p.width - 1


def _shift(t: Term, p: Processor) -> Iterator[Term]:
    """By one bit after the other."""
    a, b = t.args
    amount = b.number
    if amount == 0:
        yield a
    elif amount is not None and amount > 1:
        yield Term(t.op, (Term(t.op, (a, constant(amount - 1))), constant(1)))


def _rotate(t: Term, p: Processor) -> Iterator[Term]:
    """The carry takes the bit around."""
    a, b = t.args
    amount = b.number
    if amount is None:
        return
    left = (amount if t.op is Op.ROL else -amount) % p.width
    if left == 0:
        yield a
    else:
        if left > 1:
            yield Term(Op.ROL, (Term(Op.ROL, (a, constant(left - 1))), constant(1)))
        yield a << left | a >> p.width - left


def _add(t: Term, p: Processor) -> Iterator[Term]:
    for a, b in (t.args, t.args[::-1]):
        if is_bit(b) and b.op is not Op.EQ and not (a.op is Op.ADD and a.args[1].number == 0):
            yield Term(Op.ADD, (a + constant(0), b))


def _sub(t: Term, p: Processor) -> Iterator[Term]:
    a, b = t.args
    if is_bit(b) and b.op is not Op.EQ and not (a.op is Op.SUB and a.args[1].number == 0):
        yield Term(Op.SUB, (a - constant(0), b))


def _eq(t: Term, p: Processor) -> Iterator[Term]:
    a, b = t.args
    yield less(a if b.number == 0 else a ^ b, constant(1))


def _branch(t: Term, p: Processor) -> Iterator[Term]:
    (condition,) = t.args
    if condition.op not in (Op.EQ, Op.LT, Op.XOR, Leaf.CONSTANT):
        yield branch(equal(condition, constant(0)) ^ 1)


_RULES: dict[object, Rule] = {
    Op.AND: _and,
    Op.OR: _or,
    Op.SHL: _shift,
    Op.SHR: _shift,
    Op.ROL: _rotate,
    Op.ROR: _rotate,
    Op.NOT: complement,
    Op.ADD: _add,
    Op.SUB: _sub,
    Op.EQ: _eq,
    Flow.BRANCH: _branch,
}


class Places:
    """Brings terms to the form that instructions of a processor with long addresses have in their meanings:
    a load is from an address, or from the sum of an extended index and an address."""

    def __init__(self, processor: Processor) -> None:
        self.width = processor.width
        self._known: dict[Term, Term] = {}

    def canonical(self, term: Term) -> Term:
        """The same word or effect."""
        made = self._known.get(term)
        if made is None:
            made = self._known[term] = self._made(term)
        return made

    def _made(self, term: Term) -> Term:
        if term.op is Leaf.CONSTANT:
            return constant(term.attr & (1 << self.width) - 1)
        if term.op is Leaf.REGISTER and term.attr == ZERO:
            return constant(0)
        if isinstance(term.op, Leaf):
            return term
        if term.op is Op.LOOKUP and isinstance(term.attr, InMemory):
            return self._made(Term(Op.LOAD, (term.args[0] + term.attr.base,), term.attr.bytes))
        if term.op in (Op.LOAD, Op.STORE):
            others = map(self.canonical, term.args[1:])
            return Term(term.op, (self._place(term.args[0]), *others), term.attr, width=0)
        args = tuple(map(self.canonical, term.args))
        if term.op is Flow.BRANCH and args[0].op is Op.EQ and args[0].args[0] == args[0].args[1]:
            return branch(constant(1))
        return Term(term.op, args, term.attr, term.lane, term.width)

    def _place(self, place: Term) -> Term:
        """The last sum is of addresses; one inside of an index is of words."""
        if place.op is Leaf.REGISTER:
            return place
        fixed = _number(place)
        if fixed is not None:
            return address(fixed)
        if place.op is Op.ADD and _number(place.args[1]) is not None:
            index, base = place.args[0], _number(place.args[1])
        else:
            index, base = place, 0
        return self.canonical(index).extend(2 * self.width) + address(base or 0)


def _number(place: Term) -> int | None:
    """An address that is known."""
    if place.op in (Leaf.CONSTANT, Leaf.ADDRESS):
        return int(place.attr)
    if place.op is Op.ADD:
        parts = [_number(part) for part in place.args]
        if parts[0] is not None and parts[1] is not None:
            return parts[0] + parts[1]
    return None
