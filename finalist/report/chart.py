"""A picture of what ciphers compute: for each a bar, cut by the kinds of its operations."""

from __future__ import annotations

import re
from collections.abc import Iterable
from html import escape

from finalist.report.kinds import GROUPS
from finalist.report.profile import COMPILED, Profile

#: Colours that stay apart for colour-blind eyes (Okabe, Ito 2008), in the order of `GROUPS`.
_COLOURS = ("#d55e00", "#e69f00", "#cc79a7", "#0072b2", "#56b4e9", "#009e73")
_LEFT, _BAR, _RIGHT, _ROW, _TOP = 110, 560, 110, 20, 34
#: Legible on light and on dark pages.
_HEAD = (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}"'
    ' font-family="sans-serif" font-size="12" fill="#808080">\n'
)


def bar(found: Profile) -> str:
    """A cipher's bar, of one line, to be put in its place by `chart`."""
    counts = found.form(COMPILED).counts
    parts, x = [], float(_LEFT)
    for (group, kinds), colour in zip(GROUPS.items(), _COLOURS, strict=True):
        operations = counts.of(*kinds)
        width = _BAR * operations / max(1, counts.total)
        if operations:
            parts.append(
                f'<rect x="{x:.1f}" width="{width:.1f}" height="{_ROW - 6}" fill="{colour}">'
                f"<title>{group}: {operations}</title></rect>"
            )
        x += width
    name, per_byte = escape(found.cipher.name()), counts.total / found.cipher.block.bytes
    label = f'<text x="{_LEFT - 8}" y="11" text-anchor="end">{name}</text>'
    number = f'<text x="{_LEFT + _BAR + 8}" y="11">{per_byte:.1f} a byte</text>'
    return f"{label}{''.join(parts)}{number}"


def chart(bars: Iterable[str]) -> str:
    """The bars below one another, under a legend."""
    lines = [f'<g transform="translate(0 {_TOP + _ROW * k})">{one}</g>\n' for k, one in enumerate(bars)]
    width, height = _LEFT + _BAR + _RIGHT, _TOP + _ROW * len(lines)
    return _HEAD.format(width=width, height=height) + _legend() + "".join(lines) + "</svg>\n"


def bars_of(text: str) -> list[str]:
    """The bars of a chart."""
    return re.findall(r'<g transform="translate\(0 \d+\)">(.*)</g>', text)


def _legend() -> str:
    step = (_BAR + _RIGHT) // len(GROUPS)
    marks = (
        f'<rect x="{_LEFT + k * step}" y="6" width="10" height="10" fill="{colour}"/>'
        f'<text x="{_LEFT + k * step + 14}" y="15">{group}</text>\n'
        for k, (group, colour) in enumerate(zip(GROUPS, _COLOURS, strict=True))
    )
    return "".join(marks)
