"""Covers by goal: orders of evaluation, what must be kept, carries; each held against the term's value."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from finalist.errors import GraphError
from finalist.ir.ops import Op
from finalist.isa.assembly.assembler import assemble
from finalist.isa.assembly.text import written
from finalist.isa.code import Ins
from finalist.isa.lower.accumulator import AccumulatorSelector, Plan
from finalist.isa.lower.shape import holding
from finalist.isa.simulate.simulator import Simulator
from finalist.isa.target.meaning import (
    Leaf,
    Term,
    address,
    constant,
    equal,
    evaluate,
    less,
    load,
    mul_high,
    register,
)
from tests.processors.accumulator import PROCESSOR

A, B, C, D = (register(number) for number in (1, 2, 3, 4))
TABLE = 300


def lines(term: Term) -> list[str]:
    """The instructions of a term into word 9, words being numbered as they are addressed."""
    found: list[Ins] = []
    numbers = iter(range(10, 30))
    AccumulatorSelector(PROCESSOR, lambda: next(numbers), found.append, lambda value: 0).root(term, 9)
    return [written(PROCESSOR, ins.instruction, ins.values, ins.target) for ins in found]


def run(text: Sequence[str], words: Sequence[int]) -> int:
    """What word 9 is afterwards."""
    image = assemble("\n".join(["f:", *text, "halt"]), PROCESSOR)
    simulator = Simulator(image, PROCESSOR, ("f",))
    memory = simulator.memory(1024)
    memory[1:5] = bytes(words)
    memory[TABLE : TABLE + 256] = bytes((7 * k + 1) % 256 for k in range(256))
    simulator.run("f", memory, simulator.machine())
    return memory[9]


def looked_up(index: Term) -> Term:
    return load(1, index + address(TABLE))


TERMS = {
    "a sum": A + B + 3,
    "a difference from a constant": constant(0) - A,
    "both operands are computed": (A ^ B) & (C | D),
    "lookups in a sum": looked_up(A) ^ looked_up(B) ^ looked_up(C) ^ D,
    "a lookup of a lookup": looked_up(looked_up(A) ^ B) + C,
    "a product": (A ^ B) * (C + 1),
    "both halves": mul_high(A, B) ^ A * B,
    "a shift": (A << 3) | (B >> 5),
    "a rotation": Term(Op.ROL, (A, constant(3))),
    "a comparison": less(A, B),
    "an equality": equal(A, B ^ C),
    "a mask": constant(0) - less(A, B),
    "a carry in a sum": C + less(A + B, B),
    "one more": A + 1,
    "a negation": ~A,
}


@pytest.mark.parametrize("name", TERMS)
def test_what_is_computed(name: str) -> None:
    term = TERMS[name]
    text = lines(term)
    for words in ((1, 2, 3, 4), (255, 1, 128, 127), (200, 200, 0, 77)):
        expected = _value(term, words)
        assert run(text, words) == expected, (text, words)


def _value(term: Term, words: Sequence[int]) -> int:
    """The value of a term, loads by the table's rule."""
    if term.op is Op.LOAD:
        return (7 * _value(term.args[0].args[0], words) + 1) % 256
    if not term.args:
        return words[term.attr - 1] if term.op.name == "REGISTER" else int(term.attr)
    args = tuple(constant(_value(arg, words)) for arg in term.args)
    return evaluate(Term(term.op, args, None, term.lane, 0), {}, 8)


def test_a_sum_of_lookups_needs_no_other_memory() -> None:
    """X takes one index after the other while A keeps the sum."""
    assert lines(TERMS["lookups in a sum"]) == [
        "ldx *1",
        "lda 300,x",
        "ldx *2",
        "eor 300,x",
        "ldx *3",
        "eor 300,x",
        "eor *4",
        "sta *9",
    ]


def test_what_is_computed_for_an_operand_waits_in_memory() -> None:
    assert lines((A ^ B) - (C ^ D)) == [
        "lda *3",
        "eor *4",
        "sta *10",
        "lda *1",
        "eor *2",
        "sub *10",
        "sta *9",
    ]


def test_a_held_carry_is_not_lost() -> None:
    """What would overwrite it is no way to the sum."""
    selector = AccumulatorSelector(PROCESSOR, lambda: 10, lambda ins: None, lambda value: 0)
    with pytest.raises(GraphError, match="toy has no instructions for"):
        selector.root((A + B << 1) + C + holding("c"), 9)
    selector.root((A ^ B) + C + holding("c"), 9)


def test_both_results_of_one_instruction() -> None:
    found: list[Ins] = []
    selector = AccumulatorSelector(PROCESSOR, lambda: 10, found.append, lambda value: 0)
    made = selector.both(A + B, [less(A + B, B)])
    assert made is not None and (made.first, made.second) == ("a", "c")
    product = selector.both(A * B, [mul_high(A, B)])
    assert product is not None and (product.first, product.second) == ("a", "x")
    assert selector.both(A ^ B, [less(A, B)]) is None


def test_what_it_cannot_do_is_an_error() -> None:
    poor = replace(PROCESSOR, instructions=tuple(i for i in PROCESSOR.instructions if i.name != "mul"))
    selector = AccumulatorSelector(poor, lambda: 10, lambda ins: None, lambda value: 0)
    with pytest.raises(GraphError, match="toy has no instructions for"):
        selector.root(A * B, 9)


def test_what_is_there_costs_nothing() -> None:
    selector = AccumulatorSelector(PROCESSOR, lambda: 0, lambda ins: None, lambda value: 0)
    for file in PROCESSOR.files:
        assert selector.plan(Term(Leaf.REGISTER, attr=file), file) == Plan(0)
