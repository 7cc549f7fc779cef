"""``finalist prove --passes``: each pass of a machine's plan held to the program that it was given."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from random import Random

import typer
from rich.console import RenderableType

from finalist.cli import output, tables
from finalist.cli.commands import FAILED
from finalist.errors import ScheduleError
from finalist.language.cipher import Cipher
from finalist.machines.registry import machine as find_machine
from finalist.prove.cached import plan as cached
from finalist.prove.passes import Plan, prove_passes
from finalist.report import proofs
from finalist.report.explained import passes
from finalist.schedule import Schedule
from finalist.vectors.drawn import DRAWS, drawing_machine


@dataclass(frozen=True, slots=True)
class Drawn:
    """How many schedules a program are drawn at random, and by which seed."""

    count: int
    seed: int


@dataclass(frozen=True, slots=True)
class Asked:
    """What is held to the definition: a program of a cipher on a machine."""

    cipher: type[Cipher]
    operation: str
    key_bits: int
    machine: str

    def __str__(self) -> str:
        return f"{self.cipher.name()} {self.operation} {self.key_bits}"

    def plan(self, schedule: Schedule, seconds: float, again: bool) -> Plan:
        """The passes of a schedule, proved, or as they were before. Raises ScheduleError."""
        make = partial(self._plan, schedule, seconds)
        about = self.operation, self.key_bits, self.machine, schedule
        return make() if again else cached(self.cipher, *about, make)

    def _plan(self, schedule: Schedule, seconds: float) -> Plan:
        found = find_machine(self.machine)
        made, steps, _ = passes(found, self.cipher, self.operation, self.key_bits, schedule)
        proved = tuple(prove_passes(steps, seconds))
        return Plan(
            self.cipher.name(), self.operation, self.key_bits, self.machine, str(made.schedule), proved
        )

    def drawn(self, drawn: Drawn, seconds: float, again: bool) -> Iterator[Plan]:
        """The passes of schedules drawn at random, each schedule once. Raises UnknownNameError."""
        machine = drawing_machine(self.machine)
        numbers = Random(f"{drawn.seed} {self.cipher.own_name()} {self.operation} {self.key_bits}")
        found: dict[str, Plan] = {}
        for _ in range(DRAWS):
            if len(found) == drawn.count:
                break
            try:
                plan = self.plan(machine.drawn(numbers), seconds, again)
            except ScheduleError:
                continue
            if plan.schedule not in found:
                found[plan.schedule] = plan
                yield plan


def run(
    programs: Sequence[tuple[type[Cipher], str, int]],
    machine: str,
    schedule: Schedule,
    drawn: Drawn | None,
    seconds: float,
    again: bool,
    target: Path | None,
    as_json: bool,
) -> None:
    """The command, for programs of a cipher, operation and key length. Raises ScheduleError, OutputError,
    and typer.Exit where a pass is not proved."""
    if drawn is not None:
        drawing_machine(machine)
    mark = f"finalist prove --machine {machine} --passes --drawn {drawn.count if drawn else 0}"
    renew = None if target is None else output.part_of(target, mark)
    plans = _proved([Asked(*program, machine) for program in programs], schedule, drawn, seconds, again)
    if renew is not None:
        renew(proofs.plans(plans))
    if as_json:
        output.show_json([asdict(plan) for plan in plans])
    elif target is not None:
        typer.echo(target)
    else:
        output.show(_shown(plans))
    if not all(plan.proved for plan in plans):
        raise typer.Exit(FAILED)


def _proved(
    asked: Sequence[Asked], schedule: Schedule, drawn: Drawn | None, seconds: float, again: bool
) -> list[Plan]:
    plans: list[Plan] = []
    with output.progress(len(asked)) as step:
        for one in asked:
            step(str(one))
            if drawn is None:
                plans.append(one.plan(schedule, seconds, again))
            else:
                plans += one.drawn(drawn, seconds, again)
    return plans


def _shown(plans: Sequence[Plan]) -> Iterator[RenderableType]:
    """A row for each pass that changed a program; then why others are not proved, and on what they fail."""
    table = tables.plain(["cipher", "operation"], ["key bits", "CPU s"], ["pass", "verdict", "file"])
    for plan in plans:
        for one in plan.changed:
            own = plan.cipher, plan.operation, str(plan.key_bits), f"{one.seconds:.1f}"
            table.add_row(*own, one.name, one.verdict, one.file)
    yield table
    for plan in plans:
        idle = len(plan.passes) - len(plan.changed)
        yield f"{plan.cipher} {plan.operation}, {plan.schedule}: {idle} passes changed nothing"
        for one in plan.changed:
            wrong = one.counterexample
            if wrong is not None:
                yield (
                    f"{one.name}: key {wrong.key}, data {wrong.data}:"
                    f" before it {wrong.defined}, after it {wrong.computed}"
                )
            elif one.reason:
                yield f"{one.name}: {one.reason}"
