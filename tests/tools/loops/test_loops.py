"""The search for schedules of loops: what it keeps, under which name, and when it keeps nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from finalist.isa.limits import REGISTERS, with_one_more
from finalist.isa.schedule.modulo.stored import read
from tools.loops.__main__ import loop_of, main
from tools.loops.relaxed import with_problem


def stored(file: Path) -> dict[str, tuple[int, int]]:
    return {one.name: (one.schedule.interval, one.bound) for one in read(file).values()}


@pytest.mark.check
def test_quick_schedules_are_kept_if_they_are_shorter(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "schedules.json"
    asked = ["c64x", "rc6", "encrypt", "--quick", "--file", str(file)]
    assert main(asked) == 0
    first = stored(file)
    interval, bound = first["c64x rc6 encrypt"]
    assert bound == 60 and bound < interval <= 75
    assert main(asked) == 1  # no shorter one is found
    assert stored(file) == first
    assert f"kept: {interval}, feasible, bound 60" in capsys.readouterr().out


@pytest.mark.check
def test_chained_loops_have_names_and_bounds_of_their_own(tmp_path: Path) -> None:
    file = tmp_path / "schedules.json"
    drawn = ["--interval", "300", "--seeds", "1", "--chained", "--file", str(file)]
    assert main(["c64x", "rc6", "encrypt", *drawn]) == 0
    (name,) = stored(file)
    assert name == "c64x rc6 encrypt chained"
    assert stored(file)[name][1] > 200


def test_an_interval_that_is_too_short_keeps_nothing(tmp_path: Path) -> None:
    file = tmp_path / "schedules.json"
    drawn = ["--interval", "59", "--seeds", "1", "--file", str(file)]
    assert main(["c64x", "rc6", "encrypt", *drawn]) == 1
    assert not file.exists()


@pytest.mark.check
def test_blocks_in_an_iteration() -> None:
    one, two = (len(loop_of("c64x", "rc6", "encrypt", blocks).problem.operations) for blocks in (1, 2))
    assert one < two < 2 * one


@pytest.mark.check
def test_more_registers_are_usable() -> None:
    """A loop of a relaxed problem has as many more registers as that says, and no other differs."""
    loop = loop_of("c64x", "rc6", "encrypt")
    wider = dict(with_one_more(loop.problem))[REGISTERS]
    found = with_problem(loop, wider)
    for file in wider.registers:
        assert found.usable(file) == [*loop.usable(file), loop.processor.files[file].count]
    assert found.problem is wider and loop.problem is not wider
