"""Random programs, small and fast, against the interpreter; faults in subroutines and loops are seen."""

from __future__ import annotations

import random

import pytest

from finalist.errors import ScheduleError
from finalist.ir.program import Program
from finalist.isa import build
from finalist.isa.lower.subroutines import Finder, Subroutine
from finalist.isa.simulate.simulator import SimulationError
from finalist.machines.hc05 import machine
from finalist.machines.hc05.machine import MACHINE
from finalist.schedule import Schedule, schedule_of
from tests.graphs import random_program
from tests.programs import SHAPES, agrees, program_in_rounds

#: Programs of a kind, and of each kind in the first tier.
COUNT, SAMPLE = 16, 4


def drawn(number: int) -> Program:
    """A program of rounds, or of one graph."""
    seed = f"card {number}"
    source = random.Random(seed)
    if source.random() < 0.3:
        return random_program(seed)
    return program_in_rounds(seed, SHAPES[source.choice(list(SHAPES))], source)


@pytest.mark.parametrize(("optimise", "worth"), [("size", 10), ("size", 1000), ("speed", None)])
@pytest.mark.parametrize(
    "numbers",
    [range(SAMPLE), pytest.param(range(SAMPLE, COUNT), marks=pytest.mark.check)],
    ids=["few", "many"],
)
@pytest.mark.every(2)
def test_random_programs(numbers: range, optimise: str, worth: int | None) -> None:
    made = 0
    for number in numbers:
        program = drawn(number)
        try:
            text = MACHINE.program(program, schedule_of(optimise=optimise, byte_worth=worth))
        except ScheduleError:  # what does not fit the card
            continue
        made += 1
        assert agrees(program, text), number
    assert 2 * made >= len(numbers)


def test_a_subroutine_that_takes_its_words_in_another_order_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    real = Finder.found

    def crossed(self: Finder) -> list[Subroutine]:
        found = list(real(self))
        for call in self.calls.values():
            call.inputs.reverse()
        return found

    program, schedule = drawn(21), schedule_of(optimise="size", byte_worth=1000, rounds="unroll")
    assert agrees(program, MACHINE.program(program, schedule))
    monkeypatch.setattr(build.Finder, "found", crossed)
    monkeypatch.setattr(machine, "_UNSURE", 10**9)  # none is left out
    assert not right(program, schedule)


def right(program: Program, schedule: Schedule) -> bool:
    """Whether the program that the machine makes agrees; one that leaves its memory does not."""
    try:
        return agrees(program, MACHINE.program(program, schedule))
    except SimulationError:
        return False
