"""The FPGA study of the finalists beside our designs."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from finalist.ciphers.catalogue import cipher
from finalist.cli import app
from finalist.errors import CompilerError, ScheduleError
from finalist.machines.base import Placed
from finalist.machines.fpga.boards import place
from finalist.machines.fpga.mapping import mapped
from finalist.machines.registry import machine
from finalist.papers import fpga
from finalist.report import fronts
from finalist.schedule import Schedule
from tests.machines.fpga.toy import TOY


@pytest.fixture(scope="module")
def rows() -> list[fpga.Row]:
    found = [("rijndael", "LU-1"), ("rijndael", "SP-1-1"), ("serpent", "PP-32"), ("twofish", "LU-1")]
    return [fpga.row(*design) for design in found]


def test_the_papers_figure_is_the_mean_of_its_two_rows(rows: list[fpga.Row]) -> None:
    (row,) = [one for one in rows if one.cipher == "serpent"]
    assert row.theirs("slices") == pytest.approx((9004 * 11988) ** 0.5)
    assert row.theirs(fpga.FEEDBACK) == pytest.approx((151.9 * 157.3) ** 0.5)


def test_key_storage_is_two_bits_a_slice() -> None:
    """Twofish's includes the two words of its keyed S-boxes."""
    assert {name: fpga.key_storage(name) for name in ("rc6", "twofish")} == {"rc6": 704, "twofish": 672}
    assert fpga.least_key_storage()["serpent"] == 2112


def test_there_are_47_designs() -> None:
    designs = fpga.designs()
    assert len(set(designs)) == len(designs) == 47


def test_cycles_are_the_papers_but_for_one_cipher(rows: list[fpga.Row]) -> None:
    """Its Rijndael takes a cycle for the first key addition, ours adds it on the way in."""
    for row in rows:
        theirs = row.published["VI"]["cycles_per_block"]
        extra = {"LU-1": 1, "SP-1-1": 0.5}[row.architecture] if row.cipher == "rijndael" else 0
        assert row.estimate.cycles_per_block == theirs - extra


def test_a_front_has_nothing_that_another_beats(rows: list[fpga.Row]) -> None:
    points = [fronts.estimated(f"{row.cipher} {row.architecture}", row.estimate) for row in rows]
    front = fronts.front(points)
    for found in points:
        beaten = any(
            one.area <= found.area and one.mbit_s >= found.mbit_s and one is not found for one in points
        )
        assert beaten != (found in front)


def test_the_commands() -> None:
    runner = CliRunner()
    done = runner.invoke(app, ["pareto", TOY, "--json"])
    assert done.exit_code == 0, done.output
    points = json.loads(done.stdout)
    assert {"LU-1", "PP-6", "SP-3-2"} <= {point["architecture"] for point in points}
    assert all(point["fits"] for point in points)
    wrong = runner.invoke(app, ["paper", "fpga", "mars"])
    assert wrong.exit_code == 2
    assert "is not in the paper" in wrong.output
    wrong = runner.invoke(app, ["pareto", "rc6", "--machine", "native"])
    assert "has nothing to compare" in wrong.output


def test_a_design_that_cannot_be_had_is_a_refused_row(monkeypatch: pytest.MonkeyPatch) -> None:
    """With its reason, and no more than that; where none can be had, that is the error."""
    found: Any = machine("fpga")
    estimate = type(found).estimate

    def refuse(self: Any, definition: Any, *, schedule: Schedule, **more: Any) -> Any:
        if schedule.architecture in wrong:
            raise ScheduleError(f"architecture={schedule.architecture} is not legal: so it is")
        return estimate(self, definition, schedule=schedule, **more)

    monkeypatch.setattr(type(found), "estimate", refuse)
    wrong = ["PP-2"]
    done = CliRunner().invoke(app, ["pareto", TOY])
    assert done.exit_code == 0, done.output
    assert "PP-2 is refused: architecture=PP-2 is not legal: so it is." in " ".join(done.output.split())
    (row,) = [row.split() for row in done.output.splitlines() if row.startswith(" PP-2 ")]
    assert row == ["PP-2", "refused"]
    done = CliRunner().invoke(app, ["pareto", TOY, "--json"])
    assert [one for one in json.loads(done.stdout) if "refused" in one] == [
        {"architecture": "PP-2", "refused": "architecture=PP-2 is not legal: so it is"}
    ]
    wrong = found.architectures(cipher(TOY), "encrypt", 64)
    done = CliRunner().invoke(app, ["pareto", TOY])
    assert done.exit_code == 2
    assert "has no design: architecture=LU-1 is not legal" in done.output


