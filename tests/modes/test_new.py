"""`finalist.new`: whose cipher it takes, and what it refuses; as PyCryptodome where that has a word on it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import finalist
from finalist import MODE_CBC, MODE_CFB, MODE_CTR, MODE_ECB, MODE_OFB
from finalist.ciphers.catalogue import cipher
from finalist.errors import (
    DataError,
    DefinitionError,
    FinalistError,
    KeyLengthError,
    UnknownNameError,
    UsageError,
)
from tests.catalogue import USUAL
from tests.modes.common import IV, KEY

STREAMS = [name for name in USUAL if cipher(name).stateful]
SPECK = Path(__file__).parents[2] / "examples" / "speck.py"


class TestCiphers:
    """By name, by class, by the file of a definition."""

    def test_a_class(self) -> None:
        by_class = finalist.new(cipher("rc6"), KEY, MODE_ECB)
        assert by_class.encrypt(IV) == finalist.new("rc6", KEY, MODE_ECB).encrypt(IV)

    @pytest.mark.parametrize("kind", [str, Path])
    def test_a_file(self, kind: Any) -> None:
        definition = cipher(SPECK)
        key, plaintext, secret = map(bytes.fromhex, definition.vectors[0])  # type: ignore[attr-defined]
        assert finalist.new(kind(SPECK), key, MODE_ECB).encrypt(plaintext) == secret

    def test_no_file(self) -> None:
        with pytest.raises(DefinitionError, match="no definition file"):
            finalist.new("nowhere.py", KEY, MODE_ECB)

    @pytest.mark.parametrize("what", [int, 3, None])
    def test_no_cipher(self, what: Any) -> None:
        with pytest.raises(FinalistError, match="accepted"):
            finalist.new(what, KEY, MODE_ECB)


class TestRefusals:
    @pytest.mark.parametrize("name", USUAL)
    def test_key_lengths(self, name: str) -> None:
        accepted = [bits // 8 for bits in cipher(name).key_bits]
        listed = cipher(name).key_sizes(unit=8)
        mode = None if name in STREAMS else MODE_ECB
        for size in range(65):
            if size in accepted:
                assert finalist.new(name, bytes(size), mode).key_size == size
            else:
                with pytest.raises(KeyLengthError, match=f"key of {size} bytes; {name} accepts {listed}"):
                    finalist.new(name, bytes(size), mode)

    @pytest.mark.parametrize("name", STREAMS)
    @pytest.mark.parametrize("strange", [{"mode": MODE_ECB}, {"iv": bytes(16)}, {"nonce": b""}])
    def test_a_stream_takes_nothing_but_a_key(self, name: str, strange: dict[str, Any]) -> None:
        with pytest.raises(UsageError, match=f"{next(iter(strange))}: a stream cipher takes none"):
            finalist.new(name, bytes(16), **strange)

    def test_a_block_cipher_needs_a_mode(self) -> None:
        with pytest.raises(UsageError, match="mode is missing; accepted: MODE_ECB"):
            finalist.new("rc6", bytes(16))

    @pytest.mark.parametrize("key", ["0" * 16, 16, None, [0] * 16])
    def test_keys_of_a_wrong_type(self, key: Any) -> None:
        with pytest.raises(TypeError, match=r"key is .*; accepted: bytes, bytearray, memoryview or another"):
            finalist.new("rc6", key, MODE_ECB)

    @pytest.mark.parametrize("mode", [0, 4, 7, -1, 99, "ECB"])
    def test_modes(self, mode: Any) -> None:
        with pytest.raises(
            UnknownNameError, match="accepted: MODE_ECB, MODE_CBC, MODE_CFB, MODE_OFB, MODE_CTR"
        ) as caught:
            finalist.new("rc6", KEY, mode)
        assert isinstance(caught.value, ValueError)

    def test_ciphers(self) -> None:
        with pytest.raises(UnknownNameError, match="unknown cipher 'desx'"):
            finalist.new("desx", KEY, MODE_ECB)

    @pytest.mark.parametrize("mode", [MODE_ECB, MODE_CBC])
    @pytest.mark.parametrize("size", [1, 15, 17, 33])
    @pytest.mark.parametrize("direction", ["encrypt", "decrypt"])
    def test_data_of_no_whole_blocks(self, mode: int, size: int, direction: str) -> None:
        made = finalist.new("rc6", KEY, mode)
        with pytest.raises(DataError, match=f"data of {size} bytes; accepted: a multiple of 16"):
            getattr(made, direction)(bytes(size))

    @pytest.mark.parametrize("mode", [MODE_ECB, MODE_CBC, MODE_CFB, MODE_OFB, MODE_CTR])
    @pytest.mark.parametrize("data", ["text", 3, None, [1, 2]])
    def test_data_of_a_wrong_type(self, mode: int, data: Any) -> None:
        with pytest.raises(TypeError, match=r"plaintext is .*; accepted: bytes"):
            finalist.new("rc6", KEY, mode).encrypt(data)
        with pytest.raises(TypeError, match=r"ciphertext is .*; accepted: bytes"):
            finalist.new("rc6", KEY, mode).decrypt(data)

    @pytest.mark.parametrize("size", [0, 1, 15, 17, 32])
    @pytest.mark.parametrize("mode", [MODE_CBC, MODE_CFB, MODE_OFB])
    def test_iv(self, mode: int, size: int) -> None:
        with pytest.raises(DataError, match=f"iv of {size} bytes; accepted: 16"):
            finalist.new("rc6", KEY, mode, iv=bytes(size))

    @pytest.mark.parametrize("bits", [0, -8, 7, 9, 127, 136])
    def test_segments(self, bits: int) -> None:
        with pytest.raises(DataError, match=f"segment_size={bits}; accepted: a multiple of 8 from 8 to 128"):
            finalist.new("rc6", KEY, MODE_CFB, segment_size=bits)

    @pytest.mark.parametrize("bits", [8.0, "8", True])
    def test_segments_of_a_wrong_type(self, bits: Any) -> None:
        with pytest.raises(UsageError, match=r"segment_size is .*; accepted: int"):
            finalist.new("rc6", KEY, MODE_CFB, segment_size=bits)

    def test_iv_of_a_wrong_type(self) -> None:
        with pytest.raises(UsageError, match="iv is str"):
            finalist.new("rc6", KEY, MODE_CBC, iv="0" * 16)  # type: ignore[arg-type]

    def test_both_ivs(self) -> None:
        with pytest.raises(UsageError, match="iv and IV are the same argument"):
            finalist.new("rc6", KEY, MODE_CBC, iv=IV, IV=bytes(16))

    @pytest.mark.parametrize("size", [16, 17])
    def test_nonce(self, size: int) -> None:
        with pytest.raises(DataError, match=f"nonce of {size} bytes; accepted: 0 to 15"):
            finalist.new("rc6", KEY, MODE_CTR, nonce=bytes(size))

    @pytest.mark.parametrize("value", [-1, 2**64, True, 1.0, "1", b"", bytes(7), bytes(9)])
    def test_initial_value(self, value: Any) -> None:
        with pytest.raises(DataError, match="initial_value"):
            finalist.new("rc6", KEY, MODE_CTR, nonce=bytes(8), initial_value=value)

    @pytest.mark.parametrize(
        ("mode", "options"),
        [
            (MODE_ECB, {"iv": IV}),
            (MODE_ECB, {"IV": IV}),
            (MODE_ECB, {"iv": b""}),
            (MODE_ECB, {"nonce": b""}),
            (MODE_ECB, {"initial_value": 1}),
            (MODE_CBC, {"nonce": bytes(8)}),
            (MODE_CBC, {"segment_size": 8}),
            (MODE_OFB, {"segment_size": 128}),
            (MODE_OFB, {"threads": 2}),
            (MODE_OFB, {"counter": dict}),
            (MODE_CFB, {"nonce": bytes(8)}),
            (MODE_CTR, {"iv": IV}),
        ],
    )
    def test_what_a_mode_does_not_take(self, mode: int, options: dict[str, Any]) -> None:
        with pytest.raises(UsageError, match="takes none"):
            finalist.new("rc6", KEY, mode, **options)
