"""A diagram as Mermaid text, which GitHub, GitLab and many editors draw."""

from __future__ import annotations

from finalist.report.diagrams.boxes import KEY, STATE, WORK, Box, Diagram

#: What surrounds the text of a box.
_SHAPES = {STATE: ('(["', '"])'), KEY: ('[/"', '"/]'), WORK: ('["', '"]')}
#: What would not be text there. (Mermaid's own `#lt;` goes wrong where a text is wrapped.)
_ESCAPED = str.maketrans({'"': "&quot;", "<": "&lt;", ">": "&gt;", "&": "&amp;"})
#: Lines of code are wide.
_HEAD = '%%{init: {"flowchart": {"wrappingWidth": 420}}}%%'


def mermaid(diagram: Diagram) -> str:
    """A flowchart from the top down."""
    lines = [f"    b{number}{_box(box)}" for number, box in enumerate(diagram.boxes)]
    for start, end, words in diagram.arrows:
        label = f"|{words}| " if words > 1 else ""
        lines.append(f"    b{start} -->{label or ' '}b{end}")
    return "\n".join([_HEAD, "flowchart TD", *lines]) + "\n"


def _box(box: Box) -> str:
    before, after = _SHAPES[box.kind]
    return before + "<br/>".join(text.translate(_ESCAPED) for text in (box.text, box.does) if text) + after
