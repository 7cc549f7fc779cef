"""Figures are looked up by what they are of, and only those of one subject are held against each other."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from finalist.measure.history import Subject, asked, changes, latest
from finalist.report.history import is_slower, of_changes, of_rows
from finalist.report.sheets import MARK
from tests.measure.test_results import ROW, SET_UP

OLD = replace(ROW, commit="old", date="2023-01-01T00:00:00+00:00")
OTHER = replace(ROW, cipher="other", definition="folder/other.py")


class TestAsked:
    def test_no_values_are_any(self) -> None:
        assert asked([ROW, SET_UP], cipher=[], quantity=()) == [ROW, SET_UP]

    def test_all_have_to_fit(self) -> None:
        assert asked([ROW, SET_UP, OTHER], cipher=["toy"], quantity=["bulk"]) == [ROW]

    def test_one_of_several_values_fits(self) -> None:
        assert asked([ROW, OTHER], cipher=["toy", "other"]) == [ROW, OTHER]

    def test_a_cipher_is_known_by_its_definition(self) -> None:
        assert asked([ROW, OTHER], cipher=["folder/other.py"]) == [OTHER]

    def test_a_commit_is_known_by_its_beginning(self) -> None:
        assert asked([ROW, OLD], commit=["012"]) == [ROW]

    def test_numbers(self) -> None:
        assert asked([ROW, replace(ROW, key_bits=256)], key_bits=["128"]) == [ROW]


class TestLatest:
    def test_of_each_the_last(self) -> None:
        assert latest([ROW, OLD, SET_UP]) == [ROW, SET_UP]
        assert latest([OLD, SET_UP, ROW]) == [ROW, SET_UP]

    def test_schedules_are_apart(self) -> None:
        other = replace(OLD, schedule="blocks=4")
        assert latest([ROW, other]) == [ROW, other]

    def test_ciphers_of_one_name_are_apart(self) -> None:
        rows = [replace(ROW, definition=f"{folder}/toy.py") for folder in "ab"]
        assert latest(rows) == rows


class TestChanges:
    def test_the_least_of_each(self) -> None:
        slow, quick = replace(OLD, ticks=3.0, core_cycles=3.6), replace(OLD, ticks=2.5, core_cycles=3.0)
        (one,) = changes([slow, quick, slow], [ROW])
        assert (one.before, one.after, one.ratio) == (quick, ROW, 0.5)

    def test_another_schedule_is_the_same_subject(self) -> None:
        (one,) = changes([OLD], [replace(ROW, schedule="blocks=4")])
        assert one.after.schedule == "blocks=4"

    def test_what_one_state_lacks_is_left_out(self) -> None:
        assert changes([OLD, replace(OLD, key_bits=256)], [ROW, OTHER])[0].subject == Subject.of(ROW)
        assert changes([OLD], [replace(ROW, processor="another")]) == []

    def test_where_no_cycles_are_known_ticks_are_compared(self) -> None:
        (one,) = changes([replace(OLD, core_cycles=0.0)], [replace(ROW, ticks=2.5)])
        assert one.ratio == 2.0

    def test_what_is_too_short_for_the_clock_is_left_out(self) -> None:
        assert changes([replace(OLD, ticks=0.0)], [ROW]) == []

    @given(st.lists(st.floats(0.1, 100), min_size=1), st.lists(st.floats(0.1, 100), min_size=1))
    def test_any_figures(self, before: list[float], after: list[float]) -> None:
        states = ([replace(ROW, ticks=ticks, core_cycles=0.0) for ticks in each] for each in (before, after))
        (one,) = changes(*states)
        assert one.ratio == min(after) / min(before)


class TestSheets:
    def test_a_row_a_figure(self) -> None:
        sheet = of_rows([ROW, SET_UP])
        assert [row[2] for row in sheet.rows] == ["bulk", "key set-up"]
        assert sheet.rows[0][-6:] == ("128", "65536", "1.5", "1.25", "1234", "1%")
        assert sheet.rows[1][-2] == "-" and {len(row) for row in sheet.rows} == {len(sheet.header)}

    def test_the_greatest_loss_is_first_and_marked(self) -> None:
        worse = replace(SET_UP, core_cycles=1.8)
        found = changes([OLD, SET_UP], [ROW, worse])
        sheet = of_changes(found, "old", "new", 0.05)
        assert [row[-1] for row in sheet.rows] == [f"{MARK}1.200", "1.000"]
        assert sheet.header[-3:] == ("old", "new", "ratio")

    def test_the_threshold_itself_is_not_beyond(self) -> None:
        (one,) = changes([replace(OLD, core_cycles=1.0)], [replace(ROW, core_cycles=1.05)])
        assert not is_slower(one, 0.05 + 1e-9) and is_slower(one, 0.04)
