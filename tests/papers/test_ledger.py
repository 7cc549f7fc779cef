"""The ledger of claims: every verdict follows from results, and what each kind of test finds."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from finalist.cli import app
from finalist.papers import ledger
from finalist.papers import results as kept
from finalist.papers.ledger import CONFIRMED, FITTED, REFUTED, UNTESTED, Claim, LedgerError
from finalist.papers.load import paper_names
from finalist.papers.results import ResultError, Results, Table, results
from tools.results.__main__ import ROOT, TARGET, claims, texts

FOUND = Results(
    (
        Table(
            "Speed",
            ("cipher", "paper", "ours", "ours"),
            (("a", "10", "11 / 9", "30 %"), ("b", "5", "4", "1,000")),
        ),
        Table("Area: slices", ("cipher", "design", "ours"), (("a", "LU-1", "7"), ("a", "LU-2", "-3.5"))),
    )
)


def verdict(test: dict[str, Any], fitted: str = "") -> str:
    return ledger.judged(Claim("fpga", "here", "so", test, fitted), FOUND).name


@pytest.mark.parametrize("name", [name for name in paper_names() if ledger.claims(name)])
def test_every_claim_is_judged_by_results(name: str) -> None:
    for claim in ledger.claims(name):
        found = ledger.judged(claim)
        assert found.name in (CONFIRMED, FITTED, REFUTED, UNTESTED)
        assert found.figures and claim.place and claim.says.endswith(".")
    says = [claim.says for claim in ledger.claims(name)]
    assert len(says) == len(set(says))


def test_there_are_enough() -> None:
    assert sum(len(ledger.claims(name)) for name in paper_names()) >= 120


def test_results_are_those_of_the_pages() -> None:
    """`python -m tools.results` writes them, and the page of claims, after a page has been written anew."""
    for name, text in texts().items():
        assert (TARGET / f"{name}.json").read_text("utf-8") == text, name
    assert (ROOT / "docs" / "claims.md").read_text("utf-8") == claims()


@pytest.mark.parametrize(
    ("test", "holds"),
    [
        ({"kind": "near", "ours": "Speed|a|ours", "theirs": "Speed|a|paper", "within": 0.11}, True),
        ({"kind": "near", "ours": "Speed|a|ours|2", "theirs": 10, "within": 0.05}, False),
        ({"kind": "points", "ours": "Speed|a|ours#2", "theirs": 27, "within": 3}, True),
        ({"kind": "points", "ours": "Speed|a|ours#2", "theirs": 26, "within": 3}, False),
        ({"kind": "between", "ours": ["Speed|b|ours#2", "Speed|a|paper"], "bounds": [99, 100]}, True),
        ({"kind": "between", "ours": "Area|a LU-2|ours", "bounds": [0, 1]}, False),
        ({"kind": "order", "ours": ["Speed|a|ours", "Speed|b|ours"]}, True),
        ({"kind": "order", "ours": ["Speed|b|ours", "Speed|b|ours"]}, False),
        ({"kind": "least", "ours": ["Speed|b|ours", "Speed|a|ours"]}, True),
        ({"kind": "most", "ours": ["Speed|b|ours", "Speed|a|ours"]}, False),
    ],
)
def test_kinds(test: dict[str, Any], holds: bool) -> None:
    assert verdict(test) == (CONFIRMED if holds else REFUTED)
    assert verdict(test, "by us") == (FITTED if holds else REFUTED)


def test_a_figure_that_changes_changes_the_verdict() -> None:
    claim = next(c for c in ledger.claims("ptlu") if c.test and c.test["kind"] == "near")
    first, *others = results("ptlu").tables
    cells = [(row[0], row[1], "1", *row[3:]) for row in first.rows]
    wrong = Results((Table(first.title, first.header, tuple(cells)), *others))
    assert ledger.judged(claim).name == CONFIRMED
    assert ledger.judged(claim, wrong).name == REFUTED


@pytest.mark.parametrize(
    ("cell", "message"),
    [
        ("Nowhere|a|ours", "no table 'Nowhere'"),
        ("Speed|c|ours", "'Speed' has no row 'c'"),
        ("Speed|a|theirs", "no column 'theirs'; accepted: cipher, paper, ours, ours"),
        ("Speed|a|ours#3", "no column 'ours#3'"),
        ("Speed|a|ours|3", "no such number in '11 / 9'"),
    ],
)
def test_a_cell_that_there_is_not(cell: str, message: str) -> None:
    with pytest.raises(ResultError, match=message):
        FOUND.number(cell)


def test_entries_that_cannot_be_judged() -> None:
    with pytest.raises(LedgerError, match="a claim without a test says why"):
        ledger.judged(Claim("fpga", "here", "so"))
    with pytest.raises(LedgerError, match="kind 'like'; accepted: near, points"):
        verdict({"kind": "like"})
    assert ledger.judged(Claim("fpga", "here", "so", why="no unit")).name == UNTESTED


def test_a_paper_of_which_nothing_was_kept(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(kept, "FOLDER", tmp_path)
    kept.results.cache_clear()
    with pytest.raises(ResultError, match="nothing has been kept of the paper smartcard"):
        results("smartcard")
    kept.results.cache_clear()


def test_the_command_shows_them() -> None:
    done = CliRunner().invoke(app, ["paper", "fpga", "--claims"])
    assert done.exit_code == 0, done.output
    assert "Fitted: the law of the wires" in done.output and "refuted" in done.output
    records = json.loads(CliRunner().invoke(app, ["paper", "gladman", "--claims", "--json"]).stdout)
    assert {"paper", "place", "says", "verdict", "figures", "fitted"} <= set(records[0])
