"""Where key set-ups write that are measured side by side."""

from __future__ import annotations

from finalist.export.figures.compared import _AtAllOffsets
from finalist.measure.clock import Measurement


def addresses(size: int, samples: int) -> list[int]:
    """Where a key set-up of so many bytes writes, sample by sample."""
    seen: list[int] = []

    def set_up(address: int, *, seconds: float) -> Measurement:
        seen.append(address)
        return Measurement(seconds, "per call", "none", 1.0, runs=1, median_ticks=seconds)

    measurer = _AtAllOffsets(size, set_up)
    for _ in range(samples):
        measurer(seconds=1.0)
    first = measurer._memory.address
    assert all(first <= one and one + size <= first + measurer._memory.size for one in seen)
    return seen


def test_each_line_of_a_page_has_its_sample_and_all_sides_have_the_same_order() -> None:
    found = [one % 4096 for one in addresses(100, 64)]
    assert sorted(found) == list(range(0, 4096, 64))
    assert found == [one % 4096 for one in addresses(5000, 64)]


def test_it_begins_anew_after_all_of_them() -> None:
    found = addresses(16, 66)
    assert found[64:] == found[:2]
