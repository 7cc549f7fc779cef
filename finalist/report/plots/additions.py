"""What additions to a processor give for their area: for each the ciphers' speed-ups."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import exp, log

from finalist.report.plots.style import INK, SERIES, PlotError, Spec, layer, logarithmic, rows, tips, whole

_WIDTH, _AREA_WIDTH, _ROW = 460, 200, 24


@dataclass(frozen=True, slots=True)
class Point:
    """An addition: its area, and the speed-up of each cipher."""

    name: str
    area: float
    gains: Mapping[str, float]

    @property
    def middle(self) -> float:
        """The geometric mean of the speed-ups."""
        return exp(sum(log(gain) for gain in self.gains.values()) / len(self.gains))


def plot(title: str, points: Sequence[Point], unit: str) -> Spec:
    """A row for each addition, the smallest above: its area; each cipher's speed-up and their mean.

    ``unit``: of the areas. Raises PlotError where there is nothing to add, or no cipher.
    """
    if not points or not points[0].gains:
        raise PlotError("there are no additions to plot")
    ordered = sorted(points, key=lambda point: point.area)
    names = [point.name for point in ordered]
    body = {
        "hconcat": [_areas(ordered, names, unit), _gains(ordered, names)],
        "spacing": 14,
        "resolve": {"scale": {"y": "shared"}},
    }
    return whole(title, ["A dot is a cipher; the diamond is the geometric mean of all."], body)


def _areas(points: Sequence[Point], names: Sequence[str], unit: str) -> Spec:
    values: list[Spec] = [{"addition": point.name, "area": point.area} for point in points]
    return {
        "width": _AREA_WIDTH,
        "height": {"step": _ROW},
        "data": {"values": values},
        "mark": {"type": "point", "shape": "square", "filled": True, "size": 50, "color": INK, "opacity": 1},
        "encoding": {
            "y": rows("addition", names),
            "x": logarithmic("area", f"area, {unit}", (point.area for point in points), _AREA_WIDTH),
            "tooltip": tips(values[0]),
        },
    }


def _gains(points: Sequence[Point], names: Sequence[str]) -> Spec:
    single: list[Spec] = [
        {"addition": point.name, "cipher": cipher, "speed-up": round(gain, 3)}
        for point in points
        for cipher, gain in point.gains.items()
    ]
    means: list[Spec] = [{"addition": point.name, "mean": round(point.middle, 3)} for point in points]
    place = rows("addition", names, named=False)
    x = logarithmic("speed-up", "speed-up", (one["speed-up"] for one in single), _WIDTH)
    dot = {"size": 34, "color": SERIES[0], "opacity": 0.55}
    mean = {"shape": "diamond", "size": 130, "color": SERIES[1], "opacity": 1}
    layers = [_marks(single, dot, place, x), _marks(means, mean, place, {**x, "field": "mean"})]
    return {"width": _WIDTH, "height": {"step": _ROW}, "layer": layers}


def _marks(values: Sequence[Spec], look: Spec, y: Spec, x: Spec) -> Spec:
    mark = {"type": "point", "filled": True, **look}
    return layer(values, mark, {"y": y, "x": x, "tooltip": tips(values[0])})
