"""The command that watches compiled programs for secrets in branches and addresses."""

from __future__ import annotations

import re
from dataclasses import asdict
from typing import Annotated

import typer

from finalist.cli import options, output, tables
from finalist.cli.commands import FAILED
from finalist.errors import UnknownNameError
from finalist.machines.registry import machine as find_machine
from finalist.measure import leaks as measure
from finalist.measure import memcheck
from finalist.schedule import Schedule, parse_schedule


def leaks(
    cipher: options.CipherNames = None,
    machine: options.MachineName = options.DEFAULT_MACHINE,
    operation: options.AnyOperation = None,
    key_bits: options.KeyBits = None,
    schedule: options.Choices = None,
    all_schedules: Annotated[
        bool,
        typer.Option(
            "--all-schedules", help="Constant-time programs of every schedule that a machine names."
        ),
    ] = False,
    compilers: Annotated[
        list[str] | None,
        typer.Option("--compiler", help=f"May be repeated; else each of {', '.join(memcheck.COMPILERS)}."),
    ] = None,
    levels: Annotated[
        list[str] | None,
        typer.Option("--level", help=f"May be repeated; else each of {', '.join(memcheck.LEVELS)}."),
    ] = None,
    again: Annotated[
        bool, typer.Option("--again", help="Also what was watched before, of the same files and compilers.")
    ] = False,
    as_json: options.AsJson = False,
) -> None:
    """Watch compiled programs under valgrind, key and block marked as undefined, for what depends on them.

    Without -s each cipher's constant-time program, which must be clean; with -s the program of that
    schedule, whatever its label. Fails where a program that is labelled constant-time has a branch or
    an address that depends on a secret, or where one could not be watched.
    """
    for level in levels or ():
        if not re.fullmatch(r"-O\w*", level):
            accepted = ", ".join(memcheck.LEVELS)
            raise UnknownNameError(
                f"--level {level!r} is no level of optimisation; accepted: {accepted}, ..."
            )
    wanted = Schedule(constant_time=True)
    chosen = [parse_schedule(schedule)] if schedule else [wanted]
    if all_schedules:
        variants = getattr(find_machine(machine), "variants", ())
        chosen = list(dict.fromkeys(wanted.over(one) for one in (*chosen, *variants)))
    cells = [
        measure.Cell(one, machine, each, bits, asked)
        for one in options.ciphers_of(cipher)
        for bits in [one.usual_key_bits() if key_bits is None else key_bits]
        for each in options.operations_of(operation)
        for asked in chosen
    ]
    using = memcheck.builds(compilers or memcheck.COMPILERS, levels or memcheck.LEVELS)
    found, verdicts = [], measure.check_all(cells, using, again)
    with output.progress(len(cells)) as step:
        for cell in cells:
            step(f"{cell.cipher.name()} {cell.operation} {cell.schedule}")
            found.append(next(verdicts))
    output.show_either(as_json, [asdict(one) for one in found], tables.leaks(found))
    if any(one.status in ("leaks", "failed") for one in found):
        raise typer.Exit(FAILED)
