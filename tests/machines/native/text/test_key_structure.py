"""The structure of the expanded key: as long as C lays it out, and with what is there a second time."""

from __future__ import annotations

import ctypes
from typing import Any

import pytest

from finalist.api import compile as compile_cipher
from finalist.machines.native.text.emit import key_fields, key_struct_bytes
from finalist.machines.native.text.key_structure import KeyStructure
from finalist.machines.native.text.names import field_names
from finalist.machines.native.vectors.repeated_keys import SUFFIX
from finalist.machines.native.vectors.word_permutes import HALVES

TYPES = {8: ctypes.c_uint8, 16: ctypes.c_uint16, 32: ctypes.c_uint32, 64: ctypes.c_uint64}


def structure(cipher: str, **choices: Any) -> KeyStructure:
    made: Any = compile_cipher(cipher, "native", **choices)
    names = tuple(field_names(made.program.key_names))
    return KeyStructure(made.program, made.shape, made.schedule, names)


CHOICES: dict[str, dict[str, Any]] = {
    "loki97": {"blocks": 1, "width": 1},  # words of 64, 32 and 8 bits
    "rijndael": {"lookup": "bitslice", "width": 128},
    "camellia": {"lookup": "permute", "word": 8, "width": 128},
    "twofish": {"lookup": "permute", "width": 512, "word": 32},
    "serpent": {"width": 128},
}


@pytest.mark.parametrize("cipher", CHOICES)
def test_its_bytes_are_those_of_c(cipher: str) -> None:
    own = structure(cipher, **CHOICES[cipher])
    fields = [(name, TYPES[bits] * length) for bits, name, length in own.fields()]
    laid_out = type("Key", (ctypes.Structure,), {"_fields_": fields})
    assert own.bytes() == ctypes.sizeof(laid_out)
    same = own.program, own.shape, own.schedule
    assert (key_struct_bytes(*same), key_fields(*same)) == (own.bytes(), own.fields())


def test_entries_that_fill_words_come_before_the_others() -> None:
    own = structure("camellia", **CHOICES["camellia"])
    names = [name for _, name, _ in own.fields()]
    again = [name for _, name in own.repeated().values()]
    assert again and names[: len(again)] == again
    assert all(name.endswith(SUFFIX) for name in again)
    assert not structure("camellia", blocks=1, width=1).repeated()


def test_words_that_permutes_read_are_there_in_halves() -> None:
    own = structure("twofish", **CHOICES["twofish"])
    assert [name + HALVES for name, _ in own.halved()] == [
        own.fields()[k][1] for k in range(len(own.halved()))
    ]
    assert own.halved() and not structure("twofish", width=512, lookup="gather").halved()


def test_single_bits_are_masks() -> None:
    own = structure("rijndael", **CHOICES["rijndael"])
    masks = [type_ for type_ in own.program.key_types if own.is_mask(type_)]
    assert masks and len(masks) == sum(bits in (8, 32) for bits, _, _ in own.fields())
