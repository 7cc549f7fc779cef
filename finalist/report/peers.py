"""The sheets of `finalist bench --against peers`: ours beside other libraries', and what is behind marked."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from finalist.peers.field import Note
from finalist.peers.figures import Figure, best_of_others, ratio
from finalist.peers.grid import BY_SIZE, CHAINED, LEVELS, NEW, NEW_SIZES, SETUP, SIZES
from finalist.report.sheets import MARK, Row, Sheet

#: Ratios from this one on are equality; what is nearer to one is noise.
EQUAL = 0.98
#: Of one cell: ours, then the others.
Comparison = Sequence[Figure]
_SIZE_NAMES = {1 << 16: "64 KiB", 1 << 20: "1 MiB", 1 << 25: "32 MiB"}
_IN_SHORT = (16, 1024, 16384)


def sheets(found: Sequence[Comparison], notes: Iterable[Note], absent: Sequence[str]) -> Iterator[Sheet]:
    """All sheets: the ratios, then every figure."""
    for level in LEVELS:
        for quantity in BY_SIZE:
            own = [one for one in found if (one[0].level, one[0].quantity) == (level, quantity)]
            if own:
                yield _ratios(level, quantity, own)
    new = [one for one in found if one[0].quantity in NEW]
    if new:
        yield _new_objects(new)
    single = [one for one in found if one[0].quantity in (CHAINED, SETUP)]
    if single:
        yield _singles(single)
    for cipher, comparisons in groupby(found, key=lambda one: one[0].cipher):
        yield _figures(cipher, [one for one in comparisons if one[0].quantity in BY_SIZE])
    yield _programs(found)
    remarks: list[Row] = [(note.cipher, note.name, note.text) for note in notes]
    remarks += [("all", name, "is not installed here") for name in absent]
    if remarks:
        yield Sheet(
            "Who is left out, or orders bytes otherwise", ("cipher", "library", ""), tuple(remarks), 0
        )


def of_one_size(found: Sequence[Comparison]) -> Sheet:
    """Messages of one size, a row for each cipher and mode: ours, and the best other."""
    rows = []
    for comparison in found:
        ours, best = comparison[0], best_of_others(comparison)
        what = (ours.cipher, str(ours.key_bits), ours.quantity)
        times = (f"{ours.ticks:.3g}", f"{best.ticks:.3g}")
        rows.append((*what, ours.schedule, _short(best.name), *times, _ratio(comparison).partition(" (")[0]))
    header = ("cipher", "key", "mode", "our schedule", "best other", "ours", "the other's", "ratio")
    note = (
        f"Encryption of messages of {_size(found[0][0].data_bytes)}: ticks of the clock a byte."
        if found
        else ""
    )
    return Sheet("", header, tuple(rows), 3, note)


def in_short(found: Sequence[Comparison]) -> Sheet:
    """One row a cipher."""
    rows = tuple(_short_row(cipher, list(own)) for cipher, own in groupby(found, lambda one: one[0].cipher))
    sizes = [f"{quantity}, {_size(size)}" for quantity in ("ECB", "CTR") for size in _IN_SHORT]
    header = ("cipher", "key", *sizes, CHAINED, SETUP, "ahead or equal")
    note = (
        "How many times our time the best of the other C libraries takes (in brackets which one), by"
        " the bytes of a message. The last column counts all comparisons, also those of objects of Python."
    )
    return Sheet("", header, rows, len(header) - 1, note)


def behind(comparison: Comparison) -> bool:
    """Whether another one is ahead of ours."""
    found = ratio(comparison)
    return found is not None and found < EQUAL


# -- ratios ------------------------------------------------------------------------------------------


def _ratios(level: str, quantity: str, found: Sequence[Comparison]) -> Sheet:
    rows = []
    for cipher, own in groupby(found, lambda one: one[0].cipher):
        by_size = {one[0].data_bytes: one for one in own}
        bits = next(iter(by_size.values()))[0].key_bits
        rows.append((cipher, str(bits), *(_ratio(by_size.get(size)) for size in SIZES)))
    operation, mode = BY_SIZE[quantity]
    what = f"{mode.upper()} {operation}ion" if mode != "ctr" else "CTR"
    includes = (
        "a call of a function" if level == LEVELS[0] else "a call of an object's method, with all of Python"
    )
    note = f"How many times our time the best of the others takes, by the bytes of a message: {includes}."
    header = ("cipher", "key", *map(_size, SIZES))
    return Sheet(f"{what}, {level}: ratios", header, tuple(rows), len(header) - 1, note)


def _ratio(comparison: Comparison | None) -> str:
    if not comparison:
        return "-"
    found, library = ratio(comparison), _short(best_of_others(comparison).name)
    shown = "-" if found is None else f"{found:.2f} ({library})"
    return (MARK if behind(comparison) else "") + shown


def _short(name: str) -> str:
    """Library and the first two parts of its version, as two versions of one may be here."""
    library, _, version = name.partition(" ")
    return " ".join([library, *[".".join(version.split(".")[:2])] * bool(version)])


def _short_row(cipher: str, found: Sequence[Comparison]) -> Row:
    in_c = {(one[0].quantity, one[0].data_bytes): one for one in found if one[0].level == LEVELS[0]}
    by_size = [_ratio(in_c.get((quantity, size))) for quantity in ("ECB", "CTR") for size in _IN_SHORT]
    single = [
        _ratio(next((one for (have, _), one in in_c.items() if have == what), None))
        for what in (CHAINED, SETUP)
    ]
    good = sum(not behind(one) for one in found)
    return cipher, str(found[0][0].key_bits), *by_size, *single, f"{good} of {len(found)}"


# -- figures -----------------------------------------------------------------------------------------


def _new_objects(found: Sequence[Comparison]) -> Sheet:
    """A row for each cipher, mode and library: what a message takes, its object and key set-up included."""
    rows: list[Row] = []
    for (cipher, quantity), own in groupby(found, lambda one: (one[0].cipher, one[0].quantity)):
        by_size = {one[0].data_bytes: one for one in own}
        names = dict.fromkeys((one.name, one.includes) for each in by_size.values() for one in each)
        told = cipher, str(next(iter(by_size.values()))[0].key_bits), quantity.split()[-1]
        for place, name in enumerate(names):
            cells = [_ticks_and_ratio(by_size.get(size), name, place == 0) for size in NEW_SIZES]
            rows.append((*told, *name, *cells))
    header = ("cipher", "key", "mode", "library", "included", *map(_size, NEW_SIZES))
    note = (
        "Ticks of the clock for one message, each with an object of its own and under another key, by the"
        " message's bytes; in brackets how many times ours the best of the others takes."
    )
    return Sheet("New object, one message, Python", header, tuple(rows), len(NEW_SIZES), note)


def _ticks_and_ratio(comparison: Comparison | None, name: tuple[str, str], is_ours: bool) -> str:
    one = next((one for one in comparison or () if (one.name, one.includes) == name), None)
    if comparison is None or one is None:
        return "-"
    ticks, found = f"{one.ticks * one.data_bytes:.0f}", ratio(comparison)
    if not is_ours or found is None:
        return ticks
    return f"{MARK if behind(comparison) else ''}{ticks} ({found:.2f})"


def _singles(found: Sequence[Comparison]) -> Sheet:
    """One block after the other, each the result of the one before; key set-up."""
    rows: list[Row] = []
    for comparison in found:
        for place, one in enumerate(comparison):
            told = (one.cipher, str(one.key_bits), one.quantity, one.name, one.includes)
            last = _ratio(comparison) if place == 0 else ""
            rows.append((*told, f"{one.ticks:.0f}", f"{one.core_cycles:.0f}", f"{one.spread:.0%}", last))
    header = (
        "cipher",
        "key",
        "what",
        "library",
        "included",
        "ticks",
        "cycles",
        "spread",
        "best other to ours",
    )
    note = (
        f"{CHAINED.capitalize()}: calls of one block, each on the result of the one before. Per block or key."
    )
    return Sheet("One block, one key", header, tuple(rows), 4, note)


def _figures(cipher: str, found: Sequence[Comparison]) -> Sheet:
    """Every figure of a cipher: a row for each quantity and library."""
    rows: dict[tuple[str, ...], dict[int, Figure]] = {}
    for comparison in found:
        for one in comparison:
            rows.setdefault((one.level, one.quantity, one.name, one.includes), {})[one.data_bytes] = one
    note = "Ticks of the clock a byte, by the bytes of a message; the spread is the greatest of the row."
    header = ("level", "mode", "library", "included", *map(_size, SIZES), "spread")
    lines = tuple(
        (*told, *(_ticks(own.get(size)) for size in SIZES), _spread(own)) for told, own in rows.items()
    )
    return Sheet(f"{cipher}: figures", header, lines, len(SIZES) + 1, note)


def _programs(found: Sequence[Comparison]) -> Sheet:
    """Which schedules ours are of, from which size on."""
    rows: dict[tuple[str, ...], dict[str, int]] = {}
    for comparison in found:
        one = comparison[0]
        if one.level == LEVELS[0]:
            rows.setdefault((one.cipher, one.quantity), {}).setdefault(one.schedule, one.data_bytes)
    lines = tuple(
        (cipher, quantity, _size(least) if quantity in BY_SIZE else "", schedule)
        for (cipher, quantity), own in rows.items()
        for schedule, least in own.items()
    )
    return Sheet("Our programs", ("cipher", "what", "from bytes", "schedule"), lines, 0)


def _ticks(figure: Figure | None) -> str:
    if figure is None:
        return "-"
    return f"{figure.ticks:.3g}" if figure.ticks < 100 else f"{figure.ticks:.0f}"


def _spread(own: dict[int, Figure]) -> str:
    return f"{max(one.spread for one in own.values()):.0%}"


def _size(data_bytes: int) -> str:
    return _SIZE_NAMES.get(data_bytes, f"{data_bytes}")
