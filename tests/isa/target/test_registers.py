"""Register files: names, lone registers, what is accepted."""

from __future__ import annotations

from finalist.isa.target.registers import RegisterFile


def test_registers_of_a_file_have_numbers() -> None:
    file = RegisterFile("r", 16, 32)
    assert file.written(3) == "r3"
    assert [file.read(text) for text in ("r3", "R15", "r16", "s3", "r")] == [3, 15, None, None, None]
    assert file.accepted() == "r0 to r15"


def test_a_lone_register_has_none() -> None:
    file = RegisterFile("A", 1, 8)
    assert file.written(0) == "A"
    assert [file.read(text) for text in ("A", "a", "A0", "X")] == [0, 0, None, None]
    assert file.accepted() == "A"
