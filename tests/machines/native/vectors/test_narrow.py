"""Lanes of 8 bits and tables read by permutes: vectors, sizes, places, every table size, refusals."""

from __future__ import annotations

import random
import re
import shutil
import subprocess
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import finalist
from finalist.ciphers.catalogue import cipher
from finalist.errors import ScheduleError
from finalist.ir.builder import Builder
from finalist.ir.graph import Graph, TableData
from finalist.ir.ops import Op
from finalist.ir.types import WordType
from finalist.language.definition import OPERATIONS
from finalist.machines.native.run import NativeProgram
from finalist.machines.native.vectors.inversions import map_table
from finalist.passes.matrices import apply_matrix
from finalist.vectors.check import check_known_answers
from finalist.vectors.load import vectors_of
from tests.machines.native.harness import LANES_8, Form, compare, on_bytes
from tests.marks import needs_compiler

CIPHERS = ("crypton-v05", "crypton-v1", "des", "e2", "magenta", "rijndael", "safer-plus", "twofish")
#: Compiling, not running, takes the time.
QUICK = ("-O0", "-march=native")
#: The same text where a vector unit lacks permutes of this size, or is not there at all.
WITHOUT = [("rijndael", 128, "-mno-ssse3"), ("e2", 256, "-mno-avx2")]


def narrow(name: str, operation: str = "encrypt", bits: int | None = None, **choices: Any) -> NativeProgram:
    asked = {"word": 8, "lookup": "permute", "width": 256} | choices
    program: Any = finalist.compile(name, "native", operation, bits, **asked)
    program.flags = QUICK
    return program


def test_helpers_have_no_arrays_of_vectors() -> None:
    """Which gcc keeps in memory with -O2, where a loop goes over them."""
    text = narrow("e2").text
    assert "vec_multiply32(" in text
    assert not re.search(r"^ *(?:const )?vec \w+\[", text, re.MULTILINE)


# -- ciphers ------------------------------------------------------------------------------------------


