"""The FPGA study's conclusions beside ours."""

from __future__ import annotations

from dataclasses import replace
from math import log
from types import SimpleNamespace
from typing import Any

import pytest

from finalist.papers import fpga
from finalist.papers import fpga_tables as tables
from finalist.papers.fpga import FEEDBACK, Row
from finalist.papers.fpga_tables import (
    NON_FEEDBACK,
    OWN_CYCLES,
    PER_SLICE,
    QUESTIONS,
    THEIR_CYCLES,
    THROUGHPUT,
    Question,
)
from finalist.papers.load import paper
from finalist.report import fpga as report


def published() -> list[Row]:
    """All designs of the paper, with an estimate that is exactly its rows for speed."""
    found = []
    for cipher, architecture in fpga.designs():
        own = [r for r in paper("fpga")["rows"] if (r["cipher"], r["architecture"]) == (cipher, architecture)]
        by_table = {entry["table"]: entry for entry in own}
        made = {"speed": exact(by_table), "area": exact(by_table, "VII", "IX")}
        found.append(Row(cipher, architecture, by_table, exact(by_table), None, (), made))
    return found


def exact(by_table: dict[str, Any], one: str = "VI", other: str = "VIII") -> Any:
    plain, chained = by_table[one], by_table[other]
    cycles = int(chained["cycles_per_block"]) + 1
    return SimpleNamespace(
        slices=plain["slices"],
        mhz=plain["clock_mhz"],
        mbit_s=plain["throughput_mbit_s"],
        feedback_cycles=cycles,
        feedback_mbit_s=128 * plain["clock_mhz"] / cycles,
        cycles_per_block=1,
    )


ROWS = published()


@pytest.mark.parametrize(
    ("question", "first", "figures"),
    [
        (Question("II", NON_FEEDBACK, THROUGHPUT), ["serpent", "rc6", "twofish", "rijndael"], 5035.0),
        (Question("III", THEIR_CYCLES, THROUGHPUT), ["serpent", "rijndael", "twofish", "rc6"], 444.2),
        (Question("V", THEIR_CYCLES, PER_SLICE), ["rijndael", "serpent", "twofish", "rc6"], 83387),
    ],
)
def test_the_papers_winners(question: Question, first: list[str], figures: float) -> None:
    """Tables III and V have Twofish before RC6: 127.7 for 126.5 Mbit/s, 47,380 for 39,662 bit/s a slice."""
    found = tables.theirs(question, ROWS)
    assert [one.cipher for one in found] == first
    assert found[0].figure == pytest.approx(figures, rel=0.01)


def test_winners_are_of_both_optimisations() -> None:
    by_name = {one.cipher: one for one in tables.theirs(QUESTIONS[1], ROWS)}
    assert (by_name["twofish"].architecture, by_name["twofish"].aim) == ("LU-1", "area")
    assert (by_name["rc6"].architecture, by_name["rc6"].aim) == ("PP-2", "speed")
    assert ("serpent", "PP-32") in tables.winning_designs(ROWS)


def test_feedback_is_counted_in_both_ways() -> None:
    row = replace(ROWS[0], made={})
    theirs, own = Question("III", THEIR_CYCLES, THROUGHPUT), Question("III", OWN_CYCLES, THROUGHPUT)
    assert theirs.ours(row) == (pytest.approx(128 * row.estimate.mhz / 20), "")
    assert own.ours(row) == (pytest.approx(128 * row.estimate.mhz / 21), "")


def test_a_ranking_that_was_fitted_is_no_evidence() -> None:
    found = {(one.question.mode, one.question.measure): one for one in tables.conclusions(ROWS)}
    assert found[NON_FEEDBACK, THROUGHPUT].verdict in ("yes, fitted", "first, fitted")
    assert "fitted" not in found[THEIR_CYCLES, THROUGHPUT].verdict
    turned = replace(found[THEIR_CYCLES, THROUGHPUT], ours=found[THEIR_CYCLES, THROUGHPUT].theirs[::-1])
    assert turned.verdict == "no"


def test_errors_are_root_mean_squares_of_logarithms() -> None:
    (row,) = [one for one in ROWS if (one.cipher, one.architecture) == ("serpent", "PP-32")]
    assert tables.error([row], "slices") == pytest.approx(abs(log(9004 / row.theirs("slices"))))
    assert tables.error([row], FEEDBACK) == pytest.approx(abs(log(38.0 * 128 / 32 / row.theirs(FEEDBACK))))
    assert tables.error([], "mhz") == 0
    assert tables.apart([row], "slices") == pytest.approx(log(11988 / 9004))


def test_the_sheet_of_errors_has_netlists_first_and_each_cipher() -> None:
    mapped: Any = SimpleNamespace(slices=ROWS[0].theirs("slices"), mhz=ROWS[0].theirs("mhz"))
    first, *rest = report.errors([replace(ROWS[0], mapped=mapped), *ROWS[1:]]).rows
    assert first == ("netlists", "1", "0.0 %", "0.0 %", "", "")
    untimed: Any = SimpleNamespace(slices=ROWS[1].theirs("slices"), mhz=None)
    some = [replace(ROWS[0], mapped=mapped), replace(ROWS[1], mapped=untimed), *ROWS[2:]]
    assert report.errors(some).rows[0] == ("netlists", "2, 1 of them timed", "0.0 %", "0.0 %", "", "")
    winner = next(row for row in ROWS if (row.cipher, row.architecture) == ("serpent", "PP-32"))
    both = report.errors([replace(row, mapped=mapped) if row is winner else row for row in ROWS]).rows[:2]
    assert [row[:2] for row in both] == [("netlists", "1"), ("netlists of the paper's winners", "1")]
    names = ["all", "rc6", "rijndael", "serpent", "twofish"]
    aimed = [f"made for {aim}, the paper's for {aim}" for aim in ("speed", "area")]
    own = [*(f"estimates, {name}" for name in names), *aimed, "the paper's two rows"]
    assert [row[0] for row in rest] == own


def test_designs_made_for_something_are_held_to_the_rows_for_that_alone() -> None:
    assert tables.aimed_error(ROWS, "speed", "slices") == tables.aimed_error(ROWS, "area", "mhz") == 0
    (row,) = [one for one in ROWS if (one.cipher, one.architecture) == ("serpent", "PP-32")]
    other = replace(row, made={"speed": row.made["area"], "area": row.made["speed"]})
    assert tables.aimed_error([other], "speed", "slices") == pytest.approx(log(11988 / 9004))
    assert tables.aimed_error([row], "area", FEEDBACK) < 0.01


def test_ours_are_the_best_of_all_ways() -> None:
    """What a design was made for is named where that made it better."""
    row = ROWS[0]
    better: Any = SimpleNamespace(**{**vars(row.estimate), "mbit_s": 2 * row.estimate.mbit_s})
    question = Question("II", NON_FEEDBACK, THROUGHPUT)
    (found,) = tables.ours(question, [replace(row, made={"speed": row.estimate, "area": better})])
    assert (found.figure, found.aim) == (pytest.approx(2 * row.estimate.mbit_s), "area")
    (found,) = tables.ours(question, [replace(row, made={"speed": row.estimate, "area": row.estimate})])
    assert found.aim == ""
    aimed = report.aimed([row]).rows[0]
    assert aimed[2:4] == ("2638", "2638") and aimed[6:8] == ("2784", "2784")
