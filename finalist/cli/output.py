"""Where output goes: tables and JSON to standard output, all else to standard error, files in one piece."""

from __future__ import annotations

import io
import json
import re
import secrets
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol, TypeVar, cast

import typer
from rich.console import Console, RenderableType
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

from finalist.cli.fitting import fitted
from finalist.errors import FinalistError, reason
from finalist.resumable import Resumable, Task

#: Columns where standard output is no terminal: nothing is wrapped.
_ENDLESS = 1 << 20
#: Seconds after which a line says how far a command is, where no bar can.
EVERY = 10.0

Result = TypeVar("Result")


class OutputError(FinalistError):
    """A file that can't be written."""


class Step(Protocol):
    """What tells a progress bar that a step begins, or what it is doing now."""

    def __call__(self, what: str, begins: bool = True) -> None: ...


def say(message: str) -> None:
    """One line to the user, on standard error."""
    typer.echo(f"finalist: {message}", err=True)


def width() -> int:
    """Columns of standard output; without end where that is no terminal."""
    return _console().width if sys.stdout.isatty() else _ENDLESS


def show(parts: Iterable[RenderableType]) -> None:
    """Tables and lines on standard output: fitted to a terminal, and to anything else a row a line."""
    if sys.stdout.isatty():
        console = _console()
        for part in parts:
            for fitting in fitted(part, console.width) if isinstance(part, Table) else [part]:
                console.print(fitting)
        return
    console = _console(file=io.StringIO(), width=_ENDLESS)
    for part in parts:
        for column in part.columns if isinstance(part, Table) else ():
            column.max_width = None
        console.print(part)
    text = cast(io.StringIO, console.file).getvalue()
    typer.echo("\n".join(line.rstrip() for line in text.split("\n")), nl=False)


def _console(**options: Any) -> Console:
    # No markup: names and messages may hold brackets.
    return Console(markup=False, highlight=False, emoji=False, **options)


def show_json(document: Any) -> None:
    """One JSON document on standard output."""
    typer.echo(json.dumps(document, indent=2))


def show_either(as_json: bool, document: Any, parts: Iterable[RenderableType], *written: Path | None) -> None:
    """The document as JSON, or else which pages were ``written``, or where none was, tables and lines."""
    pages = [str(path) for path in written if path is not None]
    if as_json:
        show_json(document)
    elif pages:
        typer.echo("\n".join(pages))
    else:
        show(parts)


@contextmanager
def progress(total: int) -> Iterator[Step]:
    """A bar on standard error, where that is a terminal; else a line every ten seconds.

    The function that it yields is called before each of ``total`` steps, with what the step is about; and
    in the course of one, with ``begins=False``, to say more about it.
    """
    if not sys.stderr.isatty():
        with _lines(total) as step:
            yield step
        return
    text = TextColumn("{task.description}", markup=False)
    console = Console(stderr=True)
    columns = (BarColumn(), MofNCompleteColumn(), TimeRemainingColumn(), text)
    with Progress(*columns, console=console, transient=True) as bar:
        task, done = bar.add_task("", total=total), iter(range(total + 1))
        now = 0

        def step(what: str, begins: bool = True) -> None:
            nonlocal now
            now = next(done, total) if begins else now
            bar.update(task, completed=now, description=what)

        yield step


def followed(
    step: Step,
    work: Resumable[Task, Result],
    label: Callable[[Task], str] = str,
    at_once: int | None = None,
    scheduler: str = "",
) -> Iterator[tuple[Task, Result]]:
    """What is left of long work, as it runs (`Resumable.run`); each ``step`` says which task is under way."""
    waiting = dict.fromkeys(work.left)
    _say_first(step, map(label, waiting))
    for task, result in work.run(at_once, scheduler):
        del waiting[task]
        _say_first(step, map(label, waiting))
        yield task, result


def done(
    work: Resumable[Task, Result], label: Callable[[Task], str] = str, at_once: int | None = None
) -> Mapping[Task, Result]:
    """All results of long work, in the order of its tasks, with progress."""
    found = dict(work.known)
    with progress(len(work.left)) as step:
        found |= followed(step, work, label, at_once)
    return {task: found[task] for task in work.tasks}


def _say_first(step: Step, labels: Iterator[str]) -> None:
    for label in labels:
        step(label)
        return


@contextmanager
def _lines(total: int) -> Iterator[Step]:
    """As `progress`, by plain lines: what is under way when `EVERY` seconds have passed, and again."""
    begun, about, ended, start = 0, "", threading.Event(), time.monotonic()

    def step(what: str, begins: bool = True) -> None:
        nonlocal begun, about
        begun, about = begun + begins, what

    def tell() -> None:
        while not ended.wait(EVERY):
            if about:
                far = f"{min(begun, total)} of {total}{rest(begun, total, time.monotonic() - start)}: "
                say(f"{far if total else ''}{about}")

    teller = threading.Thread(target=tell, daemon=True)
    teller.start()
    try:
        yield step
    finally:
        ended.set()
        teller.join()


def rest(begun: int, total: int, seconds: float) -> str:
    """About how many minutes the rest takes, if each step takes as long as those that took so many seconds;
    empty where that is less than one, or not known."""
    done = min(begun, total) - 1
    minutes = round(seconds / done * (total - done) / 60) if done > 0 else 0
    return f", about {minutes} min left" if minutes else ""


def file_in(folder: Path, stem: str, suffix: str) -> Path:
    """A file's path in a folder; a definition may call itself anything, but its code stays there."""
    return folder / (re.sub(r"[^\w-]+", "_", stem) + suffix)


def make_folder(path: Path) -> None:
    """The folder, and those that it lies in. Raises OutputError."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(f"{path} can't be made: {error.strerror or error}") from error


def write(path: Path, content: str | bytes) -> None:
    """The whole content, text in UTF-8, or nothing. Raises OutputError."""
    data = content.encode() if isinstance(content, str) else content
    try:
        if path.exists() and not path.is_file():
            path.write_bytes(data)  # a pipe or device: nothing can be put in its place
        else:
            _replace(path.resolve(), data)
    except OSError as error:
        raise OutputError(f"{path} can't be written: {error.strerror or error}") from error


def part_of(path: Path | None, mark: str) -> Callable[[str], None]:
    """What writes the part of a Markdown page between two comments, and leaves the rest as it is now.

    Without a path nothing is written. Where there is no such file, the page will be that part alone. Raises
    OutputError where the file can't be read or has no such comments, so that it is known before long work.
    """
    if path is None:
        return lambda text: None
    begin, end = f"<!-- {mark} -->\n", f"<!-- end of {mark} -->\n"
    try:
        page = path.read_text("utf-8") if path.exists() else begin + end
    except (OSError, UnicodeError) as error:
        raise OutputError(f"{path} can't be read: {reason(error)}") from error
    before, _, rest = page.partition(begin)
    _, found, after = rest.partition(end)
    if not found:
        raise OutputError(f"{path} has no lines {begin.strip()} and {end.strip()} to write between")
    return lambda text: write(path, f"{before}{begin}\n{text}\n\n{end}{after}")


def _replace(target: Path, data: bytes) -> None:
    part = target.with_name(f".{target.name}.{secrets.token_hex(4)}")
    try:
        with part.open("xb") as file:
            file.write(data)
        part.replace(target)
    finally:
        part.unlink(missing_ok=True)
