"""Schedules: words, values, flags, texts, and what is refused."""

from __future__ import annotations

from types import UnionType
from typing import Union, get_args, get_origin, get_type_hints

import pytest

from finalist import schedule
from finalist.errors import ScheduleError
from finalist.schedule import FLAGS, WORDS, Choices, Schedule, parse_schedule, schedule_of


def test_editors_know_all_words_and_their_values() -> None:
    """`Choices`, the keyword arguments of `finalist.compile`, repeats what else is said once."""
    hints = get_type_hints(Choices)
    assert tuple(schedule.spelt(name) for name in hints) == WORDS
    for name, hint in hints.items():
        kinds = get_args(hint) if get_origin(hint) is UnionType or get_origin(hint) is Union else (hint,)
        literals = [value for kind in kinds for value in get_args(kind)]
        assert tuple(literals) == schedule._NAMES.get(schedule.spelt(name), ())
        assert (int in kinds) == (name in schedule._INTEGERS or name == "rounds")
        assert (bool in kinds) == (schedule.spelt(name) in FLAGS)


def test_what_is_shown_has_the_choices_that_are_made() -> None:
    made = Schedule(blocks=4, lookup="scan", constant_time=True)
    assert repr(made) == "Schedule(blocks=4, lookup='scan', constant_time=True)"
    assert eval(repr(made)) == made
    assert repr(Schedule()) == "Schedule()"
    assert made._repr_html_().count("<tr>") == 3 and "default" in Schedule()._repr_html_()


def test_texts_and_back() -> None:
    made = Schedule(blocks=4, lookup="scan", fuse=0, rounds="loop", constant_time=True)
    assert made.texts() == ["blocks=4", "lookup=scan", "fuse=0", "rounds=loop", "constant-time"]
    assert parse_schedule(made.texts()) == parse_schedule([str(made)]) == made
    assert str(Schedule()) == "default"


def test_words_are_spelt_with_hyphens() -> None:
    assert "constant-time" in WORDS
    assert set(WORDS) >= FLAGS
    assert not any("_" in word for word in WORDS)


def test_a_flag_stands_by_itself() -> None:
    assert parse_schedule(["constant-time", "blocks=2"]) == Schedule(blocks=2, constant_time=True)
    assert schedule_of(constant_time=True) == Schedule(constant_time=True)
    assert schedule_of(constant_time=False) == schedule_of(constant_time=None) == Schedule()


@pytest.mark.parametrize("text", ["constant-time=1", "constant_time=True", "constant-time=yes"])
def test_a_flag_takes_no_value(text: str) -> None:
    with pytest.raises(ScheduleError, match=r"constant-time=\w+: it stands by itself, or in Python is True"):
        parse_schedule([text])


@pytest.mark.parametrize("text", ["constant-time=", "constant_time", "blocks", "=2", "constant"])
def test_what_is_no_choice(text: str) -> None:
    with pytest.raises(
        ScheduleError, match=r"accepted is name=value, such as blocks=2|unknown schedule word"
    ):
        parse_schedule([text])


def test_over_keeps_what_is_chosen() -> None:
    own = Schedule(constant_time=True, blocks=1)
    assert own.over(Schedule(blocks=8, width=1)) == Schedule(blocks=1, width=1, constant_time=True)
    assert Schedule(width=1).over(own) == Schedule(blocks=1, width=1, constant_time=True)
