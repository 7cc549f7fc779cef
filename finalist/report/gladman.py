"""The sheets of `finalist paper gladman`: his tables, ours beside, and what came of the years between."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from statistics import geometric_mean, median

from finalist.papers import gladman
from finalist.papers.gladman import MESSAGES, Cell, Ranking
from finalist.papers.gladman_choices import Figures, Places, best, message_cycles
from finalist.report.sheets import MARK, Row, Sheet

#: Cells by candidate (as the paper names it) and key length.
Cells = Mapping[tuple[str, int], Cell]
_BITS = tuple(map(str, gladman.KEY_BITS))


def sheets(cells: Cells, frequency: float, code: str) -> Iterator[Sheet]:
    """All sheets; ``frequency`` of the core's cycles in Hz, ``code`` in words what was measured."""
    yield _speed(cells, frequency, code)
    yield _by_key_length(cells, "Encryption", lambda cell: (cell.encrypt,))
    yield _by_key_length(cells, "Decryption", lambda cell: (cell.decrypt,))
    yield _by_key_length(cells, "Key set-up, for encryption and for decryption", lambda cell: cell.key_setup)
    ranked = list(gladman.rankings([cells[name, gladman.KEY_BITS[0]] for name in gladman.rows()]))
    yield from map(_ranking, ranked)
    yield _years(cells, ranked)
    yield _unpackaged(cells)


def _speed(cells: Cells, frequency: float, code: str) -> Sheet:
    names = [*gladman.rows(), *gladman.references()]
    wanted = [(name, bits) for name, bits in cells if name in names and bits == _usual(cells, name)]
    rows = []
    for name, bits in sorted(wanted, key=lambda key: names.index(key[0])):
        ours = cells[name, bits]
        his = gladman.published(name, bits) if name in gladman.rows() else None
        row = [name, str(bits)]
        for what in ("encrypt", "decrypt"):
            row += [f"{ours.mbit_per_s(what, clock):.1f}" for clock in (gladman.HIS_CLOCK, frequency)]
            row.append(f"{his.mbit_per_s(what, gladman.HIS_CLOCK):.1f}" if his else "-")
        row.append(f"{ours.mbit_per_s('average', gladman.HIS_CLOCK):.1f}")
        row.append(f"{his.mbit_per_s('average', gladman.HIS_CLOCK):.1f}" if his else "-")
        rows.append(tuple(row))
    header = (
        *("cipher", "key", *(f"{way}, {of}" for way in ("encryption", "decryption") for of in _OF)),
        *("average, ours at 200 MHz", "average, his"),
    )
    note = (
        f"10^6 bits a second, one block a call: {code}. Ours scaled to his 200 MHz, ours at this core's"
        f" {frequency / 1e9:.2f} GHz, and his at 200 MHz. Average: of as many blocks"
        " encrypted as decrypted."
    )
    return Sheet("Speed", header, tuple(rows), numbers=9, note=note)


_OF = ("ours at 200 MHz", "ours", "his")


def _usual(cells: Cells, name: str) -> int:
    lengths = [bits for one, bits in cells if one == name]
    return gladman.KEY_BITS[0] if gladman.KEY_BITS[0] in lengths else lengths[0]


def _by_key_length(cells: Cells, title: str, figures: Callable[[Cell], Sequence[float]]) -> Sheet:
    rows: list[Row] = []
    for name in gladman.rows():
        ours = [_numbers(figures(cells[name, bits])) for bits in gladman.KEY_BITS]
        his = [_numbers(figures(gladman.published(name, bits))) for bits in gladman.KEY_BITS]
        first = gladman.KEY_BITS[0]
        ratio = figures(gladman.published(name, first))[0] / figures(cells[name, first])[0]
        rows.append((name, *ours, *his, f"{ratio:.1f}"))
    header = ("cipher", *(f"ours, {b}" for b in _BITS), *(f"his, {b}" for b in _BITS), "his to ours")
    note = "Core cycles, by the bits of the key; the ratio is of 128-bit keys."
    return Sheet(f"{title}, cycles", header, tuple(rows), numbers=7, note=note)


def _numbers(values: Sequence[float]) -> str:
    shown = dict.fromkeys(f"{value:.0f}" for value in values)
    return " / ".join(shown)


def _ranking(ranking: Ranking) -> Sheet:
    places = {name: place for place, name in enumerate(ranking.his, 1)}
    rows: list[Row] = []
    for place, (ours, his) in enumerate(zip(ranking.ours, ranking.his, strict=True), 1):
        printed = ranking.printed[place - 1] if place <= len(ranking.printed) else "-"
        rows.append((str(place), ours, f"{places.get(ours, 0) - place:+d}", his, printed))
    note = (
        f"Key set-up and encryption of {ranking.data_bytes:,} bytes, quickest first, with 128-bit keys."
        f" Rank correlation of our order and his: {ranking.correlation:.2f}."
    )
    header = ("place", "ours", "places gained", "his, by his table", "his, as printed")
    return Sheet(f"Ranking for messages of {ranking.data_bytes:,} bytes", header, tuple(rows), 0, note)


