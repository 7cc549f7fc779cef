"""Accesses to blocks of memory: which are to which, and that no two of a cycle are to one."""

from __future__ import annotations

import pytest

from finalist.isa.schedule.modulo.problem import Read
from finalist.isa.schedule.modulo.verify import violations
from tests.loops import adds, loads, loop
from tools.loops.banks import in_two, separated
from tools.loops.exact import Effort, solved


def test_arrays_and_words_in_two_blocks() -> None:
    """Of four tables the outer ones to one block; of four words of a key the first two."""
    accesses = [(name, True) for name in "tuvwut"] + [("key", False)] * 4
    assert in_two(accesses) == [0, 1, 1, 0, 1, 0, 0, 0, 1, 1]


def test_accesses_to_one_block_are_in_different_cycles() -> None:
    pytest.importorskip("ortools", reason="the solver comes with ortools (extra dsp)")
    problem = loop(loads(), loads(), adds(Read(0), Read(1)))
    brief = Effort(20, workers=1)
    assert solved(problem, 1, 8, brief, renamed=True).schedule is not None
    apart, same = separated(problem, {0: 0, 1: 1}), separated(problem, {0: 0, 1: 0})
    assert solved(apart, 1, 8, brief, renamed=True).schedule is not None
    assert solved(same, 1, 8, brief, renamed=True).status == "infeasible"
    found = solved(problem, 1, 8, brief, renamed=True).schedule
    assert found is not None
    assert any("block 0 is taken 2 times" in line for line in violations(same, found, renamed=True))
