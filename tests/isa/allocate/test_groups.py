"""Parts of a block that have nothing in common but keys."""

from __future__ import annotations

from finalist.isa.allocate.groups import groups
from finalist.isa.code import Ins
from finalist.machines.c6x.model import processor

P = processor("c62x")
ADD = next(i for i in P.instructions if i.name == "ADD" and "{rb}" in i.syntax)
LOAD = next(i for i in P.instructions if i.name == "LDW" and "B14" in i.syntax)


def test_two_blocks_that_read_one_key() -> None:
    body = [
        Ins(LOAD, [10, 128], access="key"),
        Ins(ADD, [3, 1, 10]),
        Ins(ADD, [4, 2, 10]),
        Ins(ADD, [5, 3, 3]),
        Ins(ADD, [6, 4, 4]),
    ]
    found = groups(body, set())
    assert found[0] is None and found[1] == found[3] != found[2] == found[4]


def test_what_meets_is_one() -> None:
    body = [Ins(ADD, [3, 1, 1]), Ins(ADD, [4, 2, 2]), Ins(ADD, [5, 3, 4])]
    assert len(set(groups(body, set()))) == 1


def test_what_is_common_joins_nothing() -> None:
    """Nor what is loaded by that alone, but for the data."""
    body = [Ins(ADD, [3, 1, 9]), Ins(ADD, [4, 2, 9])]
    assert len(set(groups(body, {9}))) == 2
    assert len(set(groups(body, set()))) == 1
    loads = [Ins(LOAD, [9, 128], access=what) for what in ("key", "data")]
    key, data = (groups([one, *body], set()) for one in loads)
    assert key[0] is None and key[1] != key[2]
    assert len(set(data)) == 1
