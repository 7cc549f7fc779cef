"""Two instructions as one of two results: the halves of a rotation, and what must stay apart."""

from __future__ import annotations

from finalist.isa.code import Block, Code, Ins
from finalist.isa.lower.merged import merge
from finalist.machines.c6x.model import processor

P = processor("c62x")


def one(name: str, syntax: str, *operands: int) -> Ins:
    found = next(i for i in P.instructions if i.name == name and syntax in i.syntax and ":" not in i.syntax)
    return Ins(found, list(operands))


def merged(left: int, right: int, lasting: set[int], left_out: set[str]) -> list[str]:
    shifts = [one("SHL", "{imm}", 2, 1, left), one("SHRU", "{imm}", 3, 1, right)]
    code = Code([Block("b", [*shifts, one("ADD", "{rb}", 4, 2, 3)])])
    merge(code, P, lasting, left_out)
    return [ins.instruction.name + str(ins.operands) for ins in code.blocks[0].body]


def test_a_rotation() -> None:
    assert merged(5, 27, set(), set()) == ["SHL[2, 3, 1, 5]", "ADD[4, 2, 3]"]


def test_what_stays_apart() -> None:
    """Amounts that do not belong together, or are too long; words that live on; blocks that are left out."""
    for given in ((5, 26, set(), set()), (9, 23, set(), set()), (5, 27, {3}, set()), (5, 27, set(), {"b"})):
        assert len(merged(*given)) == 3  # type: ignore[arg-type]
