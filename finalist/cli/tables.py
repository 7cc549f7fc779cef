"""What the commands show, as records for JSON and as tables for people."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, fields
from typing import Any

from rich import box
from rich.console import RenderableType
from rich.table import Table

from finalist.errors import CompilerError
from finalist.language.cipher import Cipher, Facts, lengths
from finalist.machines.base import Machine
from finalist.measure.results import Row
from finalist.vectors.load import vectors_of
from finalist.vectors.matrix import Verdict

Record = dict[str, Any]


def _table(left: Sequence[str], right: Sequence[str] = (), last: Sequence[str] = ()) -> Table:
    """A plain table: columns of text, of numbers, of text again."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, collapse_padding=True)
    for name in left:
        table.add_column(name)
    for name in right:
        table.add_column(name, justify="right")
    for name in last:
        table.add_column(name)
    return table


# -- ciphers and machines ----------------------------------------------------------------------------


def of_cipher(name: str, found: type[Cipher]) -> Record:
    """A cipher as a record; the facts of a definition that states none are None."""
    nothing = dict.fromkeys(field.name for field in fields(Facts))
    return {
        "name": name,
        **(nothing if found.facts is None else asdict(found.facts)),
        "block_bits": found.block.bytes * 8,
        "key_bits": list(found.key_bits),
        "summary": _first_line(found.__doc__),
        "vectors": len(vectors_of(found)),
    }


def _first_line(text: str | None) -> str:
    return (text or "").strip().partition("\n")[0]


#: Columns of the key lengths, which are many for some ciphers.
_KEYS_WIDTH = 10


def ciphers(records: Iterable[Record]) -> Table:
    """All ciphers; the long facts below one another, so that a row fits 80 columns."""
    table = _table(["cipher"], ["year", "block"], ["key bits", "state", "structure, designers, analysis"])
    table.columns[3].max_width, table.leading = _KEYS_WIDTH, 1
    for one in records:
        long = (one[name] for name in ("structure", "designers", "analysis"))
        table.add_row(
            one["name"],
            str(one["year"] or ""),
            str(one["block_bits"]),
            lengths(one["key_bits"]),
            one["state"] or "",
            "\n".join(text for text in long if text) or one["summary"],
        )
    return table


def of_machine(found: Machine) -> Record:
    """A machine as a record; ``missing`` says what it lacks here, if it can't be used."""
    record: Record = {"name": found.name, "summary": found.summary, "missing": "", "conditions": {}}
    try:
        record["conditions"] = dict(found.describe())
    except CompilerError as error:
        record["missing"] = str(error)
    return record


def machines(records: Iterable[Record]) -> Table:
    """All machines, one a row."""
    table = _table(["machine", "what it is", "here"])
    for one in records:
        told = [f"{name}: {value}" for name, value in one["conditions"].items()]
        table.add_row(one["name"], one["summary"], "\n".join(told) or f"not to be had: {one['missing']}")
    return table


# -- verify ------------------------------------------------------------------------------------------


def verdicts(found: Sequence[Verdict]) -> Iterator[RenderableType]:
    """A row for each cipher and machine; then every failure, and each reason for a refusal once."""
    table = _table(["cipher", "machine"], ["programs", "failed", "refused", "known answers", "Monte Carlo"])
    for cipher, machine in dict.fromkeys((one.cipher, one.machine) for one in found):
        own = [one for one in found if (one.cipher, one.machine) == (cipher, machine)]
        count = Counter(one.status for one in own)
        numbers = (
            count["ok"] + count["failed"],
            count["failed"],
            count["refused"],
            sum(one.known_answers for one in own),
            sum(one.monte_carlo for one in own),
        )
        table.add_row(cipher, machine, *map(str, numbers))
    yield table
    yield from (f"failed: {_cell(one)}: {one.reason}" for one in found if one.status == "failed")
    yield from dict.fromkeys(f"refused: {one.reason}" for one in found if one.status == "refused")


def _cell(one: Verdict) -> str:
    return f"{one.cipher} {one.operation}, {one.key_bits}-bit key, {one.machine}, schedule {one.schedule}"


# -- bench -------------------------------------------------------------------------------------------


def figures(rows: Sequence[Row]) -> Iterator[RenderableType]:
    """The conditions; the figures, a row for each cipher and key length; the schedules that they are of."""
    first = rows[0]
    yield f"{first.machine}: {first.processor}"
    yield f"{first.compiler} {first.flags}"
    per_cycle = min(row.ticks_per_cycle for row in rows)
    yield f"clock {first.clock}, {per_cycle:.3f} ticks a core cycle"
    yield f"Finalist {first.commit}, {first.date}"
    yield _figures(rows)
    yield _schedules(rows)


_Figures = dict[tuple[str, str], Row]

#: Heading, quantity, what is shown of its row, decimals; one number, or encryption's and decryption's.
_ONE: tuple[tuple[str, str, str, int], ...] = (
    ("key\nset-up\ncycles", "key set-up", "core_cycles", 0),
    ("latency\ncycles\n/block", "latency", "core_cycles", 0),
)
_BOTH: tuple[tuple[str, str, str, int], ...] = (
    ("cycles/byte\nencr.  decr.", "bulk", "core_cycles", 2),
    ("ticks/byte\nencr.  decr.", "bulk", "ticks", 2),
    ("Mbit/s\nencr.  decr.", "bulk", "mbit_per_s", 0),
)


def _figures(rows: Sequence[Row]) -> Table:
    table = _table(["cipher"], ["key\nbits", *(heading for heading, *_ in (*_ONE, *_BOTH))])
    for cipher, bits in dict.fromkeys((row.cipher, row.key_bits) for row in rows):
        own = {(r.quantity, r.operation): r for r in rows if (r.cipher, r.key_bits) == (cipher, bits)}
        table.add_row(cipher, str(bits), *_numbers(own))
    return table


def _numbers(own: _Figures) -> Iterator[str]:
    for _, quantity, what, digits in _ONE:
        # Of encryption, or of decryption where only that was measured.
        row = own.get((quantity, "encrypt")) or own.get((quantity, "decrypt"))
        yield _number(row, what, digits)
    for _, quantity, what, digits in _BOTH:
        pair = (own.get((quantity, operation)) for operation in ("encrypt", "decrypt"))
        yield " ".join(_number(row, what, digits).rjust(6) for row in pair)


def _number(row: Row | None, what: str, digits: int) -> str:
    value = None if row is None else getattr(row, what)
    return "-" if value is None else f"{value:.{digits}f}"


def _schedules(rows: Sequence[Row]) -> Table:
    """How the bulk programs are laid out; too long for a column beside the figures."""
    of_schedule: dict[tuple[str, str], dict[str, None]] = {}
    for row in rows:
        if row.quantity == "bulk":
            of_schedule.setdefault((row.schedule, row.timing), {})[row.cipher] = None
    table = _table(["schedule", "timing", "ciphers"])
    for (schedule, timing), names in of_schedule.items():
        table.add_row(schedule, timing, ", ".join(names))
    return table
