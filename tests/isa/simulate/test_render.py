"""Meanings as C."""

from __future__ import annotations

import pytest

from finalist.isa.simulate.render import Renderer, bytes_of, type_of
from finalist.isa.target.meaning import Leaf, Term, operand
from finalist.machines.plx.model import processor
from finalist.machines.plx.parameters import parsed

RENDERER = Renderer(processor(parsed("")))


@pytest.mark.parametrize(
    ("bits", "name", "size"),
    [
        (1, "uint8_t", 1),
        (8, "uint8_t", 1),
        (9, "uint16_t", 2),
        (33, "uint64_t", 8),
        (128, "unsigned __int128", 16),
    ],
)
def test_the_narrowest_type(bits: int, name: str, size: int) -> None:
    assert type_of(bits) == name and bytes_of(bits) == size


def test_constants_have_the_type_of_their_word() -> None:
    """As many bits as they say, else as many as the processor's."""
    assert RENDERER.text(Term(Leaf.CONSTANT, attr=5)) == "(uint32_t)0x5ull"
    assert RENDERER.text(Term(Leaf.CONSTANT, attr=5, width=8)) == "(uint8_t)0x5ull"
    assert RENDERER.text(operand("x")) == "x"
