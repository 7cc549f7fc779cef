"""The sets of instructions that a library has programs for."""

from __future__ import annotations

import pickle

import pytest

from finalist.export.levels import LEVELS, Level


@pytest.mark.parametrize("level", LEVELS, ids=lambda level: level.name)
def test_a_level_from_another_process_is_the_same(level: Level) -> None:
    assert pickle.loads(pickle.dumps(level)) is level