@needs_compiler
@pytest.mark.parametrize(("place", "name"), list(enumerate(CIPHERS)))
@pytest.mark.every(4)
def test_vectors(place: int, name: str) -> None:
    """Directions and widths in turns; `finalist verify` takes all."""
    operation, width = OPERATIONS[place % 2], (128, 256)[place // 2 % 2]
    program = narrow(name, operation, cipher(name).usual_key_bits(), width=width)
    assert check_known_answers(program, vectors_of(cipher(name))) > 0
    assert program.schedule.word == 8


@pytest.mark.parametrize(
    ("name", "choices"),
    [
        ("rijndael", {"fuse": 8}),
        ("twofish", {"keyed_tables": "minimal", "bits": 192}),
        ("rijndael", {"blocks": 64, "skew": 3, "rounds": 1}),
    ],
    ids=str,
)
@needs_compiler
@pytest.mark.check
def test_other_choices(name: str, choices: dict[str, Any]) -> None:
    program = narrow(name, "decrypt", **choices)
    assert check_known_answers(program, vectors_of(cipher(name))) > 0


@pytest.mark.parametrize(
    ("name", "cc", "machine"),
    [
        ("rijndael", "gcc", "x86-64"),
        ("e2", "gcc", "skylake-avx512"),
        ("rijndael", "clang", "icelake-server"),
    ],
)
@pytest.mark.check
def test_512_bits_compile_without_warnings(name: str, cc: str, machine: str, tmp_path: Path) -> None:
    """For units with and without the affine instruction, and for none at all."""
    if shutil.which(cc) is None:
        pytest.skip(f"needs {cc}")
    file = tmp_path / "wide.c"
    file.write_text(narrow(name, width=512).text)
    strict = ("-std=gnu11", "-O0", "-Wall", "-Wextra", "-Werror", f"-march={machine}")
    command = [cc, *strict, "-c", str(file), "-o", str(tmp_path / "wide.o")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[:2000]


def message(blocks: int, size: int) -> bytes:
    return bytes(i * 7 % 251 for i in range(size * blocks))


@needs_compiler
@pytest.mark.parametrize(("name", "width"), [("safer-plus", 256), ("des", 128)])
def test_sizes_and_places(name: str, width: int) -> None:
    """None, one and whole vectors of blocks and one more or less; in place, at offsets."""
    program = narrow(name, width=width)
    lanes, size = width // 8, program.block_bytes
    key = bytes(range(program.key_bits // 8))
    whole = message(2 * lanes + 1, size)
    right = finalist.compile(name, "interpreter", "encrypt", program.key_bits).run(key, whole).output
    for count, offset in product((0, 1, lanes - 1, lanes, lanes + 1, 2 * lanes + 1), (0, 1, 15)):
        data = whole[: count * size]
        assert program.run(key, data).output == right[: len(data)]
        assert program.crypt_in_place(key, data, offset) == right[: len(data)]


@needs_compiler
@pytest.mark.parametrize(("name", "width", "flag"), WITHOUT)
@pytest.mark.every(2)
def test_without_permutes(name: str, width: int, flag: str) -> None:
    """The text serves any machine; what lacks permutes scans tables, and is right as well."""
    program = narrow(name, width=width)
    program.flags = (*QUICK, flag)
    assert check_known_answers(program, vectors_of(cipher(name))) > 0


def test_the_label() -> None:
    """Tables that permutes read are no addresses; those that a key schedule loads from are."""
    assert narrow("safer-plus").timing == narrow("des").timing == "constant-time"
    assert narrow("rijndael").timing == "table lookups"
    assert "Timing: constant-time;" in narrow("safer-plus").text


def test_only_what_is_used_is_written() -> None:
    text = narrow("safer-plus").text
    assert "vec_lookup256" in text
    assert not re.search(r"vec_(map|multiply|select|lookup16|lookup64)\b", text)


# -- tables -------------------------------------------------------------------------------------------


def lookups(bits: int, widths: range) -> Graph:
    """One index, and for each width of an entry a table read at it."""
    make, source = Builder(), random.Random(bits)
    x = make.param("memory", WordType(bits), "x")
    tables = [TableData(tuple(source.getrandbits(w) for _ in range(1 << bits)), w, "T") for w in widths]
    return Graph("g", [x], [make.make(Op.LOOKUP, [x], table) for table in tables])


@needs_compiler
@pytest.mark.parametrize("size", [16, 32])
@pytest.mark.check
def test_every_entry_of_every_size(size: int, tmp_path: Path) -> None:
    """All indices of 1 to 8 bits, entries of 1 to 8 bits."""
    graphs = [lookups(bits, range(1, 9)) for bits in range(1, 9)]
    rows = [max(1 << bits, size) for bits in range(1, 9)]
    data = [[(np.arange(count) % (1 << bits)).astype("u1")] for bits, count in enumerate(rows, 1)]
    flags = (*LANES_8.flags, "-march=native")
    compare(graphs, data, tmp_path, Form(1, size, 8), flags)
    if size == 16:  # and without permutes
        compare(graphs, data, tmp_path, Form(1, size, 8), LANES_8.flags)


@needs_compiler
@pytest.mark.parametrize("size", [16, 32])
def test_maps_on_every_byte(size: int, tmp_path: Path) -> None:
    make, source = Builder(), random.Random(size)
    x = make.param("memory", WordType(8), "x")
    matrices = [tuple(source.getrandbits(8) for _ in range(8)) for _ in range(4)]
    graph = on_bytes(Graph("g", [x], [make.linear([m], [x], 8) for m in matrices]))
    data = [[np.arange(256, dtype="u1")]]
    compare([graph], data, tmp_path, Form(1, size, 8), (*LANES_8.flags, "-march=native"))


def test_rows_of_a_map() -> None:
    """The last eight bytes, as the affine instruction takes them: bit k of the result is a parity."""
    matrix = tuple(random.Random(5).getrandbits(8) for _ in range(8))
    rows = map_table(matrix, "M").values[32:]
    for value in range(256):
        bits = [(rows[7 - k] & value).bit_count() & 1 for k in range(8)]
        assert sum(bit << k for k, bit in enumerate(bits)) == apply_matrix(matrix, value)


# -- products -----------------------------------------------------------------------------------------


PRODUCT_FORMS = (Form(1, 16, 8), Form(2, 32, 8), Form(1, 64, 8))


def compare_products(graph: Graph, form: Form, tmp_path: Path, *given: int) -> None:
    """On two random words of the block, and on what is the same for all blocks."""
    source, rows = np.random.default_rng(8), form.blocks * 3
    values = [source.integers(0, 1 << p.width, rows, f"u{p.width // 8}") for p in graph.params[:2]]
    values += [np.full(rows, v, f"u{p.width // 8}") for v, p in zip(given, graph.params[2:], strict=True)]
    compare([graph], [values], tmp_path, form, (*LANES_8.flags, "-march=native"))


@needs_compiler
@pytest.mark.parametrize("form", [*PRODUCT_FORMS, Form(2, 8, 16)], ids=str)
@pytest.mark.every(2)
def test_products_that_fill_a_lane(form: Form, tmp_path: Path) -> None:
    make = Builder()
    x, y = (make.param("memory", WordType(form.lane_bits), name) for name in "xy")
    results = [make.make(Op.MUL, [x, y]), make.make(Op.MUL, [x, make.const(0x95, form.lane_bits)])]
    compare_products(Graph("g", [x, y], results), form, tmp_path)


@needs_compiler
@pytest.mark.parametrize("form", PRODUCT_FORMS, ids=str)
@pytest.mark.parametrize("width", [16, 32])
@pytest.mark.every(3)
def test_products_wider_than_a_lane(width: int, form: Form, tmp_path: Path) -> None:
    """Of two words of the block, of one with the key's, of one with a constant."""
    make = Builder()
    x, y = (make.param("memory", WordType(8), name) for name in "xy")
    key, constant = make.param("key", WordType(width), "k"), make.const(0x9A5BFF37 >> (32 - width), width)
    left, right = (make.make(Op.JOIN, word[: width // 8]) for word in ((x, y, y, x), (y, x, y, y)))
    factors = ((left, right), (left, key), (key, right), (left, constant), (constant, right))
    products = [make.make(Op.MUL, pair) for pair in factors]
    results = [make.slice(whole, low, 8) for whole in products for low in range(0, width, 8)]
    compare_products(Graph("g", [x, y, key], results), form, tmp_path, 0x89ABCDEF >> (32 - width))


# -- refusals -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "choices", "reason"),
    [
        (
            "rijndael",
            {"lookup": None},
            "lookup has no form on lanes of 8 bits but lookup=permute with word=8",
        ),
        ("rijndael", {"word": 16}, "lookup has no form on lanes of 16 bits but lookup=permute with word=8"),
        (
            "rijndael",
            {"width": 1},
            "lookup=permute reads with vectors; accepted with it: width of 128",
        ),
        ("rijndael", {"width": 1, "lookup": None}, "word=8 is not legal for rijndael: .* lookup=permute"),
        ("serpent", {"width": 1, "lookup": None}, "word=8 is not legal for serpent: it is a lane of vectors"),
        ("rijndael", {"blocks": 33}, "blocks=33 with width=256: accepted is a multiple of 32"),
        ("rc6", {"lookup": None}, "a shift by a word has no form on lanes of 8 bits"),
        ("mars", {}, "word=8 is not legal for mars_encrypt: the index of this lookup has 9 bits"),
        ("dfc", {}, "mulhi has no form on lanes of 8 bits"),
        ("blowfish", {"lookup": None}, "an array of 32-bit entries is read at the block's places"),
        ("serpent", {}, "lookup=permute is not legal for serpent: it has no table lookup"),
    ],
    ids=str,
)
@pytest.mark.every(4)
def test_refusals(name: str, choices: dict[str, Any], reason: str) -> None:
    with pytest.raises(ScheduleError, match=reason):
        narrow(name, **choices)
