"""The C around a translated program."""

from __future__ import annotations

from dataclasses import replace

import pytest

from finalist.isa.simulate.render import Renderer
from finalist.isa.simulate.runtime import before
from finalist.machines.plx.model import processor
from finalist.machines.plx.parameters import parsed


@pytest.mark.parametrize("word", [32, 64, 128])
def test_no_more_is_asked_of_a_compiler_than_all_have(word: int) -> None:
    """Bytes of 128-bit words are turned by halves: few compilers have a function for that."""
    p = processor(parsed(f"word={word}"))
    text = before(p, "big", Renderer(p))
    assert "__builtin_bswap32" in text
    assert "__builtin_bswap128" not in text
    assert "bswap" not in before(p, "little", Renderer(p))


@pytest.mark.parametrize("aligned", [True, False])
def test_addresses_that_are_refused(aligned: bool) -> None:
    """Beyond memory; where words have to be aligned those that are not, of which bytes cannot be."""
    p = replace(processor(parsed("")), aligned=aligned)
    text = before(p, "little", Renderer(p))
    assert "if (at > s->limit - 1) " in text
    assert f"if (at > s->limit - 4{' || at % 4' if aligned else ''}) " in text
