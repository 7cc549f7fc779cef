"""The collector rests while graphs are made, and is as it was afterwards."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest

from finalist.ir.memory import uncollected


@pytest.fixture(params=[True, False])
def enabled(request: pytest.FixtureRequest) -> Iterator[bool]:
    (gc.enable if request.param else gc.disable)()
    yield request.param
    gc.enable()


def test_it_is_as_it_was(enabled: bool) -> None:
    with uncollected():
        with uncollected():
            assert not gc.isenabled()
        assert not gc.isenabled()
    assert gc.isenabled() is enabled


def test_it_is_as_it_was_after_an_error(enabled: bool) -> None:
    with pytest.raises(ValueError, match="x"), uncollected():
        raise ValueError("x")
    assert gc.isenabled() is enabled


def test_what_was_made_is_old_at_once() -> None:
    """Without a walk over it: the collector has nothing young to look at."""
    with uncollected():
        made = [[] for _ in range(3000)]  # type: ignore[var-annotated]
    old = {id(one) for one in gc.get_objects(generation=2)}
    assert {id(one) for one in made} <= old


def test_what_others_have_frozen_stays_frozen() -> None:
    gc.freeze()
    try:
        with uncollected():
            pass
        assert gc.get_freeze_count()
    finally:
        gc.unfreeze()
