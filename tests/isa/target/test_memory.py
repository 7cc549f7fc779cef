"""Places in memory: one behind the other, aligned, no two in one byte, and each table once."""

from __future__ import annotations

import pytest

from finalist.errors import GraphError
from finalist.ir.graph import TableData
from finalist.ir.types import ArrayType
from finalist.isa.target.memory import Memory, Place


def test_one_behind_the_other() -> None:
    memory = Memory(100)
    made = [memory.place("a", 4, 3), memory.place("b", 1, 5), memory.place("c", 2, 1)]
    assert [(place.address, place.size, place.end) for place in made] == [
        (100, 12, 112),
        (112, 5, 117),
        (118, 2, 120),
    ]
    assert memory.top == 120
    assert memory.places == made


@pytest.mark.parametrize(("top", "align", "address"), [(0, 16, 0), (1, 16, 16), (16, 16, 16), (3, 0, 4)])
def test_places_are_aligned(top: int, align: int, address: int) -> None:
    """To their entries, if to nothing else."""
    assert Memory(top).place("a", 4, 1, align).address == address


def test_memory_ends() -> None:
    memory = Memory(100, end=112)
    assert memory.place("a", 1, 12).end == 112
    with pytest.raises(GraphError, match=r"memory ends at 0x70, and the table or array 'b' ends at 0x71"):
        memory.place("b", 1, 1)


def test_names_are_not_given_twice() -> None:
    memory = Memory()
    names = [memory.place("a", 1, 1).name for _ in range(3)]
    assert len(set(names)) == 3 and names[0] == "a"


def test_an_array_of_the_graph_has_entries_of_whole_bytes() -> None:
    memory = Memory(1)
    assert memory.array("a", ArrayType(3, 12)) == Place("a", 4, 2, 3)
    assert memory.array("b", ArrayType(5, 1)) == Place("b", 12, 1, 5)


def test_interleaved_arrays() -> None:
    memory = Memory(2)
    made = memory.interleaved(["a", "b"], ArrayType(3, 8))
    assert [(place.address, place.step, place.end) for place in made] == [(4, 2, 9), (5, 2, 10)]
    assert memory.places == made
    assert memory.place("c", 1, 1).address == 10


def test_a_table_is_there_once() -> None:
    memory, table = Memory(), TableData((1, 2, 300), 9, "T")
    place = memory.table(table)
    assert memory.table(TableData((1, 2, 300), 9, "T")) is place
    assert (place.bytes, place.length, memory.contents) == (2, 3, {place: (1, 2, 300)})
    assert memory.table(TableData((1, 2, 301), 9, "T")) is not place


def test_an_array_of_no_entries_takes_no_room() -> None:
    memory = Memory(8)
    empty = memory.place("a", 4, 0)
    assert (empty.size, empty.end, memory.top) == (0, 8, 8)


TABLE = TableData(tuple(range(4)), 32, "t")


def test_a_copy_lies_as_far_behind_as_it_may() -> None:
    """In the block of memory that begins there, once, with the same entries; later places are behind it."""
    memory = Memory(8)
    table = memory.table(TABLE)
    copy = memory.copy(table, 64)
    assert copy is not None and copy is memory.copy(table, 64)
    assert (copy.address, copy.bytes, copy.length) == (64, 4, 4)
    assert memory.contents[copy] == memory.contents[table] == TABLE.values
    assert memory.place("behind", 1, 1).address == copy.end


@pytest.mark.parametrize(("top", "fits"), [(96, True), (112, True), (116, False)])
def test_copies_lie_in_one_block(top: int, fits: bool) -> None:
    """What does not fit into the block behind is not copied."""
    memory = Memory(0)
    table = memory.table(TABLE)
    memory.top = top
    copy = memory.copy(table, 64)
    assert (copy is not None) == fits
    assert copy is None or (copy.address == top and copy.end <= 128)
    assert memory.top == (top + table.size if fits else top)


def test_a_table_in_the_block_itself_is_not_copied_there() -> None:
    memory = Memory(60)
    assert memory.copy(memory.table(TABLE), 64) is None
