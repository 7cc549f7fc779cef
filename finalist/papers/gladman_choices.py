"""Two choices that Gladman (1999) writes of: byte order left out, and key set-up traded for encryption.

Both by his method, beside `finalist.papers.gladman`: the variants of a cipher measured in turns, so that
what else the computer does meanwhile falls on all of them.

And a schedule for each length of message: he had one implementation of each candidate, and wrote that less
key set-up would serve Twofish better in short messages. Every choice that plain C has a part in is taken, one
at a time, and how far keyed functions are tabulated with each.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from statistics import median

from finalist import api
from finalist.ciphers.catalogue import cipher as find_cipher
from finalist.errors import ScheduleError
from finalist.ir.program import ByteOrder
from finalist.language.cipher import Cipher
from finalist.measure.bench import Matched, match
from finalist.papers.gladman import KEY_BITS, MESSAGES, published, rank_correlation, rows, set_up_and_call
from finalist.schedule import Schedule
from finalist.vectors.load import KnownAnswer, vectors_of

TURNS = 5
#: How far keyed functions are tabulated, most first; see docs/schedules.md.
KEYED_TABLES = ("full", "partial", "minimal", "zero")
_BITS, _OPERATION = KEY_BITS[0], "encrypt"
_ONE_BLOCK = Schedule(blocks=1, width=1)
#: Core cycles of key set-up, and of the encryption of a block.
Figures = tuple[float, float]


def in_turns(figures: Sequence[Callable[[], Figures]], turns: int = TURNS) -> list[Figures]:
    """The median of each figure of each, all taken one after the other, so many times.

    A figure is a difference of two least times, which other work on the computer makes too small as well as
    too large: the least of several is no better one.
    """
    taken = [[take() for take in figures] for _ in range(turns)]
    return [
        (median(one[0] for one in own), median(one[1] for one in own)) for own in zip(*taken, strict=True)
    ]


# -- byte order ----------------------------------------------------------------------------------------


def big_endian() -> list[str]:
    """The candidates whose words this computer has to put in order."""
    blocks = {name: find_cipher(definition).block for name, definition in rows().items()}
    return [name for name, block in blocks.items() if block.width > 8 and block.order is ByteOrder.BIG]


def in_memory_order(definition: type[Cipher]) -> type[Cipher]:
    """The cipher of words as they lie in this computer's memory: another one, of the same work."""
    block = replace(definition.block, order=ByteOrder.LITTLE)
    own = {
        "__module__": definition.__module__,
        "block": block,
        "key_words": definition.key_words or definition.block,
        "called": f"{definition.own_name()}-in-memory-order",
        "aliases": (),
        "own_vectors": None,
        "vectors": None,
    }
    return type(definition.__name__, (definition,), own)


def byte_order_cycles(name: str, *, seconds: float) -> tuple[float, float]:
    """Core cycles of the encryption of a block: as the cipher is defined, and with byte order left out.

    Raises what `finalist.compile` and `match` raise.
    """
    definition = find_cipher(rows()[name])
    vectors = [row for row in vectors_of(definition) if 8 * len(row.key) == _BITS]
    defined = _matched(definition, vectors)
    other = _matched(in_memory_order(definition), _reordered(definition, vectors))
    found = in_turns([partial(figures_of, one, seconds) for one in (defined, other)])
    return found[0][1], found[1][1]


def _reordered(definition: type[Cipher], rows_: list[KnownAnswer]) -> list[KnownAnswer]:
    """The published answers, with the bytes of each word of plaintext and ciphertext inverted."""
    size = definition.block.width // 8

    def inverted(block: bytes) -> bytes:
        return b"".join(block[n : n + size][::-1] for n in range(0, len(block), size))

    return [replace(r, plaintext=inverted(r.plaintext), ciphertext=inverted(r.ciphertext)) for r in rows_]


# -- keyed tables --------------------------------------------------------------------------------------


def keyed() -> list[str]:
    """The candidates with functions of the key that may be tabulated in part."""
    return [name for name in rows() if len(_schedules(name)) > 1]


def _schedules(name: str) -> dict[str, Schedule]:
    definition, found = find_cipher(rows()[name]), {}
    for depth in KEYED_TABLES:
        schedule = Schedule(keyed_tables=depth).over(_ONE_BLOCK)
        try:
            api.compile(definition, "native", _OPERATION, _BITS, schedule)
        except ScheduleError:
            continue
        found[depth] = schedule
    return found


def by_keyed_tables(name: str, *, seconds: float) -> dict[str, Figures]:
    """By the depth of keyed tables: core cycles of key set-up, and of the encryption of a block.

    Raises what `finalist.compile` and `match` raise.
    """
    definition = find_cipher(rows()[name])
    chosen = _schedules(name)
    programs = [_matched(definition, vectors_of(definition), schedule) for schedule in chosen.values()]
    found = in_turns([partial(figures_of, one, seconds) for one in programs])
    return dict(zip(chosen, found, strict=True))


def message_cycles(figures: Figures, data_bytes: int, block_bytes: int = 16) -> float:
    """Of key set-up and a message."""
    setup, block = figures
    return setup + block * -(-data_bytes // block_bytes)


def best(found: Mapping[str, Figures]) -> dict[int, str]:
    """By the length of a message the depth that is quickest."""
    return {n: min(found, key=lambda depth: message_cycles(found[depth], n)) for n in MESSAGES}


# -- figures -------------------------------------------------------------------------------------------


def _matched(
    definition: type[Cipher], known: Iterable[KnownAnswer], schedule: Schedule = _ONE_BLOCK
) -> Matched:
    return match(api.compile(definition, "native", _OPERATION, _BITS, schedule), known)


def figures_of(matched: Matched, seconds: float) -> Figures:
    """Of a program that has matched."""
    set_up, call = set_up_and_call(matched, _OPERATION, seconds)
    return set_up.core_cycles, call.core_cycles


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
