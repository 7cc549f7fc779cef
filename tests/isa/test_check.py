"""The checker: planted violations of each rule, and orders that change what a basic block does."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from finalist.isa import check
from finalist.isa.assembly.assembler import assemble
from finalist.isa.assembly.decoder import Decoder
from finalist.isa.assembly.text import Issue
from finalist.isa.code import Block, Code, Ins
from finalist.isa.schedule import packets
from tests.isa.simulate.test_exposed import PIPELINED
from tests.processors.vliw import processor

P = processor()


def wrong(text: str) -> list[str]:
    return check.rules(Decoder(P).all(assemble(text, P).words), [0], P)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("add.l1 a1, a2, a3\n|| add.l1 a4, a5, a6\nhalt", "0: l1 is taken 2 times in a cycle"),
        ("add.l1x a1, a2, b3\n|| add.s1x a4, a5, b6\nhalt", "0: x1 is taken 2 times in a cycle"),
        (
            "ld32.d1a a1, 0(a2)\n|| ld32.d2a a3, 0(b2)\nnop\nnop\nnop\nhalt",
            "0: t1 is taken 2 times in a cycle",
        ),
        ("add.l1 a1, a2, a3\n|| add.s1 a1, a5, a6\nhalt", "0: a1 is written 2 times in the cycle 1 later"),
        ("mul.m1 a1, a2, a3\nadd.l1 a1, a2, a3\nhalt", "1: a1 is written 2 times in the cycle 1 later"),
        (
            "[a0] b.s1 end\nmul.m1 a1, a2, a3\nnop\nnop\nnop\nmul.m1 a1, a2, a3\nend:\nmvi.l1 a1, 0\nhalt",
            "6: a1 is written 2 times in the cycle 1 later",
        ),
        (
            "end:\nb.s1 end\n|| b.s2 end\nnop\nnop\nnop\nnop\nnop",
            "0: 2 branches are carried out in the cycle 5 later",
        ),
        ("b.s1 end\nnop\nnop\nnop\nnop\nend:", "5: no packet begins there"),
        ("nop", "1: no packet begins there"),
    ],
)
def test_each_rule(text: str, message: str) -> None:
    assert wrong(text) == [message]


def test_a_pipelined_loop_keeps_the_rules() -> None:
    assert wrong(PIPELINED) == []


def test_too_many_at_once() -> None:
    few = replace(P, issue=2)
    code = Decoder(few).all(assemble("nop\n|| nop\n|| nop\nhalt", few).words)
    assert check.rules(code, [0], few) == ["0: 3 instructions in a cycle; accepted: 2"]
    assert check.rules(code, [0], replace(P, issue=3)) == []


# -- equality ----------------------------------------------------------------------------------------


def drawn(source: random.Random, count: int) -> list[Ins]:
    """Instructions on few registers of one side, so that nearly everything depends on something."""
    names = ("add", "sub", "mul", "xor", "ld32", "st32")
    found = []
    for _ in range(count):
        one = P.by_name[source.choice(names)][0]
        operands = [source.randrange(4) if o.is_register else 4 * source.randrange(3) for o in one.operands]
        access = "x" if one.effect else None
        found.append(Ins(one, [*operands], access=access, files=tuple("a" for _ in operands)))
    return found


def packed(body: list[Ins]) -> list[Ins]:
    code = Code([Block("x", [replace(ins) for ins in body])])
    packets.pack(code, P)
    return code.blocks[0].body


@pytest.mark.parametrize("number", range(40))
def test_packets_do_what_the_instructions_do(number: int) -> None:
    body = drawn(random.Random(number), 25)
    assert check.same(body, packed(body), P)


def test_a_packet_too_early_is_found() -> None:
    """Every cycle that passes for a result is left out in turn; where that changes a word, it is seen."""
    body = drawn(random.Random(7), 25)
    made = packed(body)
    idle = [k for k, ins in enumerate(made) if ins.instruction.name == "nop"]
    assert idle
    assert not all(check.same(body, made[:k] + made[k + 1 :], P) for k in idle)


def test_instructions_that_change_places_are_found() -> None:
    """A sum takes a product: before it, or in one cycle with it, it is another sum."""
    product = Ins(P.by_name["mul"][0], [1, 2, 3], files=("a", "a", "a"))
    total = Ins(P.by_name["add"][0], [2, 1, 1], files=("a", "a", "a"))
    first, second = (replace(ins, issue=Issue(ins.instruction.ways[0])) for ins in (product, total))
    together = replace(second, issue=Issue(second.instruction.ways[0], parallel=True))
    idle = Ins(P.by_name["nop"][0], [], issue=Issue(P.by_name["nop"][0].ways[0]))
    assert check.same([product, total], [first, idle, second], P)
    assert not check.same([product, total], [first, second], P)
    assert not check.same([product, total], [second, first, idle], P)
    assert not check.same([product, total], [first, together, idle], P)


def test_results_that_come_after_the_end_are_found() -> None:
    product = Ins(P.by_name["mul"][0], [1, 2, 3], files=("a", "a", "a"))
    alone = replace(product, issue=Issue(product.instruction.ways[0]))
    assert not check.same([product], [alone], P)
