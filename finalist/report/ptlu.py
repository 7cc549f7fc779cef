"""The sheets of `finalist paper ptlu`: the tables of Fiskiran and Lee (2005), ours beside."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import log, sqrt
from typing import Any

from finalist.ciphers.catalogue import cipher as find_cipher
from finalist.isa.simulate.profile import CATEGORIES, RULES
from finalist.isa.target.data_cache import DataCache
from finalist.papers import ptlu, table_unit
from finalist.papers.load import notes_on, paper
from finalist.papers.ptlu import Asked, Row, Speeds
from finalist.report.plots.additions import Point, plot
from finalist.report.plots.style import Spec
from finalist.report.sheets import Row as Cells
from finalist.report.sheets import Sheet


def sheets(every: Mapping[Asked, Speeds] | None = None) -> Iterator[Sheet]:
    """All sheets, each as soon as it is measured; ``every``: what each cipher takes, for a sheet of that."""
    own = list(ptlu.rows().values())
    yield base(own)
    yield from profiles()
    yield tables()
    yield latencies()
    yield area()
    yield superscalar(own)
    yield lookups(own)
    yield wider(own)
    yield by_the_clock(own)
    yield round_of_aes()
    yield sheet(BASE)
    yield sheet(PARALLEL)
    if every:
        yield all_ciphers(every)


def base(rows: Sequence[Row]) -> Sheet:
    """Cycles of the base machine, and the best that we find for it."""
    cells: list[Cells] = []
    for row in rows:
        theirs, ours, best = ptlu.published_cycles(row), ptlu.cycles(row), ptlu.optimised(row)
        shown = f"{theirs:g}"
        if row.blocks > 1:  # undecided: one block, or as many as make our count
            shown = f"{theirs * row.blocks:g}, or {theirs:g} for one of {row.blocks} blocks"
        cells.append((row.name, shown, f"{ours:g}", _apart(ours, theirs), f"{best:g}", _apart(best, theirs)))
        if row.half_products:
            half = ptlu.half_multiplier(ptlu.WORDS[0])
            ours, best = ptlu.cycles(row, half), ptlu.optimised(row, half)
            name = f"{row.name}, products of half words"
            cells.append((name, shown, f"{ours:g}", _apart(ours, theirs), f"{best:g}", _apart(best, theirs)))
    header = ("cipher", "paper", "ours", "apart", "optimised", "apart")
    return Sheet(
        "Cycles of the base machine", header, tuple(cells), 5, f"{remark('optimised')} {remark('base')}"
    )


def _apart(ours: float, theirs: float) -> str:
    return f"{100 * (ours / theirs - 1):+.1f} %"


def profiles() -> Iterator[Sheet]:
    """Table 3 under each rule of counting, the same for all rows."""
    found = list(ptlu.profiles())
    header = ("cipher", *(category.replace("_", " ") for category in CATEGORIES), "points apart")
    for rule in RULES:
        cells: list[Cells] = []
        apart: list[float] = []
        for name, theirs, by_rule in found:
            own = [by_rule[rule][c] - theirs.get(c, 0) for c in CATEGORIES]
            pairs = (f"{theirs.get(c, 0)} / {by_rule[rule][c]:.0f}" for c in CATEGORIES)
            cells.append((name, *pairs, f"{_rms(own):.1f}"))
            apart += own
        note = (
            f"Per cent of the cycles, paper / ours. {remark(f'profile {rule}')} In all {_rms(apart):.1f}"
            f" points apart (root mean square). {remark('profile') if rule == RULES[0] else ''}"
        )
        yield Sheet(f"Table 3: where the time goes, rule {rule}", header, tuple(cells), 8, note)


def _rms(values: Iterable[float]) -> float:
    squares = [value * value for value in values]
    return sqrt(sum(squares) / len(squares))


def superscalar(rows: Sequence[Row]) -> Sheet:
    """Table 6."""
    cells: list[Cells] = []
    errors: dict[str, list[float]] = {}
    for row in rows:
        theirs, ours = ptlu.published_speedups(row), ptlu.superscalar(row)
        own = [ours[c] / theirs[c] - 1 for c in ours]
        cells.append(
            (row.name, *(f"{theirs[c]:.2f} / {ours[c]:.2f}" for c in ours), f"{100 * _rms(own):.1f} %")
        )
        errors.setdefault(row.cipher, []).extend(own)
    by_cipher = [100 * _rms(own) for own in errors.values()]
    every = [e for own in errors.values() for e in own]
    most = max(map(abs, every))
    note = (
        f"Speed-ups over one instruction a cycle, by instructions and memory accesses a cycle, paper / ours."
        f" Ours are {100 * _rms(every):.1f} % off (root mean square), {100 * most:.0f} % at most;"
        f" each cipher counted once, {_rms(by_cipher):.1f} %. {remark('superscalar')}"
    )
    header = ("cipher", *ptlu.columns(), "off")
    return Sheet("Table 6: superscalar machines", header, tuple(cells), 7, note)


def lookups(rows: Sequence[Row]) -> Sheet:
    """Table 7 under one rule for all rows, with the same effort on both sides, and as it can be met."""
    cells: list[Cells] = []
    errors: dict[str, list[float]] = {name: [] for name in _GAINS}
    for row in rows:
        for word in ptlu.WORDS:
            theirs, ours = ptlu.published_gain(row, word), ptlu.gain(row, word)
            shown = []
            for name, field in _GAINS.items():
                value = getattr(ours, field)
                errors[name].append(log(value / theirs))
                shown += [f"{value:.2f}", _apart(value, theirs)]
            cells.append((row.name, word, f"{theirs:.2f}", *shown))
    said = ", ".join(f"{name} {100 * _rms(own):.1f} %" for name, own in errors.items())
    note = f"Speed-ups over the base machine. Root-mean-square error: {said}. {remark('ptlu')}"
    header = ("cipher", "bits", "paper", *(part for name in _GAINS for part in (name, "apart")))
    return Sheet("Table 7: parallel table lookup", header, tuple(cells), 8, note)


#: How the speed-ups of table 7 are taken: columns, and fields of `ptlu.Gain`.
_GAINS = {"one rule": "one_rule", "same effort": "same_effort", "fitted": "fitted"}


def all_ciphers(found: Mapping[Asked, Speeds]) -> Sheet:
    """What the paper has for five ciphers, for all."""
    cells: list[Cells] = []
    wide = ptlu.columns()
    for (name, operation), own in found.items():
        numbers = [f"{own.cycles:.0f}", f"{own.cycles / find_cipher(name).block.bytes:.1f}"]
        numbers += [f"{own.superscalar[column]:.2f}" for column in wide]
        numbers += [f"{own.parallel[word]:.2f}" for word in ptlu.WORDS]
        cells.append((f"{name} {operation}", *numbers))
    header = ("cipher", "cycles", "a byte", *wide, *(f"ptlu, {word}" for word in ptlu.WORDS))
    note = "Cycles a block of the base machine, and speed-ups over it."
    return Sheet("All ciphers", header, tuple(cells), len(header) - 1, note)


def additions(gains: Mapping[str, Mapping[str, float]]) -> list[Point]:
    """What can be added to the base machine, and what each cipher gains by it."""
    return [
        Point(one.name, one.area, {cipher: own[one.name] for cipher, own in gains.items()})
        for one in ptlu.candidates()
    ]


def additions_plot(points: Sequence[Point]) -> Spec:
    """The same as a plot (Vega-Lite). Raises PlotError where there is nothing to plot."""
    return plot("What additions give for their area", points, "tables of 256 words of 32 bits")


def which(points: Sequence[Point]) -> Sheet:
    """Which of them should an architect add?"""
    area = {point.name: point.area for point in points}
    cells: list[Cells] = []
    for cipher in points[0].gains:
        gains = {point.name: point.gains[cipher] for point in points}
        cells.append((cipher, *(f"{gain:.2f}" for gain in gains.values()), *_best(gains, area)))
    means = {point.name: point.middle for point in points}
    cells.append(("mean", *(f"{mean:.2f}" for mean in means.values()), *_best(means, area)))
    header = ("cipher", *area, "fastest", "most for its area")
    note = (
        "Speed-ups over the base machine. The last column has what gains most, less 1, for its area, of what"
        f" gains a twentieth at least. {notes_on('ptlu')['candidates']['unit']}"
    )
    return Sheet("Which to add?", header, tuple(cells), len(header) - 1, note)


def _best(gains: Mapping[str, float], area: Mapping[str, float]) -> tuple[str, str]:
    """What is fastest, and what gains most for its area."""
    fastest = max(gains, key=lambda name: gains[name])
    useful = [name for name in gains if gains[name] >= _USEFUL]
    return fastest, max(useful, key=lambda name: (gains[name] - 1) / area[name], default="none")


#: Speed-ups below this are not worth an instruction.
_USEFUL = 1.05


#: The smallest first.
CACHES = tuple(DataCache(size, line=32, ways=2, penalty=20) for size in (4096, 8192, 16384))


@dataclass(frozen=True, slots=True)
class Kind:
    """A machine that the caches are put before. ``parameters``: of the machine."""

    title: str
    parameters: str


BASE = Kind("A data cache: base machine", "")
PARALLEL = Kind("A data cache: parallel lookup", f"word={ptlu.WORDS[-1]},with=ptlu")


def sheet(kind: Kind) -> Sheet:
    """For each cipher of the paper's table 3 what caches of several sizes make of its cycles."""
    rows = {name: ptlu.rows()[entry["row"]] for name, entry in notes_on("ptlu")["profiles"].items()}
    header = ["cipher", "cycles"]
    for cache in CACHES:
        header += [f"{cache.size // 1024} KiB: misses", f"{cache.size // 1024} KiB: times"]
    one = CACHES[0]
    note = (
        f"{kind.parameters or 'The base machine'}: cycles a block with all data there in a cycle; behind a"
        f" cache of lines of {one.line} bytes, {one.ways} a set, that takes {one.penalty} cycles to bring one"
        f" (`cache={one}`),"
        " how many table lookups of a block miss, and how many times the cycles it takes with all misses,"
        " those of key and data too. Of 64 calls on random blocks that have gone through before."
    )
    cells = tuple(_cells(name, row, kind) for name, row in rows.items())
    return Sheet(kind.title, tuple(header), cells, len(header) - 1, note)


def _cells(name: str, row: Row, kind: Kind) -> Cells:
    perfect = ptlu.cycles(row, kind.parameters)
    shown = [name, f"{perfect:g}"]
    for cache in CACHES:
        found = ptlu.cached(row, cache, kind.parameters)
        shown += [f"{found.misses:.1f}", f"{found.cycles / perfect:.2f}"]
    return tuple(shown)


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
