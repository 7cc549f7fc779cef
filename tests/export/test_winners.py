"""What a library takes of the winners that come along."""

from __future__ import annotations

from pathlib import Path

from finalist.ciphers.catalogue import cipher
from finalist.export.levels import PORTABLE, level
from finalist.export.winners import alone, entry
from finalist.schedule import parsed
from finalist.tuning.choose import LENGTHS

SPECK = str(Path(__file__).parents[2] / "examples" / "speck.py")


def test_few_and_many_blocks_are_those_of_short_and_long_messages() -> None:
    found = entry(cipher("mars"), "encrypt", 128, level("avx512"))
    many, few = parsed(found["schedule"]), parsed(found["few"]["schedule"])
    assert LENGTHS[-1] == 65536 and (many.width or 0) > 1 and (few.width or 0) > 1 and many != few


def test_other_key_lengths_take_those_of_the_usual_one() -> None:
    found = [entry(cipher("mars"), "encrypt", bits, level("avx512")) for bits in (128, 192)]
    assert found[0] == found[1]


def test_what_nobody_tuned_has_none() -> None:
    assert entry(cipher("mars"), "encrypt", 128, PORTABLE) == {}
    assert entry(cipher(SPECK), "encrypt", 128, level("avx512")) == {}
    assert alone(cipher(SPECK), "encrypt", 128) is None


def test_single_blocks_are_those_of_chains_that_need_no_vectors() -> None:
    found = alone(cipher("mars"), "encrypt", 128)
    assert found is not None and (found.blocks, found.width) == (1, 1)
    assert alone(cipher("rijndael"), "encrypt", 128) is None  # by instructions of the CPU
