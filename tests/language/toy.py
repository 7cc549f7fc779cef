"""Ciphers of a few lines, for tests of the language."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from finalist.ir.execute import interpret
from finalist.ir.program import Layout, Program
from finalist.ir.verify import verify
from finalist.language import Cipher, u32, words
from finalist.language.definition import trace

BLOCK = words(4, u32)


def toy(
    encrypt: Callable[..., Any],
    expand: Callable[[Any], Any] = lambda key: key,
    block: Layout = BLOCK,
    key_bits: tuple[int, ...] = (128,),
) -> type[Cipher]:
    """A cipher with these two methods, less their `self`."""
    members = {
        "block": block,
        "key_bits": key_bits,
        "expand_key": lambda self, key: expand(key),
        "encrypt": lambda self, block, keys: encrypt(block, keys),
        "decrypt": lambda self, block, keys: encrypt(block, keys),
    }
    return type("Toy", (Cipher,), members)


def traced(cipher: type[Cipher], operation: str = "encrypt") -> Program:
    """The program, verified."""
    program = trace(cipher, operation, cipher.key_bits[0])
    verify(program.expand)
    verify(program.kernel)
    return program


def run(cipher: type[Cipher], key: bytes, data: bytes) -> bytes:
    """One block or several, interpreted."""
    program = traced(cipher)
    rows = np.frombuffer(data, np.uint8).reshape(-1, program.block.bytes)
    return interpret(program, np.frombuffer(key, np.uint8)[None, :], rows).tobytes()


def compute(function: Callable[..., Any], *values: int) -> list[int]:
    """The words that ``function`` makes of 32-bit words, zero-extended where they are narrower."""

    def encrypt(block: Sequence[Any], keys: Any) -> list[Any]:
        made = function(*block[: len(values)])
        made = list(made) if isinstance(made, list | tuple) else [made]
        outputs = [part for word in made for part in halves(word)]
        results.append(len(outputs))
        return outputs + block[len(outputs) :]

    results: list[int] = []
    layout = words(16, u32)
    padded = [*values, *[0] * (layout.count - len(values))]
    data = np.array(padded, "<u4").tobytes()
    found = np.frombuffer(run(toy(encrypt, lambda key: key, layout), bytes(16), data), "<u4").tolist()
    return found[: results[0]]


def halves(word: Any) -> list[Any]:
    """A word of at most 32 bits as one word of 32, a longer one as two."""
    if word.width <= 32:
        return [word.extend(32)]
    wide = word.extend(64)
    return [wide[0:32], wide[32:64]]
