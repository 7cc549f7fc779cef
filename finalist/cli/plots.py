"""Plots that commands write beside their tables."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from finalist.cli import output
from finalist.report.plots.render import check, drawn
from finalist.report.plots.style import Spec

#: What takes what makes a plot, and draws it where one was asked for.
Draw = Callable[[Callable[[], Spec]], None]


def to(path: Path | None) -> Draw:
    """What writes a plot to the file, where one was asked for; it is called with what makes the plot.

    Raises PlotError, before the work for it is done, where the file could not be drawn.
    """
    if path is None:
        return lambda make: None
    check(path)
    return lambda make: output.write(path, drawn(make(), path.name))
