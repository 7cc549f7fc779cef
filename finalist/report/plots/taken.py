"""Bytes of code and tables against clocks a block: programs as points, a series a size of key memory."""

from __future__ import annotations

from collections.abc import Sequence, Set

from finalist.measure.taken import Taken
from finalist.report.plots.style import Spec, dots, logarithmic, whole

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
