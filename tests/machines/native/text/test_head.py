"""What gcc is told in a text: so that whoever compiles it has what is measured here."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from finalist.api import compile as compile_cipher
from finalist.toolchain import compiler

CROWDED = '#pragma GCC optimize("no-tree-vectorize", "live-range-shrinkage", "align-functions=64")'
SCALAR = '#pragma GCC target("no-avx512f")'


def made(name: str, **choices: Any) -> Any:
    return compile_cipher(name, "native", "encrypt", 128, **choices)


def test_scalar_code_keeps_out_of_wide_registers() -> None:
    """There gcc would keep words that it has no other register for."""
    assert SCALAR in made("rc6", width=1).text
    assert SCALAR not in made("rc6", width=256).text
    assert SCALAR not in made("rijndael", width=128, blocks=1, lookup="match").text


def test_where_more_is_alive_than_there_are_registers_fewer_are_spilled() -> None:
    assert CROWDED in made("serpent", width=256).text
    assert '#pragma GCC optimize("no-tree-vectorize")\n' in made("serpent", width=1).text


def test_where_sums_have_their_order_the_compiler_leaves_it() -> None:
    assert '"no-tree-vectorize", "no-tree-reassoc")' in made("camellia", sums="ready").text
    assert "no-tree-reassoc" not in made("camellia", width=1).text
    assert made("camellia", width=1, sums="compiler").text.count("no-tree-reassoc") == 0


@pytest.mark.skipif(shutil.which("gcc") is None, reason="needs gcc")
@pytest.mark.parametrize(
    ("choices", "options"),
    [
        ({"width": 1}, ("-mavx512f", "-mno-avx512f")),
        ({"width": 1, "sums": "ready"}, ("-mavx512f", "-mno-avx512f", "-fno-tree-reassoc")),
        ({"width": 128, "lookup": "bitslice"}, ("-flive-range-shrinkage",)),
    ],
)
def test_they_are_what_the_options_were(
    choices: dict[str, Any], options: tuple[str, ...], tmp_path: Path
) -> None:
    """The code of the text alone is that of the text without them and options in their place."""
    if "__x86_64__" not in compiler.macros(("gcc",)):
        pytest.skip("options of x86")
    text = made("rijndael", **choices).text
    begin, end = text.index("#if defined(__GNUC__)"), text.index("#include")
    alone = code(text, ("-mavx512f",) if "-mavx512f" in options else (), tmp_path)
    assert alone == code(text[:begin] + text[end:], (*options, "-fno-tree-vectorize"), tmp_path)
    assert not alone.count("zmm")


@pytest.mark.skipif(shutil.which("gcc") is None, reason="needs gcc")
def test_a_long_loop_lies_as_it_does_in_a_library(tmp_path: Path) -> None:
    """Its function begins at a cache line, as a library's options have it for all functions."""
    text = made("serpent", width=128).text
    assert set(beginnings(text, tmp_path)) == {0}
    assert set(beginnings(text.replace(', "align-functions=64"', ""), tmp_path)) != {0}


def beginnings(text: str, folder: Path) -> list[int]:
    """Of each function the address, modulo a cache line."""
    source, target = folder / "program.c", folder / "program.o"
    source.write_text(text)
    subprocess.run(["gcc", "-O2", "-c", "-o", target, source], check=True)
    listed = subprocess.run(["nm", "--defined-only", target], check=True, capture_output=True, text=True)
    found = [line.split() for line in listed.stdout.splitlines()]
    return [int(address, 16) % 64 for address, kind, _ in found if kind in "tT"]


def code(text: str, options: tuple[str, ...], folder: Path) -> str:
    """The assembly, but for directives and the numbers of labels."""
    source, target = folder / "program.c", folder / "program.s"
    source.write_text(text)
    subprocess.run(["gcc", "-O2", *options, "-S", "-o", target, source], check=True)
    lines = re.sub(r"\.L\w+", ".L", target.read_text()).splitlines()
    return "\n".join(line for line in lines if not line.startswith(("\t.", ".L")))
