"""The C around a translated program."""

from __future__ import annotations

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
