"""Cells of the papers' tables beside ours: which are compared, how far off, which claims are about them."""

from __future__ import annotations

import json

import pytest

from finalist.papers import cells, ledger
from finalist.papers.cells import Cell, Compared, compared, verdicts
from finalist.papers.load import paper_names
from finalist.papers.results import Table, results

TABLE = Table(
    "Table 9: cycles",
    ("cipher", "theirs", "ours", "both"),
    (("a", "10", "12", "4 / 5"), ("b", "-", "7", "8 / 6")),
)
STUDIES = [name for name in paper_names() if ledger.claims(name)]


def made(points: bool = False) -> Compared:
    found = tuple(cells._cells(TABLE, {"pairs": [["theirs", "ours"]], "slashed": ["both"]}))
    return Compared(TABLE, found, points)


def test_pairs_of_columns_and_cells_that_hold_both() -> None:
    told = [(one.row, one.column, one.theirs, one.ours) for one in made().cells]
    assert told == [("a", "ours", 10, 12), ("a", "both", 4, 5), ("b", "both", 8, 6)]
    assert [one.place for one in made().cells] == [
        (TABLE.title, 0, 2),
        (TABLE.title, 0, 3),
        (TABLE.title, 1, 3),
    ]


def test_errors() -> None:
    assert made().errors == pytest.approx([0.2, 0.25, 0.25])
    assert made().error == "25.0 % at the median, 25 % at most"
    assert made(points=True).error == "2.0 points at the median, 2 at most"
    assert Compared(TABLE, (), False).error == ""


def test_nothing_is_divided_by_zero() -> None:
    zero = Cell("t", "r", "c", 0.0, 3.0, ("t", 0, 0))
    assert Compared(TABLE, (zero,), False).error == ""


@pytest.mark.parametrize("name", STUDIES)
def test_every_study(name: str) -> None:
    """All tables that are named are there, and each of them has cells; every claim finds its cells."""
    named = json.loads(cells.FILE.read_text("utf-8"))[name]
    found = {one.table.title: one for one in compared(name)}
    assert list(found) == [table.title for table in results(name).tables]
    assert all(found[results(name).table(title).title].cells for title in named)
    tested = [claim for claim in ledger.claims(name) if claim.test]
    about = {id(claim) for told in verdicts(name).values() for claim, _ in told}
    assert about == {id(claim) for claim in tested}


def test_a_place_is_that_of_the_cell_which_the_claim_names() -> None:
    for name in STUDIES:
        for (title, row, column), told in verdicts(name).items():
            text = results(name).table(title).rows[row][column]
            for claim, _ in told:
                ours = claim.test["ours"]
                if isinstance(ours, str):
                    assert results(name).text(ours) == text
