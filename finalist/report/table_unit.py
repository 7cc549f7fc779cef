"""The sheets of `finalist paper ptlu` about the table unit: lookups and tables, delays, area, clocks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from finalist.papers import ptlu, table_unit
from finalist.papers.load import notes_on, paper
from finalist.papers.ptlu import Row
from finalist.report.sheets import Row as Cells
from finalist.report.sheets import Sheet

#: What has lookups on words as wide as a block.
_WIDEST = f"word={ptlu.WORDS[-1]},with=ptlu"


def remark(name: str) -> str:
    """What the notes say of a table."""
    return str(notes_on("ptlu")["remarks"].get(name, ""))


def tables() -> Sheet:
    """Table 4, of AES also with longer keys, and what goes to memory where there is parallel lookup."""
    cells: list[Cells] = []
    for name, entry in paper("ptlu")["lookup_tables"].items():
        usual = notes_on("ptlu")["profiles"][name]["row"]
        own = f"{entry['tables']} x {entry['entries']} x {entry['entry_bits']} bits"
        for label, row, reads in _lookups(name, usual, entry):
            found, left = ptlu.lookup_tables(row), ptlu.lookup_tables(row, _WIDEST)
            ours = ", ".join(f"{n} x {length} x {bits} bits" for (length, bits), n in found.shapes.items())
            theirs = (own, str(reads), str(entry.get("writes", 0)))
            cells.append((label, *theirs, ours, f"{found.reads:g}", f"{found.writes:g}", f"{left.reads:g}"))
    header = ("cipher", "paper's tables", "lookups", "writes", "ours", "lookups", "writes", "from memory")
    return Sheet("Table 4: lookup tables", header, tuple(cells), 0, remark("tables"))


def _lookups(name: str, usual: str, entry: Mapping[str, Any]) -> Iterator[tuple[str, Row, int]]:
    """Rows with the paper's reads, by key length where it has them so."""
    reads = entry.get("lookups_per_block", entry.get("reads"))
    if not isinstance(reads, dict):
        yield name, ptlu.rows()[usual], reads
        return
    for row in ptlu.rows().values():
        if row.cipher == ptlu.rows()[usual].cipher:
            label = name if row.name == usual else f"{name}, {row.key_bits}-bit keys"
            yield label, row, reads[str(row.key_bits)]


def latencies() -> Sheet:
    """Table 5, and the model of it."""
    cells: list[Cells] = []
    for word in map(int, ptlu.WORDS):
        shown = [f"{word} bits"]
        for what in table_unit.TIMED:
            theirs = table_unit.published_delays(what)[word]
            models = table_unit.delay(what, word), table_unit.delay_by_others(what, word)
            shown += [f"{theirs}", *(f"{ns:.3f}" for ns in models)]
        ratio = table_unit.published_delays("lookup")[word] / table_unit.published_delays("alu")[word]
        cells.append((*shown, f"{ratio:.2f}"))
    header = (
        "word",
        "ALU",
        "model",
        "by the others",
        "table lookup",
        "model",
        "by the others",
        "lookup / ALU",
    )
    return Sheet("Table 5: latencies", header, tuple(cells), 7, remark("latency"))


def area() -> Sheet:
    """The area of eight tables."""
    theirs, one = table_unit.published_areas(), table_unit.area(32, 1)
    cells: list[Cells] = []
    for bits in map(int, ptlu.WORDS):
        ours = table_unit.area(bits)
        cells.append((f"{bits} bits", f"{theirs.get(bits, '-')}", f"{ours:.2f}", f"{ours / one:.0f}"))
    header = ("entry", "paper, mm2", "model, mm2", "tables of 32 bits")
    note = f"{remark('area')} A bit takes {table_unit.area_of_a_bit():.1f} square micrometres."
    return Sheet("Area of eight tables", header, tuple(cells), 2, note)


def round_of_aes() -> Sheet:
    """How many instructions a round takes."""
    theirs = paper("ptlu")["aes_round_instructions"]
    found = {"base": ptlu.round_instructions(), "ptlu, 128-bit": ptlu.round_instructions(_WIDEST)}
    cells = tuple((name, str(theirs[name]), f"{ours:.0f}") for name, ours in found.items())
    return Sheet("Instructions of a round of AES", ("machine", "paper", "ours"), cells, 2, remark("round"))


def wider(rows: Sequence[Row]) -> Sheet:
    """Wider words without parallel lookup."""
    theirs = paper("ptlu")["wordsize_without_ptlu_speedup"]
    cells: list[Cells] = []
    for row in rows:
        ours = (ptlu.wider(row, word) for word in ptlu.WORDS)
        cells.append((row.name, f"{theirs:.2f}", *(f"{gain:.2f}" for gain in ours)))
    header = ("cipher", "paper", *(f"{word} bits" for word in ptlu.WORDS))
    return Sheet("Table 7: wider words without parallel lookup", header, tuple(cells), 4, remark("wider"))


def by_the_clock(rows: Sequence[Row]) -> Sheet:
    """Table 7 if the ALU sets the clock."""
    alu = table_unit.published_delays("alu")
    cells: list[Cells] = []
    for row in rows:
        shown = [row.name]
        for word in ptlu.WORDS:
            slower = alu[int(word)] / alu[int(ptlu.WORDS[0])]
            ours = ptlu.cycles(row) / ptlu.cycles(row, f"word={word},with=ptlu")
            shown.append(f"{ptlu.published_gain(row, word) / slower:.2f} / {ours / slower:.2f}")
        cells.append(tuple(shown))
    header = ("cipher", *(f"{word} bits" for word in ptlu.WORDS))
    return Sheet("Table 7 by the clock", header, tuple(cells), 3, remark("clock"))
