"""What a term is rewritten to is the same word."""

from __future__ import annotations

import random
from dataclasses import replace
from itertools import product

import pytest

from finalist.ir.graph import TableData
from finalist.ir.ops import Op
from finalist.isa.lower.rewrites import CLEAN, InMemory, rewrites
from finalist.isa.target.meaning import (
    Bank,
    InRegister,
    Term,
    branch,
    constant,
    equal,
    evaluate,
    less,
    load,
    lookup,
    mul_high,
    operand,
    permuted,
    register,
    select,
    store,
)
from finalist.isa.target.processor import Processor
from finalist.machines.plx.model import processor
from finalist.machines.plx.parameters import parsed
from tests.processors import accumulator, vliw

A, B, C = operand("a"), operand("b"), operand("c")
PROCESSORS = [accumulator.PROCESSOR, vliw.processor(), processor(parsed("")), processor(parsed("word=64"))]
TABLE = TableData(tuple(17 * k + 3 & 255 for k in range(4)), 8, "some")
#: The table at this address, of entries of one byte.
PLACE = InMemory(constant(64), 1, TABLE)

TERMS = {
    "a mask": A & 31,
    "a mask of what is left of a shift": A >> 3 & 255,
    "a shift by nothing": A << 0,
    "the low bits moved up": (A & 7) << 2,
    "bits from above moved up": (A >> 1 & 7) << 2,
    "bits from above moved down": (A >> 3 & 7) << 2,
    "bits from above moved back": (A >> 2 & 7) << 2,
    "bits beyond the top": (A & 127) << 4,
    "a rotation to the left": Term(Op.ROL, (A, constant(3))),
    "a rotation by a word": Term(Op.ROL, (A, B)),
    "a rotation to the right": Term(Op.ROR, (A, constant(3))),
    "a rotation by nothing": Term(Op.ROR, (A, constant(0))),
    "a complement": ~A,
    "a constant taken off": A - 5,
    "an equality": equal(A, B),
    "an equality with 0": equal(A, constant(0)),
    "a comparison": less(A, B),
    "a choice": select(less(A, C), A, B),
    "a choice or 0": select(less(A, C), A, constant(0)),
    "0 or a choice": select(less(A, C), constant(0), B),
    "a product by a power": A * 8,
    "a product": A * B,
    "the upper half of a product": mul_high(A, B),
    "a load": load(1, A),
    "a load at a sum": load(1, A + 1),
    "a load at an address known beforehand": load(1, constant(7) + constant(64)),
    "a lookup": lookup(PLACE, A & 3),
}


def value(term: Term, values: dict[str, int], width: int) -> int:
    """What a term is, with the table in a memory that has other bytes around it."""

    def outside(asked: Term, operands: tuple[int, ...]) -> int:
        return sum((operands[0] + k) * 29 % 256 << 8 * k for k in range(asked.attr))

    return evaluate(plain(term), values, width, outside)


def plain(term: Term) -> Term:
    """The term with tables in memory as the bytes that `value` has there."""
    if isinstance(term.attr, InMemory):
        return load(term.attr.bytes, plain(term.args[0]) * term.attr.bytes + term.attr.base)
    return Term(term.op, tuple(map(plain, term.args)), term.attr, term.lane, term.width)


@pytest.mark.parametrize("p", PROCESSORS, ids=lambda p: f"{p.name} {p.width}")
@pytest.mark.parametrize("name", TERMS)
def test_the_same_word(name: str, p: Processor) -> None:
    source, term = random.Random(name), TERMS[name]
    edges = (0, 1, 1 << p.width - 1, (1 << p.width) - 1)
    words = [*product(edges, repeat=3), *([source.getrandbits(p.width) for _ in "abc"] for _ in range(20))]
    for other in rewrites(term, p):
        assert other != term
        for three in words:
            values = dict(zip("abc", three, strict=True))
            assert value(other, values, p.width) == value(term, values, p.width), (other, values)


@pytest.mark.parametrize("width", [32, 64])
def test_processors_that_lack_an_operation_can_do_with_others(width: int) -> None:
    p = processor(parsed(f"word={width}"))
    p = replace(p, instructions=tuple(i for i in p.instructions if i.main.op is not Op.MUL))
    for name in set(TERMS) - {"a load at a sum"}:
        assert list(rewrites(TERMS[name], p)), name


