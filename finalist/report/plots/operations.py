"""What ciphers compute: for each a bar, cut by the kinds of its operations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from finalist.report.kinds import GROUPS
from finalist.report.plots.style import PAPER, SERIES, PlotError, Spec, layer, rows, tips, whole
from finalist.report.profile import COMPILED, Profile

_WIDTH, _ROW = 560, 20
_PER_BYTE = "operations a byte"
#: In the order of `GROUPS`; the last, which nearly all ciphers have, is grey.
_COLOURS = (*SERIES[:5], SERIES[-1])


@dataclass(frozen=True, slots=True)
class Bar:
    """A cipher's operations by the groups of `GROUPS`, and how many all are for each byte of the block."""

    cipher: str
    operations: Mapping[str, int]
    per_byte: float


def bar(found: Profile) -> Bar:
    """A cipher's bar: encryption of a block in the compiled form."""
    counts = found.form(COMPILED).counts
    groups = {group: counts.of(*kinds) for group, kinds in GROUPS.items()}
    return Bar(found.cipher.name(), groups, counts.total / found.cipher.block.bytes)


def said(cipher: str, kind: str, count: int) -> str:
    """What a part of a bar is called where it is read aloud."""
    return f"{cipher}, {kind}: {count}"


def plot(bars: Sequence[Bar]) -> Spec:
    """All bars in their order, each of the full width; at the right how many operations a byte takes.

    Raises PlotError where there is none.
    """
    if not bars:
        raise PlotError("there are no ciphers to plot")
    names = [one.cipher for one in bars]
    values = [
        {
            "cipher": one.cipher,
            "kind": kind,
            "operations": count,
            "order": k,
            "said": said(one.cipher, kind, count),
        }
        for one in bars
        for k, (kind, count) in enumerate(one.operations.items())
        if count
    ]
    numbers = [{"cipher": one.cipher, _PER_BYTE: f"{one.per_byte:,.1f}"} for one in bars]
    place = rows("cipher", names)
    body = {
        "width": _WIDTH,
        "height": {"step": _ROW},
        "layer": [_bars(values, place), _numbers(numbers, place)],
    }
    below = ["Shares of all operations in the compiled form, encryption; at the right, operations a byte."]
    return whole("What each cipher computes", below, body)


def _bars(values: Sequence[Spec], place: Spec) -> Spec:
    scale = {"domain": list(GROUPS), "range": list(_COLOURS)}
    share = {"field": "operations", "type": "quantitative", "stack": "normalize", "title": None}
    return {
        "data": {"values": list(values)},
        "mark": {"type": "bar", "height": _ROW - 6, "opacity": 1, "stroke": PAPER, "strokeWidth": 0.5},
        "encoding": {
            "y": {**place, "axis": {**place["axis"], "grid": False}},
            "x": {**share, "axis": {"format": "%", "tickCount": 5}},
            "color": {
                "field": "kind",
                "type": "nominal",
                "scale": scale,
                "legend": {"title": None, "orient": "bottom", "columns": len(GROUPS), "symbolStrokeWidth": 0},
            },
            "order": {"field": "order", "type": "quantitative"},
            "description": {"field": "said", "type": "nominal"},
            "tooltip": tips(("cipher", "kind", "operations")),
        },
    }


def _numbers(values: Sequence[Spec], place: Spec) -> Spec:
    mark = {"type": "text", "align": "left", "dx": 8}
    text = {"field": _PER_BYTE, "type": "nominal"}
    return layer(values, mark, {"y": place, "x": {"value": _WIDTH}, "text": text})
