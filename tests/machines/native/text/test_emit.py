"""The emitted file: the same in every process, without warnings under both compilers, readable."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

from finalist.api import compile as compile_cipher
from finalist.errors import ScheduleError
from finalist.ir.builder import Builder
from finalist.ir.graph import Graph, WordType
from finalist.ir.ops import Op
from finalist.ir.printer import fingerprint
from finalist.machines.native.machine import WIDTHS
from finalist.machines.native.text.names import c_name, field_names
from tests.graphs import random_program

FINALISTS = ("mars", "rc6", "rijndael", "serpent", "twofish")
STRICT = ("-std=gnu11", "-O0", "-Wall", "-Wextra", "-Werror", "-fsyntax-only")
COMPILERS = [name for name in ("gcc", "clang") if shutil.which(name)]
#: What a CPU must have for each width; the text itself compiles without, but passes vectors otherwise.
TARGET = {
    1: (),
    128: ("-msse4.1", "-maes"),
    256: ("-mavx2", "-maes", "-mvaes"),
    512: ("-mavx512f", "-mavx512vl", "-mavx512bw", "-maes", "-mvaes"),
}


@cache
def text_of(cipher: str, width: int, operation: str) -> str:
    return compile_cipher(cipher, "native", operation, width=width).text


@pytest.mark.parametrize(("place", "width"), list(enumerate(WIDTHS)))
@pytest.mark.parametrize("cipher", FINALISTS)
@pytest.mark.every(4)
def test_no_warnings(cipher: str, place: int, width: int, tmp_path: Path) -> None:
    """Each text in one direction, in turns."""
    try:
        text = text_of(cipher, width, ("encrypt", "decrypt")[(place + FINALISTS.index(cipher)) % 2])
    except ScheduleError as error:
        pytest.skip(f"the machine refuses this width: {error}")
    path = tmp_path / "file.c"
    path.write_text(text)
    for compiler in COMPILERS:
        command = [compiler, *STRICT, *TARGET[width], str(path)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert (compiler, done.returncode, done.stderr) == (compiler, 0, "")


def test_the_same_in_every_process() -> None:
    """Hash seeds differ between processes; the text must not."""
    code = (
        "import hashlib, finalist\n"
        "for name, choices in [('rc6', {}), ('twofish', {}), ('serpent', {'width': 1}), ('rijndael', {})]:\n"
        "    print(hashlib.sha256(finalist.compile(name, **choices).text.encode()).hexdigest())"
    )
    outputs = set()
    for seed in ("0", "4711"):
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, env=environment, check=True)
        outputs.add(done.stdout)
    assert len(outputs) == 1
    assert len(set(outputs.pop().split())) == 4


@pytest.mark.parametrize("cipher", FINALISTS)
def test_the_header_says_how_to_make_it_again(cipher: str) -> None:
    head = text_of(cipher, 1, "encrypt").split("*/")[0]
    for wanted in (f"finalist emit {cipher}", "--machine native", "--key-bits 128", "-s width=1", "Timing:"):
        assert wanted in head
    assert re.search(r"graph [0-9a-f]{16}", head)
    assert "block 16 bytes, key 16 bytes" in head


def test_timing_is_said_as_it_is() -> None:
    assert "Timing: constant-time; no address, branch" in text_of("serpent", 1, "encrypt")
    assert "Timing: table lookups; addresses depend on secrets.\n" in text_of("rijndael", 1, "encrypt")
    frog, safer = (compile_cipher(name, blocks=1).text for name in ("frog", "safer-plus"))
    assert "Timing: data-dependent time; branches, or instructions" in frog
    assert "(key schedule: data-dependent time; kernel: table lookups).\n" in frog
    assert "(key schedule: constant-time; kernel: table lookups).\n" in safer


@pytest.mark.parametrize("cipher", FINALISTS)
def test_every_round_has_a_comment(cipher: str) -> None:
    text = compile_cipher(cipher, "native", blocks=1, width=1, rounds="unroll").text
    rounds = {"mars": 16, "rc6": 20, "rijndael": 9, "serpent": 32, "twofish": 16}[cipher]
    assert text.count("/* round") >= rounds


def test_fingerprints_tell_programs_apart() -> None:
    """Also where they differ in nothing but a table or the first values of an array."""
    prints = {fingerprint(random_program(seed)) for seed in range(40)}
    assert len(prints) == 40
    assert fingerprint(random_program(5)) == fingerprint(random_program(5))
    base, others = random_program(0), []
    for value in (1, 2):
        make = Builder()
        p = make.param("memory", WordType(32), "p")
        loaded = make.make(Op.LOAD, [make.array([value, 5], 32), p])
        others.append(base.with_graphs(base.expand, Graph("g", [p], [loaded])))
    assert fingerprint(others[0]) != fingerprint(others[1])


def test_names() -> None:
    assert c_name("CAST-256") == "cast_256"
    assert c_name("3DES") == "des"
    assert c_name("***") == "cipher"
    made = field_names(["a b", "a_b", "int", "5", "", "größe", "k"])
    assert len(set(made)) == 7
    assert all(re.fullmatch(r"[A-Za-z_]\w*", name, re.ASCII) and name != "int" for name in made)


def test_text_is_what_runs() -> None:
    """`text` is the source of the library that is called, not another rendering of it."""
    program = compile_cipher("rc6", "native", width=1, blocks=1)
    program.run(bytes(16), bytes(16))
    kept = program.build().with_suffix(".c").read_text()
    assert hashlib.sha256(kept.encode()).digest() == hashlib.sha256(program.text.encode()).digest()
