"""Python's search for cycles: not within proofs, and a large store is freed between them."""

from __future__ import annotations

import gc
import weakref

import pytest

from finalist.prove.collector import put_aside, uncollected
from finalist.prove.definition import Evaluator
from finalist.prove.words import Words


def test_a_large_store_is_freed_before_another_is_begun(monkeypatch: pytest.MonkeyPatch) -> None:
    """One proof after the other takes the memory of one."""
    monkeypatch.setattr("finalist.prove.collector.LARGE", 10)
    first = Words()
    first.symbol("a", 32)
    store = weakref.ref(first.store)
    del first
    second = Words()
    assert store() is None
    second.symbol("b", 4)
    kept = weakref.ref(second.store)
    monkeypatch.setattr("finalist.prove.collector.LARGE", 1000)
    Words()
    assert kept() is second.store


@pytest.mark.parametrize("large", [True, False])
def test_what_was_made_over_a_large_store_is_freed_with_it(
    large: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What carries out a program knows itself; proof after proof it would be a gigabyte more."""
    monkeypatch.setattr("finalist.prove.collector.LARGE", 10 if large else 1000)
    words = Words()
    words.symbol("a", 32)
    evaluator = Evaluator(words)
    made = weakref.ref(evaluator)
    with uncollected():
        del evaluator
        assert made() is not None
        words.close()
        assert (made() is None) is large


def test_what_is_put_aside_can_still_be_freed() -> None:
    """It is not looked through again and again, but when all is."""

    class Knot:
        def __init__(self) -> None:
            self.own = self

    gc.collect()
    before = gc.get_freeze_count()  # some of Python 3.12's own
    with uncollected():
        knots = [Knot() for _ in range(5000)]
        last = weakref.ref(knots[-1])
        put_aside()
        assert gc.get_count()[0] < 1000
        del knots
    assert last() is not None
    gc.collect()
    assert last() is None
    assert gc.get_freeze_count() <= before


def test_there_is_no_search_for_cycles_meanwhile_and_then_as_before() -> None:
    assert gc.isenabled()
    with uncollected():
        assert not gc.isenabled()
        with uncollected():
            assert not gc.isenabled()
        assert not gc.isenabled()
    assert gc.isenabled()
    with pytest.raises(ZeroDivisionError), uncollected():
        assert 1 / 0
    assert gc.isenabled()
