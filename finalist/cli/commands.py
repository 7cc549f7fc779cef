"""The commands. Each reads its arguments, has others do the work, and shows what came of it.

Exit codes: 0 all is well; 1 a check failed; 2 bad usage, or an error that is the user's to mend (one line
on standard error); 130 interrupted.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from functools import partial
from itertools import product
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from finalist.cli import draws, options, output, peers, tables
from finalist.errors import FinalistError, ScheduleError, UnknownNameError, VectorError
from finalist.language.cipher import USUAL_KEY_BITS, Cipher
from finalist.machines.base import MODES
from finalist.machines.registry import machine as find_machine
from finalist.machines.registry import machine_names
from finalist.measure import bench as measure
from finalist.measure import results
from finalist.measure.clock import SECONDS
from finalist.measure.results import Row
from finalist.schedule import Schedule, parse_schedule
from finalist.tuning import choose
from finalist.vectors import matrix
from finalist.version import VERSION

FAILED, BAD_USAGE, INTERRUPTED = 1, 2, 130
#: Programs to verify that are not worth starting other processes for.
_FEW = 16


class _Group(TyperGroup):
    """All commands; what goes wrong in one becomes a line and an exit code."""

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except FinalistError as error:
            output.say(str(error))
            raise typer.Exit(FAILED if isinstance(error, VectorError) else BAD_USAGE) from error
        except KeyboardInterrupt as error:
            output.say("interrupted")
            raise typer.Exit(INTERRUPTED) from error


app = typer.Typer(
    cls=_Group,
    no_args_is_help=True,
    pretty_exceptions_show_locals=False,
    help="Block ciphers written once, taken as verified, measured code to every kind of machine.",
)


def main() -> None:
    """The command ``finalist``."""
    app(prog_name="finalist")


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"finalist {VERSION}")
        raise typer.Exit


@app.callback()
def _global(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version and leave.")
    ] = False,
) -> None:
    pass


@app.command()
def ciphers(cipher: options.CipherNames = None, as_json: options.AsJson = False) -> None:
    """List the ciphers: who made them and when, their key lengths, what is known of their security."""
    found = [tables.of_cipher(one.name(), one) for one in options.ciphers_of(cipher)]
    if as_json:
        output.show_json(found)
    else:
        output.show([tables.ciphers(found)])


@app.command()
def machines(as_json: options.AsJson = False) -> None:
    """List the machines, and what their figures depend on here."""
    found = [tables.of_machine(find_machine(name)) for name in machine_names()]
    if as_json:
        output.show_json(found)
    else:
        output.show([tables.machines(found)])


# -- verify ------------------------------------------------------------------------------------------


@app.command()
def verify(
    cipher: options.CipherNames = None,
    machine: options.AnyMachine = None,
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
    as_json: options.AsJson = False,
) -> None:
    """Run the test vectors: each cipher, key length and direction on each machine.

    Under the default schedule, the one of -s (by default on the first machine), or with --all-schedules
    many. A schedule that is not legal for a cipher is refused, which is no failure. With --drawn programs
    are compared with the interpreter on random keys and blocks; a run that was stopped goes on.
    """
    if against is not None:
        others = {"--machine": machine, "-s": schedule, "--all-schedules": all_schedules}
        drawing: dict[str, object] = {"--all-chains": all_chains, "--drawn": drawn, "--seed": seed}
        peers.refuse(against, drawing | others)
        if not peers.verify(cipher, operation, key_bits, blocks, as_json):
            raise typer.Exit(FAILED)
        return
    if blocks != peers.BLOCKS:
        raise UnknownNameError(f"--blocks goes with --against {peers.PEERS}")
    if drawn is not None:
        given = {"--operation": operation, "--key-bits": key_bits, "-s": schedule}
        draws.refuse(given | {"--all-schedules": all_schedules, "--all-chains": all_chains})
        if not draws.verify(cipher, machine, drawn, 1 if seed is None else seed, as_json):
            raise typer.Exit(FAILED)
        return
    if seed is not None:
        raise UnknownNameError("--seed goes with --drawn")
    chosen = parse_schedule(schedule) if schedule else None if all_schedules else Schedule()
    machines = [machine] if machine else list(machine_names()[:1] if schedule else machine_names())
    cells = _cells(cipher, machines, operation, key_bits, chosen, all_chains)
    found = list(_verdicts(cells, may_leave_out=len(machines) > 1))
    if schedule and all(one.status == "refused" for one in found):
        raise ScheduleError(found[0].reason)
    _show_verdicts(found, as_json)


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


def _show_verdicts(found: Sequence[matrix.Verdict], as_json: bool) -> None:
    """All verdicts, and the exit code if any is a failure."""
    if as_json:
        output.show_json([asdict(one) for one in found])
    else:
        output.show(tables.verdicts(found))
    if any(one.status == "failed" for one in found):
        raise typer.Exit(FAILED)


def _verdicts(cells: Sequence[matrix.Cell], may_leave_out: bool) -> Iterator[matrix.Verdict]:
    """The verdicts; a machine that is not to be had here is left out, after one line, if another is left."""
    missing: set[str] = set()
    with output.progress(len(cells)) as step:
        for cell, verdict in matrix.verify_all(cells, processes=len(cells) > _FEW):
            step(f"{cell.cipher.name()} {cell.operation} {cell.key_bits} {cell.machine} {cell.schedule}")
            if isinstance(verdict, matrix.Verdict):
                yield verdict
            elif not may_leave_out:
                raise verdict
            elif cell.machine not in missing:
                missing.add(cell.machine)
                output.say(f"{cell.machine} is left out: {verdict}")


# -- bench -------------------------------------------------------------------------------------------


@app.command()
def bench(
    cipher: options.CipherNames = None,
    machine: options.MachineName = options.DEFAULT_MACHINE,
    operation: options.AnyOperation = None,
    key_bits: Annotated[
        int | None,
        typer.Option(min=1, help=f"Length of the key in bits; {USUAL_KEY_BITS} where there is that."),
    ] = None,
    schedule: options.Choices = None,
    mode: options.Modes = None,
    data_bytes: Annotated[
        int, typer.Option("--bytes", min=1, help="Bytes of a bulk call.")
    ] = measure.DATA_BYTES,
    seconds: Annotated[float, typer.Option(help="Time for one figure, in seconds.")] = SECONDS,
    against: Annotated[
        str | None,
        typer.Option(help=f"Others to measure beside: {peers.PEERS}, other libraries (docs/peers.md)."),
    ] = None,
    again: Annotated[
        bool, typer.Option("--again", help="With --against: measure again what an earlier run has measured.")
    ] = False,
    targets: Annotated[
        list[Path] | None,
        typer.Option("-o", "--output", help="With --against: a Markdown page to renew; may be repeated."),
    ] = None,
    as_json: options.AsJson = False,
) -> None:
    """Measure ciphers: key set-up, latency, bulk in modes of operation (by default ecb and ctr).

    Each program must first reproduce its test vectors. Where no schedule is given, the one that `finalist
    tune` has found quickest on this computer is taken, else the default. Every figure is added to the
    results file.
    """
    if against is not None:
        others = {"--machine": machine != options.DEFAULT_MACHINE, "--operation": operation, "-s": schedule}
        others |= {
            "--mode": mode,
            "--bytes": data_bytes != measure.DATA_BYTES,
            "--seconds": seconds != SECONDS,
        }
        peers.refuse(against, others)
        peers.bench(cipher, key_bits, again, targets or [], as_json)
        return
    if again or targets:
        raise UnknownNameError(f"--again and -o go with --against {peers.PEERS}")
    choices, modes = parse_schedule(schedule or ()), options.modes_of(mode, MODES, measure.USUAL_MODES)
    figures = partial(measure.bench, modes=modes, data_bytes=data_bytes, seconds=seconds)
    found, operations = options.ciphers_of(cipher), options.operations_of(operation)
    rows: list[Row] = []
    with output.progress(len(found) * measure.figures_of(len(operations), len(modes))) as step:
        for one, each in product(found, operations):
            bits = one.usual_key_bits() if key_bits is None else key_bits
            step(f"{one.name()} {bits}")
            many, single = _schedules(one, machine, each, bits, data_bytes, choices)
            for row in figures(one, machine, key_bits=bits, operations=[each], schedule=many, single=single):
                rows.append(row)
                kept = results.append([row])
                step(f"{row.cipher} {row.key_bits} {row.operation}")
    _show_figures(rows, kept, as_json)


def _schedules(
    cipher: type[Cipher], machine: str, operation: str, key_bits: int, data_bytes: int, asked: Schedule
) -> tuple[Schedule, Schedule | None]:
    """What many blocks, and one alone, are measured by: as asked, else the quickest known."""
    if asked != Schedule() or not (tuned := choose.best(cipher, operation, key_bits, data_bytes, machine)):
        return asked, None
    return tuned, choose.best_of_one(cipher, operation, key_bits, machine)


def _show_figures(rows: list[Row], kept: Path, as_json: bool) -> None:
    if as_json:
        output.show_json([asdict(row) for row in rows])
    else:
        output.show(tables.figures(rows))
        typer.echo(f"Kept in {kept}")
