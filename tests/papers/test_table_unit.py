"""The models of the table unit and the ALU: what is fitted, and what they are worth."""

from __future__ import annotations

import pytest

from finalist.papers import table_unit

WORDS = (32, 64, 128)


@pytest.mark.parametrize("what", table_unit.TIMED)
@pytest.mark.parametrize("word", WORDS)
def test_delays_are_near_what_was_fitted_and_within_a_tenth_without_it(what: str, word: int) -> None:
    theirs = table_unit.published_delays(what)[word]
    assert table_unit.delay(what, word) == pytest.approx(theirs, rel=0.02)
    assert table_unit.delay_by_others(what, word) == pytest.approx(theirs, rel=0.1)
    assert table_unit.delay_by_others(what, word) != pytest.approx(table_unit.delay(what, word), rel=1e-4)


def test_a_lookup_is_shorter_than_the_alu() -> None:
    assert all(table_unit.delay("lookup", word) < table_unit.delay("alu", word) for word in WORDS)


def test_areas_are_those_of_the_paper_and_between_them_a_line() -> None:
    for bits, mm2 in table_unit.published_areas().items():
        assert table_unit.area(bits) == pytest.approx(mm2)
    assert table_unit.area(64) == pytest.approx(0.56)
    assert table_unit.area(32, tables=1) == pytest.approx(0.04)
    assert table_unit.area_of_a_bit() == pytest.approx(3.66, abs=0.01)
