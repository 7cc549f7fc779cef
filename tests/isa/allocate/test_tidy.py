"""Loads of what is held, and what nobody reads."""

from __future__ import annotations

from finalist.isa.allocate.tidy import (
    acts,
    in_order,
    live_after,
    live_at_ends,
    reads,
    tidied,
    words_read,
    words_written,
    writes,
)
from finalist.isa.assembly.text import written
from finalist.isa.code import Block, Ins
from tests.isa.allocate.test_memory import code, ins
from tests.processors.accumulator import PROCESSOR


def left(*body: Ins) -> list[str]:
    made = code(*body)
    tidied(made.blocks, PROCESSOR)
    return [written(PROCESSOR, one.instruction, one.values) for one in made.blocks[0].body[:-1]]


def out() -> Ins:
    return ins("sta", 301, word=False)


def test_what_was_just_stored_is_not_loaded() -> None:
    assert left(ins("lda", 1), ins("sta", 2), ins("lda", 2), ins("add", 2), out()) == [
        "lda *1",
        "sta *2",
        "add *2",
        "sta 301",
    ]


def test_another_value_is() -> None:
    body = (ins("lda", 1), ins("add", 2), ins("sta", 3), ins("lda", 1), ins("sub", 3), out())
    assert "lda *1" in left(*body)[1:]


def test_a_store_that_nobody_reads_is_left_out() -> None:
    assert left(ins("lda", 1), ins("sta", 2), out()) == ["lda *1", "sta 301"]


def test_a_load_whose_flag_is_asked_for_stays() -> None:
    branch = Ins(PROCESSOR.by_name["beq"][0], [0, "end"])
    blocks = [
        Block("start", [ins("lda", 1), ins("sta", 2), ins("add", 3), ins("sta", 2), ins("lda", 2), branch]),
        Block("end", [ins("lda", 2), out(), Ins(PROCESSOR.by_name["halt"][0], [])]),
    ]
    tidied(blocks, PROCESSOR)
    assert [one.instruction.name for one in blocks[0].body[-2:]] == ["lda", "beq"]


def test_of_two_words_that_are_added_the_first_is_loaded() -> None:
    block = Block("start", [ins("lda", 3), ins("add", 1), ins("lda", 1), ins("add", 2), ins("lda", 5)])
    block.body += [ins("sub", 4), ins("lda", 7), ins("sta", 6)]
    in_order([block])
    texts = [written(PROCESSOR, one.instruction, one.values) for one in block.body]
    assert texts == ["lda *1", "add *3", "lda *1", "add *2", "lda *5", "sub *4", "lda *7", "sta *6"]


def test_registers_and_words() -> None:
    assert set(reads(ins("adc", 5))) == {"a", "c", 5}
    assert set(writes(ins("adc", 5))) == {"a", "c", "z"}
    assert set(reads(ins("inc", 5))) == {5} and set(writes(ins("inc", 5))) == {"z", 5}
    assert set(writes(ins("sta", 5))) == {5}
    assert writes(ins("sta", 300, word=False)) == []


def test_words_alone() -> None:
    assert words_read(ins("adc", 5)) == [5] and words_written(ins("adc", 5)) == []
    assert words_read(ins("inc", 5)) == [5] and words_written(ins("inc", 5)) == [5]
    assert words_read(ins("sta", 300, word=False)) == words_written(ins("sta", 300, word=False)) == []
    halt = Ins(PROCESSOR.by_name["halt"][0], [], takes=[7])
    assert words_read(halt) == [7] and words_written(halt) == []


def test_what_does_more_than_to_write_words_and_registers() -> None:
    assert acts(ins("sta", 300, word=False)) and acts(Ins(PROCESSOR.by_name["halt"][0], []))
    assert not acts(ins("sta", 5)) and not acts(ins("lda", 5)) and not acts(ins("inc", 5))


def test_of_a_load_whose_flag_is_written_anew_nothing_stays() -> None:
    branch = Ins(PROCESSOR.by_name["beq"][0], [0, "end"])
    start = Block(
        "start", [ins("lda", 1), ins("sta", 2), ins("lda", 2), ins("add", 3), ins("sta", 2), branch]
    )
    blocks = [start, Block("end", [ins("lda", 2), out(), Ins(PROCESSOR.by_name["halt"][0], [])])]
    tidied(blocks, PROCESSOR)
    assert [one.instruction.name for one in start.body] == ["lda", "add", "sta", "beq"]


def test_a_loop_keeps_its_counter_alive() -> None:
    back = Ins(PROCESSOR.by_name["bne"][0], [0, "loop"])
    blocks = [
        Block("before", [ins("sta", 1)]),
        Block("loop", [ins("inc", 1), back]),
        Block("after", [Ins(PROCESSOR.by_name["halt"][0], [])]),
    ]
    assert live_at_ends(blocks) == {"before": {1}, "loop": {1}, "after": set()}


def test_what_is_live_after_each_instruction() -> None:
    block = Block("only", [ins("lda", 1), ins("sta", 2), ins("lda", 3), ins("sta", 4)])
    assert [one - {"z", "c"} for one in live_after(block, {2, 4})] == [
        {"a", 3, 4} - {4},
        {2, 3},
        {2, "a"},
        {2, 4},
    ]


def test_registers_that_calls_take_are_read() -> None:
    call = Ins(PROCESSOR.by_name["halt"][0], [], takes=[5], wants=("a",))
    assert reads(call) == [5, "a"]
