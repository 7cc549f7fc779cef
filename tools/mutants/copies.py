"""Copies of the repository, and units of checks run in them."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

from tools.mutants.draw import ROOT
from tools.mutants.units import Outcome

_NOT_COPIED = (".git", ".venv", "build", "__pycache__", "*.egg-info", ".*_cache")


def copied(to: Path) -> Path:
    """A copy of the repository with a cache of its own."""
    shutil.copytree(ROOT, to, ignore=shutil.ignore_patterns(*_NOT_COPIED))
    return to


def run_units(
    copy: Path, units: Mapping[str, float], hits: str = "", stop: bool = False
) -> Iterator[Outcome]:
    """Run units in a copy, each with its limit in seconds of the processor's time; see `units`."""
    command = [sys.executable, "-B", "-m", "tools.mutants.units"]
    variables = {**os.environ, "PYTHONPATH": str(copy), "FINALIST_CACHE": str(copy / ".cache-of-mutants")}
    given = json.dumps({"units": units, "hits": hits, "stop": stop})
    pipe = subprocess.PIPE
    with subprocess.Popen(command, cwd=copy, env=variables, stdin=pipe, stdout=pipe, text=True) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(given)
        process.stdin.close()
        for line in process.stdout:
            yield Outcome(*json.loads(line))
    if process.returncode:
        raise RuntimeError(f"units of checks did not run in {copy}")
