"""Lanes of 64 bits: each form against the interpreter, on every vector unit; products; gathers; refusals."""

from __future__ import annotations

import random
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import finalist
from finalist.ciphers.catalogue import cipher
from finalist.errors import ScheduleError
from finalist.ir.builder import Builder
from finalist.ir.graph import Graph, Node, TableData
from finalist.ir.ops import Op
from finalist.ir.types import WordType
from finalist.machines.native.passes.lanes.halves import with_half_products
from finalist.machines.native.run import NativeProgram
from finalist.machines.native.text.dialect import Text
from finalist.machines.native.vectors import long_lanes
from finalist.machines.native.vectors.long_lanes import LongVector
from finalist.passes.simplify import simplify
from finalist.vectors.check import check_known_answers
from finalist.vectors.load import vectors_of
from tests.machines.native.harness import LONG_LANES, Failure, Form, compare
from tests.machines.native.passes.lanes.test_halves import EDGES, KINDS, multiply_add
from tests.marks import needs_compiler

QUICK = ("-O0", "-march=native")
#: The same text for each vector unit, and for none.
UNITS = [
    (Form(1, 2, 64), "-march=native"),
    (Form(2, 4, 64), "-march=native"),
    (Form(1, 4, 64), "-mno-avx2"),
    (Form(1, 8, 64), "-mno-avx2"),
]


def gathering(operation: str = "encrypt", name: str = "dfc", **choices: Any) -> NativeProgram:
    asked = {"lookup": "gather", "width": 256} | choices
    program: Any = finalist.compile(name, "native", operation, 128, **asked)
    program.flags = QUICK
    return program


# -- forms ----------------------------------------------------------------------------------------------


def forms(make: Builder, x: Node, y: Node, k: Node) -> list[Node]:
    """Each form, on words of the block and on one that is the same in all lanes."""

    def half(word: Node, low: int) -> Node:
        return make.slice(word, low, 32)

    def long(word: Node) -> Node:
        return make.extend(word, 64)

    def product(a: Node, b: Node) -> Node:
        return make.make(Op.MUL, (long(a), long(b)))

    def less(a: Node, b: Node) -> Node:
        return make.make(Op.LT, (a, b))

    equal = make.make(Op.EQ, (half(x, 0), half(y, 0)))
    return [
        product(half(x, 0), half(y, 32)),
        product(half(x, 32), half(k, 0)),
        product(make.slice(x, 3, 7), half(y, 0)),
        make.make(Op.JOIN, (half(x, 0), half(y, 0))),
        make.make(Op.JOIN, (half(x, 32), half(y, 0))),
        make.make(Op.JOIN, (half(x, 0), make.const(0xEB64749A, 32))),
        make.make(Op.JOIN, (make.slice(k, 1, 9), half(x, 5), make.slice(y, 60, 1))),
        make.make(Op.ADD, (x, long(less(y, x)))),
        make.make(Op.ADD, (long(less(k, y)), y)),
        make.make(Op.ADD, (long(less(x, y)), long(less(y, x)))),
        long(equal),
        make.make(Op.XOR, (equal, less(x, make.const(1 << 63, 64)))),
        make.make(Op.SELECT, (less(x, y), make.const(13, 64), make.const(0, 64))),
        make.make(Op.SELECT, (less(x, k), x, k)),
        make.make(Op.SELECT, (make.slice(x, 17, 1), make.slice(x, 1, 40), make.slice(y, 2, 40))),
        make.make(Op.SUB, (make.slice(x, 1, 40), make.slice(y, 2, 40))),
        make.make(Op.ROL, (make.slice(x, 1, 40), make.const(8, 8))),
    ]


def all_forms() -> Graph:
    make = Builder(simplify)
    x, y, k = (make.param(kind, WordType(64), name) for kind, name in zip(KINDS, "xyk", strict=True))
    return Graph("g", [x, y, k], forms(make, x, y, k))


def pairs(rows: int) -> list[np.ndarray[Any, Any]]:
    """Every edge with every other; the key's word is the same for all."""
    x, y = (np.resize(grid.ravel(), rows) for grid in np.meshgrid(EDGES, EDGES))
    return [x, y, np.full(rows, 0x80000000FFFFFFFF, "u8")]


def lookups(bits: int) -> Graph:
    """One index, and tables of entries of several widths read at it."""
    make, source = Builder(), random.Random(bits)
    x = make.param("memory", WordType(bits), "x")
    tables = [
        TableData(tuple(source.getrandbits(w) for _ in range(1 << bits)), w, "T") for w in (1, 8, 31, 32)
    ]
    return Graph("g", [x], [make.make(Op.LOOKUP, [x], table) for table in tables])


