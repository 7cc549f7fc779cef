"""Operands: numbers with and without sign, lists of numbers, registers that no bit names."""

from __future__ import annotations

import pytest

from finalist.isa.target.operand import AssemblyError, Operand


def test_an_implied_operand_takes_no_bits() -> None:
    a = Operand("a", "both", file="a")
    assert a.implied and a.read and a.written
    assert a.encode(0) == 0 and a.decode(0xFFFF) == 0


def test_both_is_read_and_written() -> None:
    kinds = {kind: Operand("r", kind, 3) for kind in ("def", "use", "both", "imm")}
    assert [kind for kind, o in kinds.items() if o.read] == ["use", "both"]
    assert [kind for kind, o in kinds.items() if o.written] == ["def", "both"]


def test_numbers() -> None:
    plain, own = Operand("n", "imm", 7), Operand("n", "imm", 7, signed=True)
    assert plain.accepts(255) and not plain.accepts(256) and not plain.accepts(-1)
    assert own.accepts(-128) and own.accepts(127) and not own.accepts(128)
    assert own.decode(own.encode(-3)) == -3
    assert (plain.accepted(), own.accepted()) == ("0 to 255", "-128 to 127")


def test_listed_numbers_are_held_by_place() -> None:
    listed = Operand("n", "imm", 3, 2, values=(8, 16, 32))
    assert listed.encode(32) == 2 << 2
    assert listed.decode(1 << 2) == 16
    with pytest.raises(AssemblyError, match="n is 3; accepted: under 3"):
        listed.decode(3 << 2)
