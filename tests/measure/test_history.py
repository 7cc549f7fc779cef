"""Figures are looked up by what they are of, and only those of one subject are held against each other."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from finalist.measure.history import Subject, asked, changes, latest
from finalist.report.history import is_slower, of_changes, of_rows
from finalist.report.sheets import MARK
from tests.measure.test_figure import AREA, RATE, TICKS
from tests.measure.test_store import FIGURE, SET_UP

OLD = replace(FIGURE, commit="old", date="2023-01-01T00:00:00+00:00")
OTHER = replace(FIGURE, cipher="other", definition="folder/other.py")


class TestAsked:
    def test_no_values_are_any(self) -> None:
        assert asked([FIGURE, SET_UP], cipher=[], quantity=()) == [FIGURE, SET_UP]

    def test_all_have_to_fit(self) -> None:
        assert asked([FIGURE, SET_UP, OTHER], cipher=["toy"], quantity=["bulk"]) == [FIGURE]

    def test_one_of_several_values_fits(self) -> None:
        assert asked([FIGURE, OTHER], cipher=["toy", "other"]) == [FIGURE, OTHER]

    def test_a_cipher_is_known_by_its_definition(self) -> None:
        assert asked([FIGURE, OTHER], cipher=["folder/other.py"]) == [OTHER]

    def test_a_commit_is_known_by_its_beginning(self) -> None:
        assert asked([FIGURE, OLD], commit=["012"]) == [FIGURE]

    def test_numbers(self) -> None:
        assert asked([FIGURE, replace(FIGURE, key_bits=256)], key_bits=["128"]) == [FIGURE]


class TestLatest:
    def test_of_each_the_last(self) -> None:
        assert latest([FIGURE, OLD, SET_UP]) == [FIGURE, SET_UP]
        assert latest([OLD, SET_UP, FIGURE]) == [FIGURE, SET_UP]

    def test_of_several_units_one(self) -> None:
        assert latest([RATE, FIGURE, TICKS, AREA]) == [FIGURE, AREA]

    def test_schedules_are_apart(self) -> None:
        other = replace(OLD, schedule="blocks=4")
        assert latest([FIGURE, other]) == [FIGURE, other]

    def test_ciphers_of_one_name_are_apart(self) -> None:
        rows = [replace(FIGURE, definition=f"{folder}/toy.py") for folder in "ab"]
        assert latest(rows) == rows


class TestChanges:
    def test_the_least_of_each(self) -> None:
        slow, quick = replace(OLD, value=3.6), replace(OLD, value=3.0)
        (one,) = changes([slow, quick, slow], [FIGURE])
        assert (one.before, one.after, one.ratio) == (quick, FIGURE, 0.5)

    def test_another_schedule_is_the_same_subject(self) -> None:
        (one,) = changes([OLD], [replace(FIGURE, schedule="blocks=4")])
        assert one.after.schedule == "blocks=4"

    def test_what_one_state_lacks_is_left_out(self) -> None:
        assert changes([OLD, replace(OLD, key_bits=256)], [FIGURE, OTHER])[0].subject == Subject.of(FIGURE)
        assert changes([OLD], [replace(FIGURE, processor="another")]) == []

    def test_of_several_units_core_cycles_are_compared(self) -> None:
        (one,) = changes([TICKS, RATE, OLD], [RATE, FIGURE, TICKS])
        assert one.after == FIGURE

    def test_where_one_state_has_no_cycles_ticks_are_compared(self) -> None:
        (one,) = changes([TICKS, RATE], [RATE, FIGURE, replace(TICKS, value=2.5)])
        assert one.ratio == 2.0 and one.after.unit == TICKS.unit

    def test_of_rates_less_is_worse(self) -> None:
        (one,) = changes([RATE, replace(RATE, value=100.0)], [replace(RATE, value=RATE.value / 2)])
        assert one.ratio == 2.0

    def test_what_is_none_is_left_out(self) -> None:
        assert changes([replace(OLD, value=0.0)], [FIGURE]) == []
        assert changes([replace(OLD, quantity="refused")], [replace(FIGURE, quantity="refused")]) == []

    @given(st.lists(st.floats(0.1, 100), min_size=1), st.lists(st.floats(0.1, 100), min_size=1))
    def test_any_figures(self, before: list[float], after: list[float]) -> None:
        states = ([replace(FIGURE, value=value) for value in each] for each in (before, after))
        (one,) = changes(*states)
        assert one.ratio == min(after) / min(before)


class TestSheets:
    def test_a_row_a_figure(self) -> None:
        sheet = of_rows([FIGURE, SET_UP])
        assert [row[2] for row in sheet.rows] == ["bulk", "key set-up"]
        assert sheet.rows[0][-4:] == ("128", "65536", "1.5", "1%")
        assert {len(row) for row in sheet.rows} == {len(sheet.header)}

    def test_why_there_is_none_is_said_once(self) -> None:
        refused = replace(AREA, quantity="refused", value=0.0, refused="it has no room")
        sheet = of_rows([refused, refused])
        assert sheet.note == "toy on hardware: it has no room." and sheet.rows[0][-2] == "-"

    def test_the_greatest_loss_is_first_and_marked(self) -> None:
        worse = replace(SET_UP, value=1.8)
        found = changes([OLD, SET_UP], [FIGURE, worse])
        sheet = of_changes(found, "old", "new", 0.05)
        assert [row[-1] for row in sheet.rows] == [f"{MARK}1.200", "1.000"]
        assert sheet.header[-3:] == ("old", "new", "ratio")

    def test_the_threshold_itself_is_not_beyond(self) -> None:
        (one,) = changes([replace(OLD, value=1.0)], [replace(FIGURE, value=1.05)])
        assert not is_slower(one, 0.05 + 1e-9) and is_slower(one, 0.04)
