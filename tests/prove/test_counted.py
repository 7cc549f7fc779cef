"""Streams by the number of a block: from any counters, for any number; what is wrong is not proved."""

from __future__ import annotations

from dataclasses import replace

from finalist.ir.builder import Builder
from finalist.ir.graph import Node
from finalist.ir.ops import Op
from finalist.ir.program import Program
from finalist.ir.rewrite import Rewriter, rewrite
from finalist.language import LITTLE, Array, StreamCipher, Word, join, rol, u32, words
from finalist.passes.counters import counted
from finalist.passes.hoist import run as hoisted
from finalist.prove.refute import interpreted
from tests.passes.test_counters import Two, traced
from tests.prove.test_passes import verdicts


class Keyed(StreamCipher):
    """With work on the key that a pass takes out of the kernel."""

    block = words(2, u32, LITTLE)
    key_bits = (96,)
    key_words = words(3, u32, LITTLE)

    def expand_key(self, key: list[Word]) -> dict[str, Array]:
        return {"key": Array.holding(key[:2]), "wide": Array.holding([join(key[2], key[0])])}

    def key_stream(self, state: dict[str, Array]) -> list[Word]:
        key, wide = state["key"], state["wide"][0]
        state["wide"][0] = wide + 1
        return [(key[0] + rol(key[1], 3)) ^ wide[0:32], wide[32:64] + key[1]]


def spoiled(program: Program, op: Op) -> Program:
    """With one operation of the kernel on the words the other way round or a bit further."""
    at = next(node for node in program.kernel.body if node.op is op)

    def visit(rewriter: Rewriter, node: Node, inputs: tuple[Node, ...]) -> Node | None:
        make = rewriter.builder
        return make.make(Op.XOR, (make.make(op, inputs), make.const(1, node.width))) if node is at else None

    return program.with_graphs(program.expand, rewrite(program.kernel, Builder(), visit))


def test_the_pass_that_counts_and_those_after_it() -> None:
    """A counter of two words and one that goes down; arrays of the expanded key that are new."""
    for definition, more in ((Two, "unchanged"), (Keyed, "proved")):
        first = traced(definition)
        number = counted(first)
        assert [one.verdict for one in verdicts(first, number, hoisted(number))] == ["proved", more]


def test_a_wrong_key_stream_is_refuted() -> None:
    first = traced(Two)
    bad = spoiled(counted(first), Op.MUL)
    (found,) = verdicts(first, bad)
    assert found.verdict == "refuted"
    wrong = found.counterexample
    assert wrong is not None
    assert interpreted(bad, bytes.fromhex(wrong.key), bytes.fromhex(wrong.data)).hex() == wrong.computed
    assert wrong.computed != wrong.defined


def test_a_wrong_step_is_no_proof() -> None:
    """What a call leaves, which the interpreter, with all blocks in one call, does not need."""
    first = traced(Two)
    number = counted(first)
    wide, narrow = number.counters
    bad = replace(number, counters=(replace(wide, step=wide.step + 1), narrow))
    (found,) = verdicts(first, bad)
    assert found.verdict == "undecided"


def test_a_state_that_is_more_than_counters_is_no_proof() -> None:
    first = traced(Two)
    number = counted(first)
    (found,) = verdicts(first, replace(number, counters=number.counters[:1]))
    assert (found.verdict, found.reason) == ("undecided", "before it: a block hands on more than counters")
