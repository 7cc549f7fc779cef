"""Register files of words: every instruction can be issued, and no copy is made that need not be."""

from __future__ import annotations

import random

import pytest

from finalist.isa.allocate.sides import assign, groups
from finalist.isa.code import Block, Code, Ins
from finalist.machines.c6x.model import processor as model_processor
from finalist.machines.plx.model import processor as risc
from finalist.machines.plx.parameters import parsed
from tests.processors.vliw import processor

P = processor()


def ins(name: str, *operands: int | str) -> Ins:
    return Ins(P.by_name[name][0], list(operands))


def placed(code: Code) -> list[Ins]:
    """All instructions, each of which some way allows where its words are now."""
    assign(code, P)
    found = list(code.instructions())
    for one in found:
        assert any(_fits(one, dict(way.files), code) for way in one.instruction.ways), one
    return found


def _fits(one: Ins, files: dict[str, str], code: Code) -> bool:
    pairs = zip(one.instruction.operands, one.operands, strict=True)
    return all(code.files[int(word)] == files[o.name] for o, word in pairs if o.is_register)


def copies(code: Code) -> int:
    return sum(one.instruction.name == "mv" for one in placed(code))


def test_a_chain_stays_on_its_side() -> None:
    code = Code([Block("x", [ins("addi", k + 1, k, 1) for k in range(1, 9)])], 10)
    assert copies(code) == 0
    assert len({code.files[word] for word in range(1, 10)}) == 1


def test_two_chains_share_the_sides() -> None:
    body = [ins("addi", k + 2, k, 1) for k in range(1, 17)]
    code = Code([Block("x", body)], 19)
    assert copies(code) == 0
    assert {code.files[17], code.files[18]} == {"a", "b"}


def test_the_second_source_may_come_across() -> None:
    body = [ins("mvi", 1, 5), ins("mvi", 2, 6), ins("sub", 3, 1, 2), ins("sub", 4, 2, 1)]
    code = Code([Block("x", body)], 5)
    assert copies(code) == 0
    assert code.files[1] != code.files[2]


def test_sources_of_a_sum_change_places_rather_than_be_copied() -> None:
    """Word 4 is written where word 2 is, so that of the sum only word 1 may come across."""
    body = [ins("mvi", 1, 5), ins("mvi", 2, 6), ins("addi", 4, 2, 0), ins("add", 4, 1, 2)]
    code = Code([Block("x", body)], 5)
    assert copies(code) == 0
    assert body[-1].operands == [4, 2, 1]


def test_a_copy_where_an_address_is_on_the_other_side() -> None:
    """Of a shift neither source may be elsewhere than its way has it, twice over."""
    body = [ins("mvi", 1, 5), ins("mvi", 2, 6), ins("shl", 1, 2, 2), ins("shl", 2, 1, 1)]
    code = Code([Block("x", body)], 3)
    assert copies(code) == 2


def test_a_copy_of_a_word_that_changed_is_not_used() -> None:
    body = [ins("mvi", 1, 5), ins("mvi", 2, 6), ins("shl", 1, 2, 2), ins("mvi", 2, 7), ins("shl", 1, 2, 2)]
    code = Code([Block("x", body)], 3)
    assert copies(code) == 2


def test_a_constant_is_made_on_each_side_that_needs_it() -> None:
    body = [ins("and", k + 4, k, 3) for k in (1, 2)] + [ins("mvi", 1, 1), ins("mvi", 2, 2)]
    code = Code([Block("x", body[2:]), Block("y", [ins("shl", 5, 3, 1), ins("shl", 6, 3, 2), *body[:2]])], 7)
    code.constants[3] = 1000
    placed(code)
    assert set(code.constants.values()) == {1000}
    assert len({code.files[word] for word in code.constants}) == len(code.constants)


@pytest.mark.parametrize("number", range(20))
def test_random_blocks(number: int) -> None:
    source = random.Random(number)
    body = []
    for _ in range(60):
        one = P.by_name[source.choice(("add", "sub", "shl", "mul", "ld32", "st32", "mv", "shri"))][0]
        operands = [1 + source.randrange(9) if o.is_register else 4 for o in one.operands]
        body.append(Ins(one, list(operands)))
    placed(Code([Block("x", body[:30]), Block("y", body[30:])], 10))


def test_nothing_is_done_where_there_is_one_file() -> None:
    one = risc(parsed(""))
    code = Code([Block("x", [Ins(one.by_name["add"][0], [1, 2, 3])])], 4)
    assign(code, one)
    assert code.files == {}


def test_a_copy_that_there_is_is_read_again() -> None:
    """Rather than the word, over the path to the other side."""
    body = [ins("mvi", 1, 5), ins("mvi", 2, 6), ins("shl", 1, 2, 2), ins("add", 1, 1, 2)]
    code = Code([Block("x", body)], 3)
    assert copies(code) == 1
    assert code.files[int(body[-1].operands[2])] == code.files[1] != code.files[2]


P_GROUPS = model_processor("c62x")
ADD = next(i for i in P_GROUPS.instructions if i.name == "ADD" and "{rb}" in i.syntax)
LOAD = next(i for i in P_GROUPS.instructions if i.name == "LDW" and "B14" in i.syntax)


def test_two_blocks_that_read_one_key() -> None:
    body = [
        Ins(LOAD, [10, 128], access="key"),
        Ins(ADD, [3, 1, 10]),
        Ins(ADD, [4, 2, 10]),
        Ins(ADD, [5, 3, 3]),
        Ins(ADD, [6, 4, 4]),
    ]
    found = groups(body, set())
    assert found[0] is None and found[1] == found[3] != found[2] == found[4]


def test_what_meets_is_one() -> None:
    body = [Ins(ADD, [3, 1, 1]), Ins(ADD, [4, 2, 2]), Ins(ADD, [5, 3, 4])]
    assert len(set(groups(body, set()))) == 1


def test_what_is_common_joins_nothing() -> None:
    """Nor what is loaded by that alone, but for the data."""
    body = [Ins(ADD, [3, 1, 9]), Ins(ADD, [4, 2, 9])]
    assert len(set(groups(body, {9}))) == 2
    assert len(set(groups(body, set()))) == 1
    loads = [Ins(LOAD, [9, 128], access=what) for what in ("key", "data")]
    key, data = (groups([one, *body], set()) for one in loads)
    assert key[0] is None and key[1] != key[2]
    assert len(set(data)) == 1
