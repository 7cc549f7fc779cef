"""Registers inside of rounds: where they go, and what they cost."""

from __future__ import annotations

import itertools
import random
from functools import cache

import pytest

from finalist.ciphers.catalogue import cipher
from finalist.ir.graph import TableData
from finalist.ir.ops import Op
from finalist.ir.program import Program
from finalist.machines.fpga.architecture import parse
from finalist.machines.fpga.datapath.design import build
from finalist.machines.fpga.datapath.lower import lower
from finalist.machines.fpga.model.estimate import Estimate, of
from finalist.machines.fpga.part import virtex
from finalist.machines.fpga.signals import Design, Part, Signal
from finalist.machines.fpga.stages.cut import Cut
from finalist.machines.fpga.stages.flow import Network
from finalist.machines.fpga.stages.logic import Logic
from finalist.machines.fpga.walks import in_order
from finalist.machines.tracing import traced
from tests.machines.fpga.toy import TOY
from tests.machines.fpga.values import word


@pytest.mark.parametrize("seed", range(20))
def test_the_smallest_cut_is_the_smallest(seed: int) -> None:
    """Against all ways to part six nodes."""
    draw = random.Random(seed)
    edges = [
        (a, b, draw.randrange(1, 9)) for a in range(6) for b in range(6) if a != b and draw.random() < 0.5
    ]

    def cost(side: set[int]) -> int:
        return sum(room for a, b, room in edges if a in side and b not in side)

    net = Network(6)
    for edge in edges:
        net.edge(*edge)
    middle = range(2, 6)
    sides = [{0, *some} for size in range(5) for some in itertools.combinations(middle, size)]
    found = net.source_side(0, 1)
    assert 0 in found
    assert 1 not in found
    assert cost(found) == min(map(cost, sides))


@cache
def lowered(name: str) -> Program:
    found = cipher(name)
    return lower(traced(found, "encrypt", found.usual_key_bits()))


@cache
def design(name: str, architecture: str) -> Design:
    return build([lowered(name)], parse(architecture))[0]


def estimate(name: str, architecture: str) -> Estimate:
    return of(design(name, architecture))


@pytest.mark.parametrize(
    ("name", "architecture", "before"),
    [
        ("rijndael", "SP-1-1", "LU-1"),
        ("rc6", "SP-1-1", "LU-1"),
        ("rc6", "SP-1-2", "LU-1"),
        ("twofish", "SP-1-2", "LU-1"),
        ("mars", "SP-1-3", "LU-1"),
    ],
)
@pytest.mark.every(3)
def test_stages_share_the_work(name: str, architecture: str, before: str) -> None:
    """The worst stage is not far from what cutting at any place could give, each register costing some ns."""
    whole, cut = max(estimate(name, before).stages), estimate(name, architecture).stages
    registers = 5.0
    assert len(cut) == parse(architecture).stages
    assert max(cut) < 1.25 * (whole / len(cut) + registers)


@pytest.mark.parametrize(
    ("name", "architectures"),
    [
        ("rijndael", ["SP-1-1", "SP-5-1"]),
        ("rc6", ["SP-1-2", "SP-10-2"]),
        ("twofish", ["SP-1-1", "SP-8-2"]),
    ],
)
@pytest.mark.every(3)
def test_stages_are_even(name: str, architectures: list[str]) -> None:
    """The shortest is within 15 % of the longest, also where the last round has a form of its own."""
    for architecture in architectures:
        stages = estimate(name, architecture).stages
        assert min(stages) >= 0.85 * max(stages), architecture


def test_cut_rounds_begin_and_end_with_the_block_alone() -> None:
    """A row between rounds holds the block; rows inside of a round may hold more."""
    rows = [sum(r.output.width for r in stage.registers) for stage in design("rc6", "SP-2-1").stages]
    assert rows[0] == rows[2] == 128 <= min(rows[1], rows[3]) < 300


