"""What is proved of loops, in files."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from finalist.errors import DataError
from finalist.isa.schedule.modulo.proofs import (
    FOUND,
    INFEASIBLE,
    UNDECIDED,
    Proof,
    added,
    answer,
    least,
    read,
    write,
)

REFUTED = Proof("a round", 10, 0, False, False, INFEASIBLE, 1.5, "a solver 1")
REACHED = replace(REFUTED, interval=11, registers=True, outcome=FOUND)


def test_written_and_read(tmp_path: Path) -> None:
    file = tmp_path / "proofs.json"
    assert read(file) == {}
    write(file, added(added({}, "ab", REACHED), "ab", REFUTED))
    assert read(file) == {"ab": (REFUTED, REACHED)}


def test_a_question_has_one_answer() -> None:
    """A later one, unless it leaves open what was decided."""
    again = replace(REFUTED, seconds=9.0)
    assert added({"ab": (REFUTED,)}, "ab", again) == {"ab": (again,)}
    assert added({"ab": (REFUTED,)}, "ab", replace(again, outcome=UNDECIDED)) == {"ab": (REFUTED,)}
    opened = replace(REFUTED, outcome=UNDECIDED)
    assert added({"ab": (opened,)}, "ab", REFUTED) == {"ab": (REFUTED,)}
    assert added({"ab": (REFUTED,)}, "cd", REACHED) == {"ab": (REFUTED,), "cd": (REACHED,)}


def test_no_more_is_claimed_than_is_proved() -> None:
    """With few stages, in banks, or left open, an interval is not refuted."""
    weaker = (replace(REFUTED, stages=3), replace(REFUTED, banks=True), replace(REFUTED, outcome=UNDECIDED))
    assert least([REFUTED, REACHED]) == 11
    assert [least([one]) for one in (*weaker, REACHED)] == [0] * 4
    assert [answer(told) for told in ("optimal", "feasible", "infeasible", "unknown")] == [
        FOUND,
        FOUND,
        INFEASIBLE,
        UNDECIDED,
    ]


def test_in_words() -> None:
    assert str(REFUTED) == "10 cycles, any number of stages, registers not counted"
    told = "11 cycles, up to 3 stages, with registers, no two accesses to one bank"
    assert str(replace(REACHED, stages=3, banks=True)) == told


def test_other_files_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "proofs.json"
    file.write_text('{"format": "other"}')
    with pytest.raises(DataError, match="accepted: 'finalist proofs of loops 1'"):
        read(file)
    write(file, {"ab": (replace(REFUTED, outcome="likely"),)})
    with pytest.raises(
        DataError, match="outcome 'likely' of a round; accepted: found, infeasible, undecided"
    ):
        read(file)
