"""``finalist pareto`` on machines whose programs take memory that counts."""

from __future__ import annotations

from dataclasses import asdict

from finalist.cli import options, output, plots, tables
from finalist.errors import ScheduleError, UnknownNameError
from finalist.language.cipher import Cipher
from finalist.machines.base import Comparing, Estimating, Machine
from finalist.measure import taken
from finalist.report import cards
from finalist.schedule import Schedule


def pareto(
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


def refuse(given: dict[str, object]) -> None:
    """Raise UnknownNameError where an option is given that is about hardware."""
    for name, value in given.items():
        if value:
            accepted = options.machines_that(Estimating)
            raise UnknownNameError(f"{name} is about hardware; accepted with --machine {accepted}")
