"""The examples reproduce their papers' vectors: both directions, all key lengths, on every machine."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

import finalist
import finalist.cli.examples as command
from finalist.ciphers.catalogue import cipher
from finalist.cli import app

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
@pytest.mark.every(6)
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
@pytest.mark.every(3)
def test_speck_on_lanes_of_64_bits(
    name: str, row: tuple[str, str, str], operation: str, choices: dict[str, Any]
) -> None:
    key, given, expected = blocks(row, operation)
    path = FOLDER / f"{name}.py"
    program = finalist.compile(path, "native", operation, len(key) * 8, **choices)
    assert program.run(key, given * 9).output == expected * 9  # neither a multiple of 4 nor of 8


@pytest.mark.parametrize("operation", ["encrypt", "decrypt"])
@pytest.mark.parametrize("fuse", [0, 32, 64])
@pytest.mark.every(2)
def test_present_with_and_without_tables(operation: str, fuse: int) -> None:
    definition = cipher(FOLDER / "present.py")
    program = finalist.compile(definition, "native", operation, fuse=fuse)
    for row in definition.vectors:
        key, given, expected = blocks(row, operation)
        assert program.run(key, given).output == expected


# -- finalist examples ---------------------------------------------------------------------------------


def run(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["examples", *arguments], prog_name="finalist")


def test_they_are_listed() -> None:
    found = json.loads(run("--json").stdout)
    assert [one["name"] for one in found] == NAMES
    assert found[0]["summary"].startswith("PRESENT with 80-bit keys (Bogdanov and others 2007)")
    assert all(one["name"] in run().stdout for one in found)


def test_they_are_copied(tmp_path: Path) -> None:
    folder = tmp_path / "new" / "mine"
    done = run("-o", str(folder))
    assert done.exit_code == 0
    assert done.stdout.splitlines() == [str(folder / f"{name}.py") for name in NAMES]
    assert all((folder / f"{name}.py").read_bytes() == (FOLDER / f"{name}.py").read_bytes() for name in NAMES)


def test_nothing_is_overwritten(tmp_path: Path) -> None:
    (tmp_path / "speck.py").write_text("mine", "utf-8")
    done = run("-o", str(tmp_path))
    assert done.exit_code == 2
    assert "speck.py is there already" in done.stderr
    assert [(path.name, path.read_text("utf-8")) for path in tmp_path.iterdir()] == [("speck.py", "mine")]


def test_one_by_name(tmp_path: Path) -> None:
    assert run("speck", "-o", str(tmp_path), "--json").exit_code == 0
    assert [path.name for path in tmp_path.iterdir()] == ["speck.py"]
    wrong = run("serpent")
    assert wrong.exit_code == 2
    assert "unknown example 'serpent'; accepted: present, speck" in wrong.stderr


def test_without_any(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(command, "_PLACES", ())
    assert json.loads(run("--json").stdout) == []
    assert "none is here" in run("speck").stderr
