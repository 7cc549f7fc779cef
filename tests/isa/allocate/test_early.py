"""Copies made early: as far up as what is copied is there, and no register is lost that something reads."""

from __future__ import annotations

import random

import pytest

from finalist.isa.allocate.early import with_early_copies
from finalist.isa.assembly.text import written
from finalist.isa.code import Block, Cell, Ins
from tests.isa.allocate.test_memory import ins
from tests.processors.accumulator import PROCESSOR


def copy(source: int, target: int) -> list[Ins]:
    return [ins("lda", source), ins("sta", target)]


def summed(first: int, second: int, into: int) -> list[Ins]:
    return [ins("lda", first), ins("add", second), ins("sta", into)]


HALT = Ins(PROCESSOR.by_name["halt"][0], [])


def moved(*body: Ins) -> list[str]:
    """The instructions after the pass, but for the end."""
    block = Block("only", [*body, HALT])
    with_early_copies([block])
    return [written(PROCESSOR, one.instruction, one.values) for one in block.body[:-1]]


def test_a_copy_goes_before_all_that_has_nothing_to_do_with_it() -> None:
    assert moved(*summed(5, 6, 7), *summed(7, 6, 5), *copy(1, 2))[:3] == ["lda *1", "sta *2", "lda *5"]


@pytest.mark.parametrize(
    "before",
    [
        summed(5, 6, 1),  # writes what is copied
        summed(2, 6, 7),  # reads where the copy goes
        summed(6, 2, 7),
        summed(5, 6, 2),  # writes there
    ],
)
def test_but_not_before_what_has(before: list[Ins]) -> None:
    texts = [written(PROCESSOR, one.instruction, one.values) for one in (*before, *copy(1, 2))]
    assert moved(*before, *copy(1, 2)) == texts
    later = summed(8, 9, 10)
    assert moved(*before, *later, *copy(1, 2))[3:5] == ["lda *1", "sta *2"]


def test_not_before_a_word_that_is_in_the_same_byte_has_been_read() -> None:
    """A block's first word, and what becomes of it, are in one byte from first to last."""
    body = [*summed(5, 6, 8), *summed(2, 6, 7), *summed(5, 6, 9), *copy(1, 3)]
    block = Block("only", [*body, HALT])
    with_early_copies([block], homes={2: 0x80, 3: 0x80, 5: 0x81})
    texts = [written(PROCESSOR, one.instruction, one.values) for one in block.body]
    assert texts.index("sta *3") > texts.index("lda *2")
    assert texts.index("sta *3") < texts.index("sta *9")


def test_not_where_the_accumulator_is_in_use() -> None:
    """It goes before the load, not between a load and what takes that."""
    assert moved(ins("lda", 5), ins("add", 6), ins("add", 2), ins("sta", 7), *copy(1, 3))[0] == "lda *1"
    assert moved(ins("lda", 5), ins("add", 2), ins("add", 6), ins("sta", 7), *copy(1, 2)) == [
        "lda *5",
        "add *2",
        "add *6",
        "sta *7",
        "lda *1",
        "sta *2",
    ]


def test_a_copy_whose_word_is_still_in_use_stays() -> None:
    body = (*summed(5, 6, 7), *copy(1, 2), ins("add", 7), ins("sta", 8))
    assert moved(*body)[3:5] == ["lda *1", "sta *2"]


def test_nor_one_that_the_next_block_goes_on_with() -> None:
    blocks = [Block("one", [*summed(5, 6, 7), *copy(1, 2)]), Block("two", [ins("sta", 8), HALT])]
    with_early_copies(blocks)
    assert blocks[0].body[3].operands[-1] == 1
    blocks[1].body[0] = ins("lda", 8)
    with_early_copies(blocks)
    assert blocks[0].body[0].operands[-1] == 1


def test_what_comes_from_elsewhere_in_memory_is_no_copy_of_a_word() -> None:
    body = (*summed(5, 6, 7), ins("lda", 300, word=False), ins("sta", 2))
    assert moved(*body)[3] == "lda 300"
    body = (*summed(5, 6, 7), ins("lda", 1), ins("sta", 300, word=False))
    assert moved(*body)[3] == "lda *1"


def test_one_copy_after_the_other() -> None:
    assert moved(*summed(5, 6, 7), *copy(1, 2), *copy(3, 4))[:2] == ["lda *3", "sta *4"]
    assert moved(*summed(5, 6, 7), *copy(1, 2), *copy(2, 4))[:4] == ["lda *1", "sta *2", "lda *2", "sta *4"]


def test_nor_one_to_a_word_that_is_to_wait() -> None:
    block = Block("only", [*summed(5, 6, 7), *copy(1, 2), *copy(3, 4), HALT])
    with_early_copies([block], {2})
    texts = [written(PROCESSOR, one.instruction, one.values) for one in block.body[:-1]]
    assert texts[:2] == ["lda *3", "sta *4"]
    assert texts[-2:] == ["lda *1", "sta *2"]


def test_nor_one_of_a_word_that_gets_another_value_at_once() -> None:
    body = [*summed(5, 6, 7), ins("lda", 1), ins("sta", 2), ins("sta", 1)]
    texts = [written(PROCESSOR, one.instruction, one.values) for one in body]
    assert moved(*body) == texts


def run(body: list[Ins], memory: list[int]) -> list[int]:
    """Memory after loads, sums and stores of words."""
    a, memory = 0, list(memory)
    for one in body[:-1]:
        place = next(int(x) for x in one.operands if isinstance(x, Cell))
        match one.instruction.name:
            case "lda":
                a = memory[place]
            case "add":
                a = (a + memory[place]) % 256
            case "sta":
                memory[place] = a
    return memory


@pytest.mark.parametrize("seed", range(60))
def test_memory_ends_as_it_did(seed: int) -> None:
    source, body = random.Random(seed), list[Ins]()
    for _ in range(12):
        a, b, c = (source.randrange(6) for _ in range(3))
        body += source.choice([copy(a, c), copy(a, c), summed(a, b, c), [ins("add", a), ins("sta", c)]])
    memory = [source.randrange(256) for _ in range(6)]
    block = Block("only", [*body, HALT])
    with_early_copies([block])
    assert len(block.body) == len(body) + 1
    assert run(block.body, memory) == run([*body, HALT], memory)
