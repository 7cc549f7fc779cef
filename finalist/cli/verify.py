"""``finalist verify``: test vectors, other libraries, schedules drawn at random."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from itertools import product
from typing import Annotated

import typer
from rich.console import RenderableType

from finalist.cli import options, output, peers, tables
from finalist.cli.commands import FAILED
from finalist.cli.tables import plain
from finalist.errors import CompilerError, ScheduleError, UnknownNameError
from finalist.machines.registry import machine_names
from finalist.schedule import Schedule, parse_schedule
from finalist.vectors import drawn, matrix, resumed
from finalist.vectors.drawn import Batch

#: Programs to verify that are not worth starting other processes for.
_FEW = 16


def verify(
    cipher: options.CipherNames = None,
    machine: options.AnyMachines = None,
    operation: options.AnyOperation = None,
    key_bits: options.KeyBits = None,
    schedule: options.Choices = None,
    all_schedules: Annotated[
        bool, typer.Option("--all-schedules", help="Also under every schedule that a machine names.")
    ] = False,
    all_chains: Annotated[
        bool, typer.Option("--all-chains", help="All Monte Carlo entries, also where there are hundreds.")
    ] = False,
    against: Annotated[
        str | None,
        typer.Option(
            help=f"Ask others for a second opinion on random blocks: {peers.PEERS}, other libraries."
        ),
    ] = None,
    blocks: Annotated[
        int, typer.Option(min=1, help="With --against: random blocks a cipher, key length and library.")
    ] = peers.BLOCKS,
    drawn: Annotated[
        int | None,
        typer.Option(min=1, help="Instead so many legal schedules a cipher, drawn at random."),
    ] = None,
    seed: Annotated[
        int | None, typer.Option(help="With --drawn: another number than 1 draws other schedules.")
    ] = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on where such a run of the same code was stopped.")
    ] = False,
    as_json: options.AsJson = False,
) -> None:
    """Run the test vectors: each cipher, key length and direction on each machine.

    Under the default schedule, the one of -s (by default on the first machine), or with --all-schedules
    many. A schedule that is not legal for a cipher is refused, which is no failure. With --drawn programs
    are compared with the interpreter on random keys and blocks; a run that was stopped goes on.
    """
    own: dict[str, object] = {"-s": schedule, "--all-schedules": all_schedules, "--all-chains": all_chains}
    own["--resume"] = resume
    if against is not None:
        peers.refuse(against, own | {"--machine": machine, "--drawn": drawn, "--seed": seed})
        well = peers.verify(cipher, operation, key_bits, blocks, as_json)
    elif blocks != peers.BLOCKS:
        raise UnknownNameError(f"--blocks goes with --against {peers.PEERS}")
    elif drawn is not None:
        options.refuse(own | {"--operation": operation, "--key-bits": key_bits}, "--drawn")
        drawing_on = machine or [options.DEFAULT_MACHINE]
        well = _verify_drawn(cipher, drawing_on, drawn, 1 if seed is None else seed, as_json)
    elif seed is not None:
        raise UnknownNameError("--seed goes with --drawn")
    else:
        chosen = parse_schedule(schedule) if schedule else None if all_schedules else Schedule()
        machines = list(dict.fromkeys(machine or (machine_names()[:1] if schedule else machine_names())))
        cells = _cells(cipher, machines, operation, key_bits, chosen, all_chains)
        found = list(_verdicts(cells, resume, may_leave_out=not machine and len(machines) > 1))
        well = _shown(found, bool(schedule), as_json)
    if not well:
        raise typer.Exit(FAILED)


def _cells(
    names: list[str] | None,
    machines: Sequence[str],
    operation: str | None,
    key_bits: int | None,
    chosen: Schedule | None,
    all_chains: bool,
) -> list[matrix.Cell]:
    """What is to be verified; of a ``chosen`` schedule that is None all that the machines name."""
    return [
        cell
        for name, one in product(machines, options.ciphers_of(names))
        for cell in matrix.cells(
            one,
            name,
            key_bits=None if key_bits is None else [key_bits],
            operations=options.operations_of(operation),
            schedules=None if chosen is None else [chosen],
            all_chains=all_chains,
        )
    ]


def _shown(found: Sequence[matrix.Verdict], one_schedule: bool, as_json: bool) -> bool:
    """Shows all verdicts; whether none is a failure. Raises ScheduleError for one schedule that is nowhere
    legal."""
    if one_schedule and all(one.status == "refused" for one in found):
        raise ScheduleError(found[0].reason)
    output.show_either(as_json, [asdict(one) for one in found], tables.verdicts(found))
    return not any(one.status == "failed" for one in found)


def _verdicts(cells: Sequence[matrix.Cell], resume: bool, may_leave_out: bool) -> Iterator[matrix.Verdict]:
    """The verdicts. Where one may be left out, a machine that is not to be had here is, after one line.

    Both in the order of the cells, in whatever order they come to an end.
    """
    work = (resumed.verifying_rest if resume else matrix.verifying)(cells, processes=len(cells) > _FEW)
    found = dict(work.known)
    with output.progress(len(work.left)) as step:
        for cell, verdict in output.followed(step, work):
            if isinstance(verdict, CompilerError) and not may_leave_out:
                raise verdict
            found[cell] = verdict
    missing: set[str] = set()
    for cell in cells:
        verdict = found[cell]
        if isinstance(verdict, matrix.Verdict):
            yield verdict
        elif cell.machine not in missing:
            missing.add(cell.machine)
            output.say(f"{cell.machine} is left out: {verdict}")


# -- schedules drawn at random -----------------------------------------------------------------------


def _verify_drawn(
    names: list[str] | None, machines: Sequence[str], count: int, seed: int, as_json: bool
) -> bool:
    """Draw so many programs a cipher and machine, compare each with the interpreter; whether all agree."""
    ciphers = options.ciphers_of(names)
    wanted = [job for machine in machines for job in drawn.jobs(ciphers, machine, count, seed)]
    made = output.done(drawn.drawing(wanted))
    found = [made[job] for job in wanted]
    output.show_either(as_json, [asdict(batch) for batch in found], _batches(found))
    return not any(batch.failed for batch in found)


def _batches(found: Sequence[Batch]) -> Iterator[RenderableType]:
    """A row for each cipher, then every failure."""
    table = plain(["cipher", "machine"], ["programs", "failed", "draws refused", "too long to compile"])
    for which in dict.fromkeys((batch.cipher, batch.definition, batch.machine) for batch in found):
        own = [batch for batch in found if (batch.cipher, batch.definition, batch.machine) == which]
        numbers = (
            sum(batch.agreed + batch.failed for batch in own),
            sum(batch.failed for batch in own),
            sum(batch.refused for batch in own),
            sum(batch.long for batch in own),
        )
        table.add_row(own[0].cipher, own[0].machine, *map(str, numbers))
    yield table
    for batch in found:
        yield from (f"failed: {batch.cipher} {line}" for line in batch.failures.splitlines())
