"""Fiskiran and Lee's tables of 2005, and ours from the simulated machine beside them.

"Fast Parallel Table Lookups to Accelerate Symmetric-Key Cryptography" (ITCC 2005): profiles (table 3), lookup
tables (4), latencies (5), superscalar machines (6), parallel table lookup on three word sizes (7).
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from finalist.ciphers.catalogue import USUAL_GROUP, cipher_names
from finalist.ciphers.catalogue import cipher as find_cipher
from finalist.errors import ScheduleError
from finalist.isa.simulate.profile import OTHER, RULES, profile
from finalist.isa.simulate.run import Session, SimulatedProgram
from finalist.isa.target.data_cache import DataCache
from finalist.measure.cycles import checked
from finalist.papers.load import notes_on, paper
from finalist.resumable import Resumable
from finalist.schedule import Schedule, parse_schedule

MACHINE = "plx"
WORDS = ("32", "64", "128")


@dataclass(frozen=True, slots=True)
class Row:
    """A row of the paper's tables, or of a cipher that it does not have.

    ``blocks``: of how many blocks (as we count) its cycles seem to be; ``unit``: block or byte; ``parallel``:
    the schedules of table 7 that are others, by word size; ``half_products``: there multipliers take half a
    word.
    """

    name: str
    cipher: str
    key_bits: int
    schedule: Schedule = field(default_factory=Schedule)
    blocks: int = 1
    unit: str = "block"
    operation: str = "encrypt"
    parallel: Mapping[str, Schedule] = field(default_factory=dict)
    half_products: bool = False


@cache
def rows() -> Mapping[str, Row]:
    """The rows of the paper."""
    return {name: _row(name, entry) for name, entry in notes_on("ptlu")["rows"].items()}


def _row(name: str, entry: Mapping[str, Any]) -> Row:
    return Row(
        name,
        entry["cipher"],
        entry["key_bits"],
        parse_schedule([entry.get("schedule", "")]),
        entry.get("blocks", 1),
        entry.get("unit", "block"),
        parallel={word: parse_schedule([text]) for word, text in entry.get("ptlu", {}).items()},
        half_products=entry.get("half_products", False),
    )


def every_row(names: Iterable[str] = ()) -> Iterator[Row]:
    """A row for each cipher, or each of these, and direction."""
    for name in tuple(names) or cipher_names(USUAL_GROUP):
        one = find_cipher(name)
        for operation in ("encrypt", "decrypt"):
            yield Row(f"{name} {operation}", name, one.usual_key_bits(), operation=operation)


#: A cipher and a direction.
Asked = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Speeds:
    """Cycles a block of the base machine, and speed-ups over it: by column of table 6, by parallel lookup on
    words of so many bits."""

    cycles: float
    superscalar: Mapping[str, float]
    parallel: Mapping[str, float]


def measuring() -> Resumable[Asked, Speeds]:
    """What the paper has for five ciphers, of all, in both directions."""
    return Resumable(_speeds, [(row.cipher, row.operation) for row in every_row()])


def _speeds(asked: Asked) -> Speeds:
    row = next(row for row in every_row(asked[:1]) if row.operation == asked[1])
    return Speeds(cycles(row), superscalar(row), {word: fitted_gain(row, word) for word in WORDS})


def program(row: Row, parameters: str = "", schedule: Schedule | None = None) -> SimulatedProgram:
    """The row's program on a machine with these parameters, having just reproduced vectors."""
    machine = f"{MACHINE}:{parameters}" if parameters else MACHINE
    chosen = row.schedule if schedule is None else schedule
    made = checked(row.cipher, machine, row.operation, row.key_bits, chosen)
    assert isinstance(made, SimulatedProgram)
    return made


def cycles(row: Row, parameters: str = "", schedule: Schedule | None = None) -> float:
    """Cycles a block (or byte) of the row's program."""
    return program(row, parameters, schedule).cycles_a_block


def optimised(row: Row, parameters: str = "") -> float:
    """Cycles a block of the best program that the machine finds."""
    try:
        return cycles(row, parameters, Schedule(optimise="on"))
    except ScheduleError:
        return cycles(row, parameters)


def published_cycles(row: Row) -> float:
    """The paper's cycles of one block."""
    return float(paper("ptlu")["superscalar"][row.name]["cycles"]) / row.blocks


def published_speedups(row: Row) -> dict[str, float]:
    """The paper's speed-ups, by column of table 6."""
    own = paper("ptlu")
    columns = own["superscalar_columns"]
    return dict(zip(columns, own["superscalar"][row.name]["speedup"], strict=True))


def columns() -> tuple[str, ...]:
    """Instructions and memory accesses a cycle of table 6, without its first column."""
    return tuple(paper("ptlu")["superscalar_columns"][1:])


def superscalar(row: Row) -> dict[str, float]:
    """Our speed-ups, by column of table 6."""
    base = cycles(row)
    return {column: base / cycles(row, f"issue={column}") for column in columns()}


@dataclass(frozen=True, slots=True)
class Gain:
    """Speed-ups by parallel lookup on one word size.

    ``one_rule``: under each row's schedule for the base machine, on the paper's multiplier; ``same_effort``:
    the best programs that are found for both machines; ``fitted``: under a schedule and on a multiplier that
    were chosen for the row with the paper's figure in sight.
    """

    one_rule: float
    same_effort: float
    fitted: float


