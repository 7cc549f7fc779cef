"""Operations as terms: on each processor the word that the interpreter has, zeros above it."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product

import numpy as np
import pytest

from finalist.errors import GraphError
from finalist.ir import interpreter
from finalist.ir.builder import Builder
from finalist.ir.graph import Graph, Node, TableData
from finalist.ir.ops import Op
from finalist.ir.types import WordType
from finalist.isa.lower.rewrites import CLEAN
from finalist.isa.lower.words import term_of
from finalist.isa.target.meaning import Term, constant, register
from finalist.machines.plx.model import processor
from finalist.machines.plx.parameters import parsed
from tests.isa.lower.executed import Execution, lowered
from tests.processors import vliw

PROCESSORS = {
    "plx": processor(parsed("")),
    "plx:word=64": processor(parsed("word=64")),
    "plx:word=128": processor(parsed("word=128")),
    "vliw": vliw.processor(),
}
WIDTHS = (1, 5, 8, 16, 31, 32)
Make = Callable[[Builder, Node, Node], Node]


def values(width: int) -> list[int]:
    top = (1 << width) - 1
    return sorted({0, 3 & top, top, 0x5A5A5A5B & top})


def agrees(kind: str, width: int, make: Make, other: int | None = None) -> None:
    """For all pairs of values, of ``width`` and of ``other`` bits."""
    builder = Builder()
    a = builder.param("memory", WordType(width), "a")
    b = builder.param("memory", WordType(other or width), "b")
    of = Graph("g", [a, b], [make(builder, a, b)])
    made = lowered(of, PROCESSORS[kind])
    term = made.term(of.results[0])
    pairs = list(product(values(width), values(other or width)))
    columns = zip(zip(*pairs, strict=True), (a, b), strict=True)
    (wanted,) = interpreter.run(of, [np.array(x, interpreter.dtype(word.width)) for x, word in columns])
    found = [Execution(made, pair).value(term) for pair in pairs]
    assert dict(zip(pairs, found, strict=True)) == dict(zip(pairs, map(int, wanted), strict=True))


def two(op: Op) -> Make:
    return lambda make, a, b: make.make(op, (a, b))


def by(op: Op, amount: int) -> Make:
    return lambda make, a, b: make.make(op, (a, make.const(amount, 8)))


@pytest.mark.parametrize("kind", PROCESSORS)
@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("op", [Op.AND, Op.OR, Op.XOR, Op.ADD, Op.SUB, Op.MUL, Op.MULHI, Op.EQ, Op.LT])
def test_of_two_words(kind: str, width: int, op: Op) -> None:
    agrees(kind, width, two(op))


@pytest.mark.parametrize("kind", PROCESSORS)
@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("op", [Op.SHL, Op.SHR])
def test_shifts(kind: str, width: int, op: Op) -> None:
    for amount in {0, 1, width // 2, width - 1}:
        agrees(kind, width, by(op, amount))


@pytest.mark.parametrize("kind", PROCESSORS)
@pytest.mark.parametrize("width", [8, 16, 32])
@pytest.mark.parametrize("op", [Op.ROL, Op.ROR])
def test_rotations(kind: str, width: int, op: Op) -> None:
    for amount in (0, 1, width // 2, width - 1, width, width + 3):
        agrees(kind, width, by(op, amount))


@pytest.mark.parametrize("kind", PROCESSORS)
@pytest.mark.parametrize("width", WIDTHS)
def test_of_one_word(kind: str, width: int) -> None:
    agrees(kind, width, lambda make, a, b: make.make(Op.NOT, (a,)))
    agrees(kind, width, lambda make, a, b: make.extend(a, 32) if width < 32 else a)
    for low in {0, width // 3, width - 1}:
        for bits in {1, width - low}:
            agrees(kind, width, lambda make, a, b, at=low, n=bits: make.slice(a, at, n))


@pytest.mark.parametrize("kind", PROCESSORS)
def test_of_several(kind: str) -> None:
    agrees(kind, 8, lambda make, a, b: make.make(Op.JOIN, (a, b, make.make(Op.NOT, (a,)))))
    agrees(kind, 16, lambda make, a, b: make.make(Op.SELECT, (make.make(Op.LT, (a, b)), a, b)))
    agrees(kind, 8, lambda make, a, b: make.slice(make.make(Op.ADD, (a, b)), 4, 4))


@pytest.mark.parametrize("kind", ["plx", "plx:word=128"])
@pytest.mark.parametrize("width", [8, 31])
def test_what_has_something_above_its_bits_within_other_operations(kind: str, width: int) -> None:
    """Sums, products and shifts are masked where that matters: compared, shifted right, multiplied high."""

    def inner(make: Builder, a: Node, b: Node, op: Op) -> Node:
        return make.make(op, (a, make.const(3, width))) if op is Op.SHL else make.make(op, (a, b))

    for op in (Op.ADD, Op.SUB, Op.MUL, Op.SHL):
        for outer in (Op.LT, Op.EQ, Op.MULHI, Op.ADD, Op.MUL):
            agrees(kind, width, lambda make, a, b, i=op, o=outer: make.make(o, (inner(make, a, b, i), b)))
        agrees(
            kind, width, lambda make, a, b, i=op: make.make(Op.SHR, (inner(make, a, b, i), make.const(2, 8)))
        )


def test_two_shifts_are_one_as_far_as_something_is_left() -> None:
    for first, second in ((20, 8), (31, 4), (31, 0), (3, 28), (3, 29)):

        def shifted(make: Builder, a: Node, b: Node, n: int = first, low: int = second) -> Node:
            down = make.make(Op.SHR, (a, make.const(n, 8)))
            return make.slice(down, low, min(3, 32 - low))

        agrees("plx", 32, shifted)


# -- what is written ----------------------------------------------------------------------------------------


def term(kind: str, width: int, make: Make) -> Term:
    builder = Builder()
    a, b = (builder.param("memory", WordType(width), name) for name in "ab")
    of = Graph("g", [a, b], [make(builder, a, b)])
    made = lowered(of, PROCESSORS[kind])
    return term_of(made, of.results[0])


A, B = register(1), register(2)


def test_a_sum_that_never_passes_its_width_is_not_masked() -> None:
    def masked(make: Builder, a: Node, b: Node, bits: int = 127) -> Node:
        return make.make(Op.ADD, tuple(make.make(Op.AND, (x, make.const(bits, 8))) for x in (a, b)))

    assert term("plx", 8, masked).op is Op.ADD
    assert term("plx", 8, lambda make, a, b: masked(make, a, b, 129)).op is Op.AND


def test_a_shift_that_never_passes_its_width_is_not_masked() -> None:
    def shifted(make: Builder, a: Node, b: Node, by: int = 1) -> Node:
        low = make.make(Op.AND, (a, make.const(127, 8)))
        return make.make(Op.SHL, (low, make.const(by, 8)))

    assert term("plx", 8, shifted).op is Op.SHL
    assert term("plx", 8, lambda make, a, b: shifted(make, a, b, 2)).op is Op.AND


def test_a_slice_of_the_top_has_no_mask_to_be_made() -> None:
    """What is left of a shift has zeros above: the mask is there for instructions that do both."""
    top, middle = (term("plx", 32, lambda make, a, b, at=low: make.slice(a, at, 8)) for low in (24, 16))
    assert top == Term(Op.AND, (A >> 24, constant(255)), CLEAN)
    assert middle == Term(Op.AND, (A >> 16, constant(255)))
    assert term("plx", 32, lambda make, a, b: make.slice(a, 0, 32)) == A


def test_a_comparison_of_short_words_may_be_signed() -> None:
    assert term("plx", 16, two(Op.LT)) == Term(Op.LT, (A, B), CLEAN)
    assert term("plx", 32, two(Op.LT)) == Term(Op.LT, (A, B))
    assert term("plx", 16, two(Op.EQ)) == Term(Op.EQ, (A, B))


def test_a_product_of_short_words_may_be_a_short_multiplier_s() -> None:
    low = [Term(Op.AND, (x, constant(0xFFFF)), CLEAN) for x in (A, B)]
    assert term("plx", 16, two(Op.MUL)) == Term(Op.MUL, tuple(low)) & 0xFFFF
    assert term("plx", 32, two(Op.MUL)) == A * B
    assert term("plx", 31, two(Op.MUL)) == A * B & 0x7FFFFFFF


@pytest.mark.parametrize(
    ("op", "amount", "expected"),
    [
        (Op.ROL, 3, (A << 3) & 255 | (A >> 5)),
        (Op.ROR, 3, (A << 5) & 255 | (A >> 3)),
        (Op.ROL, 8, A),
        (Op.ROR, 11, (A << 5) & 255 | (A >> 3)),
    ],
)
def test_rotations_of_short_words(op: Op, amount: int, expected: Term) -> None:
    assert term("plx", 8, by(op, amount)) == expected


def test_whole_words_are_rotated_by_an_instruction() -> None:
    assert term("plx", 32, two(Op.ROL)) == Term(Op.ROL, (A, B))
    assert term("plx:word=128", 32, by(Op.ROL, 3)) == Term(Op.ROL, (A, constant(3)), lane=32)


def test_what_preparation_has_to_replace_is_refused() -> None:
    with pytest.raises(GraphError, match=r"^a rotation of 8 bits by a word was left by preparation$"):
        term("plx", 8, two(Op.ROL))
    with pytest.raises(GraphError, match=r"^rem \(.*\) was left by preparation$"):
        term("plx", 8, two(Op.REM))


def test_lookups() -> None:
    table = TableData(tuple(7 * k + 1 & 255 for k in range(256)), 8, "some")
    builder = Builder()
    a = builder.param("memory", WordType(8), "a")
    of = Graph("g", [a], [builder.make(Op.LOOKUP, (a,), table)])
    made = lowered(of, PROCESSORS["plx"])
    for x in (0, 1, 77, 255):
        assert Execution(made, [x]).value(made.term(of.results[0])) == table.values[x]
