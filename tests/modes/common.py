"""What the tests of cipher objects share."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import finalist
from finalist import MODE_ECB, api, engine, notice
from tests.marks import needs_compiler

# NIST SP 800-38A, appendix F: one plaintext and one key of each length for all modes.
PLAINTEXT = bytes.fromhex(
    "6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51"
    "30c81c46a35ce411e5fbc1191a0a52eff69f2445df4f9b17ad2b417be66c3710"
)
IV = bytes(range(16))
KEY = bytes(16)


def as_numpy(data: bytes) -> np.ndarray[Any, Any]:
    return np.frombuffer(data, np.uint8)


@pytest.fixture(scope="class", params=[pytest.param("compiled", marks=needs_compiler), "interpreted"])
def served(request: pytest.FixtureRequest) -> Iterator[str]:
    """By compiled code, or by the interpreter where there is no compiler."""
    with pytest.MonkeyPatch.context() as monkeypatch:
        if request.param == "interpreted":
            without_compiler(monkeypatch)
        yield request.param
    engine.forget()
    api._compiled.cache_clear()


def without_compiler(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CC", "/nonexistent")
    engine.forget()
    monkeypatch.setattr(notice, "_said", set())
    monkeypatch.setattr(notice, "_together", None)
    api._compiled.cache_clear()


def parts(data: bytes, sizes: list[int]) -> list[bytes]:
    cut, place = [], 0
    for size in sizes:
        cut.append(data[place : place + size])
        place += size
    return [*cut, data[place:]]


def encrypted(blocks: bytes) -> bytes:
    """Blocks, each by itself, under KEY."""
    return finalist.new("rc6", KEY, MODE_ECB).encrypt(blocks)
