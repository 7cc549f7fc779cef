"""Kernels on bits are what they were, gate by gate; and so is what each step of the way makes."""

from __future__ import annotations

import random

import pytest

from finalist.errors import ScheduleError
from finalist.ir.graph import TableData
from finalist.ir.ops import Op
from finalist.ir.program import Program
from finalist.passes import hoist, xors
from finalist.passes.bitslice import keys, sboxes, walk
from finalist.passes.circuits.circuit import Circuit
from finalist.passes.circuits.diagrams import from_diagrams
from finalist.passes.simplify import run as simplified
from tests.graphs import LANE_OPS, Shape, random_program
from tests.unchanged import unchanged

pytestmark = pytest.mark.digest

COUNT = 8
#: What has forms on bits, and, now and then, what has none.
BITS = Shape(
    LANE_OPS | {Op.LOOKUP, Op.SLICE, Op.JOIN, Op.SELECT, Op.EQ, Op.LT, Op.LINEAR, Op.BOOL, Op.LOAD},
    (8, 4, 32),
    10,
)


def program(seed: int) -> Program:
    return hoist.run(simplified(random_program(seed, BITS)))


def on_bits(seed: int) -> Program | str:
    """The program with its kernel on bits, or why there is none."""
    try:
        return walk.run(program(seed), ternary=seed % 2 == 1)
    except ScheduleError as refusal:
        return str(refusal)


def test_kernels_on_bits() -> None:
    made: dict[str, object] = {}
    for seed in range(COUNT):
        found = on_bits(seed)
        made[f"{seed} walk"] = found
        if isinstance(found, Program):
            made[f"{seed} keys"] = keys.run(found)
            made[f"{seed} gates"] = sboxes.with_gates(found.kernel, 60, ternary=seed % 2 == 1)
    assert sum(isinstance(found, Program) for found in made.values()) > COUNT
    unchanged("bitslice-kernels", made)


def test_masks_of_boxes() -> None:
    tables = [
        TableData(tuple(random.Random(seed).getrandbits(width) for _ in range(1 << bits)), width, "T")
        for seed, (bits, width) in enumerate([(4, 4), (3, 5), (6, 4), (2, 2)])
    ]
    made = {}
    for number, table in enumerate(tables):
        made[str(number)] = (
            sboxes.masks(table),
            sboxes.masks(table, ternary=True),
            sboxes.complemented(table, 1, 2).values,
        )
    unchanged("bitslice-masks", made)


def test_sums_of_bits() -> None:
    made = {}
    for seed in range(20):
        source = random.Random(seed)
        inputs = source.randint(1, 12)
        rows = tuple(source.getrandbits(inputs) for _ in range(source.randint(1, 10)))
        made[str(seed)] = xors.sums_of_rows(rows, inputs)
        matrices = [tuple(source.getrandbits(8) for _ in range(inputs)) for _ in range(2)]
        made[f"rows {seed}"] = xors.rows_of(matrices, 8)
    unchanged("bitslice-sums", made)


def test_the_order_of_gates() -> None:
    def circuit(seed: int) -> Circuit:
        source = random.Random(seed)
        return from_diagrams(tuple(source.randrange(8) for _ in range(16)), 4, 3)

    made = {}
    for seed in range(8):
        ordered = sboxes.with_few_alive(circuit(seed))
        pressure = sboxes.pressure(circuit(seed), list(range(len(ordered.gates))))
        made[str(seed)] = ordered.to_json(), pressure
    unchanged("bitslice-order", made)
