"""Schedules: words, values, flags, texts, and what is refused."""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from types import UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

import numpy as np
import pytest

from finalist import notice, schedule
from finalist.errors import ScheduleError
from finalist.schedule import FLAGS, FORMERLY, WORDS, Choices, Schedule, parse_schedule, schedule_of


def test_editors_know_all_words_and_their_values() -> None:
    """`Choices`, the keyword arguments of `finalist.compile`, repeats what else is said once."""
    hints = get_type_hints(Choices)
    assert tuple(schedule.spelt(name) for name in hints) == WORDS
    for name, hint in hints.items():
        kinds = get_args(hint) if get_origin(hint) is UnionType or get_origin(hint) is Union else (hint,)
        literals = [value for kind in kinds for value in get_args(kind)]
        assert tuple(literals) == schedule._NAMES.get(schedule.spelt(name), ())
        numbers = schedule._INTEGERS | schedule._NUMBERS.keys()
        assert (int in kinds) == (schedule.spelt(name) in numbers)
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


class TestEarlierNames:
    """`keys`, `keying` and `operations` are still taken; one line says what they are called now."""

    @pytest.fixture(autouse=True)
    def unsaid(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(notice, "_said", set())
        monkeypatch.setattr(notice, "_together", None)

    def test_they_are_taken(self, capsys: pytest.CaptureFixture[str]) -> None:
        made = parse_schedule(["keys=loop", "keying=zero,operations=both"])
        assert made == Schedule(key_schedule="loop", keyed_tables="zero", directions="both")
        assert str(made) == "keyed-tables=zero key-schedule=loop directions=both"
        assert schedule_of(keys="loop") == Schedule(key_schedule="loop")
        out, err = capsys.readouterr()
        assert out == ""
        assert err.splitlines() == [
            f"finalist: the schedule word {old} is called {new} now; {old} is still taken"
            for old, new in FORMERLY.items()
        ]

    def test_nothing_is_said_of_what_was_kept(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert parse_schedule(["keys=loop"], kept=True) == Schedule(key_schedule="loop")
        assert capsys.readouterr() == ("", "")

    def test_both_names_are_one_word(self) -> None:
        with pytest.raises(ScheduleError, match="key-schedule is given 2 times"):
            parse_schedule(["keys=loop", "key-schedule=loop"])

    def test_a_wrong_value_is_told_by_the_name_that_is_now(self) -> None:
        with pytest.raises(
            ScheduleError, match=r"key-schedule=lop .did you mean loop.*: accepted: loop, unroll"
        ):
            parse_schedule(["keys=lop"])


class TestNumbers:
    def test_text_and_numbers_of_any_kind(self) -> None:
        assert schedule_of(width="256", rounds="4", skew="0") == Schedule(width=256, rounds=4, skew=0)
        assert schedule_of(blocks=np.int64(8)) == Schedule(blocks=8)
        assert type(schedule_of(blocks=np.int64(8)).blocks) is int

    @pytest.mark.parametrize(
        ("word", "value"),
        [
            ("blocks", 2.0),
            ("blocks", True),
            ("width", "wide"),
            ("width", "-1"),
            ("blocks", 0),
            ("blocks", [2]),
        ],
    )
    def test_what_is_none(self, word: str, value: Any) -> None:
        with pytest.raises(ScheduleError, match=rf"{word}=.*: accepted is a positive integer"):
            schedule_of(**{word: value})

    def test_what_is_none_but_zero(self) -> None:
        with pytest.raises(ScheduleError, match="skew=x: accepted is 0 or a positive integer"):
            parse_schedule(["skew=x"])

    @pytest.mark.parametrize("text", ["9" * 30, "9" * 5000, str((1 << 20) + 1)])
    def test_what_is_too_large(self, text: str) -> None:
        with pytest.raises(ScheduleError, match="accepted is 1048576 at most"):
            parse_schedule([f"rounds={text}"])

    @pytest.mark.parametrize("digit", ["\N{SUPERSCRIPT TWO}", "\N{ARABIC-INDIC DIGIT THREE}"])
    def test_digits_of_other_scripts(self, digit: str) -> None:
        with pytest.raises(ScheduleError, match="accepted is a positive integer"):
            parse_schedule([f"blocks={digit}"])


def test_a_word_is_given_one_value() -> None:
    assert parse_schedule(["blocks=2", "blocks=2"]) == Schedule(blocks=2)
    with pytest.raises(ScheduleError, match="blocks=2 and blocks=4: accepted is one of them"):
        parse_schedule(["blocks=2,width=1", "blocks=4"])


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("block=2", r"unknown schedule word 'block' \(did you mean blocks\?\); accepted: blocks, width"),
        (
            "consttime",
            r"'consttime': accepted is name=value, such as blocks=2 \(did you mean constant-time\?\)",
        ),
        ("lookup=gater", r"lookup=gater \(did you mean gather\?\): accepted: load, gather"),
        ("colour=red", r"unknown schedule word 'colour'; accepted: blocks"),
        ("operation=decrypt", "operation is no schedule word, but an option of its own: --operation decrypt"),
        ("key-bits=256", "key-bits is no schedule word, but an option of its own: --key-bits 256"),
        ("tuned=short", r"tuned=short: accepted: long, or a number: the bytes of a message"),
    ],
)
def test_what_may_have_been_meant(text: str, said: str) -> None:
    with pytest.raises(ScheduleError, match=said):
        parse_schedule([text])


def test_what_was_tuned_is_asked_for_with_or_without_a_length() -> None:
    assert parse_schedule(["tuned"]) == parse_schedule(["tuned=long"]) == Schedule(tuned="long")
    assert parse_schedule(["tuned=64"]) == schedule_of(tuned=64) == Schedule(tuned=64)


class TestErrors:
    def test_what_would_be_legal_is_asked_for_once_and_when_the_message_is_read(self) -> None:
        asked = []

        def remedies() -> Iterator[str]:
            asked.append(True)
            yield from ("width=1", "planes=1", "lookup=gather")

        error = ScheduleError("width=256 is not legal", remedies)
        assert (error.reason, asked) == ("width=256 is not legal", [])
        expected = "width=256 is not legal; legal with width=1, planes=1 or lookup=gather"
        assert str(error) == str(error) == expected and asked == [True]
        assert error.remedies() == ("width=1", "planes=1", "lookup=gather")

    def test_they_go_to_other_processes(self) -> None:
        error = pickle.loads(pickle.dumps(ScheduleError("no", lambda: ["width=1"])))
        assert isinstance(error, ScheduleError) and str(error) == "no; legal with width=1"
