"""Why vectors fail: the definition or the program, which order of bytes was meant, where values part."""

from __future__ import annotations

from pathlib import Path
from typing import Any, ClassVar

import pytest
from typer.testing import CliRunner

from finalist import api
from finalist.cli import app
from finalist.errors import VectorError
from finalist.language import BIG, LITTLE, Cipher, rol, rounds, u8, u32, words
from finalist.vectors.diagnosis import DEFINITION_WRONG, PROGRAM_WRONG, explain, held
from finalist.vectors.load import KnownAnswer, vectors_of
from finalist.vectors.make import candidates


class Right(Cipher):
    """What vectors are made of."""

    block = words(2, u32, LITTLE)
    key_words = words(2, u32, LITTLE)
    key_bits = (64,)

    def expand_key(self, key: Any) -> Any:
        return [key[0], rol(key[1], 7)]

    def encrypt(self, block: Any, keys: Any) -> Any:
        x, y = block
        for r in rounds(4):
            x, y = y, x ^ (rol(y, 5) + keys[r % 2])
        return x, y

    def decrypt(self, block: Any, keys: Any) -> Any:
        x, y = block
        for r in rounds(3, -1, -1):
            x, y = y ^ (rol(x, 5) + keys[r % 2]), x
        return x, y


ROWS = tuple(candidates(Right, 64, 4))


def printed(**order: slice) -> tuple[KnownAnswer, ...]:
    """The vectors with parts written the other way round."""
    return tuple(
        KnownAnswer(
            row.key[order.get("key", slice(None))],
            row.plaintext[order.get("plaintext", slice(None))],
            row.ciphertext[order.get("ciphertext", slice(None))],
            row.origin,
        )
        for row in ROWS
    )


BACK = slice(None, None, -1)


class TestOrders:
    @pytest.mark.parametrize(
        ("rows", "said"),
        [
            (printed(key=BACK), "right with the bytes of key reversed"),
            (printed(plaintext=BACK), "right with the bytes of plaintext reversed"),
            (printed(ciphertext=BACK), "right with the bytes of ciphertext reversed"),
            (
                printed(plaintext=BACK, ciphertext=BACK),
                "right with the bytes of plaintext and ciphertext reversed",
            ),
            (
                printed(key=BACK, plaintext=BACK, ciphertext=BACK),
                "right with the bytes of key, plaintext and ciphertext reversed",
            ),
        ],
    )
    def test_whole_values(self, rows: tuple[KnownAnswer, ...], said: str) -> None:
        for operation in ("encrypt", "decrypt"):
            told = explain(Right, operation, 64, rows)
            assert told[0].startswith(DEFINITION_WRONG)
            if operation == "encrypt":
                assert told[1] == said
            else:
                assert told[1].startswith("right with the bytes of ")

    def test_the_definition_s_words(self) -> None:
        """What it would have to declare is said."""

        class Big(Right):
            block = words(2, u32, BIG)

        class BigKey(Right):
            key_words = words(2, u32, BIG)

        assert explain(Big, "encrypt", 64, ROWS)[1] == (
            "right with the bytes of plaintext and ciphertext reversed within words of 32 bits:"
            " block = words(2, u32, LITTLE)"
        )
        assert explain(BigKey, "encrypt", 64, ROWS)[1] == (
            "right with the bytes of key reversed within words of 32 bits: key_words = words(2, u32, LITTLE)"
        )

    def test_words_the_other_way_round(self) -> None:
        class Swapped(Right):
            def encrypt(self, block: Any, keys: Any) -> Any:
                return super().encrypt(block[::-1], keys)[::-1]

        assert explain(Swapped, "encrypt", 64, ROWS)[1] == (
            "right with the words of 32 bits of plaintext and ciphertext reversed"
        )

    def test_blocks_of_any_size(self) -> None:
        class Small(Cipher):
            block = words(3, u32, BIG)
            key_bits = (96,)

            def expand_key(self, key: Any) -> Any:
                return key

            def encrypt(self, block: Any, keys: Any) -> Any:
                return [rol(a + k, 3) for a, k in zip(block, keys, strict=True)]

            def decrypt(self, block: Any, keys: Any) -> Any:
                return [rol(a, 29) - k for a, k in zip(block, keys, strict=True)]

        rows = tuple(candidates(Small, 96, 4))

        class Little(Small):
            block = words(3, u32, LITTLE)

        told = explain(Little, "encrypt", 96, rows)[1]
        assert told.endswith(": block = words(3, u32, BIG)") and "within words of 32 bits" in told

    def test_none_is_claimed_where_there_is_none(self) -> None:
        class Wrong(Right):
            def expand_key(self, key: Any) -> Any:
                return [key[0], rol(key[1], 8)]

        told = explain(Wrong, "encrypt", 64, ROWS)
        assert not any("right with" in line for line in told)
        assert told[-1].startswith("all values: finalist trace ")


