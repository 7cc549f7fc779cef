"""The schedules worth a trial on the host CPU: one of each kind of layout, and those that lie near one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from finalist.machines.native.narrow import NARROW
from finalist.machines.native.registers import REGISTER
from finalist.schedule import Schedule
from finalist.toolchain import compiler

#: Blocks (or vectors of them) side by side.
_SIDE_BY_SIDE = (1, 2, 3, 4, 6, 8)
_SKEWS = (0, 2, 4, 8, 16)


def kinds(widths: tuple[int, ...]) -> Iterator[Schedule]:
    """One schedule of each kind of layout, whether it is legal for a cipher or not.

    ``widths``: of the vectors that there are, in bits.
    """
    yield Schedule()
    yield Schedule(blocks=1, width=1)
    yield Schedule(blocks=2, width=1)
    yield Schedule(width=1)
    for width in widths:
        yield Schedule(width=width)
        yield Schedule(width=width, planes=1)
        yield Schedule(width=width, lookup="match")
        yield Schedule(width=width, lookup="gather")
        yield Schedule(width=width, lookup="bitslice")
        yield Schedule(width=width, planes=32)
        yield Schedule(width=width, lookup="permute", word=8)
    # Two vectors of words, or one, for messages that fill no more.
    for width in widths:
        yield from (Schedule(blocks=2 * width // bits, width=width, planes=1) for bits in (32, 64))
    yield Schedule(blocks=1, width=128, lookup="match")


def widths() -> tuple[int, ...]:
    """Widths of this CPU's vectors, in bits, the widest first."""
    return tuple(width for width in (512, 256, 128) if width <= compiler.vector_bits())


def near(schedule: Schedule) -> Iterator[Schedule]:
    """What differs from a schedule, with nothing left open, in one choice of layout."""
    blocks, together = schedule.blocks or 1, _together(schedule)
    for count in _SIDE_BY_SIDE:
        if count * together != blocks:
            yield replace(schedule, blocks=count * together, skew=schedule.skew if count > 1 else None)
    if schedule.skew is not None:
        yield from (replace(schedule, skew=skew) for skew in _SKEWS if skew != schedule.skew)
    if schedule.rounds is not None:
        yield from (replace(schedule, rounds=r) for r in ("unroll", "loop", 2) if r != schedule.rounds)
    if schedule.fuse is not None:
        yield from (replace(schedule, fuse=bits) for bits in (0, 32, 64) if bits != schedule.fuse)


def _together(schedule: Schedule) -> int:
    """Blocks of one vector, or 1 in scalar code: what the number of blocks has to be a multiple of."""
    blocks, width = schedule.blocks or 1, schedule.width or 1
    if width == 1:
        return 1
    if schedule.lookup == "match":
        return width // REGISTER
    if schedule.word in NARROW:
        return width // schedule.word
    # A lane holds 32 or 64 bits, or `planes` blocks; the smallest number that divides what is legal now.
    fewest = width // 64 * (schedule.planes or 1)
    return fewest if blocks % (2 * fewest) else 2 * fewest