def test_a_comparison_of_short_words_is_the_sign_of_a_difference() -> None:
    p = processor(parsed(""))
    first, other = rewrites(Term(Op.LT, (A, B), CLEAN), p)
    for a, b in ((3, 4), (4, 4), (4, 3), (0, 0x7FFFFFFF)):
        for term in (first, other):
            assert evaluate(term, {"a": a, "b": b}, 32) == (a < b)
    assert first == A - B >> 31


def test_what_is_known_to_be_clear_needs_no_mask() -> None:
    assert next(rewrites(Term(Op.AND, (A, constant(255)), CLEAN), processor(parsed("")))) == A


@pytest.mark.parametrize(("bits", "mask"), [(0, None), (32, (1 << 32) - 1), (64, None)])
def test_of_a_narrow_entry_there_are_no_bits_above(bits: int, mask: int | None) -> None:
    """Instructions that read a whole entry are those that mask as many bits."""
    word = lookup(Bank(0), A)
    found = list(rewrites(word, processor(parsed(f"word=64,entries={bits},with=ptlu"))))
    assert found == ([] if mask is None else [word & mask])


def test_products_are_taken_apart_for_multipliers_of_halves_alone() -> None:
    """And once only."""
    halves, whole = processor(parsed("multiplier=16")), vliw.processor()
    assert not list(rewrites(A * B, whole))
    for p in (halves, accumulator.PROCESSOR):
        ones = (1 << p.width // 2) - 1
        assert list(rewrites(A * B, p))
        assert not list(rewrites((A & ones) * (B & ones), p))


def test_an_address_known_beforehand_is_one_number_where_no_register_is_0() -> None:
    where = constant(300) + constant(4)
    for p, wanted in ((accumulator.PROCESSOR, True), (processor(parsed("")), False)):
        assert (load(1, constant(304)) in list(rewrites(load(1, where), p))) == wanted
        assert (store(1, constant(304), A) in list(rewrites(store(1, where, A), p))) == wanted


def test_a_place_is_a_sum_for_instructions_that_have_a_displacement() -> None:
    p = processor(parsed(""))
    for place, sums in ((A, [A + 0]), (A + 1, [A + 1 + 0]), (A + 0, [])):
        assert list(rewrites(load(4, place), p)) == [load(4, one) for one in sums]
        assert list(rewrites(store(4, place, B), p)) == [store(4, one, B) for one in sums]


def test_a_branch_without_a_condition_compares_two_zeros() -> None:
    assert list(rewrites(branch(constant(1)), processor(parsed("")))) == [
        branch(equal(constant(0), constant(0)))
    ]
    assert list(rewrites(branch(A), processor(parsed("")))) == [branch(equal(A, constant(0)) ^ 1)]
    assert not list(rewrites(branch(less(A, B)), processor(parsed(""))))


def test_a_table_in_a_register() -> None:
    """Where an instruction reads it from there, and its bytes are few enough."""
    entry = lookup(PLACE, A & 3)
    with_permute, without = (processor(parsed(text)) for text in ("with=shuffle", ""))
    held = constant(int.from_bytes(bytes(TABLE.values), "little"))
    found = permuted(A & 3, held, InRegister(wraps=True)) & 255
    assert found in list(rewrites(entry, with_permute))
    assert len(list(rewrites(entry, without))) == 1
    assert [value(found, {"a": a}, 32) for a in range(4)] == list(TABLE.values)
    long = InMemory(constant(64), 1, TableData(TABLE.values * 2, 8, "long"))
    assert len(list(rewrites(lookup(long, A & 7), with_permute))) == 1


def test_a_table_that_an_instruction_has_built_in() -> None:
    """It is looked up into a sum, of which 0 may be the other part; of a sum of several it comes last."""
    p = processor(parsed("with=aes32"))
    built_in = next(table for table in p.built_in if isinstance(table, TableData))
    entry = lookup(InMemory(constant(64), 4, built_in), A & 255)
    assert entry ^ 0 in list(rewrites(entry, p))
    assert entry ^ 0 not in list(rewrites(lookup(PLACE, A), p))
    word = register(1)
    assert list(rewrites((B ^ entry) ^ word, p)) == [(B ^ word) ^ entry]
    assert not list(rewrites((B ^ entry) ^ word, processor(parsed(""))))
