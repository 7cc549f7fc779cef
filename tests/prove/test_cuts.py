"""Programs proved equal word by word: limbs with carries are, and what has a fault is not."""

from __future__ import annotations

import numpy as np
import pytest

from finalist.ciphers.catalogue import cipher
from finalist.ir.builder import Builder
from finalist.ir.execute import interpret
from finalist.ir.graph import Node
from finalist.ir.ops import Op
from finalist.ir.program import Program
from finalist.ir.rewrite import Rewriter, rewrite
from finalist.language import Array, Cipher, Word, join, rol, rounds, u32, words
from finalist.machines.tracing import traced
from finalist.passes import legalise, simplify
from finalist.passes.ternary import with_ternary_gates
from finalist.prove.cuts import compare, narrower, remapped
from tests.graphs import LOWERED, bytes_for, random_program
from tests.prove.changes import Change, changed, no_carry, swapped
from tests.prove.test_streams import Shuffle

pytest.importorskip("pysat")

CHECK = (pytest.mark.slow, pytest.mark.check)
#: Of the CPU for what is not proved.
SECONDS = 3.0


class Small(Cipher):
    """Sums, a product, and a rotation by a word, of 32 bits each, in four rounds that are all the same."""

    block = words(2, u32)
    key_bits = (64,)
    key_words = words(2, u32)

    def expand_key(self, key: list[Word]) -> dict[str, Array]:
        K = Array(4, 32)
        a, b = key
        for k in range(4):
            a = rol(a + b, 3) - 0x9E3779B9
            K[k] = a
        return {"K": K}

    def encrypt(self, block: list[Word], keys: dict[str, Array]) -> list[Word]:
        a, b = block
        for k in rounds(4):
            a = rol(a ^ b * (2 * b + 1), b & 31) + keys["K"][k]
            a, b = b, a
        return [a, b]


def lowered() -> Program:
    return simplify.run(legalise.run(traced(Small, "encrypt", 64), 8))


def test_limbs_of_sums_products_and_rotations() -> None:
    """A round is proved once: of what is asked most has come before."""
    found = compare(traced(Small, "encrypt", 64), lowered())
    assert found.reason == ""
    assert found.words > 30
    assert found.settled < found.asked / 2


def further(make: Builder, node: Node, inputs: tuple[Node, ...]) -> Node:
    return make.make(node.op, (inputs[0], make.make(Op.XOR, (inputs[1], make.const(1, inputs[1].width)))))


def rarely(make: Builder, node: Node, inputs: tuple[Node, ...]) -> Node:
    """Another word for one pair of its operands' values in 2^16 alone."""
    same = [make.make(Op.EQ, (word, make.const(0x5A, word.width))) for word in inputs]
    total = make.make(node.op, inputs)
    wrong = make.make(Op.XOR, (total, make.const(1, node.width)))
    return make.make(Op.SELECT, (make.make(Op.AND, (same[0], same[1])), wrong, total))


FAULTS: dict[str, tuple[Op, int, Change]] = {
    "a dropped carry": (Op.LT, 3, no_carry),
    "a limb in place of another": (Op.XOR, 5, swapped),
    "another amount": (Op.SHL, 2, further),
    "one pair of words in 2^16": (Op.XOR, 1, rarely),
    "the carry of the last round": (Op.LT, -1, no_carry),
}


def unrolled() -> Program:
    """The same with its rounds one after the other, so that one of them can be wrong."""
    program = lowered()
    assert not any(node.op is Op.LOOP for node in program.kernel.body)
    return program


@pytest.mark.parametrize(
    "name", [*list(FAULTS)[:1], *(pytest.param(name, marks=CHECK) for name in list(FAULTS)[1:])]
)
def test_a_fault_is_not_proved(name: str) -> None:
    op, number, change = FAULTS[name]
    good = unrolled()
    bad = changed(good, op, number, change)
    keys, data = bytes_for(good, 4000)
    differs = not np.array_equal(interpret(good, keys, data), interpret(bad, keys, data))
    assert differs or name == "one pair of words in 2^16"
    assert compare(traced(Small, "encrypt", 64), bad, SECONDS).reason != ""
    assert compare(good, bad, SECONDS).reason != ""
    assert compare(bad, bad).reason == ""


def test_a_key_that_nobody_tries() -> None:
    """One bit of the output is wrong for one value in 2^32 of the expanded key."""
    good = unrolled()
    first = good.kernel.results[0]
    keyed = [node for node in good.kernel.body if node.op is Op.LOAD and node.inputs[0].op is Op.PARAM][:4]
    assert len({node.inputs for node in keyed}) == 4

    def spoil(rewriter: Rewriter, node: Node, inputs: tuple[Node, ...]) -> Node | None:
        if node is not first:
            return None
        make = rewriter.builder
        bits = [make.make(Op.EQ, (rewriter.get(one), make.const(0xA5, 8))) for one in keyed]
        all_ = make.make(Op.AND, (make.make(Op.AND, bits[:2]), make.make(Op.AND, bits[2:])))
        return make.make(Op.XOR, (make.make(node.op, inputs), make.extend(all_, 8)))

    bad = good.with_graphs(good.expand, rewrite(good.kernel, Builder(), spoil))
    keys, data = bytes_for(good, 1000)
    assert np.array_equal(interpret(good, keys, data), interpret(bad, keys, data))
    assert compare(good, bad, SECONDS).reason != ""
    assert compare(traced(Small, "encrypt", 64), bad, SECONDS).reason != ""


