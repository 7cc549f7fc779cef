"""The structure of the expanded key: as long as C lays it out, and with what is there a second time."""

from __future__ import annotations

import ctypes
from typing import Any

import pytest

from finalist import api
from finalist.api import compile as compile_cipher
from finalist.ciphers.catalogue import cipher
from finalist.language import LITTLE, Cipher, u8, words
from finalist.machines.native.run import NativeProgram
from finalist.machines.native.text.emit import key_fields, key_struct_bytes
from finalist.machines.native.text.key_structure import SUFFIX, KeyStructure, fill, repeated
from finalist.machines.native.text.names import field_names
from finalist.machines.native.vectors.word_permutes import HALVES
from tests.marks import needs_compiler

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


class Mixed(Cipher):
    """Bytes of the key that meet the block, and one that is an index of the block as well."""

    block = words(4, u8, LITTLE)
    key_bits = (32,)

    def expand_key(self, key: list[Any]) -> Any:
        return {"added": key[:2], "both": key[2:]}

    def encrypt(self, block: list[Any], keys: Any) -> Any:
        a, b, c, d = block
        return [a ^ keys["added"][0], b + keys["added"][1], c ^ keys["both"][0], d - keys["both"][1] * c]

    def decrypt(self, block: list[Any], keys: Any) -> Any:
        a, b, c, d = block
        c = c ^ keys["both"][0]
        return [a ^ keys["added"][0], b - keys["added"][1], c, d + keys["both"][1] * c]


def program(definition: type[Cipher], operation: str = "encrypt", **choices: Any) -> NativeProgram:
    bits = definition.usual_key_bits()
    found = api.compile(definition, "native", operation, bits, **choices)
    assert isinstance(found, NativeProgram)
    return found


def test_what_meets_vectors_alone_is_repeated() -> None:
    made = program(Mixed, width=128, word=8)
    names = {param.name for param in repeated(made.program.kernel, 8)}
    kept = {param.name for param in made.program.key_params}
    assert names < kept  # an entry that is multiplied is taken as a scalar, too
    for name in names:
        assert f"vec_same(k->{name}_same[" in made.text


def test_lanes_of_words_repeat_nothing() -> None:
    assert repeated(program(cipher("rc6"), width=128).program.kernel, 32) == set()
    assert "_same" not in program(cipher("rc6"), width=128).text


@pytest.mark.parametrize(("bits", "times"), [(8, "0x1010101u"), (16, "0x10001u")])
def test_as_often_as_they_fill_a_word(bits: int, times: str) -> None:
    assert fill("keys", 5, bits).endswith(f"i < 5; i++) k->keys_same[i] = k->keys[i] * {times};")


@needs_compiler
@pytest.mark.parametrize("operation", ["encrypt", "decrypt"])
def test_it_means_the_same(operation: str) -> None:
    key, data = b"\x81\x7f\xff\x03", bytes(range(256)) * 3
    reference = api.compile(Mixed, "interpreter", operation, 32)
    made = program(Mixed, operation, width=128, word=8)
    assert made.run(key, data).output == reference.run(key, data).output
