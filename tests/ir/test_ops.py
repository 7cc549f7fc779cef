"""The list of operations is closed, short, documented, and known to everything that must know it."""

from __future__ import annotations

from finalist.ir import interpreter
from finalist.ir.graph import every_node
from finalist.ir.ops import BITWISE, COMMUTATIVE, COMPARISONS, CONTROL, SAME_WIDTH, SHIFTS, UNIQUE, Op
from tests.graphs import random_graph


def test_about_twenty_five() -> None:
    assert 25 <= len(Op) <= 40


def test_each_has_a_name_and_a_meaning_of_one_line() -> None:
    assert len({op.label for op in Op}) == len(Op)
    for op in Op:
        assert op.label == op.name.lower()
        assert "\n" not in op.meaning
        assert 1 < len(op.meaning) < 80
        assert op.signature
        assert repr(op) == f"Op.{op.name}"


def test_the_interpreter_knows_each() -> None:
    """A constant and a parameter have a value but nothing to compute."""
    assert set(interpreter._MEANING) == set(Op) - {Op.CONST, Op.PARAM}


def test_random_graphs_have_each() -> None:
    """What the generator does not make would not be tested anywhere.

    No definition has registers and instructions: tests of `passes.matching` and of machines make those.
    Windows are made by one pass alone, and tested with it.
    """
    made = {node.op for seed in range(300) for node in every_node(random_graph(seed))}
    assert made == set(Op) - {Op.CONST, Op.PARAM, Op.TUPLE, Op.INSTRUCTION, Op.WINDOW}


def test_sets_are_about_the_right_operations() -> None:
    assert {Op.AND, Op.OR, Op.XOR, Op.NOT, Op.BOOL} == BITWISE
    assert {Op.LOOP, Op.WHEN} == CONTROL
    assert {Op.SUB, Op.LT, Op.SHL} & COMMUTATIVE == set()
    assert COMMUTATIVE - COMPARISONS <= SAME_WIDTH
    assert {Op.SHL, Op.SHR, Op.ROL, Op.ROR} == SHIFTS
    # Two loops or two arrays alike are still two; two reads of one version are one.
    assert UNIQUE >= CONTROL | {Op.ARRAY, Op.STORE, Op.PARAM}
    assert Op.LOAD not in UNIQUE
