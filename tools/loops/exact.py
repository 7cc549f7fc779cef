"""A loop's schedule as constraints for a solver: all of its operations, or some with the others as they are.

One Boolean per operation, choice and cycle; exactly one of them is true. Results before reads, files of
operands, resources and registers are linear in these. (For whole loops: M. Eriksson, C. Kessler, "Integrated
Code Generation for Loops", ACM TECS 2012; lives of values without intervals as in K. Wilken, J. Liu,
M. Heffernan, "Optimal Instruction Scheduling Using Integer Programming", PLDI 2000.) The solver is OR-Tools'
CP-SAT; nothing here is imported unless it is asked for.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from importlib import metadata
from typing import Any

from finalist.errors import FinalistError
from finalist.isa.schedule.modulo.problem import Choice, Order, Problem, Schedule, Value, lives
from tools.loops.windows import Windows, windows

#: What a register that is missing costs, beside cycles that values live.
MISSING = 400


class NoSolverError(FinalistError):
    """The solver is not installed."""


def solver() -> Any:
    """The solver's module. Raises NoSolverError."""
    try:
        from ortools.sat.python import cp_model
    except ImportError as error:
        raise NoSolverError("no solver: pip install 'finalist[dsp]'") from error
    return cp_model


def solver_version() -> str:
    """The solver's name and version. Raises NoSolverError."""
    solver()
    return f"OR-Tools {metadata.version('ortools')}"


@dataclass(frozen=True, slots=True)
class Effort:
    """How long the solver may try, in how many threads."""

    seconds: float = 20.0
    workers: int = 2
    seed: int = 0

    def solver(self, module: Any) -> Any:
        """A solver of the module that `solver` gives, within these limits."""
        found = module.CpSolver()
        found.parameters.max_time_in_seconds = self.seconds
        found.parameters.num_workers = self.workers
        found.parameters.random_seed = self.seed
        return found


@dataclass(frozen=True, slots=True)
class Answer:
    """``status``: ``optimal``, ``feasible``, ``infeasible`` or ``unknown``; ``missing``: registers, summed
    over cycles."""

    status: str
    schedule: Schedule | None = None
    missing: int = 0


