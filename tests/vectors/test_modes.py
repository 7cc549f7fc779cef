"""Modes held to vectors: real programs pass, and every kind of wrong one is found."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from typing import Any

import pytest

from finalist.api import compile as compile_cipher
from finalist.ciphers.catalogue import cipher
from finalist.errors import VectorError
from finalist.machines.native.run import NativeProgram
from finalist.vectors.load import vectors_of
from finalist.vectors.modes import check_mode
from tests.marks import needs_compiler

pytestmark = needs_compiler
Result = tuple[bytes, bytes]


def program(name: str, operation: str = "encrypt", **choices: Any) -> NativeProgram:
    made: Any = copy(compile_cipher(name, "native", operation, **choices))  # others get the same one
    made.flags = ("-O1", "-march=native", "-Wno-psabi")
    return made


@pytest.mark.parametrize(
    ("name", "operation", "mode", "choices"),
    [
        ("des", "encrypt", "ctr", {}),
        ("des", "encrypt", "cbc", {"blocks": 1, "width": 1}),
        ("rijndael", "encrypt", "ctr", {"blocks": 2, "width": 1}),
        ("rijndael", "decrypt", "cbc", {"blocks": 2, "width": 1}),
        ("rc6", "encrypt", "ctr", {"blocks": 8, "width": 128}),
        ("rc6", "decrypt", "cbc", {"blocks": 8, "width": 128}),
        ("rijndael", "encrypt", "cfb", {"blocks": 1, "width": 1}),
        ("rijndael", "encrypt", "cfb", {"blocks": 2, "width": 1}),
        ("rijndael", "encrypt", "cfb8", {"blocks": 1, "width": 1}),
        ("rijndael", "encrypt", "ofb", {"blocks": 1, "width": 1}),
    ],
)
@pytest.mark.every(3)
def test_real_ones(name: str, operation: str, mode: str, choices: dict[str, Any]) -> None:
    check_mode(program(name, operation, **choices), mode, vectors_of(cipher(name)))  # type: ignore[arg-type]


class Wrong:
    """A program whose functions of modes give something else at times."""

    def __init__(self, right: NativeProgram, fault: Callable[[bytes, bytes, Result], Result]) -> None:
        self.right, self.fault = right, fault

    def __getattr__(self, name: str) -> Any:
        return getattr(self.right, name)

    def ctr(self, key: Any, first: bytes, data: bytes) -> Result:
        return self.fault(first, data, self.right.ctr(key, first, data))

    def ofb(self, key: Any, first: bytes, data: bytes) -> Result:
        return self.fault(first, data, self.right.ofb(key, first, data))

    def cfb_encrypt(self, key: Any, first: bytes, data: bytes, bits: int) -> Result:
        return self.fault(first, data, self.right.cfb_encrypt(key, first, data, bits))

    def cbc(self, key: Any, first: bytes, data: bytes) -> Result:
        return self.fault(first, data, self.right.cbc(key, first, data))


def flipped(data: bytes, place: int) -> bytes:
    return data[:place] + bytes([data[place] ^ 1]) + data[place + 1 :] if data else data


def only(condition: Callable[[bytes, bytes], bool], where: str) -> Callable[[bytes, bytes, Result], Result]:
    def fault(first: bytes, data: bytes, result: Result) -> Result:
        out, after = result
        if not condition(first, data):
            return result
        return (flipped(out, len(out) - 1), after) if where == "output" else (out, flipped(after, 0))

    return fault


FAULTS = {
    "every message": only(lambda first, data: True, "output"),
    "the state": only(lambda first, data: True, "state"),
    "one block": only(lambda first, data: len(data) == 16, "output"),
    "messages of several blocks": only(lambda first, data: len(data) > 64, "output"),
    "messages of two kernels and more": only(lambda first, data: len(data) > 16 * 8, "output"),
}
OF_COUNTERS = {
    "part of a block": only(lambda first, data: len(data) == 1, "output"),
    "a carry out of 8 bits": only(lambda first, data: first[-1] > 0xF0 and first[-2] == 0, "output"),
    "a carry out of 32 bits": only(lambda first, data: first[8:15] == bytes(4) + b"\xff" * 3, "output"),
    "a carry out of 64 bits": only(lambda first, data: first[:15] == bytes(8) + b"\xff" * 7, "output"),
    "a carry out of the block": only(lambda first, data: first[:15] == b"\xff" * 15, "output"),
}


@pytest.mark.parametrize("fault", {**FAULTS, **OF_COUNTERS})
def test_wrong_counter_mode(fault: str) -> None:
    wrong: Any = Wrong(program("rc6", blocks=4, width=1), (FAULTS | OF_COUNTERS)[fault])
    with pytest.raises(VectorError, match="rc6 encrypt in mode ctr, 128-bit key, schedule blocks=4"):
        check_mode(wrong, "ctr", vectors_of(cipher("rc6")))


@pytest.mark.parametrize("operation", ["encrypt", "decrypt"])
@pytest.mark.parametrize("fault", [name for name in FAULTS if "several" not in name])
@pytest.mark.every(2)
def test_wrong_chaining(fault: str, operation: str) -> None:
    blocks = 1 if operation == "encrypt" else 8
    faults = FAULTS | {"messages of two kernels and more": only(lambda first, data: len(data) > 32, "output")}
    wrong: Any = Wrong(program("rc6", operation, blocks=blocks, width=1), faults[fault])
    with pytest.raises(VectorError, match=f"rc6 {operation} in mode cbc"):
        check_mode(wrong, "cbc", vectors_of(cipher("rc6")))


@pytest.mark.parametrize("mode", ["cfb", "ofb"])
@pytest.mark.parametrize("fault", ["every message", "the state", "one block", "part of a block"])
def test_wrong_feedback(fault: str, mode: str) -> None:
    """Of cipher feedback encryption, where decryption is right."""
    wrong: Any = Wrong(program("rc6", blocks=1, width=1), (FAULTS | OF_COUNTERS)[fault])
    with pytest.raises(VectorError, match=f"rc6 encrypt in mode {mode}"):
        check_mode(wrong, mode, vectors_of(cipher("rc6")))


def test_wrong_feedback_back() -> None:
    class Back(Wrong):
        def cfb_decrypt(self, key: Any, first: bytes, data: bytes, bits: int) -> Result:
            return self.fault(first, data, self.right.cfb_decrypt(key, first, data, bits))

    wrong: Any = Back(program("rc6", blocks=4, width=1), only(lambda first, data: len(data) > 4, "output"))
    with pytest.raises(VectorError, match="rc6 encrypt in mode cfb8"):
        check_mode(wrong, "cfb8", vectors_of(cipher("rc6")))


def test_published_messages_come_first() -> None:
    """They are of the standard; a program that agrees with itself may still have the mode wrong."""
    wrong: Any = Wrong(program("rijndael", blocks=1, width=1), FAULTS["every message"])
    with pytest.raises(VectorError, match=r"vector 'NIST SP 800-38A F\.4\.1' differs"):
        check_mode(wrong, "ofb", vectors_of(cipher("rijndael")))


def test_no_vectors() -> None:
    made: Any = program("rc6")
    with pytest.raises(VectorError, match="rc6 has no vectors for 128-bit keys"):
        check_mode(made, "ctr", [])
