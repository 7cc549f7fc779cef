"""What may be chosen of a library."""

from __future__ import annotations

import pytest

from finalist.errors import ScheduleError
from finalist.export.selection import OWN_WORDS, check_choices
from finalist.schedule import parse_schedule


@pytest.mark.parametrize("choice", ["blocks=4", "width=256", "tuned=long"])
def test_what_tells_programs_apart_can_not_be_chosen(choice: str) -> None:
    with pytest.raises(ScheduleError, match=f"{choice}: a library has programs for one block and for many"):
        check_choices(parse_schedule([choice]))
    assert choice.split("=")[0] in OWN_WORDS


def test_what_says_the_same_of_all_can() -> None:
    check_choices(parse_schedule(["lookup=load", "constant-time"]))