class TestWhose:
    def test_a_program_that_differs_from_its_definition(self) -> None:
        assert explain(Right, "encrypt", 64, ROWS) == (PROGRAM_WRONG,)

    def test_what_is_raised_says_it(self) -> None:
        program = api.compile(Right, "interpreter", key_bits=64)
        assert held(Right, program, ROWS) == 4
        with pytest.raises(VectorError) as caught:
            held(Right, program, printed(key=BACK))
        lines = str(caught.value).split("\n  ")
        assert len(lines) == 4 and lines[1].startswith(DEFINITION_WRONG)

    def test_nothing_without_vectors(self) -> None:
        assert explain(Right, "encrypt", 128, ROWS) == ()

    def test_a_stream_cipher_s_messages(self) -> None:
        from finalist.ciphers.catalogue import cipher

        row = KnownAnswer(bytes(range(5)), bytes(40), bytes(40), "nowhere")
        told = explain(cipher("rc4"), "encrypt", 40, (row,))
        assert told[0].startswith(DEFINITION_WRONG) and len(told) == 2


class Known(Right):
    """The key schedule is wrong; what is known of the way is of the right one."""

    block = words(8, u8)
    key_words = words(8, u8)
    vectors: ClassVar[Any] = [
        ("00" * 8, "0102030405060708", "ff" * 8, "round 0\nx = 0807060504030201\nround 1\nx = 00")
    ]

    def expand_key(self, key: Any) -> Any:
        return key

    def encrypt(self, block: Any, keys: Any) -> Any:
        x = list(block)
        for _ in rounds(2):
            x = x[::-1]
        return x

    decrypt = encrypt


def test_the_first_value_that_differs() -> None:
    told = explain(Known, "encrypt", 64, vectors_of(Known))
    assert told[-1] == "first of the known values that differs: round 1, x: expected 00, got 0102030405060708"


WRONG = """
from finalist.language import Cipher, rol, u32, words

class Wrong(Cipher):
    block = words(1, u32)
    key_bits = (32, 64)
    vectors = [("00000001", "01020304", "08060404"), ("00000001" * 2, "01020304", "08060404")]

    def expand_key(self, key):
        return key

    def encrypt(self, block, keys):
        return rol(block[0] ^ keys[0], 1)

    def decrypt(self, block, keys):
        return rol(block[0], 31) ^ keys[0]
"""


def test_verify_says_it_once(tmp_path: Path) -> None:
    """For all machines, directions and key lengths, in five lines at most."""
    path = tmp_path / "wrong.py"
    path.write_text(WRONG, "utf-8")
    done = CliRunner().invoke(app, ["verify", str(path), "--machine", "interpreter", "--machine", "plx"])
    assert done.exit_code == 1
    assert done.stdout.count(DEFINITION_WRONG) == 1
    assert done.stdout.count("failed: ") == 4
    assert "interpreter, schedule default; plx, schedule default: vector 'wrong.vectors[0]'" in done.stdout
    failed = done.stdout.partition("failed: ")[2].split("failed: ")[0]
    assert len(failed.splitlines()) <= 5
    done = CliRunner().invoke(app, ["cycles", str(path)])
    assert done.exit_code == 1 and DEFINITION_WRONG in done.stderr
