"""Instructions of one to three words of code, back from them."""

from __future__ import annotations

import pytest

from finalist.isa.assembly.assembler import assemble
from finalist.isa.assembly.decoder import Decoder, disassemble
from finalist.isa.target.operand import AssemblyError
from finalist.machines.c6x.model import processor as c6x
from tests.processors.accumulator import PROCESSOR

TEXT = """
start:
    ldx #3
    lda 300,x
    asla
    sta *7
    bne start
    jmp end
end:
    halt
"""


def test_words_of_an_instruction() -> None:
    """The opcode comes first, then the address with its highest byte first."""
    image = assemble(TEXT, PROCESSOR)
    found = Decoder(PROCESSOR).all(image.words)
    assert [(at, one.length) for at, one in found.items()] == [
        (0, 2),
        (2, 3),
        (5, 1),
        (6, 2),
        (8, 2),
        (10, 3),
        (13, 1),
    ]
    assert image.words[3:5] == [300 >> 8, 300 & 0xFF]
    assert found[2].values["m"] == 300


def test_branches_count_from_their_end() -> None:
    image = assemble(TEXT, PROCESSOR)
    found = Decoder(PROCESSOR).all(image.words)
    assert (image.words[9], found[8].target, found[10].target) == (0x100 - 10, 0, 13)


def test_back_to_text() -> None:
    image = assemble(TEXT, PROCESSOR)
    assert assemble(disassemble(image.words, PROCESSOR), PROCESSOR).words == image.words


def test_what_is_no_instruction() -> None:
    with pytest.raises(AssemblyError, match="word ff at 0 is no instruction"):
        Decoder(PROCESSOR).all([0xFF, 0])
    with pytest.raises(AssemblyError, match="accepted: 0 to 255"):
        assemble("lda *256", PROCESSOR)


def test_the_upper_register_of_a_pair_is_the_next_one() -> None:
    """It has no bits of its own."""
    model = c6x("c64x")
    one = next(i for i in model.instructions if any(o.pair for o in i.operands))
    (pair,) = [o for o in one.operands if o.pair]
    for low in (4, 8):
        word = one.code | one.ways[0].code | low << one.operand_in(one.ways[0], pair.pair).low
        values = Decoder(model).decode(word, 0).values
        assert (values[pair.pair], values[pair.name]) == (low, low + 1)
