"""The emitted file: the same in every process, without warnings under both compilers, readable."""

from __future__ import annotations

import hashlib
import os
import platform
import re
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from finalist.api import compile as compile_cipher
from finalist.errors import ScheduleError
from finalist.ir.builder import Builder
from finalist.ir.graph import Graph
from finalist.ir.ops import Op
from finalist.ir.printer import fingerprint
from finalist.ir.types import WordType
from finalist.licence import SPDX_LINE
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
@pytest.mark.every(7)
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


@pytest.mark.parametrize("names", [("rc6", "rijndael"), ("twofish", "serpent")])
@pytest.mark.every(2)
@pytest.mark.check
def test_the_same_in_every_process(names: tuple[str, str]) -> None:
    """Hash seeds differ between processes; the text must not."""
    code = (
        "import hashlib, finalist\n"
        f"for name in {names}:\n"
        "    print(hashlib.sha256(finalist.compile(name, width=1).text.encode()).hexdigest())"
    )
    outputs = set()
    for seed in ("0", "4711"):
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, env=environment, check=True)
        outputs.add(done.stdout)
    assert len(outputs) == 1
    assert len(set(outputs.pop().split())) == len(names)


@pytest.mark.parametrize("cipher", FINALISTS)
def test_the_header_says_how_to_make_it_again(cipher: str) -> None:
    head = text_of(cipher, 1, "encrypt").split("*/")[0]
    for wanted in (f"finalist emit {cipher}", "--machine native", "--key-bits 128", "-s width=1", "Timing:"):
        assert wanted in head
    assert re.search(r"graph [0-9a-f]{16}", head)
    assert "block 16 bytes, key 16 bytes" in head


# -- what a maintainer of a library sees ----------------------------------------------------------------

#: One schedule of each kind of layout, of ciphers that have all that it is for.
LAYOUTS: tuple[tuple[str, str, dict[str, Any]], ...] = (
    ("rijndael", "encrypt", {"lookup": "match", "width": 512, "blocks": 8}),
    ("rijndael", "decrypt", {"lookup": "match", "width": 128, "blocks": 1}),
    ("rijndael", "encrypt", {"lookup": "load", "width": 1, "blocks": 3}),
    ("rijndael", "encrypt", {"lookup": "scan", "width": 1, "blocks": 1}),
    ("rijndael", "encrypt", {"lookup": "gather", "width": 256}),
    ("rijndael", "decrypt", {"lookup": "permute", "width": 256}),
    ("rijndael", "encrypt", {"lookup": "bitslice", "width": 256, "blocks": 32}),
    ("rijndael", "encrypt", {"lookup": "bitslice", "width": 1}),
    ("rijndael", "encrypt", {"lookup": "bitslice", "width": 512, "rounds": "loop"}),
    ("serpent", "encrypt", {"width": 128}),
    ("rc6", "decrypt", {"width": 256}),
    ("rc6", "encrypt", {"width": 1, "blocks": 1}),
    ("mars", "encrypt", {"lookup": "permute", "word": 32, "width": 512}),
    ("safer-plus", "encrypt", {"lookup": "permute", "word": 8, "width": 128}),
    ("dfc", "encrypt", {"lookup": "permute", "word": 64, "width": 256}),
    ("frog", "encrypt", {"lookup": "permute", "word": 8, "width": 256}),
    ("rc4", "encrypt", {}),
)
of_layouts = pytest.mark.parametrize("layout", LAYOUTS, ids=str)
#: What a file defines for itself: a macro, a static function or table, a type.
DEFINED = re.compile(
    r"^(?:#define (\w+)|(?:__attribute__\(\(\w+\)\) )?(?:static|ALWAYS)\b[^\n;=]*?(\w+)(?:\(|\[[^\n]*= \{)"
    r"|typedef\b.*?(\w+)(?: __attribute__.*)?;$)",
    re.MULTILINE,
)
#: Beyond -Wall and -Wextra, what maintainers of libraries ask for.
ASKED = (
    "-std=c11",
    "-Wall",
    "-Wextra",
    "-Wunused",
    "-Wunused-macros",
    "-Wmissing-prototypes",
    "-Wredundant-decls",
)


@cache
def text_in_all_modes(place: int) -> str:
    name, operation, choices = LAYOUTS[place]
    program: Any = compile_cipher(name, "native", operation, **choices)
    return str(program.in_modes(*program.possible_modes).text)


def code_of(text: str) -> str:
    return re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)


@of_layouts
@pytest.mark.every(5)
def test_all_that_is_defined_is_used(layout: Any) -> None:
    code = code_of(text_in_all_modes(LAYOUTS.index(layout)))
    begun = {word.removesuffix("##") for word in re.findall(r"\w+##", code)}
    definitions = [next(filter(None, found)) for found in DEFINED.findall(code)]
    assert definitions
    for name in set(definitions):
        uses = len(re.findall(rf"\b{name}\b", code)) - definitions.count(name)
        assert uses > 0 or any(name.startswith(word) for word in begun), name


@of_layouts
@pytest.mark.every(3)
def test_no_condition_is_a_constant(layout: Any) -> None:
    conditions = re.findall(r"^#\w*if.*", text_in_all_modes(LAYOUTS.index(layout)), re.MULTILINE)
    assert not [line for line in conditions if re.search(r"\b\d+ == \d+", line)]


@of_layouts
@pytest.mark.every(4, first=1)
def test_the_head_says_how_it_is_compiled_and_used(layout: Any, tmp_path: Path) -> None:
    """Its command compiles the file, and its example is one."""
    text = text_in_all_modes(LAYOUTS.index(layout))
    head = text.split("*/")[0]
    assert f" * {SPDX_LINE}\n" in head
    command = re.search(r"^ \*   cc (.*)$", head, re.MULTILINE)
    example = re.search(r"^ \* Use:\n((?: \*   .*\n)+)", head, re.MULTILINE)
    assert command
    assert example
    options = command[1].split()
    calls = "".join(f"    {line.removeprefix(' *   ')}\n" for line in example[1].splitlines())
    memory = "const uint8_t *key, const uint8_t *in, uint8_t *out, uint8_t *iv, uint8_t *counter"
    parameters = f"void use({memory}, size_t blocks, size_t bytes)"
    unused = "".join(f"    (void){word};\n" for word in ("iv", "counter", "blocks", "bytes"))
    path = tmp_path / options[-1]
    path.write_text(f"{text}\n{parameters};\n{parameters}\n{{\n{calls}{unused}}}\n")
    for compiler in COMPILERS if platform.machine() == "x86_64" else ():
        kept = [option for option in options[:-1] if option.startswith("-m") or compiler == "gcc"]
        call = [compiler, *kept, *ASKED, "-Werror", "-O0", "-fsyntax-only", str(path)]
        done = subprocess.run(call, capture_output=True, text=True, check=False)
        assert (compiler, done.returncode, done.stderr) == (compiler, 0, "")


def test_every_public_function_has_a_prototype_before_the_code() -> None:
    for place in (0, 11):
        text = text_in_all_modes(place)
        functions = re.findall(r"^void (\w+)\([^;]*?\)$", text, re.MULTILINE)
        assert len(functions) >= 3
        for name in functions:
            assert re.search(rf"^void {name}\([^\n]*\);$", text.split("static ")[0], re.MULTILINE)


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
