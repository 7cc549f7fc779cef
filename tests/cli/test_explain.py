"""`finalist explain`: every machine, files of users, graphs, JSON, terminals, and what it refuses."""

from __future__ import annotations

import io
import json
import re
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console
from rich.table import Table
from typer.testing import CliRunner, Result

from finalist.ciphers.catalogue import cipher
from finalist.cli import app
from finalist.cli import explain as command
from finalist.cli.fitting import fitted
from finalist.ir.printer import format_graph
from finalist.machines.registry import machine
from finalist.machines.tracing import traced as trace
from finalist.passes import simplify
from finalist.report.explained import stages
from finalist.schedule import Schedule
from finalist.tuning.origins import origins
from tests.test_api import with_slow_ones_checked

EXAMPLES = Path(__file__).parents[2] / "examples"


def run(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["explain", *arguments], prog_name="finalist")


def good(*arguments: str) -> str:
    result = run(*arguments)
    assert result.exit_code == 0, result.output
    assert result.stderr == ""
    return result.stdout


def refused(*arguments: str) -> str:
    result = run(*arguments)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.count("\n") == 1
    return result.stderr


def document(*arguments: str) -> Any:
    return json.loads(good(*arguments, "--json"))


@pytest.mark.parametrize("kind", with_slow_ones_checked())
@pytest.mark.parametrize("source", ["rc6", str(EXAMPLES / "speck.py")])
@pytest.mark.every(2)
def test_every_machine(kind: str, source: str) -> None:
    lines = good(source, "--machine", kind, "--operation", "decrypt").splitlines()
    name = "rc6" if source == "rc6" else "speck"
    assert lines[0] == f"{name} decrypt, 128-bit keys, {kind}"
    assert any(re.match(r" traced +key schedule \d+ operations, kernel \d+ ", line) for line in lines)
    end = "This machine takes no schedule." if kind == "interpreter" else " word "
    assert any(line.startswith(end) for line in lines)


def test_what_passes_did() -> None:
    text = good("rijndael", "-s", "width=1")
    assert " fuse " in text and "tables 256 -> " in text
    assert "The program with the linear maps of its kernel fused" in text
    assert "no change" in text and "\x1b" not in text


def test_numbers_are_those_before_and_after() -> None:
    found = document("rijndael", "-s", "width=1")
    assert [one["name"] for one in found["passes"]][:3] == ["traced", "legalise", "simplify"]
    text = good("rijndael", "-s", "width=1")
    before, after = (
        next(one for one in found["passes"] if one["name"] == name) for name in ("simplify", "pack")
    )
    assert f"kernel {before['kernel']} -> {after['kernel']} operations" in text


def test_the_document() -> None:
    found = document("rc6", "-s", "blocks=2,width=1", "--key-bits", "192")
    assert (found["cipher"], found["operation"], found["key_bits"]) == ("rc6", "encrypt", 192)
    assert found["schedule"] == "blocks=2 width=1 skew=8 rounds=unroll"
    assert {one["word"]: one["origin"] for one in found["words"]} == {
        "blocks": "asked for",
        "width": "asked for",
        "skew": "default",
        "rounds": "default",
    }
    assert all(set(one) >= {"name", "summary", "file", "changed", "kernel"} for one in found["passes"])
    assert {one["file"] for one in found["passes"][1:]} >= {"finalist/passes/pack.py"}


def test_a_flag_and_what_was_tried() -> None:
    text = good("rijndael", "-s", "constant-time")
    assert re.search(r"^ constant-time +yes +asked for$", text, re.MULTILINE)
    assert re.search(r"^ lookup +\w+ +tried +left open: ", text, re.MULTILINE)
    text = good("rijndael", "--machine", "plx:word=64,with=ptlu")
    assert re.search(
        r"^\d+ more passes ran for other programs, such as were tried and not taken\.$", text, re.MULTILINE
    )


