"""What all plots share: colours in light and dark, fonts, scales and ticks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import pairwise
from math import ceil, floor, log10
from typing import Any

from finalist.errors import FinalistError

#: A Vega-Lite specification, or a part of one.
Spec = dict[str, Any]

SCHEMA = "https://vega.github.io/schema/vega-lite/v6.json"


class PlotError(FinalistError):
    """A plot that can't be drawn: nothing to draw, a suffix that names no format, a library missing."""


# -- colours -----------------------------------------------------------------------------------------

INK, FAINT, GRID, PAPER = "#1f2328", "#59636e", "#d8dee4", "#ffffff"
#: Colours of series. Hues that stay apart for colour-blind eyes (Okabe, Ito 2008), darkened until each has a
#: contrast of 3 to 1 on white; series differ in their shapes, too.
SERIES = ("#0072b2", "#d55e00", "#007f5c", "#b2558b", "#946500", "#3d8fc7", "#6b57a5", "#6e7781")
#: What each colour is on a dark page, with the same contrast there.
DARK = {
    INK: "#e6edf3",
    FAINT: "#9aa4af",
    GRID: "#30363d",
    PAPER: "#0d1117",
    "#0072b2": "#58a6e0",
    "#d55e00": "#f2803a",
    "#007f5c": "#2fbf93",
    "#b2558b": "#e08fbf",
    "#946500": "#e0b04c",
    "#3d8fc7": "#8fd0f7",
    "#6b57a5": "#a996e8",
    "#6e7781": "#8d97a1",
}
SHAPES = (
    "circle",
    "square",
    "triangle-up",
    "diamond",
    "cross",
    "triangle-down",
    "triangle-right",
    "triangle-left",
)


def in_dark(part: Any) -> Any:
    """The same specification, or part of one, in the colours of a dark page."""
    if isinstance(part, Mapping):
        return {name: in_dark(value) for name, value in part.items()}
    if isinstance(part, list | tuple):
        return [in_dark(value) for value in part]
    return DARK.get(part, part) if isinstance(part, str) else part


# -- parts of specifications ---------------------------------------------------------------------------

_TEXT = 12
#: Pixels of a name on an axis or in a legend before it is cut.
LONGEST_NAME = 340


def whole(title: str, subtitle: Sequence[str], body: Mapping[str, Any]) -> Spec:
    """The specification of a plot: a title, lines below it, and the marks."""
    text = {"text": title, "subtitle": list(subtitle)} if subtitle else {"text": title}
    return {"$schema": SCHEMA, "background": PAPER, "title": text, **body, "config": _CONFIG}


_CONFIG: Spec = {
    "font": "sans-serif",
    "padding": 12,
    "view": {"stroke": GRID},
    "title": {
        "anchor": "start",
        "frame": "group",
        "fontSize": 15,
        "color": INK,
        "subtitleColor": FAINT,
        "subtitleFontSize": _TEXT,
        "subtitlePadding": 5,
        "offset": 14,
    },
    "axis": {
        "gridColor": GRID,
        "domainColor": FAINT,
        "tickColor": FAINT,
        "labelColor": INK,
        "titleColor": INK,
        "labelFontSize": _TEXT - 1,
        "titleFontSize": _TEXT,
        "titleFontWeight": "normal",
        "titlePadding": 8,
        "labelLimit": LONGEST_NAME,
    },
    "header": {"labelColor": INK, "labelFontSize": _TEXT, "labelLimit": LONGEST_NAME, "titleColor": INK},
    "legend": {
        "labelColor": INK,
        "titleColor": INK,
        "labelFontSize": _TEXT - 1,
        "titleFontSize": _TEXT,
        "titleFontWeight": "normal",
        "labelLimit": LONGEST_NAME,
        "symbolFillColor": "transparent",
        "symbolStrokeWidth": 2,
    },
    "text": {"color": INK, "fontSize": _TEXT - 1},
    "rule": {"color": FAINT},
}


def logarithmic(
    field: str, title: str, values: Iterable[float], pixels: int, *, upright: bool = False, room: float = 0.05
) -> Spec:
    """An encoding on a logarithmic axis of so many pixels around these values, with ticks at round numbers.

    ``upright``: it is a vertical axis; ``room``: what is left free at both ends, as a part of the whole.
    Raises PlotError where there is no value.
    """
    low, high = domain(values, room)
    numbers, labels = ticks(low, high, pixels, upright=upright)
    return {
        "field": field,
        "type": "quantitative",
        "title": title,
        "scale": {"type": "log", "domain": [low, high], "nice": False},
        "axis": {"values": numbers, "format": labels},
    }


def domain(values: Iterable[float], room: float = 0.05) -> tuple[float, float]:
    """Where a logarithmic axis around these values begins and ends. Raises PlotError where there is none."""
    known = [value for value in values if value > 0]
    if not known:
        raise PlotError("there are no figures to plot")
    low, high = log10(min(known)), log10(max(known))
    if high - low < _SHORTEST:
        low, high = (low + high - _SHORTEST) / 2, (low + high + _SHORTEST) / 2
    free = (high - low) * room
    return float(f"{10 ** (low - free):.4g}"), float(f"{10 ** (high + free):.4g}")


