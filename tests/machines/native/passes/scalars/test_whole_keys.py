"""Parts of round keys are taken in the kernel where the whole is in the expanded key anyway."""

from __future__ import annotations

import pytest

from finalist.ciphers.catalogue import cipher
from finalist.ir.ops import Op
from finalist.ir.program import Program
from finalist.machines.native.passes.scalars.whole_keys import with_whole_round_keys
from finalist.machines.tracing import traced
from finalist.passes.pipeline import lower
from tests.passes.meaning import keeps_program, operations


def program(name: str, bits: int = 128) -> Program:
    return lower(traced(cipher(name), "encrypt", bits))


def test_kasumis_halves_of_seven_and_nine_bits() -> None:
    before = program("kasumi")
    after = keeps_program(with_whole_round_keys, before)
    assert [type_.width for type_ in before.key_types] == [16, 7, 9]
    assert [(type_.width, type_.length) for type_ in after.key_types] == [(16, 64)]
    more = len(operations(after.kernel, Op.SLICE)) - len(operations(before.kernel, Op.SLICE))
    assert more == 16, "two parts of each of eight words"


@pytest.mark.parametrize("name", ["serpent", "twofish", "des", "sm4"])
def test_keys_that_are_no_parts_stay(name: str) -> None:
    before = program(name, 64 if name == "des" else 128)
    assert with_whole_round_keys(before) is before
