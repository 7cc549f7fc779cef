"""Parts of a definition on constants: what the papers print as intermediate values."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from typing import Any

from finalist.ir import interpreter
from finalist.ir.graph import Graph
from finalist.language import LITTLE, Cipher, Table, Word, constant, join
from finalist.language.trace import tracing

__all__ = ["digest", "keys_of", "of_bytes", "of_words", "same", "shown", "tracing"]


def of_bytes(text: str) -> list[Word]:
    """Bytes written in hexadecimal, as words of 8 bits."""
    return [constant(byte, 8) for byte in bytes.fromhex(text)]


def of_words(text: str, width: int = 32) -> list[Word]:
    """Numbers written in hexadecimal, with spaces between."""
    return [constant(int(number, 16), width) for number in text.split()]


def keys_of(cipher: type[Cipher], key: str, operation: str = "encrypt") -> Any:
    """The expanded key; to be called while `tracing`."""
    layout = cipher.key_words or cipher.block
    made = of_bytes(key)
    if layout.width > 8:
        size = layout.width // 8
        groups = [made[i : i + size] for i in range(0, len(made), size)]
        made = [join(*(group if layout.order is LITTLE else group[::-1])) for group in groups]
    definition = cipher(4 * len(key))
    keys = definition.expand_key(made)
    return keys if operation == "encrypt" else definition.expand_decryption_key(keys)


def shown(words: Any) -> str:
    """Words, in whatever lists, as hexadecimal: bytes without anything between, longer words with spaces."""
    flat = list(_flat(words))
    results = interpreter.run(Graph("shown", (), [word.node for word in flat], ()), [])
    numbers = (f"{int(value):0{word.width // 4}x}" for word, value in zip(flat, results, strict=True))
    return ("" if flat[0].width == 8 else " ").join(numbers)


def same(a: Any, b: Any) -> bool:
    """Whether words have the same values."""
    return shown(a) == shown(b)


def _flat(words: Any) -> Iterable[Word]:
    if isinstance(words, Word):
        return [words]
    return [word for part in words for word in _flat(part)]


def digest(values: Table | Sequence[int], size: int = 1) -> str:
    """The first 16 digits of SHA-256 over numbers of ``size`` bytes, the highest byte first."""
    numbers = values.data.values if isinstance(values, Table) else values
    return hashlib.sha256(b"".join(number.to_bytes(size, "big") for number in numbers)).hexdigest()[:16]
