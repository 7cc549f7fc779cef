"""Ciphers and random programs on the toy, through assembler, decoder and simulator."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence, Set
from dataclasses import replace

import pytest

from finalist.ciphers.catalogue import cipher
from finalist.ir.execute import interpret
from finalist.ir.ops import Op
from finalist.isa import pipeline
from finalist.isa.allocate import memory
from finalist.isa.allocate.conflicts import Conflicts, Copies
from finalist.isa.allocate.linear import NoRoomError
from finalist.isa.assembly.assembler import assemble
from finalist.isa.assembly.decoder import Decoder, disassemble
from finalist.isa.code import Block
from finalist.isa.lower import in_memory
from finalist.isa.simulate.run import SimulatedProgram
from finalist.isa.target.meaning import less
from finalist.isa.target.processor import WorkingMemory
from finalist.machines.tracing import traced
from finalist.schedule import Schedule
from finalist.vectors.check import check_known_answers
from finalist.vectors.load import vectors_of
from tests.graphs import bytes_for, random_program
from tests.processors.accumulator import PROCESSOR, compiled
from tests.programs import SHAPES, agrees, program_in_rounds

#: Sums, products and rotations by data, in few rounds.
SHORT = cipher("rc6:r=4")
CIPHERS = [(name, way) for name in ("rijndael", "rc6") for way in ("encrypt", "decrypt")]


@pytest.mark.parametrize(("name", "way"), CIPHERS)
@pytest.mark.every(4)
def test_vectors(name: str, way: str) -> None:
    made = compiled(traced(cipher(name), way, 128))
    rows = [row for row in vectors_of(cipher(name)) if len(row.key) == 16]
    assert check_known_answers(made, rows[:4])


@pytest.mark.parametrize("part", range(2))
@pytest.mark.every(2)
def test_random_programs(part: int) -> None:
    for number in range(part, 24, 2):
        source = random.Random(f"accumulator {number}")
        seed, shape = f"accumulator {number}", SHAPES[source.choice(list(SHAPES))]
        stateful = source.random() < 0.25
        program = random_program(seed, stateful=True) if stateful else program_in_rounds(seed, shape, source)
        assert agrees(program, compiled(program, loops=source.random() < 0.5)), number


def test_the_text_is_what_runs() -> None:
    """Its words are those of its disassembly, of one to three bytes an instruction."""
    made = compiled(random_program("accumulator 3"))
    again = assemble(disassemble(made.image.words, PROCESSOR), PROCESSOR)
    assert again.words == made.image.words
    assert {one.length for one in Decoder(PROCESSOR).all(made.image.words).values()} == {1, 2, 3}


@pytest.mark.parametrize("name", ["twofish", "blowfish"])
@pytest.mark.every(2)
@pytest.mark.check
def test_the_pipeline_of_all_processors(name: str) -> None:
    """It needs nothing that only the toy's own way has."""
    program = traced(cipher(name), "encrypt", 128)
    schedule = Schedule(rounds="loop", fuse=8)
    assert agrees(program, pipeline.compiled("toy", PROCESSOR, program, schedule, pipeline.Writing()))


def test_rounds_are_a_loop() -> None:
    program = traced(cipher("rijndael"), "encrypt", 128)
    short, long = compiled(program), compiled(program, loops=False)
    assert 2 * len(short.image.words) < len(long.image.words)


def test_a_call_works_on_one_block() -> None:
    program = random_program("accumulator 5")
    made = compiled(program)
    keys, data = bytes_for(program, 3)
    expected = interpret(program, keys[:1].repeat(3, 0), data)
    assert made.run(keys[0].tobytes(), data.tobytes()).output == expected.tobytes()


# -- faults that are seen ----------------------------------------------------------------------------


def test_a_wrong_carry_is_seen() -> None:
    """A sum of bytes whose carries are dropped is another."""
    program = traced(SHORT, "encrypt", 128)
    made = compiled(program)
    before, _, block = made.text.partition(".part block")
    assert "adc" in block
    wrong = f"{before}.part block{block.replace('adc', 'add')}"
    assert agrees(program, made)
    assert not agrees(program, SimulatedProgram(made.program, made.schedule, PROCESSOR, wrong))


def test_two_live_words_in_one_byte_are_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    real = memory.conflicts_of

    def forgetful(blocks: Sequence[Block], ends: Mapping[str, Set[int | str]]) -> tuple[Conflicts, Copies]:
        conflicts, copies = real(blocks, ends)
        near = {word: conflicts.words(row) for word, row in conflicts.rows.items()}
        return Conflicts.of(
            {word: {other for other in others if (word + other) % 3} for word, others in near.items()}
        ), copies

    program = traced(cipher("rijndael"), "encrypt", 128)
    monkeypatch.setattr(memory, "conflicts_of", forgetful)
    assert not agrees(program, compiled(program, loops=False))


def test_a_carry_that_is_lost_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """The carry of a chain is not looked at: what takes it adds whatever is there."""
    monkeypatch.setattr(
        in_memory, "_over", lambda op, x, y, carry: less(x + y, y) if op is Op.ADD else less(x, y)
    )
    program = traced(SHORT, "encrypt", 128)
    with pytest.raises(AssertionError):
        assert agrees(program, compiled(program))


# -- memory ------------------------------------------------------------------------------------------


def test_few_bytes_are_an_error_that_says_how_many() -> None:
    small = replace(PROCESSOR, working=WorkingMemory(first=0, direct=16, rest=256))
    with pytest.raises(NoRoomError, match=r"\d+ bytes of working memory are lacking; there are 16"):
        compiled(traced(cipher("rijndael"), "encrypt", 128), small)


@pytest.mark.check
def test_what_is_used_most_has_short_addresses() -> None:
    """With more of them a program is quicker."""
    program = traced(SHORT, "encrypt", 128)
    key, block = bytes(16), bytes(16)
    taken = []
    for direct in (16, 48):
        processor = replace(PROCESSOR, working=WorkingMemory(first=0, direct=direct, rest=256, beyond=512))
        taken.append(compiled(program, processor).run(key, block).figures["cycles a block"])
    assert taken[1] < taken[0]
