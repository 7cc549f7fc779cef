"""The plots of the page of all figures: of the width that there is, on data that the reader can filter.

Each is of points as `finalist.report.page.points` records them; what depends on which are shown, such as an
order, a front, or the best that others are divided by, Vega computes anew.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from finalist.report.plots.style import FAINT, INK, SERIES, SHAPES, Spec, rows, series, tips, whole

#: The name of the data that a page puts in.
DATA = "points"
_ROW, _HEIGHT = 19, 340
#: The labels of programs' timing, in the order of their colours.
TIMINGS = ("constant-time", "table lookups", "data-dependent time", "estimate")
_TIPS = ("cipher", "machine", "operation", "schedule", "timing", "spread", "taken")


def _plot(description: str, body: Spec) -> Spec:
    """A plot without a title, which its heading on the page is; ``description``: what screen readers say."""
    made = {**whole("", (), body), "data": {"name": DATA, "values": []}, "width": "container"}
    made["config"] = {**made["config"], "padding": {"left": 2, "right": 8, "top": 4, "bottom": 4}}
    del made["title"]
    return {**made, "background": "transparent", "description": description}


def _log(field: str, title: str, **own: object) -> Spec:
    axis = {
        "tickCount": 5,
        "labelOverlap": "greedy",
        "labelSeparation": 6,
        "format": ",~r",
        "titleAnchor": "start",
    }
    scale = {"type": "log", "nice": False, "padding": 12}
    return {"field": field, "type": "quantitative", "title": title, "scale": scale, "axis": axis, **own}


def _tips(*more: str) -> list[Spec]:
    return tips((*more, *_TIPS))


def _mark(size: int = 60) -> Spec:
    return {"type": "point", "size": size, "strokeWidth": 1.6, "opacity": 1, "cursor": "pointer"}


def _names(field: str, sort: object) -> Spec:
    look = rows(field, ())
    return {**{name: look[name] for name in ("field", "type", "title", "axis")}, "sort": sort}


def ranking(place: str, want: str, unit: str, timings: Collection[str], *, rate: bool) -> Spec:
    """A row for each cipher, the best above, by one of the things that may be wanted; colours by timing, of
    which there are ``timings``."""
    order = {"field": want, "op": "max" if rate else "min", "order": "descending" if rate else "ascending"}
    look = series("timing", TIMINGS, alone=True, orient="bottom", columns=2)
    for part in look.values():
        part["legend"] = {**part["legend"], "values": [name for name in TIMINGS if name in timings]}
    body: Spec = {
        "height": {"step": _ROW},
        "mark": _mark(),
        "encoding": {
            "y": _names("cipher", order),
            "x": _log(want, f"{unit}, {'more' if rate else 'less'} is better"),
            "stroke": look["color"],
            "fill": look["color"],
            "shape": look["shape"],
            "tooltip": _tips(want, "unit"),
        },
    }
    return _plot(f"Ciphers on {place} by {want}, {unit}", body)


def front(place: str, cost: str, cost_unit: str, unit: str, *, rate: bool) -> Spec:
    """Throughput against what it costs; the programs that no other beats in both are joined."""
    best = {"op": "max" if rate else "min", "field": "throughput", "as": "best"}
    ordered = [{"field": cost, "order": "ascending"}]
    sign = ">=" if rate else "<="
    steps: list[Spec] = [
        {"window": [best], "sort": ordered, "frame": [None, 0]},
        {"filter": f"datum.throughput {sign} datum.best"},
    ]
    x = _log(cost, f"{cost}, {cost_unit}")
    y = _log("throughput", f"{unit}, {'more' if rate else 'less'} is better")
    y["axis"] = {**y["axis"], "titleAnchor": "end"}
    every = {"stroke": {"value": FAINT}, "tooltip": _tips("throughput", "unit", cost)}
    chosen = {"stroke": {"value": SERIES[1]}, "fill": {"value": SERIES[1]}, "shape": {"value": "square"}}
    body: Spec = {
        "height": _HEIGHT,
        "encoding": {"x": x, "y": y},
        "layer": [
            {"mark": _mark(36), "encoding": every},
            {
                "transform": steps,
                "mark": {"type": "line", "interpolate": "step-after", "strokeWidth": 1.4, "color": SERIES[1]},
                "encoding": {"order": {"field": cost, "type": "quantitative"}},
            },
            {"transform": steps, "mark": _mark(64), "encoding": {**every, **chosen}},
        ],
    }
    return _plot(f"Throughput on {place} against {cost}, {cost_unit}", body)


def beside(places: Sequence[str]) -> Spec:
    """A row for each cipher, a mark a machine: how many times what the best cipher there takes."""
    look = series("machine", places, orient="bottom", columns=1)
    body: Spec = {
        "height": {"step": _ROW},
        "transform": [
            {"joinaggregate": [{"op": "min", "field": "cost", "as": "best"}], "groupby": ["machine"]},
            {"calculate": "datum.cost / datum.best", "as": "times"},
        ],
        "mark": _mark(54),
        "encoding": {
            "y": _names("cipher", {"field": "times", "op": "median", "order": "ascending"}),
            "x": _log("times", "times what the best cipher there takes"),
            "stroke": look["color"],
            "shape": look["shape"],
            "tooltip": [{"field": "times", "type": "quantitative", "format": ".3~r"}, *_tips()],
        },
    }
    return _plot("Each cipher on all machines, by the best cipher of each machine", body)


def spread(place: str) -> Spec:
    """How far the median of the runs lay above the minimum, for each cipher."""
    axis = {"format": "%", "tickCount": 5, "titleAnchor": "start"}
    x = {"field": "spread", "type": "quantitative", "title": "spread of the runs", "axis": axis}
    body: Spec = {
        "height": {"step": _ROW},
        "mark": {**_mark(46), "color": SERIES[0]},
        "encoding": {
            "y": _names("cipher", {"field": "spread", "op": "max", "order": "descending"}),
            "x": x,
            "tooltip": _tips("throughput", "unit"),
        },
    }
    return _plot(f"Spread of the times on {place}", body)


def cells(title: str, tables: Sequence[str], values: Sequence[Spec]) -> Spec:
    """Ours by the paper's, cell by cell, a row for each table; colours by the ledger's verdicts."""
    names = ("confirmed", "fitted", "refuted", "no claim")
    look = series("verdict", names, orient="bottom", columns=2)
    for part, range_ in (("color", (SERIES[2], SERIES[4], SERIES[1], SERIES[7])), ("shape", SHAPES[:4])):
        look[part]["scale"] = {"domain": list(names), "range": list(range_)}
    x = _log("times", "ours by theirs")
    x["axis"] = {**x["axis"], "format": "~g"}
    rule: Spec = {
        "data": {"values": [{"one": 1}]},
        "mark": {"type": "rule", "color": INK, "strokeDash": [3, 3]},
        "encoding": {"x": {"field": "one", "type": "quantitative"}},
    }
    shown = tips(("table", "row", "column", "theirs", "ours", "verdict"))
    points: Spec = {
        "mark": {**_mark(40), "opacity": 0.8},
        "encoding": {
            "y": rows("number", tables),
            "x": x,
            "stroke": look["color"],
            "shape": look["shape"],
            "tooltip": [*shown, {"field": "times", "type": "quantitative", "format": ".3~r"}],
        },
    }
    made = _plot(
        f"{title}: our figures by the paper's", {"height": 24 * len(tables), "layer": [rule, points]}
    )
    made["data"] = {"name": DATA, "values": list(values)}
    return made
