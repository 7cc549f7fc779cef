"""A pipelined loop as code: its registers, the packets of its body, and those that lead into it.

The body is executed once for each iteration; before it stand those of its operations that earlier stages
are, for as many passes as there are further stages. After the last iteration later ones are under way, whose
results nothing reads; of memory they read what lies behind the data. (M. Lam, "Software Pipelining: An
Effective Scheduling Technique for VLIW Machines", PLDI 1988, without the epilogue.)
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations, product

from finalist.isa.allocate.linear import NoRoomError
from finalist.isa.assembly.text import Issue, file_of
from finalist.isa.code import ZERO, Ins
from finalist.isa.schedule.modulo.body import Body, Form, body_of
from finalist.isa.schedule.modulo.files import Files
from finalist.isa.schedule.modulo.problem import Order, Problem, Schedule, Value
from finalist.isa.schedule.modulo.registers import allocated
from finalist.isa.target.processor import Processor
from finalist.isa.target.registers import Register

#: As many invariants are held in all files; of more, each where it is needed.
_FEW = 3
#: Of so many all ways to divide them are compared.
_MOST = 7
#: By how many uses one file may have more than another to save a register.
_REGISTER = 8


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

    def chain(self) -> None:
        """Asks that data be loaded when those of the iteration before have been stored: feedback modes."""
        accesses = {"load": list[int](), "store": list[int]()}
        for number, ins in enumerate(self.body.instructions):
            if ins.access == "data" and ins.instruction.effect in accesses:
                accesses[ins.instruction.effect].append(number)
        pairs = product(accesses["store"], accesses["load"])
        orders = (*self.problem.orders, *(Order(store, load, 1, 1) for store, load in pairs))
        self.body.problem = replace(self.problem, orders=orders)

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
        mover = next(
            k for k, ins in enumerate(self.body.instructions) if self.counters.pointer in ins.written
        )
        return (time - schedule.times[mover] - 1) // schedule.interval + 1


def loop_of(body: Sequence[Ins], processor: Processor, counters: Counters, room: int | None = None) -> Loop:
    """A loop whose body is these instructions, the last of them its branch.

    ``room``: registers that values of each file should have at least; above it, invariants are held in
    several files, so that values need not be brought where those are. None: each where it is needed. Raises
    NoRoomError where invariants alone are too many.
    """
    first = next(iter(processor.files))
    fixed = {word: frozenset({first}) for word in (counters.pointer, counters.left)}
    files = {name: _usable(processor, name) for name in processor.files}
    found = body_of(body, processor, {name: len(free) for name, free in files.items()}, fixed)
    homes = _homes(found, fixed)
    if room is not None:
        homes = _spread(found, fixed, homes, {name: len(free) - room for name, free in files.items()})
    assert processor.predicates is not None
    tested = next(r for name, r in processor.predicates.registers if name == first and r in files[first])
    files[first].remove(tested)
    held = {(counters.left, first): tested, (counters.pointer, first): files[first].pop(0)}
    for word, own in zip(found.invariants, homes, strict=True):
        for file in sorted(own):
            if (word, file) not in held:
                if not files[file]:
                    told = f"{len(found.invariants)} words that all iterations read"
                    raise NoRoomError(f"a loop with {told} does not fit the registers")
                held[word, file] = files[file].pop(0)
    left = {file: len(free) for file, free in files.items()}
    found.problem = replace(found.problem, registers=left, invariants=homes)
    return Loop(found, counters, processor, held)


def _usable(processor: Processor, file: str) -> list[int]:
    found = processor.files[file]
    return [r for r in range(found.count) if r != found.zero and r not in found.reserved]


def _homes(body: Body, fixed: Mapping[int, frozenset[str]]) -> tuple[frozenset[str], ...]:
    """For each invariant the files in which it is: as few as operations can do with, read equally often."""
    uses = Counter(read.invariant for o in body.problem.operations for read in o.reads if read.invariant >= 0)
    files = tuple(body.problem.registers)
    anywhere = [frozenset(some) for k in (1, 2) for some in combinations(files, k)]
    options = [[fixed[word]] if word in fixed else anywhere for word in body.invariants]
    free = sum(word not in fixed for word in body.invariants)
    if free <= _FEW:
        return tuple(one[-1] for one in options)

    counters = {k for k, word in enumerate(body.invariants) if word in fixed}
    confined = _confined(body.problem, counters)

    def cost(homes: tuple[frozenset[str], ...]) -> float:
        load = dict(confined)
        for place, own in enumerate(homes):
            for file in own:
                load[file] += uses[place] / len(own)
        return _REGISTER * sum(map(len, homes)) + max(load.values()) - min(load.values())

    for homes in sorted(product(*options[:_MOST]), key=cost):
        whole = homes + tuple(one[-1] for one in options[_MOST:])
        if Files(replace(body.problem, invariants=whole)).possible:
            return whole
    return tuple(one[-1] for one in options)


def _spread(
    body: Body,
    fixed: Mapping[int, frozenset[str]],
    homes: tuple[frozenset[str], ...],
    most: Mapping[str, int],
) -> tuple[frozenset[str], ...]:
    """The files of invariants, with more for those that are read often, up to so many invariants a file."""
    uses = Counter(read.invariant for o in body.problem.operations for read in o.reads if read.invariant >= 0)
    found, count = list(homes), Counter(file for own in homes for file in own)
    often = [place for place in uses if 3 * uses[place] >= max(uses.values())]
    for place in sorted(often, key=lambda place: -uses[place]):
        for file in sorted(set(most) - found[place]):
            if body.invariants[place] not in fixed and count[file] < most[file]:
                found[place] |= {file}
                count[file] += 1
    return tuple(found)


def _confined(problem: Problem, counters: set[int]) -> dict[str, float]:
    """By file the operations that only its one of the units can do that read invariants."""
    sides: dict[str, str] = {}
    for operation in problem.operations:
        for choice in operation.choices:
            for read, file in zip(operation.reads, choice.reads, strict=True):
                if read.invariant >= 0 and read.invariant not in counters and choice.resources:
                    sides.setdefault(choice.resources[0], file)
    found = dict.fromkeys(problem.registers, 0.0)
    for operation in problem.operations:
        units = {choice.resources[0] for choice in operation.choices if choice.resources}
        if len(units) == 1 and units <= set(sides) and sides[min(units)]:
            found[sides[min(units)]] += 1
    return found
