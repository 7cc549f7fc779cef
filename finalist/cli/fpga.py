"""``finalist paper fpga``, ``finalist place`` and ``finalist board``."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer

from finalist.ciphers.catalogue import cipher as find_cipher
from finalist.cli import options, output, sheets, tables
from finalist.errors import UnknownNameError
from finalist.machines.base import Estimated, Estimating, Placing
from finalist.machines.registry import machine as find_machine
from finalist.papers import fpga as papers
from finalist.report import fpga as report
from finalist.report import fronts
from finalist.schedule import parse_schedule


def fpga(
    make: Annotated[
        bool, typer.Option("--map", help="Also map every design with Yosys; takes hours, and goes on.")
    ] = False,
    simulate: Annotated[
        bool, typer.Option("--simulate", help="Also run vectors through the Verilog and the VHDL of each.")
    ] = False,
    cipher: Annotated[list[str] | None, typer.Argument(help="Only these of the paper's ciphers.")] = None,
    claims: options.Claims = False,
    target: options.Page = None,
    as_json: options.AsJson = False,
) -> None:
    """The FPGA study of the finalists, Tables VI to IX, beside our designs of the same architectures.

    Estimated in about a second a design; with the figures of mapped netlists where there are some, each of
    which has reproduced 64 blocks. What was mapped or simulated is kept, so that both may be stopped at any
    time, and go on.
    """
    if claims:
        sheets.show_claims("fpga", as_json=as_json)
        return
    known = papers.designs()
    wrong = set(cipher or ()) - {name for name, _ in known}
    if wrong:
        accepted = ", ".join(dict.fromkeys(name for name, _ in known))
        raise UnknownNameError(f"cipher {sorted(wrong)[0]!r} is not in the paper; accepted: {accepted}")
    wanted = [design for design in known if not cipher or design[0] in cipher]
    renew = output.part_of(target, "finalist paper fpga")
    work = papers.measuring(wanted, make=make, simulate=simulate)
    rows = list(output.done(work, label=" ".join).values())
    sheets.show(list(report.sheets(rows)), renew, target, as_json, [_record(row) for row in rows])


def _record(row: papers.Row) -> dict[str, Any]:
    mapped = None if row.mapped is None else {"slices": row.mapped.slices, "mhz": row.mapped.mhz}
    return {
        "cipher": row.cipher,
        "architecture": row.architecture,
        "published": row.published,
        "estimate": figures_of(row.estimate),
        "mapped": mapped,
        "simulated": list(row.simulated),
    }


def figures_of(found: Estimated) -> dict[str, Any]:
    return {
        "slices": found.slices,
        "mhz": found.mhz,
        "fits": found.fits,
        "stages_ns": list(found.stages),
        "cycles_per_block": found.cycles_per_block,
        "feedback_cycles": found.feedback_cycles,
        "mbit_s": found.mbit_s,
        "feedback_mbit_s": found.feedback_mbit_s,
    }


def place(
    cipher: options.CipherName,
    part: Annotated[str, typer.Option(help="The part; a wrong one is answered with all.")],
    machine: options.MachineName = "fpga",
    operation: options.Operation = options.DEFAULT_OPERATION,
    key_bits: options.KeyBits = None,
    schedule: options.Choices = None,
    seeds: Annotated[int, typer.Option(min=1, help="How many seeds to try, from 1.")] = 1,
    as_json: options.AsJson = False,
) -> None:
    """Place and route a design on a part that one can buy; the clock for each seed, median and spread.

    It takes minutes a seed, for a large design many. Each is kept once it is made.
    """
    found, definition = find_machine(machine), find_cipher(cipher)
    if not isinstance(found, Placing) or not isinstance(found, Estimating):
        raise UnknownNameError(
            f"machine {machine!r} places nothing; accepted: {options.machines_that(Placing)}"
        )
    options.operations_of(operation)
    bits = options.key_bits_of(definition, key_bits)
    choices = parse_schedule(schedule or [])
    placed = []
    with output.progress(seeds) as step:
        for seed in range(1, seeds + 1):
            step(f"seed {seed}")
            placed.append(
                found.place(
                    definition,
                    operation=operation,
                    key_bits=bits,
                    schedule=choices,
                    part=part,
                    seed=seed,
                )
            )
    rate = found.estimate(definition, operation=operation, key_bits=bits, schedule=choices)
    sheet = fronts.placed_sheet(definition.name(), part, placed, rate)
    output.show_either(as_json, [asdict(one) for one in placed], tables.of_sheet(sheet))


def board(
    cipher: options.CipherName,
    name: Annotated[str, typer.Option("--board", help="The board; a wrong one is answered with all.")],
    target: Annotated[Path, typer.Option("-o", "--output", help="The folder to write the files to.")],
    machine: options.MachineName = "fpga",
    operation: options.Operation = options.DEFAULT_OPERATION,
    key_bits: options.KeyBits = None,
    schedule: options.Choices = None,
) -> None:
    """The files for a board: a design behind eight wires in and out, its pins, how to make a bitstream."""
    found, definition = find_machine(machine), find_cipher(cipher)
    if not isinstance(found, Placing):
        raise UnknownNameError(
            f"machine {machine!r} is on no board; accepted: {options.machines_that(Placing)}"
        )
    options.operations_of(operation)
    bits = options.key_bits_of(definition, key_bits)
    files = found.board(
        definition, operation=operation, key_bits=bits, schedule=parse_schedule(schedule or []), board=name
    )
    output.make_folder(target)
    for file, text in files.items():
        output.write(target / file, text)
        typer.echo(target / file)
