"""The search for circuits of few gates in a row: levels, the gates of a function, circuits, the command."""

from __future__ import annotations

from pathlib import Path

import pytest

from finalist.ciphers.serpent import S
from finalist.passes.circuits import library
from finalist.passes.circuits.circuit import table_columns
from tools.circuits.shallow import DEEPEST, Levels, main


@pytest.fixture(scope="module")
def levels() -> Levels:
    return Levels()


def test_how_many_functions_there_are_of_each_depth(levels: Levels) -> None:
    """One gate makes five of each of the six pairs of inputs; nearly half of 32,767 are of three at most."""
    sizes = [len(one) for one in levels.upto]
    assert sizes[:2] == [4, 4 + 5 * 6] and 12_000 < sizes[DEEPEST - 1] < 32_767


def test_a_function_of_each_depth(levels: Levels) -> None:
    for depth in range(1, DEEPEST):
        new = set(levels.upto[depth].tolist()) - set(levels.upto[depth - 1].tolist())
        for function in sorted(new)[:5]:
            circuit = levels.shallowest([function])
            assert circuit.depth == depth and circuit.columns() == (function,)


@pytest.mark.every(2)
def test_an_s_box_of_depth_three(levels: Levels) -> None:
    values = tuple(S[3].data.values)
    even = tuple(entry ^ values[0] for entry in values)
    circuit = levels.shallowest(table_columns(even, 4)).prove(even)
    levels.known.clear()
    assert circuit.depth == 3 and circuit.cost <= 20


def test_no_cipher_no_file(tmp_path: Path) -> None:
    with pytest.raises(SystemExit):
        main(["-o", str(tmp_path / "none.json")])
    assert main(["magenta", "-o", str(tmp_path / "none.json")]) == 0
    assert not list(tmp_path.iterdir())


def test_what_is_kept_is_what_is_found() -> None:
    kept, _ = library.load(library.SHALLOW)
    assert {stored.found_by for stored in kept.values()} == {"tools.circuits.shallow"}
