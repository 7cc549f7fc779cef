"""Parallel lookup: what is legal, with entries as wide as a word and narrower ones."""

from __future__ import annotations

import pytest

from finalist.ciphers.catalogue import cipher
from finalist.isa.assembly.assembler import assemble
from finalist.isa.target.operand import AssemblyError
from finalist.machines.plx.model import processor
from finalist.machines.plx.parameters import parsed
from finalist.vectors.check import check_known_answers
from finalist.vectors.load import vectors_of
from tests.machines.plx.test_machine import compiled

WIDE, NARROW = (processor(parsed(f"word=128{more},with=ptlu")) for more in ("", ",entries=32"))


@pytest.mark.parametrize("text", ["ptlu.2.8.0 r1, r2", "ptlu.1.16.4 r1, r2", "ptlw.0.8.0 r1, r2"])
def test_no_more_bytes_are_read_or_written_than_an_entry_has(text: str) -> None:
    assemble(f"start:\n {text}\n trap", WIDE)
    with pytest.raises(AssemblyError, match="this combination is not legal"):
        assemble(f"start:\n {text}\n trap", NARROW)


def test_four_words_of_four_tables_are_read_at_once_whatever_the_entries() -> None:
    """Figure 4 of the paper: its tables have entries of 32 bits, the register 128."""
    for p in (WIDE, NARROW):
        assemble("start:\n ptlu.4.4.12 r1, r2\n trap", p)


@pytest.mark.parametrize("word", [128, 64])
@pytest.mark.every(2)
def test_entries_of_32_bits_do_for_tables_of_32_bits(word: int) -> None:
    wide, narrow = (
        compiled("blowfish", f"plx:word={word}{more},with=ptlu", lookup="ptlu")
        for more in ("", ",entries=32")
    )
    assert narrow.cycles_a_block == wide.cycles_a_block


@pytest.mark.check
def test_tables_of_wider_entries_stay_in_memory() -> None:
    """E2's tables of 64 bits."""
    wide, narrow = (
        compiled("e2", f"plx:word=64{more},with=ptlu", lookup="ptlu") for more in ("", ",entries=32")
    )
    assert narrow.cycles_a_block > wide.cycles_a_block


@pytest.mark.check
def test_bytes_that_several_take_are_read_from_narrow_entries() -> None:
    """MAGENTA's table of bytes: what is looked up is wanted as it is, not masked."""
    program = compiled("magenta", "plx:word=64,entries=32,with=ptlu")
    assert check_known_answers(program, vectors_of(cipher("magenta")))
