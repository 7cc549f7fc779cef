"""Arrays by index: where pointers begin, and copies."""

from __future__ import annotations

import pytest

from finalist.errors import GraphError
from finalist.ir.builder import Builder
from finalist.ir.ops import Op
from finalist.ir.types import ArrayType, WordType
from finalist.isa.code import Code
from finalist.isa.lower.borders import INDEX
from finalist.isa.lower.in_memory import InMemoryLowerer
from finalist.isa.lower.lowerer import Conventions
from finalist.isa.lower.rewrites import InMemory
from finalist.isa.target.meaning import address, register
from finalist.isa.target.memory import Memory, Place
from tests.processors.accumulator import PROCESSOR


def lowerer() -> InMemoryLowerer:
    to = InMemoryLowerer(PROCESSOR, Memory(256), Code(), Conventions())
    to.begin("start")
    return to


def test_an_index_is_never_less_than_0() -> None:
    """Forwards it begins at 0, backwards at what it falls by."""
    place, arrays = Place("key", 300, 1, 176), lowerer().arrays
    for step, first, last in ((16, 0, 9), (-16, 0, 9), (16, 1, 9), (-4, 2, 5)):
        at = [step * turn + arrays.origin(place, step, first, last) for turn in (first, last)]
        assert min(at) == 0 and max(at) <= 255


def test_an_array_that_an_index_does_not_span_is_refused() -> None:
    with pytest.raises(GraphError, match="passes over 288 bytes of key"):
        lowerer().arrays.origin(Place("key", 300, 1, 400), 32, 0, 9)


@pytest.mark.parametrize(("size", "blocks"), [(8, 1), (9, 3), (256, 3), (300, 5)])
def test_copies(size: int, blocks: int) -> None:
    """A few bytes one by one, more of them in a loop for each 256."""
    to = lowerer()
    to.arrays.copy(Place("a", 300, 1, size), Place("b", 700, 1, size))
    assert len(to.code.blocks) == blocks


@pytest.mark.parametrize("source", [True, False])
def test_what_the_loop_of_a_copy_does(source: bool) -> None:
    to = lowerer()
    to.arrays.copy(Place("a", 300, 1, 30) if source else None, Place("b", 700, 1, 30))
    _, loop, _ = to.code.blocks
    effects = [(ins.instruction.effect, ins.access) for ins in loop.body if ins.instruction.effect]
    stores = [one for one in effects if one[0] == "store" and one[1] == Place("b", 700, 1, 30)]
    assert len(stores) == 1
    assert loop.body[-1].target == loop.label
    assert to.depth == 0


def test_the_offset_from_an_index_of_the_key_is_part_of_the_address() -> None:
    to, make = lowerer(), Builder()
    key, index = make.param("key", ArrayType(24, 8), "key"), make.param(INDEX, WordType(8), "index")
    to.arrays.of[key], to.terms[index] = Place("key", 300, 1, 24), register(7)
    read = to.arrays.read(key, make.make(Op.ADD, (index, make.const(12, 8))), 8)
    assert read.args == (register(7),)
    assert read.attr == InMemory(address(312), 1)
