"""What is asked of a processor: its conditions, units, and what its instructions can do between them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from finalist.ir.ops import Op
from finalist.isa.target.meaning import Flow, InRegister
from finalist.isa.target.processor import Predicates, Processor
from finalist.machines.c6x.model import processor as c6x
from finalist.machines.plx.model import processor as plx
from finalist.machines.plx.parameters import parsed
from tests.processors import accumulator, vliw

#: Of three registers, in bits 31 to 29; one number after 0 is passed over.
CONDITIONS = Predicates(31, 29, (("a", 0), ("b", 0), ("b", 1)), skipped=1)
RISC, VLIW, TOY = plx(parsed("")), vliw.processor(), accumulator.PROCESSOR


@pytest.mark.parametrize(
    ("number", "register", "sense"),
    [
        (1, ("a", 0), True),
        (2, ("a", 0), False),
        (3, ("b", 0), True),
        (4, ("b", 0), False),
        (5, ("b", 1), True),
        (6, ("b", 1), False),
    ],
)
def test_conditions(number: int, register: tuple[str, int], sense: bool) -> None:
    assert CONDITIONS.tested(number) == (register, sense)
    assert CONDITIONS.number(register, sense) == number
    assert CONDITIONS.encode(number) == number + 1 << 29
    assert CONDITIONS.decode(number + 1 << 29 | 0x1FFFFFFF) == number


def test_no_condition_and_none_that_there_is() -> None:
    assert CONDITIONS.encode(0) == CONDITIONS.decode(0x1FFFFFFF) == 0
    assert CONDITIONS.decode(1 << 29) == -1  # what is passed over
    few = Predicates(31, 29, (("a", 0),))
    assert [few.decode(code << 29) for code in range(5)] == [0, 1, 2, -1, -1]


def test_registers_and_units() -> None:
    assert (RISC.width, RISC.registers, RISC.main) == (32, 32, RISC.files["r"])
    assert (TOY.width, TOY.registers) == (8, 1)
    assert TOY.file("x") is TOY.files["x"] and TOY.file("") is TOY.main
    assert (VLIW.unit_count("l1"), VLIW.unit_count("none of them")) == (1, 8)
    assert plx(parsed("issue=4/2")).unit_count("mem") == 2


def test_instructions_by_name_and_by_what_they_end_in() -> None:
    assert [len(TOY.by_name[name]) for name in ("lda", "ldx", "tax")] == [4, 3, 1]
    assert {one.name for one, _, _ in VLIW.by_root[Op.ADD, 0]} == {"add", "addi"}
    assert {one.name for one, _, _ in VLIW.by_root[Flow.BRANCH, 0]} == {"b"}
    # Flags are no word: what sets them has one effect beside.
    assert {one.name for one, _, _ in TOY.by_root[Op.XOR, 0]} == {"eor"}
    assert VLIW.has(Op.MUL) and not VLIW.has(Op.MULHI) and not VLIW.has(Op.ADD, 16)


def test_forms_by_the_shape_of_their_operands() -> None:
    for processor in (RISC, TOY, VLIW):
        for root, forms in processor.by_root.items():
            shapes = processor.by_shape[root]
            assert sorted(id(form) for _, group in shapes for form in group) == sorted(map(id, forms))
            assert len({shape for shape, _ in shapes}) == len(shapes)
    shapes = dict(VLIW.by_shape[Op.SHL, 0])
    assert {shape: [one.name for one, _, _ in group] for shape, group in shapes.items()} == {
        (None, Op.AND): ["shl"],
        (None, None): ["shli"],
    }


def test_instructions_of_two_words() -> None:
    """A product of both halves is one; a sum with its carry is not."""
    assert [one.name for one, *_ in TOY.doubles] == ["mul"]
    assert VLIW.doubles == RISC.doubles == ()


def test_parts_of_words() -> None:
    assert [sorted(p.lanes) for p in (RISC, VLIW, plx(parsed("word=64")), c6x("c64x"))] == [
        [],
        [],
        [32],
        [8, 16],
    ]
    assert [sorted(p.rotated) for p in (TOY, VLIW, plx(parsed("word=64")))] == [[], [32], [32, 64]]


def test_shifts_by_words() -> None:
    assert VLIW.shifts_by_words and RISC.shifts_by_words and not TOY.shifts_by_words
    numbers_only = replace(VLIW, instructions=tuple(i for i in VLIW.instructions if i.name != "shl"))
    assert not numbers_only.shifts_by_words
    assert (VLIW.amounts, numbers_only.amounts, c6x("c62x").amounts) == (32, 32, 64)


def test_fields_and_tables_in_registers() -> None:
    assert [p.fields for p in (RISC, plx(parsed("with=extract")), c6x("c62x"))] == [False, False, True]
    assert RISC.permutes == ()
    (kind,) = plx(parsed("with=xperm8")).permutes
    assert isinstance(kind, InRegister)
    assert RISC.built_in == frozenset() and len(plx(parsed("with=aes32")).built_in) == 16


def test_a_processor_of_nothing_but_loads() -> None:
    bare = Processor("bare", RISC.files, tuple(i for i in RISC.instructions if i.name == "load"))
    assert not bare.fields and not bare.shifts_by_words and bare.amounts == 32
    assert bare.lanes == bare.rotated == frozenset()
