"""Wide loads in a loop's body: which words are loaded together, from where, and that they are the same."""

from __future__ import annotations

from itertools import count

import pytest

from finalist.isa.code import Ins
from finalist.isa.schedule.modulo.wide import widened
from finalist.isa.target.instruction import Instruction
from finalist.isa.target.meaning import Term, evaluate
from finalist.isa.target.processor import Processor
from finalist.machines.c6x.model import processor

C62, C64 = processor("c62x"), processor("c64x")
POINTER = 1


def named(name: str, syntax: str = "", p: Processor = C64) -> Instruction:
    return next(one for one in p.instructions if one.name == name and syntax in one.syntax)


def key(word: int, address: int, p: Processor = C64) -> Ins:
    return Ins(named("LDW", "B14", p), [word, address], access="key")


def data(word: int, offset: int, base: int = POINTER) -> Ins:
    return Ins(named("LDW", "{ra}({imm})"), [word, base, offset], access="data")


def wide(body: list[Ins], p: Processor = C64, *, ascending: bool = True) -> tuple[list[Ins], dict[int, int]]:
    """The body with wide loads, and the words that are held through the loop."""
    held: dict[int, int] = {}
    numbers = count(100)
    made = widened(
        body, p, lambda value: held.setdefault(value, next(numbers)), {POINTER: 16}, ascending=ascending
    )
    return made, {word: value for value, word in held.items()}


def loaded(body: list[Ins], held: dict[int, int], order: str) -> dict[int, int]:
    """Words by number, of memory in which byte k is 7 k."""

    def outside(term: Term, values: tuple[int, ...]) -> int:
        part = bytes(7 * (values[0] + k) & 0xFF for k in range(term.attr))
        return int.from_bytes(part, "little" if order == "little" else "big")

    found = {POINTER: 1024, **held}
    for ins in body:
        given = {
            o.name: found.get(x, x) if o.read else x
            for o in ins.instruction.operands
            for x in (ins.values[o.name],)
        }
        for effect in ins.instruction.forms[0][1]:
            found[ins.values[effect.target]] = evaluate(effect.value, given, 32, outside)
    return found


@pytest.mark.parametrize("order", ["little", "big"])
def test_words_side_by_side_are_loaded_together(order: str) -> None:
    body = [key(10 + k, 4240 + 4 * k) for k in range(6)] + [data(20 + k, 4 * k) for k in range(4)]
    made, held = wide(body, ascending=order == "little")
    assert [one.instruction.name for one in made] == ["LDDW"] * 5
    before, after = loaded(body, {}, order), loaded(made, held, order)
    assert {word: after[word] for word in before} == before
    assert list(held.values()) == [4240]


def test_a_wide_load_reaches_only_so_far() -> None:
    """31 times 8 bytes from the first word; what lies beyond is counted from another."""
    made, held = wide([key(10 + k, 4240 + 4 * k) for k in range(66)])
    assert [one.instruction.name for one in made] == ["LDDW"] * 33
    assert sorted(held.values()) == [4240, 4240 + 256]


def test_the_first_word_is_at_a_multiple_of_both() -> None:
    for body in (
        [key(10 + k, 4244 + 8 * k) for k in range(4)],  # none beside another
        [key(10, 4244), key(11, 4248)],
        [data(10, 4), data(11, 8)],
        [data(10, 0, base=2), data(11, 4, base=2)],  # nothing is known of the word
    ):
        assert wide(body) == (body, {})


def test_the_same_word_twice_is_loaded_twice() -> None:
    made, _ = wide([key(10, 4240), key(11, 4240), key(12, 4244)])
    assert sorted(one.instruction.name for one in made) == ["LDDW", "LDW"]


def test_where_other_units_bind_loads_stay() -> None:
    """Six shifts on two units take longer than two loads on one."""
    shifts = [Ins(named("SHL", "{imm},{rd}"), [30 + k, 2, 3]) for k in range(6)]
    body = [key(10, 4240), key(11, 4244), *shifts]
    assert wide(body) == (body, {})


def test_after_a_store_to_the_same_words_loads_stay() -> None:
    store = Ins(named("STW", "{ra}({imm})"), [30, POINTER, 0], access="data")
    behind = [store, data(10, 0), data(11, 4)]
    assert wide(behind) == (behind, {})
    ahead, _ = wide([data(10, 0), data(11, 4), store])
    assert [one.instruction.name for one in ahead] == ["LDDW", "STW"]


def test_a_processor_without_wide_loads() -> None:
    body = [key(10 + k, 4240 + 4 * k, C62) for k in range(4)]
    assert wide(body, C62) == (body, {})
