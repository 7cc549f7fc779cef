"""Certificates in the cache: what is settled comes back as it was, and nothing else does."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from finalist.ciphers.catalogue import cipher
from finalist.prove.cached import certificate, plan
from finalist.prove.decide import Certificate
from finalist.prove.passes import Passed, Plan
from finalist.prove.refute import Counterexample
from finalist.schedule import Schedule, parse_schedule

ABOUT = ("encrypt", 128, "plx")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FINALIST_CACHE", str(tmp_path / "cache"))


def one(verdict: str, wrong: Counterexample | None = None) -> Certificate:
    engines = ("finalist.prove 1", "numpy 2")
    named = ("rijndael", *ABOUT, "blocks=1", verdict, "", "", 1, 2, engines, "d", "t", "1", 0.5)
    return Certificate(*named, counterexample=wrong)


def cached(make: Callable[[], Certificate], *, schedule: Schedule | None = None) -> Certificate:
    return certificate(cipher("rijndael"), *ABOUT, schedule or Schedule(), make)


def never() -> Certificate:
    raise AssertionError("it was cached before")


@pytest.mark.parametrize(
    "first",
    [one("proved"), one("refuted", Counterexample("00", "01", "02", ""))],
    ids=lambda one: one.verdict,
)
def test_what_is_settled_comes_back(first: Certificate) -> None:
    assert cached(lambda: first) == first
    assert cached(never) == first


def test_another_schedule_is_another() -> None:
    cached(lambda: one("proved"))
    other = one("refuted")
    assert cached(lambda: other, schedule=parse_schedule(["rounds=unroll"])) == other


def test_what_is_undecided_is_tried_again() -> None:
    assert cached(lambda: one("undecided")).verdict == "undecided"
    assert cached(lambda: one("proved")).verdict == "proved"


def test_other_definitions_are_proved_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """A file of the user's may have changed."""
    monkeypatch.setattr("finalist.prove.cached.is_built_in", lambda found: False)
    cached(lambda: one("proved"))
    assert cached(lambda: one("refuted")).verdict == "refuted"


@pytest.mark.parametrize("verdict", ["proved", "unchanged", "refuted", "undecided"])
def test_passes_of_a_plan(verdict: str) -> None:
    wrong = Counterexample("00", "01", "02", "03") if verdict == "refuted" else None
    passes = (Passed("fuse", "fuse.py", verdict, "", ("numpy",), 0.5, wrong),)
    first = Plan("rijndael", *ABOUT, "blocks=1", passes)
    asked = [first, Plan("rijndael", *ABOUT, "blocks=2", passes)]
    about = (cipher("rijndael"), *ABOUT, Schedule())
    assert plan(*about, lambda: asked.pop(0)) == first
    assert plan(*about, lambda: asked.pop(0)).schedule == (
        "blocks=2" if verdict == "undecided" else "blocks=1"
    )
