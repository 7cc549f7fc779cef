"""Random graphs and random schedules: the emitted C against the interpreter.

Some hundred each as a rule; ``FINALIST_FUZZ=10000`` in the environment for as many graphs, and
``FINALIST_FUZZ_SEED`` for other ones. Count and seed are printed.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.machines.native.harness import KINDS, Kind, fuzz

COUNT = int(os.environ.get("FINALIST_FUZZ", "400"))
SEED = os.environ.get("FINALIST_FUZZ_SEED", "1998")


@pytest.mark.fuzz
@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_random_graphs(kind: Kind, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    seeds = [f"{SEED} {kind.name} {number}" for number in range(COUNT // len(KINDS))]
    done = fuzz(kind, seeds, tmp_path)
    with capsys.disabled():
        print(f"\n{done} graphs, {kind.name}, FINALIST_FUZZ_SEED={SEED}")
    assert done
