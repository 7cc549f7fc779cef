"""From a traced program to one that runs, for every simulated processor.

A machine says how words and tables can be laid out (`Layout`); of those that a schedule leaves open the
program of fewest cycles is taken.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from finalist.errors import GraphError, ScheduleError
from finalist.ir.graph import Node, origin
from finalist.ir.ops import Op
from finalist.ir.program import Program
from finalist.isa.allocate.linear import NoRoomError
from finalist.isa.build import Plan, build
from finalist.isa.lower.homes import Homes
from finalist.isa.lower.lowerer import Conventions
from finalist.isa.piped import PipedBuilder, Scheduler
from finalist.isa.prepare import moves, narrow_tables, operations, reach, stores
from finalist.isa.prepare.coefficients import by_coefficients
from finalist.isa.prepare.heights import latencies_of, with_low_trees, with_shared_sums
from finalist.isa.prepare.key_first import with_sums_of_keys
from finalist.isa.prepare.late import with_late_parts
from finalist.isa.prepare.packed_tables import packed
from finalist.isa.prepare.wanted import without_unwanted
from finalist.isa.simulate.run import Pipelined, SimulatedProgram
from finalist.isa.target.processor import Processor
from finalist.licence import SPDX_LINE
from finalist.passes import driver, legalise, simplify, subkeys
from finalist.passes.chain import chained
from finalist.passes.driver import on_kernel, on_keys, run, run_once, when, whole
from finalist.passes.key_schedules.key_loops import with_key_loops
from finalist.passes.legalise.pages import MOST as PAGES
from finalist.passes.linear import swapped
from finalist.passes.pipeline import passes, rounds_as_loop
from finalist.passes.timing import CONSTANT, Execution, addresses, timing
from finalist.schedule import Schedule

#: Bits of the widest words that graphs have.
_WIDEST = 64


@dataclass(frozen=True, slots=True)
class Writing:
    """How code is written: its order, addresses; ``asked``: rounds as a loop were asked for; ``fast``: with
    what helps only some programs, so that several are tried; ``scheduler``: of the loop over blocks, where
    that is to be software pipelined; ``chained``: a block waits for the one before, so that its critical path
    binds."""

    how: str = "levels"
    conventions: Conventions = field(default_factory=Conventions)
    asked: bool = False
    fast: bool = False
    scheduler: Scheduler | None = None
    chained: bool = False


@dataclass(frozen=True, slots=True)
class Layout:
    """Where words and tables are: a word a register and all tables in memory, if nothing else is said.

    ``tables``: passes on tables, before rounds become a loop; ``words``: passes on words, after that;
    ``homes``: what of the program is not in memory; ``blocks``: of so many blocks the kernel is made, where
    not of all that the schedule asks for; ``loops``: whether rounds can be a loop; ``width``: what the
    schedule's word of that name becomes; ``may_fail``: whether it is tried only, and passed by where words do
    not fit.
    """

    tables: driver.Plan = ()
    words: driver.Plan = ()
    homes: Callable[[Program], Homes] = lambda program: {}
    blocks: int | None = None
    loops: bool = True
    width: int | None = None
    may_fail: bool = False


def compiled(
    name: str,
    processor: Processor,
    traced: Program,
    schedule: Schedule,
    writing: Writing,
    layouts: Iterable[Layout] = (Layout(),),
    reason: str = "its words do not fit the registers",
) -> SimulatedProgram:
    """The program of fewest cycles among the layouts.

    ``name``: the machine's; ``reason``: why there may be no layout. Raises ScheduleError.
    """
    found = []
    for layout in layouts:
        try:
            found.append(_program(name, processor, traced, schedule, writing, layout))
        except (NoRoomError, GraphError) as error:
            if not layout.may_fail:
                raise
            reason = str(error)
    if not found:
        raise ScheduleError(f"width={schedule.width} is not legal for {traced.cipher}: {reason}")
    return found[0] if len(found) == 1 else min(found, key=lambda program: program.cycles_a_block)


def parts_of_words() -> driver.Plan:
    """What is done to a kernel whose operations are to be few."""
    return on_kernel("late parts", with_late_parts), *_SHARED


def chained_parts(processor: Processor) -> driver.Plan:
    """What is done to a kernel whose critical path is to be short."""
    latencies = latencies_of(processor)
    return on_kernel("late parts", with_late_parts), on_kernel("low trees", with_low_trees, latencies)


_SHARED = (on_kernel("shared sums", with_shared_sums),)


def prepared(traced: Program, blocks: int, processor: Processor, schedule: Schedule) -> Program:
    """The program of so many blocks, one after the other, in operations on words of the processor."""
    width = min(processor.width, _WIDEST)
    fuse = 32 if schedule.fuse is None else schedule.fuse
    looped, nested = (schedule.key_schedule == name for name in ("loop", "nested"))
    few, small = schedule.map_tables, schedule.optimise == "size"
    sums = (on_kernel("sums of keys", with_sums_of_keys),) if traced.computed else ()
    plan = (
        *when(processor.working is not None, whole("simplify", simplify.run), *sums, *_SHARED),
        # Before legalisation, which makes of one operation many that are not alike.
        *when(nested, whole("key schedule as nested loops", _with_key_loops, True)),
        whole("chain blocks", chained, blocks, width),
        *when(processor.working is not None and not small, on_kernel("swaps", swapped, width)),
        whole("legalise", legalise.run, width, PAGES),
        *when(few is not None, on_kernel("coefficients", by_coefficients, few)),
        *passes(fuse, schedule.keyed_tables or "full"),
        # Before indices are reduced modulo the lengths of arrays.
        *when(looped, whole("key schedule as loops", _with_key_loops)),
        *when(nested, on_keys("round keys as loops", with_key_loops, True)),
        whole("needless writes", stores.run),
        *when(small and processor.working is not None, on_kernel("packed", packed)),
        *when(processor.working is not None, on_kernel("wanted bits", without_unwanted)),
        whole("prepare", operations.run, width, processor.rotated, processor.amounts),
    )
    if not processor.shifts_by_words:
        plan = (*plan, whole("shifts as products", moves.run, width))
    return run_once(traced, plan)


def ready(
    traced: Program, processor: Processor, schedule: Schedule, writing: Writing
) -> tuple[Program, Schedule]:
    """The program that code is made of, its words one by one, and the schedule with its rounds chosen."""
    program = prepared(traced, schedule.blocks or 1, processor, schedule)
    looped, full = _looped(run(program, parts_of_words()), schedule, writing, loops=True)
    width = min(processor.width, _WIDEST)
    plan = (
        whole("numbers", subkeys.settled, schedule.optimise == "size"),
        # Amounts that differ from round to round are words once rounds are a loop.
        *when(not processor.shifts_by_words, whole("shifts of rounds", moves.again, width)),
        *when(processor.working is not None, whole("narrow tables", narrow_tables.run, width)),
        *when(processor.working is not None, whole("reach", reach.run, width)),
    )
    return run(looped, plan), full


def header(program: Program, name: str, schedule: Schedule, what: str = "") -> str:
    """The first lines of a program's text: what it is, under which licence and schedule."""
    first = f"; {program.cipher} {what or program.operation}, {program.key_bits}-bit keys, on {name}\n"
    return first + f"; {SPDX_LINE}\n; {schedule}\n"


