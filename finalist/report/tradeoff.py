"""A picture of what additions to a processor give for their area: for each the ciphers' speed-ups."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from math import exp, log, log10

#: Colours that stay apart for colour-blind eyes (Okabe, Ito 2008): the middle, and single ciphers.
_MIDDLE, _CIPHER = "#d55e00", "#0072b2"
_WIDTH, _HEIGHT, _LEFT, _RIGHT, _TOP, _BOTTOM = 820, 460, 60, 130, 20, 50


@dataclass(frozen=True, slots=True)
class Point:
    """An addition: its area, and the speed-up of each cipher."""

    name: str
    area: float
    gains: Mapping[str, float]

    @property
    def middle(self) -> float:
        """The geometric mean of the speed-ups."""
        return exp(sum(log(gain) for gain in self.gains.values()) / len(self.gains))


def picture(points: Sequence[Point], unit: str) -> str:
    """An SVG: area to the right, speed-up upwards, both in logarithms; a dot a cipher, a ring their mean."""
    scale = _Scale(points)
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" width="{_WIDTH}"'
        f' height="{_HEIGHT}" font-family="sans-serif" font-size="12" fill="#808080">'
    ]
    lines += scale.axes(unit)
    labels: list[tuple[float, float]] = []
    for point in points:
        labels.append(_free(scale.x(point.area) + 8, scale.y(point.middle) + 4, labels))
        lines += _column(point, scale, labels[-1])
    return "\n".join([*lines, "</svg>"]) + "\n"


class _Scale:
    """Where areas and speed-ups are in the picture."""

    def __init__(self, points: Sequence[Point]) -> None:
        areas = [point.area for point in points]
        gains = [gain for point in points for gain in point.gains.values()]
        self.areas = log10(min(areas)) - 0.1, log10(max(areas)) + 0.1
        self.gains = log10(min(*gains, 1)) - 0.02, log10(max(gains)) + 0.02

    def x(self, area: float) -> float:
        low, high = self.areas
        return _LEFT + (log10(area) - low) / (high - low) * (_WIDTH - _LEFT - _RIGHT)

    def y(self, gain: float) -> float:
        low, high = self.gains
        return _HEIGHT - _BOTTOM - (log10(gain) - low) / (high - low) * (_HEIGHT - _TOP - _BOTTOM)

    def axes(self, unit: str) -> list[str]:
        """Lines at round numbers, and what they are."""
        lines = []
        for gain in (g for g in (0.5, 0.7, 1, 1.5, 2, 3, 4, 6, 8) if self._inside(g, self.gains)):
            y = self.y(gain)
            lines.append(f'<path d="M{_LEFT} {y:.1f}H{_WIDTH - _RIGHT}" stroke="#80808050"/>')
            lines.append(f'<text x="{_LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">{gain:g}</text>')
        for area in (a for a in (0.001, 0.01, 0.1, 1, 10, 100) if self._inside(a, self.areas)):
            x = self.x(area)
            lines.append(f'<path d="M{x:.1f} {_TOP}V{_HEIGHT - _BOTTOM}" stroke="#80808050"/>')
            lines.append(f'<text x="{x:.1f}" y="{_HEIGHT - 34}" text-anchor="middle">{area:g}</text>')
        lines.append(f'<text x="{_LEFT}" y="{_HEIGHT - 12}">area, {escape(unit)}; upwards: speed-up</text>')
        return lines

    @staticmethod
    def _inside(value: float, ends: tuple[float, float]) -> bool:
        return ends[0] <= log10(value) <= ends[1]


def _free(x: float, y: float, labels: Sequence[tuple[float, float]]) -> tuple[float, float]:
    """A place for a name near this one, that no other name covers."""
    while any(abs(x - a) < _NAME and abs(y - b) < _LINE for a, b in labels):
        y -= 2
    return x, y


#: Width and height of the picture that a name covers.
_NAME, _LINE = 110, 13


def _column(point: Point, scale: _Scale, label: tuple[float, float]) -> list[str]:
    """An addition's dots, and its name near their mean."""
    x, y = scale.x(point.area), scale.y(point.middle)
    dots = [
        f'<circle cx="{x:.1f}" cy="{scale.y(gain):.1f}" r="2.5" fill="{_CIPHER}">'
        f"<title>{escape(cipher)}: {gain:.2f}</title></circle>"
        for cipher, gain in point.gains.items()
    ]
    ring = (
        f'<circle cx="{x:.1f}" cy="{y:.1f}" r="5" fill="none" stroke="{_MIDDLE}" stroke-width="2"/>'
        f'<text x="{label[0]:.1f}" y="{label[1]:.1f}" fill="{_MIDDLE}">{escape(point.name)}</text>'
    )
    return [*dots, ring]
