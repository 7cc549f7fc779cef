"""Where choices come from, on each machine."""

from __future__ import annotations

import pytest

from finalist.ciphers.catalogue import cipher
from finalist.errors import ScheduleError
from finalist.machines.registry import machine
from finalist.machines.tracing import traced as trace
from finalist.schedule import Schedule, parse_schedule
from finalist.tuning import choose
from finalist.tuning.origins import ASKED, DEFAULT, TRIED, TUNED, origins, with_tuned


def found(name: str, kind: str, *choices: str, given: Schedule | None = None) -> dict[str, str]:
    """The origin of each word."""
    traced, asked = trace(cipher(name), "encrypt", 128), parse_schedule(choices)
    given = given or asked
    full = machine(kind).program(traced, given).schedule
    listed = list(origins(machine(kind), traced, asked, given, full))
    assert [(one.word, one.value) for one in listed] == [
        (word.replace("_", "-"), value) for word, value in full.chosen().items()
    ]
    assert all(one.why for one in listed if one.origin != ASKED)
    return {one.word: one.origin for one in listed}


def test_asked_and_default() -> None:
    words = found("rc6", "native", "width=1", "blocks=2")
    assert words == {"blocks": ASKED, "width": ASKED, "skew": DEFAULT, "rounds": DEFAULT}


def test_the_reason_of_a_default_is_the_machines() -> None:
    traced = trace(cipher("rc6"), "encrypt", 128)
    full = machine("fpga").program(traced, Schedule()).schedule
    listed = origins(machine("fpga"), traced, Schedule(), Schedule(), full)
    assert {one.word: one.why for one in listed} == {
        word.name: word.default for word in machine("fpga").words if word.name not in ("lookup", "optimise")
    }


def test_tuned() -> None:
    words = found("rc6", "native", "width=1", given=Schedule(width=1, blocks=4, skew=2))
    assert (words["width"], words["blocks"], words["skew"], words["rounds"]) == (ASKED, TUNED, TUNED, DEFAULT)


@pytest.mark.parametrize(
    ("kind", "choices", "tried"),
    [
        ("plx", (), set()),
        ("plx", ("optimise=on",), {"rounds"}),
        ("plx", ("optimise=on", "rounds=loop"), set()),
        pytest.param("plx:word=64", (), set(), marks=pytest.mark.check),
        ("plx:word=64", ("blocks=2",), {"width"}),
        pytest.param("plx:word=64", ("blocks=2", "width=64"), set(), marks=pytest.mark.check),
        ("plx:word=64,with=ptlu", (), {"width"}),
        ("native", ("constant-time",), {"lookup"}),
        ("native", ("constant-time", "lookup=scan"), set()),
        ("native", ("lookup=scan",), set()),
    ],
)
@pytest.mark.every(3)
def test_tried(kind: str, choices: tuple[str, ...], tried: set[str]) -> None:
    words = found("rijndael", kind, *choices)
    assert {word for word, origin in words.items() if origin == TRIED} - {"word"} == tried


def test_what_was_tuned_fills_what_is_open(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(choose, "tuned", lambda *task: Schedule(blocks=8, width=1))
    asked = parse_schedule(["tuned", "blocks=2"])
    assert with_tuned(cipher("rc6"), "native", "encrypt", 128, asked) == Schedule(blocks=2, width=1)
    assert with_tuned(cipher("rc6"), "native", "encrypt", 128, Schedule(blocks=3)) == Schedule(blocks=3)


def test_a_machine_without_tuning() -> None:
    with pytest.raises(ScheduleError, match="tuned=long: fpga has no schedules that are tuned"):
        with_tuned(cipher("rc6"), "fpga", "encrypt", 128, parse_schedule(["tuned"]))
