"""Which figures come with Finalist: the last that was taken of each, nothing older beside it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from finalist.measure import store
from tests.measure.test_figure import CYCLES
from tools import publish
from tools.publish import published

OLD = replace(CYCLES, cipher="rc6", definition="rc6", asked="default")
NEW = replace(OLD, value=1.0, commit="later")


def test_what_is_found_again_replaces_all_that_was_known_of_it() -> None:
    beside = replace(OLD, asked="blocks=8")
    assert published([OLD, beside], [NEW]) == [NEW]


def test_what_is_not_found_again_remains() -> None:
    others = [replace(OLD, operation="decrypt"), replace(OLD, machine="plx"), replace(OLD, processor="other")]
    assert set(published(others, [NEW])) == {NEW, *others}


def test_the_last_of_several_of_built_in_ciphers_without_points() -> None:
    own = replace(NEW, definition="mine.py:Mine")
    assert published([], [OLD, own, replace(NEW, point="abc")]) == [NEW]


def test_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source, target = tmp_path / "found.sqlite", tmp_path / "published.jsonl"
    monkeypatch.setattr(publish, "TARGET", target)
    monkeypatch.setattr(store, "published", lambda: [OLD])
    store.append([NEW], source)
    publish.main([str(source)])
    assert store.read(target).rows == (NEW,)
