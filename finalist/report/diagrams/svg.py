"""A diagram as SVG, in the colours of the page that it is in (``currentColor`` and four CSS variables).

Boxes lie in layers, each below all that it takes words from (Sugiyama, Tagawa, Toda 1981). Arrows over
several layers get a point in each, which has a place among the boxes there; the order in a layer follows the
mean places of neighbours, above and below in turns.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape
from itertools import pairwise

from finalist.report.diagrams.boxes import KEY, STATE, Box, Diagram

#: Pixels: of a letter, of a line of text, around text, between boxes of a layer, between layers.
_LETTER, _LINE, _PAD, _GAP, _BETWEEN = 7.3, 17, 8, 24, 40
#: Room around all of it.
_EDGE = 12

#: The variables for light and dark pages, and the rules that take them.
LIGHT = "--line: #9aa4b8; --box: #eef1fb; --key: #fdf1dc; --state: #e7f4ea;"
DARK = "--line: #6b7488; --box: #262c40; --key: #40341f; --state: #1f3527;"
RULES = """.wide { overflow-x: auto; }
.diagram text { fill: currentColor; font: 12px ui-monospace, monospace; text-anchor: middle; }
.diagram .words { text-anchor: start; font-size: 11px; } .diagram .does { opacity: .75; }
.diagram rect { fill: var(--box); stroke: var(--line); } .diagram .key { fill: var(--key); }
.diagram .state { fill: var(--state); } .diagram .arrow { fill: none; stroke: var(--line); }
.diagram .head { fill: var(--line); }"""


def svg(diagram: Diagram) -> str:
    """The picture, with a name for those who listen."""
    widths = [max(map(len, _lines(box))) * _LETTER + 2 * _PAD for box in diagram.boxes]
    places = placed(diagram, widths, _GAP)
    tops = _tops(diagram, places)
    parts = [
        _arrow(way, words, diagram, places, tops)
        for way, (*_, words) in zip(places.ways, diagram.arrows, strict=True)
    ]
    for number, box in enumerate(diagram.boxes):
        parts.append(_box(box, places.x[number] + _EDGE, tops[places.layer[number]], widths[number]))
    wide = max(x + (widths[k] / 2 if k < len(widths) else 0) for k, x in enumerate(places.x)) + 2 * _EDGE
    high = tops[-1] + _EDGE
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" role="img" class="diagram"'
        f' aria-label="{escape(diagram.title)}"'
        f' width="{wide:.0f}" height="{high:.0f}" viewBox="0 0 {wide:.0f} {high:.0f}">{"".join(parts)}</svg>'
    )


def _lines(box: Box) -> list[str]:
    return [text for text in (box.text, box.does) if text]


def _height(box: Box) -> float:
    return len(_lines(box)) * _LINE + 2 * _PAD


def _tops(diagram: Diagram, places: Placed) -> list[float]:
    """Where each layer begins, and where the last one ends."""
    found = [float(_EDGE)]
    for layer in range(max(places.layer) + 1):
        highest = max(_height(box) for k, box in enumerate(diagram.boxes) if places.layer[k] == layer)
        found.append(found[-1] + highest + _BETWEEN)
    found[-1] -= _BETWEEN
    return found


def _box(box: Box, x: float, top: float, width: float) -> str:
    rounded = {STATE: _LINE, KEY: _LINE / 2}.get(box.kind, 3)
    rect = (
        f'<rect class="{box.kind}" x="{x - width / 2:.0f}" y="{top:.0f}" width="{width:.0f}"'
        f' height="{_height(box):.0f}" rx="{rounded:.0f}"/>'
    )
    texts = "".join(
        f'<text class="{name}" x="{x:.0f}" y="{top + _PAD + (k + 0.75) * _LINE:.0f}">{escape(text)}</text>'
        for k, (name, text) in enumerate(zip(("code", "does"), _lines(box), strict=False))
    )
    return rect + texts


def _arrow(way: Sequence[int], words: int, diagram: Diagram, places: Placed, tops: Sequence[float]) -> str:
    """From the bottom of a box through points between others to the top of another."""
    start, *points, end = way
    x, y = places.x[start] + _EDGE, tops[places.layer[start]] + _height(diagram.boxes[start])
    path, first = f"M{x:.0f} {y:.0f}", (x, y)
    for item in (*points, end):
        to_x, to_y = places.x[item] + _EDGE, tops[places.layer[item]]
        half = (y + to_y) / 2
        path += f"C{x:.0f} {half:.0f} {to_x:.0f} {half:.0f} {to_x:.0f} {to_y:.0f}"
        x, y = to_x, to_y
        if item != end:
            y = tops[places.layer[item] + 1] - _BETWEEN
            path += f"V{y:.0f}"
    head = f'<path class="head" d="M{x:.0f} {y:.0f}l-4 -8h8z"/>'
    label = (
        f'<text class="words" x="{first[0] + 9:.0f}" y="{first[1] + 14:.0f}">{words}</text>'
        if words > 1
        else ""
    )
    return f'<path class="arrow" d="{path}"/>{head}{label}'


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
