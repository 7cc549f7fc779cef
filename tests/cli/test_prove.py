"""`finalist prove`: tables, JSON, exit codes, and what it refuses."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from finalist.cli import app
from finalist.ir.program import Program
from finalist.isa.simulate.run import SimulatedProgram
from finalist.prove import decide, streams
from finalist.prove.decide import prove
from finalist.prove.proof import Proof
from finalist.report.proofs import table
from tests.marks import needs_clang, needs_yosys
from tests.prove.programs import made


def run(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["prove", *arguments], prog_name="finalist")


def test_a_table() -> None:
    result = run("rc6:r=1", "--operation", "decrypt", "--key-bits", "128", "-s", "rounds=unroll")
    assert result.exit_code == 0, result.output
    assert "proved" in result.stdout
    assert "rounds=unroll" in result.stdout


def test_a_certificate() -> None:
    result = run("rijndael", "--operation", "encrypt", "--key-bits", "128", "--json")
    assert result.exit_code == 0, result.output
    (found,) = json.loads(result.stdout)
    assert (found["verdict"], found["machine"], found["key_bits"]) == ("proved", "plx", 128)
    assert (len(found["definition"]), len(found["text"])) == (16, 64)


def test_both_directions_share_a_store(monkeypatch: pytest.MonkeyPatch) -> None:
    """And another cipher has its own."""
    begun: list[str] = []
    made_anew = decide._begun

    def noted(traced: Program, program: SimulatedProgram, seconds: float | None, choices: bool) -> Proof:
        begun.append(traced.cipher)
        return made_anew(traced, program, seconds, choices)

    monkeypatch.setattr(decide, "_begun", noted)
    result = run("rc6:r=1", "rc6:r=2", "--key-bits", "128", "--again", "--json")
    assert result.exit_code == 0, result.output
    found = [(one["cipher"], one["operation"], one["verdict"]) for one in json.loads(result.stdout)]
    ways = "encrypt", "decrypt"
    assert found == [(name, way, "proved") for name in ("rc6:r=1", "rc6:r=2") for way in ways]
    assert begun == ["rc6:r=1", "rc6:r=2"]


def test_of_a_stream_it_is_said_what_is_proved() -> None:
    """Below a table of a page, once for a cipher; not of ciphers whose blocks stand alone."""
    program, good = made("plx", "rc6:r=1")
    block = prove(program, good)
    stream = replace(block, cipher="stream", claim=streams.CLAIM)
    text = table([block, stream, replace(stream, operation="decrypt")], {})
    assert text.count("proved is") == 1
    assert f"- stream: proved is {streams.CLAIM}" in text


@needs_clang
def test_undecided_is_no_success() -> None:
    result = run("rc4", "--operation", "encrypt", "--key-bits", "40", "--machine", "native", "-s", "width=1")
    assert result.exit_code == 1
    assert "rc4 encrypt: blocks hand on a state" in result.stdout


def test_time_that_is_over() -> None:
    result = run("rijndael", "--operation", "encrypt", "--key-bits", "128", "--seconds", "0", "--again")
    assert result.exit_code == 1
    assert "undecided" in result.stdout
    assert "not done within 0 seconds of the CPU" in result.stdout


def test_a_page(tmp_path: Path) -> None:
    """The part of a page between the command's own marks; the rest stays."""
    page = tmp_path / "page.md"
    marks = "<!-- finalist prove --machine plx -->\n<!-- end of finalist prove --machine plx -->\n"
    page.write_text(f"before\n{marks}after\n")
    result = run("rijndael", "--operation", "encrypt", "--key-bits", "128", "-o", str(page))
    assert result.exit_code == 0, result.output
    text = page.read_text()
    assert text.startswith("before\n")
    assert text.endswith("after\n")
    assert "| rijndael | 128 | " in text
    assert "1 of 1 programs are proved, of 1 of 1 ciphers all" in text