@pytest.mark.parametrize("part", [0, *(pytest.param(k, marks=CHECK) for k in range(1, 8))])
def test_random_programs(part: int) -> None:
    """Whatever is proved is so: of two programs of a seed, one simplified, with a fault or without."""
    proved = 0
    for seed in range(8 * part, 8 * part + 8):
        program = random_program(f"cuts {seed}", LOWERED)
        keys, data = bytes_for(program, 500)
        wanted = interpret(program, keys, data)
        others = [simplify.run(program)]
        ops = [node.op for node in program.kernel.body if node.op in (Op.ADD, Op.SUB, Op.XOR, Op.AND)]
        others += [changed(program, op, 0, swapped) for op in dict.fromkeys(ops)]
        for other in others:
            if compare(program, other, 1.0).reason == "":
                proved += 1
                assert np.array_equal(interpret(other, keys, data), wanted), seed
    assert proved > 4


def test_words_that_are_equal_in_one_program() -> None:
    """Of a word that has been cut at another one's, an equal one is cut there as well: it is proved from what
    both are made of."""

    class Twice(Small):
        def encrypt(self, block: list[Word], keys: dict[str, Array]) -> list[Word]:
            a, b = block
            for k in range(4):
                key = keys["K"][k]
                one, other = (a ^ key) & b, (a ^ b ^ (key ^ b)) & b
                a, b = rol(one * b, 7) + rol(other * b, 12), a ^ rol(one * key, 9) ^ rol(other * key, 1)
            return [a, b]

    class Once(Small):
        def encrypt(self, block: list[Word], keys: dict[str, Array]) -> list[Word]:
            a, b = block
            for k in range(4):
                key = keys["K"][k]
                one = b ^ (b & ~(a ^ key))
                a, b = rol(one * b, 7) + rol(one * b, 12), a ^ rol(one * key, 9) ^ rol(one * key, 1)
            return [a, b]

    one, other = (traced(each, "encrypt", 64) for each in (Twice, Once))
    assert compare(one, other).reason == ""


def test_where_programs_are_not_compared() -> None:
    first = traced(Shuffle, "encrypt", 32)
    assert compare(first, first).reason == "its blocks hand on a state"
    program = traced(Small, "encrypt", 64)
    assert compare(program, lowered(), 0.0).reason == "not done within 0 seconds of the CPU"


def test_narrower_words() -> None:
    """Of what is calculated, not of the numbers of iterations."""
    program = traced(Small, "encrypt", 64)
    assert narrower(program, lowered())
    assert not narrower(program, program)
    other = traced(cipher("rijndael"), "encrypt", 128)
    assert not narrower(other, simplify.run(other))


def test_gates_of_three_inputs() -> None:
    """Those that a pass has made of others: word by word one for the few that it stands for."""

    class Gates(Small):
        def encrypt(self, block: list[Word], keys: dict[str, Array]) -> list[Word]:
            a, b = block
            for k in rounds(4):
                a, b = b ^ (a & rol(a, 5) | keys["K"][k] & ~rol(b, 1)), a ^ (b & keys["K"][k] ^ rol(a, 9))
            return [a, b]

    program = traced(Gates, "encrypt", 64)
    made = program.with_graphs(program.expand, with_ternary_gates(program.kernel))
    assert remapped(program, made) and not remapped(made, made) and not remapped(made, program)
    assert compare(program, made).reason == ""
    box = traced(cipher("serpent"), "encrypt", 128)  # functions of four bits
    assert not remapped(box, made)


@pytest.mark.slow
@pytest.mark.check
@pytest.mark.parametrize("operation", ["encrypt", "decrypt"])
@pytest.mark.parametrize(("name", "pages"), [("rc6", 1), ("e2", 1), ("cast-256", 1), ("mars", 2)])
def test_ciphers_in_bytes(name: str, pages: int, operation: str) -> None:
    definition = cipher(name)
    program = traced(definition, operation, definition.usual_key_bits())
    assert compare(program, legalise.run(program, 8, pages)).reason == ""


def test_words_side_by_side() -> None:
    """A definition in bytes, and a program in words of all of them."""

    class Bytes(Small):
        def encrypt(self, block: list[Word], keys: dict[str, Array]) -> list[Word]:
            a, b = block
            parts = [x ^ y for x, y in zip(a.bytes(), b.bytes(), strict=True)]
            return [join(*parts), b]

    class Whole(Small):
        def encrypt(self, block: list[Word], keys: dict[str, Array]) -> list[Word]:
            return [block[0] ^ block[1], block[1]]

    one, other = (traced(each, "encrypt", 64) for each in (Bytes, Whole))
    assert compare(one, other).reason == ""
    assert compare(other, one).reason == ""
