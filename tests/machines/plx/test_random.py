"""Random programs under random parameters: the simulated instruction words against the interpreter.

A sample as a rule; ``FINALIST_FUZZ=10000`` in the environment for a sixteenth as many programs,
``FINALIST_FUZZ_SEED`` for other ones.
"""

from __future__ import annotations

import os
import random
from functools import partial
from typing import Any

import numpy as np
import pytest

from finalist.ir.execute import interpret
from finalist.ir.program import Program
from finalist.isa.simulate.run import SimulatedProgram
from finalist.isa.simulate.simulator import SimulationError
from finalist.machines.plx.extra import EXTRA
from finalist.machines.plx.machine import Plx
from finalist.machines.plx.parameters import ISSUES, parsed
from finalist.passes.keying import KEYING
from finalist.schedule import Schedule, schedule_of
from tests.graphs import bytes_for, random_program
from tests.machines.native.test_fuzz import emitted
from tests.programs import SHAPES, program_in_rounds
from tests.schedules import scheduled

SAMPLE = 400 // 16
COUNT = int(os.environ.get("FINALIST_FUZZ", "240")) // 16
SEED = os.environ.get("FINALIST_FUZZ_SEED", "2005")

#: What a schedule can choose; whether it may is the machine's to say.
CHOICES: dict[str, tuple[Any, ...]] = {
    "width": (1, 64, 128),
    "blocks": (1, 2, 3, 4, 5, 8),
    "lookup": ("load", "ptlu"),
    "fuse": (0, 8, 16, 32, 64),
    "keyed_tables": KEYING,
    "rounds": ("unroll", "loop", 1, 2),
    "key_schedule": ("unroll", "loop"),
    "optimise": ("on", "off"),
}

pytestmark = pytest.mark.fuzz


def parameters(source: random.Random) -> str:
    """A processor."""
    word = source.choice((32, 64, 128))
    issue, ports = source.choice(ISSUES)
    only_32 = ("aes32",) if word > 32 else ()
    extra = [name for name in EXTRA if name not in only_32 and source.random() < 0.4]
    numbers = {
        "word": word,
        "shifters": source.choice((1, 2, 3, 8)),
        "multipliers": source.choice((1, 2, 4)),
        "multiplier": source.choice((0, 0, word // 2)),
        "latency": source.choice((1, 3, 7, 16)),
        "tables": source.choice((4, 8)),
    }
    told = ",".join(f"{name}={value}" for name, value in numbers.items())
    return f"{told},issue={issue}/{ports},with={'+'.join(extra)}"


def drawn(source: random.Random) -> Schedule:
    """A schedule drawn at random, most choices left open; legal or not."""
    chosen = {name: source.choice(values) for name, values in CHOICES.items() if source.random() < 0.35}
    return schedule_of(**chosen)


def check(program: Program, kind: str, made: SimulatedProgram | None = None) -> None:
    """The simulated program gives what the interpreter does, of one block and of all of a call."""
    made = made or Plx(parsed(kind)).program(program, Schedule())
    keys, data = bytes_for(program, 3)
    expected = interpret(program, keys, data)
    rows = zip(keys, data, strict=True)
    got = [np.frombuffer(made.run(key.tobytes(), row.tobytes()).output, np.uint8) for key, row in rows]
    assert np.array_equal(np.stack(got), expected), f"{kind}, {made.schedule}"
    if not program.stateful:
        message = np.tile(data, (made.blocks, 1))
        expected = interpret(program, keys[:1].repeat(len(message), 0), message)
        output = made.run(keys[0].tobytes(), message.tobytes()).output
        assert output == expected.tobytes(), f"{kind}, {made.schedule}"


@pytest.mark.parametrize("part", range(4))
@pytest.mark.every(4)
def test_random_programs(part: int) -> None:
    for number in range(part, COUNT, 4):
        source = random.Random(f"{SEED} {number}")
        seed, shape = f"plx {SEED} {number}", SHAPES[source.choice(list(SHAPES))]
        stateful = source.random() < 0.25
        program = random_program(seed, stateful=True) if stateful else program_in_rounds(seed, shape, source)
        kind = parameters(source)
        make = partial(Plx(parsed(kind)).program, program)
        check(program, kind, scheduled(make, partial(drawn, source)))


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
            check(program, kind)


def test_a_wrong_program_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """The comparison sees one wrong rewrite, or the simulator an address that it makes."""
    monkeypatch.setattr("finalist.isa.lower.words.mask", lambda width: (1 << width) - 2)
    caught = 0
    for number in range(8):
        try:
            check(random_program(f"plx {SEED} {number}"), "word=64")
        except (AssertionError, SimulationError):
            caught += 1
    assert caught
