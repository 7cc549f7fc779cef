"""The programs of a library as they are asked for, with loops, or as small as may be."""

from __future__ import annotations

import pytest

from finalist import api
from finalist.ciphers.catalogue import cipher
from finalist.errors import ScheduleError
from finalist.export import programs
from finalist.export.programs import Programs, asked
from finalist.schedule import Schedule, parsed


def of(name: str, choices: Schedule | None = None) -> Programs:
    return Programs(cipher(name), "encrypt", choices or Schedule())


def test_choices_hold_for_all() -> None:
    assert of("rc6", Schedule(rounds="loop")).compiled(128, Schedule(blocks=2)).schedule.rounds == "loop"
    with pytest.raises(ScheduleError, match="lookup=match"):
        of("serpent", Schedule(lookup="match")).compiled(128, Schedule())


def test_a_long_text_has_loops_where_there_is_no_more_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    schedule = Schedule(blocks=1, width=1)
    monkeypatch.setattr(programs, "_LONG_TEXT", 0)
    long, lean = of("magenta").compiled(128, schedule), of("magenta").lean(128, schedule)
    assert long.schedule.rounds == "unroll"
    assert len(lean.text) < len(long.text) and lean.work.least_cycles <= 1.02 * long.work.least_cycles
    monkeypatch.setattr(programs, "_LONG_TEXT", len(long.text) + 1)
    assert of("magenta").lean(128, schedule).text == long.text


@pytest.mark.check
def test_rounds_of_a_long_text_that_are_a_loop_stay_as_many_an_iteration() -> None:
    schedule = parsed("blocks=128 width=512 lookup=permute word=8")
    own, default = of("sm4").lean(128, schedule), api.compile("sm4", "native", "encrypt", 128, schedule)
    assert len(own.text) > programs._LONG_TEXT
    assert own.schedule.rounds == default.schedule.rounds not in ("loop", "unroll")


def test_the_smallest_has_a_loop_for_rounds_and_for_the_key_schedule() -> None:
    schedule = of("rc6").smallest(128, Schedule(blocks=1, width=1)).schedule
    assert (schedule.rounds, schedule.key_schedule) == ("loop", "loop")


def test_loops_are_open_again_in_what_was_asked() -> None:
    found = asked(of("rc6").smallest(128, Schedule(blocks=2, width=1)))
    assert (found.rounds, found.key_schedule, found.skew, found.blocks) == (None, None, None, 2)
