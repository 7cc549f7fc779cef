"""Arrays in memory: addresses, versions that are overwritten, copies, entries that are read together."""

from __future__ import annotations

from itertools import pairwise

import pytest

from finalist.errors import GraphError
from finalist.ir.builder import Builder
from finalist.ir.graph import Graph, Node, Region
from finalist.ir.ops import Op
from finalist.ir.types import ArrayType, WordType
from finalist.isa.code import Code
from finalist.isa.lower.borders import INDEX
from finalist.isa.lower.in_memory import InMemoryLowerer
from finalist.isa.lower.lowerer import Conventions, Lowerer
from finalist.isa.lower.rewrites import InMemory
from finalist.isa.target.meaning import Leaf, address, constant, load, register
from finalist.isa.target.memory import Memory, Place
from tests.isa.lower.executed import RISC, Execution, lowered, names
from tests.processors.accumulator import PROCESSOR

WORD = WordType(32)


def lowerer(short: bool = False) -> Lowerer:
    to = Lowerer(RISC, Memory(256), Code(), Conventions(short=short))
    to.begin("start")
    return to


# -- addresses --------------------------------------------------------------------------------------------


def test_where_an_array_begins() -> None:
    """A short address where it fits to its last byte, and the conventions allow it."""
    last = Place("a", RISC.reach - 40, 4, 10)
    assert lowerer(short=True).arrays.base(last) == constant(RISC.reach - 40)
    assert lowerer(short=True).arrays.base(Place("a", RISC.reach - 36, 4, 10)).op is Leaf.ADDRESS
    assert lowerer().arrays.base(last) == address(RISC.reach - 40)


def test_a_known_entry_is_a_displacement_from_an_address_that_many_have() -> None:
    make, place = Builder(), Place("a", RISC.reach - 8, 4, 10)
    found = [lowerer().arrays.entry(place, make.const(k, 8)) for k in (0, 1, 2, 9)]
    assert found == [
        address(0) + (RISC.reach - 8),
        address(0) + (RISC.reach - 4),
        address(RISC.reach) + 0,
        address(RISC.reach) + 28,
    ]


def test_an_entry_by_a_word() -> None:
    make, to = Builder(), lowerer()
    index = make.param("memory", WORD, "i")
    to.terms[index] = register(7)
    assert to.arrays.entry(Place("a", 512, 4, 10), index) == (register(7) << 2) + address(512)
    assert to.arrays.entry(Place("a", 512, 1, 10), index) == register(7) + address(512)


def test_an_array_in_parts_is_read_where_the_index_is_known() -> None:
    make, to = Builder(), lowerer()
    array, index = make.param("key", ArrayType(10, 8), "a"), make.param("memory", WORD, "i")
    to.terms[index] = register(7)
    to.arrays.of[array] = place = Place("a", 512, 1, 10, apart=4)
    assert to.arrays.read(array, make.const(3, 8), 8) == load(1, address(0) + 524)
    with pytest.raises(GraphError, match=r"^a is read at an index that is not known, and is not in one"):
        to.arrays.read(array, index, 8)
    to.arrays.of[array] = Place("a", place.address, 1, 10)
    assert to.arrays.read(array, index, 8).attr == InMemory(address(512), 1)


# -- versions -----------------------------------------------------------------------------------------------


def overwritten(width: int, kind: str, length: int = 10) -> Graph:
    """An entry of an array overwritten twice, and the first version's entry beside the last one's."""
    make = Builder()
    x, array = make.param("memory", WordType(width), "x"), make.param(kind, ArrayType(length, width), "a")
    once = make.make(Op.STORE, (array, make.const(3, 8), x))
    twice = make.make(Op.STORE, (once, make.const(4, 8), make.make(Op.NOT, (x,))))
    return Graph("g", [x, array], [make.make(Op.LOAD, (twice, make.const(k, 8))) for k in (3, 4, 5)])


@pytest.mark.parametrize("width", [8, 16, 32])
@pytest.mark.parametrize("length", [6, 10, 40])
def test_what_must_stay_is_copied_once(width: int, length: int) -> None:
    size = width // 8
    of = overwritten(width, "key", length)
    made = lowered(of)
    assert len(made.memory.places) == 2
    memory = [(256 + size * k, size, 5 * k + 31) for k in range(length)]
    after = Execution(made, [99], memory)
    got = [after.value(made.term(result)) for result in of.results]
    assert got == [99, ~99 & (1 << width) - 1, 56]
    copy = made.memory.places[1]
    assert [after.load(size, 256 + size * k) for k in range(length)] == [5 * k + 31 for k in range(length)]
    assert after.load(size, copy.address + size * (length - 1)) == 5 * (length - 1) + 31
    assert after.memory.get(copy.address + copy.size) is None


