"""What the tuner found: how quick each kind of layout is, by the length of a message."""

from __future__ import annotations

from collections.abc import Sequence

from finalist.report.plots.style import INK, PlotError, Spec, layer, logarithmic, series, tips, whole
from finalist.tuning.explain import Explanation, kind_of, schedule_of_trial
from finalist.tuning.trials import LENGTHS, Trial

_WIDTH, _HEIGHT, _COLUMNS = 210, 150, 4
#: Pixels of the panel where there is one alone.
_ALONE = (460, 320)
_NO_LOOKUP, _SCALAR = "no table", "scalar"


def plot(found: Sequence[Explanation]) -> Spec:
    """A panel for each cipher, operation and key length, a line for the quickest of each kind of layout.

    Colours are the schedule's lookups, shapes its width; the thick line is the quickest program for each
    length. Raises PlotError where nothing was found.
    """
    if not found:
        raise PlotError("there are no trials to plot")
    widths = sorted({_width(trial) for one in found for trial in one.kinds}, key=_order)
    lookups = sorted({_lookup(trial) for one in found for trial in one.kinds})
    panels = [
        _panel(one, lookups, widths, *((_WIDTH, _HEIGHT) if len(found) > 1 else _ALONE)) for one in found
    ]
    below = [
        f"{found[0].winners[0].trial.place}; less is better.",
        "Each line is the quickest schedule for long messages of one kind of layout;"
        " the thick one is the quickest of all for each length.",
    ]
    return whole("Ticks of the clock a byte", below, {"concat": panels, "columns": _COLUMNS, "spacing": 18})


def _panel(one: Explanation, lookups: Sequence[str], widths: Sequence[str], width: int, height: int) -> Spec:
    kinds = [_record(trial, length) for trial in one.kinds for length in LENGTHS]
    best = [_record(winner.trial, winner.data_bytes) for winner in one.winners]
    y = logarithmic("ticks", "ticks a byte", (r["ticks"] for r in (*kinds, *best)), height, upright=True)
    place = {"x": _lengths(width), "y": y}
    colour = series("lookup", lookups, alone=True)["color"]
    shape = series("width", widths, alone=True)["shape"]
    detail = {"field": "layout", "type": "nominal"}
    thick = layer(best, {"type": "line", "color": INK, "strokeWidth": 5, "opacity": 0.25}, place)
    lines = layer(kinds, {"type": "line", "strokeWidth": 1.3}, {**place, "color": colour, "detail": detail})
    mark = {"type": "point", "size": 26, "strokeWidth": 1.3, "opacity": 1}
    dots = layer(kinds, mark, {**place, "color": colour, "shape": shape, "tooltip": tips(best[0])})
    return {
        "title": {
            "text": f"{one.cipher}, {one.operation}, {one.key_bits} bits",
            "fontSize": 12,
            "fontWeight": "normal",
            "offset": 6,
            "limit": width,
        },
        "width": width,
        "height": height,
        "layer": [thick, lines, dots],
    }


def _lengths(width: int) -> Spec:
    """The axis of the lengths that all programs are timed on; labels where there is room."""
    ends = LENGTHS if width >= _ALONE[0] else (LENGTHS[0], 256, 1024, LENGTHS[-1])
    kib = "datum.value >= 1024 ? datum.value / 1024 + ' KiB' : datum.value"
    return {
        "field": "bytes",
        "type": "quantitative",
        "title": "bytes of a message",
        "scale": {"type": "log", "domain": [LENGTHS[0], LENGTHS[-1]], "nice": False},
        "axis": {"values": list(ends), "labelExpr": kib},
    }


def _record(trial: Trial, length: int) -> Spec:
    return {
        "bytes": length,
        "ticks": float(f"{trial.at(length):.4g}"),
        "lookup": _lookup(trial),
        "width": _width(trial),
        "layout": kind_of(trial),
        "schedule": trial.schedule,
    }


def _lookup(trial: Trial) -> str:
    return schedule_of_trial(trial).lookup or _NO_LOOKUP


def _width(trial: Trial) -> str:
    width = schedule_of_trial(trial).width or 1
    return _SCALAR if width == 1 else f"{width} bits"


def _order(width: str) -> int:
    return 0 if width == _SCALAR else int(width.partition(" ")[0])
