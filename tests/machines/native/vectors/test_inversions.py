"""S-boxes by inversion: each form that a processor may have for them gives every entry of their tables."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest

import finalist
from finalist.ir.builder import Builder
from finalist.ir.graph import Graph, TableData
from finalist.ir.ops import Op
from finalist.ir.types import WordType
from finalist.machines.native.vectors.inversions import inversion_table, operations
from finalist.machines.native.vectors.nibble_inversion import rows, tower
from finalist.passes.inversions import Inversion, inverses
from finalist.passes.matrices import apply_matrix, identity
from finalist.toolchain import compiler
from tests.machines.native.harness import LANES_8, Form, compare
from tests.marks import needs_compiler
from tests.passes.test_inversions import box, invertible

#: With all that the processor has, then with less and less.
LESS = (
    (),
    ("-mno-gfni",),
    ("-mno-gfni", "-mno-vaes"),
    ("-mno-gfni", "-mno-vaes", "-mno-aes", "-mno-vpclmulqdq", "-mno-pclmul"),
)


def boxes() -> Graph:
    """Two maps around the inversion, one after it, one before it; each as a table."""
    make, source, one = Builder(), random.Random(7), identity(8)
    x = make.param("memory", WordType(8), "x")
    found = (
        box(0x1F5, invertible(source), 0x35, invertible(source), 0xC6),
        box(0x11B, one, 0, invertible(source), 0x63),
        box(0x11B, invertible(source), 0x81, one, 0),
    )
    tables = [TableData(values, 8, f"S{number}") for number, values in enumerate(found)]
    return Graph("g", [x], [make.make(Op.LOOKUP, [x], table) for table in tables])


@needs_compiler
@pytest.mark.parametrize("size", [16, 32])
@pytest.mark.parametrize("less", LESS, ids=" ".join)
@pytest.mark.every(4)
def test_every_entry(size: int, less: tuple[str, ...], tmp_path: Path) -> None:
    data = [[np.arange(256, dtype="u1")]]
    compare([boxes()], data, tmp_path, Form(1, size, 8), (*LANES_8.flags, "-march=native", *less))


@needs_compiler
@pytest.mark.check
def test_every_entry_without_any_of_them(tmp_path: Path) -> None:
    data = [[np.arange(256, dtype="u1")]]
    compare([boxes()], data, tmp_path, Form(1, 16, 8), LANES_8.flags)
    if compiler.vector_bits() == 512:
        for less in LESS:
            compare([boxes()], data, tmp_path, Form(1, 64, 8), (*LANES_8.flags, "-march=native", *less))


def a_box() -> Inversion:
    source = random.Random(11)
    return Inversion(invertible(source), 0x1D, invertible(source), 0x77)


def test_the_table_of_permutes() -> None:
    """The network of the paper, step by step."""
    how, field = a_box(), tower()
    split = rows(how)

    def row(table: tuple[int, ...], index: int) -> int:
        return 0 if index & 0x80 else table[index & 15]

    for x in range(256):
        pair = apply_matrix(split.split, x) ^ split.before
        k, i = pair & 15, pair >> 4
        parts = []
        for one, other, part in ((i, i ^ k, split.u), (i ^ k, i, split.w)):
            below = row(field.inverse, one) ^ row(field.over, k)
            parts.append(row(part, row(field.inverse, below) ^ other))
        assert parts[0] ^ parts[1] ^ split.shift == how(x)


def test_the_table_of_an_affine_inversion() -> None:
    """The rows of either map are at bytes 32 and 72, the lowest bit's last."""
    how = a_box()
    values = inversion_table(how, "S").values

    def by_rows(start: int, x: int) -> int:
        return sum(((values[start + 7 - bit] & x).bit_count() & 1) << bit for bit in range(8))

    for x in range(256):
        inner = by_rows(32, x) ^ how.before
        assert by_rows(72, inverses()[inner]) ^ how.shift == how(x)


def test_a_map_before_it_is_one_more_instruction() -> None:
    one = identity(8)
    assert operations(a_box()) == 2
    assert operations(Inversion(one, 0, a_box().outer, 5)) == 1


def test_texts_have_all_forms() -> None:
    program = finalist.compile("sm4", lookup="permute", width=256)
    text = program.text
    for form in ("_mm256_gf2p8affineinv_epi64_epi8", "_mm256_aesenclast_epi128", "vec_by_permutes"):
        assert form in text
    assert "vec_lookup256" not in text
    assert "quicker" in text[: text.index("*/")]
