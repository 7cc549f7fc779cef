"""README's commands are those that the gate runs, and what they install is what README says."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text("utf-8")
GATE = (ROOT / ".ci" / "run").read_text("utf-8")
MAKEFILE = (ROOT / "Makefile").read_text("utf-8")


def first_commands() -> list[str]:
    """The commands of the first block, without what is said of them."""
    block = re.search(r"^```console\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)
    assert block is not None
    return [line[2:].partition("#")[0].strip() for line in block[1].splitlines() if line.startswith("$ ")]


def test_it_starts_with_the_clone() -> None:
    commands = first_commands()
    assert commands[0].startswith("git clone ") and commands[1] == "cd finalist"
    assert commands[2:] == ["make bench", "make test"]


def test_the_gate_runs_them_as_they_stand() -> None:
    """With no more installed than a fresh machine has, before it installs anything else."""
    lines = [line.strip() for line in GATE.splitlines()]
    for command in first_commands()[2:]:
        assert f"PATH=$plain {command}" in lines, command
    before = GATE[: GATE.index("PATH=$plain make bench")]
    assert "pip install" not in before and "iverilog ghdl" not in before.replace("iverilog vvp ghdl", "")


def test_targets_that_it_names_exist() -> None:
    targets = set(re.findall(r"^([\w-]+):", MAKEFILE, re.MULTILINE))
    assert set(re.findall(r"`make ([\w-]+)", README)) <= targets


def test_the_command_is_where_it_says() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert "finalist" in project["scripts"]
    assert ".venv/bin/finalist" in README and "VENV := .venv" in MAKEFILE
    assert "pipx install ." in README and "uv tool install ." in README
