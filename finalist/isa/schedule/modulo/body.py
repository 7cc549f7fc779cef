"""The body of a loop in instructions on words, as a problem; and which instruction each choice stands for.

A word that is read before the body writes it comes from the iteration before; one that it never writes is an
invariant of the loop. All instructions whose meaning is the same on the same operands are choices.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from finalist.isa.assembly.text import file_of
from finalist.isa.code import ZERO, Ins
from finalist.isa.lower.select import Selector
from finalist.isa.schedule.modulo.problem import Choice, Operation, Order, Problem, Read, Value
from finalist.isa.target.instruction import Instruction, Way
from finalist.isa.target.meaning import Flow, Leaf, Term, constant, register
from finalist.isa.target.operand import Operand
from finalist.isa.target.processor import Processor


@dataclass(frozen=True, slots=True)
class Form:
    """An instruction, the way in which it is issued, and its operands: words by number, and numbers."""

    instruction: Instruction
    way: Way
    operands: tuple[int | str, ...]


#: An instruction, and by operand a place among another's, or a number as text.
Alike = tuple[Instruction, tuple[int | str | None, ...]]


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
    are, all if nothing is said. A word that nothing but one instruction writes, which reads it and no other,
    is a counter if it is among these: whoever reads it takes it as it is.
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
                if word not in self.held:
                    self.made.setdefault(word, []).append(number)
        self.invariants: dict[int, int] = {}
        self._known: dict[object, list[Alike]] = {}

    def read(self) -> Body:
        forms = []
        operations = []
        for number, ins in enumerate(self.body):
            words = list(dict.fromkeys(word for word in ins.read if word != ZERO))
            different: dict[Choice, Form] = {}
            reads = tuple(self._read(number, word) for word in words)
            for form in self._forms(ins):
                different.setdefault(self._choice(words, reads, form), form)
            choices = tuple(different)
            forms.append(list(different.values()))
            results = () if set(ins.written) & set(self.held) else ins.instruction.written
            one = ins.instruction
            latencies = tuple(one.latency_of(one.operands[place].name) for place in results)
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
            tuple(self._pairs()),
            last=last,
            early=frozenset(k for k, ins in enumerate(self.body) if set(ins.written) & set(self.held)),
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
                if self._is_possible(instruction, way, operands):
                    yield Form(instruction, way, operands)

    def _alike(self, ins: Ins) -> list[Alike]:
        """Instructions of one meaning: by operand a place among the own ones, or a number as text."""
        one = ins.instruction
        own: Alike = (one, tuple(range(len(one.operands))))
        numbers = tuple(x for x, o in zip(ins.operands, one.operands, strict=True) if o.kind == "imm")
        key = (one, numbers, tuple(map(ins.operands.index, ins.operands)))
        if key not in self._known:
            found: list[Alike] = [own]
            if one.flow is None and len(one.written) + (one.effect == "store") == 1 and len(one.forms) == 1:
                found += [other for other in self._equal(ins) if other not in found]
            self._known[key] = found
        return self._known[key]

    def _equal(self, ins: Ins) -> Iterator[Alike]:
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

    def _place(self, o: Operand, bindings: Mapping[str, Term], written: int | None) -> int | str | None:
        """What stands for an operand: the operand of the given instruction, by its index, or a number."""
        if o.written:
            return written if not o.read else None
        bound = bindings[o.name]
        if o.read:
            return int(bound.attr) if bound.op is Leaf.REGISTER else None
        return str(self.selector.immediate(bound.attr, o.signed))

    def _is_possible(self, instruction: Instruction, way: Way, operands: Sequence[int | str]) -> bool:
        """Whether numbers fit a way, no word would have to be in two files, and counters are in theirs."""
        files: dict[int, str] = {}
        for o, operand in zip(instruction.operands, operands, strict=True):
            if o.kind == "imm" and not instruction.operand_in(way, o.name).accepts(int(operand)):
                return False
            if not o.is_register or operand == ZERO:
                continue
            file = way.files.get(o.name) or o.file
            if o.written and file not in self.held.get(int(operand), {file}):
                return False
            if o.read and files.setdefault(int(operand), file) != file:
                return False
        return True

    def _choice(self, words: Sequence[int], reads: Sequence[Read], form: Form) -> Choice:
        files: dict[int, str] = {}
        writes = []
        for o, operand in zip(form.instruction.operands, form.operands, strict=True):
            if o.is_register and operand != ZERO:
                file = form.way.files.get(o.name) or o.file
                if o.read:
                    files[int(operand)] = file
                if o.written and operand not in self.held:
                    writes.append(file)
        wanted = tuple(files.get(word, "") for word in words)
        waits = tuple(self._waits(wanted, reads, form))
        made = Choice(form.way.resources, wanted, tuple(writes), form.way.later)
        return replace(made, waits=waits) if any(waits) else made

    def _waits(self, wanted: Sequence[str], reads: Sequence[Read], form: Form) -> Iterator[int]:
        """By operand the cycles more that it takes across, unless a load has brought it."""
        crossing = self.processor.across and set(form.way.paths) & self.processor.paths
        own = {file_of(form.instruction, form.way, o.name) for o in form.instruction.operands if o.written}
        for file, read in zip(wanted, reads, strict=True):
            slow = crossing and file and file not in own and read.invariant < 0
            loaded = slow and self.body[read.operation].instruction.effect == "load"
            yield self.processor.across if slow and not loaded else 0

    # -- dependences ----------------------------------------------------------------------------

    def _read(self, number: int, word: int) -> Read:
        makers = self.made.get(word)
        if makers is None:
            place = self.invariants.setdefault(word, len(self.invariants))
            return Read(-1, invariant=place)
        before = [maker for maker in makers if maker < number]
        maker = before[-1] if before else makers[-1]
        return Read(maker, self.body[maker].written.index(word), 0 if before else 1)

    def _pairs(self) -> Iterator[tuple[Value, Value]]:
        """Results in a register and the one before it."""
        for number, ins in enumerate(self.body):
            names = [ins.instruction.operands[place].name for place in ins.instruction.written]
            for place, name in enumerate(names):
                even = ins.instruction.by_name[name].pair
                if even:
                    yield (number, place), (number, names.index(even))

    def _orders(self) -> Iterator[Order]:
        """Accesses to one array, if it is written, keep their order within an iteration.

        Those to a block of data are at places of their own in each iteration.
        """
        stored: dict[object, list[int]] = {}
        loaded: dict[object, list[int]] = {}
        for number, ins in enumerate(self.body):
            if ins.condition is not None and ins.condition[0] in self.held:
                counted = (k for k, one in enumerate(self.body) if ins.condition[0] in one.written)
                yield from (Order(k, number, 1) for k in counted)
            effect, access = ins.instruction.effect, ins.access
            for before in stored.get(access, ()) if effect else ():
                yield Order(before, number, 1)
            if effect in ("store", "write"):
                for before in loaded.get(access, ()):
                    yield Order(before, number, 0)
                stored.setdefault(access, []).append(number)
            elif effect:
                loaded.setdefault(access, []).append(number)
