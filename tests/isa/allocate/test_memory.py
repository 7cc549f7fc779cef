"""Bytes of working memory: live words apart, copies together, the most used ones at short addresses."""

from __future__ import annotations

from dataclasses import replace

import pytest

from finalist.isa.allocate.linear import NoRoomError
from finalist.isa.allocate.memory import WAYS, allocate, coloured, conflicts_of, merged
from finalist.isa.assembly.text import written
from finalist.isa.code import Block, Cell, Code, Ins
from finalist.isa.target.meaning import load
from finalist.isa.target.processor import WorkingMemory
from finalist.machines.hc05 import model as hc05
from tests.processors.accumulator import PROCESSOR, instruction

FOUR = WorkingMemory(first=0, direct=4, rest=256)


def ins(name: str, number: int, *, word: bool = True) -> Ins:
    """An instruction on a word, or on a place that is none."""
    which = next(i for i in PROCESSOR.by_name[name] if "*{m}" in i.syntax or (not word and "{m}" in i.syntax))
    if not word:
        which = next(i for i in PROCESSOR.by_name[name] if i.syntax == f"{name} {{m}}")
    return Ins(which, [(Cell(number) if word else number) if o.kind == "imm" else 0 for o in which.operands])


def code(*body: Ins) -> Code:
    halt = Ins(PROCESSOR.by_name["halt"][0], [])
    return Code([Block("only", [*body, halt])])


def text(made: Code) -> list[str]:
    return [written(PROCESSOR, one.instruction, one.values) for one in made.blocks[0].body]


def two_inputs() -> Code:
    """Two words, both live until their sum is stored."""
    return code(
        ins("lda", 300, word=False),
        ins("sta", 1),
        ins("lda", 301, word=False),
        ins("sta", 2),
        ins("lda", 1),
        ins("eor", 2),
        ins("sta", 3),
        ins("eor", 1),
        ins("add", 3),
        ins("sta", 302, word=False),
    )


def test_words_that_are_live_at_once_are_in_conflict() -> None:
    conflicts, _ = conflicts_of(two_inputs().blocks)
    assert conflicts == {1: {2, 3}, 2: {1}, 3: {1}}


def test_bytes_are_shared_by_words_that_are_not() -> None:
    made = two_inputs()
    assert allocate(made, PROCESSOR, 600).beyond == 0
    assert text(made)[-5:] == ["sta *1", "eor *0", "add *1", "sta 302", "halt"]


def test_a_store_of_what_was_loaded_is_a_copy() -> None:
    """If nothing else went into it; else one place for both is as good, if that is free."""
    for name, found in (("lda", {1: {2: 1.0}, 2: {1: 1.0}}), ("eor", {1: {2: 0.01}, 2: {1: 0.01}})):
        _, copies = conflicts_of(code(ins(name, 1), ins("sta", 2)).blocks)
        assert copies == found


def test_the_second_of_two_stores_is_a_copy_of_the_first() -> None:
    body = ins("lda", 300, word=False), ins("sta", 1), ins("sta", 2), ins("eor", 1), ins("eor", 2)
    conflicts, copies = conflicts_of(code(*body, ins("sta", 3)).blocks)
    assert copies[1][2] == copies[2][1] == 1.0
    assert 2 not in conflicts[1]


def test_a_copy_is_not_made() -> None:
    made = code(
        ins("lda", 300, word=False),
        ins("add", 1),
        ins("sta", 1),
        ins("lda", 1),
        ins("sta", 2),
        ins("eor", 2),
        ins("sta", 2),
        ins("lda", 2),
        ins("sta", 301, word=False),
    )
    allocate(made, PROCESSOR, 600)
    assert not any("sta *1" in line for line in text(made))


def test_words_beyond_have_long_addresses() -> None:
    body = []
    for number in range(1, 41):
        body += [ins("lda", 300, word=False), ins("sta", number)]
    body += [ins("eor", number) for number in range(1, 41)]
    body += [ins("eor", 40) for _ in range(3)]
    made = code(*body, ins("sta", 301, word=False))
    assert allocate(made, PROCESSOR, 600).beyond == 8
    long = [line for line in text(made) if line.startswith("eor 6")]
    assert len(long) == 8
    assert text(made)[-3].startswith("eor *")  # the one that is used most is not among them


