"""From a traced program to one that runs on a processor: rounds as loops."""

from __future__ import annotations

import pytest

from finalist.ciphers.catalogue import cipher
from finalist.errors import ScheduleError
from finalist.ir.ops import Op
from finalist.isa.pipeline import Writing, _looped
from finalist.language.definition import trace
from finalist.schedule import Schedule

RC6 = trace(cipher("rc6"), "encrypt", 128)


def trips(rounds: int | str | None, loops: bool = True) -> list[int]:
    """Iterations of the loops of RC6's twenty rounds."""
    made, _ = _looped(RC6, Schedule(rounds=rounds), Writing("levels"), loops)
    return [n.inputs[1].attr - n.inputs[0].attr for n in made.kernel.body if n.op is Op.LOOP]


def test_so_many_rounds_an_iteration() -> None:
    assert trips(1) == [20]
    assert trips(2) == [10]
    assert trips("loop") == [20]
    assert trips("unroll") == trips(None) == trips(2, loops=False) == []


def test_rounds_of_which_none_are_equal() -> None:
    """They stay as they are, unless a loop was asked for."""
    with pytest.raises(ScheduleError, match=r"^rounds=99 is not legal for .*: no such rounds are equal"):
        _looped(RC6, Schedule(rounds=99), Writing("levels", asked=True), True)
    made, schedule = _looped(RC6, Schedule(rounds=99), Writing("levels", asked=False), True)
    assert made is RC6 and schedule.rounds == "unroll"
