"""``finalist results``: figures that were taken and are kept on this computer, and two states of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from finalist.cli import options, output, tables
from finalist.cli.commands import FAILED
from finalist.errors import UnknownNameError, unknown
from finalist.measure import history, store
from finalist.measure.figure import Figure
from finalist.measure.store import ResultsError
from finalist.report import exports
from finalist.report.history import is_slower, of_changes, of_rows

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
        help="Such as bulk, RAM, area; may be repeated.",
    ),
]
Units = Annotated[
    list[str] | None,
    typer.Option("--unit", help="Of several that a measurement is given in; may be repeated."),
]
Commits = Annotated[
    list[str] | None, typer.Option("--commit", help="A state of Finalist, or what it begins with.")
]
File = Annotated[Path | None, typer.Option("--file", help="Another results file than this computer's own.")]
Published = Annotated[
    bool, typer.Option("--published", help="The figures that come with Finalist, of all machines.")
]
Every = Annotated[
    bool, typer.Option("--every", help="All figures that were ever taken, not the latest of each.")
]
Target = Annotated[
    Path | None,
    typer.Option("-o", "--output", help=f"A file for the rows: {', '.join(exports.FORMATS)}."),
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
    unit: Units = None,
    commit: Commits = None,
    file: File = None,
    published: Published = False,
    every: Every = False,
    before: Before = None,
    after: After = None,
    threshold: Threshold = 5.0,
    target: Target = None,
    as_json: options.AsJson = False,
) -> None:
    """Show the figures that are kept on this computer, or come along, write them to a file, compare two
    states.

    `finalist bench` and `finalist sweep` keep them. Of a measurement that is given in
    several units one is shown, unless --unit asks for others. With --before it ends with exit code 1 where
    anything takes longer by more than the threshold.
    """
    if published and file is not None:
        raise UnknownNameError("--published and --file are two sources of figures; accepted is one")
    if target is not None:
        exports.check(target.suffix)
    if before is None and after is not None:
        raise UnknownNameError("--after goes with --before")
    told = {"machine": machine or (), "operation": [operation] if operation else (), "unit": unit or ()}
    wanted = {"cipher": cipher or (), "quantity": quantity or (), "commit": commit or (), **told}
    all_rows = store.published() if published else _rows(file or store.results_file())
    _check(all_rows, quantity=quantity or (), unit=unit or ())
    rows = history.asked(all_rows, **wanted)
    if before is not None:
        found = _changes(rows, before, after, wanted)
        _show(found, threshold / 100, as_json)
        return
    shown = rows if every else history.latest(rows)
    if target is not None:
        output.write(target, exports.exported(shown, target.suffix))
        typer.echo(target)
    else:
        output.show_either(as_json, [asdict(row) for row in shown], tables.of_sheet(of_rows(shown)))


def _check(rows: Sequence[Figure], **wanted: Sequence[str]) -> None:
    """Raises UnknownNameError where something is asked for that no figure has."""
    for name, values in wanted.items():
        known = dict.fromkeys(str(getattr(row, name)) for row in rows)
        for value in values:
            if rows and value not in known:
                raise UnknownNameError(unknown(name, value, known))


def figures_of(path: Path | None = None) -> Sequence[Figure]:
    """All figures of a file, without a path of this computer's own; lines that are damaged are named and
    passed over. Raises ResultsError."""
    found = store.read(path)
    for line in found.damaged:
        output.say(f"passed over: {line}")
    return found.rows


def _rows(path: Path) -> Sequence[Figure]:
    """As `figures_of`, of a file that has to be there."""
    if not path.exists():
        raise ResultsError(f"{path} is not there: `finalist bench` makes it, or --file names another")
    return figures_of(path)


# -- two states ------------------------------------------------------------------------------------------


def _changes(
    rows: Sequence[Figure], before: str, after: str | None, wanted: Mapping[str, Sequence[str]]
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


def _state(rows: Sequence[Figure], name: str, wanted: Mapping[str, Sequence[str]]) -> list[Figure]:
    """The rows of a commit, or of a file."""
    path = Path(name)
    if path.is_file():
        return history.asked(_rows(path), **wanted)
    found = history.asked(rows, commit=[name])
    if not found:
        commits = list(dict.fromkeys(row.commit for row in rows))
        raise UnknownNameError(unknown("state", name, commits, " and results files"))
    return found


def _subjects(states: Sequence[Sequence[Figure]]) -> str:
    """What each state has figures of."""
    told = (", ".join(dict.fromkeys(f"{row.cipher} {row.quantity}" for row in rows)) for rows in states)
    return "; ".join(one or "nothing" for one in told)


def _show(states: tuple[str, str, list[history.Change]], threshold: float, as_json: bool) -> None:
    """The changes. Raises typer.Exit where one is beyond the threshold."""
    before, after, found = states
    told = [{**asdict(one), "ratio": one.ratio} for one in found]
    output.show_either(as_json, told, tables.of_sheet(of_changes(found, before, after, threshold)))
    slower = [one for one in found if is_slower(one, threshold)]
    if slower:
        output.say(f"{len(slower)} of {len(found)} figures take more than {threshold:.0%} longer")
        raise typer.Exit(FAILED)
