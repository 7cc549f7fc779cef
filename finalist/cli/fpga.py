"""``finalist paper fpga``, ``finalist pareto``, ``finalist place`` and ``finalist board``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer

from finalist.ciphers.catalogue import cipher as find_cipher
from finalist.cli import cards, options, output, plots, tables
from finalist.cli.claims import show as show_claims
from finalist.errors import CompilerError, ScheduleError, UnknownNameError, VectorError
from finalist.language.cipher import Cipher
from finalist.machines.base import Comparing, Estimated, Estimating, Mapped, Placing
from finalist.machines.registry import machine as find_machine
from finalist.papers import fpga as papers
from finalist.report import fpga as report
from finalist.report import fronts
from finalist.report.plots.pareto import Point
from finalist.report.sheets import page
from finalist.schedule import Schedule, parse_schedule


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
        show_claims("fpga", as_json=as_json)
        return
    known = papers.designs()
    wrong = set(cipher or ()) - {name for name, _ in known}
    if wrong:
        accepted = ", ".join(dict.fromkeys(name for name, _ in known))
        raise UnknownNameError(f"cipher {sorted(wrong)[0]!r} is not in the paper; accepted: {accepted}")
    wanted = [design for design in known if not cipher or design[0] in cipher]
    renew = None if target is None else output.part_of(target, "finalist paper fpga")
    rows = []
    with output.progress(len(wanted)) as step:
        for name, architecture in wanted:
            step(f"{name} {architecture}")
            rows.append(papers.row(name, architecture, make=make, simulate=simulate))
    if renew is not None:
        renew(page(report.sheets(rows)))
    if as_json:
        output.show_json([_record(row) for row in rows])
    elif target is not None:
        typer.echo(target)
    else:
        output.show(part for sheet in report.sheets(rows) for part in tables.of_sheet(sheet))


def _record(row: papers.Row) -> dict[str, Any]:
    mapped = None if row.mapped is None else {"slices": row.mapped.slices, "mhz": row.mapped.mhz}
    return {
        "cipher": row.cipher,
        "architecture": row.architecture,
        "published": row.published,
        "estimate": _figures(row.estimate),
        "mapped": mapped,
        "simulated": list(row.simulated),
    }


def _figures(found: Estimated) -> dict[str, Any]:
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


def pareto(
    cipher: options.CipherName,
    machine: options.MachineName = "fpga",
    operation: options.Operation = options.DEFAULT_OPERATION,
    key_bits: options.KeyBits = None,
    schedule: options.Choices = None,
    part: Annotated[
        str | None,
        typer.Option(help="Place each on this part, instead of estimates; a wrong one is answered with all."),
    ] = None,
    only: Annotated[
        list[str] | None,
        typer.Option("--design", metavar="DESIGN", help="Only this architecture; may be repeated."),
    ] = None,
    confirm: Annotated[
        list[str] | None,
        typer.Option("--confirm", metavar="DESIGN", help="Map this one with Yosys; may be repeated."),
    ] = None,
    plot: options.Plot = None,
    as_json: options.AsJson = False,
) -> None:
    """Area and throughput of a cipher's designs, or bytes and clocks of its programs, and the front.

    Each is estimated in about a second, on the part of the paper; those named with --confirm are mapped to
    it, which takes minutes, once. On another part each is placed and routed, which takes minutes, for large
    designs many; what was placed is kept, so that it may be stopped at any time, and goes on.

    With --machine hc05 schedules are compared, by bytes of key memory, of code and tables, and by clocks;
    that takes minutes, and goes on where it was stopped.
    """
    found, definition = find_machine(machine), find_cipher(cipher)
    options.operations_of(operation)
    bits = options.key_bits_of(definition, key_bits)
    draw = plots.to(plot)
    if isinstance(found, Comparing):
        cards.refuse({"--part": part, "--design": only, "--confirm": confirm})
        cards.pareto(found, definition, bits, parse_schedule(schedule or []), draw, as_json)
        return
    if not isinstance(found, Estimating):
        raise UnknownNameError(f"machine {machine!r} has nothing to compare; accepted: fpga, hc05")
    space = _Space(found, definition, operation, bits, parse_schedule(schedule or []), part, confirm or ())
    made: dict[str, tuple[Point, dict[str, Any]]] = {}
    refused: dict[str, str] = {}
    wanted = space.wanted(only or ())
    with output.progress(len(wanted) + len(confirm or ())) as step:
        for name in wanted:
            step(name)
            try:
                made[name] = space.point(name)
            except (ScheduleError, CompilerError, VectorError) as error:
                refused[name] = " ".join(str(error).split())
        if not made:
            raise ScheduleError(f"{definition.name()} has no design: {next(iter(refused.values()))}")
        confirmed = {}
        for name in confirm or ():
            step(f"{name}, mapped")
            confirmed[name] = space.mapped(name)
    points = [point for point, _ in made.values()]
    title = f"{definition.name()}, {operation}, {bits}-bit keys"
    draw(lambda: fronts.front_plot(title, points, space.part, named=bool(only)))
    if as_json:
        records = [{"architecture": name, **figures} for name, (_, figures) in made.items()]
        output.show_json(records + [{"architecture": name, "refused": why} for name, why in refused.items()])
        return
    sheet = fronts.front_sheet(definition.name(), points, refused, space.part, named=bool(only))
    output.show(tables.of_sheet(sheet))
    for name, one in confirmed.items():
        typer.echo(f"{name} mapped: {one.slices} slices, {one.mhz:.1f} MHz, {one.luts} LUTs, 64 of 64 blocks")


class _Space:
    """The architectures of a cipher, and how the figures of each are had: ``part`` is empty for estimates.

    Raises UnknownNameError for a part that there is not; ScheduleError where the choices name an
    architecture; CompilerError where a tool is missing, before anything is made.
    """

    def __init__(
        self,
        machine: Estimating,
        cipher: type[Cipher],
        operation: str,
        bits: int,
        choices: Schedule,
        part: str | None,
        confirm: Sequence[str],
    ) -> None:
        self._machine, self._cipher, self._choices = machine, cipher, choices
        self._how: dict[str, Any] = {"operation": operation, "key_bits": bits}
        self.part = "" if part in (None, machine.estimated) else str(part)
        if choices.architecture is not None:
            raise ScheduleError(
                f"architecture={choices.architecture}: all are compared; those named with --design alone"
            )
        if self.part and confirm:
            raise ScheduleError(f"--confirm maps to {machine.estimated}; with --part {part} each is placed")
        if self.part:
            self._check_part()

    def _check_part(self) -> None:
        placing = self._machine
        known = placing.parts if isinstance(placing, Placing) else ()
        if not isinstance(placing, Placing) or self.part not in known:
            accepted = ", ".join([self._machine.estimated, *known])
            raise UnknownNameError(f"part {self.part!r}; accepted: {accepted}")
        placing.check_tools(self.part)

    def wanted(self, only: Sequence[str]) -> list[str]:
        """Those that are named, or all."""
        return list(dict.fromkeys(only)) or self._machine.architectures(self._cipher, **self._how)

    def point(self, name: str) -> tuple[Point, dict[str, Any]]:
        """A design, and its record. Raises ScheduleError, CompilerError, VectorError."""
        schedule = Schedule(architecture=name).over(self._choices)
        rate = self._machine.estimate(self._cipher, schedule=schedule, **self._how)
        if not self.part:
            return fronts.estimated(name, rate), _figures(rate)
        assert isinstance(self._machine, Placing)
        found = self._machine.place(self._cipher, schedule=schedule, part=self.part, seed=1, **self._how)
        point = fronts.placed(name, found, rate)
        own = ("mhz", "cycles_per_block", "mbit_s", "feedback_mbit_s")
        figures = {field: getattr(point, field) for field in own}
        return point, {"part": self.part, **asdict(found), **figures}

    def mapped(self, name: str) -> Mapped:
        """Its netlist's figures. Raises ScheduleError, CompilerError, VectorError."""
        schedule = Schedule(architecture=name).over(self._choices)
        return self._machine.map(self._cipher, schedule=schedule, **self._how)


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
        raise UnknownNameError(f"machine {machine!r} places nothing; accepted: fpga")
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
    if as_json:
        output.show_json([asdict(one) for one in placed])
        return
    output.show(tables.of_sheet(fronts.placed_sheet(definition.name(), part, placed, rate)))


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
        raise UnknownNameError(f"machine {machine!r} is on no board; accepted: fpga")
    options.operations_of(operation)
    bits = options.key_bits_of(definition, key_bits)
    files = found.board(
        definition, operation=operation, key_bits=bits, schedule=parse_schedule(schedule or []), board=name
    )
    output.make_folder(target)
    for file, text in files.items():
        output.write(target / file, text)
        typer.echo(target / file)
