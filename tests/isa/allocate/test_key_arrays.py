"""Where the key's arrays lie: those of a word's bytes interleaved, if none is read at an index of data."""

from __future__ import annotations

import pytest

from finalist.ir.builder import Builder
from finalist.ir.graph import Graph
from finalist.ir.ops import Op
from finalist.ir.program import ByteOrder, Layout, Program
from finalist.ir.types import ArrayType, WordType
from finalist.isa.allocate.key_arrays import placed, read_as_a_whole
from finalist.isa.target.memory import Memory

BYTES = ArrayType(16, 8)
FOUR = [f"k_{n}" for n in range(4)]


def lay(types: dict[str, ArrayType], whole: frozenset[str] = frozenset()) -> dict[str, tuple[int, int]]:
    """By name the first address, and the step to the next entry."""
    memory = Memory(top=100)
    found = placed(memory, types, whole)
    assert [place.name for place in found] == list(types)
    taken = [place.address + k * place.step for place in found for k in range(place.length)]
    assert len(set(taken)) == len(taken)
    return {place.name: (place.address, place.step) for place in found}


def test_bytes_of_words_lie_side_by_side() -> None:
    assert lay(dict.fromkeys(FOUR, BYTES)) == {f"k_{n}": (100 + n, 4) for n in range(4)}


def test_others_one_after_the_other() -> None:
    assert lay({"a": BYTES, "b": ArrayType(3, 8)}) == {"a": (100, 1), "b": (116, 1)}


@pytest.mark.parametrize("one", FOUR)
def test_an_array_that_is_read_as_a_whole_keeps_all_four_apart(one: str) -> None:
    assert all(step == 1 for _, step in lay(dict.fromkeys(FOUR, BYTES), frozenset({one})).values())


@pytest.mark.parametrize(
    "types",
    [
        dict.fromkeys(FOUR[:3], BYTES),
        {**dict.fromkeys(FOUR, BYTES), "k_3": ArrayType(15, 8)},
        dict.fromkeys(FOUR, ArrayType(16, 16)),
        dict.fromkeys([f"k{n}" for n in range(4)], BYTES),
        dict.fromkeys([f"k_{n}" for n in range(1, 5)], BYTES),
    ],
    ids=["three", "unlike", "wider", "other-names", "from-one"],
)
def test_what_is_not_four_bytes_of_words(types: dict[str, ArrayType]) -> None:
    assert all(step == types[name].width // 8 for name, (_, step) in lay(types).items())


def program(index: str, *, width: int = 8, in_key_schedule: bool = False) -> Program:
    """Reads the second of two arrays at a constant, or at a word of the block or of the key."""
    make = Builder()
    k = make.param("memory", WordType(width), "k")
    made = [
        make.make(Op.STORE, (make.array([n] * 4, 8), make.const(0, width), make.const(n, 8))) for n in (1, 2)
    ]
    if in_key_schedule:
        read = make.make(Op.LOAD, (made[1], k))
        made[0] = make.make(Op.STORE, (made[0], make.const(0, width), read))
    expand = Graph("expand", [k], made)
    make = Builder()
    x = make.param("memory", WordType(width), "x")
    arrays = [make.param(name, node.type, name) for name, node in zip("ab", made, strict=True)]
    at = x if index == "data" else make.const(1, width)
    result = make.extend(make.make(Op.LOAD, (arrays[1], at)), width)
    layout = Layout(1, width, ByteOrder.LITTLE)
    return Program("c", "encrypt", width, layout, layout, expand, Graph("kernel", [x, *arrays], [result]))


def test_indices_of_data_read_an_array_as_a_whole() -> None:
    assert read_as_a_whole([program("data")], 8) == {"b"}
    assert read_as_a_whole([program("constant")], 8) == set()


def test_of_any_of_several_programs() -> None:
    assert read_as_a_whole([program("constant"), program("data")], 8) == {"b"}


def test_in_the_key_schedule_as_well() -> None:
    """There the array that is read is one before its last write."""
    assert read_as_a_whole([program("constant", in_key_schedule=True)], 8) == {"b"}


def test_an_index_wider_than_a_word_is_one_of_a_loop() -> None:
    assert read_as_a_whole([program("data", width=16)], 8) == set()
    assert read_as_a_whole([program("data", width=16)], 16) == {"b"}
