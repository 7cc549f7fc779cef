"""Bitsliced programs on the host CPU: when one is wanted, which schedules are legal for it, its layout."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from statistics import median_low

from finalist.errors import ScheduleError
from finalist.ir.graph import Graph, every_node
from finalist.ir.memoized import memoized
from finalist.ir.ops import Op
from finalist.ir.program import Program
from finalist.machines.native import plans
from finalist.machines.native.passes import byteslice
from finalist.machines.native.passes.byteslice import SLOTS
from finalist.machines.native.passes.rounds.nested import nested
from finalist.machines.native.resolve import WIDTHS, check_rounds, has_loop, widest
from finalist.machines.native.shape import Shape
from finalist.machines.native.slices.bits import PLAIN_BITS, block_obstacle
from finalist.machines.native.vectors import logic
from finalist.passes import bitslice
from finalist.passes.driver import Pass, on_kernel, run, run_once
from finalist.passes.pipeline import key_bit_passes, rounds_as_loop, word_passes
from finalist.passes.rounds.roll import natural_period
from finalist.schedule import Choice, Schedule, spelt

#: Words of a schedule that say nothing of bits, and what they may be all the same.
_ONLY: dict[str, tuple[int | str, ...]] = {
    "fuse": (0,),
    "keyed_tables": ("zero",),
    "skew": (),
    "sums": ("compiler",),
}


def asked_for(schedule: Schedule, word_bits: int, tables: bool) -> str:
    """The choice that asks for every bit of a block in a vector of its own; empty if none does.

    ``word_bits``: of the block's words, which may be cut into as many planes. ``tables``: whether the
    definition has table lookups, of which something has to be said then.
    """
    if schedule.lookup == "bitslice":
        return "lookup=bitslice"
    return f"planes={schedule.planes}" if not tables and schedule.planes == word_bits else ""


def lay_out(traced: Program, schedule: Schedule, choice: str) -> tuple[Program, Schedule, Shape]:
    """The program on bits, the schedule with nothing open, and the shape. Raises ScheduleError.

    ``traced``: the program with no word wider than the schedule says. ``choice``: what asked for bits.
    """
    few = _side_by_side(schedule)
    if few:
        return _with_bytes(traced, schedule, choice, few)
    shape = _shape(traced, schedule, choice)
    program, rounds = _on_bits(traced, choice, schedule.rounds, shape.bits == logic.BITS)
    full = schedule.over(Schedule(blocks=shape.blocks, width=_width(schedule)))
    return program, replace(full, rounds=rounds), shape


def check(traced: Program, schedule: Schedule, choice: str) -> None:
    """Raise ScheduleError as `lay_out` does, but for rounds; without the gates, which take long."""
    few = _side_by_side(schedule)
    if few:
        _check_bytes(traced, schedule, choice, few)
        return
    _shape(traced, schedule, choice)
    bitslice.check(run_once(traced, word_passes()), choice)


def _side_by_side(schedule: Schedule) -> int:
    """The width of vectors, in bits, that so few blocks fill with a bit of each of their bytes; 0 if none."""
    blocks = schedule.blocks
    if schedule.lookup != "bitslice" or blocks is None:
        return 0
    widths = [width for width in WIDTHS if width <= widest()] if schedule.width is None else [schedule.width]
    if blocks in map(_bits, widths):
        return 0
    fitting = (w for w in widths if w > 1 and w in WIDTHS and blocks < w and not blocks % (w // SLOTS))
    return max(fitting, default=0)


def _with_bytes(
    traced: Program, schedule: Schedule, choice: str, width: int
) -> tuple[Program, Schedule, Shape]:
    """The same, the bytes of a block side by side."""
    words, lanes, copies = _check_bytes(traced, schedule, choice, width)
    program, rounds, turns = _on_bytes(words, choice, schedule.rounds)
    full = schedule.over(Schedule(width=width, skew=turns if copies > 1 else None))
    return program, replace(full, rounds=rounds), Shape(copies, lanes, SLOTS, slotted=True)


def _check_bytes(traced: Program, schedule: Schedule, choice: str, width: int) -> tuple[Program, int, int]:
    """The program in bytes, the lanes of a vector, and how many vectors. Raises ScheduleError."""
    words, lanes = run_once(traced, plans.to_bytes()), width // SLOTS
    _check_only(schedule, choice, ("skew",))
    copies = (schedule.blocks or lanes) // lanes
    refusal = byteslice.obstacle(words)
    if refusal:
        given = f"blocks={schedule.blocks} with width={width} {choice}: accepted is {width}"
        raise ScheduleError(f"{given}; fewer are not legal for {traced.cipher}: {refusal}")
    if schedule.skew is not None and copies == 1:
        raise ScheduleError(f"skew={schedule.skew}: one vector at a time has nothing to take turns with")
    if schedule.rounds == "nested":
        raise ScheduleError(f"rounds=nested with blocks={schedule.blocks}: accepted is blocks={width}")
    if schedule.skew == 0:
        raise ScheduleError(f"skew=0 with {choice}: vectors take turns of 1 statement or more")
    return words, lanes, copies


@memoized
def _on_bytes(words: Program, choice: str, asked: Choice | None) -> tuple[Program, Choice | None, int]:
    """The program on bits of bytes side by side; its rounds, in a loop; statements of half of one."""
    rounds = asked or "loop"
    period = rounds if isinstance(rounds, int) else {"unroll": 0, "loop": 1}[rounds]
    looped = program = run(words, plans.on_bytes(choice, period))
    if rounds != "unroll":
        looped = run(program, (rounds_as_loop(None if rounds == "loop" else int(rounds)),))
        if asked is None and not has_loop(program.kernel, looped.kernel):
            return _on_bytes(words, choice, "unroll")
        check_rounds(program.kernel, looped.kernel, Schedule(rounds=rounds))
    return run(looped, plans.FINISH_BYTES), rounds, _half_a_round(program.kernel)


def _half_a_round(kernel: Graph) -> int:
    """Statements after which vectors that fill the registers take turns: in so many one waits for itself,
    and those of the others are near enough for a CPU to begin them."""
    rounds = Counter(node.phase for node in kernel.body if node.op not in (Op.LOAD, Op.NOT))
    return max(1, median_low(rounds.values()) // 2) if rounds else 1


@memoized
def _on_bits(
    traced: Program, choice: str, asked: Choice | None, ternary: bool
) -> tuple[Program, Choice | None]:
    """The program on bits, and its rounds, where ``asked`` were asked for; the same for all widths.

    But for ``ternary``: on gates of three inputs.
    """
    words = run_once(traced, (*word_passes(), plans.SHARED_KERNELS))
    within = run(words, plans.INNER_ROUNDS) if asked in (None, "loop", "nested") else words
    if asked == "nested" and within.kernel is words.kernel:
        raise ScheduleError(f"rounds=nested is not legal for {traced.cipher}: its rounds have none within")
    period = natural_period(within.kernel)
    # A number counts the definition's rounds, so a loop of others can't have one.
    rounds = ("loop" if within.kernel is not words.kernel else period) if period else "unroll"
    chosen = Schedule(rounds=asked or rounds)
    program = run_once(within, plans.on_bits(choice, ternary=ternary))
    program, chosen = _in_rounds(program, chosen, period, asked=asked is not None)
    return run(program, plans.finish_bits(ternary=ternary)), chosen.rounds


def _in_rounds(
    program: Program, schedule: Schedule, period: int | None, *, asked: bool
) -> tuple[Program, Schedule]:
    """The program with its rounds as the schedule has them, in a loop by itself of ``period`` an iteration.

    Complements that have moved on to the next round's key may make rounds unlike; then they stay if more
    rounds are alike that way. What was not ``asked`` for and can't be had is the next best.
    """
    best: Program | None = None
    for moved in (True, False):
        finished = run_once(program, key_bit_passes(moved=moved))
        if schedule.rounds == "unroll":
            return finished, schedule
        looped = run(finished, (_loop(schedule, period),))
        if len(looped.kernel.body) < len(finished.kernel.body) and (
            best is None or _written(looped.kernel) < _written(best.kernel)
        ):
            best = looped
        if best and 2 * _written(best.kernel) < len(finished.kernel.body):
            break
    if best:
        return best, schedule
    if asked:
        check_rounds(program.kernel, program.kernel, schedule)
    rounds = natural_period(finished.kernel) or "unroll"
    return _in_rounds(program, replace(schedule, rounds=rounds), None, asked=False)


def _loop(schedule: Schedule, period: int | None) -> Pass:
    """What makes rounds loops; ``period``: of how many an iteration, where no number is asked for."""
    if schedule.rounds == "nested":
        return on_kernel("rounds within rounds as loops", nested, period)
    return rounds_as_loop(period if schedule.rounds == "loop" else int(schedule.rounds or 1))


def _written(kernel: Graph) -> int:
    """How many nodes are written down: those of a loop's iteration once."""
    return sum(1 for _ in every_node(kernel))


