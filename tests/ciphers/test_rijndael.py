"""Rijndael with blocks of more than 128 bits."""

from __future__ import annotations

import pytest

from finalist import compile
from finalist.ciphers.catalogue import cipher
from finalist.ciphers.rijndael import Rijndael, inv_shift_rows, shift_rows
from finalist.vectors.check import check_known_answers
from finalist.vectors.load import key_lengths, vectors_of
from tests.machines.fpga.simulators import needs

BLOCKS = (160, 192, 224, 256)


def test_the_block_alone_changes_what_depends_on_it() -> None:
    found = Rijndael.of(block_bits=256)
    assert (found.block.bytes, Rijndael.block.bytes) == (32, 16)
    assert found(128).last == found(256).last == 14
    assert (Rijndael(128).last, Rijndael.of(block_bits=192)(128).last) == (10, 12)


@pytest.mark.parametrize("columns", [4, 5, 6, 7, 8])
def test_shifts_of_rows(columns: int) -> None:
    """Row 0 stays; each other moves by another number of columns; the inverse undoes it."""
    state = list(range(4 * columns))
    moved = shift_rows(state)
    amounts = [next(c for c in range(columns) if state[4 * c + row] == moved[row]) for row in range(4)]
    assert amounts == ([0, 1, 3, 4] if columns == 8 else [0, 1, 2, 4] if columns == 7 else [0, 1, 2, 3])
    assert inv_shift_rows(moved) == state


@pytest.mark.parametrize("bits", BLOCKS)
@pytest.mark.parametrize(
    "machine", ["interpreter", "native", "plx", pytest.param("fpga", marks=needs("verilog"))]
)
@pytest.mark.every(16)
def test_published_answers(machine: str, bits: int) -> None:
    found = cipher(f"rijndael:block-bits={bits}")
    lengths = key_lengths(found)
    assert len(lengths) == (4 if bits == 192 else 5)
    for operation in ("encrypt", "decrypt"):
        for length in lengths if machine == "interpreter" else lengths[::3]:
            program = compile(found, machine, operation, length)
            assert check_known_answers(program, vectors_of(found)) == 1
