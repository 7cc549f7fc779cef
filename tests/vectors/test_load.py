"""Vectors are read as they stand; what is damaged is named, with its file and record."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any, ClassVar

import pytest

from finalist.ciphers.catalogue import cipher, cipher_names
from finalist.errors import VectorError
from finalist.language import LITTLE, Cipher, u8, u32, words
from finalist.vectors.load import (
    OWN,
    PUBLISHED,
    key_lengths,
    known_answers,
    messages,
    monte_carlo,
    monte_carlo_of,
    printed,
    printed_of,
    provenance,
    published_name,
    vectors_of,
)

ROW = {"key": "00" * 16, "plaintext": "11" * 8, "ciphertext": "22" * 8, "origin": "a book, page 7"}
CHAIN = {**ROW, "mode": "CBC", "direction": "encrypt", "iv": "33" * 8, "I": 4, "iterations": 5}


def without(record: dict[str, Any], name: str) -> dict[str, Any]:
    return {key: value for key, value in record.items() if key != name}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path


def write(folder: Path, content: Any) -> None:
    text = content if isinstance(content, str) else json.dumps(content)
    (folder / "toy.json").write_text(text, "utf-8")


class Toy(Cipher):
    block = words(2, u32, LITTLE)
    key_bits = (128,)


class TestPublished:
    @pytest.mark.parametrize("name", cipher_names())
    def test_each_cipher_has_vectors_for_each_key_length(self, name: str) -> None:
        found = cipher(name)
        lengths = key_lengths(found)
        assert {len(row.key) * 8 for row in vectors_of(found)} == set(lengths) <= set(found.key_bits)
        assert {len(row.key) * 8 for row in monte_carlo_of(found)} <= set(lengths)

    def test_fips_197_is_among_them(self) -> None:
        rows = [r for r in known_answers("rijndael") if r.key == bytes(range(16))]
        assert ("00112233445566778899aabbccddeeff", "69c4e0d86a7b0430d8cdb78070b4c55a") in {
            (row.plaintext.hex(), row.ciphertext.hex()) for row in rows
        }

    def test_a_cipher_without_a_file_has_none(self) -> None:
        assert known_answers("nonesuch") == ()
        assert monte_carlo("nonesuch") == ()

    def test_a_name_is_no_path(self, tmp_path: Path) -> None:
        (tmp_path / "data").mkdir()
        write(tmp_path, {"known_answer": [ROW]})
        assert known_answers("../toy", tmp_path / "data") == ()


class TestRecords:
    def test_known_answer(self, folder: Path) -> None:
        write(folder, {"known_answer": [ROW]})
        (row,) = known_answers("toy", folder)
        assert (row.key, row.plaintext, row.ciphertext) == (bytes(16), b"\x11" * 8, b"\x22" * 8)
        assert row.origin == "a book, page 7"

    def test_monte_carlo(self, folder: Path) -> None:
        write(folder, {"monte_carlo": [CHAIN, {**without(CHAIN, "iterations"), "mode": "ECB"}]})
        first, second = monte_carlo("toy", folder)
        assert (first.mode, first.direction, first.iv) == ("CBC", "encrypt", b"\x33" * 8)
        assert (first.iterations, first.number) == (5, 4)
        assert (second.iv, second.iterations) == (b"", 10_000)

    def test_message(self, folder: Path) -> None:
        write(folder, {"messages": [{**ROW, "mode": "cfb8", "iv": "44" * 8}]})
        (message,) = messages("toy", folder)
        assert (message.mode, message.iv, message.plaintext) == ("cfb8", b"\x44" * 8, b"\x11" * 8)
        write(folder, {"messages": [{**ROW, "mode": "cfb8"}]})
        with pytest.raises(VectorError, match=r"toy.json: messages\[0\]: iv is missing"):
            messages("toy", folder)
        assert messages("nonesuch") == ()

    def test_other_parts_are_left_alone(self, folder: Path) -> None:
        write(folder, {"known_answer_other_key_sizes": ["what is not read does no harm"]})
        assert known_answers("toy", folder) == ()


STREAM = {"key": "0102030405", "offset": 240, "keystream": "2839", "origin": "RFC 6229"}


class TestKeyStreams:
    """Parts of a key stream are what zeros become, so far into the message."""

    def test_record(self, folder: Path) -> None:
        write(folder, {"keystream": [STREAM, without(STREAM, "offset")], "known_answer": [ROW]})
        first, at_240, at_0 = known_answers("toy", folder)
        assert (first.ciphertext, first.offset) == (b"\x22" * 8, 0)
        assert (at_240.key, at_240.plaintext) == (bytes([1, 2, 3, 4, 5]), bytes(2))
        assert (at_240.ciphertext, at_240.offset, at_240.origin) == (b"\x28\x39", 240, "RFC 6229")
        assert at_0.offset == 0

    @pytest.mark.parametrize(
        ("record", "said"),
        [
            ("2839", r"keystream\[0\] is str; accepted: an object"),
            (without(STREAM, "keystream"), r"keystream\[0\]: keystream is missing"),
            (without(STREAM, "key"), "key is missing"),
            ({**STREAM, "keystream": ""}, "keystream is empty"),
            ({**STREAM, "keystream": "283"}, "keystream is '283'; accepted: pairs of hex digits"),
            ({**STREAM, "offset": -1}, "offset is -1; accepted: an integer from 0"),
            ({**STREAM, "offset": True}, "offset is True"),
            ({**STREAM, "offset": "240"}, "offset is '240'"),
            ({**STREAM, "offset": 1.0}, "offset is 1.0"),
        ],
    )
    def test_damage(self, folder: Path, record: Any, said: str) -> None:
        write(folder, {"keystream": [record]})
        with pytest.raises(VectorError, match=said):
            known_answers("toy", folder)

    def test_those_of_rc4(self) -> None:
        """RFC 6229, section 2: 18 offsets for each of 14 keys."""
        rows = [row for row in known_answers("rc4") if "6229" in row.origin]
        assert len(rows) == 18 * 14
        assert max(row.offset for row in rows) == 4096
        assert (bytes([1, 2, 3, 4, 5]), 0, "b2396305f03dc027ccc3524a0a1118a8") in {
            (row.key, row.offset, row.ciphertext.hex()) for row in rows
        }


class TestKeyLengths:
    """Those that a cipher is verified for."""

    def test_a_tuple_is_what_it_says(self) -> None:
        class Own(Toy):
            key_bits = (128, 256)
            vectors: ClassVar[Any] = [("00" * 16, "11" * 8, "22" * 8)]

        assert key_lengths(Own) == (128, 256)

    def test_a_range_is_what_has_vectors(self) -> None:
        class Own(Toy):
            key_bits = range(64, 257, 64)
            vectors: ClassVar[Any] = [
                (key, "11" * 8, "22" * 8) for key in ("00" * 24, "00" * 8, "01" * 8, "00" * 9, "00" * 40)
            ]

        assert key_lengths(Own) == (64, 192)

    def test_a_range_without_vectors(self) -> None:
        class Own(Toy):
            key_bits = range(64, 257, 64)
            vectors: ClassVar[Any] = []

        assert key_lengths(Own) == ()


PRINT = {"nist_key": "01" * 16, "nist_plaintext": "12" * 8, "nist_ciphertext": "23" * 8}


class TestPrint:
    """Vectors as the submissions print them."""

    def test_printed_strings(self, folder: Path) -> None:
        write(folder, {"known_answer": [ROW, {**ROW, **PRINT}]})
        (row,) = printed("toy", folder)
        assert (row.key, row.plaintext, row.ciphertext) == (b"\x01" * 16, b"\x12" * 8, b"\x23" * 8)
        assert row.origin == "a book, page 7"

    def test_memory_order_where_no_record_has_them(self, folder: Path) -> None:
        write(folder, {"known_answer": [ROW, ROW]})
        assert printed("toy", folder) == known_answers("toy", folder)
        assert len(printed("toy", folder)) == 2

    @pytest.mark.parametrize(
        ("record", "said"),
        [
            (3, "is int; accepted: an object"),
            ({**ROW, **without(PRINT, "nist_key")}, "nist_key is missing"),
            ({**ROW, **PRINT, "nist_plaintext": "1"}, "nist_plaintext is '1'; accepted: pairs of hex digits"),
            ({**ROW, **PRINT, "nist_ciphertext": "23"}, "not as long as what is in memory order"),
        ],
    )
    def test_damage(self, folder: Path, record: Any, said: str) -> None:
        write(folder, {"known_answer": [record]})
        with pytest.raises(VectorError, match=said):
            printed("toy", folder)

    def test_a_definition_with_vectors_of_its_own(self) -> None:
        class Own(Toy):
            vectors: ClassVar[list[tuple[str, str, str]]] = [
                (ROW["key"], ROW["plaintext"], ROW["ciphertext"])
            ]

        assert printed_of(Own) == vectors_of(Own)

    @pytest.mark.parametrize("name", ["frog", "safer-plus", "serpent"])
    def test_variable_keys_and_texts_are_printed_as_nist_asked(self, name: str) -> None:
        """In row I of ecb_vk the key, in ecb_vt the plaintext, has bit I set, counted from the left."""
        found = 0
        for row in printed_of(cipher(name)):
            kind = re.match(
                r"(ecb_vk|ecb_vt|variable-key pattern|variable-text pattern) \d+ I=(\d+)", row.origin
            )
            if kind is not None:
                value = row.key if "k" in kind[1] else row.plaintext
                assert int.from_bytes(value) == 1 << len(value) * 8 - int(kind[2]), row.origin
                found += 1
        assert found > 100

    @pytest.mark.parametrize("name", cipher_names())
    def test_a_print_in_another_order_is_the_reverse_of_memory(self, name: str) -> None:
        memory = {(row.key, row.plaintext, row.ciphertext) for row in known_answers(name)}
        for row in printed(name):
            as_it_is = (row.key, row.plaintext, row.ciphertext)
            assert as_it_is in memory or tuple(value[::-1] for value in as_it_is) in memory, row.origin


class TestDamage:
    @pytest.mark.parametrize(
        ("content", "said"),
        [
            ("{", "toy.json can't be read"),
            ("[]", "toy.json holds list; accepted: an object"),
            ({"known_answer": {}}, "toy.json: known_answer is dict; accepted: a list"),
            ({"known_answer": [ROW, 3]}, r"known_answer\[1\] is int; accepted: an object"),
            ({"known_answer": [without(ROW, "key")]}, r"known_answer\[0\]: key is missing"),
            ({"known_answer": [{**ROW, "key": "0g"}]}, "key is '0g'; accepted: pairs of hex digits"),
            ({"known_answer": [{**ROW, "key": "000"}]}, "key is '000'"),
            ({"known_answer": [{**ROW, "key": 12}]}, "key is 12"),
            ({"known_answer": [{**ROW, "ciphertext": "00"}]}, "plaintext of 8 bytes, ciphertext of 1"),
        ],
    )
    def test_known_answer(self, folder: Path, content: Any, said: str) -> None:
        write(folder, content)
        with pytest.raises(VectorError, match=said):
            known_answers("toy", folder)

    @pytest.mark.parametrize(
        ("changed", "said"),
        [
            ({"mode": "CFB"}, "mode is 'CFB'; accepted: ECB, CBC"),
            ({"mode": ["ECB"]}, "mode is"),
            ({"direction": "both"}, "direction is 'both'; accepted: encrypt, decrypt"),
            ({"iv": "33"}, "iv has 1 bytes; accepted: 8"),
            ({"iterations": 0}, "iterations is 0; accepted: an integer from 1"),
            ({"iterations": True}, "iterations is True"),
            ({"I": -1}, "I is -1; accepted: an integer from 0"),
        ],
    )
    def test_monte_carlo(self, folder: Path, changed: dict[str, Any], said: str) -> None:
        write(folder, {"monte_carlo": [{**CHAIN, **changed}]})
        with pytest.raises(VectorError, match=said):
            monte_carlo("toy", folder)

    def test_bytes_that_are_no_text(self, folder: Path) -> None:
        (folder / "toy.json").write_bytes(b"\xff\xfe{}")
        with pytest.raises(VectorError, match="can't be read"):
            known_answers("toy", folder)


class TestOwnVectors:
    def test_a_definition_brings_its_own(self) -> None:
        class Own(Toy):
            vectors: ClassVar[Any] = [("00" * 16, "11" * 8, "22" * 8)]

        (row,) = vectors_of(Own)
        assert row.ciphertext == b"\x22" * 8
        assert row.origin == "own.vectors[0]"
        assert monte_carlo_of(Own) == ()

    def test_its_own_go_before_those_of_its_name(self) -> None:
        class Rijndael(Toy):
            vectors: ClassVar[Any] = [("00" * 16, "11" * 8, "22" * 8)]

        assert len(vectors_of(Rijndael)) == 1
        assert monte_carlo_of(Rijndael) == ()

    def test_a_name_alone_is_no_claim_to_published_ones(self) -> None:
        """A user's class may be called as a built-in cipher is, and be another."""

        class Serpent(Toy):
            pass

        assert vectors_of(Serpent) == monte_carlo_of(Serpent) == printed_of(Serpent) == ()

    def test_the_published_ones_of_a_cipher_by_name(self) -> None:
        class Mine(Toy):
            block = words(16, u8)
            vectors: ClassVar[Any] = "rijndael"

        assert published_name(Mine) == "rijndael"
        assert vectors_of(Mine) == tuple(r for r in known_answers("rijndael") if len(r.key) == 16)
        assert monte_carlo_of(Mine)

    def test_those_that_are_not_published(self) -> None:
        class Own(Toy):
            key_bits = (128, 256)
            vectors: ClassVar[Any] = [("00" * 16, "11" * 8, "22" * 8, "round 1\nx = 33")]
            own_vectors: ClassVar[Any] = [(key, "11" * 8, "22" * 8) for key in ("01" * 16, "00" * 32)]

        rows = vectors_of(Own)
        assert [row.own for row in rows] == [False, True, True]
        assert [row.intermediate for row in rows] == ["round 1\nx = 33", "", ""]
        assert rows[1].origin == "own.own_vectors[0]"
        assert (provenance(rows, 128), provenance(rows, 256)) == (PUBLISHED, OWN)

    def test_a_definition_without_any(self) -> None:
        assert vectors_of(Toy) == ()

    @pytest.mark.parametrize(
        ("given", "said"),
        [
            (
                "00",
                "own.vectors is '00'; accepted: a list of rows, or whose published vectors they are: ",
            ),
            ([("00", "11")], r"own.vectors\[0\] is .* accepted: \(key, plaintext, ciphertext\)"),
            ([("00", "11", "zz")], r"own.vectors\[0\]: ciphertext is 'zz'"),
            ([("00" * 16, "11" * 16, "22" * 16)], "a block of 16 bytes; accepted: 8"),
            (
                [("00" * 16, "11" * 8, "22" * 8, 5)],
                r"own.vectors\[0\]: intermediate is int; accepted: a text",
            ),
            ([("00",) * 5], r"own.vectors\[0\] is .* after which a text of intermediate values may come"),
        ],
    )
    def test_damaged(self, given: Any, said: str) -> None:
        class Own(Toy):
            vectors: ClassVar[Any] = given

        with pytest.raises(VectorError, match=said):
            vectors_of(Own)

    def test_other_key_lengths_are_left_out(self) -> None:
        class Own(Toy):
            vectors: ClassVar[Any] = [("00" * 24, "11" * 8, "22" * 8)]

        assert vectors_of(Own) == ()
