"""The examples reproduce their papers' vectors: both directions, all key lengths, on every machine."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import finalist
from finalist.ciphers.catalogue import cipher

FOLDER = Path(__file__).parent.parent / "examples"
NAMES = sorted(path.stem for path in FOLDER.glob("*.py"))
ROWS = [(name, row) for name in NAMES for row in cipher(FOLDER / f"{name}.py").vectors]
SCALAR: dict[str, Any] = {"width": 1}
VECTORS: dict[str, Any] = {"width": 256}


def blocks(row: tuple[str, str, str], operation: str) -> tuple[bytes, bytes, bytes]:
    """Key, what goes in, what comes out."""
    key, plaintext, ciphertext = map(bytes.fromhex, row)
    return (key, plaintext, ciphertext) if operation == "encrypt" else (key, ciphertext, plaintext)


def identity(value: Any) -> str:
    return value if isinstance(value, str) else f"{len(value[0]) * 4}-{value[0][:2]}-{value[1][:2]}"


def test_there_are_examples() -> None:
    assert NAMES == ["present", "speck"]
    for name in NAMES:
        definition = cipher(FOLDER / f"{name}.py")
        assert {len(key) * 4 for key, _, _ in definition.vectors} == set(definition.key_bits)


@pytest.mark.parametrize("operation", ["encrypt", "decrypt"])
@pytest.mark.parametrize(("name", "row"), ROWS, ids=identity)
@pytest.mark.parametrize("machine", ["interpreter", "native"])
def test_vectors(name: str, row: tuple[str, str, str], operation: str, machine: str) -> None:
    key, given, expected = blocks(row, operation)
    program = finalist.compile(FOLDER / f"{name}.py", machine, operation, key_bits=len(key) * 8)
    assert program.run(key, given).output == expected
    assert program.run(key, given * 7).output == expected * 7


@pytest.mark.parametrize("operation", ["encrypt", "decrypt"])
@pytest.mark.parametrize(("name", "row"), [pair for pair in ROWS if pair[0] == "speck"], ids=identity)
@pytest.mark.parametrize(
    "choices", [{"width": 1, "blocks": 1}, SCALAR, VECTORS, {"width": 256, "blocks": 8}], ids=str
)
def test_speck_on_lanes_of_64_bits(
    name: str, row: tuple[str, str, str], operation: str, choices: dict[str, Any]
) -> None:
    key, given, expected = blocks(row, operation)
    path = FOLDER / f"{name}.py"
    program = finalist.compile(path, "native", operation, len(key) * 8, **choices)
    assert program.run(key, given * 9).output == expected * 9  # neither a multiple of 4 nor of 8


@pytest.mark.parametrize("operation", ["encrypt", "decrypt"])
@pytest.mark.parametrize("fuse", [0, 32, 64])
def test_present_with_and_without_tables(operation: str, fuse: int) -> None:
    definition = cipher(FOLDER / "present.py")
    program = finalist.compile(definition, "native", operation, fuse=fuse)
    for row in definition.vectors:
        key, given, expected = blocks(row, operation)
        assert program.run(key, given).output == expected
