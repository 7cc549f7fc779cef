"""The host CPU: what it can do, which schedules are legal on it, and its defaults for a cipher."""

from __future__ import annotations

import itertools
import platform
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import replace
from functools import cache, partial
from pathlib import Path
from random import Random

from finalist.errors import ScheduleError
from finalist.ir.ops import Op
from finalist.ir.program import Program
from finalist.language.cipher import Cipher
from finalist.machines.constant_time import first_constant_time
from finalist.machines.native import plans, space
from finalist.machines.native.bound import Work
from finalist.machines.native.resolve import (
    WIDTHS,
    WORD_BITS,
    check_rounds,
    check_words,
    has_loop,
    resolve,
    with_lanes,
    with_subkeys,
    words_in_use,
)
from finalist.machines.native.run import NativeProgram
from finalist.machines.native.secrets import candidates, labels
from finalist.machines.native.shape import Shape
from finalist.machines.native.slices import sliced
from finalist.machines.native.text.key_schedules import with_keys
from finalist.machines.native.vectors import logic
from finalist.machines.native.vectors.spread import GROUPS, eligible
from finalist.machines.native.whole_blocks import matched
from finalist.machines.native.words import WORDS
from finalist.machines.tracing import Compiling, traced
from finalist.machines.words import names_of
from finalist.passes.driver import run, run_once
from finalist.passes.keying import KEYING
from finalist.passes.pipeline import rounds_as_loop
from finalist.schedule import Schedule, refuse_others
from finalist.toolchain import compiler


class Native(Compiling[NativeProgram]):
    """C through the system's compiler, scalar or SIMD, one block or many."""

    name = "native"
    summary = "this computer's CPU: C by the system's compiler, scalar and SIMD"
    #: File ending of an emitted program.
    suffix = ".c"
    #: The words of a schedule that it has.
    words = WORDS
    #: What is verified beside the default: single blocks, odd counts, each width, loops, planes, keyings,
    #: narrow words, no secret in what takes time, key schedules in both forms.
    variants = (
        Schedule(blocks=1, width=1),
        Schedule(blocks=5, width=1, skew=3),
        Schedule(blocks=2, width=1, rounds="loop"),
        *(Schedule(width=width) for width in WIDTHS[1:]),
        Schedule(blocks=8, width=128),
        Schedule(width=128, planes=4, rounds="loop"),
        *(Schedule(lookup="gather", width=width) for width in (128, 256)),
        *(Schedule(lookup="match", width=width) for width in WIDTHS[1:]),
        *(Schedule(keyed_tables=depth) for depth in KEYING[1:]),
        Schedule(word=32),
        *(Schedule(lookup="permute", word=8, width=width) for width in (128, 256)),
        Schedule(lookup="bitslice"),
        *(Schedule(key_schedule=how) for how in ("loop", "unroll")),
    )

    def program(self, traced: Program, schedule: Schedule) -> NativeProgram:
        """As `compile`, of a program that is traced already.

        With `constant-time` the first program of that label among the ways to read tables, the fastest first.
        """
        if not schedule.constant_time:
            return self._build(traced, schedule)
        return first_constant_time(
            partial(self._build, traced), candidates(schedule), cost=lambda made: made.work.least_cycles
        )

    def _build(self, traced: Program, schedule: Schedule) -> NativeProgram:
        refuse_others(schedule, names_of(self.words), self.name)
        size = traced.block.bytes
        try:
            traced, schedule = with_subkeys(traced, schedule)
            narrow, schedule, in_use = _checked(traced, schedule)
            laid_out, full, shape = _laid_out(narrow, schedule, in_use)
            laid_out, full = with_keys(laid_out, full)
        except ScheduleError as error:
            raise _with_remedies(error, traced, schedule) from error
        parts, work = labels(laid_out, full), Work.of(laid_out, shape, full.lookup)
        return NativeProgram(laid_out, full, shape, size, compiler.OPTIMISE, parts=parts, work=work)

    def check(self, cipher: type[Cipher], *, operation: str, key_bits: int, schedule: Schedule) -> None:
        """Raise ScheduleError where `compile` would; circuits, which take long, are not made for it."""
        program = traced(cipher, operation, key_bits)
        if schedule.constant_time:
            self.program(program, schedule)
            return
        refuse_others(schedule, names_of(self.words), self.name)
        try:
            _check(*with_subkeys(program, schedule))
        except ScheduleError as error:
            raise _with_remedies(error, program, schedule) from error

    def tried(self, traced: Program, given: Schedule, full: Schedule) -> Collection[str]:
        """With `constant-time`, how tables are read."""
        ways = itertools.chain(*candidates(given)) if given.constant_time else ()
        return {word for way in ways for word in way.chosen()} - given.chosen().keys()

    def ways(self) -> Iterator[Schedule]:
        """Layouts of which one mostly is the quickest, in the widest vectors of this CPU; legal or not."""
        return space.ways(space.widths())

    def kinds(self) -> Iterator[Schedule]:
        """One schedule of each kind of layout, for the vectors that this CPU has; legal or not."""
        return space.kinds(space.widths())

    def near(self, schedule: Schedule) -> Iterator[Schedule]:
        """Schedules that differ from one in a single choice of layout."""
        return space.near(schedule)

    def drawn(self, numbers: Random) -> Schedule:
        """A schedule drawn at random from all that this CPU has instructions for; legal or not."""
        return space.drawn(numbers, space.widths())

    def cpu_kinds(self) -> Iterator[str]:
        """The vector units that this CPU has, the widest first: each of its vendor's, as what gathers and
        permutations take differs between them, then of anybody's."""
        vendor = compiler.cpu_vendor()
        for unit in compiler.vector_units():
            yield from ([f"{unit} {vendor}"] if vendor else [])
            yield unit

    def describe(self) -> Mapping[str, str]:
        """Processor, compiler and flags."""
        return {
            "processor": processor(),
            "compiler": compiler.version(),
            "flags": " ".join((*compiler.STANDARD, *compiler.OPTIMISE)),
        }


