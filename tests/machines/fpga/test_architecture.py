"""The values of the word `architecture`."""

from __future__ import annotations

import pytest

from finalist.errors import ScheduleError
from finalist.machines.fpga.architecture import check, every, parse


@pytest.mark.parametrize(("text", "stages"), [("LU-4", 1), ("PP-4", 4), ("SP-4-1", 8), ("SP-8-2", 24)])
def test_rows_of_registers(text: str, stages: int) -> None:
    assert parse(text).stages == stages
    assert str(parse(text)) == text


@pytest.mark.parametrize("text", ["LU", "LU-0", "LU-1-1", "SP-1", "SP-1-0", "lu-1", "PP-2 ", "XX-1"])
def test_what_is_no_architecture_is_refused(text: str) -> None:
    with pytest.raises(ScheduleError, match="accepted: LU-n, PP-n, SP-n-m"):
        parse(text)


def test_rounds_in_hardware_divide_those_of_the_cipher() -> None:
    check(parse("PP-5"), 20, "a cipher")
    with pytest.raises(ScheduleError, match="it has 20 rounds, so that n may be 1, 2, 4, 5, 10, 20"):
        check(parse("PP-3"), 20, "a cipher")


def test_every_architecture_is_legal_and_there_once() -> None:
    found = every(6)
    assert len(set(found)) == len(found) == 4 + 3 + 2 * 4
    for one in found:
        check(parse(str(one)), 6, "a cipher")
