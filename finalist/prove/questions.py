"""Whether words of two programs are equal, whatever they are made of: small questions, each with a store of
its own, and asked once of all that have one shape.

Integers are asked first, of words that are calculated with; then a store, and the store once more for each
amount by which words are moved, if there are few; then a solver, of gates.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from finalist.ir.graph import Node
from finalist.ir.ops import SHIFTS, Op
from finalist.prove import bit_blasting
from finalist.prove.bit_blasting import Gates, NoGatesError
from finalist.prove.bits import Bits, Word, bits_of, known
from finalist.prove.definition import Evaluator
from finalist.prove.integers import CARRYING, Integers
from finalist.prove.literals import Candidate, Literals
from finalist.prove.question import Question
from finalist.prove.solver import Answer, NoSolverError, solve
from finalist.prove.store import TRUE
from finalist.prove.words import NotCoveredError, Words

#: Of one question seconds of the CPU for a store; clauses that a solver is given, and its conflicts.
SECONDS, CLAUSES, CONFLICTS = 10.0, 20_000, 1_000
#: Bits of amounts all of whose values are gone through.
SPLIT = 6


class Questions:
    """The answers to questions, by shape. ``asked``: questions about candidates, ``settled``: those that had
    not come before; ``solved``: whether a solver proved any. ``check`` is called often, and may raise."""

    def __init__(self, check: Callable[[], None] = lambda: None) -> None:
        self.check = check
        self._renamed: dict[object, Literals] = {}
        self._proved: dict[object, tuple[bool, ...]] = {}
        self.asked = self.settled = 0
        self.solved = False

    def renamed(self, question: Question, node: Node) -> Literals:
        """The numbers that the bits of a word are; None for those that are made."""
        key = question.shape, question.indices[node]
        if key not in self._renamed:
            self._renamed[key] = _Store(question, self.check).renamed(node)
        return self._renamed[key]

    def proved(self, question: Question) -> tuple[bool, ...]:
        """Of each of the candidates whether it is proved."""
        self.asked += 1
        if question.shape not in self._proved:
            self.settled += 1
            self._proved[question.shape] = tuple(self._answers(question))
        return self._proved[question.shape]

    def _answers(self, question: Question) -> list[bool]:
        found = [False] * len(question.candidates)
        for engine in self._engines(question):
            for k, candidate in enumerate(question.candidates):
                self.check()
                found[k] = found[k] or engine(candidate)
            if all(found):
                break
        return found

    def _engines(self, question: Question) -> Iterator[Callable[[Candidate], bool]]:
        """What can say that the bits of a candidate are the same, one after the other."""
        if any(node.op in CARRYING for node in question.nodes):
            yield Integers(question, self.check).same
        store = _Store(question, self.check)
        yield store.same
        cases = store.cases()
        if cases:
            yield lambda candidate: all(case.same(candidate) for case in cases)
        yield self._by_solver(_Solver(question))

    def _by_solver(self, solver: _Solver) -> Callable[[Candidate], bool]:
        def never_differ(candidate: Candidate) -> bool:
            proved = solver.never_differ(candidate)
            self.solved = self.solved or proved
            return proved

        return never_differ


class _Store:
    """A question carried out over a store of its own; ``fixed``: by number bits that are known."""

    def __init__(
        self, question: Question, check: Callable[[], None], fixed: Mapping[int, int] | None = None
    ) -> None:
        self.question, self.check, self.fixed = question, check, fixed or {}
        self.words = Words(SECONDS)
        self.evaluator = Evaluator(self.words)
        self._numbers: dict[int, int] = {}
        self._env: dict[Node, Any] = {}
        self.failed = False
        try:
            for node in question.nodes:
                check()
                self.words.check()
                self._carry_out(node)
        except NotCoveredError:
            self.failed = True

    def _carry_out(self, node: Node) -> None:
        for child in node.inputs:
            if child not in self._env:
                self._env[child] = self._given(child)
        if node.op is Op.ARRAY:
            self._env[node] = tuple(self._env[child] for child in node.inputs)
            return
        made: Word = self.evaluator.value(node, self._env)
        given = self.question.numbers(node)
        if any(number is not None for number in given):
            pairs = zip(bits_of(made, node.width), given, strict=True)
            made = known(tuple(bit if number is None else self._bit(number) for bit, number in pairs))
        self._env[node] = made

    def _given(self, node: Node) -> Word:
        """A word that is cut."""
        if node.op is Op.CONST:
            constant: int = node.attr
            return constant
        return known(tuple(self._bit(number) for number in self.question.numbers(node) if number is not None))

    def _bit(self, number: int) -> int:
        if number <= TRUE:
            return number
        if number & ~1 in self.fixed:
            return self.fixed[number & ~1] ^ number & 1
        bit = self.words.store.atom(("input", ("cut", number >> 1), 0))
        self._numbers[bit] = number & ~1
        return bit | number & 1

    def renamed(self, node: Node) -> Literals:
        """As `Questions.renamed`."""
        if self.failed:
            return self.question.numbers(node)
        return tuple(map(self._number, bits_of(self._env[node], node.width)))

    def _number(self, bit: int) -> int | None:
        if bit <= TRUE:
            return bit
        number = self._numbers.get(bit & ~1)
        return None if number is None else number | bit & 1

    def same(self, candidate: Candidate) -> bool:
        """Whether the bits of a candidate are the same here."""
        if self.failed:
            return False
        return self._bits(candidate.node, candidate.start, candidate.width) == self._bits(
            candidate.second, candidate.second_start, candidate.width
        )

    def _bits(self, node: Node, start: int, width: int) -> Bits:
        word = self._env[node] if node in self._env else self._given(node)
        return bits_of(word, node.width)[start : start + width]

    def cases(self) -> list[_Store]:
        """The same for each of the amounts by which words are moved; none where there are too many."""
        numbers = [] if self.failed else self._amounts()
        count = 1 << len(numbers) if 0 < len(numbers) <= SPLIT else 0
        return [
            _Store(self.question, self.check, {number: case >> k & 1 for k, number in enumerate(numbers)})
            for case in range(count)
        ]

    def _amounts(self) -> list[int]:
        """The numbers of the bits of amounts by which words are moved; none where any is made."""
        found: dict[int | None, None] = {}
        for node in self.question.nodes:
            if node.op in SHIFTS:
                amount = bits_of(self._env[node.inputs[1]], (node.width - 1).bit_length())
                found |= {self._numbers.get(bit & ~1): None for bit in amount if bit > TRUE}
        return [] if None in found else [number for number in found if number is not None]


class _Solver:
    """A question as gates, for a SAT solver."""

    def __init__(self, question: Question) -> None:
        self.question, self.gates = question, Gates(CLAUSES)
        self._bits: dict[int, int] = {0: bit_blasting.FALSE}
        self._env: dict[Node, Any] = {}
        self.failed = False
        try:
            for node in question.nodes:
                self._env[node] = self._carried_out(node)
        except NoGatesError:
            self.failed = True

    def _carried_out(self, node: Node) -> Any:
        made = self.gates.carried_out(node, [self._value(child) for child in node.inputs])
        if node.op is Op.ARRAY:
            return made
        pairs = zip(made, self.question.numbers(node), strict=True)
        return tuple(bit if number is None else self._bit(number) for bit, number in pairs)

    def _value(self, node: Node) -> Any:
        if node.op is Op.CONST:
            return bit_blasting.number(node.attr, node.width)
        if node in self._env:
            return self._env[node]
        return tuple(self._bit(number) for number in self.question.numbers(node) if number is not None)

    def _bit(self, number: int) -> int:
        if number & ~1 not in self._bits:
            self._bits[number & ~1] = self.gates.variable()
        return -self._bits[number & ~1] if number & 1 else self._bits[number & ~1]

    def never_differ(self, candidate: Candidate) -> bool:
        """Whether a solver says that the bits of a candidate cannot differ."""
        if self.failed:
            return False
        first = self._value(candidate.node)[candidate.start :][: candidate.width]
        second = self._value(candidate.second)[candidate.second_start :][: candidate.width]
        try:
            wrong = [self.gates.xor(a, b) for a, b in zip(first, second, strict=True)]
            answer, _ = solve([*self.gates.clauses, wrong], conflicts=CONFLICTS)
        except (NoGatesError, NoSolverError):
            return False
        return answer is Answer.NEVER
