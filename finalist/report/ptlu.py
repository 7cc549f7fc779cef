"""The sheets of `finalist paper ptlu`: the tables of Fiskiran and Lee (2005), ours beside."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from math import sqrt

from finalist.ciphers.catalogue import cipher as find_cipher
from finalist.isa.simulate.profile import CATEGORIES
from finalist.papers import ptlu
from finalist.papers.load import notes_on, paper
from finalist.papers.ptlu import Row
from finalist.report.plots.additions import Point, plot
from finalist.report.plots.style import Spec
from finalist.report.sheets import Row as Cells
from finalist.report.sheets import Sheet


def sheets(every: bool = False) -> Iterator[Sheet]:
    """All sheets, each as soon as it is measured; with ``every`` also those of all ciphers."""
    own = list(ptlu.rows().values())
    yield base(own)
    yield profiles()
    yield tables()
    yield latencies()
    yield superscalar(own)
    yield lookups(own)
    if every:
        every_row = list(ptlu.every_row())
        yield all_ciphers(every_row)


def _remark(name: str) -> str:
    return str(notes_on("ptlu")["remarks"].get(name, ""))


def base(rows: Sequence[Row]) -> Sheet:
    """Cycles of the base machine, and the best that we find for it."""
    cells: list[Cells] = []
    for row in rows:
        theirs, ours, best = ptlu.published_cycles(row), ptlu.cycles(row), ptlu.optimised(row)
        shown = f"{theirs * row.blocks:g}" + (f" / {row.blocks} = {theirs:g}" if row.blocks > 1 else "")
        cells.append((row.name, shown, f"{ours:g}", _apart(ours, theirs), f"{best:g}", _apart(best, theirs)))
    header = ("cipher", "paper", "ours", "apart", "optimised", "apart")
    return Sheet("Cycles of the base machine", header, tuple(cells), 5, _remark("optimised"))


def _apart(ours: float, theirs: float) -> str:
    return f"{100 * (ours / theirs - 1):+.1f} %"


def profiles() -> Sheet:
    """Table 3."""
    cells: list[Cells] = []
    for name, rule, theirs, ours in ptlu.profiles():
        pairs = (f"{theirs.get(c, 0)} / {ours[c]:.0f}" for c in CATEGORIES)
        cells.append((name, rule, *pairs))
    names = tuple(category.replace("_", " ") for category in CATEGORIES)
    note = f"Per cent of the cycles, paper / ours. {_remark('profile')}"
    return Sheet("Table 3: where the time goes", ("cipher", "rule", *names), tuple(cells), 7, note)


def tables() -> Sheet:
    """Table 4."""
    cells: list[Cells] = []
    for name, entry in paper("ptlu")["lookup_tables"].items():
        row = ptlu.rows()[notes_on("ptlu")["profiles"][name]["row"]]
        reads = entry.get("lookups_per_block", entry.get("reads"))
        reads = reads[str(row.key_bits)] if isinstance(reads, dict) else reads
        own = f"{entry['tables']} x {entry['entries']} x {entry['entry_bits']} bits"
        found = ptlu.lookup_tables(row)
        ours = ", ".join(f"{n} x {entries} x {bits} bits" for (entries, bits), n in found.shapes.items())
        cells.append((name, own, str(reads), ours, f"{found.reads:g}"))
    header = ("cipher", "paper's tables", "lookups", "ours", "lookups")
    return Sheet("Table 4: lookup tables", header, tuple(cells), 0, _remark("tables"))


def latencies() -> Sheet:
    """Table 5."""
    cells = tuple(
        (f"{word} bits", f"{entry['alu']}", f"{entry['lookup']}")
        for word, entry in paper("ptlu")["alu_and_lookup_latency_ns"].items()
    )
    return Sheet("Table 5: latencies", ("word", "ALU", "table lookup"), cells, 2, _remark("latency"))


def superscalar(rows: Sequence[Row]) -> Sheet:
    """Table 6."""
    cells: list[Cells] = []
    errors: list[float] = []
    for row in rows:
        theirs, ours = ptlu.published_speedups(row), ptlu.superscalar(row)
        cells.append((row.name, *(f"{theirs[c]:.2f} / {ours[c]:.2f}" for c in ours)))
        if row.unit == "block":
            errors += [ours[c] / theirs[c] - 1 for c in ours]
    rms, most = 100 * sqrt(sum(e * e for e in errors) / len(errors)), 100 * max(map(abs, errors))
    note = (
        f"Speed-ups over one instruction a cycle, by instructions and memory accesses a cycle, paper / ours."
        f" Over the block ciphers ours are {rms:.1f} % off (root mean square), {most:.0f} % at most."
        f" {_remark('superscalar')}"
    )
    return Sheet("Table 6: superscalar machines", ("cipher", *ptlu.columns()), tuple(cells), 6, note)


def lookups(rows: Sequence[Row]) -> Sheet:
    """Table 7."""
    cells: list[Cells] = []
    for row in rows:
        theirs, ours = paper("ptlu")["ptlu_speedup"][row.name], ptlu.lookups(row)
        pairs = (f"{theirs[word]:.2f} / {ours[word]:.2f}" for word in ptlu.WORDS)
        cells.append((row.name, *pairs))
    note = f"Speed-ups over the base machine, paper / ours. {_remark('ptlu')}"
    header = ("cipher", *(f"{word} bits" for word in ptlu.WORDS))
    return Sheet("Table 7: parallel table lookup", header, tuple(cells), 3, note)


def all_ciphers(rows: Iterable[Row]) -> Sheet:
    """What the paper has for five ciphers, for all."""
    cells: list[Cells] = []
    wide = ptlu.columns()
    for row in rows:
        speed, parallel = ptlu.superscalar(row), ptlu.lookups(row)
        numbers = [f"{ptlu.cycles(row):.0f}", f"{ptlu.cycles(row) / find_cipher(row.cipher).block.bytes:.1f}"]
        numbers += [f"{speed[column]:.2f}" for column in wide]
        cells.append((row.name, *numbers, *(f"{parallel[word]:.2f}" for word in ptlu.WORDS)))
    header = ("cipher", "cycles", "a byte", *wide, *(f"ptlu, {word}" for word in ptlu.WORDS))
    note = "Cycles a block of the base machine, and speed-ups over it."
    return Sheet("All ciphers", header, tuple(cells), len(header) - 1, note)


def additions(rows: Iterable[Row], step: Callable[[str], None] = lambda cipher: None) -> list[Point]:
    """What can be added to the base machine, and what each cipher gains by it; ``step`` is told each."""
    gains = {}
    for row in rows:
        step(row.cipher)
        gains[row.cipher] = ptlu.gains(row)
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
