"""A page about each cipher, and one about all: what is known of them, and their operations counted."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from itertools import groupby

from finalist.ciphers.catalogue import (
    GROUP_TITLES,
    GROUPS,
    USUAL_GROUP,
    built_in,
    group_of,
    is_built_in,
)
from finalist.ir.program import ByteOrder
from finalist.language.cipher import Cipher
from finalist.language.definition import OPERATIONS
from finalist.passes.inversions import POLYNOMIAL, Inversion
from finalist.passes.matrices import identity
from finalist.report import compare, listing
from finalist.report.counts import Operations, Rounds, TableUse
from finalist.report.diagrams.boxes import LEGEND, of_round
from finalist.report.diagrams.mermaid import mermaid
from finalist.report.kinds import MULTIPLICATIONS, Kind
from finalist.report.markdown import Cell, bits, row, table
from finalist.report.plots.operations import Bar, bar, plot
from finalist.report.plots.render import svg
from finalist.report.profile import COMPILED, WRITTEN, Form, Profile, profile

ENCRYPT, DECRYPT = OPERATIONS
INDEX, PICTURE = "README.md", "operations.svg"
#: Sorts of rounds that get a column each; where there are more, no two rounds are much alike.
_MOST_SORTS = 6

#: Above the tables that are inversions.
_INVERSIONS = f"""
Inversion in GF(2^8), found from the tables: they are B / (A x + a) + b modulo {POLYNOMIAL:#x}, whatever
polynomial the specification has. A and B are linear over GF(2), told by what they make of 1, 2, 4, ..., 80;
processors have instructions for this ([how](../schedules.md#lookup)).
"""

_TITLES = {ENCRYPT: "encryption", DECRYPT: "decryption"}


@dataclass(frozen=True, slots=True)
class Told:
    """What is told of one cipher: its page, its row in the table of its group, its bar in the picture."""

    name: str
    group: str
    page: str
    entry: str
    bar: Bar


def tell(cipher: type[Cipher]) -> Told:
    """All of a cipher. Raises DefinitionError where the definition misuses the language."""
    found = profile(cipher, cipher.usual_key_bits())
    return Told(cipher.name(), group_of(cipher), page(found), entry(found), bar(found))


def files(told: Sequence[Told]) -> dict[str, str]:
    """The pages about these ciphers, by the names of their files: one for each, and the index."""
    entries = {group: [one.entry for one in told if one.group == group] for group in GROUPS}
    return {f"{one.name}.md": one.page for one in told} | {INDEX: index(entries)}


def picture(told: Sequence[Told]) -> dict[str, str]:
    """The index's plot, of the ciphers of the usual group, by the name of its file."""
    return {PICTURE: svg(plot([one.bar for one in told if one.group == USUAL_GROUP]))}


def page(found: Profile) -> str:
    """The page of a cipher."""
    parts = (_head, _glance, _diagram, _operations, _tables, _rounds, _key_schedule, _key_lengths, _papers)
    return "\n".join(text for part in parts for text in part(found))


def entry(found: Profile) -> str:
    """The cipher's row in the table of all."""
    cipher, form, facts = found.cipher, found.form(COMPILED), found.cipher.facts
    known = (str(facts.year), facts.structure, facts.state) if facts else ("", "", "")
    return row(
        [
            f"[{_title(cipher)}]({cipher.name()}.md)",
            *known,
            str(cipher.block.bytes * 8),
            _keys(cipher),
            found.rounds,
            form.counts.lookups,
            form.counts.of(Kind.READ, Kind.WRITE),
            form.counts.of(*MULTIPLICATIONS),
            f"{form.path:,} ({form.path_by_trees:,})",
            _table_bytes(form),
        ]
    )


def index(entries: Mapping[str, Iterable[str]]) -> str:
    """The page about all ciphers, from the rows of each group's table."""
    template = (resources.files("finalist.report") / "index.md").read_text("utf-8")
    head = table(_COLUMNS, (), 5).rstrip()
    tables = ("\n".join([f"**{GROUP_TITLES[group]}**\n", head, *rows]) for group, rows in entries.items())
    return template.replace("{table}", "\n\n".join(tables))


_COLUMNS = (
    "cipher",
    "year",
    "structure",
    "state",
    "block",
    "keys",
    "rounds",
    "lookups",
    "array accesses",
    "multiplications",
    "critical path (trees)",
    "table bytes",
)


def _table_bytes(form: Form) -> str:
    fixed, of_key = form.table_bytes, form.key_table_bytes
    parts = ([f"{fixed:,}"] if fixed or not of_key else []) + ([f"{of_key:,} of the key"] if of_key else [])
    return " + ".join(parts)


# -- the parts of a page -----------------------------------------------------------------------------


def _title(cipher: type[Cipher]) -> str:
    return cipher.facts.title if cipher.facts else cipher.name()


def _head(found: Profile) -> Iterator[str]:
    cipher, facts, layout = found.cipher, found.cipher.facts, found.cipher.block
    yield f"# {_title(cipher)}\n"
    yield cipher.summary() + "\n"
    rows = []
    if facts:
        rows += [["year", str(facts.year)], ["designers", facts.designers], ["structure", facts.structure]]
        rows += [["state", f"**{facts.state}**: {facts.analysis}"]]
    order = "" if layout.width == 8 else f", {_ORDERS[layout.order]}"
    plural = "word" if layout.count == 1 else "words"
    block = f"{bits(layout.bytes * 8)}: {layout.count} {plural} of {bits(layout.width)}{order}"
    rows += [["block", block], ["key bits", _keys(cipher)]]
    if found.rounds:
        varies = len({form.round_numbers for form in found.by_length.values()}) > 1
        rows.append(["rounds", found.rounds + (_with_keys(found) if varies else "")])
    yield table(["", ""], [*rows, ["definition", _definition(cipher)]], 0)


def _keys(cipher: type[Cipher]) -> str:
    """Its key lengths, none of a permutation, and how much of that is no secret."""
    public = f", {bits(cipher.public.bytes * 8)} of them public" if cipher.public else ""
    return cipher.key_sizes() + public if any(cipher.key_bits) else "none"


def _with_keys(found: Profile) -> str:
    return f" with {found.key_bits}-bit keys" if found.key_bits else ""


_ORDERS = {ByteOrder.LITTLE: "the lowest byte first", ByteOrder.BIG: "the highest byte first"}


def _definition(cipher: type[Cipher]) -> str:
    if not is_built_in(cipher):
        return f"`{cipher.source or cipher.name()}`"
    path = built_in()[(cipher.base or cipher).name()].replace(".", "/") + ".py"
    return f"[{path}](../../{path})"


def _glance(found: Profile) -> Iterator[str]:
    forms = found.forms[ENCRYPT]
    unit = "one step of the key stream" if found.cipher.stateful else "one block"
    yield "## At a glance\n"
    words = f" The words are explained [here]({INDEX}#the-words)." if is_built_in(found.cipher) else ""
    yield f"Encryption of {unit}{_with_keys(found)}.{words}\n"
    lines: list[tuple[str, Sequence[Cell]]] = [
        ("operations", [form.counts.total for form in forms]),
        ("of these, on the key alone", [form.counts.of_key for form in forms]),
        ("lookups", [form.counts.lookups for form in forms]),
        ("critical path, operations", [form.path for form in forms]),
        ("critical path, sums as trees", [form.path_by_trees for form in forms]),
        ("tables, bytes", [form.table_bytes for form in forms]),
        ("expanded key, bytes", [form.key_bytes for form in forms]),
        ("of these, tables", [form.key_table_bytes for form in forms]),
        ("timing", [form.timing for form in forms]),
    ]
    kept = [[name, *cells] for name, cells in lines if any(cells)]
    yield table(["", *(form.name for form in forms)], kept)


def _diagram(found: Profile) -> Iterator[str]:
    diagram = of_round(found.form(WRITTEN).kernel)
    if diagram:
        yield "## A round, drawn\n"
        yield f"{diagram.title}; encryption as it is written. {LEGEND}\n"
        yield f"```mermaid\n{mermaid(diagram)}```\n"


def _operations(found: Profile) -> Iterator[str]:
    yield "## Operations\n"
    yield listing.counted({key: form.counts for key, form in _forms(found)})


def _forms(found: Profile) -> Iterator[tuple[tuple[str, str], Form]]:
    """All forms, by operation and name."""
    for operation, forms in found.forms.items():
        yield from (((_TITLES[operation], form.name), form) for form in forms)


def _tables(found: Profile) -> Iterator[str]:
    rows: dict[tuple[Cell, ...], list[str]] = {}
    for form in found.forms[ENCRYPT]:
        for _, group in groupby(form.counts.tables, lambda one: (one.kind, one.entries, one.width)):
            rows.setdefault(_alike(list(group)), []).append(form.name)
    if rows:
        yield "## Tables\n"
        header = ["", "tables", "", "entries", "index bits", "entry bits", "bytes together", "lookups"]
        yield table(header, ([", ".join(names), *cells] for cells, names in rows.items()), 5)
    if found.inversions:
        yield _INVERSIONS
        header = ["table", "A", "a", "B", "b"]
        yield table(header, ([f"`{name}`", *_maps(how)] for name, how in found.inversions.items()), 5)


def _maps(how: Inversion) -> Iterator[str]:
    """The maps around an inversion, and what they add, in hexadecimal."""
    one = identity(len(how.inner))
    for matrix, constant in ((how.inner, how.before), (how.outer, how.shift)):
        yield "1" if matrix == one else f"`{' '.join(f'{column:02x}' for column in matrix)}`"
        yield f"`{constant:02x}`"


def _alike(tables: Sequence[TableUse]) -> tuple[Cell, ...]:
    """What is said of tables of one shape."""
    one, names = tables[0], ", ".join(f"`{one.name}`" for one in tables)
    shape = (one.entries, one.index_bits, one.width, sum(each.bytes for each in tables))
    return (names, one.kind.value, *shape, sum(each.lookups for each in tables))


def _rounds(found: Profile) -> Iterator[str]:
    columns: dict[tuple[str, str], Operations] = {}
    for form in found.forms[ENCRYPT]:
        sorts = _numbered(form.rounds)
        if sorts and len(sorts) <= _MOST_SORTS and form.name in (WRITTEN, COMPILED):
            columns |= {(form.name, numbers): each for numbers, each in sorts}
            columns[form.name, "outside of them"] = form.outside
    if columns:
        yield "## Each round\n"
        yield "Rounds that do the same have one column; *outside of them* is what is not marked as a round.\n"
        yield listing.listed(columns, moves=False)


def _numbered(groups: Iterable[Rounds]) -> list[tuple[str, Operations]]:
    """The sorts of rounds with their numbers, counted from 1 through all groups."""
    found, before = [], 1
    for group in groups:
        for numbers, each in group.sorts:
            word = "rounds" if len(numbers) > 1 else "round"
            found.append((f"{word} {listing.numbers(before + n for n in numbers)}", each))
        before += group.count
    return found


def _key_schedule(found: Profile) -> Iterator[str]:
    schedules = {key: form.key_schedule for key, form in _forms(found) if form.key_schedule}
    yield "## Key schedule\n"
    empty = not any(counts.operations for counts in schedules.values())
    yield "None.\n" if empty else listing.counted(schedules)


def _key_lengths(found: Profile) -> Iterator[str]:
    if len(found.by_length) > 1:
        yield "## Other key lengths\n"
        yield "Encryption as it is written.\n"
        header = ["key bits", "rounds", "operations", "lookups", "critical path", "expanded key, bytes"]
        rows = [[str(bits), *_of_length(form)] for bits, form in found.by_length.items()]
        yield table([*header, "key schedule, operations"], rows)


def _of_length(form: Form) -> list[Cell]:
    schedule = form.key_schedule.total if form.key_schedule else 0
    return [form.round_numbers, form.counts.total, form.counts.lookups, form.path, form.key_bytes, schedule]


def _papers(found: Profile) -> Iterator[str]:
    beside = list(compare.sections(found))
    if beside:
        yield "## In the papers\n"
        yield from beside
