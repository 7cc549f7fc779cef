"""Help on terminals of any width: no line is too long, and no word is broken."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from typer.testing import CliRunner

from finalist.cli import app
from finalist.cli.commands import COMMANDS, PAPERS
from finalist.machines.registry import machine, machine_names, schedule_words
from finalist.machines.words import names_of

ALL = [(), *((name,) for name in COMMANDS), ("paper",), *(("paper", name) for name in PAPERS)]


def shown(*command: str, columns: int) -> str:
    result = CliRunner().invoke(app, [*command, "--help"], prog_name="finalist", terminal_width=columns)
    assert result.exit_code == 0, result.output
    return result.stdout


@pytest.mark.parametrize("command", ALL, ids=" ".join)
def test_help_fits(command: tuple[str, ...]) -> None:
    whole = shown(*command, columns=80)
    assert "\N{NON-BREAKING HYPHEN}" not in whole
    for columns in (60, 80):
        text = shown(*command, columns=columns)
        assert max(map(len, text.splitlines())) <= columns
        assert not any(line.endswith("-") for line in text.splitlines())
        assert text.split() == whole.split()  # the same words, whole


def test_a_terminal_says_how_wide_it_is() -> None:
    environment = {**os.environ, "COLUMNS": "60", "PYTHONPATH": os.pathsep.join(["", *sys.path])}
    command = [sys.executable, "-m", "finalist", "paper", "--help"]
    told = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    assert told.stdout.split() == shown("paper", columns=60).split()
    assert max(map(len, told.stdout.splitlines())) <= 60


@pytest.mark.parametrize("command", ["emit", "bench", "verify", "cycles", "leaks", "place", "board"])
def test_what_takes_schedules_lists_the_words_of_each_machine(command: str) -> None:
    text = " ".join(shown(command, columns=80).split())
    for name in machine_names():
        if schedule_words(name):
            assert f"{name}: {', '.join(schedule_words(name))}." in text
    assert "`finalist schedules CIPHER`" in text


@pytest.mark.parametrize("name", machine_names())
def test_help_knows_what_the_machine_has(name: str) -> None:
    assert schedule_words(name) == names_of(machine(name).words)
    assert schedule_words(f"{name}:a=1") == schedule_words(name)
