"""Words of memory for what has no register: the first area, further ones, and where there is no more."""

from __future__ import annotations

import pytest

from finalist.isa.allocate.linear import NoRoomError
from finalist.isa.allocate.slots import Slots
from finalist.isa.target.memory import Memory


def slots(count: int = 3, reach: int = 1 << 10) -> Slots:
    return Slots("toy", Memory(256), 4, count, reach)


def test_words_come_one_after_the_other() -> None:
    made = slots()
    assert [made.take() for _ in range(3)] == [256, 260, 264]
    assert [(area.address, area.size) for area in made.areas] == [(256, 12)]


def test_further_words_lie_behind_all_else() -> None:
    made = slots()
    table = made.memory.place("T", 2, 5)
    assert [made.take() for _ in range(7)] == [256, 260, 264, 280, 284, 288, 292]
    assert table.end == 278 and len(made.areas) == 3
    assert len({area.name for area in made.areas}) == 3


def test_what_is_made_anew_begins_with_fewer() -> None:
    made = slots()
    before = [made.take() for _ in range(5)]
    made.taken = 1
    assert [made.take() for _ in range(4)] == before[1:]
    assert len(made.areas) == 2


def test_displacements_span_no_more() -> None:
    made = slots(reach=256 + 24)
    for _ in range(6):
        assert made.take() + 4 <= 280
    with pytest.raises(NoRoomError, match=r"^toy needs more than 6 words beside the registers$"):
        made.take()


def test_a_processor_that_works_in_memory_has_none() -> None:
    with pytest.raises(NoRoomError, match=r"^toy needs more than 0 words beside the registers$"):
        slots(0).take()
