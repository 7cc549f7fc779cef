"""Which words are live where; copies whose words become one."""

from __future__ import annotations

from finalist.isa.allocate.liveness import coalesce, live_words, source_of
from finalist.isa.code import Block, Code, Ins
from finalist.machines.plx.model import processor
from finalist.machines.plx.parameters import parsed

RISC = processor(parsed(""))
WIDE = processor(parsed("word=64,with=shuffle"))


def ins(name: str, *operands: int | str) -> Ins:
    return Ins(RISC.by_name[name][0], list(operands))


def copy(target: int, source: int) -> Ins:
    return ins("or", target, source, 0)


def loop() -> list[Block]:
    """Word 1 goes in, 2 is carried, 3 comes out, 4 is the body's own; 5 is read by nobody."""
    return [
        Block("start", [ins("addi", 2, 1, 7), ins("addi", 3, 0, 0)]),
        Block("loop", [ins("add", 4, 2, 3), ins("addi", 3, 4, 1), ins("bne", 3, 1, "loop")]),
        Block("after", [ins("add", 5, 3, 3)]),
    ]


# -- liveness ---------------------------------------------------------------------------------------------


def test_words_of_a_loop() -> None:
    found = live_words(loop())
    assert found.start == {"start": {1}, "loop": {1, 2, 3}, "after": {3}}
    assert found.end == {"start": {1, 2, 3}, "loop": {1, 2, 3}, "after": set()}


def test_words_of_interest_alone() -> None:
    found = live_words(loop(), {3, 4})
    assert found.start == {"start": set(), "loop": {3}, "after": {3}}
    assert found.end == {"start": {3}, "loop": {3}, "after": set()}


def test_what_is_written_first_is_not_live_before() -> None:
    blocks = [Block("a", [ins("addi", 1, 0, 3), ins("add", 2, 1, 1)]), Block("b", [ins("add", 3, 2, 2)])]
    assert live_words(blocks).start == {"a": set(), "b": {2}}


def test_what_is_live_through_several_blocks() -> None:
    """Backwards through each, also those that have nothing to do with it."""
    blocks = [
        Block("a", [ins("beq", 9, 0, "d")]),
        Block("b", [ins("addi", 2, 0, 1)]),
        Block("c", [ins("beq", 0, 0, "a")]),
        Block("d", [ins("add", 3, 1, 2)]),
    ]
    found = live_words(blocks)
    assert found.start == {"a": {1, 2, 9}, "b": {1, 9}, "c": {1, 2, 9}, "d": {1, 2}}
    assert found.end["a"] == {1, 2, 9}  # b writes 2, d reads it


# -- copies -------------------------------------------------------------------------------------------------


def test_what_only_copies() -> None:
    assert source_of(copy(1, 2)) == 2
    for name in ("or", "xor", "add"):
        assert source_of(ins(name, 1, 0, 2)) == source_of(ins(name, 1, 2, 0)) == 2
    assert source_of(ins("addi", 1, 2, 0)) == 2


def test_what_does_not() -> None:
    assert source_of(ins("or", 1, 2, 3)) is None
    assert source_of(ins("or", 1, 0, 0)) is None
    assert source_of(ins("and", 1, 2, 0)) is None
    assert source_of(ins("sub", 1, 0, 2)) is None
    assert source_of(ins("addi", 1, 2, 4)) is None
    assert source_of(ins("not", 1, 2)) is None
    lanes = [one for one in WIDE.instructions if one.main.op.name == "ADD" and one.main.lane]
    assert lanes and all(source_of(Ins(one, [1, 2, 0])) is None for one in lanes)


def after(*blocks: Block, constants: dict[int, int] | None = None) -> list[list[tuple[str, list[int | str]]]]:
    """Instructions by block once copies are gone."""
    code = Code(list(blocks), 99, constants or {})
    coalesce(code)
    return [[(one.instruction.name, one.operands) for one in block.body] for block in code.blocks]


def store(word: int) -> Ins:
    return Ins(next(i for i in RISC.instructions if i.name == "store.32"), [word, 9, 0])


