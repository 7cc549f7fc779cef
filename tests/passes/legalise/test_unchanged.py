"""Programs on narrower words are what they were."""

from __future__ import annotations

import pytest

from finalist.ir.program import ByteOrder
from finalist.language.definition import trace
from finalist.passes.legalise.walk import legalised, run, widest
from tests.graphs import EVERYTHING, Shape, random_graph, random_program
from tests.unchanged import unchanged
from tests.wide import wide_cipher

pytestmark = pytest.mark.digest

WIDTHS = (8, 16, 32)
LONG = Shape(widths=(64, 33, 48, 17), size=10)


SHAPES = {"everything": EVERYTHING, "long": LONG}


def test_graphs() -> None:
    made = {
        f"{seed} {shape} {width}": legalised(random_graph(seed, SHAPES[shape]), width)
        for seed in range(12)
        for shape in SHAPES
        for width in WIDTHS
    }
    unchanged("legalise-graphs", made)


def test_programs() -> None:
    made: dict[str, object] = {}
    for seed in range(16):
        program = random_program(seed, stateful=seed % 4 == 0)
        made[f"{seed}"] = run(program, WIDTHS[seed % 3])
        made[f"{seed} widest"] = widest(program)
    wide = trace(wide_cipher(ByteOrder.BIG), "encrypt", 128)
    made["wide"] = run(wide, 32)
    unchanged("legalise-programs", made)
