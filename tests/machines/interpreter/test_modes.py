"""Modes by their definition: NIST's examples (SP 800-38A, appendix F), and messages that end anywhere."""

from __future__ import annotations

from functools import cache, partial
from typing import Any

import pytest

from finalist import api
from finalist.machines.interpreter import modes
from finalist.vectors.load import Message, messages

FORWARD: dict[str, Any] = {
    "cbc": modes.chained,
    "cfb": modes.cipher_fed,
    "cfb8": partial(modes.cipher_fed, bits=8),
    "ctr": modes.counted,
    "ofb": modes.output_fed,
}
BACK: dict[str, Any] = FORWARD | {
    "cbc": modes.unchained,
    "cfb": modes.fed_back,
    "cfb8": partial(modes.fed_back, bits=8),
}


@cache
def blocks(operation: str, key: bytes) -> Any:
    program = api.compile("rijndael", "interpreter", operation, len(key) * 8)
    return lambda data: program.run(key, data).output


@pytest.mark.parametrize("message", messages("rijndael"), ids=lambda message: message.origin)
def test_published_messages(message: Message) -> None:
    there = FORWARD[message.mode](blocks("encrypt", message.key), message.iv, message.plaintext)
    decrypting = blocks("decrypt" if message.mode == "cbc" else "encrypt", message.key)
    back = BACK[message.mode](decrypting, message.iv, message.ciphertext)
    assert (there[0], back[0]) == (message.ciphertext, message.plaintext)
    assert there[1] == back[1]


def inverted(data: bytes) -> bytes:
    """Blocks by a cipher that inverts their bytes and puts them in reverse order, here of four."""
    whole = [data[i : i + 4] for i in range(0, len(data), 4)]
    return b"".join(bytes(255 - byte for byte in reversed(block)) for block in whole)


class TestEnds:
    """What the next part begins with where a part ends within a block."""

    def test_cipher_feedback(self) -> None:
        secret, register = modes.cipher_fed(inverted, b"\0\1\2\3", b"\0" * 5)
        # Key stream fc fd fe ff, then that of it: 00 01 02 03, of which one byte is used.
        assert secret.hex() == "fcfdfeff00" and register.hex() == "00010203"
        assert modes.fed_back(inverted, b"\0\1\2\3", secret) == (b"\0" * 5, register)

    def test_segments(self) -> None:
        secret, register = modes.cipher_fed(inverted, b"\0\1\2\3", b"\0" * 3, 16)
        # Registers 00 01 02 03 and 02 03 fc fd, of whose key stream, 02 03, one byte is used.
        assert secret.hex() == "fcfd02" and register.hex() == "fcfd0203"
        assert modes.fed_back(inverted, b"\0\1\2\3", secret, 16) == (b"\0" * 3, register)

    def test_output_feedback(self) -> None:
        assert modes.output_fed(inverted, b"\0\1\2\3", b"\0" * 5) == (
            bytes.fromhex("fcfdfeff00"),
            bytes.fromhex("00010203"),
        )

    def test_counters(self) -> None:
        secret, after = modes.counted(inverted, b"\xff" * 4, b"\0" * 5)
        assert secret.hex() == "00000000ff" and after == b"\0\0\0\1"
