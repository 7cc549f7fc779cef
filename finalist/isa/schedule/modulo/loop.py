"""A pipelined loop as code: its registers, the packets of its body, and those that lead into it.

The body is executed once for each iteration; before it stand those of its operations that earlier stages
are, for as many passes as there are further stages. After the last iteration later ones are under way, whose
results nothing reads; of memory they read what lies behind the data. (M. Lam, "Software Pipelining: An
Effective Scheduling Technique for VLIW Machines", PLDI 1988, without the epilogue.)
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from finalist.isa.assembly.text import Issue, file_of
from finalist.isa.code import ZERO, Ins
from finalist.isa.schedule.modulo.body import Body, Form, body_of
from finalist.isa.schedule.modulo.problem import Problem, Schedule, Value
from finalist.isa.schedule.modulo.registers import allocated
from finalist.isa.target.processor import Processor
from finalist.isa.target.registers import Register

#: Invariants of which more than this many would be in a file are divided among the files.
_FEW = 3


@dataclass(frozen=True, slots=True)
class Counters:
    """Words that change in place: the pointer to the data, by how many bytes it moves; and the iterations
    that are left, of which the branch depends."""

    pointer: int
    bytes: int
    left: int


@dataclass
class Loop:
    """A loop's body and where its lasting words are. ``held``: by word and file the register."""

    body: Body
    counters: Counters
    processor: Processor
    held: dict[tuple[int, str], int]
    registers: dict[Value, int] = field(default_factory=dict)

    @property
    def problem(self) -> Problem:
        """What is to be scheduled."""
        return self.body.problem

    def usable(self, file: str) -> list[int]:
        """The registers of a file that values can be in."""
        taken = {register for (_, name), register in self.held.items() if name == file}
        return [r for r in _usable(self.processor, file) if r not in taken]

    def settle(self, schedule: Schedule) -> bool:
        """Gives each value a register; whether there are enough."""
        usable = {value: self.usable(schedule.file(self.problem, value)) for value in self.problem.values}
        found = allocated(self.problem, schedule, usable)
        self.registers = found or {}
        return found is not None

    # -- packets --------------------------------------------------------------------------------

    def ahead(self, schedule: Schedule) -> int:
        """By how many iterations the pointer is ahead of what it was when the first one began."""
        pairs = zip(self.body.instructions, schedule.times, strict=True)
        return max(self._moved(schedule, time) for ins, time in pairs if self.counters.pointer in ins.read)

    def lead_in(self, schedule: Schedule) -> list[list[Ins]]:
        """The packets before the body."""
        found = []
        for before in range(schedule.stages - 1):
            found += self._packets(schedule, before, inside=False)
        return found

    def kernel(self, schedule: Schedule) -> list[list[Ins]]:
        """The packets of the body."""
        return self._packets(schedule, schedule.stages - 1, inside=True)

    def _packets(self, schedule: Schedule, stage: int, inside: bool) -> list[list[Ins]]:
        """A pass in which the stages up to one are under way."""
        packets: list[list[Ins]] = [[] for _ in range(schedule.interval)]
        for number, time in enumerate(schedule.times):
            if time // schedule.interval <= stage and (inside or not self._counts(number)):
                packets[time % schedule.interval].append(self._issued(number, schedule))
        return packets

    def _counts(self, number: int) -> bool:
        """Whether an operation belongs to the loop itself: the branch, and its counter."""
        ins = self.body.instructions[number]
        return number in self.problem.last or self.counters.left in ins.written

    def _issued(self, number: int, schedule: Schedule) -> Ins:
        """An operation as an instruction on registers."""
        form = self.body.forms[number][schedule.choices[number]]
        source = self.body.instructions[number]
        places = self._places(number, schedule, form)
        operands: list[int | str] = []
        files = []
        for o, x in zip(form.instruction.operands, form.operands, strict=True):
            file = file_of(form.instruction, form.way, o.name) if o.is_register else o.file
            files.append(file)
            if o.is_register and x != ZERO:
                operands.append(places[int(x), o.written, file])
            else:
                operands.append(x)
        if self.counters.pointer in source.read and self.counters.pointer not in source.written:
            self._displace(form, operands, schedule, schedule.times[number])
        condition = 0
        if source.condition is not None:
            condition = self._condition(source.condition)
        ins = Ins(form.instruction, operands, source.phase, source.note, source.access)
        ins.files, ins.issue = tuple(files), Issue(form.way, condition)
        return ins

    def _places(self, number: int, schedule: Schedule, form: Form) -> dict[tuple[int, bool, str], int]:
        """By word, whether it is written, and file, its register."""
        found: dict[tuple[int, bool, str], int] = {}
        for (word, file), register in self.held.items():
            found[word, False, file] = found[word, True, file] = register
        for read, word in zip(self.problem.operations[number].reads, self._words(number), strict=True):
            if read.invariant < 0:
                found[word, False, schedule.file(self.problem, read.value)] = self.registers[read.value]
        for place in range(len(self.problem.operations[number].latencies)):
            value = number, place
            word = self.body.words[value]
            found[word, True, schedule.file(self.problem, value)] = self.registers[value]
        return found

    def _words(self, number: int) -> list[int]:
        return list(dict.fromkeys(w for w in self.body.instructions[number].read if w != ZERO))

    def _condition(self, condition: tuple[int, bool]) -> int:
        word, sense = condition
        assert self.processor.predicates is not None
        register: Register = next((file, r) for (w, file), r in self.held.items() if w == word)
        return self.processor.predicates.number(register, sense)

    def _displace(self, form: Form, operands: list[int | str], schedule: Schedule, time: int) -> None:
        """The number that is added to the pointer, which has moved on, or has yet to."""
        back = self.ahead(schedule) - self._moved(schedule, time)
        for place, o in enumerate(form.instruction.operands):
            if o.kind == "imm":
                operands[place] = int(operands[place]) + back * self.counters.bytes

    def _moved(self, schedule: Schedule, time: int) -> int:
        """How often the pointer has been moved when iteration 0 is in a cycle."""
        mover = next(k for k, ins in enumerate(self.body.instructions) if self.counters.pointer in ins.written)
        return (time - schedule.times[mover] - 1) // schedule.interval + 1


