"""The command that finds the quickest schedules and says why they won."""

from __future__ import annotations

import math
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from functools import partial
from typing import Annotated

import typer

from finalist.cli import explanations, options, output, plots
from finalist.report.plots.tune import plot as of_trials
from finalist.resumable import Resumable
from finalist.schedule import parsed
from finalist.tuning import choose, explain, shipped, trials
from finalist.tuning.search import Search, Task
from finalist.tuning.trials import Trial, TuningError
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
    renew(explanations.for_page(found))
    draw(lambda: of_trials(found))
    told = [asdict(one) | {"emit": emits} for one, emits in zip(found, commands, strict=True)]
    output.show_either(as_json, told, explanations.for_screen(found, commands), target)
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