def _with_key_loops(program: Program, nested: bool = False) -> Program:
    """The key schedule as loops. Raises ScheduleError where nothing repeats itself."""
    looped = with_key_loops(program.expand, nested)
    if looped is program.expand:
        lacking = f"is not legal for {program.cipher}: nothing in its key schedule repeats itself"
        raise ScheduleError(f"key-schedule={'nested' if nested else 'loop'} {lacking}")
    return program.with_graphs(looped, program.kernel)


def _program(
    name: str,
    processor: Processor,
    traced: Program,
    schedule: Schedule,
    writing: Writing,
    layout: Layout,
) -> SimulatedProgram:
    program = prepared(traced, layout.blocks or schedule.blocks or 1, processor, schedule)
    late = chained_parts(processor) if writing.chained else parts_of_words()
    program, full = _looped(run(program, (*late, *layout.tables)), schedule, writing, layout.loops)
    program = run(program, layout.words)
    if layout.width is not None:
        full = Schedule(width=layout.width).over(full)
    homes = layout.homes(program)
    parts = timing(program, _execution(homes))
    if full.constant_time and parts.label != CONSTANT:
        raise ScheduleError(f"constant-time is not legal for {traced.cipher} on {name}: {parts.reason}")
    plan = Plan(writing.how, writing.conventions, homes)
    loop = None
    if writing.scheduler is None:
        text = build(program, processor, plan)
    else:
        builder = PipedBuilder(program, processor, plan, writing.scheduler, balance=not writing.chained)
        text = builder.text()
        loop = Pipelined(builder.loop.problem, builder.schedule, tuple(set(builder.copies.values())))
    text = header(program, name, full) + text
    return SimulatedProgram(program, full, processor, text, full.blocks or 1, parts, loop)


def _looped(program: Program, schedule: Schedule, writing: Writing, loops: bool) -> tuple[Program, Schedule]:
    """Rounds as a loop; if none are alike they stay as they are, unless a loop was asked for."""
    rounds, kernel = schedule.rounds, program.kernel
    if rounds in (None, "unroll") or not loops:
        return program, Schedule(rounds=rounds and "unroll").over(schedule)
    looped = run(program, (rounds_as_loop(rounds if isinstance(rounds, int) else None),))
    if len(looped.kernel.body) != len(kernel.body):
        return looped, schedule
    if writing.asked:
        raise ScheduleError(f"rounds={rounds} is not legal for {kernel.name}: no such rounds are equal")
    return program, Schedule(rounds="unroll").over(schedule)


def _execution(homes: Homes) -> Execution:
    """What is not in memory is read without an address there."""

    def visible(node: Node) -> tuple[Node, ...]:
        table = node.attr if node.op is Op.LOOKUP else None
        if node.op in (Op.LOAD, Op.STORE):
            table = origin(node.inputs[0])
        return () if table in homes else addresses(node)

    return Execution(addresses=visible)
