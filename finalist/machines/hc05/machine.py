"""The machine `hc05`: programs for the simulator, of a card that parameters choose."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import replace

from finalist.errors import GraphError, ScheduleError
from finalist.ir.graph import Graph, every_node
from finalist.ir.memoized import memoized
from finalist.ir.ops import Op
from finalist.ir.printer import fingerprint_of
from finalist.ir.program import Program
from finalist.isa.allocate.linear import NoRoomError
from finalist.isa.build import Builder, Plan
from finalist.isa.lower.search import wishes_of
from finalist.isa.lower.subroutines import Found
from finalist.isa.pipeline import Writing, header, ready
from finalist.isa.prepare.key_first import key_first
from finalist.isa.prepare.key_in_line import in_line, orders
from finalist.isa.simulate.simulator import translator
from finalist.isa.target.operand import AssemblyError
from finalist.isa.target.processor import Processor
from finalist.language.cipher import Cipher
from finalist.machines.hc05.model import Parameters, parsed, processor
from finalist.machines.hc05.program import CardProgram, memory_of
from finalist.machines.hc05.resolve import resolved, schedules
from finalist.machines.hc05.words import WORDS
from finalist.machines.tracing import traced
from finalist.machines.words import names_of
from finalist.passes.driver import run_once
from finalist.passes.pipeline import SINGLE_SUBKEYS
from finalist.passes.timing import CONSTANT, VARIABLE, Execution, Timing, timing
from finalist.schedule import Schedule, refuse_others

#: Nothing shows of where memory is read.
_NO_CACHE = Execution(addresses=lambda _: ())
#: The operations of a text that has both, in its order.
_BOTH = ("encrypt", "decrypt")
#: What a subroutine gains is estimated; one of which that is less than such a part of all cost may be none.
_UNSURE = 10


class Hc05:
    """A 6805 smart card, simulated; `Parameters` say which."""

    summary = "the 6805 smart card: an 8-bit processor with little memory, simulated; budgets after a colon"
    suffix = ".asm"
    #: The words of a schedule that it has.
    words = WORDS
    #: What is verified beside the default.
    variants = (Schedule(optimise="size"), Schedule(rounds="unroll"))

    def __init__(self, parameters: Parameters | None = None) -> None:
        self.parameters = parameters or Parameters()
        self.processor = processor(self.parameters)
        told = str(self.parameters)
        self.name = "hc05" + (f":{told}" if told else "")
        self._last: tuple[object, CardProgram | None] = (None, None)

    def configured(self, parameters: str) -> Hc05:
        """The machine with these parameters. Raises UnknownNameError."""
        return Hc05(parsed(parameters))

    def describe(self) -> Mapping[str, str]:
        """The processor's parameters, and the compiler that the simulator needs. Raises CompilerError."""
        told = str(self.parameters) or "no budgets"
        return {"processor": f"68HC05, simulated, {told}", "compiler": translator()}

    def compile(
        self, cipher: type[Cipher], *, operation: str, key_bits: int, schedule: Schedule
    ) -> CardProgram:
        """The program under the schedule; what that leaves open is chosen here."""
        if schedule.directions != "both":
            return self._made([traced(cipher, operation, key_bits)], schedule)
        asked = cipher, key_bits, schedule
        if self._last[0] != asked:  # both operations are of one text, and often asked for one by one
            self._last = asked, self._made([traced(cipher, name, key_bits) for name in _BOTH], schedule)
        made = self._last[1]
        assert made is not None
        return made.of_operation(operation)

    def compared(self, cipher: type[Cipher], *, key_bits: int, directions: str) -> list[Schedule]:
        """Schedules of few bytes and of few cycles, and between."""
        return schedules(traced(cipher, "encrypt", key_bits), directions)

    def program(self, traced: Program, schedule: Schedule) -> CardProgram:
        """As `compile`, of a program that is traced already; of one operation."""
        if schedule.directions == "both":
            raise ScheduleError("directions=both: a program that is traced already has one operation")
        return self._made([traced], schedule)

    def _made(self, given: list[Program], schedule: Schedule) -> CardProgram:
        """The program; with its key schedule as loops where else it is more code than addresses reach, or
        takes more working memory than there is."""
        refuse_others(schedule, names_of(self.words), self.name)
        try:
            return self._fitted(given, schedule)
        except (AssemblyError, NoRoomError) as error:
            lacking = ScheduleError(f"{given[0].cipher} does not fit {self.name}: {error}")
            if schedule.key_schedule is not None:
                raise lacking from error
        try:
            return self._fitted(given, replace(schedule, key_schedule="nested"))
        except (AssemblyError, NoRoomError, ScheduleError) as error:
            raise lacking from error

    def _fitted(self, given: list[Program], schedule: Schedule) -> CardProgram:
        """The program. Raises ScheduleError, AssemblyError where code is too long, NoRoomError where words
        have no bytes."""
        traced_ = list(map(_computing, given)) if schedule.subkeys == "computed" else given
        full = resolved(traced_[0], schedule)
        own = _without_branches(self.processor) if full.constant_time else self.processor
        # What a byte is worth matters to code, not to what it is made of.
        less, asked = replace(full, byte_worth=None), schedule.rounds is not None
        try:
            made = [_ready(one, self.parameters, less, asked) for one in traced_]
            programs = [program for program, _ in made]
            full = replace(made[0][1], byte_worth=full.byte_worth)
            try:
                return self._built(programs, full, own)
            except NoRoomError:  # bits are tested at short addresses only, of which there are few
                tested = {one for one in own.instructions if one.name == "brset"}
                plain = tuple(one for one in own.instructions if one not in tested)
                return self._built(programs, full, replace(own, instructions=plain))
        except GraphError as error:
            raise ScheduleError(f"{given[0].cipher} does not fit {self.name}: {error}") from error

    def _built(self, programs: list[Program], full: Schedule, own: Processor) -> CardProgram:
        first, *others = programs
        if any(fingerprint_of(one.expand) != fingerprint_of(first.expand) for one in others):
            raise ScheduleError(
                f"directions=both is not legal for {first.cipher}: each operation has its own key schedule"
            )
        worth, small = full.byte_worth or 0, full.optimise == "size"
        plan = Plan(subroutines=small, worth=worth)
        written = sum(map(_written, (first.expand, *(one.kernel for one in programs))))
        if written > 1 << 16 and not small:
            raise AssemblyError(f"{written} operations; accepted: those of 64 KiB of code")
        if small and first.computed:
            programs = _in_line(programs, own, plan)
        made = (self._smallest if small else self._text)(programs, full, own, plan)
        made.memory.check(self.parameters, first.cipher)
        return made

    def _smallest(self, programs: list[Program], full: Schedule, own: Processor, plan: Plan) -> CardProgram:
        """The program that costs least, with such subroutines as are found."""
        known: dict[Hashable, CardProgram] = {}

        def text(found: Found) -> CardProgram:
            if found.key not in known:
                known[found.key] = self._text(programs, full, own, plan, found)
            return known[found.key]

        made = []
        for in_place in (True, False):
            found = _builder(programs, own, replace(plan, in_place=in_place)).finder().all()
            made.append(_fewest(text, found, plan.worth))
            if not found.lone:
                break  # Else what is copied for a call is known when words have bytes, not when it is found.
        # A program that is the only one is not run.
        return made[0] if len(made) == 1 else min(made, key=lambda one: _cost(one, plan.worth))

    def _text(
        self,
        programs: list[Program],
        full: Schedule,
        own: Processor,
        plan: Plan,
        found: Found | None = None,
    ) -> CardProgram:
        first, *others = programs
        builder = _builder(programs, own, plan)
        builder.found = found
        text = builder.text()
        what = " and ".join(program.operation for program in programs)
        text = header(first, self.name, full, what) + text
        parts = self._timing(first, full, builder.settled.branching)
        made = CardProgram(first, full, own, text, parts, others)
        made.memory = memory_of(builder, made)
        return made

    def _timing(self, program: Program, full: Schedule, branching: bool) -> Timing:
        """The card has no cache: where a table is read, nothing shows. Branches do."""
        parts = timing(program, _NO_CACHE, _NO_CACHE)
        if branching:
            parts = Timing(parts.key_schedule, VARIABLE, (parts.reasons[0], "a branch on a bit of a word"))
        if full.constant_time and parts.label != CONSTANT:
            raise ScheduleError(
                f"constant-time is not legal for {program.cipher} on {self.name}: {parts.reason}"
            )
        return parts


