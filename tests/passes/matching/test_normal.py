"""Normal forms of instructions, from nothing but their meaning."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from finalist.errors import GraphError
from finalist.ir.graph import Instruction, Region
from finalist.ir.types import WordType
from finalist.language import Table, Word, join
from finalist.language.trace import tracing
from finalist.machines.native.whole_blocks.instructions import shuffle, x86
from finalist.passes.matching.normal import (
    Addition,
    Map,
    Round,
    applied,
    identity,
    instruction_set,
    normal_form,
)
from tests.passes.matching.aes import S

#: Another S-box.
MADE = Table([(7 * x + 9) ** 3 % 257 % 256 for x in range(256)], name="made")


def made(meaning: Callable[..., list[Word]], operands: int) -> Instruction:
    """An instruction on registers of two words."""
    with tracing() as traced:
        params = [traced.builder.param("argument", WordType(32), "x") for _ in range(2 * operands)]
        words = meaning(*(Word(param) for param in params))
    return Instruction("made", Region(params, [word.node for word in words]), (2,) * operands)


def substituted(word: Word, table: Table = S) -> Word:
    return join(*(table[byte] for byte in word.bytes()))


def test_kinds() -> None:
    kinds = {str(i): type(normal_form(i)) for i in x86()}
    assert kinds == {
        **dict.fromkeys(("aesenc", "aesenclast", "aesdec", "aesdeclast"), Round),
        "aesimc": Map,
        "pxor": Addition,
    }


def test_which_only_move_bytes() -> None:
    rounds = {str(r.instruction): r.moves for i in x86() if isinstance(r := normal_form(i), Round)}
    assert rounds["aesenclast"] == (0, 5, 10, 15, 4, 9, 14, 3, 8, 13, 2, 7, 12, 1, 6, 11)
    assert rounds["aesenc"] is None


def test_a_map_and_its_inverse() -> None:
    form = next(f for i in x86() if isinstance(f := normal_form(i), Map))
    assert applied(form.rows, form.inverse) == identity(128)


@pytest.mark.parametrize(
    ("meaning", "operands", "reason"),
    [
        (lambda a, b: [a + b, b], 1, "it is no map of one layer"),
        (lambda a, b: [substituted(a ^ (a >> 3)), substituted(b)], 1, "take other things than bytes"),
        (lambda a, b: [substituted(a), b], 1, "it is no map of one layer|not one for each byte"),
        (lambda a, b: [substituted(a), substituted(b, MADE)], 1, "not one for each byte"),
        (lambda a, b: [a, a], 1, "its linear map has no inverse"),
        (lambda a, b, c, d: [b ^ c, a ^ d], 2, "accepted of two operands are their XOR, and rounds"),
        (lambda a, b: [a ^ 1, b], 1, "it is no map of one layer"),
    ],
)
def test_what_has_no_normal_form(meaning: Callable[..., list[Word]], operands: int, reason: str) -> None:
    with pytest.raises(GraphError, match=f"^made: .*({reason})"):
        normal_form(made(meaning, operands))


def test_a_set_has_an_addition() -> None:
    with pytest.raises(GraphError, match="without an XOR of registers"):
        instruction_set([i for i in x86() if str(i) != "pxor"], shuffle)
