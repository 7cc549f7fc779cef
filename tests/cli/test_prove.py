"""`finalist prove`: tables, JSON, exit codes, and what it refuses."""

from __future__ import annotations

import json

from typer.testing import CliRunner, Result

from finalist.cli import app


def run(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["prove", *arguments], prog_name="finalist")


def test_a_table() -> None:
    result = run("serpent", "--operation", "decrypt", "-s", "rounds=unroll")
    assert result.exit_code == 0, result.output
    assert "proved" in result.stdout
    assert "rounds=unroll" in result.stdout


def test_a_certificate() -> None:
    result = run("rijndael", "--operation", "encrypt", "--json")
    assert result.exit_code == 0, result.output
    (found,) = json.loads(result.stdout)
    assert (found["verdict"], found["machine"], found["key_bits"]) == ("proved", "plx", 128)
    assert (len(found["definition"]), len(found["text"])) == (16, 64)


def test_undecided_is_no_success() -> None:
    result = run("rc4", "--operation", "encrypt")
    assert result.exit_code == 1
    assert "rc4 encrypt: blocks hand on a state" in result.stdout


def test_machines_without_words_are_refused() -> None:
    result = run("des", "--machine", "native")
    assert result.exit_code == 2
    assert (
        "--machine native: its programs are not instruction words of a simulated processor" in result.stderr
    )
