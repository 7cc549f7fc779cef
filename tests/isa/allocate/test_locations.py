"""What instructions read and write, and what is live."""

from __future__ import annotations

from finalist.isa.allocate.locations import is_needed, live_after, live_at_ends, reads, writes
from finalist.isa.code import Block, Ins
from tests.isa.allocate.test_memory import ins
from tests.processors.accumulator import PROCESSOR


def test_registers_and_words() -> None:
    assert set(reads(ins("adc", 5))) == {"a", "c", 5}
    assert set(writes(ins("adc", 5))) == {"a", "c", "z"}
    assert set(reads(ins("inc", 5))) == {5} and set(writes(ins("inc", 5))) == {"z", 5}
    assert set(writes(ins("sta", 5))) == {5}
    assert writes(ins("sta", 300, word=False)) == []


def test_what_is_needed() -> None:
    assert is_needed(ins("sta", 300, word=False), set())
    assert not is_needed(ins("sta", 5), {6, "a"}) and is_needed(ins("sta", 5), {5})
    assert not is_needed(ins("lda", 5), {"x"}) and is_needed(ins("lda", 5), {"z"})
    assert is_needed(Ins(PROCESSOR.by_name["halt"][0], []), set())


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
