"""Entries of the key for narrow lanes, kept as often as they fill a word."""

from __future__ import annotations

from typing import Any

import pytest

from finalist import api
from finalist.ciphers.catalogue import cipher
from finalist.language import LITTLE, Cipher, u8, words
from finalist.machines.native.run import NativeProgram
from finalist.machines.native.vectors.repeated_keys import fill, repeated
from finalist.toolchain import compiler

needs_compiler = pytest.mark.skipif(not compiler.available(), reason="needs a C compiler")


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
