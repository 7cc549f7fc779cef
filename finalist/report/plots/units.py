"""The units of a processor by cycles: what each does, and for which block."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from finalist.report.plots.style import SERIES, PlotError, Spec, tips, whole
from finalist.report.units import KINDS, ReservationTable

#: Cycles in a line of the picture, and pixels of one; of a unit's row.
_LINE, _STEP, _ROW = 120, 9, 13
#: Cycles from one number of the axis to the next.
_TICK = 10


def plot(title: str, found: ReservationTable) -> Spec:
    """Panels of units by cycles, coloured by what is done, and again by block where several are in flight.

    Raises PlotError where nothing is issued.
    """
    if not found.slots:
        raise PlotError("there is nothing issued to plot")
    blocks = [str(number + 1) for number in range(found.blocks)]
    parts = [_panels(found, "kind", "operation", KINDS)]
    parts += [_panels(found, "block", "block, 1 the last begun", blocks)] * (found.blocks > 1)
    return whole(title, [found.summary], {"vconcat": parts, "resolve": {"scale": {"color": "independent"}}})


def _panels(found: ReservationTable, field: str, named: str, names: Sequence[str]) -> Spec:
    """A panel for each line of cycles, one below the other, in the colours of one field."""
    scale = {"domain": list(names), "range": [SERIES[k % len(SERIES)] for k in range(len(names))]}
    legend = {"title": named, "orient": "bottom", "columns": len(names), "symbolStrokeWidth": 0}
    colour = {"field": field, "type": "nominal", "scale": scale, "legend": legend}
    lines = [_panel(found, first, colour) for first in range(0, found.cycles, _LINE)]
    return {"vconcat": lines, "spacing": 6}


def _panel(found: ReservationTable, first: int, colour: Mapping[str, object]) -> Spec:
    cycles = range(first, min(first + _LINE, found.cycles))
    look = {"values": [cycle for cycle in cycles if cycle % _TICK == 0], "labelAngle": 0, "ticks": False}
    return {
        "width": {"step": _STEP},
        "height": {"step": _ROW},
        "data": {"values": list(_records(found, cycles))},
        "mark": {"type": "rect", "opacity": 1, "aria": False},
        "encoding": {
            "x": {
                "field": "cycle",
                "type": "ordinal",
                "title": None,
                "scale": {"domain": list(cycles), "paddingInner": 0.12},
                "axis": look,
            },
            "y": {
                "field": "unit",
                "type": "ordinal",
                "title": None,
                "scale": {"domain": list(found.units), "paddingInner": 0.12},
                "axis": {"ticks": False, "domain": False},
            },
            "color": colour,
            "tooltip": tips(("cycle", "unit", "instruction", "block")),
        },
    }


def _records(found: ReservationTable, cycles: range) -> Iterator[Spec]:
    for slot in found.slots:
        if slot.cycle in cycles:
            yield {
                "cycle": slot.cycle,
                "unit": slot.unit,
                "instruction": slot.name,
                "kind": slot.kind,
                "block": str(slot.block),
            }
