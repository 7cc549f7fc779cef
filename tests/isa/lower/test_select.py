"""Selection: the fewest instructions, and what the instructions give is the term's value."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from finalist.errors import GraphError
from finalist.ir.graph import TableData
from finalist.ir.ops import Op
from finalist.isa.code import Ins
from finalist.isa.lower.rewrites import InMemory
from finalist.isa.lower.select import Selector
from finalist.isa.target.meaning import (
    Bank,
    InRegister,
    Leaf,
    Term,
    address,
    branch,
    constant,
    equal,
    evaluate,
    less,
    lookup,
    mul_high,
    permuted,
    register,
    ror,
    select,
)
from finalist.isa.target.processor import Processor
from finalist.machines.plx.model import processor
from finalist.machines.plx.parameters import parsed
from tests.processors import vliw

A, B, C = (register(number) for number in (1, 2, 3))


def emitted(term: Term, p: Processor) -> tuple[list[Ins], int, dict[int, int]]:
    """The instructions of a term, the word that it is in, and the constants that they use."""
    code: list[Ins] = []
    held: dict[int, int] = {}
    numbers = iter(range(100, 1000))

    def hold(value: int) -> int:
        held[50 + len(held)] = value
        return 49 + len(held)

    result = Selector(p, lambda: next(numbers), code.append, hold).root(term)
    return code, result, held


def value(term: Term, p: Processor, words: dict[int, int]) -> int:
    """What the instructions of a term give."""
    code, result, held = emitted(term, p)
    known = {0: 0, **words, **held}
    for ins in code:
        pairs = zip(ins.instruction.operands, map(int, ins.operands), strict=True)
        values = {o.name: known[x] if o.kind == "use" else x for o, x in pairs if o.kind != "def"}
        (effect,) = ins.instruction.effects(values)
        known[sum(ins.written)] = evaluate(effect.value, {}, p.width)
    return known[result]


TERMS = {
    "rotations": Term(Op.ROL, (A, constant(5))) ^ Term(Op.ROL, (B, C & 31)) ^ ror(C, 32),
    "comparisons": less(A, B) + (less(B, A) << 1) + (equal(A, B) << 2) + (equal(A, A) << 3),
    "selection": select(less(A, B), A, C) ^ select(less(B, C), constant(0), A),
    "products": A * B + mul_high(A, C) + A * 8,
    "fields": (A.byte(3) << 2) + (B.byte(1) << 2) + (C.byte(0) << 3) + ((A >> 8 & 0xFF) << 12),
    "constants": (A & 0xFFFF0000) + (B ^ 0x12345678) - 40000 + (C - 7),
    "complements": ~A & B | ~(C & ~B),
}


@pytest.mark.parametrize("kind", ["", "multiplier=16", "with=extract+andn"])
@pytest.mark.parametrize("name", TERMS)
def test_the_instructions_give_the_terms_value(name: str, kind: str) -> None:
    p, source = processor(parsed(kind)), random.Random(name)
    for _ in range(20):
        words = {k: source.choice((source.getrandbits(32), 0, 1, 0xFFFFFFFF, 0x80000000)) for k in (1, 2, 3)}
        expected = evaluate(_closed(TERMS[name], words), {}, 32)
        assert value(TERMS[name], p, words) == expected


def _closed(term: Term, words: dict[int, int]) -> Term:
    if term.op is Leaf.REGISTER:
        return constant(words[term.attr])
    return Term(term.op, tuple(_closed(arg, words) for arg in term.args), term.attr, term.lane)


TABLE = InMemory(address(0x4000), 4)
SHORT = InMemory(address(0x4000), 1, TableData((3, 1, 4, 1), 8, "short"))


@pytest.mark.parametrize(
    ("term", "kind", "count"),
    [
        (lookup(TABLE, A.byte(1)), "", 4),  # shift, mask, address, load
        (lookup(TABLE, A.byte(3)), "", 4),
        (lookup(TABLE, A.byte(1)), "with=extract", 3),
        (lookup(InMemory(constant(0x4000), 4), A.byte(1)), "", 3),  # the address in the load
        (lookup(Bank(1), A.byte(1)), "with=ptlu", 1),
        (~A & B, "", 2),
        (~A & B, "with=andn", 1),
        (B & ~A, "with=andn", 1),
        (Term(Op.ROL, (A, B)), "", 2),  # the amount's complement, and the rotation
        (lookup(SHORT, A & 3), "", 3),  # mask, address, load
        (lookup(SHORT, A & 3), "with=xperm8", 3),  # mask, permutation, mask
        (lookup(SHORT, A & 3), "with=shuffle", 3),
        (permuted(A, B, InRegister(wraps=True)), "with=shuffle", 1),
        (A, "", 0),
        (constant(0), "", 0),
        ((A ^ B) + (A ^ B), "", 2),  # what stands twice is made once
    ],
)
def test_as_few_instructions_as_there_can_be(term: Term, kind: str, count: int) -> None:
    assert len(emitted(term, processor(parsed(kind)))[0]) == count


def test_what_a_processor_lacks_is_an_error() -> None:
    with pytest.raises(GraphError, match="plx has no instructions for lookup"):
        emitted(lookup(Bank(1), A.byte(1)), processor(parsed("")))


@pytest.mark.parametrize(("a", "b"), [(5, 5), (5, 4), (0, 7), (0, 0)])
def test_a_condition_that_words_are_equal_tests_one_word(a: int, b: int) -> None:
    """On a processor with predicates, and no comparison for that: a word that is 0 where they are."""
    toy = vliw.processor()
    toy = replace(toy, instructions=tuple(one for one in toy.instructions if one.name != "seq"))
    code: list[Ins] = []
    numbers = iter(range(100, 200))
    selector = Selector(toy, lambda: next(numbers), code.append, lambda value: 0)
    selector.act(branch(equal(A, B)), "there")
    *before, jump = code
    known = {0: 0, 1: a, 2: b}
    for ins in before:
        pairs = zip(ins.instruction.operands, map(int, ins.operands), strict=True)
        values = {o.name: known[x] if o.kind == "use" else x for o, x in pairs if o.kind != "def"}
        (effect,) = ins.instruction.effects(values)
        known[sum(ins.written)] = evaluate(effect.value, {}, toy.width)
    assert jump.condition is not None
    word, sense = jump.condition
    assert ((known[word] != 0) == sense) == (a == b)
