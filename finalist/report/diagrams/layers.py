"""Where boxes lie: in layers, each below all that it takes words from (Sugiyama, Tagawa, Toda 1981).

Arrows over several layers get a point in each, which has a place among the boxes there; the order in a layer
follows the mean places of neighbours, above and below in turns.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from finalist.report.diagrams.boxes import KEY, Diagram

#: How often the order in layers is improved, and boxes are moved towards their neighbours.
_SWEEPS, _MOVES = 8, 12

Arrow = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Placed:
    """``x``: the middle of each item, boxes first, then points of long arrows; ``layer``: of each item.

    ``ways``: the items that each arrow goes through, in the diagram's order.
    """

    x: tuple[float, ...]
    layer: tuple[int, ...]
    ways: tuple[tuple[int, ...], ...]


def placed(diagram: Diagram, widths: Sequence[float], gap: float) -> Placed:
    """Places for boxes of these widths, at least ``gap`` apart."""
    layer = _layers(diagram)
    ways: list[tuple[int, ...]] = []
    wide = list(widths)
    for start, end, _ in diagram.arrows:
        points = range(len(layer), len(layer) + layer[end] - layer[start] - 1)
        layer += range(layer[start] + 1, layer[end])
        wide += [0.0] * len(points)
        ways.append((start, *points, end))
    links = [pair for way in ways for pair in pairwise(way)]
    rows = _ordered(layer, links)
    return Placed(tuple(_settled(rows, links, wide, gap)), tuple(layer), tuple(ways))


def _layers(diagram: Diagram) -> list[int]:
    """The layer of each box, from the top; words of the key right above where they are used."""
    found = [0] * len(diagram.boxes)
    for start, end, _ in sorted(diagram.arrows, key=lambda arrow: arrow[1]):
        found[end] = max(found[end], found[start] + 1)
    for start, end, _ in diagram.arrows:
        if diagram.boxes[start].kind == KEY:
            found[start] = found[end] - 1
    return found


def _ordered(layer: Sequence[int], links: Iterable[Arrow]) -> list[list[int]]:
    """The items of each layer, from the left."""
    rows: list[list[int]] = [[] for _ in range(max(layer) + 1)]
    for item, own in enumerate(layer):
        rows[own].append(item)
    above: dict[int, list[int]] = {item: [] for item in range(len(layer))}
    below: dict[int, list[int]] = {item: [] for item in range(len(layer))}
    for start, end in links:
        below[start].append(end)
        above[end].append(start)
    for sweep in range(_SWEEPS):
        neighbours, order = (above, rows[1:]) if sweep % 2 == 0 else (below, rows[-2::-1])
        place = {item: k / len(row) for row in rows for k, item in enumerate(row)}
        for row in order:
            row.sort(key=lambda item: _mean([place[one] for one in neighbours[item]], place[item]))
            place |= {item: k / len(row) for k, item in enumerate(row)}
    return rows


def _settled(
    rows: Sequence[Sequence[int]], links: Iterable[Arrow], wide: Sequence[float], gap: float
) -> list[float]:
    """The middle of each item: near those of its neighbours, in the order of its row."""
    x = [0.0] * len(wide)
    near: dict[int, list[int]] = {item: [] for item in range(len(wide))}
    for start, end in links:
        near[start].append(end)
        near[end].append(start)
    for row in rows:
        _spread(row, x, wide, gap)
    for _ in range(_MOVES):
        for row in rows:
            for item in row:
                x[item] = _mean([x[one] for one in near[item]], x[item])
            _spread(row, x, wide, gap)
    least = min(x[item] - wide[item] / 2 for item in range(len(wide)))
    return [value - least for value in x]


def _spread(row: Sequence[int], x: list[float], wide: Sequence[float], gap: float) -> None:
    """Move the items of a row apart where they are too near, about its middle."""
    if not row:
        return
    before = sum(x[item] for item in row) / len(row)
    for left, item in pairwise(row):
        x[item] = max(x[item], x[left] + (wide[left] + wide[item]) / 2 + gap)
    shift = before - sum(x[item] for item in row) / len(row)
    for item in row:
        x[item] += shift


def _mean(values: Sequence[float], default: float) -> float:
    return sum(values) / len(values) if values else default
