"""The body of a loop in instructions on words, as a problem; and which instruction each choice stands for.

A word that is read before the body writes it comes from the iteration before; one that it never writes is an
invariant of the loop. All instructions whose meaning is the same on the same operands are choices.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from finalist.errors import GraphError
from finalist.isa.code import ZERO, Ins
from finalist.isa.lower.select import Selector
from finalist.isa.schedule.modulo.problem import Choice, Operation, Order, Problem, Read, Value
from finalist.isa.target.instruction import Instruction, Way
from finalist.isa.target.meaning import Flow, Leaf, Term, constant, register
from finalist.isa.target.processor import Processor


@dataclass(frozen=True, slots=True)
class Form:
    """An instruction, the way in which it is issued, and its operands: words by number, and numbers."""

    instruction: Instruction
    way: Way
    operands: tuple[int | str, ...]


@dataclass
class Body:
    """``forms``: by operation and choice; ``instructions``: what they were; ``invariants``: their words."""

    problem: Problem
    forms: list[list[Form]]
    instructions: Sequence[Ins]
    invariants: list[int]
    #: By value the word that it is.
    words: dict[Value, int] = field(default_factory=dict)


def body_of(
    body: Sequence[Ins],
    processor: Processor,
    registers: Mapping[str, int],
    held: Mapping[int, frozenset[str]] | None = None,
) -> Body:
    """A loop's body, the last instruction of which is the branch to its beginning.

    ``registers``: by file how many there are for its values; ``held``: for invariants the files in which they
    are, all if nothing is said.
    """
    return _Reader(body, processor, registers, held or {}).read()


class _Reader:
    def __init__(
        self,
        body: Sequence[Ins],
        processor: Processor,
        registers: Mapping[str, int],
        held: Mapping[int, frozenset[str]],
    ) -> None:
        self.body, self.processor, self.registers, self.held = body, processor, registers, held
        self.selector = Selector(processor, lambda: 0, lambda ins: None, lambda value: 0)
        self.made: dict[int, list[int]] = {}
        for number, ins in enumerate(body):
            for word in ins.written:
                self.made.setdefault(word, []).append(number)
        self.invariants: dict[int, int] = {}
        self._known: dict[object, list[tuple[Instruction, tuple[int | str | None, ...]]]] = {}

    def read(self) -> Body:
        forms = []
        operations = []
        for number, ins in enumerate(self.body):
            words = list(dict.fromkeys(word for word in ins.read if word != ZERO))
            different: dict[Choice, Form] = {}
            for form in self._forms(ins):
                different.setdefault(self._choice(words, form), form)
            choices = tuple(different)
            forms.append(list(different.values()))
            reads = tuple(self._read(number, word) for word in words)
            latencies = tuple(_latency(ins, place) for place in ins.instruction.written)
            operations.append(Operation(ins.instruction.name, choices, reads, latencies))
        last = {}
        if self.body[-1].instruction.flow is Flow.BRANCH:
            last[len(self.body) - 1] = self.body[-1].instruction.latency
        everywhere = frozenset(self.registers)
        problem = Problem(
            tuple(operations),
            dict(self.processor.units),
            self.processor.issue,
            dict(self.registers),
            tuple(self._orders()),
            tuple(self.held.get(word, everywhere) for word in self.invariants),
            last=last,
        )
        words_of = {
            (number, k): word for number, ins in enumerate(self.body) for k, word in enumerate(ins.written)
        }
        return Body(problem, forms, self.body, list(self.invariants), words_of)

    # -- forms ----------------------------------------------------------------------------------

    def _forms(self, ins: Ins) -> Iterator[Form]:
        """The instruction itself, and all others that mean the same."""
        for instruction, places in self._alike(ins):
            operands = tuple(
                ins.operands[place] if isinstance(place, int) else int(str(place)) for place in places
            )
            for way in instruction.ways:
                if _is_possible(instruction, way, operands):
                    yield Form(instruction, way, operands)

    def _alike(self, ins: Ins) -> list[tuple[Instruction, tuple[int | str | None, ...]]]:
        """Instructions of one meaning: by operand a place among the own ones, or a number as text."""
        one = ins.instruction
        own = (one, tuple(range(len(one.operands))))
        numbers = tuple(x for x, o in zip(ins.operands, one.operands, strict=True) if o.kind == "imm")
        key = (one, numbers, tuple(map(ins.operands.index, ins.operands)))
        if key not in self._known:
            found = [own]
            if one.flow is None and len(one.written) + (one.effect == "store") == 1 and len(one.forms) == 1:
                found += [other for other in self._equal(ins) if other not in found]
            self._known[key] = found
        return self._known[key]

    def _equal(self, ins: Ins) -> Iterator[tuple[Instruction, tuple[int | str | None, ...]]]:
        one = ins.instruction
        given: dict[str, Term] = {}
        place_of: dict[int, int] = {}
        for place, o in enumerate(one.operands):
            if o.read:
                place_of.setdefault(int(ins.operands[place]), place)
                given[o.name] = register(place_of[int(ins.operands[place])])
            elif o.kind == "imm":
                given[o.name] = constant(int(ins.operands[place]) & self.selector.mask)
        (effect,) = one.effects({name: given[name] for name in one.parameters})
        written = one.written[0] if one.written else None
        for other, numbers, meaning in self.processor.by_root.get((effect.value.op, effect.value.lane), ()):
            if other.latency != one.latency or len(other.written) != len(one.written):
                continue
            for bindings in self.selector.match(other, meaning, effect.value, numbers):
                places = tuple(self._place(o, bindings, written) for o in other.operands)
                if None not in places:
                    yield other, places

    def _place(self, operand: object, bindings: Mapping[str, Term], written: int | None) -> int | str | None:
        o = operand
        if o.written:  # type: ignore[attr-defined]
            return written if not o.read else None  # type: ignore[attr-defined]
        bound = bindings[o.name]  # type: ignore[attr-defined]
        if o.read:  # type: ignore[attr-defined]
            return int(bound.attr) if bound.op is Leaf.REGISTER else None
        return str(self.selector._number(bound.attr, o.signed))  # type: ignore[attr-defined]

    def _choice(self, words: Sequence[int], form: Form) -> Choice:
        files: dict[int, str] = {}
        writes = []
        for o, operand in zip(form.instruction.operands, form.operands, strict=True):
            if o.is_register and operand != ZERO:
                file = form.way.files.get(o.name) or o.file
                if o.read:
                    files[int(operand)] = file
                if o.written:
                    writes.append(file)
        return Choice(form.way.resources, tuple(files.get(word, "") for word in words), tuple(writes))

    # -- dependences ----------------------------------------------------------------------------

    def _read(self, number: int, word: int) -> Read:
        makers = self.made.get(word)
        if makers is None:
            place = self.invariants.setdefault(word, len(self.invariants))
            return Read(-1, invariant=place)
        before = [maker for maker in makers if maker < number]
        maker = before[-1] if before else makers[-1]
        return Read(maker, self.body[maker].written.index(word), 0 if before else 1)

    def _orders(self) -> Iterator[Order]:
        """Accesses to one array, if it is written, keep their order within an iteration.

        Those to a block of data are at places of their own in each iteration.
        """
        stored: dict[object, list[int]] = {}
        loaded: dict[object, list[int]] = {}
        for number, ins in enumerate(self.body):
            effect, access = ins.instruction.effect, ins.access
            for before in stored.get(access, ()) if effect else ():
                yield Order(before, number, 1)
            if effect in ("store", "write"):
                for before in loaded.get(access, ()):
                    yield Order(before, number, 0)
                stored.setdefault(access, []).append(number)
            elif effect:
                loaded.setdefault(access, []).append(number)


def _latency(ins: Ins, place: int) -> int:
    return ins.instruction.latency_of(ins.instruction.operands[place].name)


def _is_possible(instruction: Instruction, way: Way, operands: Sequence[int | str]) -> bool:
    """Whether no word would have to be in two files."""
    files: dict[int, str] = {}
    for o, operand in zip(instruction.operands, operands, strict=True):
        if o.read and operand != ZERO:
            file = way.files.get(o.name) or o.file
            if files.setdefault(int(operand), file) != file:
                return False
    return True


def scarcity(problem: Problem) -> Counter[str]:
    """How much of each resource operations ask for, if each spreads over its choices."""
    found: Counter[str] = Counter()
    for operation in problem.operations:
        for choice in operation.choices:
            for resource in choice.resources:
                found[resource] += 1 / len(operation.choices)  # type: ignore[assignment]
    return found


def divided(words: Iterable[int], files: Sequence[str]) -> dict[int, frozenset[str]]:
    """Invariants that are held in one file each, in turn."""
    return {word: frozenset({files[k % len(files)]}) for k, word in enumerate(words)}


def check_straight(body: Sequence[Ins]) -> None:
    """Raises GraphError where a body is no single basic block."""
    for ins in body[:-1]:
        if ins.instruction.flow is not None:
            raise GraphError("only a basic block can be software pipelined")
