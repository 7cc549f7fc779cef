"""Table 5.4 of the Twofish book beside ours: which rows are met, and what is shown of the others."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from finalist.cli import app
from finalist.measure.taken import STORE
from finalist.papers import smartcard
from finalist.papers.load import notes_on, paper
from finalist.papers.smartcard import Entry, Row
from finalist.report import smartcard as report
from finalist.schedule import parse_schedule

BOOK = Entry(key=1208, ram=36, rom=1100, clocks=15500)
ROW = Row(9, "keyed-tables=partial", BOOK, replace(BOOK, key=1184, ram=34, clocks=17050.0))


def test_every_row_of_the_book_has_a_schedule() -> None:
    notes = notes_on("smartcard")
    assert len(notes["rows"]) == len(paper("smartcard")["rows"]) == 11
    for text in notes["rows"]:
        assert parse_schedule([text]).directions == "both"
    assert all(0 <= a < 11 and 0 <= b < 11 for _, a, b, _ in notes["steps"])


@pytest.mark.parametrize(
    ("changed", "lacking"),
    [
        ({}, []),
        ({"clocks": 17051.0}, ["clocks"]),
        ({"rom": 1101}, ["code and tables"]),
        ({"ram": 37, "key": 1209}, ["RAM", "key memory"]),
    ],
)
def test_a_row_is_met_by_a_tenth_more_clocks_and_no_byte_more(
    changed: dict[str, Any], lacking: list[str]
) -> None:
    assert ROW.ours is not None
    assert replace(ROW, ours=replace(ROW.ours, **changed)).lacking == lacking


def test_rows_as_they_are_shown() -> None:
    more = replace(ROW, ours=replace(BOOK, rom=1200))
    none = replace(ROW, ours=None, reason="no program yet")
    cells = report.table([ROW, more, none]).rows
    assert cells[0][2:] == ("1208 / 1184", "36 / 34", "1100 / 1100", "15500 / 17050", "met")
    assert cells[1][-1].endswith("more code and tables")
    assert cells[2][2:] == ("1208 / -", "36 / -", "1100 / -", "15500 / -", "🔴 no program yet")
    assert none.lacking == ["program"]


@pytest.mark.check
@pytest.mark.timeout(900)
def test_a_row_is_built_and_met() -> None:
    """The last: S-boxes merged with the matrix, no tables in ROM."""
    theirs, text = Entry(*paper("smartcard")["rows"][-1][:4]), notes_on("smartcard")["rows"][-1]
    (taken,) = smartcard.measuring().tasks[-1:]
    assert Row(11, text, theirs, smartcard.entry(smartcard.measuring().function(taken))).lacking == []


def test_the_command_is_told_what_it_takes(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """And goes on: what all programs take is known."""
    monkeypatch.setenv("FINALIST_TAKEN", str(tmp_path / "taken.jsonl"))
    others = [work for _, work in smartcard.measuring_others()]
    for one in (task for work in (smartcard.measuring(), *others) for task in work.tasks):
        STORE.append([replace(one, key=1208, ram=36, rom=1100, clocks=15500.0)])
    done = CliRunner().invoke(app, ["paper", "smartcard"])
    assert done.exit_code == 0, done.output
    for title in ("Table 5.4: a cipher on a 6805", "What the decisions gain", "Other ciphers"):
        assert title in done.output
