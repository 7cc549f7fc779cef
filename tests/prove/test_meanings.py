"""Meanings of instructions on unknown words give what `evaluate` gives."""

from __future__ import annotations

import random

import pytest

from finalist.ir.graph import TableData
from finalist.ir.ops import Op
from finalist.isa.target.instruction import Effect, Instruction
from finalist.isa.target.meaning import (
    Bank,
    Flow,
    InRegister,
    Term,
    constant,
    equal,
    evaluate,
    less,
    lookup,
    mul_high,
    operand,
    permuted,
    ror,
    select,
)
from finalist.machines.registry import machine
from finalist.prove.evaluate import Valuation
from finalist.prove.meanings import value
from finalist.prove.words import Words

A, B = operand("a"), operand("b")
TABLE = TableData(tuple(k * 37 % 251 for k in range(256)), 8)
TERMS = {
    "sum": A + B,
    "difference": A - B,
    "product": A * B,
    "high": mul_high(A, B),
    "left": A << (B & 7),
    "far left": A << B,
    "right": A >> (B & 7),
    "rotated": ror(A, B),
    "gates": (A & ~B) | (A ^ B),
    "carry": less(A + B, B),
    "equal": equal(A & 3, B & 3),
    "choice": select(A, A + 1, B),
    "wide": (A.extend(64) * B.extend(64)).low(),
    "lookup": lookup(TABLE, A & 0xFF),
    "permuted": permuted(A, B, InRegister(wraps=True)),
    "cut": permuted(A & 0x0707070707070707, B, InRegister(wraps=False)),
    "sum of sums": (A + B) - (B - A) + constant(5),
}


def agrees(term: Term, width: int, source: random.Random, names: tuple[str, ...] = ("a", "b")) -> bool:
    """Whether the word made of unknown operands is that of `evaluate` at some of their values."""
    words = Words()
    made = value(words, term, {name: words.symbol(name, width) for name in names}, width)
    for _ in range(8):
        given = {name: source.choice((source.getrandbits(width), 0, (1 << width) - 1, 1)) for name in names}
        if Valuation(words, given).word(made) != evaluate(term, given, width):
            return False
    return True


@pytest.mark.parametrize("width", [8, 32, 64])
@pytest.mark.parametrize("name", TERMS)
def test_operations(name: str, width: int) -> None:
    assert agrees(TERMS[name], width, random.Random(name))


@pytest.mark.parametrize("op", [Op.ADD, Op.SUB, Op.SHL, Op.SHR, Op.ROR])
@pytest.mark.parametrize("lane", [8, 16, 32])
def test_lanes(op: Op, lane: int) -> None:
    amount = B & 7 if op in (Op.SHL, Op.SHR, Op.ROR) else B
    assert agrees(Term(op, (A, amount)).in_lanes(lane), 64, random.Random(lane))


def _pure(effect: Effect) -> bool:
    """Whether an effect is a word made of registers alone."""
    return bool(effect.target) and not isinstance(effect.value.op, Flow) and not _outside(effect.value)


def _outside(term: Term) -> bool:
    return term.op is Op.LOAD or isinstance(term.attr, Bank) or any(map(_outside, term.args))


def _meanings(one: Instruction) -> list[Term]:
    """What it writes: of its first form, with numbers at their least."""
    return [effect.value for effect in one.forms[0][1] if _pure(effect)]


#: Left to the second tier.
CHECK = (pytest.mark.slow, pytest.mark.check)
LARGE = "plx:word=64,with=ptlu+extract+andn+xperm8+shuffle"


@pytest.mark.parametrize(
    "kind", [*(pytest.param(kind, marks=CHECK) for kind in (LARGE, "plx", "c64x")), "hc05"]
)
def test_every_instruction(kind: str) -> None:
    """All words that a processor's instructions make of registers, each operand unknown."""
    processor = machine(kind).processor  # type: ignore[attr-defined]
    source, count = random.Random(kind), 0
    for one in processor.instructions:
        for term in _meanings(one):
            names = tuple(dict.fromkeys(_names(term)))
            assert agrees(term, processor.width, source, names), one
            count += 1
    assert count > 20


def _names(term: Term) -> list[str]:
    own = [str(term.attr)] if term == operand(str(term.attr)) else []
    return own + [name for arg in term.args for name in _names(arg)]
