"""The FPGA study of the finalists beside our designs."""

from __future__ import annotations

import json
from math import log

import pytest
from typer.testing import CliRunner

from finalist.cli import app
from finalist.papers import fpga
from finalist.report import fpga as report
from tests.machines.fpga.toy import TOY


@pytest.fixture(scope="module")
def rows() -> list[fpga.Row]:
    found = [("rijndael", "LU-1"), ("rijndael", "SP-1-1"), ("serpent", "PP-32"), ("twofish", "LU-1")]
    return [fpga.row(*design) for design in found]


def test_there_are_47_designs() -> None:
    designs = fpga.designs()
    assert len(set(designs)) == len(designs) == 47


def test_cycles_are_the_papers_but_for_one_cipher(rows: list[fpga.Row]) -> None:
    """Its Rijndael takes a cycle for the first key addition, ours adds it on the way in."""
    for row in rows:
        theirs = row.published["VI"]["cycles_per_block"]
        extra = {"LU-1": 1, "SP-1-1": 0.5}[row.architecture] if row.cipher == "rijndael" else 0
        assert row.estimate.cycles_per_block == theirs - extra


def test_errors_are_root_mean_squares_of_logarithms(rows: list[fpga.Row]) -> None:
    (row,) = [one for one in rows if one.cipher == "serpent"]
    assert fpga.error([row], "mhz") == pytest.approx(abs(log(row.estimate.mhz / row.theirs("mhz"))))
    assert row.theirs("slices") == pytest.approx((9004 * 11988) ** 0.5)


def test_rankings(rows: list[fpga.Row]) -> None:
    first, *_ = fpga.conclusions(rows)
    assert first.theirs[0] == first.ours[0] == "serpent"
    assert first.holds


def test_a_front_has_nothing_that_another_beats(rows: list[fpga.Row]) -> None:
    points = [(f"{row.cipher} {row.architecture}", row.estimate) for row in rows]
    front = report.front(points)
    for name, found in points:
        beaten = any(
            one.slices <= found.slices and one.mbit_s >= found.mbit_s and label != name
            for label, one in points
        )
        assert beaten != (name in {label for label, _ in front})


def test_the_commands() -> None:
    runner = CliRunner()
    done = runner.invoke(app, ["pareto", TOY, "--json"])
    assert done.exit_code == 0, done.output
    points = json.loads(done.stdout)
    assert {"LU-1", "PP-6", "SP-3-2"} <= {point["architecture"] for point in points}
    wrong = runner.invoke(app, ["paper", "fpga", "mars"])
    assert wrong.exit_code == 2
    assert "is not in the paper" in wrong.output
    wrong = runner.invoke(app, ["pareto", "rc6", "--machine", "native"])
    assert "has no architectures to compare" in wrong.output