def test_two_bytes_too_few() -> None:
    conflicts = {word: {other for other in range(6) if other != word} for word in range(6)}
    with pytest.raises(NoRoomError, match="2 bytes of working memory are lacking; there are 4"):
        coloured([], conflicts, {}, FOUR, set())


def test_just_enough_bytes() -> None:
    conflicts = {word: {other for other in range(4) if other != word} for word in range(4)}
    assert sorted(coloured([], conflicts, {}, FOUR, set()).values()) == [0, 1, 2, 3]


def test_too_few_short_addresses() -> None:
    """An instruction that has no long form needs one."""
    conflicts = {word: {other for other in range(6) if other != word} for word in range(6)}
    wide = WorkingMemory(first=0, direct=4, rest=256, beyond=100)
    with pytest.raises(NoRoomError, match="1 bytes of working memory with short addresses are lacking"):
        coloured([], conflicts, {}, wide, {0, 1, 2, 3, 4})


def test_a_long_address_means_the_same() -> None:
    """And not one to which a register is added, although its operands have the same names."""
    body = []
    for number in range(1, 41):
        body += [ins("lda", 300, word=False), ins("sta", number)]
    for number in range(1, 41):
        body += [ins("ldx", number), ins("stx", 301, word=False)]
    made = code(*body)
    indexed = instruction("ldx {m},x", lambda x, m: {"x": load(1, x.extend(16) + m), "z": x}, 5, 16)
    allocate(made, replace(PROCESSOR, instructions=(indexed, *PROCESSOR.instructions)), 600)
    long = [line for line in text(made) if line.startswith("ldx 6")]
    assert len(long) == 8
    assert not any(",x" in line for line in long)


def test_condition_codes_that_a_store_leaves_make_it_no_other_word() -> None:
    sta = next(one for one in hc05.instructions() if one.syntax == "sta *{m}")
    body = [Ins(sta, [Cell(word) if o.kind == "imm" else 0 for o in sta.operands]) for word in (1, 2)]
    _, copies = conflicts_of([Block("two", body)])
    assert copies == {1: {2: 1.0}, 2: {1: 1.0}}


def test_of_two_ways_to_take_words_that_of_few_bytes_is_kept() -> None:
    """Words 1 to 3 are a path, 2 is live with both others: two bytes, whichever is taken first."""
    made = code(
        ins("lda", 300, word=False),
        ins("sta", 1),
        ins("lda", 301, word=False),
        ins("sta", 2),
        ins("eor", 1),
        ins("sta", 3),
        ins("add", 2),
        ins("eor", 3),
        ins("sta", 302, word=False),
    )
    conflicts, copies = conflicts_of(made.blocks)
    homes = coloured(made.blocks, conflicts, copies, replace(FOUR, block=True), set())
    assert len(set(homes.values())) == 2


def at_home() -> Code:
    """A word of the block is changed, waits while another is read, and goes to the place of that."""
    made = Code(words=10)
    first, second = made.at_home(0), made.at_home(1)
    to_first = made.at_home(0)
    body = [
        ins("lda", first),
        ins("add", 301, word=False),
        ins("sta", 5),  # made of the first word: it can stay where that is
        ins("lda", second),
        ins("sta", 302, word=False),
        ins("lda", 5),
        ins("sta", 6),
        ins("lda", 6),
        ins("sta", to_first),
    ]
    halt = Ins(PROCESSOR.by_name["halt"][0], [])
    halt.takes = [to_first]
    made.blocks = [Block("only", [*body, halt])]
    return made


@pytest.mark.parametrize("way", WAYS)
def test_words_of_a_block_are_worked_on_where_they_are(way: tuple[bool, bool]) -> None:
    assert PROCESSOR.working is not None
    small = replace(PROCESSOR, working=replace(PROCESSOR.working, block=True))
    made = at_home()
    assert len(allocate(made, small, 600, *way).short) == 2


def test_words_that_are_written_last_come_last() -> None:
    """What is copied to a home in the end does not keep what is made of another home's word from its byte."""
    conflicts = {1: {4}, 2: {3}, 3: {2}, 4: {1}}
    copies = {1: {2: 0.01}, 2: {1: 0.01, 4: 1.0}, 4: {2: 1.0}}
    fixed = {1: 0, 4: 1}
    assert merged(conflicts, copies, fixed) == {4: 2}
    assert merged(conflicts, copies, fixed, last={4}) == {2: 1}
