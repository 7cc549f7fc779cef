"""What Yosys writes of operators, held to what they mean in Verilog; what is not known is refused."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from finalist.errors import CompilerError
from finalist.machines.fpga.mapping import yosys as tool
from finalist.machines.fpga.mapping.circuits import READ
from finalist.netlist import yosys
from finalist.netlist.course import Control, Course
from finalist.netlist.lanes import Lanes, bits_of_lanes, lanes_of
from tests.marks import needs_yosys

LANES = 64
#: By expression its value, of two words of 6 bits, in 8 bits.
OPERATORS: dict[str, Callable[[int, int], int]] = {
    "a & b": lambda a, b: a & b,
    "a | b": lambda a, b: a | b,
    "a ^ b": lambda a, b: a ^ b,
    "a ~^ b": lambda a, b: ~(a ^ b),
    "~a": lambda a, b: ~a,
    "a + b": lambda a, b: a + b,
    "a - b": lambda a, b: a - b,
    "a * b": lambda a, b: a * b,
    "a == b": lambda a, b: a == b,
    "a != b": lambda a, b: a != b,
    "a < b": lambda a, b: a < b,
    "a && b": lambda a, b: bool(a and b),
    "a || b": lambda a, b: bool(a or b),
    "!a": lambda a, b: not a,
    "&a": lambda a, b: a == 63,
    "|a": lambda a, b: a != 0,
    "^a": lambda a, b: a.bit_count() & 1,
    "~^a": lambda a, b: ~a.bit_count() & 1,
    "a[0] ? a : b": lambda a, b: a if a & 1 else b,
    "box(a)": lambda a, b: a * 37 + 11 & 255,
    "late": lambda a, b: 0,
}


@cache
def module(folder: Path) -> dict[str, Any]:
    cases = " ".join(f"{x}: box = {x * 37 + 11 & 255};" for x in range(64))
    ports = "".join(f", output wire [7:0] y{k}" for k in range(len(OPERATORS)))
    lines = "".join(f"    assign y{k} = {text};\n" for k, text in enumerate(OPERATORS))
    text = (
        f"module words (input wire clk, input wire [5:0] a, input wire [5:0] b{ports});\n"
        f"    function [7:0] box; input [5:0] x; case (x) {cases} endcase endfunction\n"
        f"    reg [7:0] late;\n    always @(posedge clk) if (b[0]) late <= a;\n{lines}endmodule\n"
    )
    return tool.module(tool.kept(text, "words", READ, folder), "words")


@needs_yosys
def test_operators(tmp_path_factory: pytest.TempPathFactory) -> None:
    found = yosys.read("words", module(tmp_path_factory.mktemp("netlists")), "clk")
    draw = random.Random(1)
    a, b = ([draw.getrandbits(6) for _ in range(LANES)] for _ in "ab")
    given = {("a", 0): bits_of_lanes(a, 6), ("b", 0): bits_of_lanes(b, 6)}
    course = Course(Control(found, [{}, {}]), Lanes(LANES), given)
    for k, (text, meaning) in enumerate(OPERATORS.items()):
        if text != "late":
            wanted = [int(meaning(x, y)) & 255 for x, y in zip(a, b, strict=True)]
            assert lanes_of(course.port(f"y{k}", 0), LANES) == wanted, text
    late = lanes_of(course.port(f"y{len(OPERATORS) - 1}", 1), LANES)
    assert late == [x if y & 1 else 0 for x, y in zip(a, b, strict=True)]


def cell(kind: str, **parameters: str) -> dict[str, Any]:
    pins = {"CLK": [9], "D": [3], "Q": [10], "A": [3], "B": [4], "Y": [10]}
    made = {"type": kind, "parameters": parameters, "connections": pins}
    ports = {"clk": {"direction": "input", "bits": [2]}, "x": {"direction": "input", "bits": [3, 4]}}
    return json.loads(json.dumps({"ports": ports, "cells": {"it": made}}))


@pytest.mark.parametrize(
    ("module", "error"),
    [
        (cell("$dlatch"), r"a cell of type \$dlatch, which is not known here"),
        (cell("$dff", CLK_POLARITY="1"), "it has another clock"),
        (cell("$lt", A_SIGNED="1", B_SIGNED="1"), "signed words in it"),
        (cell("$memrd_v2", ABITS="1", MEMID="m", CLK_ENABLE="0"), "clocked or not filled"),
    ],
)
def test_what_is_not_known_is_refused(module: dict[str, Any], error: str) -> None:
    with pytest.raises(CompilerError, match=error):
        yosys.read("it", module, "clk")
