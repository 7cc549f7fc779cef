"""How fast the simulator is: what is counted, and what is asked for."""

from __future__ import annotations

import pytest

from finalist.isa.pipeline import Writing, compiled
from finalist.schedule import Schedule
from tests.graphs import random_program
from tests.processors.vliw import processor
from tools import packets


def test_packets_that_are_executed() -> None:
    """Each block takes the same, but for what is done once; there are no more than cycles."""
    program = compiled("vliw", processor(), random_program("units"), Schedule(rounds="loop"), Writing())
    one, two, three = (packets.executed(program, blocks)[0] for blocks in (1, 2, 3))
    assert three - two == two - one
    assert two > one


@pytest.mark.check
def test_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    """At least two million a second, which is what the simulator is made for."""
    assert packets.main(["c62x", "rc6", "-s", "rounds=loop", "--least", "2"]) == 0
    assert "million packets a second" in capsys.readouterr().out


def test_fewer_than_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """Here 1.024 million a second."""
    made = compiled("vliw", processor(), random_program("units"), Schedule(rounds="loop"), Writing())
    monkeypatch.setattr(packets, "checked", lambda *_: made)
    monkeypatch.setattr(packets, "executed", lambda _, blocks: (1000 * blocks, blocks / 1024))
    assert [packets.main(["vliw", "g", "--least", least]) for least in ("1", "1.1")] == [0, 1]


def test_a_machine_without_packets(capsys: pytest.CaptureFixture[str]) -> None:
    assert packets.main(["interpreter", "rc6"]) == 2
    assert capsys.readouterr().err == "interpreter issues no packets; accepted: machines that do\n"
