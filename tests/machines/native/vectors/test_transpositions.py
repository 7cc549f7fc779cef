"""Permutations that transpose a matrix of bits: which do, and what their C does, with GFNI and without."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest

from finalist.ciphers import des, loki97
from finalist.ir.builder import Builder
from finalist.ir.graph import Graph, Matrix
from finalist.ir.types import WordType
from finalist.machines.native.vectors import transpositions
from finalist.machines.native.vectors.transpositions import Transposition, is_transposition, transposition
from tests.machines.native.harness import FLAGS, Form, compare
from tests.marks import needs_compiler

_IDENTITY = tuple(1 << bit for bit in range(64))
MAPS = {"loki97's P": loki97.P.matrices[0], "des's IP": des.IP.matrices[0], "des's FP": des.FP.matrices[0]}


def wired(how: Transposition) -> Matrix:
    """The matrix of a transposition."""
    matrix = [0] * 64
    for byte in range(8):
        for bit in range(8):
            matrix[8 * how.bytes[bit] + how.bits[byte]] |= 1 << 8 * byte + bit
    return tuple(matrix)


# -- which maps are ------------------------------------------------------------------------------------


@pytest.mark.parametrize("matrix", MAPS.values(), ids=MAPS)
def test_of_a_cipher(matrix: Matrix) -> None:
    how = transposition(matrix)
    assert how is not None
    assert wired(how) == matrix


@pytest.mark.parametrize("seed", range(8))
def test_found_again(seed: int) -> None:
    """Whatever order of rows and columns swaps of bits can make: a number, and some of its bits changed."""
    source = random.Random(seed)
    orders = []
    for _ in range(2):
        places, flips = source.sample(range(3), 3), source.randrange(8)
        orders.append(tuple(flips ^ sum((n >> k & 1) << to for k, to in enumerate(places)) for n in range(8)))
    assert transposition(wired(Transposition(*orders))) == Transposition(*orders)


@pytest.mark.parametrize(
    "matrix",
    [
        _IDENTITY,
        tuple(1 << (bit * 16 % 63 if bit < 63 else 63) for bit in range(64)),  # PRESENT's, of 16 rows
        des.E.matrices[0],  # copies bits
        des.P.matrices[0],
        (3, *_IDENTITY[1:]),  # a sum
        (*wired(Transposition(tuple(range(8)), tuple(range(8))))[1:], 1),
        (0,) * 64,
    ],
)
def test_others(matrix: Matrix) -> None:
    assert transposition(matrix) is None


def test_rows_in_no_order_of_swaps() -> None:
    """What could not be written without GFNI stays a matter of words."""
    assert transposition(wired(Transposition(tuple(range(8)), (0, 1, 2, 3, 4, 5, 7, 6)))) is None


def test_nodes() -> None:
    make = Builder()
    word, half = make.param("x", 64), make.param("y", 32)
    matrix = loki97.P.matrices[0]
    assert is_transposition(make.linear([matrix], [word], 64))
    assert not is_transposition(word)
    assert not is_transposition(make.linear([matrix, matrix], [word, make.param("z", 64)], 64))
    assert not is_transposition(make.linear([matrix[:32]], [half], 64))


# -- what is emitted ------------------------------------------------------------------------------------

NAMES = {matrix: f"moved{number}" for number, matrix in enumerate(MAPS.values())}


@needs_compiler
@pytest.mark.parametrize("less", [(), ("-mno-gfni",)], ids=["gfni", "exchanges"])
@pytest.mark.parametrize("lanes", [1, 2, 4, 8])
def test_c(tmp_path: Path, lanes: int, less: tuple[str, ...]) -> None:
    """Words, and vectors of so many; with what this processor has, and without the instruction."""
    make = Builder()
    word = make.param("memory", WordType(64), "x")
    graph = Graph("g", [word], [make.linear([matrix], [word], 64) for matrix in MAPS.values()])
    data = [np.random.default_rng(lanes).integers(0, 2**64, 8, np.uint64)]
    compare([graph], [data], tmp_path, Form(1, lanes, 64), (*FLAGS, "-march=native", "-Wno-psabi", *less))


def test_without_a_header() -> None:
    """What `immintrin.h` defines may be of another target than scalar code, which has no AVX-512."""
    words = transpositions.text(NAMES, "moved0(x)", 64)
    assert "__builtin_ia32_vgf2p8affineqb_v16qi" in words
    assert "_mm" not in words


def test_only_what_is_called() -> None:
    assert transpositions.text(NAMES, "x", 16) == ""
    words = transpositions.text(NAMES, "y = moved1(x)", 16)
    assert " moved1(uint64_t x)" in words
    assert " moved0(" not in words
    assert "_lanes(" not in words