class Model:
    """``free``: the operations that can change; ``reach``: by how many cycles they can move.

    ``hard``: whether registers must suffice; if not, as few as possible are missing. ``stages``: without a
    schedule to begin with, how many there may be: operations can then be in any of their cycles.
    ``any_will_do``: whether the first schedule is taken, not that in which values live shortest;
    ``renamed``: whether iterations are written out, so that values can live longer than the interval.
    ``within``: by operation the first and last cycle that it can be in, without a schedule to begin with;
    ``registers``: whether they are counted.
    """

    def __init__(
        self,
        problem: Problem,
        schedule: Schedule,
        free: Iterable[int],
        reach: int,
        hard: bool = False,
        stages: int = 0,
        any_will_do: bool = False,
        renamed: bool = False,
        within: Windows | None = None,
        registers: bool = True,
    ) -> None:
        self.cp = solver()
        self.model = self.cp.CpModel()
        self.problem, self.now, self.interval = problem, schedule, schedule.interval
        self.free = sorted(set(free) - set(problem.last))
        self.hard, self.stages, self.within = hard, stages, within
        self._inside = set(self.free)
        self._windows(reach)
        self.at: dict[int, dict[tuple[int, int], Any]] = {}
        self._variables()
        for order in problem.dependences:
            self._precede(order)
        self._delays()
        if not renamed:
            self._short_lives()
        self._operands()
        self._resources()
        self.over: list[Any] = []
        self.alive: list[Any] = []
        if registers:
            self._registers()
        if not any_will_do:
            self.model.minimize(MISSING * sum(self.over) + sum(self.alive))

    # -- operations -----------------------------------------------------------------------------

    def _windows(self, reach: int) -> None:
        """The cycles that each operation can be in."""
        times = self.now.times
        self.low = {k: max(0, times[k] - reach) for k in self.free}
        self.high = {k: times[k] + reach for k in self.free}
        if self.stages:
            self.low = dict.fromkeys(self.free, 0)
            self.high = dict.fromkeys(self.free, self.stages * self.interval - 1)
        if self.within is not None:
            self.low = {k: self.within[k][0] for k in self.free}
            self.high = {k: self.within[k][1] for k in self.free}
        for k in self.problem.early & self._inside:
            self.high[k] = min(self.high[k], self.interval - 1)
        for one in self.problem.dependences:
            gap = one.latency - one.distance * self.interval
            a, b = one.source in self._inside, one.target in self._inside
            if a and not b:
                self.high[one.source] = min(self.high[one.source], times[one.target] - gap)
            if b and not a:
                self.low[one.target] = max(self.low[one.target], times[one.source] + gap)

    def _possible(self, operation: int, choice: Choice) -> bool:
        """Whether a choice suits operands, and readers, that are where they are."""
        one = self.problem.operations[operation]
        for read, file in zip(one.reads, choice.reads, strict=True):
            if not file:
                continue
            if read.invariant >= 0:
                if file not in self.problem.invariants[read.invariant]:
                    return False
            elif read.operation not in self._inside and self.now.file(self.problem, read.value) != file:
                return False
        for place, file in enumerate(choice.writes):
            for user, at, _ in self.problem.uses[operation, place]:
                if user not in self._inside:
                    wanted = self.now.choice(self.problem, user).reads[at]
                    if wanted and wanted != file:
                        return False
        return True

    def _variables(self) -> None:
        for k in self.free:
            choices = self.problem.operations[k].choices
            possible = [c for c, choice in enumerate(choices) if self._possible(k, choice)]
            self.at[k] = {
                (c, t): self.model.new_bool_var("")
                for c in possible
                for t in range(self.low[k], self.high[k] + 1)
            }
            self.model.add_exactly_one(self.at[k].values())
            now = self.now.choices[k], self.now.times[k]
            if self.stages or self.within is not None:
                continue
            for key, variable in self.at[k].items():
                self.model.add_hint(variable, int(key == now))

    def _by(self, operation: int, cycle: int) -> Any:
        """Whether an operation has been issued by a cycle: 0 or 1, or an expression."""
        if operation not in self._inside:
            return int(self.now.times[operation] <= cycle)
        if cycle < self.low[operation]:
            return 0
        if cycle >= self.high[operation]:
            return 1
        return sum(variable for (_, t), variable in self.at[operation].items() if t <= cycle)

    def _precede(self, one: Order) -> None:
        self._apart(one.source, one.target, one.latency - one.distance * self.interval)

    def _apart(self, source: int, target: int, gap: int) -> None:
        """``target`` at least ``gap`` cycles after ``source``."""
        if source == target or not {source, target} & self._inside:
            return
        if self._latest(source) + gap <= self._earliest(target):
            return
        for cycle in range(self._earliest(target), self._latest(source) + gap):
            self.model.add(self._by(target, cycle) <= self._by(source, cycle - gap))

    def _delays(self) -> None:
        """What choices read that takes longer by them has been issued long enough before."""
        for k, operation in enumerate(self.problem.operations):
            if k not in self._inside:
                for one in self.problem.delayed(k, self.now.choices[k]):
                    self._precede(one)
                continue
            late: dict[tuple[Order, int], list[Any]] = {}
            for (c, t), variable in self.at[k].items():
                for one in self.problem.delayed(k, c) if operation.choices[c].waits else ():
                    late.setdefault((one, t), []).append(variable)
            for (one, t), variables in late.items():
                if one.source != k:
                    by = self._by(one.source, t + one.distance * self.interval - one.latency)
                    self.model.add(sum(variables) <= by)

    def _earliest(self, operation: int) -> int:
        return self.low[operation] if operation in self._inside else self.now.times[operation]

    def _latest(self, operation: int) -> int:
        return self.high[operation] if operation in self._inside else self.now.times[operation]

    def _short_lives(self) -> None:
        """No value lives longer than the interval."""
        for value, uses in self.problem.uses.items():
            latency = self.problem.latency(value)
            for user, _, distance in uses:
                gap = distance * self.interval - latency - self.interval + 1
                self._apart(user, value[0], gap)

    def _operands(self) -> None:
        """Operands are in the files that choices want them in."""
        for k in self.free:
            for place, read in enumerate(self.problem.operations[k].reads):
                if read.invariant >= 0 or read.operation not in self._inside:
                    continue
                for file in self.problem.registers:
                    wanted = [
                        x
                        for (c, _), x in self.at[k].items()
                        if self.problem.operations[k].choices[c].reads[place] == file
                    ]
                    if wanted:
                        self.model.add(sum(wanted) <= self._in_file(read.value, file))
        for odd, even in self.problem.pairs:
            for file in self.problem.registers:
                self.model.add(self._in_file(odd, file) == self._in_file(even, file))

    def _in_file(self, value: Value, file: str) -> Any:
        """Whether a value is in a file."""
        operation, place = value
        if operation not in self._inside:
            return int(self.now.file(self.problem, value) == file)
        choices = self.problem.operations[operation].choices
        return sum(x for (c, _), x in self.at[operation].items() if choices[c].writes[place] == file)

    def _resources(self) -> None:
        taken: dict[tuple[str, int], list[Any]] = {}
        fixed: dict[tuple[str, int], int] = {}
        for k, operation in enumerate(self.problem.operations):
            if k not in self._inside:
                choice = operation.choices[self.now.choices[k]]
                for resource, later in (*choice.all_resources, ("", 0)):
                    slot = (self.now.times[k] + later) % self.interval
                    fixed[resource, slot] = fixed.get((resource, slot), 0) + 1
        for k in self.free:
            choices = self.problem.operations[k].choices
            for (c, t), variable in self.at[k].items():
                for resource, later in (*choices[c].all_resources, ("", 0)):
                    taken.setdefault((resource, (t + later) % self.interval), []).append(variable)
        for key, variables in taken.items():
            room = self.problem.units.get(key[0], self.problem.issue) - fixed.get(key, 0)
            if len(variables) > room:
                self.model.add(sum(variables) <= room)

    # -- registers ------------------------------------------------------------------------------

    def _registers(self) -> None:
        slots: dict[tuple[str, int], list[Any]] = {}
        fixed = {(f, m): 0 for f in self.problem.registers for m in range(self.interval)}
        for life in lives(self.problem, self.now):
            changing = life.value[0] in self._inside or any(
                user in self._inside for user, _, _ in self.problem.uses[life.value]
            )
            if changing:
                self._life(life.value, slots)
            else:
                for slot in life.slots(self.interval):
                    fixed[life.file, slot] += 1
        for (file, slot), variables in slots.items():
            room = self.problem.registers[file] - fixed[file, slot]
            if self.hard:
                self.model.add(sum(variables) <= room)
            else:
                over = self.model.new_int_var(0, len(variables) + max(0, -room), "")
                self.model.add(sum(variables) <= room + over)
                self.over.append(over)

    def _life(self, value: Value, slots: dict[tuple[str, int], list[Any]]) -> None:
        """Whether a value is alive, by file and cycle."""
        maker, latency = value[0], self.problem.latency(value)
        uses = [(user, distance * self.interval) for user, _, distance in self.problem.uses[value]]
        start = self._earliest(maker) + latency
        end = max([self._latest(maker) + latency, *(self._latest(u) + d for u, d in uses)])
        files = [f for f in self.problem.registers if not _is_zero(self._in_file(value, f))]
        for cycle in range(start, end + 1):
            begun = self._by(maker, cycle - latency)
            just = begun - self._by(maker, cycle - latency - 1)
            waiting = [1 - self._by(u, cycle - d - 1) for u, d in uses if self._latest(u) + d >= cycle]
            for file in files:
                alive = self.model.new_bool_var("")
                here = self._in_file(value, file) if len(files) > 1 else 1
                for one in waiting:
                    self.model.add(alive >= begun + one + here - 2)
                if not uses:
                    self.model.add(alive >= just + here - 1)
                self.alive.append(alive)
                slots.setdefault((file, cycle % self.interval), []).append(alive)

    # -- solving --------------------------------------------------------------------------------

    def solve(self, effort: Effort) -> Answer:
        """The best schedule that is found in the time there is."""
        found = effort.solver(self.cp)
        status = found.solve(self.model)
        if status == self.cp.INFEASIBLE:
            return Answer("infeasible")
        if status not in (self.cp.OPTIMAL, self.cp.FEASIBLE):
            return Answer("unknown")
        times, choices = list(self.now.times), list(self.now.choices)
        for k in self.free:
            choices[k], times[k] = next(key for key, x in self.at[k].items() if found.boolean_value(x))
        schedule = Schedule(self.interval, tuple(times), tuple(choices))
        missing = sum(found.value(over) for over in self.over)
        return Answer("optimal" if status == self.cp.OPTIMAL else "feasible", schedule, missing)


