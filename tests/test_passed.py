"""A run that leaves out what the one before has seen pass."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tests.passed import Passed

ROOT = Path(__file__).parents[1]
#: One of each fate without tools (``TOOLS`` is not set): passed, failed, skipped for want of a tool, broken.
CASES = """
import os, pytest

def test_passes(): pass

@pytest.mark.parametrize("tool", [None, *os.environ.get("TOOLS", "").split()])
def test_with_tools(tool): pass

def test_fails(): assert "TOOLS" in os.environ

def test_skipped():
    if "TOOLS" not in os.environ: pytest.skip("no tool")

@pytest.fixture
def broken():
    yield
    assert "TOOLS" in os.environ

def test_whose_fixture_fails(broken): pass
"""


def run(folder: Path, *options: str, **more: str) -> str:
    plugins = ("no:cacheprovider", "xdist.plugin", "tests.passed")
    command = [sys.executable, "-m", "pytest", "-q", "-rA", *(f"-p{one}" for one in plugins)]
    own = {"PYTHONPATH": str(ROOT), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    return subprocess.run(
        [*command, *options, "test_cases.py"],
        cwd=folder,
        env={**os.environ, **own, **more},
        capture_output=True,
        text=True,
        check=False,
    ).stdout


def test_what_passed_is_left_out_and_all_else_runs(tmp_path: Path) -> None:
    """What failed in any phase, what was skipped, and what is there only with a tool runs again."""
    (tmp_path / "test_cases.py").write_text(CASES)
    seen = tmp_path / "passed"
    first = run(tmp_path, f"--passed={seen}", "-n", "2")
    assert "1 failed, 3 passed, 1 skipped, 1 error" in first, first
    assert [line.partition("::")[2] for line in seen.read_text().splitlines()] == [
        "test_passes",
        "test_with_tools[None]",
    ]
    again = run(tmp_path, f"--but-passed={seen}", TOOLS="x")
    assert "4 passed" in again and "failed" not in again, again


def test_a_file_of_nothing_leaves_nothing_out(tmp_path: Path) -> None:
    (tmp_path / "test_cases.py").write_text("def test_passes(): pass")
    (tmp_path / "passed").touch()
    assert "1 passed" in run(tmp_path, "--but-passed=passed")


def test_names_are_written_once_and_in_order(tmp_path: Path) -> None:
    seen = Passed(tmp_path / "passed")
    seen.called = {"b", "a", "c"}
    seen.not_passed = {"c"}
    seen.pytest_sessionfinish()
    assert (tmp_path / "passed").read_text() == "a\nb\n"
