"""Mapped netlists: executed, measured, and held to blocks that they must reproduce."""

from __future__ import annotations

import random
import re
from copy import copy
from pathlib import Path
from typing import Any

import pytest

from finalist.api import compile as compile_cipher
from finalist.errors import CompilerError, ScheduleError, VectorError
from finalist.machines.fpga import part, tools
from finalist.machines.fpga.mapping import mapped, yosys
from finalist.machines.fpga.mapping.netlist import Netlist, Simulation, _shannon
from tests.machines.fpga.toy import TOY
from tests.marks import needs_yosys


def mapped_module(text: str, name: str, folder: Path, *, seconds: float = yosys.LIMIT) -> dict[str, Any]:
    """The mapped netlist of a Verilog module, as Yosys writes it in JSON."""
    return yosys.module(yosys.kept(text, name, yosys.VIRTEX, folder, seconds=seconds), name)


def cell(kind: str, connections: dict[str, int | str], truth: str = "") -> dict[str, Any]:
    pins = {pin: [bit] for pin, bit in connections.items()}
    return {"type": kind, "parameters": {"INIT": truth} if truth else {}, "connections": pins}


def port(direction: str, *bits: int) -> dict[str, Any]:
    return {"direction": direction, "bits": list(bits)}


def adder() -> dict[str, Any]:
    """Two bits and two bits, by a carry chain, into registers; wires 2 to 5 in, 20 and 21 out."""
    return {
        "ports": {"a": port("input", 2, 3), "b": port("input", 4, 5), "q": port("output", 20, 21)},
        "cells": {
            "l0": cell("LUT2", {"I0": 2, "I1": 4, "O": 10}, "0110"),
            "l1": cell("LUT2", {"I0": 3, "I1": 5, "O": 11}, "0110"),
            "c0": cell("MUXCY", {"CI": "0", "DI": 2, "S": 10, "O": 12}),
            "x0": cell("XORCY", {"CI": "0", "LI": 10, "O": 13}),
            "x1": cell("XORCY", {"CI": 12, "LI": 11, "O": 14}),
            "f0": cell("FDRE", {"C": 6, "CE": "1", "D": 13, "R": "0", "Q": 20}),
            "f1": cell("FDRE", {"C": 6, "CE": "1", "D": 14, "R": "0", "Q": 21}),
        },
    }


def test_a_netlist_adds() -> None:
    simulation = Simulation(Netlist(adder()), lanes=16)
    pairs = [(a, b) for a in range(4) for b in range(4)]
    simulation.set("a", [a for a, _ in pairs])
    simulation.set("b", [b for _, b in pairs])
    assert simulation.get("q", 16) == [0] * 16
    simulation.clock()
    assert simulation.get("q", 16) == [(a + b) % 4 for a, b in pairs]


def test_what_a_netlist_costs() -> None:
    """Two tables in a slice with both registers; a carry of one bit: C to Q, wire, carry, sum, setup."""
    netlist = Netlist(adder())
    assert mapped.slices(netlist) == 1
    arcs = 1.4 + part.wires().ns(1) + 0.8 + 0.7 + 0.55 + 0.77
    assert mapped.period(netlist) == pytest.approx(arcs)
    loose = adder()
    loose["cells"]["f0"]["connections"]["D"] = [2]
    loose["cells"]["f1"]["connections"]["D"] = [3]
    assert mapped.slices(Netlist(loose)) == 2


def test_unknown_cells_and_loops_are_errors() -> None:
    strange = adder()
    strange["cells"]["l0"]["type"] = "DSP48"
    with pytest.raises(CompilerError, match="a cell of type DSP48"):
        Netlist(strange)
    loop = adder()
    loop["cells"]["l0"]["connections"]["I0"] = [14]
    loop["cells"]["x1"]["connections"]["LI"] = [10]
    with pytest.raises(CompilerError, match="loop of logic"):
        Netlist(loop)


@pytest.mark.parametrize("seed", range(8))
def test_truth_tables(seed: int) -> None:
    draw = random.Random(seed)
    count = seed % 4 + 1
    truth = draw.getrandbits(1 << count)
    code = _shannon(truth, [f"v[{k}]" for k in range(count)])
    for point in range(1 << count):
        names = {"v": [point >> k & 1 for k in range(count)], "m": 1}
        assert eval(code, names) & 1 == truth >> point & 1


def test_vhdl_is_not_mapped(tmp_path: Path) -> None:
    program: Any = compile_cipher(TOY, "fpga", language="vhdl")
    with pytest.raises(ScheduleError, match="what is mapped is the Verilog"):
        mapped.of(program, tmp_path)