def _checked(traced: Program, schedule: Schedule) -> tuple[Program, Schedule, Schedule]:
    """The program in words as wide as wanted, the schedule with its lanes, and `words_in_use`."""
    schedule = with_lanes(schedule)
    traced = run_once(traced, plans.COUNTED) if traced.stateful else traced
    in_use = words_in_use(traced, schedule)
    check_words(traced, schedule, in_use)
    return run_once(traced, plans.narrowing(schedule.word or WORD_BITS[-1])), schedule, in_use


def _laid_out(narrow: Program, schedule: Schedule, in_use: Schedule) -> tuple[Program, Schedule, Shape]:
    """The program as the schedule lays it out, the schedule with nothing open, and the shape."""
    choice = sliced.asked_for(schedule, narrow.block.width, in_use.lookup is not None)
    if choice:
        program, full, shape = sliced.lay_out(narrow, schedule, choice)
        return program, full.over(_word(in_use)), shape
    if schedule.rounds == "nested":
        raise ScheduleError(
            "rounds=nested: rounds within rounds are found in kernels on single bits; accepted"
            " with it: lookup=bitslice"
        )
    program, full, shape = _shaped(narrow, schedule, in_use)
    return lay_out(program, full, shape, asked=schedule.rounds is not None)


def _shaped(narrow: Program, schedule: Schedule, in_use: Schedule) -> tuple[Program, Schedule, Shape]:
    """The program after the passes that ask for no layout; the schedule, and the shape to lay it out in."""
    matching = matched.matched(narrow, schedule)
    if matching is not None:
        return matching, *matched.resolve(matching, schedule)
    program = run_once(narrow, plans.lowering(schedule, in_use))
    full, shape = resolve(program, schedule)
    # Only now are the width known, and how many there are side by side.
    ternary, shallow = shape.bits == logic.BITS, shape.copies <= _few(shape)
    if (ternary or shallow) and any(node.op is Op.BOOL for node in narrow.kernel.body):
        program = run_once(narrow, plans.lowering(schedule, in_use, ternary=ternary, shallow=shallow))
        full, shape = resolve(program, schedule)
    return program, full.over(in_use), shape


def _few(shape: Shape) -> int:
    """Blocks, or vectors, side by side, at most, whose gates wait for one another rather than for units of
    the CPU; gates of three inputs are fewer."""
    if shape.lanes == 1:
        return 1
    return 4 if shape.bits == logic.BITS else 2


