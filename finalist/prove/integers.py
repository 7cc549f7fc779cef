"""Questions whose words are integers: sums, differences, products and comparisons, of words and of limbs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from finalist.ir.graph import Node
from finalist.ir.ops import SHIFTS, Op
from finalist.prove.literals import Candidate
from finalist.prove.polynomials import Polynomial, Polynomials, constant, total
from finalist.prove.question import Question
from finalist.prove.walk import described
from finalist.prove.words import NotCoveredError

#: Operations whose limbs take carries from each other.
CARRYING = frozenset({Op.ADD, Op.SUB, Op.MUL, Op.MULHI, Op.REM, Op.LT})
_GATES = frozenset({Op.AND, Op.OR, Op.XOR})
#: Operations of which only the result's width is known here.
_OPAQUE = frozenset({Op.BOOL, Op.REM, Op.EQ, Op.LOOKUP, Op.LINEAR}) | SHIFTS | _GATES


@dataclass(frozen=True, slots=True)
class _Integer:
    """A word, and the greatest that it can be."""

    polynomial: Polynomial
    greatest: int


class Integers:
    """A question, carried out on integers. ``check`` is called often, and may raise."""

    def __init__(self, question: Question, check: Callable[[], None] = lambda: None) -> None:
        self.question, self.polynomials = question, Polynomials(check)
        self._env: dict[Node, _Integer] = {}
        self.failed = False
        try:
            for node in question.nodes:
                self._env[node] = self._with_literals(node, self._made(node))
        except NotCoveredError:
            self.failed = True

    def same(self, candidate: Candidate) -> bool:
        """Whether the bits of a candidate are the same here."""
        if self.failed:
            return False
        try:
            first = self.polynomials.floor(self.of(candidate.node).polynomial, candidate.start)
            second = self.polynomials.floor(self.of(candidate.second).polynomial, candidate.second_start)
            difference = total([(first, 1), (second, -1)])
        except NotCoveredError:
            return False
        return not any(times % (1 << candidate.width) for times in difference.values())

    # -- words that are there -------------------------------------------------------------------

    def of(self, node: Node) -> _Integer:
        """The integer that a word is."""
        if node.op is Op.CONST:
            return _Integer(constant(node.attr), node.attr)
        made = self._env.get(node)
        return self._word(total(self._literals(node)), node.width) if made is None else made

    def _literals(self, node: Node) -> Iterator[tuple[Polynomial, int]]:
        """The bits of a word that are cut, each with its power of two."""
        for k, number in enumerate(self.question.numbers(node)):
            if number is not None:
                yield self._literal(number), 1 << k

    def _literal(self, number: int) -> Polynomial:
        bit = self.polynomials.unknown(("bit", number >> 1), 0, 1) if number > 1 else {}
        return total([(constant(1), 1), (bit, -1)]) if number & 1 else bit

    def _with_literals(self, node: Node, made: _Integer) -> _Integer:
        """A word with those of its bits that are cut; where these are few as it is made, since a literal is
        not seen to be what remains of a product."""
        made_here = [number is None for number in self.question.numbers(node)]
        if sum(made_here) > node.width // 2:
            return made
        parts = list(self._literals(node))
        for start, width in _runs(made_here):
            parts.append((self._slice(made.polynomial, start, width), 1 << start))
        return _Integer(total(parts), made.greatest)

    def _slice(self, whole: Polynomial, start: int, width: int) -> Polynomial:
        return self.polynomials.modulo(self.polynomials.floor(whole, start), width)

    @staticmethod
    def _word(polynomial: Polynomial, width: int) -> _Integer:
        return _Integer(polynomial, (1 << width) - 1)

    # -- operations -----------------------------------------------------------------------------

    def _made(self, node: Node) -> _Integer:
        words = [self.of(child) for child in node.inputs]
        match node.op:
            case Op.ADD | Op.SUB | Op.MUL | Op.MULHI:
                return self._calculated(node, *words)
            case Op.LT:
                return self._less(node.inputs)
            case Op.NOT:
                return self._word(
                    total([(constant((1 << node.width) - 1), 1), (words[0].polynomial, -1)]), node.width
                )
            case Op.EXTEND:
                return words[0]
            case Op.SLICE:
                return self._word(self._slice(words[0].polynomial, node.attr, node.width), node.width)
            case Op.JOIN:
                starts = [sum(child.width for child in node.inputs[:k]) for k in range(len(words))]
                parts = [(word.polynomial, 1 << start) for word, start in zip(words, starts, strict=True)]
                return self._word(total(parts), node.width)
            case Op.SELECT:
                return self._chosen(*words)
        return self._borrowed(node) or self._gates(node) or self._opaque(node, words)

    def _calculated(self, node: Node, a: _Integer, b: _Integer) -> _Integer:
        """A sum, a difference, or a word of a product; no carry where none can be."""
        if node.op is Op.ADD or node.op is Op.SUB:
            exact = total([(a.polynomial, 1), (b.polynomial, 1 if node.op is Op.ADD else -1)])
            known = (0, a.greatest + b.greatest) if node.op is Op.ADD else (-b.greatest, a.greatest)
        else:
            exact, known = self.polynomials.times(a.polynomial, b.polynomial), (0, a.greatest * b.greatest)
        if node.op is Op.MULHI:
            return _Integer(self.polynomials.floor(exact, node.width, known), known[1] >> node.width)
        mask = (1 << node.width) - 1
        return _Integer(
            self.polynomials.modulo(exact, node.width, known), mask if known[0] < 0 else min(known[1], mask)
        )

    def _less(self, words: Sequence[Node], borrow: Polynomial | None = None) -> _Integer:
        """Whether a word, less a bit, is less than another."""
        first, second = map(self.of, words)
        difference = total([(first.polynomial, 1), (second.polynomial, -1), (borrow or {}, -1)])
        known = -second.greatest - (borrow is not None), first.greatest
        return _Integer(total([(self.polynomials.floor(difference, words[0].width, known), -1)]), 1)

    def _borrowed(self, node: Node) -> _Integer | None:
        """``c & (a = b) | (a < b)``: whether ``a - c < b``, as upper limbs are compared."""
        if node.op is not Op.OR or node.width > 1:
            return None
        for less, both in (node.inputs, node.inputs[::-1]):
            if less.op is Op.LT and both.op is Op.AND:
                for borrow, equal in (both.inputs, both.inputs[::-1]):
                    if equal.op is Op.EQ and set(equal.inputs) == set(less.inputs):
                        return self._less(less.inputs, self.of(borrow).polynomial)
        return None

    def _chosen(self, bit: _Integer, one: _Integer, other: _Integer) -> _Integer:
        more = self.polynomials.times(bit.polynomial, total([(one.polynomial, 1), (other.polynomial, -1)]))
        return _Integer(total([(other.polynomial, 1), (more, 1)]), max(one.greatest, other.greatest))

    def _opaque(self, node: Node, words: Sequence[_Integer]) -> _Integer:
        """A word of which nothing is known but what it is made of."""
        if node.op not in _OPAQUE:
            raise NotCoveredError(f"{described(node)} makes no word of words")
        inputs = tuple(frozenset(word.polynomial.items()) for word in words)
        widths = tuple(child.width for child in node.inputs)
        greatest = (1 << node.width) - 1
        return _Integer(self.polynomials.unknown((node.op, node.attr, inputs, widths), 0, greatest), greatest)

    # -- bits -----------------------------------------------------------------------------------

    def _gates(self, node: Node) -> _Integer | None:
        bits = self._bits(node)
        return (
            None
            if bits is None
            else self._word(total((bit, 1 << k) for k, bit in enumerate(bits)), node.width)
        )

    def _bits(self, node: Node) -> list[Polynomial] | None:
        """The bits of a word, if each is known: of a number, of one bit, of a word that is cut, and what
        gates make of those."""
        numbers = self.question.numbers(node)
        if node.op is Op.CONST:
            return [constant(node.attr >> k & 1) for k in range(node.width)]
        if None not in numbers:
            return [self._literal(number) for number in numbers if number is not None]
        if node.width == 1 and node in self._env:
            return [self._env[node].polynomial]
        inputs = [self._bits(child) for child in node.inputs] if node.op in _GATES else [None]
        known = [bits for bits in inputs if bits is not None]
        if len(known) < len(inputs):
            return None
        return [self._gate(node.op, *pair) for pair in zip(*known, strict=True)]

    def _gate(self, op: Op, a: Polynomial, b: Polynomial) -> Polynomial:
        both = self.polynomials.times(a, b)
        return both if op is Op.AND else total([(a, 1), (b, 1), (both, -2 if op is Op.XOR else -1)])


def _runs(marks: Sequence[bool]) -> Iterator[tuple[int, int]]:
    """Where runs of marks start, and how long they are."""
    start = 0
    for k in range(len(marks) + 1):
        if k == len(marks) or not marks[k]:
            if k > start:
                yield start, k - start
            start = k + 1
