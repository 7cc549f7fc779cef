"""Schedules of a loop with one more of each thing that could bind it: how much shorter it is then.

Each question gets the same seconds, also that with nothing more, which the others are to be compared with;
what is found is kept at once, and a question that has had its seconds is not asked again.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from finalist.isa.limits import limits, with_one_more
from finalist.isa.schedule.modulo.loop import Loop
from finalist.isa.schedule.modulo.problem import Problem, Schedule
from finalist.isa.schedule.modulo.schedulers import fits, quick
from finalist.isa.schedule.modulo.stored import Stored, read, stored, write
from finalist.isa.schedule.modulo.verify import violations
from tools.loops.exact import Effort
from tools.loops.shared import shortest
from tools.loops.shorter import drawn, shortened

#: Seeds to draw with, more than there is time for; cycles beside one that is taken out.
_SEEDS, _WIDTH = 1000, 3
#: A window of few cycles is decided soon or not at all.
_PATIENCE = 4.0


def relaxed(loop: Loop, schedule: Schedule, seconds: float, workers: int, name: str, file: Path) -> None:
    """Asks all questions about a loop of which ``schedule`` is known; ``seconds`` for each."""
    bounds, known, sides = limits(loop.problem, schedule), [schedule], dict[object, int]()
    for what, problem in questions(loop.problem):
        one = with_problem(loop, problem)
        title = f"{name} +1 {what}" if what else name
        kept = read(file).get(problem.digest)
        if kept is None or kept.seconds < seconds:
            begun = [*known, *([] if kept is None else [kept.schedule])]
            units = tuple(problem.units.items())
            if units not in sides:
                sides[units] = shortest(problem, schedule, Effort(min(_PATIENCE, seconds), workers))
            bound = max(sides[units], bounds.more(what) or bounds.bound)
            for made in _ever_shorter(one, begun, seconds, workers):
                kept = stored(problem, made, title, bound)
                _keep(file, problem, kept)
            assert kept is not None
            kept = replace(kept, seconds=seconds)
            _keep(file, problem, kept)
        known.append(kept.schedule)
        print(f"{title}: {kept.schedule.interval} cycles, {kept.label}", flush=True)
    _exchange(loop, known, file)


def _exchange(loop: Loop, known: list[Schedule], file: Path) -> None:
    """What one question has found may do for another: each gets the shortest that is one of its loop."""
    for _, problem in questions(loop.problem):
        one, kept = with_problem(loop, problem), read(file)[problem.digest]
        for schedule in sorted(known, key=lambda schedule: schedule.interval):
            if schedule.interval >= kept.schedule.interval:
                break
            if _is_of(one, schedule):
                _keep(file, problem, replace(kept, schedule=schedule))
                print(f"{kept.name}: {schedule.interval} cycles, as another", flush=True)
                break


def questions(problem: Problem) -> Iterator[tuple[str, Problem]]:
    """The loop as it is, and with one more of each that some operation can make use of."""
    yield "", problem
    taken = {name for o in problem.operations for choice in o.choices for name, _ in choice.all_resources}
    for what, more in with_one_more(problem):
        wider = {name for name, count in more.units.items() if count > problem.units[name]}
        if wider & taken or not wider:
            yield what, more


def with_problem(loop: Loop, problem: Problem) -> Loop:
    """The loop on the processor of a relaxed problem, with as many more registers as that has."""
    files = {
        name: replace(file, count=file.count + problem.registers[name] - loop.problem.registers[name])
        for name, file in loop.processor.files.items()
    }
    body, processor = replace(loop.body, problem=problem), replace(loop.processor, files=files)
    return replace(loop, body=body, processor=processor)


def _ever_shorter(loop: Loop, known: list[Schedule], seconds: float, workers: int) -> Iterator[Schedule]:
    """The shortest of known schedules that is one of this loop, too, and shorter ones.

    Where results are sooner they take registers sooner, so that none may be; then it is a quick one.
    """
    own = sorted((one for one in known if _is_of(loop, one)), key=lambda one: one.interval)
    best = own[0] if own else quick(loop)
    yield best
    effort = Effort(min(_PATIENCE, seconds), workers)
    for made in drawn(loop, best.interval - 1, _SEEDS, seconds / 2):
        best = made
        yield best
    yield from shortened(loop, best, _WIDTH, seconds / 2, effort)


def _is_of(loop: Loop, schedule: Schedule) -> bool:
    return not violations(loop.problem, schedule) and fits(loop, schedule)


def _keep(file: Path, problem: Problem, one: Stored) -> None:
    write(file, {**read(file), problem.digest: one})
