"""What may be chosen for a cipher: each word of the machine, what is legal and what is refused, and why."""

from __future__ import annotations

import json
from typing import Any

import pytest
from typer.testing import CliRunner

import finalist
from finalist.cli import app
from finalist.errors import ScheduleError, UnknownNameError
from finalist.machines.registry import schedule_words
from finalist.tuning import legal, shipped
from finalist.tuning.legal import Choice, Schedules, schedules


@pytest.fixture(scope="module")
def mars() -> Schedules:
    return schedules("mars")


STEPS: list[str] = []


@pytest.fixture(scope="module")
def simulated() -> Schedules:
    return schedules("rc6:r=4", "plx", "decrypt", step=STEPS.append)


def word(found: Schedules, name: str) -> Choice:
    return next(one for one in found.words if one.word == name)


def test_every_word_of_the_machine_is_there(mars: Schedules) -> None:
    assert tuple(one.word for one in mars.words) == (*schedule_words("native"), "tuned")
    assert mars.default == str(finalist.compile("mars").schedule)
    assert (mars.cipher, mars.machine, mars.operation, mars.key_bits) == ("mars", "native", "encrypt", 128)
    assert all(one.says and one.why and one.values for one in mars.words)
    assert all(value.says for one in mars.words for value in one.values)


def test_what_is_said_to_be_legal_is_and_what_is_refused_is_not(mars: Schedules) -> None:
    lookup = word(mars, "lookup")
    assert (lookup.default, lookup.legal) == ("load", ("load", "gather", "scan"))
    reasons = {one.value: one.reason for one in lookup.values if not one.legal}
    assert reasons["match"] == "no table of it is the S-box of an instruction, with or without a linear map"
    assert reasons["bitslice"].startswith("a product of words has no form on bits (")
    permute = next(one for one in lookup.values if one.value == "permute")
    assert permute.legal_with[0] in (
        "word=32",
        "width=512 word=32",
    )  # the latter where vectors are shorter here
    for value in word(mars, "rounds").values:
        choices: Any = {"rounds": value.value}
        assert value.legal == _is_legal(choices)


def _is_legal(choices: Any) -> bool:
    try:
        finalist.compile("mars", **choices)
    except ScheduleError:
        return False
    return True


def test_what_has_nothing_to_act_on_has_no_default(mars: Schedules) -> None:
    fuse = word(mars, "fuse")
    assert (fuse.default, fuse.legal) == (None, ())
    assert {one.reason for one in fuse.values} == {"it has no linear map"}


def test_other_machines(simulated: Schedules) -> None:
    assert tuple(one.word for one in simulated.words) == schedule_words("plx")
    assert word(simulated, "optimise").legal == ("off", "on")
    assert {one.reason for one in word(simulated, "lookup").values} == {"it has no table lookup"}
    assert schedules("rc6", "interpreter").words == ()
    with pytest.raises(UnknownNameError):
        schedules("rc6", "abacus")


@pytest.mark.check
def test_hardware() -> None:
    found = schedules("rc6", "fpga")
    assert "LU-2" in word(found, "architecture").legal
    assert word(found, "key-schedule").default == "load"


def test_it_says_how_far_it_is(simulated: Schedules) -> None:
    assert len(STEPS) == legal.count("plx")
    assert STEPS[0] == "default" and "rounds=unroll" in STEPS


def run(*arguments: str) -> Any:
    return CliRunner().invoke(app, ["schedules", *arguments], prog_name="finalist")


class TestCommand:
    def test_a_table(self, monkeypatch: pytest.MonkeyPatch, mars: Schedules) -> None:
        monkeypatch.setattr(legal, "schedules", lambda *_, **__: mars)
        told = run("mars")
        assert told.exit_code == 0, told.output
        rows = [line.split(maxsplit=2) for line in told.stdout.splitlines()]
        assert ["load", "default"] in [row[:2] for row in rows]
        assert ["any", "refused", "it has no linear map"] in rows
        assert "; legal with lookup=gather or lookup=permute word=32" in told.stdout
        assert f"default: {mars.default}\n" in told.stdout

    def test_json(self, monkeypatch: pytest.MonkeyPatch, simulated: Schedules) -> None:
        monkeypatch.setattr(legal, "schedules", lambda *_, **__: simulated)
        told = run("rc6", "--machine", "plx", "--json")
        found = json.loads(told.stdout)
        assert (found["machine"], found["default"]) == ("plx", "blocks=1 rounds=loop optimise=off")
        rounds = next(one for one in found["words"] if one["word"] == "rounds")
        assert {value["value"] for value in rounds["values"] if value["legal"]} >= {"loop", "unroll"}

    def test_none(self) -> None:
        assert "This machine takes no schedule." in run("rc6", "--machine", "interpreter").stdout

    def test_bad_input(self) -> None:
        for arguments in (["rc7"], ["rc6", "--operation", "hash"], ["rc6", "--key-bits", "7"], []):
            told = run(*arguments)
            assert (told.exit_code, told.stdout) == (2, "") and told.stderr.startswith("finalist: ")


def test_what_was_tuned_is_refused_where_nothing_was(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> None:
    monkeypatch.setenv("FINALIST_TUNING", str(tmp_path / "none.jsonl"))
    monkeypatch.setattr(shipped, "_read", dict)
    monkeypatch.setattr(legal, "_words", lambda machine: list(_words(machine))[-1:])
    tuned = word(schedules("rc6"), "tuned")
    assert tuned.legal == () and "`finalist tune rc6 --operation encrypt` does" in tuned.values[0].reason


_words = legal._words