def test_one_s_own_is_overwritten_in_place() -> None:
    of = overwritten(32, "key")
    made = lowered(of)
    assert len(made.memory.places) == 2
    to = lowerer()
    array = of.params[1]
    to.arrays.of[array] = place = to.memory.array("a", ArrayType(10, 32))
    assert to.arrays.writable(array) is not place
    to.arrays.own.add(array)
    assert to.arrays.writable(array) is place


@pytest.mark.parametrize("width", [5, 8, 12, 32])
def test_entries_have_zeros_above_their_bits(width: int) -> None:
    make = Builder()
    x = make.param("memory", WordType(width), "x")
    sums = make.make(Op.ADD, (x, x))
    array = make.make(Op.STORE, (make.array([0] * 4, width), make.const(1, 8), sums))
    of = Graph("g", [x], [make.make(Op.LOAD, (array, make.const(1, 8)))])
    made = lowered(of)
    top = (1 << width) - 1
    assert Execution(made, [top]).value(made.term(of.results[0])) == 2 * top & top


@pytest.mark.parametrize("values", [[0] * 7, [0] * 40, [5, 0, 7], [*range(1, 41)]])
@pytest.mark.parametrize("width", [8, 32])
def test_new_arrays(values: list[int], width: int) -> None:
    """Zeros are written, anything else is copied: the program may run again."""
    make = Builder()
    array = make.array(values, width)
    places = range(len(values))
    of = Graph("g", [], [make.make(Op.LOAD, (array, make.const(k, 8))) for k in places])
    made = lowered(of)
    after = Execution(made, [])
    assert [after.value(made.term(result)) for result in of.results] == values
    assert len(made.memory.places) == 1 + any(values)
    assert len(names(made)) == (3 if len(values) * width // 8 > 32 else 1)


def test_few_stores_are_written_one_by_one() -> None:
    """Eight, of words of four bytes where the array has whole ones, else of entries."""
    for size, length, blocks in (
        (4, 8, 1),
        (4, 9, 3),
        (1, 32, 1),
        (1, 33, 3),
        (1, 7, 1),
        (1, 9, 3),
        (2, 9, 3),
    ):
        to = lowerer()
        to.arrays.copy(None, Place("b", 700, size, length))
        assert len(to.code.blocks) == blocks
        after = Execution(to, [])
        assert [after.load(1, 700 + k) for k in range(size * length)] == [0] * (size * length)
        assert after.load(1, 700 + size * length) == 0xEE
        assert to.depth == 0 and to.access is None


def test_a_carried_array_is_where_it_was_after_each_iteration() -> None:
    """The body gives another array than it gets: it is copied back."""
    make = Builder()
    x, index = make.param("memory", WORD, "x"), make.param("index", WORD, "i")
    word = make.param("carried", WORD, "w")
    carried = make.param("carried", ArrayType(3, 32), "t")
    first = make.make(Op.LOAD, (carried, make.const(0, 8)))
    new = make.array([0] * 3, 32)
    for place, value in enumerate((word, first, make.make(Op.ADD, (first, word)))):
        new = make.make(Op.STORE, (new, make.const(place, 8), value))
    inner = Region([index, word, carried], [make.make(Op.ADD, (word, make.const(1, 32))), new])
    _, last = make.loop(make.const(0, 32), make.const(3, 32), [x, make.array([7, 8, 9], 32)], inner)
    of = Graph("g", [x], [make.make(Op.LOAD, (last, make.const(k, 8))) for k in range(3)])
    made = lowered(of)
    after = Execution(made, [20])
    assert [after.value(made.term(result)) for result in of.results] == [22, 21, 43]


def test_accesses_say_which_array_they_are_of() -> None:
    made = lowered(overwritten(32, "key"))
    place, copy = made.memory.places
    accesses = [ins.access for block in made.code.blocks for ins in block.body if ins.instruction.effect]
    assert set(accesses) == {place, copy}
    stores = [ins for block in made.code.blocks for ins in block.body if ins.instruction.effect == "store"]
    assert stores and all(ins.access is copy for ins in stores)


# -- entries together ---------------------------------------------------------------------------------------


def tuple_of(array: Node, make: Builder, places: list[int]) -> Node:
    return make.make(Op.TUPLE, tuple(make.make(Op.LOAD, (array, make.const(k, 8))) for k in places))


def test_entries_side_by_side_are_read_as_one_word() -> None:
    make = Builder()
    array = make.param("key", ArrayType(12, 8), "a")
    for ascending in (True, False):
        to = lowerer()
        to.memory.ascending = ascending
        to.arrays.of[array] = to.memory.array("a", ArrayType(12, 8))
        there = [4, 5, 6, 7] if ascending else [7, 6, 5, 4]
        assert to.arrays.wide(tuple_of(array, make, there))
        assert to.arrays.together(tuple_of(array, make, there)) == address(0) + 260
        assert to.arrays.together(tuple_of(array, make, there[::-1])) is None
        assert to.arrays.together(tuple_of(array, make, [*there[:3], 9])) is None
        assert not to.arrays.wide(tuple_of(array, make, there[:2]))


def test_words_stored_side_by_side_are_read_as_one() -> None:
    make = Builder()
    words = [make.param("memory", WordType(8), name) for name in "abcd"]
    for ascending, expected in ((True, 0x04030201), (False, 0x01020304)):
        to = lowerer()
        to.memory.ascending = ascending
        to.terms.update({word: register(to.code.fresh()) for word in words})
        number = to.emit(to.arrays.put_together(words))
        (place,) = to.memory.places
        assert (place.bytes, place.length, place.address % 4) == (1, 4, 0)
        assert to.access is place
        assert Execution(to, [1, 2, 3, 4]).words[number] == expected
        assert all(a is b for a, b in pairwise([ins.access for ins in to.block.body]))


def lowerer_indexed() -> InMemoryLowerer:
    to = InMemoryLowerer(PROCESSOR, Memory(256), Code(), Conventions())
    to.begin("start")
    return to


def test_an_index_is_never_less_than_0() -> None:
    """Forwards it begins at 0, backwards at what it falls by."""
    place, arrays = Place("key", 300, 1, 176), lowerer_indexed().arrays
    for step, first, last in ((16, 0, 9), (-16, 0, 9), (16, 1, 9), (-4, 2, 5)):
        at = [step * turn + arrays.origin(place, step, first, last) for turn in (first, last)]
        assert min(at) == 0 and max(at) <= 255


def test_an_array_that_an_index_does_not_span_is_refused() -> None:
    with pytest.raises(GraphError, match="passes over 288 bytes of key"):
        lowerer_indexed().arrays.origin(Place("key", 300, 1, 400), 32, 0, 9)


@pytest.mark.parametrize(("size", "blocks"), [(8, 1), (9, 3), (256, 3), (300, 5)])
def test_copies(size: int, blocks: int) -> None:
    """A few bytes one by one, more of them in a loop for each 256."""
    to = lowerer_indexed()
    to.arrays.copy(Place("a", 300, 1, size), Place("b", 700, 1, size))
    assert len(to.code.blocks) == blocks


@pytest.mark.parametrize("source", [True, False])
def test_what_the_loop_of_a_copy_does(source: bool) -> None:
    to = lowerer_indexed()
    to.arrays.copy(Place("a", 300, 1, 30) if source else None, Place("b", 700, 1, 30))
    _, loop, _ = to.code.blocks
    effects = [(ins.instruction.effect, ins.access) for ins in loop.body if ins.instruction.effect]
    stores = [one for one in effects if one[0] == "store" and one[1] == Place("b", 700, 1, 30)]
    assert len(stores) == 1
    assert loop.body[-1].target == loop.label
    assert to.depth == 0


def test_the_offset_from_an_index_of_the_key_is_part_of_the_address() -> None:
    to, make = lowerer_indexed(), Builder()
    key, index = make.param("key", ArrayType(24, 8), "key"), make.param(INDEX, WordType(8), "index")
    to.arrays.of[key], to.terms[index] = Place("key", 300, 1, 24), register(7)
    read = to.arrays.read(key, make.make(Op.ADD, (index, make.const(12, 8))), 8)
    assert read.args == (register(7),)
    assert read.attr == InMemory(address(312), 1)
