"""Loops over blocks: their counters, chained iterations, and packets before and in the loop."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from finalist.isa.schedule.modulo.bounds import recurrence_bound
from finalist.isa.schedule.modulo.loop import Loop, _spread
from finalist.isa.schedule.modulo.problem import Read, Schedule
from finalist.isa.schedule.modulo.schedulers import fits, quick
from finalist.isa.schedule.modulo.verify import misplaced, violations
from tools.loops.__main__ import loop_of


@pytest.fixture(scope="module")
def loop() -> Loop:
    return loop_of("c64x", "rc6", "encrypt")


@pytest.fixture(scope="module")
def schedule(loop: Loop) -> Schedule:
    return quick(loop, 90)


def test_the_counter_is_tested_and_the_pointer_is_held(loop: Loop) -> None:
    """Both on the first side, the counter in a register that conditions test; no value is in these."""
    tested = {register for file, register in loop.processor.predicates.registers if file == "a"}
    assert loop.held[loop.counters.left, "a"] in tested
    taken = {number for (_, file), number in loop.held.items() if file == "a"}
    assert loop.held[loop.counters.pointer, "a"] in taken
    assert not taken & set(loop.usable("a"))


def test_the_kernel_has_every_operation_once(loop: Loop, schedule: Schedule) -> None:
    assert fits(loop, schedule)
    assert misplaced(loop.problem, schedule, loop.registers) == []
    packets = loop.kernel(schedule)
    assert len(packets) == schedule.interval
    assert sum(map(len, packets)) == len(loop.problem.operations)


def test_what_leads_in_is_what_earlier_stages_do(loop: Loop, schedule: Schedule) -> None:
    """Before the loop, of each iteration that is under way the stages that are done; no branch, no count."""
    packets = loop.lead_in(schedule)
    assert len(packets) == (schedule.stages - 1) * schedule.interval
    inside = [k for k in range(len(loop.problem.operations)) if not loop._counts(k)]
    stages = schedule.stages - 1
    wanted = sum(max(0, stages - schedule.times[k] // schedule.interval) for k in inside)
    assert sum(map(len, packets)) == wanted
    assert not any(ins.instruction.name == "B" for packet in packets for ins in packet)


def test_chained_iterations_wait_for_each_other() -> None:
    """Each load of data after each store of the iteration before, so that a block's path is a bound."""
    loop = loop_of("c64x", "rc6", "encrypt")
    before = recurrence_bound(loop.problem)
    orders = set(loop.problem.orders)
    loop.chain()
    added = set(loop.problem.orders) - orders
    body = loop.body.instructions
    assert len(added) == 4 * 4
    assert all(body[one.source].instruction.effect == "store" for one in added)
    assert all(body[one.target].instruction.effect == "load" for one in added)
    assert {one.distance for one in added} == {1}
    assert before == 1 and recurrence_bound(loop.problem) > 200


def test_a_schedule_that_is_not_chained_breaks_the_order(loop: Loop, schedule: Schedule) -> None:
    chained = loop_of("c64x", "rc6", "encrypt")
    assert violations(chained.problem, schedule) == []
    chained.chain()
    assert "too early after" in violations(chained.problem, schedule)[0]


def test_an_operation_is_in_the_packet_of_its_time(loop: Loop, schedule: Schedule) -> None:
    wanted = [[] for _ in range(schedule.interval)]
    for number, time in enumerate(schedule.times):
        wanted[time % schedule.interval].append(loop.body.instructions[number].instruction.name)
    found = [[ins.instruction.name for ins in packet] for packet in loop.kernel(schedule)]
    assert found == wanted


def test_invariants_that_are_read_often_are_on_more_sides_while_there_is_room() -> None:
    """The most read ones first; none that is held somewhere."""
    often, rarely = Read(-1, invariant=0), Read(-1, invariant=1)
    read = [SimpleNamespace(reads=(often, often, rarely)), SimpleNamespace(reads=(rarely,))]
    body = SimpleNamespace(problem=SimpleNamespace(operations=read), invariants=[70, 71])
    a, both = frozenset("a"), frozenset("ab")
    for fixed, room, expected in (
        ({}, 1, (both, a)),
        ({}, 2, (both, both)),
        ({}, 0, (a, a)),
        ({70: a}, 1, (a, both)),
    ):
        assert _spread(body, fixed, (a, a), {"a": 9, "b": room}) == expected
