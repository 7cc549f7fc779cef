"""Tables as HTML: in a frame that scrolls where the page is narrow, numbers flush right."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape

from finalist.report.advice import shown
from finalist.report.page.points import Point, Refusal


@dataclass(frozen=True)
class Cell:
    """A cell: its text, or HTML where it is ``raw``; ``number``: what it is sorted by, if by a number."""

    text: str
    number: float | None = None
    raw: bool = False
    attributes: Mapping[str, str] = field(default_factory=dict)

    def html(self) -> str:
        """The cell."""
        own = dict(self.attributes)
        if self.number is not None:
            own |= {"class": " ".join(filter(None, ("n", own.get("class")))), "data-v": f"{self.number:.6g}"}
        return f"<td{_attributes(own)}>{self.text if self.raw else escape(self.text)}</td>"


def _attributes(named: Mapping[str, str]) -> str:
    return "".join(f' {name}="{escape(value)}"' for name, value in named.items())


@dataclass(frozen=True)
class Row:
    """A row; ``attributes``: what filters know it by."""

    cells: Sequence[Cell]
    attributes: Mapping[str, str] = field(default_factory=dict)

    def html(self) -> str:
        """The row."""
        return f"<tr{_attributes(self.attributes)}>{''.join(cell.html() for cell in self.cells)}</tr>"


def table(caption: str, header: Sequence[str], rows: Iterable[Row]) -> str:
    """A table with a caption, which can be scrolled by the keyboard."""
    heads = "".join(f'<th scope="col">{escape(name)}</th>' for name in header)
    body = "\n".join(row.html() for row in rows)
    return f"""<div class="frame" tabindex="0" role="region" aria-label="{escape(caption)}"><table>
<caption>{escape(caption)}</caption><thead><tr>{heads}</tr></thead>
<tbody>
{body}
</tbody></table></div>"""


def folded(summary: str, content: str, name: str = "") -> str:
    """What is shown only where the reader asks for it."""
    own = f' id="{name}"' if name else ""
    return f"<details{own}><summary>{escape(summary)}</summary>\n{content}\n</details>"


# -- programs ------------------------------------------------------------------------------------------

_ABOUT = ("cipher", "direction", "key", "security", "timing")
_MORE = ("spread", "schedule", "verified by", "taken", "code")


def of_points(caption: str, points: Sequence[Point], wants: Sequence[str]) -> str:
    """A row a program: what it is, its figures of what may be wanted, how it is had."""
    units = {want: next((one.unit(want) for one in points if one.unit(want)), "") for want in wants}
    header = (*_ABOUT, *(f"{want}, {unit}" for want, unit in units.items()), *_MORE)
    return table(caption, header, [_row(one, wants) for one in points])


def filters(cipher: str, machine: str, operation: str, state: str) -> dict[str, str]:
    """What the script finds a row by."""
    return {"data-cipher": cipher, "data-machine": machine, "data-operation": operation, "data-state": state}


def _row(one: Point, wants: Sequence[str]) -> Row:
    first, spread = one.first, max(figure.spread for figure in one.figures.values())
    about = [Cell(text) for text in (one.cipher, first.operation, str(first.key_bits), one.state, one.timing)]
    values = [_figure(one.value(want)) for want in wants]
    name = f"Command and code of {one.cipher}, {first.operation}, on {one.place}"
    button = f'<button type="button" data-id="{one.number}" aria-label="{escape(name)}">show</button>'
    more = [
        Cell(f"{spread:.0%}" if first.processor else "-", spread),
        Cell(first.schedule),
        Cell(first.verified),
        Cell(f"{first.date[:10]}, {first.commit}"),
        Cell(button, raw=True),
    ]
    known = filters(one.cipher, one.place, first.operation, one.state)
    return Row([*about, *values, *more], known)


def _figure(value: float | None) -> Cell:
    return Cell("-") if value is None else Cell(shown(value), value)


def of_refusals(caption: str, found: Sequence[Refusal], state: Callable[[str], str]) -> str:
    """A row a cipher that a machine refuses."""
    rows = [
        Row(
            [Cell(one.cipher), Cell(one.place), Cell(one.operation), Cell(one.why)],
            filters(one.cipher, one.place, one.operation, state(one.cipher)),
        )
        for one in found
    ]
    return table(caption, ("cipher", "machine", "direction", "why"), rows)
