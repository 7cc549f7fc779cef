"""Places in memory as instructions name them: an address, or an address and an index in a register."""

from __future__ import annotations

from finalist.ir.ops import Op
from finalist.isa.code import ZERO
from finalist.isa.lower.rewrites import InMemory
from finalist.isa.target.meaning import Flow, Leaf, Term, address, branch, constant
from finalist.isa.target.processor import Processor


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