def loop_of(body: Sequence[Ins], processor: Processor, counters: Counters) -> Loop:
    """A loop whose body is these instructions, the last of them its branch."""
    first = next(iter(processor.files))
    fixed = {word: frozenset({first}) for word in (counters.pointer, counters.left)}
    kept = {**fixed, **_divided(body, fixed, processor)}
    held: dict[tuple[int, str], int] = {}
    free = {file: _usable(processor, file) for file in processor.files}
    assert processor.predicates is not None
    tested = [r for name, r in processor.predicates.registers if name == first]
    held[counters.left, first] = tested[0]
    free[first].remove(tested[0])
    for word, files in kept.items():
        for file in sorted(files):
            if (word, file) not in held:
                held[word, file] = free[file].pop(0)
    room = {file: len(left) for file, left in free.items()}
    return Loop(body_of(body, processor, room, kept), counters, processor, held)


def _usable(processor: Processor, file: str) -> list[int]:
    found = processor.files[file]
    return [r for r in range(found.count) if r != found.zero and r not in found.reserved]


def _divided(
    body: Sequence[Ins], fixed: Mapping[int, frozenset[str]], processor: Processor
) -> dict[int, frozenset[str]]:
    """For each invariant the files in which it is: all, or of many each in the one that is read less."""
    made = {word for ins in body for word in ins.written}
    uses = Counter(word for ins in body for word in ins.read if word not in made and word not in fixed)
    uses.pop(ZERO, None)
    files = [name for name, file in processor.files.items() if not file.status]
    if len(uses) <= _FEW:
        return {word: frozenset(files) for word in uses}
    load = dict.fromkeys(files, 0)
    found = {}
    for word, count in uses.most_common():
        least = min(files, key=lambda file: load[file])
        load[least] += count
        found[word] = frozenset({least})
    return found


