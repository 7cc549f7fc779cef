"""Rows of bits that become columns: which are found, what is left alone, and what the code does."""

from __future__ import annotations

import random
from collections.abc import Sequence

from finalist.ir.builder import Builder
from finalist.ir.graph import Graph, Node
from finalist.ir.ops import Op
from finalist.ir.types import WordType
from finalist.isa.assembly.assembler import assemble
from finalist.isa.assembly.text import written
from finalist.isa.code import Cell, Code
from finalist.isa.lower.in_memory import InMemoryLowerer
from finalist.isa.lower.lowerer import Conventions
from finalist.isa.lower.transposed import transposed
from finalist.isa.simulate.simulator import Simulator
from finalist.isa.target.meaning import register
from finalist.isa.target.memory import Memory
from finalist.machines.hc05.model import Parameters, processor
from tests.model import evaluate

CARD = processor(Parameters())
#: The places of the results' bits in the words.
ORDER = (1, 3, 5, 7, 0, 2, 4, 6)


def column(make: Builder, words: Sequence[Node], place: int) -> Node:
    """One bit of each word, that of the first lowest."""
    total: Node | None = None
    for up, word in enumerate(words):
        bit = make.make(Op.AND, (word, make.const(1 << place, 8)))
        move = Op.SHL if up > place else Op.SHR
        bit = make.make(move, (bit, make.const(abs(up - place), 8))) if up != place else bit
        total = bit if total is None else make.make(Op.XOR, (total, bit))
    assert total is not None
    return total


def graph(order: Sequence[int] = ORDER, more: int = 0) -> Graph:
    """Columns in an order, and some of what they are made of."""
    make = Builder()
    words = [make.param("memory", WordType(8), f"w{k}") for k in range(8)]
    results = [column(make, words, place) for place in order]
    return Graph("columns", words, [*results, *results[0].inputs[:more]])


def test_rows_and_columns() -> None:
    made = graph()
    (found,) = transposed(made, 8)
    assert found.words == list(reversed(made.params))
    assert found.results == [made.results[ORDER.index(place)] for place in range(7, -1, -1)]
    assert set(found.members) == set(made.body)
    assert found.inputs == found.words


def test_seven_columns_or_what_is_wanted_besides_are_none() -> None:
    assert list(transposed(graph(ORDER[:7]), 8)) == []
    assert list(transposed(graph(more=1), 8)) == []
    assert list(transposed(graph((*ORDER[:7], 1)), 8)) == []


def lines(made: Graph, small: bool) -> list[str]:
    """The code, words numbered as they are addressed."""
    code = Code(words=10)
    to = InMemoryLowerer(CARD, Memory(512), code, Conventions())
    to.small = small
    to.begin("start")
    for number, param in enumerate(made.params, start=1):
        to.terms[param] = register(number)
    to.graph(made)
    for number, node in enumerate(made.results):
        to.emit(to.term(node), 150 + number)
    for ins in code.instructions():
        ins.operands = [int(x) + 64 if isinstance(x, Cell) else x for x in ins.operands]
    return [written(CARD, ins.instruction, ins.values) for ins in code.instructions()]


def test_the_code_does_it() -> None:
    made, draw = graph(), random.Random(5)
    for small in (True, False):
        image = assemble("\n".join(["f:", *lines(made, small), "stop"]), CARD)
        simulator = Simulator(image, CARD, ("f",))
        for _ in range(20):
            words = [draw.randrange(256) for _ in range(8)]
            memory = bytearray(512)
            memory[65:73] = bytes(words)
            simulator.run("f", memory, simulator.machine())
            assert list(memory[214:222]) == evaluate(made, words)
