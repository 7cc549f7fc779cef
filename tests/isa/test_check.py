"""The checker: planted violations of each rule, and orders that change what a basic block does."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace

import pytest

from finalist.isa import check
from finalist.isa.assembly.assembler import assemble
from finalist.isa.assembly.decoder import Decoder
from finalist.isa.assembly.text import Issue
from finalist.isa.code import Block, Code, Ins
from finalist.isa.schedule import packets
from finalist.isa.target.registers import Register
from tests.isa.simulate.test_exposed import PIPELINED
from tests.processors.vliw import processor

P = processor()


EVERY = [(name, n) for name, file in P.files.items() for n in range(file.count)]


def wrong(text: str, given: Sequence[Register] = EVERY) -> list[str]:
    return check.rules(Decoder(P).all(assemble(text, P).words), [0], P, given)


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
    assert wrong(PIPELINED, ()) == []


UNWRITTEN = "is read, and on some way there nothing was written to it"


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ("add.l1 a1, a2, a2\nhalt", ["0: a2"]),
        ("mvi.l1 a2, 1\nadd.l1 a1, a2, a2\nhalt", []),
        ("mvi.l1 a2, 1\n|| add.s1 a1, a2, a2\nhalt", ["0: a2"]),
        ("[a0] mvi.l1 a2, 1\nhalt", ["0: a0"]),
        # A load's word is not there before its time.
        ("mvi.l1 a1, 0\nld32.d1a a2, 0(a1)\nnop\nnop\nadd.l1 a3, a2, a2\nhalt", ["4: a2"]),
        ("mvi.l1 a1, 0\nld32.d1a a2, 0(a1)\nnop\nnop\nnop\nadd.l1 a3, a2, a2\nhalt", []),
        # The branch, where it is taken, passes by what is written.
        (
            "mvi.l1 a0, 1\n[a0] b.s1 end\nnop\nnop\nnop\nnop\nmvi.l1 a1, 1\nend:\nmv.l1 a2, a1\nhalt",
            ["7: a1"],
        ),
        (
            "mvi.l1 a0, 1\n[a0] b.s1 end\nnop\nnop\nnop\nmvi.l1 a1, 1\nnop\nend:\nmv.l1 a2, a1\nhalt",
            [],
        ),
        # In a loop it is written at its end, too late for the first iteration.
        ("mvi.l1 a0, 1\nto:\nmv.s1 a2, a1\n[a0] b.s1 to\nnop\nnop\nnop\nmvi.l1 a1, 1\nhalt", ["1: a1"]),
    ],
)
def test_words_that_nobody_has_written(text: str, where: list[str]) -> None:
    assert wrong(text, ()) == [f"{place} {UNWRITTEN}" for place in where]


def test_one_register_over_a_path_that_is_shared() -> None:
    text = "mvi.l2 b1, 1\n|| mvi.s2 b2, 1\n|| mvi.l1 a1, 1\nadd.l1x a2, a1, b1\n|| add.s1x a3, a1, {}\nhalt"
    shared = replace(P, shared=frozenset({"x1", "x2"}))
    for register, found in (("b1", []), ("b2", ["3: x1 is taken 2 times in a cycle"])):
        code = Decoder(shared).all(assemble(text.format(register), shared).words)
        assert check.rules(code, [0], shared) == found


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
