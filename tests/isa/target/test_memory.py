"""Places in memory: one behind the other, aligned, no two in one byte, and each table once."""

from __future__ import annotations

import pytest

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
