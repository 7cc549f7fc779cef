"""Programs on both processors: vectors, random graphs, and the words that GNU as makes of what is emitted."""

from __future__ import annotations

from pathlib import Path

import pytest

from finalist import api
from finalist.ciphers.catalogue import cipher as find_cipher
from finalist.errors import ScheduleError
from finalist.ir.execute import interpret
from finalist.isa import check
from finalist.isa.pipeline import Writing, compiled
from finalist.isa.simulate.run import SimulatedProgram
from finalist.machines.c6x.model import CPUS, processor
from finalist.schedule import Schedule
from finalist.vectors.check import check_known_answers
from finalist.vectors.load import vectors_of
from tests.catalogue import USUAL
from tests.graphs import bytes_for, random_program
from tests.machines.c6x import gnu


def program_of(name: str, machine: str, operation: str = "encrypt", **choices: str | int) -> SimulatedProgram:
    program = api.compile(name, machine, operation, **choices)  # type: ignore[arg-type]
    assert isinstance(program, SimulatedProgram)
    return program


def keeps_the_rules(program: SimulatedProgram) -> bool:
    simulator = program.simulator
    return check.rules(simulator.code, list(simulator.entries.values()), program.processor) == []


#: Each cipher in both directions, one on each processor, which one taking turns: a program takes seconds.
DIRECTIONS = [
    (name, operation, CPUS[(number + k) % 2])
    for number, name in enumerate(USUAL)
    for k, operation in enumerate(("encrypt", "decrypt"))
]


@pytest.mark.parametrize(("name", "operation", "machine"), DIRECTIONS)
@pytest.mark.check
@pytest.mark.timeout(900)
def test_vectors(name: str, operation: str, machine: str) -> None:
    program = program_of(name, machine, operation)
    own = [row for row in vectors_of(find_cipher(name)) if len(row.key) * 8 == program.key_bits]
    assert check_known_answers(program, own[:2])
    assert keeps_the_rules(program)


@pytest.mark.parametrize("machine", CPUS)
@pytest.mark.parametrize(
    ("operation", "blocks"), [("encrypt", 1), pytest.param("decrypt", 2, marks=pytest.mark.check)]
)
def test_rijndael(machine: str, operation: str, blocks: int) -> None:
    program = program_of("rijndael", machine, operation, blocks=blocks)
    own = [row for row in vectors_of(find_cipher("rijndael")) if len(row.key) * 8 == program.key_bits]
    assert check_known_answers(program, own[:6])
    assert keeps_the_rules(program)
    assert program.run(bytes(16), b"").output == b""


@pytest.mark.parametrize("machine", CPUS)
@pytest.mark.parametrize("number", range(6))
def test_random_programs(number: int, machine: str) -> None:
    program = random_program(f"signal {number}")
    keys, data = bytes_for(program, 3)
    result = compiled(machine, processor(machine), program, Schedule(rounds="loop"), Writing("backward"))
    assert keeps_the_rules(result)
    for key, row, wanted in zip(keys, data, interpret(program, keys, data), strict=True):
        assert result.run(key.tobytes(), row.tobytes()).output == wanted.tobytes()


#: Two for the first tier.
QUICK = [("rijndael", "encrypt", machine) for machine in CPUS]


@pytest.mark.parametrize(
    ("name", "operation", "machine"),
    [*QUICK, *(pytest.param(*one, marks=pytest.mark.check) for one in DIRECTIONS if one not in QUICK)],
)
@pytest.mark.timeout(900)
def test_gnu_as_makes_the_same_words(name: str, operation: str, machine: str, tmp_path: Path) -> None:
    gnu.tool("as")
    made = program_of(name, machine, operation)
    ours, theirs = made.image.words, gnu.words(made.text, machine, tmp_path)
    assert theirs[: len(ours)] == ours and not any(theirs[len(ours) :])


def test_a_rotation_is_a_shift_of_40_bits_and_a_sum() -> None:
    text = program_of("rc6", "c62x", rounds="loop").text
    assert "A3:A2" in text or ",5," in text
    assert "MPYHLU" in text and "ADDAH" in text and "32x32" not in text


def test_what_is_refused() -> None:
    with pytest.raises(ScheduleError, match="it has no table lookup"):
        program_of("rc6", "c62x", lookup="load")
    with pytest.raises(ScheduleError, match="accepted is 1 to 64"):
        program_of("rc6", "c62x", blocks=65)
