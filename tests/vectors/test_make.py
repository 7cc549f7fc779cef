"""Known answers made by a definition: what they catch, and that a decryption must undo them."""

from __future__ import annotations

from typing import Any

import pytest

from finalist.ciphers.catalogue import cipher, cipher_names
from finalist.errors import VectorError
from finalist.language import BIG, Cipher, rol, u16, u32, words
from finalist.vectors import make
from finalist.vectors.check import check_known_answers
from finalist.vectors.load import KnownAnswer, known_answers


class Toy(Cipher):
    block = words(2, u32, BIG)
    key_bits = (32, 64)
    key_words = words(2, u16, BIG)

    def expand_key(self, key: Any) -> Any:
        return [k.extend(32) for k in key]

    def encrypt(self, block: Any, keys: Any) -> Any:
        return [rol(word + key, 3) for word, key in zip(block, keys, strict=False)]

    def decrypt(self, block: Any, keys: Any) -> Any:
        return [rol(word, 29) - key for word, key in zip(block, keys, strict=False)]


class TestCandidates:
    @pytest.mark.parametrize("name", ["rijndael", "blowfish", "rc4"])
    def test_bytes_that_all_differ_come_first(self, name: str) -> None:
        definition = cipher(name)
        first, second = make.candidates(definition, definition.usual_key_bits(), 2)
        for part in (first.key, first.plaintext):
            assert len(set(part)) == len(part)
        mixed = bytes(a ^ b for a, b in zip(first.key, first.plaintext, strict=False))
        assert len(set(mixed)) == len(mixed)
        assert not any(second.key) and not any(second.plaintext)

    def test_they_are_what_a_right_definition_gives(self) -> None:
        """Those of zeros and of one bit are among NIST's for Rijndael."""
        published = {(r.key, r.plaintext, r.ciphertext) for r in known_answers("rijndael")}
        rows = make.candidates(cipher("rijndael"), 128)
        assert len(rows) == make.COUNT and all(row.own for row in rows)
        found = [(row.key, row.plaintext, row.ciphertext) in published for row in rows]
        assert found[0] and sum(found) >= 5

    def test_a_seed_draws_others_and_the_same_again(self) -> None:
        one, again, other = (make.candidates(Toy, 64, 10, seed) for seed in (1, 1, 2))
        assert one == again
        assert one[:6] == other[:6] and not set(one[6:]) & set(other[6:])
        assert len({(row.key, row.plaintext) for row in one}) == 10

    def test_each_order_of_bytes_but_the_right_one_fails(self) -> None:
        rows = make.candidates(Toy, 64, 1)

        class Little(Toy):
            block = words(2, u32)

        class LittleKey(Toy):
            key_words = words(2, u16)

        for wrong in (Little, LittleKey):
            with pytest.raises(VectorError):
                check_known_answers(_program(wrong), rows)
        assert check_known_answers(_program(Toy), rows) == 1

    def test_decryption_has_to_undo_it(self) -> None:
        class Wrong(Toy):
            def decrypt(self, block: Any, keys: Any) -> Any:
                return block

        with pytest.raises(
            VectorError, match="wrong, 32-bit keys: decryption does not undo encryption; under"
        ):
            make.candidates(Wrong, 32)


def _program(definition: type[Cipher]) -> Any:
    from finalist import api

    return api.compile(definition, "interpreter", key_bits=64)


@pytest.mark.parametrize("name", cipher_names())
def test_lengths(name: str) -> None:
    definition = cipher(name)
    found = make.usual_lengths(definition)
    assert set(found) <= set(definition.key_bits)
    given = definition.key_bits
    assert found == (given if isinstance(given, tuple) else (given[0], *found[1:-1], given[-1]))
    assert definition.usual_key_bits() in found and len(set(found)) == len(found)


def test_the_attribute_is_python() -> None:
    rows = [*make.candidates(Toy, 32, 2), *make.candidates(Toy, 64, 2)]
    scope: dict[str, Any] = {}
    text = make.as_attribute(rows, "finalist vectors ./toy.py")
    exec(f"class Pasted:\n{text}\n", scope)
    assert [tuple(map(bytes.fromhex, row)) for row in scope["Pasted"].own_vectors] == [
        (row.key, row.plaintext, row.ciphertext) for row in rows
    ]
    assert "not published" in text and "finalist vectors ./toy.py" in text
    long = KnownAnswer(bytes(32), bytes(16), bytes(16), "")
    assert max(map(len, make.as_attribute([long], "x").splitlines())) <= 100
