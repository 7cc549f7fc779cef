"""Shorter keys that are longer ones, filled up: what is said of a cipher is so; else nothing is found."""

from __future__ import annotations

from pathlib import Path

import pytest

from finalist import api
from finalist.ciphers.catalogue import cipher
from finalist.export.data import schedules
from finalist.export.padding import as_quick, padding
from finalist.machines.native.run import NativeProgram
from finalist.schedule import schedule_of
from finalist.vectors.load import key_lengths

SPECK = str(Path(__file__).parents[2] / "examples" / "speck.py")
FILLED = """\
from finalist.language import BIG, Cipher, u8, words


class Filled(Cipher):
    block = words(2, u8, BIG)
    key_bits = (16, 24, 32)
    vectors = []

    def expand_key(self, key):
        return [key[0] ^ key[1], FOURTH]

    def encrypt(self, block, keys):
        return [block[0] ^ keys[0], block[1] ^ keys[1]]

    decrypt = encrypt
"""


def of(text: str, folder: Path) -> str:
    path = folder / "filled.py"
    path.write_text(FILLED.replace("FOURTH", text))
    return str(path)


@pytest.mark.parametrize("name", [name for name, entry in schedules().items() if "fill" in entry])
def test_what_is_said_of_built_in_ciphers(name: str) -> None:
    found, lengths = cipher(name), key_lengths(cipher(name))
    key, block = bytes(range(lengths[0] // 8)), bytes(range(found.block.bytes))
    fill = padding(found, lengths[0], lengths[-1])
    assert fill is not None
    short, long = (api.compile(found, "interpreter", "encrypt", bits) for bits in (lengths[0], lengths[-1]))
    assert short.run(key, block).output == long.run(fill.applied(key, lengths[-1] // 8), block).output


@pytest.mark.parametrize(
    ("fourth", "expected"),
    [
        ("key[3] if len(key) == 4 else key[0] ^ key[0]", "0a0b0000"),
        ("key[2] ^ key[3] if len(key) == 4 else key[0] ^ key[0] ^ 1", "0a0b0100"),
        ("key[2] if len(key) == 4 else key[0]", "0a0b0a0b"),
    ],
)
def test_what_definitions_do_is_found(fourth: str, expected: str, tmp_path: Path) -> None:
    found = padding(cipher(of(fourth, tmp_path)), 16, 32)
    assert found is not None and found.applied(b"\x0a\x0b", 4).hex() == expected


def test_other_key_schedules_are_left_alone(tmp_path: Path) -> None:
    assert padding(cipher(of("key[3] if len(key) == 4 else key[0] ^ key[0] ^ 77", tmp_path)), 16, 32) is None
    assert padding(cipher(SPECK), 128, 256) is None
    assert padding(cipher("rijndael"), 128, 256) is None


@pytest.mark.parametrize(
    ("name", "bits", "longer", "planes", "expected"),
    [
        ("triple-des", 128, 192, None, False),
        ("serpent", 128, 256, 8, True),
        ("serpent", 128, 256, None, False),
    ],
)
def test_a_key_schedule_that_does_more_for_longer_keys_is_not_as_quick(
    name: str, bits: int, longer: int, planes: int | None, expected: bool
) -> None:
    """Triple DES expands three keys of which two may be the same. Serpent fills up what is short itself:
    beside a set-up of words filling counts, beside one that makes masks of them it does not."""
    short, long = (_program(name, each, planes) for each in (bits, longer))
    assert as_quick(short, long) is expected


def _program(name: str, key_bits: int, planes: int | None) -> NativeProgram:
    chosen = {"blocks": 1, "width": 1} if planes is None else {"blocks": 128, "width": 512, "planes": planes}
    program = api.compile(name, "native", key_bits=key_bits, schedule=schedule_of(**chosen))
    assert isinstance(program, NativeProgram)
    return program
