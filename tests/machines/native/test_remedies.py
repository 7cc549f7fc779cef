"""What a refusal says would be legal: all of it is, and what is left out is not."""

from __future__ import annotations

from random import Random

import pytest

from finalist.ciphers.catalogue import cipher
from finalist.errors import ScheduleError
from finalist.machines.native.machine import MACHINE
from finalist.machines.native.remedies import remedies
from finalist.schedule import Schedule, parse_schedule
from finalist.toolchain import compiler


def refusal(name: str, schedule: Schedule) -> ScheduleError | None:
    try:
        MACHINE.check(cipher(name), operation="encrypt", key_bits=128, schedule=schedule)
    except ScheduleError as error:
        return error
    return None


@pytest.mark.parametrize(
    ("name", "choice", "expected"),
    [
        ("mars", "width=256", {"lookup=gather"}),
        ("mars", "width=512", {"lookup=gather", "lookup=permute word=32"}),
        ("mars", "lookup=permute", {"word=32"}),
        ("safer-plus", "width=256", {"lookup=permute", "lookup=bitslice"}),
        ("safer-plus", "skew=4", {"blocks=2"}),
        ("hpc", "width=128", {"lookup=gather"}),
        ("rc6", "keyed-tables=zero", set()),
        ("rc4", "width=128", set()),
        ("mars", "width=256 lookup=load", set()),
    ],
)
def test_all_ways(monkeypatch: pytest.MonkeyPatch, name: str, choice: str, expected: set[str]) -> None:
    """On a CPU with vectors of 512 bits, whatever this one has."""
    monkeypatch.setattr(compiler, "vector_bits", lambda: 512)
    schedule = parse_schedule([choice])
    error = refusal(name, schedule)
    assert error is not None and set(error.remedies()) == expected
    for text in expected:
        assert f"{text}" in str(error).partition("; legal with ")[2]
        assert refusal(name, schedule.over(parse_schedule([text]))) is None


def test_what_is_chosen_is_not_touched() -> None:
    tried: list[Schedule] = []

    def legal(schedule: Schedule) -> bool:
        tried.append(schedule)
        return False

    asked = Schedule(width=256, rounds="loop")
    assert list(remedies(asked, legal)) == []
    assert Schedule(width=256, rounds="loop", planes=1) in tried
    assert all(one.width == 256 and one.rounds == "loop" for one in tried)
    assert Schedule(width=1, rounds="loop") in _tried(Schedule(rounds="loop"))


def _tried(asked: Schedule) -> list[Schedule]:
    found: list[Schedule] = []
    list(remedies(asked, lambda schedule: bool(found.append(schedule))))
    return found


def test_of_two_that_are_legal_the_shorter_is_said() -> None:
    told = list(remedies(Schedule(), lambda schedule: schedule.lookup == "permute"))
    assert told == ["lookup=permute"]


@pytest.mark.parametrize("seed", range(3))
def test_what_is_checked_is_what_is_compiled(seed: int) -> None:
    """The same schedules are refused with the same reasons."""
    numbers, found = Random(seed), []
    while len(found) < 30:
        name = numbers.choice(("rc6", "mars", "hpc"))
        schedule, operation = MACHINE.drawn(numbers), numbers.choice(("encrypt", "decrypt"))
        if schedule.constant_time:
            continue
        found.append(reason := refusal_of(MACHINE.compile, name, operation, schedule))
        assert refusal_of(MACHINE.check, name, operation, schedule) == reason, (
            name,
            operation,
            str(schedule),
        )
    assert "" in found and len(set(found)) > 3


def refusal_of(action: object, name: str, operation: str, schedule: Schedule) -> str:
    assert callable(action)
    try:
        action(cipher(name), operation=operation, key_bits=128, schedule=schedule)
    except ScheduleError as error:
        return error.reason
    return ""