def test_a_missing_synthesiser_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str, hint: str) -> str:
        raise CompilerError(f"{name} is not installed: {hint}")

    monkeypatch.setattr(tools, "find", missing)
    program: Any = compile_cipher(TOY, "fpga")
    with pytest.raises(CompilerError, match=r"yosys is not installed: install the extra `finalist\[fpga\]`"):
        mapped.of(program, tmp_path)
    assert not list(tmp_path.iterdir())


def test_a_tool_past_its_limit_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    slow = tmp_path / "yosys"
    slow.write_text("#!/bin/sh\nsleep 5\n", "utf-8")
    slow.chmod(0o755)
    monkeypatch.setattr(yosys, "program", lambda: str(slow))
    with pytest.raises(CompilerError, match=r"yosys did not finish within 0.2 s"):
        mapped_module("module m; endmodule", "m", tmp_path / "kept", seconds=0.2)
    assert not (tmp_path / "kept").exists()


@needs_yosys
def test_a_fault_of_the_synthesiser_is_caught(tmp_path: Path) -> None:
    """Yosys 0.70 miscompiles adder trees whose sums have the attribute keep: right before its pass abc9."""
    program: Any = compile_cipher(TOY, "fpga")
    sums = re.findall(r"assign (\w+) = .* \+ ", program.text)
    text = re.sub(rf"(wire [^;]*\b(?:{'|'.join(sums)});)", r"(* keep *) \1", program.text)
    assert text.count("keep") == len(sums) > 4
    module = mapped_module(text, program.name, tmp_path)
    if right_after(program, module):
        pytest.skip("this Yosys maps them rightly")
    with pytest.raises(VectorError, match=r"gives \d+ of 64 blocks right"):
        mapped.check(program, Netlist(module))


def right_after(program: Any, module: dict[str, Any]) -> bool:
    """Whether the netlist is right for one block that the interpreter's answer is known of."""
    key, block = bytes(range(8)), b"\x01\x23\x45\x67"
    (wanted,) = compile_cipher(TOY, "interpreter").run_many([key], [block])
    return mapped.crypt(program, Netlist(module), key, [block]) == [int.from_bytes(wanted, "big")]


@needs_yosys
def test_keys_on_the_chip_and_both_directions_are_mapped(tmp_path: Path) -> None:
    """Round keys made by the netlist; half of the blocks go the other way."""
    program: Any = compile_cipher(TOY, "fpga", key_schedule="chip", directions="both")
    netlist = Netlist(mapped_module(program.text, program.name, tmp_path))
    assert mapped.check(program, netlist) == mapped.BLOCKS
    swapped = copy(program)
    swapped.programs = program.programs[::-1]
    with pytest.raises(VectorError, match="gives 0 of 64 blocks right"):
        mapped.check(swapped, netlist)


@needs_yosys
def test_a_design_is_mapped_checked_and_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program: Any = compile_cipher(TOY, "fpga", architecture="SP-2-1")
    found = mapped.of(program, tmp_path)
    assert found.flip_flops >= program.design.keys + program.design.register_bits
    assert mapped.kept(program, tmp_path) == found
    slow = part.Wires(9.0, 100)
    with monkeypatch.context() as patched:  # another law of wires: measured again, mapped and checked no more
        patched.setattr(part, "wires", lambda: slow)
        patched.setattr(yosys, "kept", None)
        again = mapped.kept(program, tmp_path)
    assert again is not None
    assert again.slices == found.slices
    assert again.mhz < found.mhz
    module = mapped_module(program.text, program.name, tmp_path)
    for name in sorted(module["cells"])[::7]:
        if module["cells"][name]["type"] == "LUT4":
            truth = module["cells"][name]["parameters"]
            truth["INIT"] = "".join("10"[int(bit)] for bit in truth["INIT"])
            break
    with pytest.raises(VectorError, match=r"of 64 blocks right|no result"):
        mapped.check(program, Netlist(module))


@needs_yosys
def test_registers_that_are_to_be_kept_are(tmp_path: Path) -> None:
    """Of two that are always equal a synthesiser makes one, unless it is told of both not to."""
    text = """
module twice (input wire clk, input wire a, output wire x, output wire y);
    (* keep = "true" *) reg one = 1'b0;
    (* keep = "true" *) reg other = 1'b0;
    assign x = one;
    assign y = ~other;
    always @(posedge clk) begin one <= a; other <= a; end
endmodule
"""
    found = mapped_module(text, "twice", tmp_path)
    kinds = [cell["type"] for cell in found["cells"].values()]
    assert sum(kind.startswith("FD") for kind in kinds) == 2
