"""``finalist sweep``: the figures of ciphers x machines x schedules, in parallel, kept as they come."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from finalist import workers
from finalist.cli import options, output
from finalist.cli.commands import FAILED
from finalist.errors import KeyLengthError
from finalist.machines.registry import machine_names
from finalist.measure import clock, store
from finalist.schedule import parse_schedule
from finalist.sweep import measure
from finalist.sweep.points import Point, points

#: Machines that have no figures.
_REFERENCE = "interpreter"

Schedules = Annotated[
    list[str] | None,
    typer.Option(
        "--schedule",
        "-s",
        metavar="SCHEDULE",
        help="A whole schedule, such as 'blocks=2 width=256'; may be repeated. Else the machine's default, of"
        " hardware all architectures.",
    ),
]
Every = Annotated[bool, typer.Option("--all-schedules", help="Also those that a machine names or compares.")]
Scheduler = Annotated[
    str, typer.Option(metavar="ADDRESS", help="A scheduler of dask.distributed, such as tcp://host:8786.")
]
AtOnce = Annotated[int | None, typer.Option("--processes", min=1, help="How many, if not one a processor.")]
Seconds = Annotated[float, typer.Option(min=0.001, help="Time for one figure of this computer.")]
File = Annotated[Path | None, typer.Option("--file", help="Another results file than this computer's own.")]


def sweep(
    cipher: options.CipherNames = None,
    machine: options.AnyMachines = None,
    operation: options.AnyOperation = None,
    key_bits: options.KeyBits = None,
    schedule: Schedules = None,
    all_schedules: Every = False,
    scheduler: Scheduler = "",
    at_once: AtOnce = None,
    seconds: Seconds = clock.SECONDS,
    file: File = None,
    as_json: options.AsJson = False,
) -> None:
    """Take the figures of ciphers on machines under schedules, in parallel, and keep each as it comes.

    It may be stopped at any time, by whatever means, and goes on where it was: what is kept is not taken
    again until Finalist's own files, the definition or the compiler change. Figures that are times of this
    computer are taken last, one after the other. `finalist results` shows what was found.
    """
    workers.check_scheduler(scheduler)
    wanted = _points(cipher, machine, operation, key_bits, schedule or (), all_schedules)
    path = file or store.results_file()
    work = measure.sweep(wanted, path, seconds)
    told, failed = Counter[str](), []
    with output.progress(len(work.left)) as step:
        for _, outcome in output.followed(step, work, at_once=at_once, scheduler=scheduler):
            failed += [outcome.failed] if outcome.failed else []
            kind = "failed" if outcome.failed else "refused" if outcome.figures[0].refused else "measured"
            told[kind] += 1
    counts = {"points": len(wanted), "known": len(work.known)}
    counts |= {kind: told[kind] for kind in ("measured", "refused", "failed")}
    if as_json:
        output.show_json({**counts, "failures": failed, "file": str(path)})
    else:
        typer.echo(", ".join(f"{count} {what}" for what, count in counts.items()))
        typer.echo(f"Kept in {path}")
    for why in failed:
        output.say(why)
    if failed:
        raise typer.Exit(FAILED)


def _points(
    names: list[str] | None,
    machines: list[str] | None,
    operation: str | None,
    key_bits: int | None,
    schedules: Sequence[str],
    all_schedules: bool,
) -> list[Point]:
    """All points, each once; ciphers that lack the key length are left out unless they are named."""
    found: dict[str, Point] = {}
    operations, choices = options.operations_of(operation), [parse_schedule(one.split()) for one in schedules]
    for one in options.ciphers_of(names):
        try:
            bits = options.key_bits_of(one, key_bits)
        except KeyLengthError:
            if names:
                raise
            continue
        for name in machines or [name for name in machine_names() if name != _REFERENCE]:
            own = points(
                one,
                name,
                operations=operations,
                key_bits=bits,
                schedules=choices,
                all_schedules=all_schedules,
            )
            found |= {point.name: point for point in own}
    return list(found.values())