class TestGraphs:
    def test_before_any_pass(self) -> None:
        traced = trace(cipher("rc6"), "encrypt", 128)
        assert good("rc6", "--show", "traced") == format_graph(traced.kernel)
        assert good("rc6", "--show", "traced", "--graph", "key-schedule") == format_graph(traced.expand)

    def test_after_a_pass(self) -> None:
        kernel = simplify.run(trace(cipher("rc6"), "decrypt", 256)).kernel
        asked = ("rc6", "--show", "simplify", "--operation", "decrypt", "--key-bits", "256")
        assert good(*asked) == format_graph(kernel)
        assert document(*asked) == {"pass": "simplify", "graph": format_graph(kernel)}

    def test_the_last_one_is_what_is_written(self) -> None:
        made = machine("plx").program(trace(cipher("rc6"), "encrypt", 128), Schedule())
        name = document("rc6", "--machine", "plx")["passes"][-1]["name"]
        assert good("rc6", "--machine", "plx", "--show", name) == format_graph(made.program.kernel)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("rc7",), "unknown cipher 'rc7' (did you mean rc6?)"),
        (("rc6", "--machine", "plxx"), "unknown machine 'plxx' (did you mean plx?)"),
        (("rc6", "--operation", "encrpt"), "unknown operation 'encrpt' (did you mean encrypt?)"),
        (("rc6", "--key-bits", "129"), "rc6 has no 129-bit keys"),
        (("rc6", "-s", "block=2"), "unknown schedule word 'block' (did you mean blocks?)"),
        (("rc6", "-s", "width=3"), "width=3: this machine has 1, 128, 256, 512"),
        (("rc6", "-s", "architecture=LU-1"), "architecture=LU-1: native has no such choice"),
        (("rc4", "--machine", "fpga"), "rc4 has no data path"),
        (("rc4", "--machine", "fpga", "-s", "directions=both"), "rc4 has no data path"),
        (("rc6", "--machine", "fpga", "-s", "tuned"), "fpga has no schedules that are tuned"),
        (("rc6", "--show", "simplfy"), "unknown pass 'simplfy' (did you mean simplify?)"),
        (("rc6", "--show", "simplify", "--graph", "kernl"), "unknown graph 'kernl' (did you mean kernel?)"),
        (("rc6", "--graph", "kernel"), "--graph kernel: accepted with --show"),
        (("no/such.py",), "no definition file"),
    ],
)
def test_refusals(arguments: tuple[str, ...], said: str) -> None:
    assert said in refused(*arguments)


@cache
def shown() -> list[Any]:
    """Paragraphs and tables of a program with a long list of passes."""
    task = (machine("native"), cipher("serpent"), "encrypt", 128, Schedule(width=128, planes=8))
    made, passed, others = stages(*task)
    chosen = list(origins(task[0], passed[0].program, Schedule(), Schedule(), made.schedule))
    return list(command._shown("title", passed, others, chosen))


@pytest.mark.parametrize("width", [40, 60, 80, 120])
@pytest.mark.check
def test_terminals(width: int) -> None:
    """Nothing is wider, and no word is cut in two."""
    console = Console(width=width, file=io.StringIO(), record=True, force_terminal=True)
    for part in shown():
        for one in fitted(part, width) if isinstance(part, Table) else [part]:
            console.print(one)
    text = console.export_text(styles=False)
    assert max(map(len, text.splitlines())) <= width
    words = set(text.split())
    assert {"complements", "hoist", "operations,", "rounds", "critical"} <= words


@pytest.mark.check
def test_units_by_cycles(tmp_path: Path) -> None:
    """What each unit does, with a plot beside it; as a document the same."""
    plot, speck = tmp_path / "units.json", str(EXAMPLES / "speck.py")
    text = good(speck, "--machine", "c62x", "--units", "--plot", str(plot))
    assert " cycle  L1 " in text and "SHRU" in text and "cycles: " in text and "pass" not in text
    assert json.loads(plot.read_text())["title"]["subtitle"][0] in text
    found = document(speck, "--machine", "c62x", "--units")
    assert found["blocks"] == 1 and len(found["units"]) == 8
    assert found["slots"][0].keys() == {"cycle", "unit", "name", "kind", "block"}


@pytest.mark.check
def test_as_a_page(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    assert good("rc6", "-s", "width=1", "--html", str(page)) == f"{page}\n"
    assert page.read_text("utf-8").startswith("<!DOCTYPE html>")
    assert document("rc6", "--html", str(page)) == {"html": str(page)}
    assert "can't be written" in refused("rc6", "--html", str(tmp_path / "no" / "page.html"))


def test_units_of_a_machine_without() -> None:
    assert "does not say what is issued when" in refused("rc6", "--units")


def test_a_plot_that_can_not_be_drawn_is_refused_first(tmp_path: Path) -> None:
    assert "ends in no format of plots" in refused("rc6", "--plot", str(tmp_path / "units.txt"))


@pytest.mark.check
def test_what_bounds_a_pipelined_loop() -> None:
    """Only such a loop has it."""
    arguments = ("rc6", "--machine", "c62x", "-s", "pipeline=on")
    text, found = good(*arguments), document(*arguments)["loop"]
    assert f"The loop over blocks takes {found['interval']} cycles, at least {found['bound']}: " in text
    assert {"L", "S", "M", "D", "X", "T", "recurrence", "registers"} <= {one["name"] for one in found["all"]}
    assert "loop" not in document("rc6", "-s", "width=1")
