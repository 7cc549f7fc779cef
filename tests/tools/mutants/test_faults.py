"""Faults that are planted in a source."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from tools.mutants.faults import faults

SOURCE = '''"""A module."""

from dataclasses import dataclass

LIMIT: int = 3


@dataclass(frozen=True)
class Word:
    """A word."""

    __slots__ = ("bits",)

    def fits(self, value: int | None = 0) -> bool:
        """Whether ä fits."""
        if value is None or value < 0:
            raise ValueError(f"{value + 1} is wrong")
        self.count(value)
        return not value >> 1 == LIMIT
'''


def test_each_kind() -> None:
    told = [(fault.line, fault.before, fault.after) for fault in faults(SOURCE)]
    assert told == [
        (5, "3", "4"),
        (14, "0", "1"),
        (16, "value is None", "(value is not None)"),
        (16, "0", "1"),
        (16, "value < 0", "(value <= 0)"),
        (16, "value is None or value < 0", "(value is None and value < 0)"),
        (17, 'raise ValueError(f"{value + 1} is wrong")', "pass"),
        (18, "self.count(value)", "pass"),
        (19, "1", "2"),
        (19, "value >> 1", "(value << 1)"),
        (19, "value >> 1 == LIMIT", "(value >> 1 != LIMIT)"),
        (19, "not value >> 1 == LIMIT", "(value >> 1 == LIMIT)"),
    ]


def test_a_planted_fault_is_in_one_place() -> None:
    for fault in faults(SOURCE):
        planted = fault.planted(SOURCE)
        ast.parse(planted)
        assert planted.replace(fault.after, "", 1) != SOURCE
        assert planted[: fault.start] == SOURCE[: fault.start]
        assert planted.endswith(SOURCE[fault.stop :])


def test_lines_of_a_fault() -> None:
    """Spaces apart, and all lines of one that spans several."""
    source = "if (a\n        and b):\n    x = -7  # of c\n    y = 3"
    told = [fault.lines(source) for fault in faults(source)]
    assert told == [
        ("if (a and b):", "if ((a or b)):"),
        ("x = -7 # of c", "x = -8 # of c"),
        ("x = -7 # of c", "x = (7) # of c"),
        ("y = 3", "y = 4"),
    ]


@pytest.mark.parametrize(
    "text", ['x = "a" + b', "def f(a: 3): ...", "assert x == 1", "if TYPE_CHECKING:\n    x = 1"]
)
def test_what_no_test_could_tell_is_left_out(text: str) -> None:
    assert faults(text) == []


def test_every_module_can_have_faults() -> None:
    for path in Path("finalist/ir").glob("*.py"):
        source = path.read_text("utf-8")
        for fault in faults(source)[::7]:
            ast.parse(fault.planted(source))