def _years(cells: Cells, ranked: Sequence[Ranking]) -> Sheet:
    """How many times fewer cycles each takes than then, most gained first."""
    bits = gladman.KEY_BITS[0]
    found: list[tuple[str, tuple[float, ...]]] = []
    for name in gladman.rows():
        ours, his = cells[name, bits], gladman.published(name, bits)
        gained = (his.encrypt / ours.encrypt, his.decrypt / ours.decrypt)
        found.append((name, (*gained, his.key_setup[0] / ours.key_setup[0])))
    found.sort(key=lambda row: -row[1][0])
    middle = median(gained[0] for _, gained in found)
    correlations = ", ".join(f"{one.correlation:.2f} ({one.data_bytes:,} bytes)" for one in ranked)
    note = (
        "How many times fewer cycles the same work takes here than on his Pentium Pro, 128-bit keys, most"
        f" gained first. The median candidate encrypts in {middle:.1f} times fewer. Rank correlations of the"
        f" rankings: {correlations}."
    )
    rows = tuple((name, *(f"{value:.1f}" for value in gained)) for name, gained in found)
    return Sheet("What changed", ("cipher", "encryption", "decryption", "key set-up"), rows, 3, note)


#: By how many times fewer cycles than his these are to be encrypted, each and in the geometric mean.
_LEAST, _MEAN = 1.5, 2.5


def _unpackaged(cells: Cells) -> Sheet:
    """Those of which his code is the only other one that was measured."""
    bits = gladman.KEY_BITS[0]
    found = [(name, cells[name, bits].encrypt) for name in gladman.rows() if name in gladman.unpackaged()]
    gained = {name: gladman.published(name, bits).encrypt / ours for name, ours in found}
    rows = tuple(
        (
            name,
            f"{gladman.published(name, bits).encrypt:.0f}",
            f"{ours:.0f}",
            f"{MARK if gained[name] < _LEAST else ''}{gained[name]:.2f}",
        )
        for name, ours in found
    )
    least, mean = min(gained.values()), geometric_mean(gained.values())
    note = (
        f"Core cycles of the encryption of a block, {bits}-bit keys. At least {least:.2f} times fewer, in the"
        f" geometric mean {mean:.2f}; the aim is {_LEAST} times for each and {_MEAN} in the mean:"
        f" {'reached' if least >= _LEAST and mean >= _MEAN else 'not reached'}."
    )
    header = ("cipher", "his", "ours", "times fewer")
    return Sheet("Candidates that no library has", header, rows, 3, note)


def byte_order(found: Mapping[str, tuple[float, float]]) -> Sheet:
    """``found``: by cipher the cycles of a block with byte order, and without."""
    rows = tuple(
        (name, f"{ours:.0f}", f"{without:.0f}", f"{100 * (ours / without - 1):+.1f} %")
        for name, (ours, without) in found.items()
    )
    note = (
        "Core cycles of the encryption of a block, 128-bit keys, plain C without vectors, in turns. Left out:"
        " a cipher of the same work whose words lie in memory as this computer has them, as his code took"
        " them; it has reproduced the same vectors with their bytes inverted. The other candidates work on"
        " bytes, or on words as they lie in this computer's memory, and pay nothing."
    )
    return Sheet("Byte order", ("cipher", "as defined", "left out", "cost"), rows, 3, note)


def keyed_tables(name: str, found: Mapping[str, Figures]) -> Sheet:
    """``found``: by the depth of keyed tables the cycles of key set-up and of a block."""
    rows = tuple(
        (depth, *(f"{n:.0f}" for n in (*figures, *(message_cycles(figures, size) for size in MESSAGES))))
        for depth, figures in found.items()
    )
    quickest = ", ".join(f"{depth} for {n:,} bytes" for n, depth in best(found).items())
    note = (
        "Core cycles, 128-bit keys, plain C without vectors, in turns, by how far the functions of the key"
        f" are tabulated (`keyed-tables`); messages with their key set-up. Quickest: {quickest}."
    )
    header = ("keyed-tables", "key set-up", "block", *(f"{n:,} bytes" for n in MESSAGES))
    return Sheet(f"Messages of {name}", header, rows, len(header) - 1, note)


_HEADER = ("cipher", "schedule", "place", "cycles", "one for all: place", "cycles", "his place")


def best_by_length(found: Places) -> Sheet:
    """The candidates, quickest first, each by the schedule that is quickest for such a message."""
    rows = tuple(
        (
            one.cipher,
            str(one.schedule),
            str(one.rank),
            f"{one.cycles:.0f}",
            str(one.rank_default),
            f"{one.cycles_default:.0f}",
            str(one.his),
        )
        for one in found.places
    )
    note = (
        "Core cycles of key set-up and encryption, 128-bit keys, plain C without vectors, a block a call, in"
        " turns: each candidate by the quickest of its schedules for this length (the first of those within"
        " 1 % of the least), and beside it by one for all lengths, the default. Rank correlation with his"
        f" order by his table: {found.correlation:.2f}, by one schedule for all"
        f" {found.correlation_default:.2f}."
    )
    return Sheet(f"Messages of {found.data_bytes:,} bytes, each by its best schedule", _HEADER, rows, 5, note)
