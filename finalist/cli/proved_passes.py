"""``finalist prove --passes``: each pass of a machine's plan held to the program that it was given."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rich.console import RenderableType

from finalist.cli import tables
from finalist.language.cipher import Cipher
from finalist.machines.registry import machine as find_machine
from finalist.prove.passes import UNCHANGED, Passed, prove_passes
from finalist.report.explained import passes
from finalist.schedule import Schedule


@dataclass(frozen=True, slots=True)
class Plan:
    """The passes that made a program, with the verdict on each."""

    cipher: str
    operation: str
    key_bits: int
    machine: str
    schedule: str
    passes: tuple[Passed, ...]

    @property
    def changed(self) -> list[Passed]:
        """Those that did anything."""
        return [one for one in self.passes if one.verdict != UNCHANGED]

    @property
    def proved(self) -> bool:
        """Whether all of these are proved."""
        return all(one.verdict == "proved" for one in self.changed)


def prove_plan(
    cipher: type[Cipher], operation: str, key_bits: int, machine: str, schedule: Schedule, seconds: float
) -> Plan:
    """The passes that a machine's program of a cipher went through, proved. Raises ScheduleError."""
    made, steps, _ = passes(find_machine(machine), cipher, operation, key_bits, schedule)
    found = tuple(prove_passes(steps, seconds))
    return Plan(cipher.name(), operation, key_bits, machine, str(made.schedule), found)


def shown(plans: Sequence[Plan]) -> Iterator[RenderableType]:
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