def test_designs_by_name_and_with_choices() -> None:
    """Also one that the table has not; architectures are named with --design alone."""
    runner = CliRunner()
    named = ["--design", "SP-1-3", "--design", "LU-1", "--json"]
    done = runner.invoke(app, ["pareto", TOY, *named, "-s", "keys=chip"])
    assert done.exit_code == 0, done.output
    points = json.loads(done.stdout)
    assert [point["architecture"] for point in points] == ["SP-1-3", "LU-1"]
    table = " ".join(runner.invoke(app, ["pareto", TOY, *named[:-1]]).output.split())
    assert "of the architectures that were named; * is on the front." in table
    assert "all architectures" not in table
    plain = json.loads(runner.invoke(app, ["pareto", TOY, *named]).stdout)
    assert all(a["slices"] > b["slices"] for a, b in zip(points, plain, strict=True))
    wrong = runner.invoke(app, ["pareto", TOY, "-s", "architecture=LU-1"])
    assert wrong.exit_code == 2
    assert "those named with --design alone" in " ".join(wrong.output.split())
    wrong = runner.invoke(app, ["pareto", TOY, "--design", "LU-4"])
    assert wrong.exit_code == 2
    assert "has no design: architecture=LU-4 is not legal for toy" in " ".join(wrong.output.split())


