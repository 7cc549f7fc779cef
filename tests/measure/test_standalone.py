"""Programs in a process of their own: they match before they are timed, and wrong ones are caught."""

from __future__ import annotations

import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

import finalist
from finalist.ciphers.catalogue import cipher
from finalist.errors import CompilerError, VectorError
from finalist.measure.standalone import Source, Standalone
from finalist.papers.gladman import FLAGS_32
from finalist.toolchain import compiler
from finalist.vectors.load import vectors_of
from tests.marks import needs_compiler

pytestmark = needs_compiler
FLAGS = ("-O1",)


def source(name: str, operation: str = "encrypt", **choices: int) -> Source:
    program = finalist.compile(name, operation=operation, blocks=1, width=1, **choices)
    return Source(name, operation, program.key_bits, program.block_bytes, program.text)


@pytest.mark.parametrize("operation", ["encrypt", "decrypt"])
def test_it_matches_and_is_timed(operation: str) -> None:
    alone = Standalone(source("rc6", operation), FLAGS, vectors_of(cipher("rc6")))
    for figure in (alone.measure_setup(seconds=0.01), alone.measure_call(seconds=0.01)):
        assert figure.ticks > 0 and figure.core_cycles > 0 and figure.unit == "per call"


def test_a_wrong_program_is_caught() -> None:
    right = source("rc6")
    wrong = replace(right, text=right.text.replace("<< 1;", "<< 2;", 1))
    assert wrong.text != right.text
    with pytest.raises(VectorError, match="gives wrong answers"):
        Standalone(wrong, FLAGS, vectors_of(cipher("rc6")))


def test_a_program_without_vectors_is_refused() -> None:
    with pytest.raises(VectorError, match="no vectors for 128-bit keys"):
        Standalone(source("rc6"), FLAGS, [])


def test_what_does_not_compile_or_run_is_one_error(tmp_path: Path) -> None:
    with pytest.raises(CompilerError, match="failed with exit code"):
        Standalone(replace(source("rc6"), text="nonsense"), FLAGS, vectors_of(cipher("rc6")))
    with pytest.raises(CompilerError, match=r"no-such-emulator.* failed"):
        Standalone(source("rc6"), FLAGS, vectors_of(cipher("rc6")), runner=("no-such-emulator",))


def _has_32_bits(folder: Path) -> bool:
    file = folder / "empty.c"
    file.write_text("#include <stdio.h>\nint main(void) { return 0; }\n")
    command = [*compiler.command(), *FLAGS_32, str(file), "-o", str(folder / "empty")]
    return subprocess.run(command, capture_output=True, check=False).returncode == 0


@pytest.mark.parametrize("name", ["rc6", "dfc"])
def test_words_of_32_bits(name: str, tmp_path: Path) -> None:
    if not _has_32_bits(tmp_path):
        pytest.skip("the compiler has no libraries for 32-bit code (gcc-multilib)")
    choices = {"word": 32} if name == "dfc" else {}
    alone = Standalone(source(name, **choices), FLAGS_32, vectors_of(cipher(name)))
    assert alone.measure_call(seconds=0.01).ticks > 0
