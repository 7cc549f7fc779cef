"""The order of instructions in a block: dependences are kept, and the order is what was asked for."""

from __future__ import annotations

import random

import pytest

from finalist.isa.code import Block, Ins
from finalist.isa.schedule.order import arrange
from finalist.isa.target.instruction import Instruction
from finalist.machines.plx.model import processor
from finalist.machines.plx.parameters import parsed

P = processor(parsed("issue=4/2"))


def one(name: str) -> Instruction:
    return P.by_name[name][0]


def add(to: int, a: int, b: int, phase: int = 0) -> Ins:
    return Ins(one("add"), [to, a, b], phase)


def shift(to: int, a: int, phase: int = 0) -> Ins:
    return Ins(one("slli"), [to, a, 3], phase)


def meaning(body: list[Ins]) -> dict[object, object]:
    """What each word and place holds in the end, as expressions; order matters to nothing else."""
    known: dict[object, object] = {}
    for ins in body:
        name = ins.instruction.name
        values = tuple(known.get(x, x) for x in ins.read)
        if name == "store.32":
            known["memory", ins.access] = (values, known.get(("memory", ins.access)))
        for word in ins.written:
            seen = known.get(("memory", ins.access)) if name == "load.32" else None
            known[word] = (name, values, seen)
    return known


@pytest.mark.parametrize("how", ["levels", "critical"])
@pytest.mark.parametrize("room", [2, 4, 20])
@pytest.mark.parametrize("seed", range(8))
def test_dependences_are_kept(seed: int, room: int, how: str) -> None:
    source = random.Random(seed)
    body = []
    for place in range(40):
        a, b = source.randint(1, 9), source.randint(1, 9)
        kind, phase = source.randint(0, 4), place // 10
        if kind == 0:
            body.append(Ins(one("load.32"), [a, 0, b], phase, access=source.choice("xy")))
        elif kind == 1:
            body.append(Ins(one("store.32"), [a, 0, b], phase, access=source.choice("xy")))
        else:
            body.append(add(source.randint(1, 9), a, b, phase))
    block = Block("b", list(body))
    arrange(block, P, how, room, set(range(1, 10)))
    assert sorted(map(id, block.body)) == sorted(map(id, body))
    assert meaning(block.body) == meaning(body)


def test_levels_within_rounds() -> None:
    """Two chains in a round go side by side; the next round waits, though it could begin."""
    chains = [shift(10, 1), add(11, 10, 10), shift(20, 2), add(21, 20, 20), shift(30, 3, phase=1)]
    block = Block("b", list(chains))
    arrange(block, P, "levels", 20, {11, 21, 30})
    assert [ins.written for ins in block.body] == [[10], [20], [11], [21], [30]]


def test_the_longest_way_goes_first() -> None:
    body = [add(40, 1, 1), add(10, 1, 2), add(11, 10, 10), add(12, 11, 11)]
    block = Block("b", list(body))
    arrange(block, P, "critical", 20, {12, 40})
    assert block.body[0].written == [10]


def test_a_branch_stays_last() -> None:
    body = [add(10, 1, 2), shift(11, 1), shift(12, 1), Ins(one("bne"), [1, 2, "b"])]
    for how in ("levels", "critical"):
        block = Block("b", list(body))
        arrange(block, P, how, 20, {10, 11, 12})
        assert block.body[-1] is body[-1]
