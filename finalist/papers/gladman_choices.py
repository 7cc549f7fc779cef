"""Two choices that Gladman (1999) writes of: byte order left out, and key set-up traded for encryption.

Both by his method, beside `finalist.papers.gladman`: the variants of a cipher measured in turns, so that
what else the computer does meanwhile falls on all of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from statistics import median

from finalist import api
from finalist.ciphers.catalogue import cipher as find_cipher
from finalist.errors import ScheduleError
from finalist.ir.program import ByteOrder
from finalist.language.cipher import Cipher
from finalist.measure.bench import Matched, match
from finalist.papers.gladman import KEY_BITS, MESSAGES, rows, set_up_and_call
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