def _width(schedule: Schedule) -> int:
    """The widest vectors that the CPU has and the blocks fill."""
    if schedule.width is not None:
        return schedule.width
    fitting = (width for width in WIDTHS if width <= widest() and schedule.blocks in (None, _bits(width)))
    return max(fitting, default=1)


def _bits(width: int) -> int:
    return width if width > 1 else PLAIN_BITS


def _shape(program: Program, schedule: Schedule, choice: str) -> Shape:
    name, width = program.cipher, _width(schedule)
    if width not in WIDTHS:
        raise ScheduleError(f"width={width}: this machine has {', '.join(map(str, WIDTHS))}")
    lanes = _bits(width)
    if schedule.blocks not in (None, lanes):
        raise ScheduleError(f"blocks={schedule.blocks} with width={width} {choice}: accepted is {lanes}")
    _check_only(schedule, choice)
    if schedule.planes not in (None, program.block.width):
        raise ScheduleError(f"planes={schedule.planes} with {choice}: every bit has a plane of its own")
    obstacle = block_obstacle(program.block, lanes)
    if obstacle:
        raise ScheduleError(f"{choice} with width={width} is not legal for {name}: {obstacle}")
    return Shape(1, lanes, 1)


def _check_only(schedule: Schedule, choice: str, but: tuple[str, ...] = ()) -> None:
    """Refuse words that say nothing of bits, ``but`` for these."""
    for word, accepted in _ONLY.items():
        value = None if word in but else getattr(schedule, word)
        if value is not None and value not in accepted:
            raise ScheduleError(f"{spelt(word)}={value} says nothing of single bits: {choice} can't have it")
