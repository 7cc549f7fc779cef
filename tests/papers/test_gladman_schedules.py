"""Candidates under the schedule that is quickest for a length of message: what is compared, what follows."""

from __future__ import annotations

import pytest

from finalist.papers import gladman_schedules as schedules
from finalist.papers.gladman import published, rows
from finalist.papers.gladman_schedules import places, quickest_of
from finalist.report.gladman import best_by_length
from finalist.schedule import Schedule
from finalist.toolchain import compiler

LOOP, ZERO = Schedule(key_schedule="loop"), Schedule(keyed_tables="zero")


def test_the_default_comes_first_and_none_twice() -> None:
    found = list(schedules.schedules())
    assert found[0] == Schedule()
    assert len(set(found)) == len(found)
    assert Schedule(keyed_tables="zero", subkeys="computed") in found


def test_of_schedules_that_are_as_quick_the_first_is_taken() -> None:
    assert quickest_of({Schedule(): 100.9, LOOP: 100.0}) == Schedule()
    assert quickest_of({Schedule(): 101.1, LOOP: 100.0}) == LOOP


def figures() -> dict[str, dict[Schedule, tuple[float, float]]]:
    """His own for all, but for Twofish another schedule that is quick to set up."""
    his = {name: published(name, 128) for name in rows()}
    found = {name: {Schedule(): (one.key_setup[0], one.encrypt)} for name, one in his.items()}
    found["twofish"][ZERO] = (1.0, 1000.0)
    return found


def test_each_length_has_its_own_schedule_and_place() -> None:
    short, _, long = places(figures())
    own = {one.cipher: one for one in short.places}["twofish"]
    assert (own.schedule, own.cycles) == (ZERO, 1001.0)
    assert own.rank < own.rank_default == own.his
    assert short.correlation_default == pytest.approx(1.0)
    assert short.correlation < 1.0
    own = {one.cipher: one for one in long.places}["twofish"]
    assert own.schedule == Schedule()
    assert own.rank == own.rank_default == own.his
    assert [one.rank for one in long.places] == list(range(1, len(rows()) + 1))


def test_the_sheet_has_one_schedule_for_all_beside() -> None:
    short = next(iter(places(figures())))
    sheet = best_by_length(short)
    row = next(row for row in sheet.rows if row[0] == "twofish")
    assert row[1:4] == ("keyed-tables=zero", row[2], "1001")
    assert row[5] == f"{published('twofish', 128).message_cycles(16):.0f}"
    assert sheet.title == "Messages of 16 bytes, each by its best schedule"


@pytest.mark.check
@pytest.mark.skipif(not compiler.available(), reason="needs a C compiler")
def test_programs_that_are_the_same_are_measured_once() -> None:
    found = schedules.by_schedule("hpc", seconds=0.005)
    assert Schedule() in found
    assert Schedule(key_schedule="loop") not in found
    assert all(figure > 0 for own in found.values() for figure in own)
