"""Passes: what leaves a program what it was is proved, and the one that does not is named."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise

import pytest

from finalist.ciphers.catalogue import cipher
from finalist.ir.builder import Builder
from finalist.ir.graph import Node
from finalist.ir.ops import Op
from finalist.ir.program import Program
from finalist.ir.rewrite import Rewriter, rewrite
from finalist.ir.steps import Step
from finalist.language import Array, Word
from finalist.machines.registry import machine
from finalist.machines.tracing import traced
from finalist.passes import legalise, simplify
from finalist.prove.passes import Passed, prove_passes
from finalist.prove.refute import interpreted
from finalist.prove.words import Words
from finalist.report.explained import passes
from finalist.schedule import parse_schedule
from tests.prove.test_streams import Shuffle

Change = Callable[[Builder, Node, tuple[Node, ...]], Node]


def spoiled(program: Program, op: Op, change: Change) -> Program:
    """A pass that is wrong: one operation of the kernel is replaced."""
    at = next(node for node in program.kernel.body if node.op is op)

    def visit(rewriter: Rewriter, node: Node, inputs: tuple[Node, ...]) -> Node | None:
        return change(rewriter.builder, node, inputs) if node is at else None

    return program.with_graphs(program.expand, rewrite(program.kernel, Builder(), visit))


def idle(make: Builder, node: Node, inputs: tuple[Node, ...]) -> Node:
    return make.make(Op.XOR, (make.make(node.op, inputs), make.const(0, node.width)))


def no_carry(make: Builder, node: Node, inputs: tuple[Node, ...]) -> Node:
    return make.const(0, 1)


def exchanged(make: Builder, node: Node, inputs: tuple[Node, ...]) -> Node:
    return make.make(node.op, inputs[::-1])


def further(make: Builder, node: Node, inputs: tuple[Node, ...]) -> Node:
    return make.make(node.op, (inputs[0], make.make(Op.ADD, (inputs[1], make.const(1, inputs[1].width)))))


#: A cipher, the operation that a wrong pass replaces, and how.
FAULTS = {
    "a dropped carry": ("speck", Op.LT, no_carry),
    "swapped operands": ("rc6:r=1", Op.SUB, exchanged),
    "a rotation off by one": ("rc6:r=1", Op.ROL, further),
}


def verdicts(*programs: Program) -> list[Passed]:
    pairs = enumerate(pairwise(programs))
    return list(prove_passes([Step(str(k), "", "file.py", before, after) for k, (before, after) in pairs]))


LONG = pytest.param("a dropped carry", marks=[pytest.mark.slow, pytest.mark.check])


@pytest.mark.parametrize("name", [LONG, *list(FAULTS)[1:]])
def test_the_pass_that_is_wrong_is_named(name: str) -> None:
    """Those before and after it are proved, and the interpreter confirms the counterexample."""
    which, op, change = FAULTS[name]
    definition = cipher(which)
    operation = "decrypt" if op is Op.SUB else "encrypt"
    first = legalise.run(traced(definition, operation, definition.usual_key_bits()), 32)
    first = spoiled(first, op, idle)  # something to simplify
    good = simplify.run(first)
    bad = spoiled(good, op, change)
    found = verdicts(first, good, bad, spoiled(bad, Op.XOR, idle))
    assert [one.verdict for one in found] == ["proved", "refuted", "proved"]
    wrong = found[1].counterexample
    assert wrong is not None
    key, data = bytes.fromhex(wrong.key), bytes.fromhex(wrong.data)
    assert interpreted(good, key, data).hex() == wrong.defined
    assert interpreted(bad, key, data).hex() == wrong.computed != wrong.defined


@pytest.mark.slow
@pytest.mark.check
def test_all_passes_of_a_plan() -> None:
    definition = cipher("rc6:r=1")
    asked = parse_schedule(["width=1", "blocks=1"])
    _, given, _ = passes(machine("native"), definition, "encrypt", 128, asked)
    found = list(prove_passes(given))
    assert [one.name for one in found] == [one.name for one in given]
    assert {one.verdict for one in found} == {"unchanged", "proved"}


@pytest.mark.parametrize("stopped", [False, True])
def test_the_memory_of_a_plan_is_given_back(stopped: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Plan after plan takes the memory of one, also where it is not gone through to its end."""
    made: list[Words] = []

    def words(seconds: float | None) -> Words:
        made.append(Words(seconds))
        return made[-1]

    monkeypatch.setattr("finalist.prove.passes.Words", words)
    program = traced(cipher("speck"), "encrypt", 128)
    found = prove_passes([Step("pass", "", "file.py", program, program)] * 2)
    next(found)
    (own,) = made
    store = own.store
    assert vars(store)
    if not stopped:
        list(found)
    del found
    assert not vars(store)


