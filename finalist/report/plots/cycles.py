"""Cycles of ciphers on simulated machines, side by side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from finalist.report.plots.style import PlotError, Spec, logarithmic, looks, rows, tips, whole

_WIDTH = 560
#: Pixels of a cipher's row, and from one of its marks to the next.
_ROW, _LINE = 20, 9


def plot(title: str, machines: Sequence[str], figures: Mapping[str, Sequence[float]]) -> Spec:
    """A row for each cipher, that which takes least on the first machine above; in it a mark a machine.

    ``figures``: by cipher the cycles a block, in the order of ``machines``.
    Raises PlotError where there are none.
    """
    if not figures or not machines:
        raise PlotError("there are no cycles to plot")
    names = sorted(figures, key=lambda name: figures[name][0])
    records: list[Spec] = [
        {"cipher": name, "machine": machine, "cycles": count, "faster": round(figures[name][0] / count, 3)}
        for name in names
        for machine, count in zip(machines, figures[name], strict=True)
    ]
    body = {
        "width": _WIDTH,
        "height": {"step": max(_ROW, _LINE * len(machines) + 6), "for": "position"},
        "data": {"values": records},
        "mark": {"type": "point", "size": 40, "strokeWidth": 1.4, "opacity": 1},
        "encoding": {
            "y": rows("cipher", names),
            "x": logarithmic("cycles", "cycles a block", (one["cycles"] for one in records), _WIDTH),
            **looks("machine", machines, apart=True, orient="bottom", columns=2),
            "tooltip": tips(records[0]),
        },
    }
    return whole(title, ["Less is better."], body)
