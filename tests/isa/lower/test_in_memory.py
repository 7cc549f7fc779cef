"""Regions on words in memory: sums, loops over arrays, and what is refused."""

from __future__ import annotations

import pytest

from finalist.errors import GraphError
from finalist.ir.builder import Builder
from finalist.ir.graph import Graph, Node, Region
from finalist.ir.ops import Op
from finalist.ir.types import ArrayType, WordType
from finalist.isa.code import Code
from finalist.isa.lower.in_memory import InMemoryLowerer, _exchanged
from finalist.isa.lower.lowerer import Conventions
from finalist.isa.target.meaning import register
from finalist.isa.target.memory import Memory, Place
from finalist.machines.hc05 import model as hc05
from finalist.machines.hc05.model import Parameters
from tests.processors.accumulator import PROCESSOR


def lowered(graph: Graph, place: Place | None = None) -> list[str]:
    """The mnemonics of a graph's code; its words are there, and its last parameter lies at ``place``."""
    code = Code(words=10)
    to = InMemoryLowerer(PROCESSOR, Memory(256), code, Conventions())
    to.begin("start")
    for number, param in enumerate(graph.params, start=1):
        if isinstance(param.type, ArrayType):
            assert place is not None
            to.arrays.of[param] = place
        else:
            to.terms[param] = register(number)
    to.graph(graph)
    return [ins.instruction.name for ins in code.instructions()]


def words(make: Builder, width: int, count: int) -> list[Node]:
    return [make.param("memory", WordType(width), f"p{k}") for k in range(count)]


def test_carries_stay_in_the_flag() -> None:
    make = Builder()
    x0, x1, y0, y1 = words(make, 8, 4)
    low = make.make(Op.ADD, (x0, y0))
    carry = make.extend(make.make(Op.LT, (low, y0)), 8)
    high = make.make(Op.ADD, (make.make(Op.ADD, (x1, y1)), carry))
    graph = Graph("sum", (x0, x1, y0, y1), (low, high), ())
    assert lowered(graph) == ["lda", "add", "sta", "lda", "adc", "sta"]


def test_what_would_lose_the_carry_is_made_before() -> None:
    make = Builder()
    x0, x1, y0, y1 = words(make, 8, 4)
    low = make.make(Op.ADD, (x0, y0))
    carry = make.extend(make.make(Op.LT, (low, y0)), 8)
    shifted = make.make(Op.SHL, (y1, make.const(1, 8)))
    high = make.make(Op.ADD, (make.make(Op.ADD, (x1, shifted)), carry))
    names = lowered(Graph("sum", (x0, x1, y0, y1), (low, high), ()))
    assert names == ["lda", "asla", "sta", "lda", "add", "sta", "lda", "adc", "sta"]


def test_one_instruction_makes_both_halves_of_a_product() -> None:
    make = Builder()
    x, y = words(make, 8, 2)
    graph = Graph("mul", (x, y), (make.make(Op.MUL, (x, y)), make.make(Op.MULHI, (x, y))), ())
    assert lowered(graph).count("mul") == 1


def test_an_entry_of_the_key_is_an_operand() -> None:
    make = Builder()
    (x,) = words(make, 8, 1)
    key = make.param("key", ArrayType(16, 8), "key")
    entry = make.make(Op.LOAD, (key, make.const(3, 8)))
    graph = Graph("xor", (x, key), (make.make(Op.XOR, (x, entry)),), ())
    assert len(lowered(graph, Place("key", 300, 1, 16))) == 3


def test_words_that_are_too_wide_are_refused() -> None:
    make = Builder()
    x, y = words(make, 16, 2)
    graph = Graph("wide", (x, y), (make.make(Op.XOR, (x, y)),), ())
    with pytest.raises(GraphError, match="has 16 bits; accepted: 8"):
        lowered(graph)


def test_two_words_that_change_places() -> None:
    """Nothing else takes them: then they are exchanged, and otherwise one is saved."""
    a, b, c = (register(number) for number in (1, 2, 3))
    assert _exchanged([(1, b), (2, a)]) == ((1, b), (2, a))
    assert _exchanged([(1, b), (2, a), (3, c + 1)]) == ((1, b), (2, a))
    assert _exchanged([(1, b), (2, a), (3, a + 1)]) is None
    assert _exchanged([(1, b), (2, c), (3, a)]) is None
    assert _exchanged([(1, a), (2, b)]) is None


@pytest.mark.parametrize(("scale", "offset"), [(2, 8), (254, 38)])
def test_a_multiple_of_the_turn_is_counted_in_its_place(scale: int, offset: int) -> None:
    """Upwards or downwards; so no turn is counted, and nothing is multiplied."""
    make = Builder()
    (x,) = words(make, 8, 1)
    turn, carried = make.param("index", WordType(32), "r"), make.param("carried", WordType(8), "x")
    narrow = make.make(Op.MUL, (make.slice(turn, 0, 8), make.const(scale, 8)))
    at = make.make(Op.ADD, (narrow, make.const(offset, 8)))
    body = Region([turn, carried], [make.make(Op.XOR, (carried, at))])
    graph = Graph("loop", (x,), make.loop(make.const(0, 32), make.const(16, 32), [x], body))
    names = lowered(graph)
    assert "mul" not in names and names.count("add") == 1


def half_swapped(third: bool) -> list[str]:
    """The code of a loop of a Feistel cipher, of its body alone; ``third``: whether what is handed on is also
    taken by something else."""
    make, card = Builder(), hc05.processor(Parameters())
    given = words(make, 8, 3)
    turn = make.param("index", WordType(32), "r")
    left, right, other = (make.param("carried", WordType(8), name) for name in "lro")
    mixed = make.make(Op.XOR, (left, other))
    last = right if third else make.make(Op.ADD, (other, make.const(7, 8)))
    body = Region([turn, left, right, other], [right, mixed, last])
    graph = Graph("loop", given, make.loop(make.const(0, 32), make.const(16, 32), given, body))
    code = Code(words=10)
    to = InMemoryLowerer(card, Memory(256), code, Conventions())
    to.begin("start")
    for number, param in enumerate(graph.params, start=1):
        to.terms[param] = register(number)
    to.graph(graph)
    return [ins.instruction.name for block in code.blocks if block.depth for ins in block.body]


def test_what_is_handed_on_goes_on_when_what_replaces_it_is_made() -> None:
    names = half_swapped(third=False)
    at = names.index("eor")
    assert names[at : at + 4] == ["eor", "ldx", "stx", "sta"]


def test_but_not_where_something_else_takes_it() -> None:
    names = half_swapped(third=True)
    assert names[names.index("eor") + 1] == "sta"