def test_time_that_is_over_is_undecided() -> None:
    first = traced(cipher("rc6:r=1"), "encrypt", 128)
    (found,) = prove_passes([Step("simplify", "", "", first, simplify.run(first))], 0)
    assert found.verdict == "undecided"
    assert found.reason == "before it: not done within 0 seconds of the CPU"


@pytest.mark.slow
@pytest.mark.check
@pytest.mark.parametrize(
    ("name", "choices"),
    [
        ("rijndael", ["lookup=bitslice"]),
        ("rijndael", ["width=128"]),
        ("rijndael", ["width=1", "blocks=1"]),
        ("des", ["lookup=bitslice"]),
        ("serpent", ["width=1", "blocks=1"]),
        ("safer-plus", ["blocks=32", "width=256", "lookup=bitslice", "rounds=loop"]),  # differences in planes
    ],
)
def test_passes_of_ciphers(name: str, choices: list[str]) -> None:
    definition = cipher(name)
    asked = parse_schedule(choices)
    _, given, _ = passes(machine("native"), definition, "decrypt", definition.usual_key_bits(), asked)
    assert {one.verdict for one in prove_passes(given)} == {"unchanged", "proved"}


class Longer(Shuffle):
    """With a byte of state that nothing needs."""

    def expand_key(self, key: list[Word]) -> dict[str, Array]:
        return super().expand_key(key) | {"more": Array(1, 8)}


def test_passes_of_a_stream() -> None:
    """From any state; a step that is wrong is refuted, and a state of another form is no proof."""
    first = traced(Shuffle, "encrypt", 32)
    good = simplify.run(spoiled(first, Op.ADD, idle))
    bad = spoiled(good, Op.ADD, further)
    assert [one.verdict for one in verdicts(first, good, bad)] == ["proved", "refuted"]
    (found,) = verdicts(traced(Longer, "encrypt", 32), first)
    assert (found.verdict, found.reason) == ("undecided", "the state has another form")


@pytest.mark.slow
@pytest.mark.check
def test_programs_on_the_way_that_give_no_blocks() -> None:
    """Words that have a bit of each byte are passed over: the passes around them are proved together."""
    choices = ["blocks=64", "width=256", "lookup=bitslice", "fuse=0", "rounds=loop", "word=64"]
    _, given, _ = passes(machine("native"), cipher("camellia"), "encrypt", 128, parse_schedule(choices))
    found = {one.name: one for one in prove_passes(given)}
    assert [one.name for one in prove_passes(given)] == [step.name for step in given]
    assert found["byteslice"].verdict == found["bytes of a block"].verdict == "proved"
    wrong = [
        replace(step, after=spoiled(step.after, Op.XOR, exchanged_for_or))
        if step.name == "bytes of a block"
        else step
        for step in given
    ]
    found = {one.name: one for one in prove_passes(wrong)}
    assert found["byteslice"].verdict == found["bytes of a block"].verdict == "refuted"


def exchanged_for_or(make: Builder, node: Node, inputs: tuple[Node, ...]) -> Node:
    return make.make(Op.OR, inputs)
