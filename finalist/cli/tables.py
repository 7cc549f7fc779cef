"""What the commands show, as records for JSON and as tables for people."""

from __future__ import annotations

import re
import textwrap
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, fields
from typing import TYPE_CHECKING, Any

from rich import box
from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from finalist.ciphers.catalogue import identity
from finalist.errors import CompilerError
from finalist.language.cipher import Cipher, Facts
from finalist.language.parameters import accepted
from finalist.machines.base import Machine
from finalist.passes.timing import LABELS
from finalist.report import markdown
from finalist.report.sheets import MARK, Sheet
from finalist.vectors.load import OWN

if TYPE_CHECKING:  # what a command shows, it has imported
    from finalist.measure.leaks import Verdict as LeakVerdict
    from finalist.papers.byteorder import Comparison
    from finalist.vectors.matrix import Verdict

Record = dict[str, Any]


def plain(left: Sequence[str], right: Sequence[str] = (), last: Sequence[str] = ()) -> Table:
    """A plain table: columns of text, of numbers, of text again."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, collapse_padding=True)
    for name in left:
        table.add_column(name)
    for name in right:
        table.add_column(name, justify="right")
    for name in last:
        table.add_column(name)
    return table


def of_sheet(sheet: Sheet) -> Iterator[RenderableType]:
    """A sheet: title, note, table."""
    left = len(sheet.header) - sheet.numbers
    table = plain(sheet.header[:left], sheet.header[left:])
    for row in sheet.rows:
        table.add_row(*(Text(cell.removeprefix(MARK), "red" if MARK in cell else "") for cell in row))
    yield from ([sheet.title] if sheet.title else [])
    yield from ([sheet.note] if sheet.note else [])
    yield table


# -- ciphers and machines ----------------------------------------------------------------------------


def of_cipher(name: str, found: type[Cipher]) -> Record:
    """A cipher as a record; the facts of a definition that states none are None."""
    nothing = dict.fromkeys(field.name for field in fields(Facts))
    return {
        "name": name,
        "aliases": list(found.aliases),
        "definition": identity(found),
        **(nothing if found.facts is None else asdict(found.facts)),
        "block_bits": found.block.bytes * 8,
        "key_bits": list(found.key_bits),
        "key_sizes": found.key_sizes(),
        "parameters": {
            name.replace("_", "-"): {"default": getattr(found, name), "accepted": accepted(allowed)}
            for name, allowed in found.parameters.items()
        },
        "summary": found.summary(),
    }


#: Columns of the key lengths, which are many for some ciphers.
_KEYS_WIDTH = 10


def ciphers(records: Iterable[Record]) -> Table:
    """All ciphers; the long facts below one another, so that a row fits 80 columns."""
    table = plain(["cipher"], ["year", "block"], ["key bits", "state", "structure, designers, analysis"])
    table.columns[3].max_width, table.leading = _KEYS_WIDTH, 1
    for one in records:
        called = f"also called {', '.join(one['aliases'])}" if one["aliases"] else ""
        own = "; ".join(f"{key}={of['default']} ({of['accepted']})" for key, of in one["parameters"].items())
        facts = (one[name] for name in ("structure", "designers", "analysis"))
        long = (called, own and f"parameters: {own}", *facts)
        table.add_row(
            one["name"],
            str(one["year"] or ""),
            str(one["block_bits"]),
            one["key_sizes"],
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
    table = plain(["machine", "what it is", "here"])
    for one in records:
        told = [f"{name}: {value}" for name, value in one["conditions"].items()]
        table.add_row(one["name"], one["summary"], "\n".join(told) or f"not to be had: {one['missing']}")
    return table


# -- vectors that are not published ------------------------------------------------------------------

#: What stands beside a name whose programs are held to nothing else, and what it means.
OWN_MARK = " *"
_OWN_NOTE = (
    f"{OWN_MARK.strip()} own vectors, not published: made by the definition itself; programs agree with it,"
    " it is not shown to be right"
)


def marked(name: str, vectors: str) -> str:
    """The name of a cipher whose programs were held to these vectors (`finalist.vectors.load.provenance`)."""
    return name + OWN_MARK if vectors == OWN else name


def own_note(vectors: Iterable[str]) -> Iterator[str]:
    """What the mark means, where it occurs."""
    if OWN in vectors:
        yield _OWN_NOTE


# -- verify ------------------------------------------------------------------------------------------


def verdicts(found: Sequence[Verdict]) -> Iterator[RenderableType]:
    """A row for each cipher and machine; then every failure, and each reason for a refusal once."""
    columns = ["programs", "failed", "refused", "known answers", "Monte Carlo"]
    table = plain(["cipher", "machine"], columns, ["timing"])
    held_to = []
    for which in dict.fromkeys(_which(one) for one in found):
        own = [one for one in found if _which(one) == which]
        count = Counter(one.status for one in own)
        answers, not_published = sum(one.known_answers for one in own), sum(one.own for one in own)
        numbers = (
            count["ok"] + count["failed"],
            count["failed"],
            count["refused"],
            answers,
            sum(one.monte_carlo for one in own),
        )
        held_to.append(OWN if answers and answers == not_published else "")
        cipher, machine = marked(own[0].cipher, held_to[-1]), own[0].machine
        labels = {one.timing for one in own if one.timing}
        table.add_row(
            cipher, machine, *map(str, numbers), ", ".join(label for label in LABELS if label in labels)
        )
    yield table
    yield from own_note(held_to)
    yield from _failures([one for one in found if one.status == "failed"])
    yield from dict.fromkeys(f"refused: {one.reason}" for one in found if one.status == "refused")


def _which(one: Verdict) -> tuple[str, str, str]:
    return one.cipher, one.definition, one.machine


def _failures(found: Sequence[Verdict]) -> Iterator[str]:
    """Each failure, with its explanation; where several programs fail in the same way it is told once."""
    alike: dict[tuple[str, ...], list[Verdict]] = {}
    for one in found:
        # What comes after the schedule says which vector it was, and what came.
        what = re.sub(r"^.*? schedule [^:]*: ", "", one.reason)
        which = (one.cipher, one.definition, one.operation, str(one.key_bits), what, one.explanation)
        alike.setdefault(which, []).append(one)
    told: set[tuple[str, str, str]] = set()
    for (cipher, definition, operation, bits, what, explanation), own in alike.items():
        programs = "; ".join(f"{one.machine}, schedule {one.schedule}" for one in own)
        yield f"failed: {cipher} {operation}, {bits}-bit key, {programs}: {what}"
        verdict = (cipher, definition, explanation.partition(":")[0])
        if verdict not in told:  # what is wrong in one direction is most often wrong in the other
            yield from (f"  {line}" for line in explanation.splitlines())
        told.add(verdict)


# -- leaks -------------------------------------------------------------------------------------------


def leaks(found: Sequence[LeakVerdict]) -> Iterator[RenderableType]:
    """A row for each program; then, build by build, where one leaks that must not; then what was not seen."""
    table = plain(
        ["cipher", "operation", "schedule", "label"],
        ["key bits", "builds", "key schedule", "kernel"],
        ["verdict"],
    )
    for one in found:
        numbers = (one.key_bits, len(one.found), one.key_schedule, one.kernel)
        table.add_row(one.cipher, one.operation, one.schedule, one.label, *map(str, numbers), one.status)
    yield table
    for one in found:
        if one.status == "leaks":
            head = f"{one.cipher} {one.operation}, {one.key_bits}-bit key, schedule {one.schedule}"
            seen = (watched for watched in one.found if not watched.clean)
            yield from (f"leaks: {head}, {each.build}: {each.first or 'see valgrind'}" for each in seen)
    for one in found:
        if one.instead_of:
            what = f"{one.cipher} {one.operation}"
            yield f"in a narrower form, which valgrind can execute: {what}, not {one.instead_of}"
    without = sorted({macro for one in found for each in one.found for macro in each.without})
    if without:
        yield f"watched without what valgrind does not know: {', '.join(without)}"
    yield from dict.fromkeys(f"refused: {one.reason}" for one in found if one.status == "refused")
    for one in found:
        if one.status == "failed":
            head = f"{one.cipher} {one.operation}, {one.key_bits}-bit key, schedule {one.schedule}"
            yield f"failed: {head}: {one.reason}"


# -- byte order --------------------------------------------------------------------------------------

_BYTE_ORDER_TITLE = (
    "Within which words the bytes of key, plaintext and ciphertext, as printed, have to be inverted (128-bit"
    " words: the whole value), where a little-endian machine reads them in words of 32 or of 64 bits:"
)
_BYTE_ORDER = (
    "cipher",
    "words of the definition",
    "read in 32-bit words",
    "read in 64-bit words",
    "the paper",
    "verdict",
)


def of_comparison(one: Comparison) -> Record:
    """What was found for a cipher, and what is published, as a record."""
    block, found = one.finding.block, one.finding.actions
    return {
        "cipher": one.finding.cipher,
        "key_bits": one.finding.key_bits,
        "words": {
            "count": block.count,
            "bits": block.width,
            "order": block.order.value if block.width > 8 else None,
        },
        "found": {str(bits): {part: v.value for part, v in a._asdict().items()} for bits, a in found.items()},
        "published": one.published and one.published.value,
        "agrees": list(one.agrees),
        "note": one.note,
        "vectors": list(one.finding.vectors),
    }


def byte_orders(records: Sequence[Record]) -> Iterator[RenderableType]:
    """What the table says; a row for each cipher; the notes."""
    yield _BYTE_ORDER_TITLE
    table = plain(_BYTE_ORDER)
    for one in records:
        table.add_row(*_byte_order(one))
    yield table
    yield from (f"{one['cipher']}: {one['note']}" for one in records if one["note"])


def byte_orders_in_markdown(records: Sequence[Record]) -> str:
    """As `byte_orders`."""
    notes = [f"- **{one['cipher']}**: {one['note']}" for one in records if one["note"]]
    table = markdown.table(_BYTE_ORDER, map(_byte_order, records), numbers=0).rstrip()
    parts = [_wrapped(_BYTE_ORDER_TITLE), table, "\n".join(map(_wrapped, notes))]
    return "\n\n".join(part for part in parts if part)


def _wrapped(text: str) -> str:
    after = "  " if text.startswith("- ") else ""
    return textwrap.fill(text, 120, subsequent_indent=after, break_on_hyphens=False)


def _byte_order(record: Record) -> list[str]:
    """A row: cipher, words, what was found in each reading, what is published, whether they agree."""
    words, agrees = record["words"], record["agrees"]
    layout = f"{words['count']} bytes"
    if words["order"]:
        layout = f"{words['count']} of {words['bits']} bits, {words['order']}-endian"
    published = record["published"]
    verdict = "differs" if published else "-"
    if agrees:
        verdict = "agrees" + (f" in {agrees[0]}-bit words" if len(agrees) < len(record["found"]) else "")
    found = [_actions(parts) for parts in record["found"].values()]
    return [record["cipher"], layout, *found, _words(published) if published else "-", verdict]


def _actions(parts: Mapping[str, str]) -> str:
    """What is done to all parts, or to each."""
    if len(set(parts.values())) == 1:
        return _words(parts["key"])
    return ", ".join(f"{part}: {_words(action)}" for part, action in parts.items())


def _words(action: str) -> str:
    return action.removeprefix("invert bytes in ")
