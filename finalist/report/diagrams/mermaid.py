"""A diagram as Mermaid text, which GitHub, GitLab and many editors draw."""

from __future__ import annotations

import re
from html import unescape

from finalist.report.diagrams.boxes import KEY, STATE, WORK, Box, Diagram

#: What surrounds the text of a box.
_SHAPES = {STATE: ('(["', '"])'), KEY: ('[/"', '"/]'), WORK: ('["', '"]')}
#: What would not be text there. (Mermaid's own `#lt;` goes wrong where a text is wrapped.)
_ESCAPED = str.maketrans({'"': "&quot;", "<": "&lt;", ">": "&gt;", "&": "&amp;"})
_KIND = "flowchart TD"
#: Lines of code are wide.
_HEAD = '%%{init: {"flowchart": {"wrappingWidth": 420}}}%%'


def mermaid(diagram: Diagram) -> str:
    """A flowchart from the top down."""
    lines = [f"    b{number}{_box(box)}" for number, box in enumerate(diagram.boxes)]
    for start, end, words in diagram.arrows:
        label = f"|{words}| " if words > 1 else ""
        lines.append(f"    b{start} -->{label or ' '}b{end}")
    return "\n".join([_HEAD, _KIND, *lines]) + "\n"


def _box(box: Box) -> str:
    before, after = _SHAPES[box.kind]
    return before + "<br/>".join(text.translate(_ESCAPED) for text in (box.text, box.does) if text) + after


def parsed(text: str, title: str) -> Diagram:
    """The diagram that `mermaid` wrote so, under this title. Raises ValueError for any other text."""
    head, kind, *lines = text.splitlines()
    if [head, kind] != [_HEAD, _KIND]:
        raise ValueError(f"{kind!r} under {head!r}: accepted: what finalist pages writes")
    found = [(_BOX.fullmatch(line), _ARROW.fullmatch(line)) for line in lines]
    wrong = [line for line, either in zip(lines, found, strict=True) if not any(either)]
    if wrong:
        raise ValueError(f"{wrong[0].strip()!r}: accepted: a box or an arrow, as finalist pages writes them")
    boxes = tuple(_box_of(box[1]) for box, _ in found if box)
    arrows = tuple((int(one[1]), int(one[3]), int(one[2] or 1)) for _, one in found if one)
    return Diagram(title, boxes, arrows)


_BOX, _ARROW = re.compile(r" *b\d+([\[(].*)"), re.compile(r" *b(\d+) -->(?:\|(\d+)\|)? *b(\d+)")


def _box_of(shape: str) -> Box:
    for kind, (before, after) in _SHAPES.items():
        if shape.startswith(before) and shape.endswith(after):
            lines = shape.removeprefix(before).removesuffix(after).split("<br/>")
            text, does = (*map(unescape, lines), "")[:2]
            return Box(kind, text, does)
    raise ValueError(f"{shape!r} is no box")
