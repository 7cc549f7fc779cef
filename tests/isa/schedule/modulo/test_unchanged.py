"""Schedules of random loops, their bounds and registers are what they were; nothing here needs a solver."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

import pytest

from finalist.isa.schedule.modulo.bounds import least_interval, longest, recurrence_bound, resource_bound
from finalist.isa.schedule.modulo.files import Files
from finalist.isa.schedule.modulo.greedy import greedy, manners
from finalist.isa.schedule.modulo.loop import Loop
from finalist.isa.schedule.modulo.problem import Order, Problem, Schedule, lives, pressure
from finalist.isa.schedule.modulo.registers import allocated
from finalist.isa.schedule.modulo.rounds import folded, written_out
from finalist.isa.schedule.modulo.schedulers import quick
from finalist.isa.schedule.modulo.stored import stored
from finalist.isa.schedule.modulo.verify import misplaced, violations
from tests.isa.schedule.modulo.test_rounds import rounds_of
from tests.loops import random_loop, slow_across, sum_loop
from tests.tools.loops.test_windows import ring
from tests.unchanged import unchanged
from tools.loops.__main__ import loop_of
from tools.loops.banks import in_two, separated
from tools.loops.neighbourhood import missing, start
from tools.loops.windows import windows

pytestmark = pytest.mark.digest

LOOPS: dict[str, Problem] = {
    **{f"random {seed}": random_loop(seed, 16, registers=3 + seed) for seed in range(5)},
    "sum": sum_loop(),
    "across": slow_across(),
    "rounds": rounds_of(),
}


def schedules(problem: Problem) -> Iterator[Schedule]:
    """Some, good and bad, from the least interval on."""
    least = least_interval(problem)
    for interval in range(least, least + 12, 3):
        for manner in islice(manners(problem, 2), 6):
            found = greedy(problem, interval, manner)
            if found is not None:
                yield found


def test_bounds() -> None:
    found = {}
    for name, problem in LOOPS.items():
        orders = (*problem.orders, Order(3, 0, 2, 1), Order(0, 2, 5, 0))
        far = longest(problem, orders, 9)
        found[name] = resource_bound(problem), recurrence_bound(problem), least_interval(problem), far
    unchanged("modulo-bounds", found)


def test_schedules_and_what_is_wrong_with_them() -> None:
    found = {}
    for name, problem in LOOPS.items():
        made = list(schedules(problem))
        assert made
        moved = [_moved(one) for one in made]
        told = [
            (one, missing(problem, one), list(lives(problem, one)), pressure(problem, one)) for one in made
        ]
        found[name] = told, [violations(problem, one) for one in moved]
        found[f"{name} renamed"] = [violations(problem, one, renamed=True) for one in moved]
    unchanged("modulo-schedules", found)


def _moved(schedule: Schedule) -> Schedule:
    """Every third operation earlier, and every fourth done in another way."""
    times = tuple(time - (k % 3 == 2) for k, time in enumerate(schedule.times))
    choices = tuple(choice ^ (k % 4 == 3) for k, choice in enumerate(schedule.choices))
    return Schedule(schedule.interval, times, choices)


def test_registers() -> None:
    found = {}
    for name, problem in LOOPS.items():
        for place, one in enumerate(islice(schedules(problem), 3)):
            for count in (4, 8, 16):
                usable = {value: list(range(count)) for value in problem.values}
                made = allocated(problem, one, usable)
                wrong = misplaced(problem, one, {value: k % 3 for k, value in enumerate(problem.values)})
                found[f"{name} {place} {count}"] = made and sorted(made.items()), wrong
    unchanged("modulo-registers", found)


def test_starts_of_a_search_and_what_is_stored() -> None:
    found: dict[str, object] = {}
    for name, problem in LOOPS.items():
        first = start(problem, least_interval(problem) + 4)
        found[name] = problem.digest, first, first and stored(problem, first, name)
    unchanged("modulo-starts", found)


def test_files_after_decisions() -> None:
    found = {}
    for name, problem in LOOPS.items():
        files, steps = Files(problem), []
        for operation in range(0, len(problem.operations), 3):
            steps.append((files.decide(operation, [operation % 2]), list(files.left), _sorted(files)))
        files.back()
        found[name] = steps, _sorted(files)
    unchanged("modulo-files", found)


def _sorted(files: Files) -> list[object]:
    return sorted((value, sorted(held)) for value, held in files.of.items())


def test_rounds_banks_and_windows() -> None:
    rounds = folded(rounds_of(7))
    assert rounds is not None
    own = Schedule(2, (0, 4, 5), (0, 0, 0))
    found: dict[str, object] = {
        "rounds": (rounds.period, rounds.count, rounds.problem.digest),
        "written out": list(islice(written_out(rounds_of(7), rounds, own, 30), 3)),
        "banks": in_two([(name, k % 3 == 0) for k, name in enumerate("abacadabra")]),
        "apart": separated(random_loop(1), {0: 0, 1: 1}).digest,
    }
    for interval in (6, 8, 12):
        found[f"windows {interval}"] = windows(ring(2, 3, 1), interval)
    unchanged("modulo-rounds", found)


@pytest.fixture(scope="module")
def loop() -> Loop:
    return loop_of("c64x", "rc6:r=3", "encrypt")


def test_the_loop_of_a_cipher(loop: Loop) -> None:
    """Its body with units balanced and wide loads, as a problem, and its packets by a quick schedule."""
    schedule = quick(loop, 24)
    packets = (*loop.lead_in(schedule), *loop.kernel(schedule))
    told = [[(ins.instruction.syntax, ins.operands, ins.files) for ins in packet] for packet in packets]
    found = {
        "problem": loop.problem.digest,
        "held": sorted(loop.held.items()),
        "schedule": schedule,
        "registers": sorted(loop.registers.items()),
        "packets": told,
        "ahead": loop.ahead(schedule),
    }
    unchanged("modulo-loop", found)