#: Operations that no instruction may be needed for.
_FREE = frozenset({Op.SLICE, Op.JOIN, Op.EXTEND, Op.RESULT, Op.TUPLE, Op.ARRAY})


def _written(graph: Graph) -> int:
    """Operations that are written down; without subroutines each is a byte of code or more."""
    return sum(node.op not in _FREE for node in every_node(graph))


def _without_branches(own: Processor) -> Processor:
    """The processor without what branches on words that are worked on."""
    return replace(own, idioms=())


def _prepared(
    program: Program, parameters: Parameters, schedule: Schedule, asked: bool
) -> tuple[Program, Schedule]:
    own = processor(parameters)
    own = _without_branches(own) if schedule.constant_time else own
    return ready(program, own, schedule, Writing(asked=asked))


#: Schedules that are compared differ in little of what comes before code.
_computing, _ready = memoized(lambda program: run_once(program, (SINGLE_SUBKEYS,))), memoized(_prepared)


def _cost(made: CardProgram, worth: int) -> float:
    """Cycles a block, with those that the program's bytes are worth."""
    return made.cycles_a_block + worth * made.memory.worth


def _in_line(programs: list[Program], own: Processor, plan: Plan) -> list[Program]:
    """The programs, whose round keys are computed, so that the same is done with them in one way: operations
    in one order, and entries of the key where an index finds them."""
    ordered = _in_order(programs)
    order = orders(wishes_of(_builder(ordered, own, plan).finder(anywhere=True)))
    return _in_order([in_line(one, order) for one in programs]) if order else ordered


def _builder(programs: list[Program], own: Processor, plan: Plan) -> Builder:
    first, *others = programs
    return Builder(first, own, plan, others)


def _fewest(text: Callable[[Found], CardProgram], found: Found, worth: int) -> CardProgram:
    """The program with some subroutines, without those found last if it then costs less."""
    best = text(found)
    while found.subroutines and _UNSURE * found.subroutines[-1].gain <= (most := _cost(best, worth)):
        found = found.without_last()
        made = text(found)
        if _cost(made, worth) >= most:
            break
        best = made
    return best


def _in_order(programs: list[Program]) -> list[Program]:
    return [one.with_graphs(one.expand, key_first(one.kernel)) for one in programs]


MACHINE = Hc05()
