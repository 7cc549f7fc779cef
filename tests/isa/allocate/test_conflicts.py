"""Which words are live at once, which are copied to which, and those that can so be one."""

from __future__ import annotations

from finalist.isa.allocate.conflicts import Conflicts, Copies, conflicts_of, merged
from finalist.isa.allocate.tidy import live_at_ends
from finalist.isa.code import Block, Cell, Ins
from finalist.machines.hc05 import model as hc05
from tests.isa.allocate.test_memory import code, ins, two_inputs


def found_in(blocks: list[Block]) -> tuple[Conflicts, Copies]:
    return conflicts_of(blocks, live_at_ends(blocks))


def near(conflicts: Conflicts) -> dict[int, set[int]]:
    return {word: set(conflicts.words(row)) for word, row in conflicts.rows.items()}


def test_words_are_bits() -> None:
    given = {7: {9}, 9: {7, 4}, 4: {9}}
    made = Conflicts.of(given)
    assert near(made) == given
    assert made.bits == {7: 1, 9: 2, 4: 4} and made.of_all([4, 7, 4]) == 5
    made.add([9, 300])
    assert made.bits[300] == 8 and made.rows[300] == 0 and near(made)[9] == {7, 4}


def test_words_that_are_live_at_once_are_in_conflict() -> None:
    conflicts, _ = found_in(two_inputs().blocks)
    assert near(conflicts) == {1: {2, 3}, 2: {1}, 3: {1}}


def test_a_store_of_what_was_loaded_is_a_copy() -> None:
    """If nothing else went into it; else one place for both is as good, if that is free."""
    for name, found in (("lda", {1: {2: 1.0}, 2: {1: 1.0}}), ("eor", {1: {2: 0.01}, 2: {1: 0.01}})):
        _, copies = found_in(code(ins(name, 1), ins("sta", 2)).blocks)
        assert copies == found


def test_the_second_of_two_stores_is_a_copy_of_the_first() -> None:
    body = ins("lda", 300, word=False), ins("sta", 1), ins("sta", 2), ins("eor", 1), ins("eor", 2)
    conflicts, copies = found_in(code(*body, ins("sta", 3)).blocks)
    assert copies[1][2] == copies[2][1] == 1.0
    assert 2 not in near(conflicts)[1]


def test_condition_codes_that_a_store_leaves_make_it_no_other_word() -> None:
    sta = next(one for one in hc05.instructions() if one.syntax == "sta *{m}")
    body = [Ins(sta, [Cell(word) if o.kind == "imm" else 0 for o in sta.operands]) for word in (1, 2)]
    _, copies = found_in([Block("two", body)])
    assert copies == {1: {2: 1.0}, 2: {1: 1.0}}


def test_words_that_are_written_last_come_last() -> None:
    """What is copied to a home in the end does not keep what is made of another home's word from its byte."""
    conflicts = Conflicts.of({1: {4}, 2: {3}, 3: {2}, 4: {1}})
    copies = {1: {2: 0.01}, 2: {1: 0.01, 4: 1.0}, 4: {2: 1.0}}
    fixed = {1: 0, 4: 1}
    assert merged(conflicts, copies, fixed) == {4: 2}
    assert merged(conflicts, copies, fixed, last={4}) == {2: 1}


def test_what_is_in_conflict_with_one_of_two_words_is_so_with_both() -> None:
    conflicts = Conflicts.of({1: set(), 2: {3}, 3: {2}, 4: set()})
    copies = {1: {2: 2.0, 3: 1.0}, 2: {1: 2.0}, 3: {1: 1.0}}
    assert merged(conflicts, copies, {}) == {2: 1}


def test_a_word_does_not_go_to_a_byte_in_which_another_one_is_live_with_it() -> None:
    conflicts = Conflicts.of({1: set(), 2: {3}, 3: {2}})
    copies = {1: {2: 1.0}, 2: {1: 1.0}}
    assert merged(conflicts, copies, {1: 0, 3: 5}) == {2: 1}
    assert merged(conflicts, copies, {1: 0, 3: 0}) == {}
    assert merged(conflicts, copies, {1: 0, 2: 1}) == {}
