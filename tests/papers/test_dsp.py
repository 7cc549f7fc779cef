"""The DSP study's tables beside ours: the paper's figures found, how rows are shown, one cell measured."""

from __future__ import annotations

from dataclasses import replace

import pytest
from typer.testing import CliRunner

from finalist.cli import app
from finalist.isa.limits import Limit, Limits, limits
from finalist.papers import dsp
from finalist.papers.dsp import Cell, Figure, Theirs
from finalist.report import dsp as report
from finalist.resumable import Resumable
from tests.loops import GOOD, sum_loop

MULTI = Cell("c62x", "rc6", "encrypt", "multi", Theirs(200, 608, 0), Figure(104, 7796, 0), "pipeline=on", 84)
SINGLE = replace(
    MULTI,
    mode="single",
    theirs=Theirs(292, 576, 0),
    ours=Figure(300, 5212, 0),
    schedule="rounds=unroll",
    bound=None,
)


def test_the_papers_figures() -> None:
    assert dsp.published("c62x", "rc6", "encrypt", "multi") == Theirs(200, 608, 0)
    assert dsp.published("c62x", "rijndael", "decrypt", "single") == Theirs(269, 1480, 16384)
    assert dsp.published("c64x", "rc6", "decrypt", "multi") == Theirs(154)
    assert dsp.published("c64x", "mars", "decrypt", "multi") == Theirs()
    assert dsp.pentium("serpent", "decrypt") == 28.2
    assert dsp.mbit_s(200) == 128


def test_rows_as_they_are_shown() -> None:
    rows = report.by_mode([MULTI, SINGLE])
    assert report.cycles("Table 1", rows, "").rows == (
        ("rc6", "encrypt", "200", "104", "1.92", "292", "🔴 300", "0.97"),
    )
    assert report.throughput(rows).rows == (
        ("rc6", "encrypt", "97.8", "128.0", "1.31", "246.2", "2.52", "87.7", "85.3"),
    )
    assert report.memory(rows).rows == (("rc6", "encrypt", "0", "0", "608", "7796", "576", "5212"),)


def test_rows_with_banks_of_memory() -> None:
    rows = report.by_mode([replace(MULTI, conflicts=26.0), replace(SINGLE, conflicts=0.25)])
    assert report.banked("Table 1", rows, "").rows == (
        ("rc6", "encrypt", "104", "130.0", "1.25", "300", "300.2", "1.00"),
    )
    assert report.banked("Table 3", report.by_mode([MULTI]), "").rows[0][5:] == ("-", "-", "-")


def test_a_row_without_one_of_the_modes() -> None:
    rows = report.by_mode([replace(MULTI, theirs=Theirs())])
    assert report.cycles("Table 3", rows, "").rows == (("rc6", "encrypt", "-", "104", "-", "-", "-", "-"),)


def test_what_is_proved() -> None:
    best = replace(MULTI, bound=104)
    rows = report.proofs([MULTI, SINGLE, best]).rows
    assert [row[3:] for row in rows] == [
        ("feasible", "104", "84", "1.24"),
        ("feasible", "300", "-", "-"),
        ("optimal for its graph", "104", "104", "1.00"),
    ]


def test_the_ten_figures() -> None:
    """Both directions on the machine whose memory the paper has; the rest is in the longer table."""
    others = [replace(MULTI, operation="decrypt"), replace(MULTI, machine="c64x", theirs=Theirs(155))]
    assert report.asked([MULTI, SINGLE, *others]).rows == (
        ("rc6", "multi", "encrypt", "feasible", "200", "84", "104", "-"),
        ("rc6", "single", "encrypt", "feasible", "292", "-", "300", "11 ="),
        ("rc6", "multi", "decrypt", "feasible", "200", "84", "104", "-"),
    )
    serpent = replace(SINGLE, cipher="serpent")
    assert report.asked([serpent]).rows[0][-1] == "-"  # nothing is proved of its rounds


def test_what_binds() -> None:
    bounds = limits(sum_loop(), GOOD)
    (row,) = report.binding([replace(MULTI, limits=bounds), SINGLE]).rows
    assert row == ("c62x rc6", "multi", "d", "104", "2", *["-"] * 9, "2", "-", "-")
    assert report.gained([replace(MULTI, limits=bounds)]).rows == ()


def test_what_more_gives() -> None:
    """Found where a search was; = where that is the bound."""
    again, more = Limit("", more=84, found=103, seconds=20.0), Limit("S", more=72, found=90, seconds=20.0)
    best = Limit("L", more=81, found=81, seconds=20.0)
    bounds = Limits(104, 84, "S", (more, best, Limit("D", more=84)), again)
    (row,) = report.gained([replace(MULTI, limits=bounds), SINGLE]).rows
    assert row[:7] == ("c62x rc6", "multi", "104", "103 (84)", "81 =", "90 (72)", "-")
    assert row[-1] == "20"


def test_what_is_proved_of_rounds() -> None:
    """Of a cell alone: how far apart its rounds can be, and cannot."""
    rows = report.rounds([MULTI, SINGLE]).rows
    assert {row[0] for row in rows} == {"c62x rc6 encrypt"}
    told = {(cycles, registers): outcome for _, cycles, _, registers, _, outcome, _, _ in rows}
    assert told == {("10", "not counted"): "infeasible", ("11", "counted"): "found"}


@pytest.mark.check
@pytest.mark.timeout(600)
def test_a_cell_is_measured() -> None:
    """What the page has is what a program that reproduces vectors takes, by the schedule that comes along."""
    cell = dsp.cell("c62x", "rc6", "decrypt", "multi")
    assert (cell.ours.cycles, cell.bound, cell.ours.tables) == (108, 84, 0)
    assert cell.ours.cycles < (cell.theirs.cycles or 0)
    assert cell.ours.code % 4 == 0
    assert cell.conflicts == 0  # RC6 has no tables
    assert cell.limits is not None and (cell.limits.interval, cell.limits.bound) == (108, 84)


def test_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    both = [replace(one, machine=machine) for machine in ("c62x", "c64x") for one in (MULTI, SINGLE)]
    known = {(one.machine, "rc6", "encrypt", one.mode): one for one in both}
    monkeypatch.setattr(dsp, "measuring", lambda: Resumable(dsp._cell, list(known), known=known))
    done = CliRunner().invoke(app, ["paper", "dsp"])
    assert done.exit_code == 0, done.output
    for title in (
        "Table 1: cycles a block",
        "Table 2: bytes",
        "Table 3",
        "The ten figures",
        "What is proved of rounds",
    ):
        assert title in done.output


def test_the_claims() -> None:
    done = CliRunner().invoke(app, ["paper", "dsp", "--claims"])
    assert done.exit_code == 0, done.output
    assert "rijndael" in done.output and "refuted" in done.output
