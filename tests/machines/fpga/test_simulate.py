"""Emitted Verilog and VHDL in their simulators: vectors, full pipelines, keys and reset in mid-flight."""

from __future__ import annotations

import random
import shutil
from functools import cache
from typing import Any

import pytest

from finalist.api import compile as compile_cipher
from finalist.ciphers.catalogue import cipher
from finalist.errors import CompilerError, DataError, KeyLengthError, ScheduleError, VectorError
from finalist.machines.fpga import simulate, tools
from finalist.machines.fpga.bench import Do, line
from finalist.machines.fpga.run import Hardware
from finalist.vectors.check import check_known_answers
from finalist.vectors.load import vectors_of

LANGUAGES = [
    pytest.param(
        language,
        marks=pytest.mark.skipif(shutil.which(program) is None, reason=f"{program} is not installed"),
    )
    for language, program in (("verilog", "iverilog"), ("vhdl", "ghdl"))
]
#: Small ciphers and big ones, each architecture, both operations; rounds all alike, of eight kinds, of three.
DESIGNS = [
    ("rc6", "encrypt", "SP-2-2"),
    ("rijndael", "encrypt", "LU-1"),
    ("rijndael", "decrypt", "SP-1-1"),
    ("serpent", "encrypt", "PP-8"),
    ("serpent", "decrypt", "LU-2"),
    ("crypton-v1", "encrypt", "PP-2"),
    ("mars", "encrypt", "LU-1"),
    ("des", "decrypt", "SP-4-1"),
]


@cache
def design(name: str, operation: str, architecture: str, language: str) -> Any:
    return compile_cipher(name, "fpga", operation, architecture=architecture, language=language)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(("name", "operation", "architecture"), DESIGNS)
def test_vectors(name: str, operation: str, architecture: str, language: str) -> None:
    program = design(name, operation, architecture, language)
    rows = [row for row in vectors_of(cipher(name)) if len(row.key) * 8 == program.key_bits]
    assert check_known_answers(program, [rows[0], rows[-1]]) == 2


def expected(program: Hardware, key: bytes, blocks: list[bytes]) -> list[bytes]:
    reference = compile_cipher(program.cipher, "interpreter", program.operation, program.key_bits)
    return reference.run_many([key] * len(blocks), blocks)


@pytest.mark.parametrize("language", LANGUAGES)
def test_key_and_reset_while_the_pipeline_is_full(language: str) -> None:
    """What is under way is discarded, and what comes after is right, with gaps and without."""
    program = design("rc6", "encrypt", "SP-2-1", language)
    draw = random.Random(5)
    keys = [draw.randbytes(16) for _ in range(2)]
    blocks = [draw.randbytes(16) for _ in range(40)]
    lost = [program.block_line(block) for block in blocks[:4]]
    kept = [program.block_line(block) for block in blocks]
    for position in range(30, 3, -3):
        kept[position:position] = [line(Do.IDLE)] * (position % 4)
    lines = [*program.key_lines(keys[0]), *lost, *program.key_lines(keys[1]), *kept]
    lines += [line(Do.DRAIN), *lost, line(Do.RESET), *kept[:9], line(Do.DRAIN)]
    again = sum(1 for text in kept[:9] if text.startswith(str(Do.BLOCK.value)))
    wanted = expected(program, keys[1], blocks + blocks[:again])
    assert program.simulated(lines, len(wanted)) == wanted


@pytest.mark.parametrize("language", LANGUAGES)
def test_faults_in_the_text_are_caught(language: str) -> None:
    good = design("rijndael", "encrypt", "LU-1", language)
    blocks = [bytes([k]) * 16 for k in range(4)]
    turned = {"verilog": (" ^ ", " & "), "vhdl": (" xor ", " and ")}[language]
    wrong = broken(good, good.text.replace(*turned, 1))
    assert wrong.run_many([bytes(16)] * 4, blocks) != expected(good, bytes(16), blocks)
    early = {"verilog": ("turn0 == 4'd9", "turn0 == 4'd8"), "vhdl": ('turn0 = "1001"', 'turn0 = "1000"')}
    with pytest.raises(VectorError, match=r"a block after 9 cycles \(latency 10\)"):
        broken(good, good.text.replace(*early[language], 1)).run_many([bytes(16)], blocks[:1])


def broken(good: Hardware, text: str) -> Hardware:
    assert text != good.text
    return Hardware(good.program, good.schedule, good.design, good.keys, good.name, text, good.estimate)


@pytest.mark.parametrize("language", LANGUAGES)
def test_text_that_is_no_hardware_is_an_error(language: str) -> None:
    good = design("rijndael", "encrypt", "LU-1", language)
    with pytest.raises(CompilerError, match="failed with exit code"):
        broken(good, good.text.replace("turn0", "turn0 0", 1)).run_many([bytes(16)], [bytes(16)])


def test_wrong_sizes_are_refused_before_anything_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    program = design("rijndael", "encrypt", "LU-1", "verilog")
    monkeypatch.setattr(simulate, "simulate", None)
    with pytest.raises(DataError, match="a multiple of 16"):
        program.run(bytes(16), bytes(17))
    with pytest.raises(KeyLengthError, match="this program takes 16"):
        program.run(bytes(15), bytes(16))
    assert program.run(bytes(16), b"").output == b""


def test_a_missing_simulator_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tools.shutil, "which", lambda name: None)
    with pytest.raises(CompilerError, match="is not installed"):
        design("rijndael", "encrypt", "LU-1", "verilog").run(bytes(16), bytes(16))


def test_other_machines_choices_are_refused() -> None:
    with pytest.raises(ScheduleError, match="blocks=2: fpga has no such choice"):
        compile_cipher("rc6", "fpga", blocks=2)
    with pytest.raises(ScheduleError, match="architecture=LU-1: native has no such choice"):
        compile_cipher("rc6", "native", architecture="LU-1")
    with pytest.raises(ScheduleError, match="lookup=compute is not legal for rijndael"):
        compile_cipher("rijndael", "fpga", lookup="compute")
    with pytest.raises(ScheduleError, match="no table lookup"):
        compile_cipher("rc6", "fpga", lookup="load")


def test_the_same_design_is_the_same_text() -> None:
    program = design("serpent", "encrypt", "PP-8", "verilog")
    from finalist.machines.fpga import machine

    machine._compiled.cache_clear()
    again = compile_cipher.__globals__["_compiled"].__wrapped__(
        cipher("serpent"), "fpga", "encrypt", 128, program.schedule
    )
    assert again.text == program.text


def test_tables_are_computed_in_hardware_alone() -> None:
    with pytest.raises(ScheduleError, match="lookup=compute: this machine has load"):
        compile_cipher("twofish", "native", lookup="compute")
