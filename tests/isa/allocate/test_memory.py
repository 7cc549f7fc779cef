"""Bytes of working memory: live words apart, copies together, the most used ones at short addresses."""

from __future__ import annotations

from dataclasses import replace

import pytest

from finalist.isa.allocate.conflicts import Conflicts, conflicts_of
from finalist.isa.allocate.linear import NoRoomError
from finalist.isa.allocate.memory import WAYS, allocate, coloured, ways_of
from finalist.isa.allocate.tidy import live_at_ends
from finalist.isa.assembly.text import written
from finalist.isa.code import Block, Cell, Code, Ins
from finalist.isa.target.meaning import load
from finalist.isa.target.processor import WorkingMemory
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


def test_bytes_are_shared_by_words_that_are_not() -> None:
    made = two_inputs()
    assert allocate(made, PROCESSOR, 600).beyond == 0
    assert text(made)[-5:] == ["sta *1", "eor *0", "add *1", "sta 302", "halt"]


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
    conflicts = Conflicts.of({word: {other for other in range(6) if other != word} for word in range(6)})
    with pytest.raises(NoRoomError, match="2 bytes of working memory are lacking; there are 4"):
        coloured([], conflicts, {}, FOUR, set())


def test_just_enough_bytes() -> None:
    conflicts = Conflicts.of({word: {other for other in range(4) if other != word} for word in range(4)})
    assert sorted(coloured([], conflicts, {}, FOUR, set()).values()) == [0, 1, 2, 3]


def test_too_few_short_addresses() -> None:
    """An instruction that has no long form needs one."""
    conflicts = Conflicts.of({word: {other for other in range(6) if other != word} for word in range(6)})
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
    conflicts, copies = conflicts_of(made.blocks, live_at_ends(made.blocks))
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


def test_where_no_word_has_a_byte_for_good_there_are_fewer_ways() -> None:
    assert PROCESSOR.working is not None
    small = replace(PROCESSOR.working, block=True)
    assert ways_of(at_home(), small) == WAYS
    assert ways_of(two_inputs(), small) == ((True, False), (False, False))
    assert ways_of(at_home(), replace(small, block=False)) == WAYS[:1]


def test_the_word_for_which_most_bytes_are_taken_is_next() -> None:
    """A crown: 0 to 2 are each in conflict with two of 3 to 5, and are used more than these, in turns."""
    conflicts = Conflicts.of(
        {k: {3, 4, 5} - {k + 3} for k in range(3)} | {k: {0, 1, 2} - {k - 3} for k in (3, 4, 5)}
    )
    order = [0, 3, 1, 4, 2, 5]
    block = Block("only", [ins("eor", word) for place, word in enumerate(order) for _ in range(9 - place)])
    few, many = replace(FOUR, block=True), replace(FOUR, block=False)
    assert len(set(coloured([block], conflicts, {}, many, set()).values())) == 3
    assert len(set(coloured([block], conflicts, {}, few, set()).values())) == 2