#: Decades that an axis covers at least, so that noise does not look like a difference.
_SHORTEST = 0.3
_STEPS = (
    (1,),
    (1, 3),
    (1, 2, 5),
    (1, 1.5, 2, 3, 4, 5, 7),
    (1, 1.2, 1.4, 1.6, 1.8, 2, 2.5, 3, 3.5, 4, 4.5, 5, 6, 7, 8, 9),
)
#: For short axes on which the others have a single number.
_ODD_STEPS = ((1, 2, 3, 5), (1, 1.4, 2, 3, 4, 6))
_FEWEST, _MOST = 4, 9
#: Pixels that a digit of a label takes, and from one label to the next.
_DIGIT, _LINE, _GAP = 6.5, 16, 10
#: How labels are written, 1,500 or 1.5k: by d3's format, with what gives their lengths.
_LABELS: dict[str, Callable[[float], str]] = {
    ",~r": lambda number: f"{number:,g}",
    "~s": lambda number: f"{number / 1000:g}k" if number >= 1000 else f"{number:g}",
}


def ticks(low: float, high: float, pixels: int, *, upright: bool = False) -> tuple[list[float], str]:
    """Round numbers for a logarithmic axis, the finest of a few series whose labels do not touch; and the
    format of the labels, short if others leave room for few."""
    full, short = _LABELS
    numbers = _finest(low, high, pixels, full, upright, _STEPS)
    labels = full
    if len(numbers) < _FEWEST and low >= 1:  # a short format has m for a thousandth
        numbers, labels = _finest(low, high, pixels, short, upright, _STEPS), short
    return (numbers if len(numbers) > 1 else _finest(low, high, pixels, labels, upright, _ODD_STEPS)), labels


def _finest(
    low: float, high: float, pixels: int, labels: str, upright: bool, series: Sequence[Sequence[float]]
) -> list[float]:
    found: list[float] = []
    for steps in series:
        powers = range(floor(log10(low)) - 1, ceil(log10(high)) + 1)
        numbers = [float(f"{step * 10.0**power:.12g}") for power in powers for step in steps]
        inside = [number for number in numbers if low <= number <= high]
        lengths = [_LINE if upright else _DIGIT * len(_LABELS[labels](one)) + _GAP for one in inside]
        room = [log10(b / a) / log10(high / low) * pixels for a, b in pairwise(inside)]
        needed = [(a + b) / 2 for a, b in pairwise(lengths)]
        if len(inside) <= _MOST and all(a >= b for a, b in zip(room, needed, strict=True)):
            found = max(found, inside, key=len)
    return found


def rows(field: str, names: Sequence[str], *, named: bool = True) -> Spec:
    """An encoding of a vertical axis: a row for each of these names, from the top, and lines between them.

    Where it is not ``named``, as beside a panel that is, the labels are blank: without any, titles above both
    would not be on one line.
    """
    look: Spec = {"grid": True, "tickBand": "extent", "ticks": False, "domain": False, "labelPadding": 8}
    look |= {} if named else {"labelExpr": "''"}
    common = {"field": field, "type": "nominal", "sort": None, "title": None}
    return {**common, "scale": {"domain": list(names)}, "axis": look}


def series(field: str, names: Sequence[str], *, alone: bool = False, **legend: Any) -> Spec:
    """Encodings of colour and shape by a field with these values, in their order, with one legend.

    Where there is one value, there is a legend only if it is asked for (``alone``).
    """
    shown: Spec | None = {"title": field, **legend} if len(names) > 1 or alone else None
    colours = [SERIES[k % len(SERIES)] for k in range(len(names))]
    # With more names than colours, shapes move on by one for each round of colours.
    shapes = [SHAPES[(k + k // len(SERIES)) % len(SHAPES)] for k in range(len(names))]
    common = {"field": field, "type": "nominal", "sort": None, "legend": shown}
    return {
        "color": {**common, "scale": {"domain": list(names), "range": colours}},
        "shape": {**common, "scale": {"domain": list(names), "range": shapes}},
    }


def tips(names: Iterable[str]) -> list[Spec]:
    """What is shown of a mark under the pointer: these fields."""
    return [{"field": name, "type": "nominal"} for name in names]


def layer(values: Iterable[Spec], mark: Spec, encoding: Spec) -> Spec:
    """Marks on data of their own."""
    return {"data": {"values": list(values)}, "mark": mark, "encoding": encoding}


def looks(field: str, names: Sequence[str], *, apart: bool = False, **legend: Any) -> Spec:
    """Encodings of stroke, fill and shape as `series` has them; ``apart``: marks of one row lie on lines of
    their own, where there are several."""
    look = series(field, names, **legend)
    found = {"stroke": look["color"], "fill": look["color"], "shape": look["shape"]}
    if apart and len(names) > 1:
        found["yOffset"] = {"field": field, "type": "nominal", "sort": list(names)}
    return found


def dots(records: Sequence[Spec], x: Spec, y: Spec, *, by: str, filled: str, shown: Sequence[str]) -> Spec:
    """A layer of points: colour and shape by one field, hollow where ``filled`` is not yes.

    ``shown``: the fields in a point's tooltip.
    """
    look = looks(by, list(dict.fromkeys(record[by] for record in records)))
    full = {"field": filled, "type": "ordinal", "scale": {"domain": ["yes", "no"], "range": [1, 0]}}
    mark = {"type": "point", "size": 55, "strokeWidth": 1.6, "opacity": 1}
    opacity = {"fillOpacity": {**full, "legend": None}}
    return layer(records, mark, {"x": x, "y": y, **look, **opacity, "tooltip": tips(shown)})