def test_a_page_without_marks_is_refused(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("nothing\n")
    result = run("rijndael", "-o", str(page))
    assert result.exit_code == 2
    assert "has no lines <!-- finalist prove --machine plx -->" in result.stderr
    assert page.read_text() == "nothing\n"


def test_machines_without_programs_of_their_own_are_refused() -> None:
    result = run("des", "--machine", "interpreter", "--key-bits", "64")
    assert result.exit_code == 2
    message = (
        "--machine interpreter: accepted is a machine whose programs are instruction words, C or hardware"
    )
    assert message in " ".join(result.stderr.split())


@needs_clang
def test_c() -> None:
    asked = ("rijndael", "--machine", "native", "-s", "blocks=1", "-s", "width=1", "--operation", "encrypt")
    result = run(*asked)
    assert result.exit_code == 0, result.output
    assert "proved   table lookups  C" in result.stdout


def test_passes() -> None:
    asked = ("rc6:r=1", "--operation", "encrypt", "--key-bits", "128", "--passes")
    result = run(*asked)
    assert result.exit_code == 0, result.output
    assert "finalist/passes/simplify.py" in result.stdout
    assert "passes changed nothing" in result.stdout
    (plan,) = json.loads(run(*asked, "--json").stdout)
    assert {one["verdict"] for one in plan["passes"]} == {"proved", "unchanged"}


def test_passes_of_drawn_schedules(tmp_path: Path) -> None:
    """Different schedules, the same ones again, and another number others; and a page with their table."""
    asked = ("rc6:r=1", "--operation", "encrypt", "--passes", "--machine", "native", "--drawn", "3")
    plans = json.loads(run(*asked, "--json").stdout)
    assert len({plan["schedule"] for plan in plans}) == 3
    assert {one["verdict"] for plan in plans for one in plan["passes"]} == {"proved", "unchanged"}
    assert [plan["schedule"] for plan in json.loads(run(*asked, "--json").stdout)] == [
        plan["schedule"] for plan in plans
    ]
    others = json.loads(run(*asked, "--seed", "2", "--json").stdout)
    assert [plan["schedule"] for plan in others] != [plan["schedule"] for plan in plans]
    page, mark = tmp_path / "page.md", "finalist prove --machine native --passes --drawn 3"
    page.write_text(f"<!-- {mark} -->\n<!-- end of {mark} -->\n")
    result = run(*asked, "-o", str(page))
    assert result.exit_code == 0, result.output
    assert "| rc6:r=1 | 128 | 3 | " in page.read_text()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--passes", "-o", "page.md"], "--output with --passes: accepted with --drawn"),
        (["--drawn", "3"], "--drawn goes with --passes"),
        (["--passes", "--seed", "3"], "--seed goes with --drawn"),
        (["--passes", "--drawn", "3", "-s", "blocks=1"], "--drawn and --schedule: accepted is one of them"),
        (
            ["--passes", "--drawn", "3", "--machine", "interpreter"],
            "machine 'interpreter' has no schedules that can be drawn",
        ),
    ],
)
def test_options_that_do_not_go_together(options: list[str], message: str) -> None:
    result = run("rc6:r=1", *options)
    assert result.exit_code == 2
    assert message in " ".join(result.stderr.split())


def test_a_netlist_is_of_hardware() -> None:
    result = run("rijndael", "--machine", "plx", "--mapped")
    assert result.exit_code == 2
    assert "--mapped with --machine plx: accepted with a machine that is hardware" in result.stderr
    result = run("rijndael", "--machine", "fpga", "--mapped", "--passes")
    assert result.exit_code == 2
    assert "--passes and --mapped: accepted is one of them" in result.stderr


def test_hardware_without_yosys(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """What would install it is said."""
    monkeypatch.setenv("FINALIST_CACHE", str(tmp_path))
    monkeypatch.setattr("finalist.machines.fpga.tools.beside", lambda name: None)
    monkeypatch.setattr("shutil.which", lambda name: None)
    result = run("des", "--machine", "fpga", "--operation", "encrypt", "--again")
    assert result.exit_code != 0
    assert "install the extra `finalist[fpga]`" in result.stderr


@pytest.mark.slow
@pytest.mark.check
@needs_yosys
def test_hardware() -> None:
    result = run("des", "--machine", "fpga", "--operation", "encrypt", "--json", "--again")
    assert result.exit_code == 0, result.output
    (found,) = json.loads(result.stdout)
    assert (found["verdict"], found["form"]) == ("proved", "Verilog")
