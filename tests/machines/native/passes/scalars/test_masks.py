"""Words that count if one of several conditions holds, by a mask for each."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from finalist.ciphers.catalogue import cipher
from finalist.ir.builder import Builder
from finalist.ir.graph import Node
from finalist.ir.ops import Op
from finalist.ir.types import WordType
from finalist.machines.native.passes.scalars import masks
from finalist.machines.tracing import traced
from finalist.passes.pipeline import lower
from tests.passes.meaning import keeps_program, operations


def test_the_key_has_masks_of_its_own() -> None:
    """IDEA's products, of which a factor may be the word 0 that stands for 2^16."""
    program = lower(traced(cipher("idea"), "encrypt", 128))
    after = keeps_program(masks.run, program)
    chosen = operations(after.kernel, Op.SELECT)
    assert len(chosen) == 34 and all(masks.zero_tested(node) is not None for node in chosen)
    assert len(operations(program.expand, Op.SELECT)) == 0
    assert sum(map(masks.is_mask, operations(after.expand, Op.SELECT))) == 34


@pytest.mark.parametrize("name", ["rc2", "mars", "frog"])
def test_others_are_left_alone(name: str) -> None:
    program = lower(traced(cipher(name), "encrypt", 128))
    assert masks.run(program) is program


@pytest.mark.parametrize(
    ("made", "tested"),
    [
        (lambda make, bit, ones, zeros: (bit, ones, zeros), True),
        (lambda make, bit, ones, zeros: (bit, zeros, ones), False),
        (lambda make, bit, ones, zeros: (bit, make.const(1, 16), zeros), False),
        (lambda make, bit, ones, zeros: (make.make(Op.EQ, (bit.inputs[0], ones)), ones, zeros), False),
        (lambda make, bit, ones, zeros: (make.make(Op.LT, bit.inputs), ones, zeros), False),
    ],
)
def test_what_is_a_mask_of_a_word_that_is_zero(
    made: Callable[[Builder, Node, Node, Node], tuple[Node, ...]], tested: bool
) -> None:
    make = Builder()
    word = make.param("memory", WordType(16), "x")
    ones, zeros = make.const(0xFFFF, 16), make.const(0, 16)
    node = make.make(Op.SELECT, made(make, make.make(Op.EQ, (word, zeros)), ones, zeros))
    assert (masks.zero_tested(node) is word) is tested
