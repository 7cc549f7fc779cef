"""Tables in block RAM: where they can be, and that they are the tables."""

from __future__ import annotations

import random
from typing import Any

import pytest

from finalist.api import compile as compile_cipher
from finalist.ciphers.catalogue import cipher
from finalist.errors import CompilerError, ScheduleError
from finalist.ir.ops import Op
from finalist.machines.fpga.mapping import rams
from finalist.machines.fpga.mapping.netlist import Netlist, Simulation
from finalist.machines.fpga.signals import Part
from finalist.machines.fpga.walks import in_order
from finalist.vectors.check import check_known_answers
from finalist.vectors.load import vectors_of
from tests.machines.fpga.simulators import LANGUAGES, check_toy, missing
from tests.machines.fpga.toy import TOY


def design(name: str, operation: str = "encrypt", **choices: Any) -> Any:
    return compile_cipher(name, "fpga", operation, lookup="blockram", **choices)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("architecture", ["SP-1-1", "SP-2-2", "SP-6-1"])
def test_toys_in_simulation(architecture: str, language: str) -> None:
    check_toy(design(TOY, architecture=architecture, language=language), language)


@pytest.mark.parametrize(
    ("name", "operation", "architecture", "language"),
    [
        ("rijndael", "encrypt", "LU-1", "vhdl"),
        ("rijndael", "decrypt", "PP-2", "verilog"),
        ("twofish", "encrypt", "SP-1-2", "verilog"),
    ],
)
def test_vectors(name: str, operation: str, architecture: str, language: str) -> None:
    if missing(language):
        pytest.skip(missing(language))
    program = design(name, operation, architecture=architecture, language=language)
    known = [row for row in vectors_of(cipher(name)) if len(row.key) * 8 == program.key_bits]
    assert check_known_answers(program, [known[0], known[-1]]) == 2


def test_all_tables_go_and_so_do_registers_that_nothing_reads() -> None:
    """The round register of Rijndael is in the block RAMs: 16 reads, two in each."""
    found = design("rijndael", architecture="LU-1")
    (stage,) = found.design.stages
    assert [r.table is not None for r in stage.registers] == [True] * 16
    assert not any(signal.op is Op.LOOKUP for signal in in_order(found.design.ends()))
    assert found.estimate.block_rams == len(found.design.memories) == 8
    assert found.design.register_bits == 128
    read = {signal for signal in in_order(found.design.ends()) if signal.op is Part.INPUT}
    held = {r.output for r in (*stage.registers, *found.design.finish)}
    assert read - held <= {found.design.block_in, stage.turn}


def test_an_odd_read_has_a_block_ram_of_its_own() -> None:
    """Eight different S-boxes, each read once in a round."""
    found = design("des", architecture="SP-1-1")
    assert [len(ports) for _, ports in found.design.memories] == [1] * 8
    assert found.text.count(".entry_b()") == 8


@pytest.mark.parametrize(("name", "architecture"), [("rijndael", "LU-2"), ("twofish", "PP-2"), (TOY, "LU-1")])
def test_a_table_without_a_register_before_it_is_refused(name: str, architecture: str) -> None:
    with pytest.raises(ScheduleError, match=r"no register stands right before a table .*SP-n-m with more"):
        design(name, architecture=architecture)


def test_what_has_no_table_is_refused() -> None:
    with pytest.raises(ScheduleError, match="lookup=blockram is not legal for rc6: it has no table lookup"):
        design("rc6")


WORDS = [random.Random(9).getrandbits(18) for _ in range(1024)]


def ram(width: int, **others: str) -> dict[str, Any]:
    """A DP16KD, by the layout of its contents: 16 words of 18 bits in 320."""
    rows = [sum(word << 20 * k for k, word in enumerate(WORDS[at : at + 16])) for at in range(0, 1024, 16)]
    parameters = {f"INITVAL_{number:02X}": f"{row:0320b}" for number, row in enumerate(rows)}
    parameters |= {f"{name}_{port}": value for port in "AB" for name, value in {"REGMODE": "NOREG"}.items()}
    parameters |= {"DATA_WIDTH_A": f"{width:b}", "DATA_WIDTH_B": f"{width:b}", **others}
    pins: dict[str, list[Any]] = {f"ADA{k}": [2 + k] for k in range(14)}
    pins |= {f"DOA{k}": [20 + k] for k in range(18)} | {"CEA": [40], "WEA": ["0"], "RSTA": ["0"]}
    return {"type": "DP16KD", "parameters": parameters, "connections": pins}


def module(cell: dict[str, Any]) -> dict[str, Any]:
    ports = {"address": [2 + k for k in range(14)], "data": [20 + k for k in range(18)], "enable": [40]}
    made = {name: {"direction": "input", "bits": bits} for name, bits in ports.items()}
    return {"ports": made, "cells": {"ram": cell}}


@pytest.mark.parametrize("width", [1, 2, 4, 9, 18])
def test_a_block_ram_shows_its_words(width: int) -> None:
    """Of words of 18 bits those of 9 are halves; narrower ones are parts of the lower 8 bits of 9."""
    halves = [half for word in WORDS for half in (word & 0x1FF, word >> 9)]
    parts = {18: WORDS, 9: halves}.get(width) or [
        half >> low & (1 << width) - 1 for half in halves for low in range(0, 8, width)
    ]
    low = {1: 0, 2: 1, 4: 2, 9: 3, 18: 4}[width]
    simulation = Simulation(Netlist(module(ram(width))), lanes=16)
    wanted = random.Random(width).sample(range(len(parts)), 16)
    simulation.set("address", [place << low for place in wanted])
    simulation.set("enable", [1])
    simulation.clock()
    seen = [value & (1 << width) - 1 for value in simulation.get("data", 16)]
    assert seen == [parts[place] for place in wanted]
    simulation.set("address", [0])
    simulation.set("enable", [0])
    simulation.clock()
    assert [value & (1 << width) - 1 for value in simulation.get("data", 16)] == seen


def test_block_rams_that_are_not_known_are_refused() -> None:
    with pytest.raises(CompilerError, match="in a setting that is not known here"):
        Netlist(module(ram(9, REGMODE_A="OUTREG")))
    written = ram(9)
    written["connections"]["WEA"] = [41]
    with pytest.raises(CompilerError, match="is written to"):
        Netlist(module(written))
    assert not rams.is_ram("LUT4")
