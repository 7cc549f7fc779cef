"""Random programs under random parameters: the simulated instruction words against the interpreter.

A sample as a rule; ``FINALIST_FUZZ=10000`` in the environment for a sixteenth as many programs,
``FINALIST_FUZZ_SEED`` for other ones.
"""

from __future__ import annotations

import os
import random

import numpy as np
import pytest

from finalist.ir.execute import interpret
from finalist.ir.program import Program
from finalist.isa.processor.simulator import SimulationError
from finalist.machines.plx.machine import Plx
from finalist.machines.plx.parameters import parsed
from finalist.machines.plx.resolve import words_fill
from finalist.schedule import Schedule
from tests.graphs import bytes_for, random_program
from tests.machines.native.test_fuzz import emitted

SAMPLE = 400 // 16
COUNT = int(os.environ.get("FINALIST_FUZZ", "240")) // 16
SEED = os.environ.get("FINALIST_FUZZ_SEED", "2005")
WORDS = ("word=32", "word=64", "word=128", "multiplier=16", "word=64,multiplier=32")
SCHEDULES = (Schedule(), Schedule(blocks=3), Schedule(blocks=4), Schedule(optimise="on"))

pytestmark = pytest.mark.fuzz


def parameters(source: random.Random) -> str:
    """A processor."""
    issue = source.choice(("1/1", "2/2", "4/1", "8/2"))
    extra = "+".join(
        name for name in ("ptlu", "extract", "andn", "aes32", "xperm8", "shuffle") if source.random() < 0.4
    )
    units = (
        f"shifters={source.randint(1, 3)},latency={source.choice((1, 3, 7))},tables={source.choice((4, 8))}"
    )
    word = source.choice(WORDS)
    if "word=64" in word or "128" in word:
        extra = extra.replace("aes32", "andn")
    return f"{word},issue={issue},{units},with={extra}"


def check(program: Program, kind: str, schedule: Schedule) -> None:
    """The simulated program gives what the interpreter does."""
    made = Plx(parsed(kind)).program(program, schedule)
    keys, data = bytes_for(program, 3)
    expected = interpret(program, keys, data)
    rows = zip(keys, data, strict=True)
    got = [np.frombuffer(made.run(key.tobytes(), row.tobytes()).output, np.uint8) for key, row in rows]
    assert np.array_equal(np.stack(got), expected), f"{kind}, {schedule}"
    if not program.stateful:
        message = np.tile(data, (made.blocks, 1))
        expected = interpret(program, keys[:1].repeat(len(message), 0), message)
        assert made.run(keys[0].tobytes(), message.tobytes()).output == expected.tobytes(), (
            f"{kind}, {schedule}"
        )


@pytest.mark.parametrize("part", range(4))
def test_random_programs(part: int) -> None:
    for number in range(part, COUNT, 4):
        source = random.Random(f"{SEED} {number}")
        program = random_program(f"plx {SEED} {number}", stateful=source.random() < 0.25)
        kind, schedule = parameters(source), source.choice(SCHEDULES)
        if words_fill(program, Plx(parsed(kind)).processor) and source.random() < 0.5:
            schedule = Schedule(width=int(kind[5:].partition(",")[0])).over(schedule)
        check(program, kind, schedule)


#: Every parameter and instruction at least once, each word size with and without parallel lookup.
SETTINGS = (
    "",
    "with=ptlu",
    "tables=4,with=ptlu+extract",
    "multiplier=16,issue=2/1,with=aes32+andn",
    "issue=8/2,shifters=2,multipliers=2,latency=1",
    "word=64",
    "word=64,multiplier=32,with=ptlu+xperm8",
    "word=128,issue=4/2",
    "word=128,tables=4,with=ptlu+shuffle",
)


def test_three_machines_side_by_side() -> None:
    """The same program on interpreter, native machine, and simulators of all settings; more in a long run."""
    for number in range(COUNT // 25):
        program = random_program(f"three {SEED} {number}")
        keys, data = bytes_for(program, 3)
        expected = interpret(program, keys[:1], data).tobytes()
        made = emitted(program, Schedule())
        assert made.run(keys[0].tobytes(), data.tobytes()).output == expected
        for kind in SETTINGS if COUNT > SAMPLE else SETTINGS[number :: COUNT // 25 or 1]:
            check(program, kind, Schedule())


def test_a_wrong_program_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """The comparison sees one wrong rewrite, or the simulator an address that it makes."""
    monkeypatch.setattr("finalist.isa.selection.words.mask", lambda width: (1 << width) - 2)
    caught = 0
    for number in range(8):
        try:
            check(random_program(f"plx {SEED} {number}"), "word=64", Schedule())
        except (AssertionError, SimulationError):
            caught += 1
    assert caught
