"""Units by cycles: what a program's code says, and what a pipelined loop's schedule does."""

from __future__ import annotations

from collections import Counter
from functools import cache

import pytest

import finalist
from finalist.ciphers.catalogue import cipher
from finalist.errors import UsageError
from finalist.isa.pipeline import Writing, compiled
from finalist.isa.simulate.run import Pipelined, SimulatedProgram
from finalist.language.definition import trace
from finalist.machines.c6x.model import processor as signal_processor
from finalist.report.units import KINDS, ReservationTable, kind_of, reservation_table
from finalist.schedule import Schedule
from tests.graphs import random_program
from tests.isa.test_piped import made as pipelined
from tests.processors.vliw import processor

P = processor()


@cache
def plain() -> SimulatedProgram:
    return compiled("vliw", P, random_program("units"), Schedule(rounds="loop"), Writing())


@cache
def looped() -> SimulatedProgram:
    return pipelined(trace(cipher("rc6"), "encrypt", 128), 150)


def test_code_as_it_is_written() -> None:
    """Each instruction of the work on a block in its unit, each cycle that the simulator counts."""
    made, found = plain(), reservation_table(plain())
    code, parts = made.simulator.code, made.image.parts
    issued = [one for place, one in code.items() if parts[place] == "block" and one.issue.way.unit]
    assert Counter(slot.unit for slot in found.slots) == Counter(one.issue.way.unit for one in issued)
    assert len({(slot.cycle, slot.unit) for slot in found.slots}) == len(found.slots)
    assert found.units == ("l1", "l2", "s1", "s2", "m1", "m2", "d1", "d2") and found.blocks == 1
    assert max(slot.cycle for slot in found.slots) < found.cycles


@pytest.mark.check
def test_an_iteration_of_a_pipelined_loop() -> None:
    made = looped()
    assert isinstance(made.loop, Pipelined)
    found, schedule = reservation_table(made), made.loop.schedule
    assert (found.cycles, found.blocks) == (schedule.interval, schedule.stages)
    assert len(found.slots) == len(made.loop.problem.operations)
    assert len({(slot.cycle, slot.unit) for slot in found.slots}) == len(found.slots)
    assert {slot.block for slot in found.slots} == set(range(1, found.blocks + 1))


def test_kinds_of_instructions() -> None:
    named = signal_processor("c64x").by_name
    told = {
        "ADDAH": 0,
        "XOR": 1,
        "CMPEQ": 1,
        "EXTU": 2,
        "ROTL": 2,
        "MPYU": 3,
        "LDW": 4,
        "STW": 5,
        "B": 6,
        "MV": 7,
    }
    assert {name: kind_of(named[name][0]) for name in told} == {name: KINDS[k] for name, k in told.items()}


def test_in_words() -> None:
    one = reservation_table(plain()).slots[0]
    found = ReservationTable(10, ("l1", "l2"), (one,) * 5)
    assert found.summary == "5 instructions in 10 cycles: 25 % of all units."


@pytest.mark.parametrize("machine", ["interpreter", pytest.param("plx", marks=pytest.mark.check)])
def test_machines_whose_code_does_not_say(machine: str) -> None:
    with pytest.raises(UsageError, match="accepted: programs of processors with an exposed pipeline"):
        reservation_table(finalist.compile("rc6", machine))