def gain(row: Row, word: str) -> Gain:
    """Our speed-ups by parallel lookup on words of so many bits."""
    parallel = f"word={word},with=ptlu"
    return Gain(
        cycles(row) / cycles(row, parallel),
        optimised(row) / optimised(row, parallel),
        fitted_gain(row, word),
    )


def fitted_gain(row: Row, word: str) -> float:
    """The speed-up under the schedule and on the multiplier that were chosen for a row."""
    base = cycles(row, _multiplier(row, WORDS[0]))
    parameters = ",".join(filter(None, [f"word={word}", _multiplier(row, word), "with=ptlu"]))
    return base / cycles(row, parameters, row.parallel.get(word))


def published_gain(row: Row, word: str) -> float:
    """The paper's speed-up."""
    return float(paper("ptlu")["ptlu_speedup"][row.name][word])


def _multiplier(row: Row, word: str) -> str:
    return half_multiplier(word) if row.half_products else ""


def half_multiplier(word: str) -> str:
    """Parameters of a machine whose products are of half words."""
    return f"multiplier={int(word) // 2}"


def profiles() -> Iterator[tuple[str, Mapping[str, float], Mapping[str, Mapping[str, float]]]]:
    """For each row of table 3 the paper's percentages, and ours under each rule of counting."""
    for name, entry in notes_on("ptlu")["profiles"].items():
        made = program(rows()[entry["row"]], entry.get("machine", ""))
        theirs = paper("ptlu")["execution_time_percent"][name]
        yield name, theirs, {rule: profile(made, rule) for rule in RULES}


@dataclass(frozen=True, slots=True)
class LookupTables:
    """Tables by entries and bits of an entry, and how often a kernel reads them a block."""

    shapes: Mapping[tuple[int, int], int]
    reads: float
    writes: float


def lookup_tables(row: Row, parameters: str = "") -> LookupTables:
    """The tables in memory that the row's program reads at places that depend on the data."""
    made = program(row, parameters)
    counts, image = made.sample, made.image
    wanted = [a for a, note in enumerate(image.notes) if note in _READS and image.parts[a] == "block"]
    code = made.simulator.code
    reads, writes = (
        sum(counts.executed[a] for a in wanted if code[a].instruction.effect == effect) / made.sampled_blocks
        for effect in ("load", "store")
    )
    shapes: Counter[tuple[int, int]] = Counter()
    for table in made.tables():
        shapes[table.length, 8 * table.bytes] += 1
    return LookupTables(shapes, reads, writes)


@dataclass(frozen=True, slots=True)
class Cached:
    """A program whose data come through a cache: cycles a block, and how many of its table lookups a block
    do not find their line there."""

    cycles: float
    misses: float


def cached(row: Row, data_cache: DataCache, parameters: str = "") -> Cached:
    """The row's program behind a data cache, once the same blocks have gone through it before."""
    made = program(row, ",".join(filter(None, [parameters, f"cache={data_cache}"])))
    size = _CACHED_CALLS * made.program.block.bytes
    session = Session(made, bytes(k % 251 for k in range(row.key_bits // 8)), size)
    data = random.Random(size).randbytes(size)
    session.crypt(data)
    session.state.clear()
    session.crypt(data)
    counts, blocks = session.counts(), _CACHED_CALLS * made.blocks
    missed = sum(counts.misses.get(("block", note), 0) for note in _READS)
    return Cached(counts.cycles["block"] / blocks, missed / blocks)


def round_instructions(parameters: str = "") -> float:
    """Instructions of a round of AES on a machine that starts one a cycle: what AES-256 takes more than
    AES-128, by its four rounds more. Steps of pointers, the branch and reloads of them are not counted."""
    shorter, longer = (_work(program(rows()[name], parameters)) for name in ("aes-128", "aes-256"))
    return (longer - shorter) / 4


def _work(made: SimulatedProgram) -> float:
    return made.cycles_a_block * (1 - profile(made, RULES[0])[OTHER] / 100)


def wider(row: Row, word: str) -> float:
    """The speed-up by wider words alone, one block a kernel call."""
    return cycles(row) / cycles(row, f"word={word}")


#: Calls whose cache misses are counted.
_CACHED_CALLS = 64
#: What the comments of the text say of accesses to tables, and to arrays that change.
_READS = ("lookup", "state")


@dataclass(frozen=True, slots=True)
class Candidate:
    """Something that an architect can add.

    ``area``: in lookup tables of 256 words of 32 bits; ``schedule``: one that is tried beside the row's.
    """

    name: str
    parameters: str
    area: float
    schedule: str = ""


def candidates() -> tuple[Candidate, ...]:
    """What is compared beyond the paper."""
    return tuple(Candidate(**entry) for entry in notes_on("ptlu")["candidates"]["machines"])


def gaining(names: Sequence[str]) -> Resumable[str, dict[str, float]]:
    """What the encryption of each cipher gains by each candidate."""
    return Resumable(_gains, names)


def _gains(name: str) -> dict[str, float]:
    return gains(next(every_row([name])))


def gains(row: Row) -> dict[str, float]:
    """Speed-up by each candidate."""
    base = cycles(row)
    return {one.name: base / _fewest(row, one) for one in candidates()}


def _fewest(row: Row, one: Candidate) -> float:
    """Cycles a block, under whichever schedule takes fewer."""
    own = cycles(row, one.parameters)
    if not one.schedule:
        return own
    return min(own, cycles(row, one.parameters, parse_schedule([one.schedule]).over(row.schedule)))