def _with_remedies(error: ScheduleError, traced: Program, schedule: Schedule) -> ScheduleError:
    """The error, which knows what else would make the schedule legal."""
    if schedule.constant_time:
        return error  # what is legal may not have that label
    return ScheduleError(error.reason, partial(remedies, schedule, partial(_is_legal, traced)))


def _is_legal(traced: Program, schedule: Schedule) -> bool:
    """Whether there is a program under a schedule.

    Of loops of bitsliced rounds that takes too long to know: they count as not legal.
    """
    if _loops(schedule) and schedule.lookup == "bitslice":
        return False
    try:
        _check(*with_subkeys(traced, schedule))
    except ScheduleError:
        return False
    return True


def _check(traced: Program, schedule: Schedule) -> None:
    """Raise ScheduleError where there is no program; without gates, which take long, if that can be."""
    narrow, schedule, in_use = _checked(traced, schedule)
    choice = sliced.asked_for(schedule, narrow.block.width, in_use.lookup is not None)
    if choice and not _loops(schedule):
        sliced.check(narrow, schedule, choice)
    elif _loops(schedule) or schedule.key_schedule is not None or (schedule.planes or 1) > 1:
        laid_out, full, _ = _laid_out(narrow, schedule, in_use)
        with_keys(laid_out, full)
    else:
        _shaped(narrow, schedule, in_use)


def _loops(schedule: Schedule) -> bool:
    """Whether rounds are asked to be a loop."""
    return schedule.rounds not in (None, "unroll")


def _word(in_use: Schedule) -> Schedule:
    """What concerns bits as well as words."""
    return Schedule(word=in_use.word)


@cache
def processor() -> str:
    """The CPU's name for itself."""
    try:
        for line in Path("/proc/cpuinfo").read_text("utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()


def lay_out(
    program: Program, schedule: Schedule, shape: Shape, *, asked: bool
) -> tuple[Program, Schedule, Shape]:
    """The program as the schedule lays it out: planes, vector forms, rounds; schedule and shape then.

    ``asked``: whether its rounds were asked for; a loop that was not is left out where no rounds are alike.
    """
    program = run_once(program, plans.layout(schedule, shape))
    if GROUPS <= shape.lanes and shape.bits < logic.BITS:
        shape = replace(shape, spread=eligible(program.kernel, shape.lane_bits, shape.planes))
    program = run_once(program, plans.amounts(shape))
    program, schedule = _with_loops(program, schedule, asked)
    return run(program, plans.finish(schedule, shape)), schedule, shape


def _with_loops(program: Program, schedule: Schedule, asked: bool) -> tuple[Program, Schedule]:
    """The program with its rounds as the schedule has them, and the schedule."""
    rounds = schedule.rounds
    if rounds in (None, "unroll"):
        return program, schedule
    looped = run_once(program, (rounds_as_loop(rounds if isinstance(rounds, int) else None),))
    if not asked and not has_loop(program.kernel, looped.kernel):
        return program, replace(schedule, rounds="unroll")
    check_rounds(program.kernel, looped.kernel, schedule)
    return looped, schedule


MACHINE = Native()


#: What is tried, each if none of its words is chosen yet; of two where one says more, the shorter first.
_ADDED = (
    Schedule(width=1),
    Schedule(planes=1),
    Schedule(lookup="match"),
    Schedule(lookup="gather"),
    Schedule(lookup="permute"),
    Schedule(lookup="permute", word=32),
    Schedule(lookup="permute", word=32, width=512),
    Schedule(lookup="permute", word=64),
    Schedule(lookup="bitslice"),
    Schedule(word=32),
    Schedule(word=32, width=512),
    Schedule(word=64),
    Schedule(blocks=2),
    Schedule(width=128),
)


def remedies(schedule: Schedule, legal: Callable[[Schedule], bool]) -> Iterator[str]:
    """Choices that make a schedule legal, as they are written; none that another one is part of."""
    chosen = schedule.chosen().keys()
    found: list[Schedule] = []
    for added in _ADDED:
        own = added.chosen()
        longer = any(one.chosen().items() <= own.items() for one in found)
        if not longer and not chosen & own.keys() and legal(schedule.over(added)):
            found.append(added)
            yield str(added)
