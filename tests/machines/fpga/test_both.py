"""Encryption and decryption in one design: blocks of both kinds mixed, keys for both."""

from __future__ import annotations

import random
from typing import Any

import pytest

from finalist.api import compile as compile_cipher
from finalist.ciphers.catalogue import cipher
from finalist.errors import ScheduleError, VectorError
from finalist.machines.fpga.signals import Turns
from finalist.machines.fpga.simulation.bench import Do, line
from finalist.machines.fpga.simulation.run import lint
from finalist.vectors.check import check_known_answers
from finalist.vectors.load import vectors_of
from tests.machines.fpga.simulators import LANGUAGES, missing
from tests.machines.fpga.toy import TOY


def two(name: str, **choices: Any) -> list[Any]:
    """The design as a program for each operation."""
    return [compile_cipher(name, "fpga", op, directions="both", **choices) for op in ("encrypt", "decrypt")]


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(
    ("architecture", "keys"), [("LU-1", "load"), ("LU-3", "chip"), ("PP-6", "load"), ("SP-2-1", "chip")]
)
def test_both_directions_at_full_rate(architecture: str, keys: str, language: str) -> None:
    """Blocks of both kinds follow one another without a gap, under two keys, after a reset as well."""
    programs = two(TOY, architecture=architecture, key_schedule=keys, language=language)
    assert programs[0].text == programs[1].text
    lint(programs[0].text, language, programs[0].name)
    draw = random.Random(8)
    lines, wanted = [], []
    for _ in range(2):
        key, ways = draw.randbytes(8), [draw.randrange(2) for _ in range(24)]
        blocks = [draw.randbytes(4) for _ in ways]
        sent = [programs[way].block_line(block) for way, block in zip(ways, blocks, strict=True)]
        lost = sent[: len(programs[0].design.stages)]
        lines += [*programs[0].key_lines(key), *lost, line(Do.RESET), *sent, line(Do.DRAIN)]
        reference = [compile_cipher(TOY, "interpreter", op) for op in ("encrypt", "decrypt")]
        for way, block in zip(ways, blocks, strict=True):
            wanted += reference[way].run_many([key], [block])
    assert programs[1].simulated(lines, len(wanted)) == wanted


@pytest.mark.parametrize(
    ("name", "architecture", "keys", "language"),
    [
        ("rc6", "LU-1", "load", "verilog"),
        ("rijndael", "LU-1", "chip", "vhdl"),
    ],
)
def test_vectors(name: str, architecture: str, keys: str, language: str) -> None:
    if missing(language):
        pytest.skip(missing(language))
    for program in two(name, architecture=architecture, key_schedule=keys, language=language):
        rows = [row for row in vectors_of(cipher(name)) if len(row.key) * 8 == program.key_bits]
        assert check_known_answers(program, [rows[0], rows[-1]]) == 2


def test_the_wrong_direction_is_caught() -> None:
    if missing("verilog"):
        pytest.skip(missing("verilog"))
    encrypt, decrypt = two(TOY)
    key, block = bytes(range(8)), bytes(4)
    assert encrypt.run_many([key], [block]) != decrypt.run_many([key], [block])
    assert decrypt.run_many([key], encrypt.run_many([key], [block])) == [block]
    late = encrypt.design.latency
    with pytest.raises(VectorError, match="1 blocks came out, not 2"):
        encrypt.simulated([*encrypt.key_lines(key), encrypt.block_line(block), *[line(Do.IDLE)] * late], 2)


@pytest.mark.check
def test_equal_round_keys_are_kept_once() -> None:
    """RC6's are the same both ways, Rijndael's are so as far as the inverse map is not taken over them."""
    one, other = compile_cipher("rc6", "fpga"), two("rc6")[0]
    assert other.design.keys == one.design.keys
    assert one.name == "rc6_encrypt_lu_1"
    assert other.name == "rc6_both_lu_1"


def test_numbers_that_blocks_carry() -> None:
    turns = Turns(5, 2)
    assert (turns.bits, turns.width, turns.count) == (3, 4, 13)
    assert list(turns.all())[5:7] == [(1, 0), (1, 1)]
    assert turns.number(1, 4) == 12
    assert (Turns(1, 1).width, Turns(1, 2).width, Turns(1, 2).count) == (1, 1, 2)


def test_other_machines_have_no_such_choice() -> None:
    with pytest.raises(ScheduleError, match="directions=both: native has no such choice"):
        compile_cipher("rc6", "native", directions="both")
