"""Schedules in files."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from finalist.errors import DataError
from finalist.isa.schedule.modulo.problem import Schedule
from finalist.isa.schedule.modulo.stored import found, read, stored, write
from tests.loops import loads, loop, sum_loop

CROSSING = Schedule(2, (0, 0, 4, 5, 7), (0, 1, 1, 0, 0))


def test_written_and_read(tmp_path: Path) -> None:
    file, one = tmp_path / "schedules.json", stored(sum_loop(), CROSSING, "a sum")
    assert read(file) == {}
    write(file, {sum_loop().digest: one})
    assert read(file) == {sum_loop().digest: one}
    assert found(sum_loop(), read(file)) == one
    assert found(loop(loads()), read(file)) is None


def test_no_more_is_claimed_than_is_proved() -> None:
    assert stored(sum_loop(), CROSSING).label == "optimal for its graph"
    longer = replace(CROSSING, interval=3, times=(0, 1, 5, 6, 8))
    longer = replace(longer, choices=(0, 1, 1, 0, 0))
    assert stored(sum_loop(), longer).label == "feasible, bound 2"
    assert stored(sum_loop(), longer, proved=3).label == "optimal for its graph"


def test_what_breaks_rules_is_neither_kept_nor_used(tmp_path: Path) -> None:
    wrong = replace(CROSSING, times=(0, 0, 3, 5, 7))
    with pytest.raises(DataError, match="too early"):
        stored(sum_loop(), wrong)
    file = tmp_path / "schedules.json"
    write(file, {sum_loop().digest: replace(stored(sum_loop(), CROSSING, "a sum"), schedule=wrong)})
    with pytest.raises(DataError, match="the schedule stored for a sum"):
        found(sum_loop(), read(file))


def test_other_files_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "schedules.json"
    file.write_text('{"format": "other"}')
    with pytest.raises(DataError, match="accepted: 'finalist modulo schedules 1'"):
        read(file)
