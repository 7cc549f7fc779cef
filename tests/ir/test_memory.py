"""The collector rests while graphs are made, and is as it was afterwards."""

from __future__ import annotations

import gc
import weakref
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


class Knot:
    """What only the collector frees."""

    def __init__(self) -> None:
        self.own = self


def test_cycles_that_are_made_meanwhile_are_found_afterwards() -> None:
    """Without a walk over all memory: a process that compiles for hours does not grow."""
    with uncollected():
        knot = weakref.ref(Knot())
    for _ in range(100):
        with uncollected():
            others = [Knot() for _ in range(1000)]
    assert others and knot() is None
