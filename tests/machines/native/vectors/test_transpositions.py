"""Wirings that transpose a matrix of bits: which are, and what the C of them does, with GFNI and without."""

from __future__ import annotations

import random
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

from finalist.ciphers import des, loki97
from finalist.ir.builder import Builder
from finalist.ir.graph import Matrix
from finalist.machines.native.text import prelude
from finalist.machines.native.vectors import transpositions
from finalist.machines.native.vectors.transpositions import Transposition, is_one, transposition
from finalist.passes.matrices import apply_matrix

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
    assert is_one(make.linear([matrix], [word], 64))
    assert not is_one(word)
    assert not is_one(make.linear([matrix, matrix], [word, make.param("z", 64)], 64))
    assert not is_one(make.linear([matrix[:32]], [half], 64))


# -- what is emitted ------------------------------------------------------------------------------------

_CALLS = """
static void moved(uint64_t *x)
{{
    uint64_t words[8];
    for (int i = 0; i < 8; i++)
        words[i] = {name}(x[i]);
    fwrite(words, sizeof words, 1, stdout);
    for (int i = 0; i < 8; i += {lanes}) {{
        vec v;
        memcpy(&v, x + i, sizeof v);
        v = {name}_lanes(v);
        memcpy(words + i, &v, sizeof v);
    }}
    fwrite(words, sizeof words, 1, stdout);
}}
"""
_MAIN = """
int main(void)
{
    uint64_t x[8];
    if (fread(x, sizeof x, 1, stdin) != 1)
        return 1;
    CALLS
    return 0;
}
"""
_OPTIONS = {16: ["-mssse3"], 32: ["-mavx2"], 64: ["-mavx512f", "-mavx512bw", "-mavx512vl"]}
_MACROS = {16: "ssse3", 32: "avx2", 64: "avx512bw"}
_NAMES = {matrix: f"moved{number}" for number, matrix in enumerate(MAPS.values())}
_SHAPES = [
    pytest.param(
        size, gfni, id=f"{size}-{'gfni' if gfni else 'swaps'}", marks=[pytest.mark.slow] * (size == 32)
    )
    for size in (16, 32, 64)
    for gfni in (False, True)
]


def _features() -> set[str]:
    try:
        return set(Path("/proc/cpuinfo").read_text("utf-8").split())
    except OSError:
        return set()


def _source(size: int) -> str:
    """A program that prints what words, and vectors of ``size`` bytes, become under each map."""
    calls = "".join(
        _CALLS.format(name=name, lanes=size // 8).replace("moved(uint", f"of_{name}(uint")
        for name in _NAMES.values()
    )
    main = _MAIN.replace("CALLS", " ".join(f"of_{name}(x);" for name in _NAMES.values()))
    begin = "#include <immintrin.h>\n#include <stdio.h>\n" + prelude.text(size // 8, 64)
    return begin + transpositions.text(_NAMES, calls, size) + calls + main


@pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler")
@pytest.mark.parametrize(("size", "gfni"), _SHAPES)
def test_c(tmp_path: Path, size: int, gfni: bool) -> None:
    """Words, and vectors of ``size`` bytes."""
    wanted = {_MACROS[size], *(["gfni"] if gfni else [])}
    if not wanted <= _features():
        pytest.skip(f"this CPU lacks {wanted - _features()}")
    source, program = tmp_path / "moved.c", tmp_path / "moved"
    source.write_text(_source(size), "utf-8")
    options = [
        *_OPTIONS[size],
        *(["-mgfni"] if gfni else []),
        "-Werror",
        "-Wno-psabi",
        "-Wno-unused-function",
    ]
    subprocess.run(["cc", "-O1", "-Wall", *options, source, "-o", program], check=True)
    given = np.random.default_rng(size).integers(0, 2**64, 8, np.uint64)
    run = subprocess.run([program], input=given.tobytes(), capture_output=True, check=True)
    expected = [[[apply_matrix(matrix, int(x)) for x in given]] * 2 for matrix in _NAMES]
    assert np.frombuffer(run.stdout, np.uint64).reshape(len(_NAMES), 2, 8).tolist() == expected


def test_without_a_header() -> None:
    """What `immintrin.h` defines may be of another target than scalar code, which has no AVX-512."""
    words = transpositions.text(_NAMES, "moved0(x)", 64)
    assert "__builtin_ia32_vgf2p8affineqb_v16qi" in words
    assert "_mm" not in words


def test_only_what_is_called() -> None:
    assert transpositions.text(_NAMES, "x", 16) == ""
    words = transpositions.text(_NAMES, "y = moved1(x)", 16)
    assert " moved1(uint64_t x)" in words
    assert " moved0(" not in words
    assert "_lanes(" not in words
