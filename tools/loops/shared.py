"""The operations of a loop shared out among the ways to issue them, whatever their cycles: a relaxation.

In a schedule of an interval no unit and no path is taken more often than the interval has cycles, and each
operand is in the file that it is read from. What no such shares allow, no schedule does; so the shortest
interval that they allow is a bound that counts units and paths together, and the fewest operands that cross
from one side to the other in any shares of an interval cross in each of its schedules. (The files of values
are a partition of the graph into sides that are evenly loaded: cf. C. Lee et al., "Instruction Scheduling for
Clustered VLIW DSPs", PACT 2000.)
"""

from __future__ import annotations

from math import ceil
from time import monotonic
from typing import Any

from finalist.errors import DataError
from finalist.isa.schedule.modulo.bounds import resource_bound
from finalist.isa.schedule.modulo.problem import Choice, Problem, Schedule, Value
from finalist.isa.schedule.modulo.shares import Share
from tools.loops.exact import Effort, solver, solver_version

#: By how much a bound that is a whole number may be off as the solver prints it.
_ROUNDING = 1e-6


def shared(
    problem: Problem, schedule: Schedule, paths: tuple[str, ...], effort: Effort, name: str = ""
) -> Share:
    """What is known of the shares of a loop that has a schedule.

    ``paths``: those that operands take from one side to the other, by the names that resources have; they
    differ in a digit at the end. ``effort``: for each of the two questions.
    """
    begun = monotonic()
    least = shortest(problem, schedule, effort)
    crossing, enough = _Shares(problem, schedule, schedule.interval).crossing(paths, effort)
    seconds = round(monotonic() - begun, 1)
    kind = paths[0].rstrip("0123456789")
    interval, told = schedule.interval, solver_version()
    return Share(name, least, interval, kind, len(paths), crossing, enough, seconds, told)


def shortest(problem: Problem, schedule: Schedule, effort: Effort) -> int:
    """No interval below this has shares; one that has is looked for from the schedule's downwards."""
    return _Shares(problem, schedule, resource_bound(problem)).shortest(effort)


class _Shares:
    """The model: a Boolean for each operation and way, and an interval from ``least`` to a schedule's."""

    def __init__(self, problem: Problem, schedule: Schedule, least: int) -> None:
        self.cp, self.problem, self.schedule, self.least = solver(), problem, schedule, least
        self.model = self.cp.CpModel()
        self.interval = self.model.new_int_var(least, schedule.interval, "")
        self.model.add_hint(self.interval, schedule.interval)
        self.taken: list[dict[Choice, Any]] = []
        for number, operation in enumerate(problem.operations):
            own = {choice: self.model.new_bool_var("") for choice in dict.fromkeys(operation.choices)}
            self.model.add_exactly_one(own.values())
            for choice, variable in own.items():
                self.model.add_hint(variable, int(choice == schedule.choice(problem, number)))
            self.taken.append(own)
        self._operands()
        self._resources()

    def _operands(self) -> None:
        """Operands are in the files that ways want them in."""
        for number, operation in enumerate(self.problem.operations):
            for place, read in enumerate(operation.reads):
                for file in self.problem.registers:
                    wanted = [x for c, x in self.taken[number].items() if c.reads[place] == file]
                    if not wanted:
                        continue
                    if read.invariant < 0:
                        self.model.add(sum(wanted) <= self._in_file(read.value, file))
                    elif file not in self.problem.invariants[read.invariant]:
                        self.model.add(sum(wanted) == 0)
        for odd, even in self.problem.pairs:
            for file in self.problem.registers:
                self.model.add(self._in_file(odd, file) == self._in_file(even, file))

    def _in_file(self, value: Value, file: str) -> Any:
        number, place = value
        return sum(x for c, x in self.taken[number].items() if c.writes[place] == file)

    def _resources(self) -> None:
        """None is taken more often than the interval has cycles."""
        self.by_resource: dict[str, list[Any]] = {}
        for own in self.taken:
            for choice, variable in own.items():
                for resource, _ in choice.all_resources:
                    self.by_resource.setdefault(resource, []).append(variable)
        for resource, variables in self.by_resource.items():
            self.model.add(
                sum(variables) <= self.problem.units.get(resource, self.problem.issue) * self.interval
            )
        self.model.add(self.problem.issue * self.interval >= len(self.taken))

    def shortest(self, effort: Effort) -> int:
        """What is proved of the shortest interval."""
        return self._least(self.interval, self.least, self.schedule.interval, effort)[0]

    def crossing(self, paths: tuple[str, ...], effort: Effort) -> tuple[int, int]:
        """The fewest operands that take one of some paths: what is proved of them, and what was found."""
        value = sum(x for path in paths for x in self.by_resource.get(path, ()))
        choices = (self.schedule.choice(self.problem, k) for k in range(len(self.taken)))
        known = sum(resource in paths for choice in choices for resource in choice.resources)
        return self._least(value, 0, known, effort)

    def _least(self, value: Any, least: int, known: int, effort: Effort) -> tuple[int, int]:
        """What is proved of the least value, ``least`` if nothing is, and the least that is ``known``, of the
        schedule, or found. Raises DataError where there is none, since the schedule is none of the loop's."""
        self.model.minimize(value)
        found = effort.solver(self.cp)
        status = found.solve(self.model)
        if status == self.cp.INFEASIBLE:
            raise DataError("shares: there are none; accepted: a loop, and a schedule of it")
        if status == self.cp.UNKNOWN:
            return least, known
        return max(least, ceil(found.best_objective_bound - _ROUNDING)), round(found.objective_value)
