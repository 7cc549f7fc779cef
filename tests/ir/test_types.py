"""Types of values are one object each."""

from __future__ import annotations

import copy
import pickle

import pytest

from finalist.ir.types import ArrayType, WordType


@pytest.mark.parametrize("kind", [WordType(13), ArrayType(7, 13)])
def test_equal_types_are_one_object(kind: WordType | ArrayType) -> None:
    """A copy and one read back are, too."""
    again = WordType(13) if isinstance(kind, WordType) else ArrayType(7, 13)
    assert again is copy.deepcopy(kind) is pickle.loads(pickle.dumps(kind)) is kind
    assert eval(repr(kind)) is kind
    assert len({WordType(12), WordType(13), ArrayType(1, 13), ArrayType(2, 13)}) == 4
