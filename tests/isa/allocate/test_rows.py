"""Bytes are numbered so that code that walks over them can be a loop."""

from __future__ import annotations

import pytest

from finalist.ir.builder import Builder
from finalist.ir.graph import Graph
from finalist.ir.ops import Op
from finalist.ir.program import ByteOrder, Layout, Program
from finalist.ir.types import ArrayType, WordType
from finalist.isa.allocate.rows import in_a_row, placed, read_as_a_whole
from finalist.isa.code import Block, Cell, Ins
from finalist.isa.target.memory import Memory
from finalist.machines.hc05.model import instructions

LDA, EOR, STA = (
    next(one for one in instructions() if one.syntax == syntax)
    for syntax in ("lda {m}", "eor *{m}", "sta *{m}")
)


def block(words: list[int], first: int = 1328) -> Block:
    """A byte from each address on, with the block's own, to these words."""
    body = []
    for k, word in enumerate(words):
        body += [Ins(LDA, [first + k]), Ins(EOR, [Cell(k)]), Ins(STA, [Cell(word)])]
    return Block("piece", body)


def test_words_that_are_walked_over_get_bytes_in_a_row() -> None:
    now = in_a_row([block([30, 17, 25, 21])], set(range(16)), 176)
    assert [now[word] for word in (30, 17, 25, 21)] == [16, 17, 18, 19]


def test_every_byte_stays_one() -> None:
    now = in_a_row([block([30, 17, 25]), block([17, 40, 41])], set(range(16)), 176)
    assert sorted(now) == [17, 25, 30, 40, 41] and len(set(now.values())) == 5
    assert min(now.values()) == 16 and max(now.values()) == 20


def test_bytes_of_the_block_and_those_beyond_the_short_addresses_stay() -> None:
    assert not set(in_a_row([block([3, 200, 1, 201])], set(range(16)), 176)) & {1, 3, 200, 201}


def test_words_that_nothing_walks_over_keep_their_order() -> None:
    piece = Block("piece", [Ins(STA, [Cell(word)]) for word in (18, 30, 22)])
    assert in_a_row([piece], set(range(16)), 176) == {18: 16, 22: 17, 30: 18}


def test_bytes_of_the_block_are_walked_over_as_well() -> None:
    """The block's own bytes have their places: what is worked on with them gets bytes in a row."""
    lda = next(one for one in instructions() if one.syntax == "lda *{m}")
    body = []
    for k, word in enumerate((30, 17, 25)):
        body += [Ins(lda, [Cell(word)]), Ins(EOR, [Cell(k)]), Ins(STA, [Cell(k)])]
    now = in_a_row([Block("piece", body)], set(range(16)), 176)
    assert [now[word] for word in (30, 17, 25)] == [16, 17, 18]


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
