"""Schedules from the end: dependences, units, rooms, and words that go to memory."""

from __future__ import annotations

import pytest

from finalist.isa.code import Ins
from finalist.isa.schedule.backward import Backward, NoScheduleError, Rooms, Timed
from finalist.isa.schedule.dependences import latency
from finalist.machines.c6x.model import processor

P = processor("c62x")


def of(name: str, syntax: str) -> object:
    return next(i for i in P.instructions if i.name == name and syntax in i.syntax and ":" not in i.syntax)


ADD, MPY, LOAD = of("ADD", "{rb}"), of("MPYU", "{rb}"), of("LDW", "B14")
STORE = of("STW", "B14")


def timed(body: list[Ins], room: int = 8, lasting: frozenset[int] = frozenset()) -> Timed:
    return backward(body, room, lasting).run()


def backward(body: list[Ins], room: int, lasting: frozenset[int]) -> Backward:
    files = {word: "a" for ins in body for word in (*ins.read, *ins.written)}
    fresh = iter(range(100, 200))

    def spilled(word: int) -> tuple[Ins, Ins]:
        made = next(fresh)
        files[made] = "a"
        home = 400 + 4 * word
        return (
            Ins(STORE, [word, home], note="spilled", access=home),
            Ins(LOAD, [made, home], note="spilled", access=home),
        )

    return Backward(body, P, files, lasting, Rooms({"a": room, "b": room}), spilled)


def test_results_are_waited_for() -> None:
    body = [
        Ins(LOAD, [1, 128]),
        Ins(MPY, [2, 1, 1]),
        Ins(ADD, [3, 2, 2]),
        Ins(STORE, [3, 132]),
    ]
    made = timed(body)
    assert made.cycles == [0, 5, 7, 8] and made.length == 9


def test_a_unit_is_taken_once() -> None:
    body = [Ins(MPY, [k, 9, 9]) for k in range(1, 4)]
    made = timed(body, lasting=frozenset({1, 2, 3, 9}))
    assert sorted(made.cycles) == [0, 1, 2] and made.length == 4


def test_words_go_to_memory_where_registers_run_out() -> None:
    """Sums of words that are all made early, for which there are not enough registers."""
    body = [Ins(ADD, [k, 50, 50]) for k in range(1, 9)]
    body += [Ins(ADD, [10 + k, k, 9 - k]) for k in range(1, 5)]
    body += [Ins(ADD, [20 + k, k, 10 + k]) for k in range(1, 5)]
    body += [Ins(STORE, [20 + k, 128 + 4 * k], access="data") for k in range(1, 5)]
    lasting = frozenset({50})
    assert not any(ins.note for ins in timed(body, 16, lasting).body)
    assert timed(body, 4, lasting).length >= timed(body, 16, lasting).length


def test_no_room_at_all() -> None:
    body = [
        Ins(ADD, [3, 1, 2]),
        Ins(STORE, [3, 128]),
    ]
    with pytest.raises(NoScheduleError):
        Backward(body, P, {1: "b", 2: "b", 3: "a"}, frozenset(), Rooms({"a": 4, "b": 4})).run()


def test_what_goes_to_memory_is_as_deep_as_when_it_is_made() -> None:
    """A store can go where its word can be read: by that it is ordered among the others."""
    loads = [Ins(LOAD, [k, 4 * k]) for k in range(1, 13)]
    sums = [Ins(ADD, [30 + k, k, k % 12 + 1]) for k in range(1, 13)]
    products = [Ins(MPY, [60 + k, 30 + k, 13 - k]) for k in range(1, 13)]
    stores = [Ins(STORE, [60 + k, 512 + 4 * k], access="data") for k in range(1, 13)]
    late = backward([*loads, *sums, *products, *stores], 4, frozenset())
    late.run()
    assert late.stores
    for word, store in late.stores.items():
        maker = late.makers[word]
        assert late.depth[store] == late.depth[maker] + latency(late.body[maker], word)