def solved(problem: Problem, interval: int, stages: int, effort: Effort, *, renamed: bool = False) -> Answer:
    """A schedule of the whole loop in which registers suffice, or that there is none of so many stages.

    ``renamed``: iterations are written out, and the first schedule is taken.
    """
    times = [0] * len(problem.operations)
    for number, before in problem.last.items():
        times[number] = interval - before
    if min(times, default=0) < 0:
        return Answer("infeasible")
    nowhere = Schedule(interval, tuple(times), (0,) * len(times))
    free = range(len(times))
    model = Model(problem, nowhere, free, 0, hard=True, stages=stages, any_will_do=renamed, renamed=renamed)
    return model.solve(effort)


def decided(problem: Problem, interval: int, effort: Effort, *, registers: bool = True) -> Answer:
    """A schedule of rounds, which are written out, or that there is none of any number of stages.

    ``registers``: whether they are counted. Raises ValueError for other loops (`windows`).
    """
    within = windows(problem, interval)
    if within is None:
        return Answer("infeasible")
    nowhere = Schedule(interval, tuple(low for low, _ in within.values()), (0,) * len(within))
    model = Model(
        problem,
        nowhere,
        range(len(within)),
        0,
        hard=True,
        any_will_do=True,
        renamed=True,
        within=within,
        registers=registers,
    )
    return model.solve(effort)


def _is_zero(expression: Any) -> bool:
    return isinstance(expression, int) and expression == 0
