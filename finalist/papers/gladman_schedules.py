"""Gladman's rankings by the length of a message (1999), each candidate under the schedule that is quickest
for that length.

He had one implementation of each, and wrote that less key set-up would serve Twofish better in short
messages. What trades one for the other is a schedule here: every choice that plain C has a part in, one at a
time, and how far keyed functions are tabulated with each.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial

from finalist import api
from finalist.ciphers.catalogue import cipher as find_cipher
from finalist.errors import ScheduleError
from finalist.measure.bench import Matched, match
from finalist.papers.gladman import KEY_BITS, MESSAGES, published, rank_correlation, rows
from finalist.papers.gladman_choices import KEYED_TABLES, Figures, figures_of, in_turns, message_cycles
from finalist.schedule import Schedule
from finalist.vectors.load import vectors_of

_ONE_BLOCK = Schedule(blocks=1, width=1)
#: What is compared; the first is the one of all other tables.
_CHANGES = (
    Schedule(),
    Schedule(key_schedule="loop"),
    Schedule(key_schedule="unroll"),
    Schedule(rounds="loop"),
    Schedule(rounds="unroll"),
    Schedule(rounds="loop", key_schedule="loop"),
    Schedule(subkeys="computed"),
    Schedule(fuse=0),
)


#: Schedules that differ by less are as quick.
_HARDLY_MORE = 1.01


@dataclass(frozen=True, slots=True)
class Place:
    """A candidate among all: its ``schedule``, its rank from 1 on and its core cycles for the message, key
    set-up included; the same with one schedule for all lengths (``rank_default``, ``cycles_default``); and
    its rank by the paper's table."""

    cipher: str
    schedule: Schedule
    rank: int
    cycles: float
    rank_default: int
    cycles_default: float
    his: int


@dataclass(frozen=True, slots=True)
class Places:
    """The candidates by the cycles of a message, quickest first. ``correlation``: Spearman's, of this order
    and his; ``correlation_default``: of that with one schedule for all."""

    data_bytes: int
    places: tuple[Place, ...]
    correlation: float
    correlation_default: float


def schedules() -> Iterator[Schedule]:
    """What is compared, without the choices that are the same for all: one block, no vectors."""
    for change in _CHANGES:
        yield change
        yield from (Schedule(keyed_tables=depth).over(change) for depth in KEYED_TABLES)


def by_schedule(name: str, *, seconds: float) -> dict[Schedule, Figures]:
    """By schedule the core cycles of key set-up, and of the encryption of a block; each program once, the
    default first, all in turns.

    Raises what `finalist.compile` and `match` raise.
    """
    programs = _programs(name)
    found = in_turns([partial(figures_of, program, seconds) for program in programs.values()])
    return dict(zip(programs, found, strict=True))


def _programs(name: str) -> dict[Schedule, Matched]:
    """The legal ones; of those that make the same program the first."""
    definition, found, texts = find_cipher(rows()[name]), {}, set()
    vectors = vectors_of(definition)
    for schedule in schedules():
        try:
            program = api.compile(definition, "native", "encrypt", KEY_BITS[0], schedule.over(_ONE_BLOCK))
        except ScheduleError:
            continue
        text = program.text.partition("*/")[2]
        if text not in texts:
            texts.add(text)
            found[schedule] = match(program, vectors)
    return found


def places(found: Mapping[str, Mapping[Schedule, Figures]]) -> Iterator[Places]:
    """For each length of message; ``found``: of all candidates, by the paper's names, `by_schedule`."""
    names = list(found)
    for size in MESSAGES:
        cycles = {
            name: {schedule: message_cycles(figures, size) for schedule, figures in own.items()}
            for name, own in found.items()
        }
        best = {name: quickest_of(own) for name, own in cycles.items()}
        quickest = [cycles[name][best[name]] for name in names]
        default = [next(iter(cycles[name].values())) for name in names]
        his = [published(name, KEY_BITS[0]).message_cycles(size) for name in names]
        ranked = zip(names, quickest, _ranks(quickest), default, _ranks(default), _ranks(his), strict=True)
        made = (Place(n, best[n], rank, q, old_rank, old, his) for n, q, rank, old, old_rank, his in ranked)
        yield Places(
            size,
            tuple(sorted(made, key=lambda place: place.rank)),
            rank_correlation(quickest, his),
            rank_correlation(default, his),
        )


def quickest_of(cycles: Mapping[Schedule, float]) -> Schedule:
    """The first that takes hardly more cycles than the least: a hundredth is what measurements differ by."""
    least = min(cycles.values())
    return next(schedule for schedule, own in cycles.items() if own <= _HARDLY_MORE * least)


def _ranks(values: list[float]) -> list[int]:
    """Of each value its rank, 1 for the least; of equal ones the first is before."""
    order = sorted(range(len(values)), key=lambda place: values[place])
    rank = {place: number for number, place in enumerate(order, 1)}
    return [rank[place] for place in range(len(values))]
