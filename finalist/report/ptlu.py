"""The sheets of `finalist paper ptlu`: the tables of Fiskiran and Lee (2005), ours beside."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import log, sqrt

from finalist.ciphers.catalogue import cipher as find_cipher
from finalist.isa.simulate.profile import CATEGORIES, RULES
from finalist.isa.target.data_cache import DataCache
from finalist.papers import ptlu
from finalist.papers.load import notes_on
from finalist.papers.ptlu import Asked, Row, Speeds
from finalist.report import table_unit
from finalist.report.plots.additions import Point, plot
from finalist.report.plots.style import Spec
from finalist.report.sheets import Row as Cells
from finalist.report.sheets import Sheet
from finalist.report.table_unit import remark


def sheets(every: Mapping[Asked, Speeds] | None = None) -> Iterator[Sheet]:
    """All sheets, each as soon as it is measured; ``every``: what each cipher takes, for a sheet of that."""
    own = list(ptlu.rows().values())
    yield base(own)
    yield from profiles()
    yield table_unit.tables()
    yield table_unit.latencies()
    yield table_unit.area()
    yield superscalar(own)
    yield lookups(own)
    yield table_unit.wider(own)
    yield table_unit.by_the_clock(own)
    yield table_unit.round_of_aes()
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