def test_no_logic_reads_registers_of_another_stage() -> None:
    found = design(TOY, "SP-2-2")
    for place, stage in enumerate(found.stages):
        after = found.stages[(place + 1) % len(found.stages)]
        own = {stage.turn, *(register.output for register in stage.registers)}
        read = {s for s in in_order(r.input for r in after.registers) if s.op is Part.INPUT}
        assert read <= own, stage.title


def random_logic(draw: random.Random) -> tuple[list[Signal], list[Signal]]:
    """A turn and registers of 32 bits, and what tables, sums and choices make of their bytes."""
    inputs = [word(3), *(word(32) for _ in range(2))]
    table = TableData(tuple(range(256)), 8)
    words = inputs[1:]
    for _ in range(draw.randrange(1, 12)):
        a, b = draw.choice(words), draw.choice(words)
        kind = draw.choice([Op.LOOKUP, Op.LOOKUP, Op.ADD, Op.XOR, Part.MUX])
        if kind is Op.LOOKUP:
            read = [Signal(Op.SLICE, (a,), 8, 8 * k) for k in range(4)]
            entries = [Signal(Op.LOOKUP, (byte,), 8, table) for byte in read]
            words.append(Signal(Op.JOIN, entries, 32))
        elif kind is Part.MUX:
            choice = Signal(Op.SLICE, (inputs[0],), 1, draw.randrange(3))
            words.append(Signal(Part.MUX, (choice, a, b), 32, (0, 1)))
        else:
            words.append(Signal(kind, (a, b), 32))
    return inputs, words[2:]


@pytest.mark.parametrize("seed", range(40))
def test_any_logic_can_be_cut(seed: int) -> None:
    """Into any number of stages; each cell after those that it reads, tables in block RAM first in theirs."""
    draw = random.Random(seed)
    inputs, ends = random_logic(draw)
    memories = draw.random() < 0.4
    logic = Logic(inputs, ends, virtex().filled(draw.randrange(12288)), memories=memories)
    for stages in (1, 2, 3):
        found = Cut(logic, stages, chosen=draw.random() < 0.5, copied=draw.random() < 0.5)
        assert found.place.keys() == logic.cover.cells.keys()
        assert all(0 <= stage < stages for stage in found.place.values())
        for cell in logic.cover.cells.values():
            assert all(found.place.get(leaf, 0) <= found.place[cell.signal] for leaf in cell.leaves)


def test_tables_of_different_bytes_are_loads_of_different_bits() -> None:
    """Each of four tables is 128 loads of the bits of its byte, and no more of any."""
    source, table = word(32), TableData(tuple(range(256)), 8)
    ends = [Signal(Op.LOOKUP, (Signal(Op.SLICE, (source,), 8, 8 * k),), 8, table) for k in range(4)]
    logic = Logic([word(3), source], ends, virtex())
    assert [logic.together(end, source) for end in ends] == [128] * 4
    again = Signal(Op.LOOKUP, ends[0].inputs, 8, table)
    assert Logic([word(3), source], [*ends, again], virtex()).together(ends[1], source) == 256


def test_rounds_that_are_alike_are_cut_alike() -> None:
    """The same bits in registers, under names of their own stages."""
    found = design("serpent", "SP-8-2")
    rows = [sorted(r.output.width for r in stage.registers) for stage in found.stages]
    assert all(rows[k] == rows[k + 3] for k in range(0, len(rows) - 3, 3))
    names = [r.output.name for stage in found.stages for r in stage.registers]
    assert len(set(names)) == len(names)
    for place, stage in enumerate(found.stages):
        assert all(r.output.name.startswith(f"s{place}_") for r in stage.registers)


def test_cycles_are_those_of_the_architecture() -> None:
    found = estimate("rc6", "SP-5-2")
    assert (found.cycles_per_block, found.feedback_cycles) == (4, 61)
    assert found.mbit_s == pytest.approx(found.mhz * 32)
    assert found.feedback_mbit_s == pytest.approx(found.mhz * 128 / 61)
