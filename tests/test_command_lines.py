"""Command lines and schedules as they go wrong in typing: a line that says so, and no traceback.

A sample as a rule; ``FINALIST_FUZZ=10000`` in the environment for as many, which `make fuzz` has.
"""

from __future__ import annotations

import os
from pathlib import Path
from random import Random
from typing import Any

import pytest

from finalist import api
from finalist.errors import CompilerError, FinalistError
from finalist.schedule import parse_schedule
from finalist.toolchain import compiler
from tests.command_lines import GOOD, complaint, mutated, schedules

FEW, MANY = 300, int(os.environ.get("FINALIST_FUZZ", "2500"))
SEED = int(os.environ.get("FINALIST_FUZZ_SEED", "2"))


@pytest.fixture(autouse=True)
def nothing_is_compiled_or_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: Any) -> None:
        raise CompilerError("nothing is compiled here")

    for name in ("_built", "invoke"):
        monkeypatch.setattr(compiler, name, refused)
    for name in ("RESULTS", "TUNING", "VERDICTS", "CACHE"):
        monkeypatch.setenv(f"FINALIST_{name}", str(tmp_path / name))
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("line", GOOD)
def test_what_is_changed_was_good(line: str) -> None:
    assert complaint(line.split()) == ""


def test_command_lines() -> None:
    _lines(Random(1), FEW)


@pytest.mark.check
@pytest.mark.fuzz
@pytest.mark.timeout(0)
def test_many_command_lines() -> None:
    _lines(Random(SEED), MANY)


def _lines(source: Random, count: int) -> None:
    for number in range(count):
        words = mutated(source)
        assert complaint(words) == "", (number, words)


def test_schedules() -> None:
    _schedules(Random(3), 5 * FEW)


@pytest.mark.check
@pytest.mark.fuzz
@pytest.mark.timeout(0)
def test_many_schedules() -> None:
    """Also held against a cipher."""
    _schedules(Random(SEED + 2), MANY, compiled=True)


def _schedules(source: Random, count: int, *, compiled: bool = False) -> None:
    """Each is a schedule, which is written as it is read, or refused in one line."""
    for _, text in zip(range(count), schedules(source), strict=False):
        refusal = ""
        try:
            made = parse_schedule([text], kept=True)
            assert parse_schedule(made.texts()) == made, text
            if compiled and made.optimise != "on":
                api.compile("rc6", source.choice(("native", "plx", "interpreter", "fpga")), schedule=made)
        except FinalistError as error:
            refusal = str(error)
        assert len(refusal.splitlines()) <= 1, text
