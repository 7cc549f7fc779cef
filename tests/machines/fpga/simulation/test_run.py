"""Emitted Verilog and VHDL in their simulators: vectors, full pipelines, keys and reset in mid-flight."""

from __future__ import annotations

import random
from functools import cache
from typing import Any

import pytest

from finalist.api import compile as compile_cipher
from finalist.ciphers.catalogue import cipher
from finalist.errors import CompilerError, DataError, KeyLengthError, ScheduleError, VectorError
from finalist.machines.fpga import machine, tools
from finalist.machines.fpga.simulation import run
from finalist.machines.fpga.simulation.bench import Do, line
from finalist.machines.fpga.simulation.run import Hardware, lint
from finalist.machines.tracing import traced
from finalist.vectors.check import check_known_answers
from finalist.vectors.load import vectors_of
from tests.machines.fpga.simulators import LANGUAGES, check_toy, missing, needs
from tests.machines.fpga.toy import TOY

#: Small ciphers and big ones; rounds all alike, of two kinds, of three, of eight.
#: `make fpga` simulates all designs of the paper; `finalist verify --machine fpga` all ciphers.
DESIGNS = [
    ("des", "decrypt", "SP-4-1", "vhdl"),
    ("mars", "encrypt", "LU-1", "vhdl"),
    ("rc6", "decrypt", "SP-1-2", "verilog"),
    ("rijndael", "encrypt", "LU-1", "vhdl"),
    ("rijndael", "decrypt", "SP-1-1", "verilog"),
    ("serpent", "encrypt", "PP-8", "verilog"),
    ("twofish", "decrypt", "SP-1-1", "verilog"),
]
MORE = [
    ("cast-256", "encrypt", "LU-1", "verilog"),
    ("crypton-v1", "encrypt", "PP-2", "verilog"),
    ("e2", "encrypt", "LU-1", "verilog"),
    ("safer-plus", "encrypt", "LU-1", "verilog"),
]
TOYS = ["LU-1", "LU-2", "PP-3", "PP-6", "SP-1-2", "SP-3-1"]


@cache
def design(name: str, operation: str, architecture: str, language: str) -> Any:
    return compile_cipher(name, "fpga", operation, architecture=architecture, language=language)


@pytest.mark.parametrize(
    ("name", "operation", "architecture", "language"),
    [*DESIGNS, *(pytest.param(*row, marks=pytest.mark.check) for row in MORE)],
)
def test_vectors(name: str, operation: str, architecture: str, language: str) -> None:
    if missing(language):
        pytest.skip(missing(language))
    program = design(name, operation, architecture, language)
    rows = [row for row in vectors_of(cipher(name)) if len(row.key) * 8 == program.key_bits]
    assert check_known_answers(program, [rows[0], rows[-1]]) == 2


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("architecture", TOYS)
def test_architectures(architecture: str, language: str) -> None:
    check_toy(design(TOY, "encrypt", architecture, language), language)


def expected(program: Hardware, key: bytes, blocks: list[bytes]) -> list[bytes]:
    reference = compile_cipher(TOY, "interpreter")
    return reference.run_many([key] * len(blocks), blocks)


@pytest.mark.parametrize("language", LANGUAGES)
def test_key_and_reset_while_the_pipeline_is_full(language: str) -> None:
    """What is under way is discarded, and what comes after is right, with gaps and without."""
    program = design(TOY, "encrypt", "SP-2-1", language)
    draw = random.Random(5)
    keys = [draw.randbytes(8) for _ in range(2)]
    blocks = [draw.randbytes(4) for _ in range(40)]
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
    good = design(TOY, "encrypt", "LU-1", language)
    key, blocks = bytes(8), [bytes([k]) * 4 for k in range(4)]
    turned = {"verilog": (" ^ ", " & "), "vhdl": (" xor ", " and ")}[language]
    wrong = broken(good, good.text.replace(*turned, 1))
    assert wrong.run_many([key] * 4, blocks) != expected(good, key, blocks)
    early = {
        "verilog": ("next_turn == 3'd5", "next_turn == 3'd4"),
        "vhdl": ('next_turn = "101"', 'next_turn = "100"'),
    }
    with pytest.raises(VectorError, match=r"a block after 5 cycles \(latency 6\)"):
        broken(good, good.text.replace(*early[language], 1)).run_many([key], blocks[:1])


def broken(good: Hardware, text: str) -> Hardware:
    assert text != good.text
    own = (good.programs, good.operation, good.schedule, good.design, good.keys, good.name)
    return Hardware(*own, lambda: text, good.estimate)


@pytest.mark.parametrize("language", LANGUAGES)
def test_text_that_is_no_hardware_is_an_error(language: str) -> None:
    good = design(TOY, "encrypt", "LU-1", language)
    with pytest.raises(CompilerError, match="failed with exit code"):
        broken(good, good.text.replace("turn0", "turn0 0", 1)).run_many([bytes(8)], [bytes(4)])


@needs("verilog")
def test_what_a_simulator_warns_of_is_no_clean_text() -> None:
    with pytest.raises(CompilerError, match=r"(?i)m is no clean verilog: .*implicit"):
        lint("module m (output wire y); assign z = 1'b1; assign y = z; endmodule\n", "verilog", "m")


def test_wrong_sizes_are_refused_before_anything_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    program = design(TOY, "encrypt", "LU-1", "verilog")
    monkeypatch.setattr(run, "simulate", None)
    with pytest.raises(DataError, match="a multiple of 4"):
        program.run(bytes(8), bytes(5))
    with pytest.raises(KeyLengthError, match="this program takes 8"):
        program.run(bytes(7), bytes(4))
    assert program.run(bytes(8), b"").output == b""


def test_a_missing_simulator_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tools.shutil, "which", lambda name: None)
    with pytest.raises(CompilerError, match=r"no simulator of verilog is installed: Icarus .*; or Verilator"):
        design(TOY, "encrypt", "LU-1", "verilog").run(bytes(8), bytes(4))


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
    program = design(TOY, "encrypt", "SP-3-1", "verilog")
    again = machine.MACHINE.program(traced(cipher(TOY), "encrypt", 64), program.schedule)
    assert again is not program
    assert again.text == program.text


def test_tables_are_computed_in_hardware_alone() -> None:
    with pytest.raises(ScheduleError, match="lookup=compute: accepted: load, gather"):
        compile_cipher("twofish", "native", lookup="compute")
