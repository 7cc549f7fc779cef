"""``finalist results``: figures that were taken and are kept on this computer, and two states of them."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, fields
from pathlib import Path
from typing import Annotated

import typer

from finalist.cli import options, output, tables
from finalist.cli.commands import FAILED
from finalist.errors import UnknownNameError, unknown
from finalist.measure import history
from finalist.measure import results as kept
from finalist.measure.bench import QUANTITIES
from finalist.measure.results import ResultsError, Row
from finalist.report.history import is_slower, of_changes, of_rows

_SUFFIXES = (".csv", ".json", ".jsonl")
_STATE = "a commit or what it begins with, or a results file"

Names = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="CIPHER", help="Names of ciphers; all that there are figures of if none is given."
    ),
]
Quantities = Annotated[
    list[str] | None,
    typer.Option(
        "--quantity",
        help=f"{', '.join(QUANTITIES)}; may be repeated.",
        autocompletion=options.starting(QUANTITIES),
    ),
]
Commits = Annotated[
    list[str] | None, typer.Option("--commit", help="A state of Finalist, or what it begins with.")
]
File = Annotated[Path | None, typer.Option("--file", help="Another results file than this computer's own.")]
Every = Annotated[
    bool, typer.Option("--every", help="All figures that were ever taken, not the latest of each.")
]
Target = Annotated[
    Path | None, typer.Option("-o", "--output", help=f"A file to write the rows to: {', '.join(_SUFFIXES)}.")
]
Before = Annotated[str | None, typer.Option(help=f"Compare with this state: {_STATE}.")]
After = Annotated[
    str | None, typer.Option(help=f"The state that is compared, the latest if not given: {_STATE}.")
]
Threshold = Annotated[
    float, typer.Option(min=0, help="With --before: per cent more time from which on the command fails.")
]


def results(
    cipher: Names = None,
    machine: options.AnyMachines = None,
    operation: options.AnyOperation = None,
    quantity: Quantities = None,
    commit: Commits = None,
    file: File = None,
    every: Every = False,
    before: Before = None,
    after: After = None,
    threshold: Threshold = 5.0,
    target: Target = None,
    as_json: options.AsJson = False,
) -> None:
    """Show the figures that `finalist bench` has kept on this computer, write them to a file, compare two
    states.

    With --before it ends with exit code 1 where anything takes longer by more than the threshold.
    """
    for one in quantity or ():
        if one not in QUANTITIES:
            raise UnknownNameError(unknown("quantity", one, QUANTITIES))
    if target is not None and target.suffix not in _SUFFIXES:
        raise UnknownNameError(f"-o {target}: accepted is a file {', '.join(_SUFFIXES)}")
    if before is None and after is not None:
        raise UnknownNameError("--after goes with --before")
    told = {"machine": machine or (), "operation": [operation] if operation else ()}
    wanted = {"cipher": cipher or (), "quantity": quantity or (), "commit": commit or (), **told}
    rows = history.asked(_rows(file or kept.results_file()), **wanted)
    if before is not None:
        found = _changes(rows, before, after, wanted)
        _show(found, threshold / 100, as_json)
        return
    shown = rows if every else history.latest(rows)
    if target is not None:
        output.write(target, _text(shown, target.suffix))
        typer.echo(target)
    elif as_json:
        output.show_json([asdict(row) for row in shown])
    else:
        output.show(tables.of_sheet(of_rows(shown)))


def _rows(path: Path) -> Sequence[Row]:
    """All figures of a file; lines that are damaged are named and passed over. Raises ResultsError."""
    if not path.exists():
        raise ResultsError(f"{path} is not there: `finalist bench` makes it, or --file names another")
    found = kept.read(path)
    for line in found.damaged:
        output.say(f"passed over: {line}")
    return found.rows


# -- two states ------------------------------------------------------------------------------------------


def _changes(
    rows: Sequence[Row], before: str, after: str | None, wanted: Mapping[str, Sequence[str]]
) -> tuple[str, str, list[history.Change]]:
    """The names of both states and what both have. Raises UnknownNameError where that is nothing."""
    if after is None:
        if not rows:
            raise UnknownNameError("there are no figures of what is asked for; `finalist bench` takes them")
        after = max(rows, key=lambda row: row.date).commit
    states = [_state(rows, name, wanted) for name in (before, after)]
    found = history.changes(*states)
    if not found:
        raise UnknownNameError(f"{before} and {after} have no figures of the same: {_subjects(states)}")
    return before, after, found


def _state(rows: Sequence[Row], name: str, wanted: Mapping[str, Sequence[str]]) -> list[Row]:
    """The rows of a commit, or of a file."""
    path = Path(name)
    if path.is_file():
        return history.asked(_rows(path), **wanted)
    found = history.asked(rows, commit=[name])
    if not found:
        commits = list(dict.fromkeys(row.commit for row in rows))
        raise UnknownNameError(unknown("state", name, commits, " and results files"))
    return found


def _subjects(states: Sequence[Sequence[Row]]) -> str:
    """What each state has figures of."""
    told = (", ".join(dict.fromkeys(f"{row.cipher} {row.quantity}" for row in rows)) for rows in states)
    return "; ".join(one or "nothing" for one in told)


def _show(states: tuple[str, str, list[history.Change]], threshold: float, as_json: bool) -> None:
    """The changes. Raises typer.Exit where one is beyond the threshold."""
    before, after, found = states
    if as_json:
        output.show_json([{**asdict(one), "ratio": one.ratio} for one in found])
    else:
        output.show(tables.of_sheet(of_changes(found, before, after, threshold)))
    slower = [one for one in found if is_slower(one, threshold)]
    if slower:
        output.say(f"{len(slower)} of {len(found)} figures take more than {threshold:.0%} longer")
        raise typer.Exit(FAILED)


# -- files -----------------------------------------------------------------------------------------------


def _text(rows: Sequence[Row], suffix: str) -> str:
    """The rows as a file of that kind holds them."""
    records = [asdict(row) for row in rows]
    if suffix == ".json":
        return json.dumps(records, indent=2) + "\n"
    if suffix == ".jsonl":
        return "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records)
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, [field.name for field in fields(Row)], lineterminator="\n")
    writer.writeheader()
    writer.writerows(records)
    return text.getvalue()
