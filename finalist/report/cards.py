"""The table and the plot of `finalist pareto` on machines with little memory: bytes and clocks."""

from __future__ import annotations

from collections.abc import Sequence, Set

from finalist.measure.taken import Taken
from finalist.report import cards as plots
from finalist.report.plots.style import PlotError, Spec, dots, logarithmic, whole
from finalist.report.sheets import Sheet


def front(found: Sequence[Taken]) -> list[Taken]:
    """The programs that no other one beats: none takes as little key memory, code with tables, and clocks,
    and less of one; the smallest first."""
    made = [one for one in found if not one.refused]
    unbeaten = {_figures(one): one for one in made if not any(_beats(other, one) for other in made)}
    return sorted(unbeaten.values(), key=lambda one: (one.rom, one.key, one.clocks))


def _figures(one: Taken) -> tuple[int, int, float]:
    return one.key, one.rom, one.clocks


def _beats(one: Taken, other: Taken) -> bool:
    pairs = zip(_figures(one), _figures(other), strict=True)
    return _figures(one) != _figures(other) and all(a <= b for a, b in pairs)


def front_sheet(title: str, found: Sequence[Taken]) -> Sheet:
    """All programs, those of the front marked; what is refused last, with the reasons below."""
    best = {one.schedule for one in front(found)}
    made = sorted((one for one in found if not one.refused), key=lambda one: (one.rom, one.key, one.clocks))
    rows = [
        (
            one.schedule,
            "*" if one.schedule in best else "",
            *map(str, (one.key, one.ram, one.rom)),
            f"{one.clocks:.0f}",
        )
        for one in made
    ]
    refused = [one for one in found if one.refused]
    rows += [(one.schedule, "refused", "", "", "", "") for one in refused]
    reasons = " ".join(f"{reason}." for reason in dict.fromkeys(one.refused.rstrip(".") for one in refused))
    header = ("schedule", "front", "key memory", "RAM", "code and tables", "clocks")
    note = "Bytes, and clocks a block. *: no other takes as little of key memory, code, and clocks."
    return Sheet(f"{title}: bytes and clocks", header, tuple(rows), 4, f"{note} {reasons}".strip())


def front_plot(title: str, found: Sequence[Taken]) -> Spec:
    """All programs as a plot (Vega-Lite), those of the front filled. Raises PlotError where there is none."""
    made = [one for one in found if not one.refused]
    if not made:
        raise PlotError(f"{title}: there are no programs to plot")
    best = {one.schedule for one in front(found)}
    below = ["Filled: no other takes as little of key memory, of code with tables, and of clocks."]
    return plots.plot(f"{title}: bytes and clocks", below, made, best)


_WIDTH, _HEIGHT = 620, 400
_KEY, _ROM, _FRONT = "bytes of key memory", "rom", "front"


def plot(title: str, subtitle: Sequence[str], found: Sequence[Taken], front: Set[str]) -> Spec:
    """Bytes to the right, clocks upwards, both logarithmic. ``front``: schedules that no other beats."""
    records = [_record(one, front) for one in sorted(found, key=lambda one: one.key)]
    x = logarithmic(_ROM, "code and tables, bytes", (one.rom for one in found), _WIDTH, room=0.08)
    y = logarithmic(
        "clocks", "clocks a block", (one.clocks for one in found), _HEIGHT, upright=True, room=0.08
    )
    shown = ("schedule", _KEY, "RAM", _ROM, "clocks")
    layer = dots(records, x, y, by=_KEY, filled=_FRONT, shown=shown)
    return whole(title, subtitle, {"width": _WIDTH, "height": _HEIGHT, "layer": [layer]})


def _record(one: Taken, front: Set[str]) -> Spec:
    return {
        "schedule": one.schedule,
        _KEY: str(one.key),
        "RAM": one.ram,
        _ROM: one.rom,
        "clocks": round(one.clocks),
        _FRONT: "yes" if one.schedule in front else "no",
    }