def test_a_word_and_its_copy_are_one() -> None:
    (found,) = after(Block("a", [ins("not", 1, 9), copy(2, 1), ins("not", 3, 2)]))
    assert found == [("not", [2, 9]), ("not", [3, 2])]


def test_both_are_read_later_with_one_value() -> None:
    (found,) = after(Block("a", [ins("not", 1, 9), copy(2, 1), ins("add", 3, 2, 1)]))
    assert found == [("not", [2, 9]), ("add", [3, 2, 2])]


def test_a_copy_that_is_written_while_the_other_is_live_stays() -> None:
    body = [ins("not", 1, 9), copy(2, 1), ins("addi", 2, 2, 4), ins("add", 3, 2, 1)]
    assert after(Block("a", body)) == [[(i.instruction.name, list(i.operands)) for i in body]]


def test_a_source_that_is_written_while_the_copy_is_live_stays() -> None:
    body = [ins("not", 1, 9), copy(2, 1), ins("addi", 1, 1, 4), ins("add", 3, 2, 1)]
    assert len(after(Block("a", body))[0]) == 4


def test_a_source_that_is_written_anew_after_the_copy_was_last_read() -> None:
    body = [ins("not", 1, 9), copy(2, 1), ins("not", 3, 2), ins("not", 1, 3), ins("not", 4, 1)]
    assert [name for name, _ in after(Block("a", body))[0]] == ["not"] * 4


def test_the_word_of_a_constant_stays() -> None:
    body = [copy(2, 1), ins("addi", 2, 2, 4), ins("not", 3, 2)]
    assert len(after(Block("a", body), constants={1: 77})[0]) == 3
    assert len(after(Block("a", [copy(1, 2), ins("not", 3, 1)]), constants={1: 77})[0]) == 2
    assert len(after(Block("a", body))[0]) == 2


def test_what_one_word_conflicts_with_its_other_name_does_too() -> None:
    """1 and 2 become one; 3, copied from it, is live with another value of 2."""
    body = [
        ins("not", 1, 9),
        copy(2, 1),
        copy(3, 2),
        ins("addi", 2, 2, 4),
        ins("add", 4, 3, 2),
        ins("not", 5, 4),
    ]
    (found,) = after(Block("a", body))
    assert [name for name, _ in found] == ["not", "or", "addi", "add", "not"]
    (_, first), (_, second), (_, third), (_, sum_), _ = found
    assert first[0] == second[1] == third[0] == sum_[2]
    assert second[0] == sum_[1] != first[0]


def test_conflicts_are_handed_on_from_a_name_that_goes() -> None:
    """3 is live with 1: once 1 is called 2, 3 may not become 2 either, by a copy in another block."""
    blocks = [
        Block(
            "a", [ins("not", 1, 9), ins("not", 3, 9), ins("add", 5, 1, 3), copy(2, 1), ins("beq", 5, 0, "c")]
        ),
        Block("b", [copy(2, 3)]),
        Block("c", [ins("add", 6, 2, 3)]),
    ]
    found = after(*blocks)
    assert [name for name, _ in found[1]] == ["or"]


def test_carried_words_of_a_loop_are_one_with_what_is_made_for_them() -> None:
    blocks = [
        Block("start", [copy(2, 1)]),
        Block("loop", [ins("addi", 3, 2, 1), copy(2, 3), ins("bne", 2, 8, "loop")]),
        Block("after", [ins("not", 4, 2)]),
    ]
    found = after(*blocks)
    assert [name for name, _ in found[1]] == ["addi", "bne"]
    assert found[0] == []


def test_a_word_live_in_the_loop_is_not_the_carried_one() -> None:
    """The first value is read again in each iteration."""
    blocks = [
        Block("start", [copy(2, 1)]),
        Block("loop", [ins("add", 3, 2, 1), copy(2, 3), ins("bne", 2, 8, "loop")]),
    ]
    found = after(*blocks)
    assert [name for name, _ in found[0]] == ["or"]
    assert [name for name, _ in found[1]] == ["add", "bne"]
