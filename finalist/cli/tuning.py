"""The command that finds the quickest schedules and says why they won."""

from __future__ import annotations

import math
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from functools import partial
from typing import Annotated

import typer
from rich.console import RenderableType
from rich.text import Text

from finalist.cli import options, output, plots, tables
from finalist.report import markdown
from finalist.report.plots.tune import plot as of_trials
from finalist.resumable import Resumable
from finalist.schedule import parsed
from finalist.tuning import choose, explain, shipped, trials
from finalist.tuning.explain import Explanation, kind_of, per_cycle
from finalist.tuning.search import Search, Task
from finalist.tuning.trials import LENGTHS, Trial, TuningError
from finalist.workers import HERE

SECONDS = 60.0


def tune(
    cipher: options.CipherNames = None,
    machine: options.MachineName = options.DEFAULT_MACHINE,
    operation: options.AnyOperation = None,
    key_bits: options.KeyBits = None,
    seconds: Annotated[
        float, typer.Option(min=0, help="Time for one operation and key length; 0 shows what is known.")
    ] = SECONDS,
    again: Annotated[bool, typer.Option("--again", help="Make trials of earlier runs again.")] = False,
    target: options.Page = None,
    ship: Annotated[
        bool,
        typer.Option("--ship", help="Put the winners among those that come with Finalist, for CPUs alike."),
    ] = False,
    plot: options.Plot = None,
    as_json: options.AsJson = False,
) -> None:
    """Find the quickest schedules on this computer, keep them, and say why they won.

    With the command that emits each. May be stopped at any time; what was tried is kept, and the next run
    goes on from there.
    """
    if math.isnan(seconds) or (again and not seconds):
        accepted = "more than 0 with --again" if again else "0 or more"
        raise TuningError(f"--seconds {seconds:g}: accepted is {accepted}")
    tasks = [
        Task(one, machine, each, one.usual_key_bits() if key_bits is None else key_bits)
        for one in options.ciphers_of(cipher)
        for each in options.operations_of(operation)
    ]
    renew = output.part_of(target, "finalist tune")
    draw = plots.to(plot)
    tried = _tried(tasks, seconds, again)
    found: list[explain.Explanation] = []
    commands: list[str] = []
    nothing: list[str] = []
    won: dict[str, tuple[str, shipped.Winners]] = {}
    for task in tasks:
        own = tried[task]
        if any(trial.timed for trial in own):
            found.append(explain.explain(own, task))
            commands.append(_emits(task, found[-1].winners[-1].trial))
            won[task.name] = str(task), choose.by_length(own)
        else:
            nothing.append(str(task))
    if ship and won:
        shipped.write(machine, next(iter(Search(tasks[0], [], 0).machine.cpu_kinds())), won)
    renew(for_page(found))
    draw(lambda: of_trials(found))
    told = [asdict(one) | {"emit": emits} for one, emits in zip(found, commands, strict=True)]
    output.show_either(as_json, told, for_screen(found, commands), target)
    if nothing and not as_json and target is None:
        output.say(f"nothing is known of {', '.join(nothing)}; accepted: --seconds above {seconds:g}")


def _emits(task: Task, winner: Trial) -> str:
    """The command that emits the program of a trial."""
    name, bits = task.cipher.source or task.cipher.name(), task.key_bits
    words = ["--operation", task.operation]
    words += ["--machine", task.machine] if task.machine != options.DEFAULT_MACHINE else []
    words += ["--key-bits", str(bits)] if bits != task.cipher.usual_key_bits() else []
    chosen = ",".join(parsed(winner.schedule).texts())
    return shlex.join(["finalist", "emit", name, *words, "-s", chosen])


def _tried(tasks: Sequence[Task], seconds: float, again: bool) -> Mapping[Task, Sequence[Trial]]:
    """All trials of each task: those known, and with time to spend those that the search finds worth making.

    Here, one task after the other. Each trial is kept once it is made, as what is tried next depends on it.
    """
    known = trials.latest(trials.read().rows)
    if not seconds:
        return {task: list(Search(task, known, 0).earlier.values()) for task in tasks}
    with output.progress(len(tasks)) as step:
        search = partial(_searched, [] if again else known, seconds, step)
        return dict(output.followed(step, Resumable(search, tasks), at_once=HERE))


def _searched(known: Sequence[Trial], seconds: float, step: output.Step, task: Task) -> list[Trial]:
    one = Search(task, known, seconds)
    for trial in one.run():
        trials.append([trial])
        step(f"{task}: {_told(trial)}", begins=False)
    if one.cut_off:
        output.say(
            f"{task}: time was up before all was tried; the same command goes on, --seconds gives it more"
        )
    return list(one.trials.values())


def _told(trial: Trial) -> str:
    long = trials.LENGTHS[-1]
    return f"{trial.at(long):.2f} ticks/byte, {trial.schedule}" if trial.timed else "ruled out"


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
