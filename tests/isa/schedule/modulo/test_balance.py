"""Unit load of a loop's body: what is replaced, how much of it, and that it computes the same."""

from __future__ import annotations

from collections import Counter
from itertools import count, pairwise

from finalist.isa.code import Ins
from finalist.isa.schedule.modulo.balance import balanced
from finalist.isa.schedule.modulo.body import body_of
from finalist.isa.schedule.modulo.bounds import resource_bound
from finalist.isa.target.instruction import Instruction
from finalist.isa.target.meaning import evaluate
from finalist.isa.target.processor import Processor
from finalist.machines.c6x.model import processor

C64 = processor("c64x")


def named(p: Processor, name: str, syntax: str = "") -> Instruction:
    return next(one for one in p.instructions if one.name == name and syntax in one.syntax)


def bound(body: list[Ins], p: Processor) -> int:
    return resource_bound(body_of(body, p, {"a": 9, "b": 9}).problem)


def rotations(number: int, by: int = 5) -> list[Ins]:
    return [Ins(named(C64, "ROTL", "{imm}"), [10 + k, 1, by], phase=k) for k in range(number)]


def names(body: list[Ins]) -> Counter[str]:
    return Counter(one.instruction.name for one in body)


def test_rotations_are_shared_among_units() -> None:
    """Twelve rotations on two multipliers are six cycles; half of them as shifts leave three."""
    body = rotations(12)
    made = balanced(body, C64, count(100).__next__)
    assert (bound(body, C64), bound(made, C64)) == (6, 3)
    assert names(made) == {"ROTL": 6, "SHL": 6, "OR": 6}
    assert {one.phase for one in made} == set(range(12))


def test_those_replaced_are_spread_over_the_body() -> None:
    made = balanced(rotations(12), C64, count(100).__next__)
    replaced = [one.phase for one in made if one.instruction.name == "SHL"]
    assert all(b - a <= 2 for a, b in pairwise(replaced))


def test_the_same_words_are_made() -> None:
    made = balanced(rotations(2), C64, count(100).__next__)
    values = {1: 0x80000001}
    for ins in made:
        one = ins.instruction
        given = {
            o.name: values.get(x, x) if o.read else x for o in one.operands for x in (ins.values[o.name],)
        }
        numbers = {o.name: given[o.name] for o in one.operands if o.values}
        for effect in next(effects for listed, effects in one.forms if listed == numbers):
            values[ins.values[effect.target]] = evaluate(effect.value, given, 32)
    assert values[10] == values[11] == 0x30


def test_nothing_is_replaced_where_it_does_not_help() -> None:
    """One rotation binds no unit; a sum's units are all that could take its place; what stores stays."""
    for body in (
        rotations(1),
        [Ins(named(C64, "ADD"), [10 + k, 1, 2]) for k in range(9)],
        [Ins(named(C64, "STW", "{ra}({imm})"), [1, 2, 4 * k]) for k in range(5)],
    ):
        assert balanced(body, C64, count(100).__next__) == body


def test_what_would_need_a_constant_stays() -> None:
    """Rotations by a word as shifts need the word's width in a register."""
    body = [Ins(named(C64, "ROTL", "{rb}"), [10 + k, 1, 2]) for k in range(6)]
    assert balanced(body, C64, count(100).__next__) == body
