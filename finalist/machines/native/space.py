"""The schedules of the host CPU: one of each kind of layout, those that lie near one, any at random."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from random import Random
from typing import TypeVar

from finalist.machines.native.passes.byteslice import SLOTS
from finalist.machines.native.vectors.narrow import NARROW
from finalist.machines.native.whole_blocks.registers import REGISTER
from finalist.passes.keying import KEYING
from finalist.schedule import Choice, Schedule
from finalist.toolchain import compiler

T = TypeVar("T")

#: Ways of a vector unit to do what a cipher does: they are tried first, and where nothing was tried a library
#: takes that with the least work.
WAYS = (Schedule(), Schedule(lookup="permute", word=8), Schedule(lookup="bitslice"))

#: Blocks (or vectors of them) side by side; and more where registers hold whole blocks, as instructions that
#: take some cycles each want it.
_SIDE_BY_SIDE = (1, 2, 3, 4, 6, 8)
_MANY_SIDE_BY_SIDE = (12, 16)
_SKEWS = (0, 1, 2, 4, 8, 16)
#: Statements of a turn, where vectors take turns.
_TURNS = (40, 55, 70, 85, 100, 150)
_ROUNDS: tuple[Choice, ...] = ("unroll", "loop", 1, 2, 3, 4, 6, 8)
#: How many of the schedules that are drawn say on how many blocks they work.
_NUMBERED = 0.6


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
        yield from (Schedule(blocks=n * width // SLOTS, width=width, lookup="bitslice") for n in (1, 2))
        yield Schedule(width=width, planes=32)
        yield from (Schedule(width=width, lookup="permute", word=word) for word in (8, 16, 32, 64))
    # Two vectors of words, or one, for messages that fill no more.
    for width in widths:
        yield from (Schedule(blocks=2 * width // bits, width=width, planes=1) for bits in (32, 64))
    yield Schedule(blocks=1, width=128, lookup="match")


def ways(widths: tuple[int, ...]) -> Iterator[Schedule]:
    """`WAYS` in the widest of the vectors that there are, whose ``widths`` are given in bits."""
    return (replace(way, width=width) for width in widths[:1] for way in WAYS)


def widths() -> tuple[int, ...]:
    """Widths of this CPU's vectors, in bits, the widest first."""
    return tuple(width for width in (512, 256, 128) if width <= compiler.vector_bits())


def near(schedule: Schedule) -> Iterator[Schedule]:
    """What differs from a schedule, with nothing left open, in one choice of layout."""
    blocks, together = schedule.blocks or 1, _together(schedule)
    for count in (*_SIDE_BY_SIDE, *(_MANY_SIDE_BY_SIDE if schedule.lookup == "match" else ())):
        if count * together != blocks:
            yield replace(schedule, blocks=count * together, skew=schedule.skew if count > 1 else None)
    if schedule.skew is not None:
        skews = _TURNS if schedule.lookup == "bitslice" else _SKEWS
        yield from (replace(schedule, skew=skew) for skew in skews if skew != schedule.skew)
    if schedule.rounds is not None:
        yield from (replace(schedule, rounds=r) for r in ("unroll", "loop", 1, 2) if r != schedule.rounds)
    if schedule.width == 1:
        yield replace(schedule, sums=None if schedule.sums == "ready" else "ready")
    if schedule.fuse is not None:
        yield from (replace(schedule, fuse=bits) for bits in (0, 32, 64) if bits != schedule.fuse)


def _together(schedule: Schedule) -> int:
    """Blocks of one vector, or 1 in scalar code: what the number of blocks has to be a multiple of."""
    blocks, width = schedule.blocks or 1, schedule.width or 1
    if width == 1:
        return 1
    if schedule.lookup == "match":
        return width // REGISTER
    if schedule.lookup == "bitslice":
        return width if blocks == width else width // SLOTS
    if schedule.word in NARROW:
        return width // schedule.word
    # A lane holds 32 or 64 bits, or `planes` blocks; the smallest number that divides what is legal now.
    fewest = width // 64 * (schedule.planes or 1)
    return fewest if blocks % (2 * fewest) else 2 * fewest


def drawn(numbers: Random, widths: tuple[int, ...]) -> Schedule:
    """A schedule drawn at random from all that there are, most choices left open; legal or not."""

    def maybe(*values: T, often: float = 0.35) -> T | None:
        return numbers.choice(values) if numbers.random() < often else None

    width = maybe(1, *widths, *widths, often=0.8)
    vectors = width not in (None, 1)
    together = [1, *((width or 1) // bits for bits in (64, 32, 16, 8))] if vectors else [1]
    planes = maybe(1, 2, 4, 8, 16, 32) if vectors else None
    blocks = numbers.choice(together) * numbers.choice(_SIDE_BY_SIDE) * (planes or 1)
    return Schedule(
        blocks=blocks if numbers.random() < _NUMBERED else None,
        width=width,
        planes=planes,
        skew=maybe(*_SKEWS),
        lookup=maybe("load", "gather", "permute", "match", "bitslice", "scan"),
        fuse=maybe(0, 32, 64),
        keyed_tables=maybe(*KEYING),
        rounds=maybe(*_ROUNDS),
        subkeys=maybe("computed", often=0.1),
        word=maybe(8, 16, 32, 64, often=0.25),
        constant_time=maybe(True, often=0.1),
        sums=maybe("compiler", "ready") if width == 1 else None,
    )
