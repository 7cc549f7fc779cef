"""Programs made of the CPU's instructions for whole blocks (`lookup=match`): when, and laid out how."""

from __future__ import annotations

from functools import cache

from finalist.errors import MatchError, ScheduleError
from finalist.ir.memoized import memoized
from finalist.ir.program import Program
from finalist.machines.native.resolve import WIDTHS, check_blocks
from finalist.machines.native.shape import Shape
from finalist.machines.native.whole_blocks.instructions import shuffle, x86
from finalist.machines.native.whole_blocks.registers import REGISTER
from finalist.passes.matching.normal import InstructionSet, instruction_set
from finalist.passes.pipeline import lower
from finalist.schedule import Schedule, spelt
from finalist.toolchain import compiler

#: Vectors worked on side by side, so that one's instructions fill the waits of another's.
_COPIES = 8
#: Words that act on tables, lanes and sums, or on how wide they are, of which such a program has none.
_WITHOUT = ("fuse", "keyed_tables", "planes", "sums", "word")


@cache
def instructions() -> InstructionSet:
    """The instructions that programs are held against."""
    return instruction_set(x86(), shuffle)


def matched(program: Program, schedule: Schedule) -> Program | None:
    """The program in the CPU's instructions where that is asked for, or can be and nothing speaks against it.

    Raises ScheduleError where it is asked for and can't be.
    """
    if schedule.lookup != "match" and not _by_default(schedule):
        return None
    found = _lowered(program)
    if isinstance(found, Program):
        return found
    if schedule.lookup == "match":
        raise ScheduleError(f"lookup=match is not legal for {program.cipher}: {found}") from found
    return None


@memoized
def _lowered(program: Program) -> Program | MatchError:
    """The program in instructions, or why it can't be; the same for vectors of any width."""
    try:
        return lower(program, instructions=instructions())
    except MatchError as error:
        return error.with_traceback(None)  # which would keep all that was made on the way


def _by_default(schedule: Schedule) -> bool:
    """Whether a schedule leaves it open, and this CPU has the instructions."""
    chosen = schedule.chosen()
    if (
        schedule.width == 1
        or schedule.subkeys == "computed"
        or any(word in chosen for word in (*_WITHOUT, "lookup"))
    ):
        return False
    return available(REGISTER)


def available(width: int) -> bool:
    """Whether this CPU has all instructions for vectors of so many bits, as far as the compiler knows."""
    forms = (spelled.forms[width] for spelled in x86() if width in spelled.forms)
    return compiler.available() and not compiler.lacking(macro for form in forms for macro in form.macros)


def resolve(program: Program, schedule: Schedule) -> tuple[Schedule, Shape]:
    """The schedule of a matched program with nothing open, and its shape. Raises ScheduleError."""
    for word in _WITHOUT:
        if word in schedule.chosen():
            value = schedule.chosen()[word]
            raise ScheduleError(
                f"{spelt(word)}={value} is not legal with lookup=match, which leaves nothing to it"
            )
    width = schedule.width or _default_width(schedule)
    if width not in WIDTHS:
        raise ScheduleError(f"width={width}: this machine has {', '.join(map(str, WIDTHS))}")
    if width == 1:
        raise ScheduleError("lookup=match works in vectors; accepted with it: width of 128 or more")
    lanes = width // REGISTER
    blocks = schedule.blocks or lanes * _COPIES
    if blocks % lanes:
        raise ScheduleError(f"blocks={blocks} with width={width}: accepted is a multiple of {lanes}")
    check_blocks(program, blocks)
    shape = Shape(blocks // lanes, lanes, REGISTER, registers=True)
    if schedule.skew is not None and shape.copies == 1:
        raise ScheduleError(
            f"skew={schedule.skew}: one block (or vector) at a time has nothing to lag behind"
        )
    defaults = Schedule(
        blocks=blocks,
        width=width,
        skew=0 if shape.copies > 1 else None,
        lookup="match",
        rounds="unroll" if program.kernel.rounds else None,
    )
    return schedule.over(defaults), shape


def _default_width(schedule: Schedule) -> int:
    """The widest vectors that the CPU has and the blocks fill."""
    for width in sorted(WIDTHS[1:], reverse=True):
        if (schedule.blocks or _COPIES) % (width // REGISTER) == 0 and available(width):
            return width
    return REGISTER
