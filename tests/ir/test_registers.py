"""Registers in graphs: words put together, instructions on them, carried through loops and conditions."""

from __future__ import annotations

import numpy as np
import pytest

from finalist.errors import GraphError
from finalist.ir import interpreter
from finalist.ir.builder import Builder
from finalist.ir.graph import Graph, Instruction, Node, Region
from finalist.ir.ops import Op
from finalist.ir.printer import format_graph
from finalist.ir.types import TupleType, WordType
from finalist.ir.verify import verify

WORD = WordType(32)
PAIR = TupleType((WORD, WORD))


def instruction(name: str = "swapadd") -> Instruction:
    """(a, b), (c, d) becomes (b + c, a ^ d)."""
    make = Builder()
    a, b, c, d = (make.param("argument", WORD, letter) for letter in "abcd")
    results = [make.make(Op.ADD, (b, c)), make.make(Op.XOR, (a, d))]
    return Instruction(name, Region([a, b, c, d], results), (2, 2))


def words(make: Builder, count: int) -> list[Node]:
    return [make.param("memory", WORD, f"x{k}") for k in range(count)]


def column(*values: int) -> np.ndarray:
    return np.array(values, "u4")


def test_an_instruction_is_what_it_means() -> None:
    make, params = Builder(), []
    params = words(make, 4)
    pairs = [make.make(Op.TUPLE, params[k : k + 2]) for k in (0, 2)]
    made = make.make(Op.INSTRUCTION, pairs, instruction())
    assert made.type == PAIR
    graph = Graph("g", params, make.results(made))
    verify(graph)
    found = interpreter.run(graph, [column(1, 5), column(2, 6), column(0xFFFFFFFF, 7), column(8, 8)])
    assert [value.tolist() for value in found] == [[1, 13], [9, 13]]
    assert "instruction v" in format_graph(graph)
    assert "[swapadd]" in format_graph(graph)


def test_equal_instructions_are_made_once() -> None:
    make = Builder()
    pair = make.make(Op.TUPLE, words(make, 2))
    one, same, other = instruction(), instruction(), instruction("other")
    first = make.make(Op.INSTRUCTION, (pair, pair), one)
    assert make.make(Op.INSTRUCTION, (pair, pair), one) is first
    assert make.make(Op.INSTRUCTION, (pair, pair), same) is not first, "an instruction is its own"
    assert make.make(Op.INSTRUCTION, (pair, pair), other) is not first


@pytest.mark.parametrize("count", [1, 3])
def test_operands_must_fit(count: int) -> None:
    make = Builder()
    pair = make.make(Op.TUPLE, words(make, 2))
    wrong = make.make(Op.TUPLE, words(make, count))
    for operands in ([pair], [pair, wrong], [pair, pair, pair], words(make, 2)):
        with pytest.raises(GraphError, match=r"instruction: operands .* do not fit"):
            make.make(Op.INSTRUCTION, operands, instruction())


def test_a_meaning_is_closed() -> None:
    make = Builder()
    stranger, own = words(make, 1)[0], make.param("argument", WORD)
    open_ = Instruction("open", Region([own], [make.make(Op.XOR, (own, stranger))]), (1,))
    with pytest.raises(GraphError, match="do not fit"):
        make.make(Op.INSTRUCTION, [make.make(Op.TUPLE, [own])], open_)


def test_the_verifier_looks_at_instructions() -> None:
    make = Builder()
    params = words(make, 2)
    pair = make.make(Op.TUPLE, params)
    wrong = make.raw(Op.INSTRUCTION, (pair,), instruction(), PAIR)
    with pytest.raises(GraphError, match="do not fit"):
        verify(Graph("g", params, make.results(wrong)))


def turns(limit: Node | None, params: list[Node], make: Builder) -> Graph:
    """Three turns of the instruction on a carried register, each where x0 + turn < limit."""
    index, carried = make.param("index", WORD, "i"), make.param("carried", PAIR, "c")
    step = make.make(Op.INSTRUCTION, (carried, carried), instruction())
    if limit is not None:
        inner = make.param("carried", PAIR, "inner")
        twice = make.make(Op.INSTRUCTION, (inner, inner), instruction())
        condition = make.make(Op.LT, (make.make(Op.ADD, (params[0], index)), limit))
        (step,) = make.results(make.make(Op.WHEN, (condition, carried), Region([inner], [twice])))
    body = Region([index, carried], [step])
    start = make.make(Op.TUPLE, params[:2])
    (last,) = make.loop(make.const(0, 32), make.const(3, 32), [start], body)
    return Graph("g", params, make.results(last))


@pytest.mark.parametrize("conditional", [False, True])
def test_registers_are_carried(conditional: bool) -> None:
    make = Builder()
    params = words(make, 3)
    graph = turns(params[2] if conditional else None, params, make)
    verify(graph)
    inputs = [column(0, 3, 9), column(7, 8, 9), column(2, 5, 1)]
    found = np.stack(interpreter.run(graph, inputs)).T.tolist()
    for a, b, limit, got in zip(*(value.tolist() for value in inputs), found, strict=True):
        first = a
        for turn in range(3):
            if not conditional or first + turn < limit:
                a, b = (b + a) % 2**32, a ^ b
        assert got == [a, b]
