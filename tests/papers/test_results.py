"""Cells of the tables that were last found, by name; what is not there is said to be not there."""

from __future__ import annotations

from pathlib import Path

import pytest

from finalist.errors import UnknownNameError
from finalist.papers import results as module
from finalist.papers.results import ResultError, Results, Table, results

SPEED = Table(
    "Table II: clock cycles",
    ("cipher", "bits", "published", "ours", "published", "ours"),
    (
        ("rc6", "128", "1,538", "2.26", "-19.5 %", ""),
        ("rc6", "192", "10 of 12", "+7", "x", "30"),
        ("rc6 fast", "128", "1", "2", "3", "4"),
    ),
)
OTHER = Table("Table III", ("cipher", "bytes"), (("rc6", "47,380 (1.5)"),))
BOTH = Results((SPEED, OTHER, Table("Table III again", ("cipher",), ())))


@pytest.mark.parametrize(
    ("name", "row"), [("rc6", 0), ("rc6 128", 0), ("rc6 192", 1), ("rc6 192 10 of 12", 1), ("rc6 fast", 2)]
)
def test_a_row_is_named_by_its_first_cells(name: str, row: int) -> None:
    assert SPEED.row(name) is SPEED.rows[row]


@pytest.mark.parametrize("name", ["", "rc", "128", "rc6 256", "rc6 128 1,538 2.26"])
def test_rows_that_are_not_there(name: str) -> None:
    with pytest.raises(ResultError, match=f"'Table II: clock cycles' has no row '{name}'"):
        SPEED.row(name)


@pytest.mark.parametrize(
    ("name", "place"), [("cipher", 0), ("published", 2), ("published#1", 2), ("ours#2", 5), ("ours", 3)]
)
def test_columns_of_one_name_have_numbers(name: str, place: int) -> None:
    assert SPEED.column(name) == place


@pytest.mark.parametrize("name", ["our", "ours#3", "ours#0", ""])
def test_columns_that_are_not_there(name: str) -> None:
    with pytest.raises(ResultError, match=f"has no column '{name}'; accepted: cipher, bits, published, ours"):
        SPEED.column(name)


def test_a_table_is_named_by_the_beginning_of_its_title() -> None:
    assert BOTH.table("Table II:") is SPEED
    assert BOTH.table("Table III") is OTHER  # the first of two
    assert BOTH.table("Table III again").rows == ()
    with pytest.raises(ResultError, match="there is no table 'III'"):
        BOTH.table("III")


def test_a_cell() -> None:
    assert BOTH.text("Table II:|rc6 192|ours#2") == "30"
    assert BOTH.text("Table III|rc6|bytes") == "47,380 (1.5)"


@pytest.mark.parametrize(
    ("cell", "number"),
    [
        ("Table II:|rc6|published", 1538),
        ("Table II:|rc6|ours", 2.26),
        ("Table II:|rc6|published#2", -19.5),
        ("Table II:|rc6 192|ours", 7),
        ("Table II:|rc6 192|published", 10),
        ("Table II:|rc6 192|published|1", 10),
        ("Table II:|rc6 192|published|2", 12),
        ("Table III|rc6|bytes|2", 1.5),
    ],
)
def test_the_number_in_a_cell(cell: str, number: float) -> None:
    assert BOTH.number(cell) == number


@pytest.mark.parametrize(
    "cell",
    [
        "Table II:|rc6|ours#2",
        "Table II:|rc6 192|published#2",
        "Table II:|rc6 192|published|3",
        "Table II:|rc6 192|published|0",
    ],
)
def test_numbers_that_are_not_there(cell: str) -> None:
    with pytest.raises(ResultError, match="no such number in"):
        BOTH.number(cell)


def test_what_was_last_found_is_read() -> None:
    found = results("gladman")
    assert len(found.tables) > 1
    assert all(len(row) == len(table.header) for table in found.tables for row in table.rows)


def test_nothing_was_kept(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(module, "FOLDER", tmp_path)
    with pytest.raises(ResultError, match="nothing has been kept of the paper dsp"):
        results.__wrapped__("dsp")


def test_papers_that_there_are_not() -> None:
    with pytest.raises(UnknownNameError, match="unknown paper 'none'; accepted: dsp"):
        results("none")


@pytest.mark.parametrize("name", sorted(path.stem for path in Path(str(module.FOLDER)).glob("*.json")))
def test_no_table_is_there_twice(name: str) -> None:
    """A title begins with what names its table, so that two that are equal are one and a mistake."""
    titles = [table.title for table in results(name).tables]
    assert len(titles) == len(set(titles))
