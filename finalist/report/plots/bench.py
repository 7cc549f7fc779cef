"""What ciphers take on this computer: many blocks, one after the other, and a new key."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from finalist.language.definition import OPERATIONS
from finalist.machines.base import MODES
from finalist.measure.results import Row
from finalist.report.plots.style import INK, PlotError, Spec, logarithmic, looks, tips, whole
from finalist.report.plots.style import rows as rows_of

_WIDTH, _BULK_WIDTH = 200, 330
#: Pixels of a cipher's row, and from one of its marks to the next.
_ROW, _LINE = 20, 11
#: The panels: quantities by what they are called in the plot.
_BULK = {"bulk" if mode == MODES[0] else mode: mode for mode in MODES}
_LATENCY, _SETUP = "latency", "key set-up"
#: What is shown of a mark.
_SHOWN = ("cipher", "operation", "quantity", "core_cycles", "unit", "timing", "schedule", "vectors")
_UNITS = {_LATENCY: "core cycles a block", _SETUP: "core cycles a key"}


def plot(rows: Sequence[Row]) -> Spec:
    """A panel for many blocks (modes by colour), one for latency, one for key set-up: core cycles.

    Ciphers are sorted by the first; filled marks encrypt, hollow ones decrypt. Raises PlotError where there
    is no figure above zero.
    """
    known = [row for row in rows if row.core_cycles > 0 and row.quantity in (*_BULK, *_UNITS)]
    if not known:
        raise PlotError("there are no figures to plot")
    names = _sorted(known)
    panels = [*_many(known), *(panel for what in _UNITS for panel in _one(known, what))]
    modes = len({row.quantity for row in known} & _BULK.keys())
    for number, panel in enumerate(panels):
        panel["height"] = max(_ROW, _LINE * modes) * len(names)
        panel["encoding"]["y"] = rows_of("cipher", names, named=number == 0)
    first = known[0]
    below = [
        f"{first.processor}; {first.compiler}; {first.clock}; Finalist {first.commit}",
        "Less is better. Filled: encryption; hollow: decryption.",
    ]
    body = {"hconcat": panels, "spacing": 14, "resolve": {"scale": {"y": "shared"}}}
    return whole(f"Core cycles on {first.machine}", below, body)


def _sorted(rows: Iterable[Row]) -> list[str]:
    """The ciphers and key lengths, the quickest first."""
    best: dict[str, tuple[int, float]] = {}
    for row in rows:
        order = (0 if row.quantity in _BULK else 1, row.core_cycles)
        best[_name(row)] = min(best.get(_name(row), order), order)
    return sorted(best, key=lambda name: best[name])


def _name(row: Row) -> str:
    return f"{row.cipher}, {row.key_bits}"


def _many(rows: Sequence[Row]) -> Iterator[Spec]:
    """Core cycles a byte of many blocks, by mode; nothing where there are none."""
    own = [row for row in rows if row.quantity in _BULK]
    if not own:
        return
    modes = [mode for mode in MODES if mode in {_BULK[row.quantity] for row in own}]
    title = "many blocks" if len(modes) > 1 else f"many blocks, {modes[0]}"
    panel = _panel(own, title, "core cycles a byte", _BULK_WIDTH)
    panel["encoding"] |= looks("mode", modes, apart=True, orient="bottom", direction="horizontal")
    yield panel


def _one(rows: Sequence[Row], quantity: str) -> Iterator[Spec]:
    """Core cycles of another quantity; nothing where there are none."""
    own = [row for row in rows if row.quantity == quantity]
    if own:
        panel = _panel(own, quantity, _UNITS[quantity], _WIDTH)
        panel["mark"] |= {"stroke": INK, "fill": INK}
        yield panel


def _panel(rows: Sequence[Row], title: str, unit: str, width: int) -> Spec:
    return {
        "title": {"text": title, "fontSize": 12, "fontWeight": "normal", "offset": 6},
        "width": width,
        "data": {"values": [_record(row) for row in rows]},
        "mark": {"type": "point", "strokeWidth": 1.6, "opacity": 1},
        "encoding": {
            "x": logarithmic("core_cycles", unit, (row.core_cycles for row in rows), width),
            "fillOpacity": _by_operation(1, 0),
            "size": _by_operation(40, 90),
            "tooltip": tips(_SHOWN),
        },
    }


def _by_operation(encrypt: float, decrypt: float) -> Spec:
    """An encoding that tells the operations apart, also where both have one figure."""
    scale = {"domain": list(OPERATIONS), "range": [encrypt, decrypt]}
    return {"field": "operation", "type": "ordinal", "scale": scale, "legend": None}


def _record(row: Row) -> Spec:
    return {
        "cipher": _name(row),
        "operation": row.operation,
        "quantity": row.quantity,
        "mode": _BULK.get(row.quantity, ""),
        "core_cycles": float(f"{row.core_cycles:.4g}"),
        "unit": row.unit,
        "timing": row.timing,
        "schedule": row.schedule,
        "vectors": row.vectors,
    }
