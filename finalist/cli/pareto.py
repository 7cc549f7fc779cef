"""``finalist pareto``: a cipher's designs by area and throughput, or its programs by bytes and clocks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Annotated, Any

import typer

from finalist.ciphers.catalogue import cipher as find_cipher
from finalist.cli import options, output, plots, tables
from finalist.cli.fpga import figures_of
from finalist.errors import CompilerError, ScheduleError, UnknownNameError, VectorError
from finalist.language.cipher import Cipher
from finalist.machines.base import Comparing, Estimating, Machine, Mapped, Placing
from finalist.machines.registry import machine as find_machine
from finalist.measure import taken
from finalist.report import cards, fronts
from finalist.report.plots.pareto import Point
from finalist.resumable import Resumable
from finalist.schedule import Schedule, parse_schedule
from finalist.workers import HERE


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
        _refuse_hardware({"--part": part, "--design": only, "--confirm": confirm})
        _programs(found, definition, bits, parse_schedule(schedule or []), draw, as_json)
        return
    if not isinstance(found, Estimating):
        accepted = options.machines_that(Comparing, Estimating)
        raise UnknownNameError(f"machine {machine!r} has nothing to compare; accepted: {accepted}")
    space = _Space(found, definition, operation, bits, parse_schedule(schedule or []), part, confirm or ())
    _designs(space, only or (), confirm or (), draw, as_json)


def _designs(
    space: _Space, only: Sequence[str], confirm: Sequence[str], draw: plots.Draw, as_json: bool
) -> None:
    """All designs, or those that are named. Raises ScheduleError where there is none."""
    # Estimates take less than a start of processes; what places and maps are processes of their own.
    work = Resumable(space.point, space.wanted(only), threads=True)
    found = output.done(work, at_once=None if space.part else HERE)
    made = {name: one for name, one in found.items() if not isinstance(one, str)}
    refused = {name: one for name, one in found.items() if isinstance(one, str)}
    if not made:
        raise ScheduleError(f"{space.cipher.name()} has no design: {next(iter(refused.values()))}")
    confirmed = output.done(Resumable(space.mapped, confirm, threads=True), "{}, mapped".format)
    points = [point for point, _ in made.values()]
    draw(lambda: fronts.front_plot(space.title, points, space.part, named=bool(only)))
    if as_json:
        records = [{"architecture": name, **figures} for name, (_, figures) in made.items()]
        output.show_json(records + [{"architecture": name, "refused": why} for name, why in refused.items()])
        return
    sheet = fronts.front_sheet(space.cipher.name(), points, refused, space.part, named=bool(only))
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
        self._machine, self.cipher, self._choices = machine, cipher, choices
        self.title = f"{cipher.name()}, {operation}, {bits}-bit keys"
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
        return list(dict.fromkeys(only)) or self._machine.architectures(self.cipher, **self._how)

    def point(self, name: str) -> tuple[Point, dict[str, Any]] | str:
        """A design, and its record, or why there is none."""
        try:
            return self._point(name)
        except (ScheduleError, CompilerError, VectorError) as error:
            return " ".join(str(error).split())

    def _point(self, name: str) -> tuple[Point, dict[str, Any]]:
        schedule = Schedule(architecture=name).over(self._choices)
        rate = self._machine.estimate(self.cipher, schedule=schedule, **self._how)
        if not self.part:
            return fronts.estimated(name, rate), figures_of(rate)
        assert isinstance(self._machine, Placing)
        found = self._machine.place(self.cipher, schedule=schedule, part=self.part, seed=1, **self._how)
        point = fronts.placed(name, found, rate)
        own = ("mhz", "cycles_per_block", "mbit_s", "feedback_mbit_s")
        figures = {field: getattr(point, field) for field in own}
        return point, {"part": self.part, **asdict(found), **figures}

    def mapped(self, name: str) -> Mapped:
        """Its netlist's figures. Raises ScheduleError, CompilerError, VectorError."""
        schedule = Schedule(architecture=name).over(self._choices)
        return self._machine.map(self.cipher, schedule=schedule, **self._how)


# -- on machines whose programs take memory that counts ----------------------------------------------


def _programs(
    machine: Machine,
    definition: type[Cipher],
    key_bits: int,
    chosen: Schedule,
    draw: plots.Draw,
    as_json: bool,
) -> None:
    """Schedules side by side, each with the words that were ``chosen``. Raises ScheduleError without any."""
    assert isinstance(machine, Comparing)
    schedules = compared(machine, definition, key_bits, chosen)
    found = list(output.done(taken.taking(definition, key_bits, machine.name, schedules)).values())
    if all(one.refused for one in found):
        raise ScheduleError(f"{definition.name()} has no program: {found[0].refused}")
    which = "both directions" if chosen.directions == "both" else "one direction"
    title = f"{definition.name()}, {key_bits}-bit keys, {which}, on {machine.name}"
    draw(lambda: cards.front_plot(title, found))
    best = {one.schedule for one in cards.front(found)}
    told = [{**asdict(one), "front": one.schedule in best} for one in found]
    output.show_either(as_json, told, tables.of_sheet(cards.front_sheet(title, found)))


def compared(machine: Comparing, definition: type[Cipher], key_bits: int, chosen: Schedule) -> list[Schedule]:
    """The machine's schedules with these words in place of its own, each once."""
    offered = machine.compared(definition, key_bits=key_bits, directions=chosen.directions or "one")
    return list(dict.fromkeys(chosen.over(one) for one in offered))


def _refuse_hardware(given: dict[str, object]) -> None:
    """Raise UnknownNameError where an option is given that is about hardware."""
    for name, value in given.items():
        if value:
            accepted = options.machines_that(Estimating)
            raise UnknownNameError(f"{name} is about hardware; accepted with --machine {accepted}")
