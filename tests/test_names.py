"""Names that must be told apart."""

from __future__ import annotations

from finalist.names import unused


def test_a_taken_name_has_the_first_number_that_is_free() -> None:
    assert unused("x", {"y"}) == "x"
    assert unused("x", {"x"}) == "x_2"
    assert unused("x", {"x", "x_2", "x_4"}) == "x_3"
