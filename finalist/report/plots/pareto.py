"""Area and throughput of hardware: designs as points, the front joined and named."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import log10

from finalist.report.plots.style import FAINT, PlotError, Spec, domain, dots, layer, logarithmic, whole

_WIDTH, _HEIGHT = 620, 400
#: Pixels from one line of names to the next.
_LINE = 14
_KIND, _FITS = "architecture", "fits the part"


@dataclass(frozen=True, slots=True)
class Point:
    """A design in the plane of area and throughput.

    ``area``: in slices or LUTs. ``mbit_s``: with the pipeline full; ``feedback_mbit_s``: where each block
    waits for the one before. ``fits``: whether the part has room for it.
    """

    name: str
    area: int
    mhz: float
    cycles_per_block: int
    mbit_s: float
    feedback_mbit_s: float
    fits: bool = True


def plot(
    title: str, subtitle: Sequence[str], points: Sequence[Point], front: Sequence[str], *, unit: str = "slice"
) -> Spec:
    """Area to the right, throughput upwards, both logarithmic: what is on a line of 45 degrees has one
    throughput for its area. ``front``: the designs that no other beats, the smallest first. ``unit``: of
    area.

    Raises PlotError where there is no design.
    """
    if not points:
        raise PlotError(f"{title}: there are no designs to plot")
    area = f"{unit}s"
    records = {one.name: _record(one, area) for one in points}
    x = logarithmic(area, f"area, {area}", (one.area for one in points), _WIDTH, room=0.12)
    y = logarithmic("mbit_s", "throughput, Mbit/s", _speeds(points), _HEIGHT, upright=True, room=0.08)
    best = [dict(records[name]) for name in front]
    for one, height in zip(best, _heights(points, front), strict=True):
        one["name at"] = height
    shown = ("design", area, "mbit_s", "mhz", _FITS)
    designs = dots([*records.values()], x, y, by=_KIND, filled=_FITS, shown=shown)  # hollow where none fits
    layers = [_line(best, x, y), designs, _names(best, x, y)]
    below = (
        [*subtitle, "Hollow: the part has no room for it."]
        if not all(one.fits for one in points)
        else subtitle
    )
    return whole(title, below, {"width": _WIDTH, "height": _HEIGHT, "layer": layers})


def _record(found: Point, area: str) -> Spec:
    return {
        "design": found.name,
        _KIND: found.name.partition("-")[0],
        area: found.area,
        "mbit_s": round(found.mbit_s, 1),
        "mhz": round(found.mhz, 1),
        _FITS: "yes" if found.fits else "no",
    }


def _speeds(points: Sequence[Point]) -> list[float]:
    return [one.mbit_s for one in points]


def _line(best: Sequence[Spec], x: Spec, y: Spec) -> Spec:
    mark = {"type": "line", "color": FAINT, "strokeWidth": 1.2, "tooltip": None}
    return layer(best, mark, {"x": x, "y": y, "order": {"field": x["field"], "type": "quantitative"}})


def _names(best: Sequence[Spec], x: Spec, y: Spec) -> Spec:
    """The names of the front, up and left of their designs, where no design can be."""
    mark = {"type": "text", "align": "right", "dx": -8, "dy": -7, "tooltip": None}
    text = {"field": "design", "type": "nominal"}
    return layer(best, mark, {"x": x, "y": {**y, "field": "name at"}, "text": text})


def _heights(points: Sequence[Point], front: Sequence[str]) -> list[float]:
    """Where on the axis of throughputs each name stands: at its design's, or a line above the name before."""
    low, high = map(log10, domain(_speeds(points), room=0.08))
    line = (high - low) * _LINE / _HEIGHT
    found: list[float] = []
    speeds = {one.name: one.mbit_s for one in points}
    for name in front:
        own = log10(speeds[name])
        found.append(max(own, found[-1] + line) if found else own)
    return [10**height for height in found]
