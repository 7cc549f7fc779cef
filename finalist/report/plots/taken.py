"""Bytes of code and tables against clocks a block: programs as points, a series a size of key memory."""

from __future__ import annotations

from collections.abc import Sequence, Set

from finalist.measure.taken import Taken
from finalist.report.plots.style import Spec, logarithmic, series, whole

_WIDTH, _HEIGHT = 620, 400
_KEY, _ROM, _FRONT = "bytes of key memory", "rom", "front"


def plot(title: str, subtitle: Sequence[str], found: Sequence[Taken], front: Set[str]) -> Spec:
    """Bytes to the right, clocks upwards, both logarithmic. ``front``: schedules that no other beats."""
    records = [_record(one, front) for one in found]
    x = logarithmic(_ROM, "code and tables, bytes", (one.rom for one in found), _WIDTH, room=0.08)
    y = logarithmic(
        "clocks", "clocks a block", (one.clocks for one in found), _HEIGHT, upright=True, room=0.08
    )
    look = series(_KEY, list(dict.fromkeys(record[_KEY] for record in records)))
    filled = {"field": _FRONT, "type": "ordinal", "scale": {"domain": ["yes", "no"], "range": [1, 0]}}
    shown = ("schedule", _KEY, "RAM", _ROM, "clocks")
    layer = {
        "data": {"values": records},
        "mark": {"type": "point", "size": 55, "strokeWidth": 1.6, "opacity": 1},
        "encoding": {
            "x": x,
            "y": y,
            "stroke": look["color"],
            "fill": look["color"],
            "shape": look["shape"],
            "fillOpacity": {**filled, "legend": None},
            "tooltip": [{"field": name, "type": "nominal"} for name in shown],
        },
    }
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
