"""One operation as C text: parentheses, widths, and what vectors refuse."""

from __future__ import annotations

import pytest

from finalist.ir.builder import Builder
from finalist.ir.graph import Node, TableData
from finalist.ir.ops import Op
from finalist.ir.types import WordType, storage_bits
from finalist.machines.native.text.dialect import Scalar, Text, Vector, binary, register_bits

MAKE = Builder()
A, B = MAKE.param("memory", WordType(32), "a"), MAKE.param("memory", WordType(32), "b")
X, Y = MAKE.param("memory", WordType(7), "x"), MAKE.param("memory", WordType(7), "y")
SCALAR = Scalar()


def code(node: Node, *operands: str) -> str:
    return SCALAR.expression(node, [Text(operand) for operand in operands]).code


def test_storage_and_registers() -> None:
    assert [storage_bits(w) for w in (1, 8, 9, 16, 17, 32, 33, 64)] == [8, 8, 16, 16, 32, 32, 64, 64]
    # Never narrower than int: C would promote to a signed one.
    assert [register_bits(w) for w in (1, 8, 31, 32, 33, 64)] == [32, 32, 32, 32, 64, 64]


@pytest.mark.parametrize("operator", ["^", "|", "&", "+", "-", "*", "<<"])
@pytest.mark.parametrize("inner", ["", "^", "|", "&", "+", "-", "*", "<<", ">>", "<", "?"])
def test_parentheses(operator: str, inner: str) -> None:
    """Left out only where the text then still means the same."""
    compound = Text(f"p {inner} q" if inner else "p", inner)
    left = binary(operator, compound, Text("r")).code
    right = binary(operator, Text("r"), compound).code
    if not inner:
        assert (left, right) == (f"p {operator} r", f"r {operator} p")
        return
    kept = inner == operator and operator in "^|&+"
    assert left == (f"p {inner} q {operator} r" if kept else f"(p {inner} q) {operator} r")
    assert ("(" not in right) <= (inner == operator == "^")


def test_words_that_fill_their_variable_need_no_mask() -> None:
    assert code(MAKE.make(Op.ADD, [A, B]), "a", "b") == "a + b"
    assert code(MAKE.make(Op.NOT, [A]), "a") == "~a"
    assert code(MAKE.make(Op.ADD, [X, Y]), "x", "y") == "(x + y) & 0x7fu"
    assert code(MAKE.make(Op.NOT, [X]), "x") == "~x & 0x7fu"


@pytest.mark.parametrize(("value", "width", "text"), [(5, 8, "5u"), (10, 32, "0xau"), (10, 33, "0xaull")])
def test_constants(value: int, width: int, text: str) -> None:
    assert SCALAR.constant(value, width).code == text


def test_shifts_stay_inside_what_c_defines() -> None:
    """Past the width the result is zero here and undefined in C."""
    assert code(MAKE.make(Op.SHL, [A, MAKE.const(40, 8)]), "a", "n") == "0u"
    assert code(MAKE.make(Op.SHL, [A, MAKE.const(31, 8)]), "a", "n") == "a << 31"
    assert code(MAKE.make(Op.SHL, [A, B]), "a", "n") == "(a << (n & 0x1fu)) & -(uint32_t)(n < 0x20u)"
    assert "<" not in code(MAKE.make(Op.SHR, [A, MAKE.extend(MAKE.slice(B, 0, 5), 32)]), "a", "n")
    assert "?" not in code(MAKE.make(Op.SHL, [A, MAKE.extend(MAKE.slice(B, 0, 5), 32)]), "a", "n")


def test_rotations_by_nothing_and_by_the_width() -> None:
    assert code(MAKE.make(Op.ROL, [A, MAKE.const(0, 8)]), "a", "n") == "a"
    assert code(MAKE.make(Op.ROR, [A, MAKE.const(64, 8)]), "a", "n") == "a"
    assert code(MAKE.make(Op.ROL, [A, MAKE.const(40, 8)]), "a", "n") == "(a << 8) | (a >> 24)"


def test_rotations_of_narrow_words_are_known_by_the_cast() -> None:
    """Compilers make them one instruction; with a mask in its place they don't."""
    for width in (8, 16):
        word = MAKE.param("memory", WordType(width), f"w{width}")
        turned = code(MAKE.make(Op.ROL, [word, MAKE.const(3, 8)]), "w", "n")
        assert turned == f"(uint32_t)(uint{width}_t)((w << 3) | (w >> {width - 3}))"
    assert code(MAKE.make(Op.ROL, [X, MAKE.const(3, 8)]), "x", "n") == "((x << 3) | (x >> 4)) & 0x7fu"


@pytest.mark.parametrize(
    ("node", "lane_bits", "reason"),
    [
        (MAKE.make(Op.EQ, [A, B]), 32, "eq has no form on vectors"),
        (MAKE.make(Op.MULHI, [A, B]), 32, "mulhi has no form on vectors"),
        (MAKE.make(Op.LOOKUP, [X], TableData((0,) * 128, 32, "T")), 32, "lookup has no form on vectors"),
        (MAKE.make(Op.ADD, [A, B]), 64, "a word of 32 bits does not fill its lane of 64"),
        (MAKE.make(Op.ADD, [A, B]), 32, ""),
        (MAKE.make(Op.ROL, [A, B]), 32, ""),
        (MAKE.make(Op.SHL, [A, MAKE.make(Op.AND, [B, MAKE.const(31, 32)])]), 32, ""),
    ],
)
def test_refusals_of_vectors(node: Node, lane_bits: int, reason: str) -> None:
    said = Vector.refusal(node, lane_bits, "load")
    assert said.startswith(reason)
    assert bool(said) == bool(reason)


def test_operands_shared_by_all_lanes_are_spread() -> None:
    assert Vector(32, 4).spread(Text("k + 1", "+")).code == "((vec){0} + k + 1)"
    assert SCALAR.spread(Text("k")).code == "k"