class TestParts:
    @pytest.fixture(autouse=True)
    def tools(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """What places: a design of so many rounds takes as many LUTs, and runs with 100 MHz over that."""

        def placed(program: Any, part: str, seed: int, folder: Path) -> Placed:
            size = int(program.schedule.architecture.split("-")[1])
            if size == 6:
                raise CompilerError("nextpnr-ecp5 did not finish\nwithin 3 s")
            return Placed(seed, 100 / size, 1000 * size, 6)

        monkeypatch.setattr(place, "place", placed)
        monkeypatch.setattr(place, "check_tools", lambda part: None)

    def test_each_design_is_placed(self, tmp_path: Path) -> None:
        runner = CliRunner()
        plot = tmp_path / "toy.svg"
        done = runner.invoke(app, ["pareto", TOY, "--part", "ecp5-85", "--plot", str(plot)])
        assert done.exit_code == 0, done.output
        told = " ".join(done.output.split())
        assert "toy: area and throughput on ecp5-85" in told
        assert "LU-6 is refused: nextpnr-ecp5 did not finish within 3 s." in told
        (row,) = [row.split() for row in done.output.splitlines() if row.startswith(" LU-1 ")]
        assert row[:7] == ["LU-1", "*", "1000", "100.0", "6", "533", "533"]
        assert "area, LUTs" in plot.read_text("utf-8")

    def test_records(self) -> None:
        runner = CliRunner()
        arguments = ["pareto", TOY, "--part", "ice40-hx8k", "--design", "LU-2", "--design", "PP-6", "--json"]
        first, second = json.loads(runner.invoke(app, arguments).stdout)
        assert (first["architecture"], first["part"], first["luts"], first["mhz"]) == (
            "LU-2",
            "ice40-hx8k",
            2000,
            50.0,
        )
        assert first["mbit_s"] == pytest.approx(50 * 32 / 3)
        assert second == {"architecture": "PP-6", "refused": "nextpnr-ecp5 did not finish within 3 s"}

    def test_the_part_of_the_paper_is_estimated(self) -> None:
        runner = CliRunner()
        plain, named = (
            runner.invoke(app, ["pareto", TOY, *part]).output for part in ([], ["--part", "virtex-4"])
        )
        assert plain == named

    def test_other_parts_and_confirming_are_refused(self) -> None:
        runner = CliRunner()
        wrong = runner.invoke(app, ["pareto", TOY, "--part", "xc7a35t"])
        assert wrong.exit_code == 2
        accepted = "part 'xc7a35t'; accepted: virtex-4, ecp5-85, ice40-hx8k, ice40-up5k"
        assert accepted in " ".join(wrong.output.split())
        wrong = runner.invoke(app, ["pareto", TOY, "--part", "ecp5-85", "--confirm", "LU-1"])
        assert wrong.exit_code == 2
        assert "--confirm maps to virtex-4" in wrong.output

    def test_a_missing_tool_is_said_before_anything_is_made(self, monkeypatch: pytest.MonkeyPatch) -> None:
        def missing(part: str) -> None:
            raise CompilerError("yosys is not installed: install the extra")

        monkeypatch.setattr(place, "check_tools", missing)
        monkeypatch.setattr(type(machine("fpga")), "compile", None)
        wrong = CliRunner().invoke(app, ["pareto", TOY, "--part", "ecp5-85"])
        assert wrong.exit_code == 2
        assert "yosys is not installed: install the extra" in wrong.output


def test_what_does_not_fit_is_on_no_front() -> None:
    found: Any = machine("fpga")
    made = found.estimate(cipher(TOY), operation="encrypt", key_bits=64, schedule=Schedule())
    small, large = replace(made, slices=9), replace(made, slices=99)
    fast = replace(large, mhz=2 * small.mhz, fits=False)
    points = [fronts.estimated("small", small), fronts.estimated("large", fast)]
    assert fronts.front(points) == points[:1]
    assert [row[1] for row in fronts.front_sheet("toy", points).rows] == ["*", "no room"]


def test_a_netlist_that_does_not_fit_is_refused_but_known(monkeypatch: pytest.MonkeyPatch) -> None:
    """By `map` and the commands; the paper, which has such designs, shows its figures."""
    large = mapped.Figures(luts=30000, flip_flops=100, slices=15000, mhz=2.5)
    monkeypatch.setattr(mapped, "of", lambda program, folder: large)
    monkeypatch.setattr(mapped, "kept", lambda program, folder: large)
    done = CliRunner().invoke(app, ["pareto", TOY, "--confirm", "LU-1"])
    assert done.exit_code == 2
    assert (
        "toy_encrypt_lu_1 does not fit Xilinx Virtex XCV1000BG560, speed grade -4: 15000 slices"
        in done.output
    )
    assert fpga.row("rijndael", "LU-1", make=True).mapped == large


def test_boards_and_parts_by_command(tmp_path: Path) -> None:
    runner = CliRunner()
    done = runner.invoke(app, ["board", TOY, "--board", "icebreaker", "-o", str(tmp_path / "files")])
    assert done.exit_code == 0, done.output
    names = sorted(path.name for path in (tmp_path / "files").iterdir())
    assert names == ["make.sh", "toy_encrypt_lu_1.pcf", "toy_encrypt_lu_1.v"]
    wrong = runner.invoke(app, ["board", TOY, "--board", "basys", "-o", str(tmp_path / "none")])
    assert "board 'basys'; accepted: icebreaker, ulx3s" in wrong.output
    assert not (tmp_path / "none").exists()
    files = ["-o", str(tmp_path)]
    for command in (["place", "rc6", "--part", "x"], ["board", "rc6", "--board", "ulx3s", *files]):
        assert "accepted: fpga" in runner.invoke(app, [*command, "--machine", "native"]).output
    assert "part 'x'; accepted: ecp5-85" in runner.invoke(app, ["place", TOY, "--part", "x"]).output


def test_seeds_have_a_median_and_a_spread(monkeypatch: pytest.MonkeyPatch) -> None:
    clocks = {1: 80.0, 2: 100.0, 3: 110.0}
    monkeypatch.setattr(place, "place", lambda program, part, seed, folder: Placed(seed, clocks[seed], 5, 6))
    done = CliRunner().invoke(app, ["place", TOY, "--part", "ecp5-85", "--seeds", "3"])
    assert done.exit_code == 0, done.output
    assert "Median 100.0 MHz, 533 Mbit/s; 3 seeds, 30 % apart." in done.output
