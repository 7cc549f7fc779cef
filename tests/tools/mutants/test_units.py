"""Units of checks, each in a process of its own."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from tools.mutants import units
from tools.mutants.units import HITS, outcomes, run


@pytest.fixture
def check(monkeypatch: pytest.MonkeyPatch) -> Callable[[Callable[[str], int]], None]:
    """Have a function stand for what runs a unit."""
    return lambda body: monkeypatch.setattr(units, "_check", body)


def loops(unit: str) -> int:
    while True:
        pass


def raises(unit: str) -> int:
    raise ValueError(unit)


def test_a_unit_passes_or_fails(check: Callable[[Callable[[str], int]], None]) -> None:
    for body, passed in ((lambda unit: 0, True), (lambda unit: 1, False), (raises, False)):
        check(body)
        assert run("a", 10).passed is passed


def test_a_unit_that_takes_too_long_fails(check: Callable[[Callable[[str], int]], None]) -> None:
    check(loops)
    found = run("a", 0)
    assert not found.passed
    assert found.seconds > 0.5


def test_the_first_that_fails_is_the_last_if_wanted(check: Callable[[Callable[[str], int]], None]) -> None:
    check(lambda unit: int(unit == "b"))
    wanted = dict.fromkeys("abc", 10.0)
    for stop, expected in ((False, [True, False, True]), (True, [True, False])):
        assert [one.passed for one in outcomes(wanted, "", stop)] == expected


def test_probes_write_to_a_file_for_each_unit(
    check: Callable[[Callable[[str], int]], None], tmp_path: Path
) -> None:
    check(lambda unit: Path(os.environ[HITS]).write_text(unit) - 1)
    assert all(one.passed for one in outcomes(dict.fromkeys("ab", 10.0), str(tmp_path), False))
    assert [(tmp_path / name).read_text() for name in "01"] == ["a", "b"]


def test_a_unit_whose_tests_are_all_of_the_second_tier_finds_nothing() -> None:
    assert units._check("tests/passes/circuits/test_synthesise.py::test_a_multiple_of_an_inversion") == 0