@needs_compiler
@pytest.mark.parametrize(("form", "unit"), UNITS, ids=str)
@pytest.mark.every(2)
def test_each_form(form: Form, unit: str, tmp_path: Path) -> None:
    """On every edge with every other; and every entry of tables of every size."""
    graphs, indices = [all_forms(), with_half_products(multiply_add())], range(1, 7)
    data = [pairs(len(EDGES) ** 2 // 8 * 8)] * len(graphs)
    graphs += [lookups(bits) for bits in indices]
    data += [[np.arange(max(1 << bits, form.blocks)).astype("u1") % (1 << bits)] for bits in indices]
    compare(graphs, data, tmp_path, form, (*LONG_LANES.flags[:-1], "-Wno-psabi", unit))


def wrong_way(c: Any, node: Node, x: list[Text]) -> Text:
    return Text(f"vec_join32({x[1].code}, {x[0].code})")


@needs_compiler
@pytest.mark.parametrize(("op", "place", "wrong"), [(Op.JOIN, 0, wrong_way), (Op.MUL, 0, wrong_way)])
def test_planted_faults_are_found(
    op: Op, place: int, wrong: Callable[..., Text], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = long_lanes._FORMS[op]
    faulty = tuple(long_lanes._Form(wrong, f.fits, f.takes) if n == place else f for n, f in enumerate(found))
    monkeypatch.setitem(long_lanes._FORMS, op, faulty)
    with pytest.raises(Failure):
        compare([all_forms()], [pairs(64)], tmp_path, Form(1, 4, 64), LONG_LANES.flags)


@needs_compiler
@pytest.mark.parametrize("bits", [32, 64])
def test_a_shift_may_pass_the_lane(bits: int, tmp_path: Path) -> None:
    """By a word that is the same in all lanes, as a constant is that a loop computes from its turn."""
    make = Builder()
    x, k = make.param("memory", WordType(bits), "x"), make.param("key", WordType(8), "k")
    graph = Graph("g", [x, k], [make.make(op, (x, k)) for op in (Op.SHL, Op.SHR)])
    words = np.arange(3, 11).astype(f"u{bits // 8}") * 0x1234567
    data = [[words, np.full(8, amount, "u1")] for amount in (0, 1, 31, 32, 63, 64, 200)]
    compare([graph] * len(data), data, tmp_path, Form(1, 256 // bits, bits), LONG_LANES.flags)


# -- ciphers --------------------------------------------------------------------------------------------


@needs_compiler
@pytest.mark.parametrize(
    ("name", "operation", "choices"),
    [
        ("dfc", "encrypt", {"blocks": 8}),
        ("dfc", "decrypt", {"width": 128, "blocks": 4}),
        ("hpc", "encrypt", {"blocks": 4, "rounds": 1}),
        ("hpc", "decrypt", {"width": 128, "blocks": 2, "rounds": "unroll"}),
    ],
    ids=str,
)
@pytest.mark.every(2)
def test_vectors(name: str, operation: str, choices: dict[str, Any]) -> None:
    program = gathering(operation, name, **choices)
    assert check_known_answers(program, vectors_of(cipher(name))) > 0


@needs_compiler
@pytest.mark.check
def test_permutes_take_constant_time() -> None:
    program: Any = finalist.compile("dfc", "native", "encrypt", 128, constant_time=True, blocks=8)
    assert (program.schedule.lookup, program.schedule.word) == ("permute", 64)
    assert program.timing == "constant-time"
    assert "scan_read" not in program.text[program.text.index("static inline void dfc_") :]
    program.flags = QUICK
    assert check_known_answers(program, vectors_of(cipher("dfc"))) > 0


def test_the_kernel_multiplies_by_halves_and_gathers() -> None:
    program = gathering()
    kernel = program.text[program.text.index("static inline void dfc_") :]
    assert "vec_gather(RT" in kernel and "__int128" not in kernel


@needs_compiler
@pytest.mark.parametrize("count", [0, 1, 7, 8, 9, 17])
def test_sizes_and_places(count: int) -> None:
    program, key = gathering(blocks=8), bytes(range(16))
    data = bytes(i * 7 % 251 for i in range(16 * count))
    right = finalist.compile("dfc", "interpreter", "encrypt", 128).run(key, data).output
    assert program.run(key, data).output == right
    assert program.crypt_in_place(key, data, 3) == right


@pytest.mark.parametrize("cc", ["gcc", "clang"])
@pytest.mark.parametrize("lookup", ["gather", "permute"])
@pytest.mark.parametrize(("width", "machine"), [(512, "skylake-avx512"), (512, "x86-64"), (128, "x86-64")])
@pytest.mark.every(3)
def test_compiled_without_warnings(cc: str, lookup: str, width: int, machine: str, tmp_path: Path) -> None:
    if shutil.which(cc) is None:
        pytest.skip(f"needs {cc}")
    file = tmp_path / "wide.c"
    file.write_text(gathering(width=width, blocks=8, lookup=lookup, word=64).text)
    strict = ("-std=gnu11", "-O1", "-Wall", "-Wextra", "-Werror", f"-march={machine}")
    command = [cc, *strict, "-c", str(file), "-o", str(tmp_path / "wide.o")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[:2000]


# -- refusals -------------------------------------------------------------------------------------------


def test_a_table_wants_a_gather() -> None:
    with pytest.raises(ScheduleError, match="lookup has no form on vectors with lookup=load"):
        finalist.compile("dfc", "native", "encrypt", 128, width=256)


@pytest.mark.parametrize(
    ("table", "reason"),
    [
        (TableData((0,) * 128, 32), "a permute on lanes of 64 bits reads tables of up to 64 entries"),
        (TableData((0,) * 64, 33), "a permute reads entries of up to 32 bits, not 33"),
    ],
)
def test_a_permute_takes_small_tables(table: TableData, reason: str) -> None:
    make = Builder()
    x = make.param("memory", WordType(table.index_width), "x")
    assert reason in LongVector.refusal(make.make(Op.LOOKUP, (x,), table), 64, "permute")


def test_a_shift_by_a_word_takes_whole_lanes() -> None:
    make = Builder()
    x, y = make.param("memory", WordType(64), "x"), make.param("memory", WordType(5), "y")
    whole, part = make.make(Op.ROL, (x, y)), make.make(Op.ROL, (make.slice(x, 0, 32), y))
    assert not LongVector.refusal(whole, 64, "load")
    assert "a shift by a word takes words of 64 bits, not 32" in LongVector.refusal(part, 64, "load")
    assert "division" not in LongVector.refusal(make.make(Op.MULHI, (x, x)), 64, "load")
    assert "rem has no form on vectors" in LongVector.refusal(make.make(Op.REM, (x, x)), 64, "load")
