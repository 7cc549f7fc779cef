"""Key schedules on the chip: the steps that are found, the round keys that they make, keys in mid-flight."""

from __future__ import annotations

import random
from functools import cache
from typing import Any

import numpy as np
import pytest

from finalist.api import compile as compile_cipher
from finalist.ciphers.catalogue import cipher
from finalist.errors import ScheduleError
from finalist.ir import interpreter
from finalist.ir.execute import expand_keys, split
from finalist.machines.fpga import part
from finalist.machines.fpga.datapath.lower import lower
from finalist.machines.fpga.keys.expansion import Steps, steps_of
from finalist.machines.fpga.keys.unit import MOST_CLOCKS, Expander, Keys, key_words
from finalist.machines.fpga.model.delays import longest_way
from finalist.machines.fpga.simulation.bench import Do, line
from finalist.machines.fpga.simulation.run import Hardware
from finalist.machines.tracing import traced
from finalist.vectors.check import check_known_answers
from finalist.vectors.load import vectors_of
from tests.machines.fpga.simulators import LANGUAGES, check_toy, missing
from tests.machines.fpga.toy import TOY

#: Steps of several clocks; steps that each make one word of many.
CIPHERS = [("rijndael", "decrypt", "LU-1", "verilog"), ("rc6", "encrypt", "LU-1", "verilog")]


@cache
def steps_for(name: str) -> tuple[Any, Keys, Steps]:
    definition = cipher(name)
    program = lower(traced(definition, "encrypt", definition.usual_key_bits()), chip=True)
    keys = Keys(program)
    return program, keys, steps_of([program], keys.places, compute=True)


@pytest.mark.parametrize("name", ["rc6", "rijndael", "serpent", TOY])
@pytest.mark.every(2)
def test_steps_compute_the_expanded_key(name: str) -> None:
    """Each in its step, of what steps before made, and of the key."""
    program, keys, steps = steps_for(name)
    row = np.frombuffer(random.Random(2).randbytes(program.key_bits // 8), np.uint8).reshape(1, -1)
    arrays = [array.reshape(-1).tolist() for array in expand_keys(program, row)]
    found = [int(word[0]) for word in interpreter.run(steps.graph, split(program.key, row))]
    assert found == [arrays[rank][number] for _, rank, number in keys.places]
    for node, step in steps.made.items():
        assert all(steps.made.get(child, 0) <= step for child in node.inputs)
    rounds = steps.rounds
    assert sum(map(len, rounds.segments)) == len(steps.made)
    for boundary, live in enumerate(rounds.live):
        assert all(steps.made[node] < boundary for node in live)


@pytest.mark.parametrize(("name", "steps", "bits"), [("rc6", 131, 48 * 32), ("serpent", 33, 8 * 32)])
def test_what_repeats_itself_is_found(name: str, steps: int, bits: int) -> None:
    """A step makes a word of RC6's key, or four of Serpent's, and hands on what the next ones need."""
    _, _, found = steps_for(name)
    assert found.count == steps
    assert max(sum(node.width for node in live) for live in found.rounds.live) == bits


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("architecture", ["LU-2", "SP-3-1"])
def test_toy(architecture: str, language: str) -> None:
    program = compile_cipher(TOY, "fpga", architecture=architecture, language=language, key_schedule="chip")
    check_toy(program, language)


@pytest.mark.parametrize(("name", "operation", "architecture", "language"), CIPHERS)
def test_vectors(name: str, operation: str, architecture: str, language: str) -> None:
    if missing(language):
        pytest.skip(missing(language))
    program = compile_cipher(
        name, "fpga", operation, architecture=architecture, language=language, key_schedule="chip"
    )
    rows = [row for row in vectors_of(cipher(name)) if len(row.key) * 8 == program.key_bits]
    assert check_known_answers(program, [rows[0], rows[-1]]) == 2


@pytest.mark.parametrize("language", LANGUAGES)
def test_keys_and_reset_at_any_time(language: str) -> None:
    """A key while the pipeline is full, while another's round keys are being made, with gaps; reset then."""
    program = compile_cipher(TOY, "fpga", architecture="SP-2-1", language=language, key_schedule="chip")
    draw = random.Random(6)
    keys = [draw.randbytes(8) for _ in range(4)]
    blocks = [draw.randbytes(4) for _ in range(6)]
    sent = [program.block_line(block) for block in blocks]
    wait, idle = line(Do.DRAIN), line(Do.IDLE)
    lines = [*program.key_lines(keys[0]), *sent, wait, *sent[:3], *program.key_lines(keys[1]), *sent, wait]
    lines += [*program.key_lines(keys[2]), idle, idle, *program.key_lines(keys[0])[:1], *[idle] * 5]
    first, second = program.key_lines(keys[3])
    lines += [first, idle, second, idle, line(Do.RESET), *sent, wait]
    reference = compile_cipher(TOY, "interpreter")
    wanted = [word for k in (0, 1, 3) for word in reference.run_many([keys[k]] * 6, blocks)]
    assert program.simulated(lines, len(wanted)) == wanted


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_round_key_of_the_wrong_step_is_caught(language: str) -> None:
    good = compile_cipher(TOY, "fpga", language=language, key_schedule="chip")
    step = {"verilog": "3'd2: begin", "vhdl": 'when "010" =>'}[language]
    other = {"verilog": "3'd7: begin", "vhdl": 'when "111" =>'}[language]
    assert step in good.text
    text = good.text.replace(step, other, 1)
    wrong = Hardware(
        good.programs,
        "encrypt",
        good.schedule,
        good.design,
        good.keys,
        good.name,
        lambda: text,
        good.estimate,
    )
    key, blocks = bytes(range(1, 9)), [bytes(4)]
    assert wrong.run_many([key], blocks) != good.run_many([key], blocks)


def test_steps_take_as_many_clocks_as_the_data_path_asks_for() -> None:
    program, keys, steps = steps_for("rc6")
    expander = Expander(program, steps, [low for _, _, low, _ in keys.fields])
    fabric = part.virtex()
    whole = expander.unit_for(1000.0, fabric)
    assert (whole.clocks, whole.inner) == (1, [])
    half = expander.unit_for(longest_way(whole.ends(), fabric) * 0.7, fabric)
    assert half.clocks == 2
    assert longest_way(half.ends(), fabric) < longest_way(whole.ends(), fabric)
    assert expander.unit_for(0.1, fabric).clocks == MOST_CLOCKS


def test_keys_are_written_first_byte_highest() -> None:
    assert key_words(bytes(range(1, 11))) == [0x01020304, 0x05060708, 0x090A0000]
    program = compile_cipher("rc6", "fpga", key_schedule="chip")
    assert program.key_stream(bytes(range(16))) == [0x00010203, 0x04050607, 0x08090A0B, 0x0C0D0E0F]
    assert "Key: 4 words of 32 bits" in program.text


def test_choices_that_there_are_not() -> None:
    with pytest.raises(ScheduleError, match=r"key-schedule=loop: fpga has load .* and chip"):
        compile_cipher("rc6", "fpga", key_schedule="loop")
    with pytest.raises(ScheduleError, match="key-schedule=chip: accepted: loop, unroll"):
        compile_cipher("rc6", "native", key_schedule="chip")
