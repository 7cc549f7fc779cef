"""What the tuner found, as tables for people and as a page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.console import RenderableType
from rich.text import Text

from finalist.cli import tables
from finalist.report import markdown
from finalist.tuning.explain import Explanation, kind_of, per_cycle
from finalist.tuning.trials import LENGTHS, Trial

_TITLE = "Ticks of the clock a byte, by the bytes of a message, of the quickest program for each length:"
_KINDS = ("layout", "operations a byte", "a core cycle", "ticks a byte", "timing", "schedule")


def for_screen(found: Sequence[Explanation], commands: Sequence[str]) -> Iterator[RenderableType]:
    """A row for each task; then the reasons, and the commands that emit the programs for long messages."""
    if not found:
        return
    yield _TITLE
    table = tables.plain(["cipher", "operation"], ["key", *map(str, LENGTHS)], ["schedule for long messages"])
    for one in found:
        table.add_row(*_row(one))
    yield table
    yield from tables.own_note(one.vectors for one in found)
    for one, emits in zip(found, commands, strict=True):
        yield f"{one.cipher} {one.operation} {one.key_bits}"
        yield from (f"  {reason}" for reason in one.reasons)
        yield Text(f"  {emits}", no_wrap=True, overflow="ignore")  # to be copied in one piece


def for_page(found: Sequence[Explanation]) -> str:
    """The same in Markdown, with the quickest program of each kind of layout."""
    header = ("cipher", "operation", "key", *map(str, LENGTHS))
    rows = [_row(one)[:-1] for one in found]
    parts = [f"{_TITLE}\n", markdown.table(header, rows, numbers=1 + len(LENGTHS))]
    parts += [f"\n{note}.\n" for note in tables.own_note(one.vectors for one in found)]
    if found:
        parts.insert(0, f"Taken on: {found[0].winners[0].trial.place}.\n")
    return "\n".join([*parts, *map(_section, found)]).rstrip()


def _row(one: Explanation) -> list[str]:
    figures = [f"{winner.trial.at(winner.data_bytes):.2f}" for winner in one.winners]
    return [
        tables.marked(one.cipher, one.vectors),
        one.operation,
        str(one.key_bits),
        *figures,
        one.winners[-1].trial.schedule,
    ]


def _section(one: Explanation) -> str:
    table = markdown.table(_KINDS, map(_kind, one.kinds), numbers=0)
    reasons = "\n".join(f"- {reason}." for reason in one.reasons)
    out = ""
    if one.ruled_out:
        out = f"\n\n{one.ruled_out} more could not have won: their operations alone take longer."
    return f"## {one.cipher}, {one.operation}, {one.key_bits}-bit keys\n\n{table}\n{reasons}{out}\n"


def _kind(trial: Trial) -> list[str]:
    return [
        kind_of(trial),
        f"{trial.operations:.1f}",
        f"{per_cycle(trial):.1f}",
        f"{trial.at(LENGTHS[-1]):.2f}",
        trial.timing,
        f"`{trial.schedule}`",
    ]
