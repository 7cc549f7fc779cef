"""The constraints that the solver is given are what they were; no solver is asked."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from finalist.isa.schedule.modulo.bounds import least_interval
from finalist.isa.schedule.modulo.problem import Order, Problem, Read
from tests.loops import adds, loads, loop, random_loop, scheduled, slow_across, sum_loop
from tests.tools.loops.test_windows import ring
from tests.unchanged import unchanged
from tools.loops import exact, shared
from tools.loops.banks import separated
from tools.loops.exact import Answer, Effort, Model, decided, solved
from tools.loops.windows import windows


class Told:
    """An expression of variables as text."""

    def __init__(self, text: object) -> None:
        self.text = str(text)

    def _with(self, operator: str, other: object, turned: bool = False) -> Told:
        sides = (other, self.text) if turned else (self.text, getattr(other, "text", other))
        return Told(f"({sides[0]} {operator} {sides[1]})")

    def __add__(self, other: object) -> Told:
        return self._with("+", other)

    def __radd__(self, other: object) -> Told:
        return self if other == 0 else self._with("+", other, turned=True)

    def __sub__(self, other: object) -> Told:
        return self._with("-", other)

    def __rsub__(self, other: object) -> Told:
        return self._with("-", other, turned=True)

    def __rmul__(self, other: object) -> Told:
        return self._with("*", other, turned=True)

    def __le__(self, other: object) -> Told:
        return self._with("<=", other)

    def __ge__(self, other: object) -> Told:
        return self._with(">=", other)

    # As the solver's expressions do.
    def __eq__(self, other: object) -> Told:  # type: ignore[override]
        return self._with("==", other)

    __hash__ = object.__hash__


class Solver:
    """In place of the solver's module: its models are lists of what they were told; it finds nothing."""

    OPTIMAL, FEASIBLE, INFEASIBLE = range(3)
    models: list[list[str]]

    def __init__(self) -> None:
        self.models = []
        self.status = 3
        self.asked: list[tuple[float, int, int]] = []

    def CpModel(self) -> Any:
        lines: list[str] = []
        self.models.append(lines)
        return Lines(lines)

    def CpSolver(self) -> Any:
        return self

    @property
    def parameters(self) -> Any:
        return self

    def solve(self, model: object) -> int:
        return self.status

    def boolean_value(self, variable: Told) -> bool:
        """The last variable of each operation that is asked for is the one: none before it is."""
        return variable.text in self.chosen

    def value(self, over: Told) -> int:
        return 2

    chosen: frozenset[str] = frozenset()


class Lines:
    def __init__(self, lines: list[str]) -> None:
        self.lines, self.variables = lines, 0

    def new_bool_var(self, name: str) -> Told:
        self.variables += 1
        return Told(f"x{self.variables}")

    def new_int_var(self, low: int, high: int, name: str) -> Told:
        self.variables += 1
        return Told(f"n{self.variables}[{low}..{high}]")

    def add(self, constraint: object) -> None:
        self.lines.append(getattr(constraint, "text", str(constraint)))

    def add_exactly_one(self, variables: Any) -> None:
        self.lines.append("one of " + " ".join(one.text for one in variables))

    def add_hint(self, variable: Told, value: int) -> None:
        self.lines.append(f"{variable.text} may be {value}")

    def minimize(self, cost: object) -> None:
        self.lines.append(f"least {getattr(cost, 'text', cost)}")


@pytest.fixture
def solver(monkeypatch: pytest.MonkeyPatch) -> Solver:
    made = Solver()
    monkeypatch.setattr(exact, "solver", lambda: made)
    return made


PROBLEMS: dict[str, Problem] = {
    "sum": sum_loop(2),
    "across": slow_across(),
    "random": random_loop(3, 10, registers=2),
    "pairs": loop(loads(), loads(), adds(Read(0)), adds(Read(1)), pairs=(((0, 0), (1, 0)),)),
    "counters": loop(adds(), adds(), loads(), adds(Read(2)), last={0: 3}, early=frozenset({1})),
    "invariants": loop(loads(), adds(Read(0), Read(-1, invariant=0)), invariants=(frozenset("b"),)),
    "orders": replace(sum_loop(), orders=(Order(4, 0, 1, 1), Order(0, 1, 0, 0))),
    "blocks": separated(loop(loads(), loads(), adds(Read(0), Read(1))), {0: 0, 1: 0}),
}
WAYS: dict[str, dict[str, Any]] = {
    "soft": {},
    "hard": {"hard": True, "any_will_do": True},
    "renamed": {"renamed": True, "registers": False},
    "stages": {"stages": 2, "hard": True},
}


@pytest.mark.parametrize("way", WAYS)
def test_models(solver: Solver, way: str) -> None:
    """Of all operations, of every second one and of the first few."""
    made = {}
    for name, problem in PROBLEMS.items():
        schedule, count = scheduled(problem, 1), len(problem.operations)
        for free in (range(count), range(0, count, 2), range(min(3, count))):
            Model(problem, schedule, free, 3, **WAYS[way])
            made[f"{name} {free}"] = solver.models.pop()
    unchanged(f"modulo-models-{way}", made)


def test_models_of_shares(solver: Solver, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of whole loops among sides: for the shortest interval, and for the fewest operands that cross."""
    monkeypatch.setattr(shared, "solver", lambda: solver)
    made = {}
    for name, problem in PROBLEMS.items():
        schedule = scheduled(problem, 1)
        for least in (1, least_interval(problem)):
            model = shared._Shares(problem, schedule, least)
            made[f"{name} {least}"] = solver.models.pop(), model.interval.text, len(model.taken)
    unchanged("modulo-models-shares", made)


def test_models_of_rounds(solver: Solver) -> None:
    made = {}
    for name, problem in (
        ("ring", ring(2, 3, 1)),
        ("tangled", replace(ring(1, 2), orders=(Order(0, 1, 2),))),
    ):
        for registers in (True, False):
            for interval in (6, 9):
                if windows(problem, interval) is not None:
                    assert decided(problem, interval, Effort(), registers=registers).status == "unknown"
                    made[f"{name} {interval} {registers}"] = solver.models.pop()
    unchanged("modulo-models-rounds", made)


def test_answers(solver: Solver) -> None:
    problem, schedule = PROBLEMS["sum"], scheduled(PROBLEMS["sum"], 1)
    assert Model(problem, schedule, (), 3).solve(Effort()) == Answer("unknown")
    solver.status = solver.INFEASIBLE
    assert Model(problem, schedule, (), 3).solve(Effort()) == Answer("infeasible")
    for status, told in ((solver.OPTIMAL, "optimal"), (solver.FEASIBLE, "feasible")):
        solver.status = status
        model = Model(problem, schedule, (), 3)
        model.over = [Told("n1"), Told("n2")]
        assert model.solve(Effort()) == Answer(told, schedule, 4)


def test_what_the_solver_chose_is_the_schedule(solver: Solver) -> None:
    problem, schedule = PROBLEMS["sum"], scheduled(PROBLEMS["sum"], 1)
    model = Model(problem, schedule, (3,), 2)
    key, variable = list(model.at[3].items())[-1]
    solver.status, solver.chosen = solver.OPTIMAL, frozenset({variable.text})
    found = model.solve(Effort(3.0, 1, 7)).schedule
    assert found is not None and (found.choices[3], found.times[3]) == key
    assert found.interval == schedule.interval and found.times[:3] == schedule.times[:3]
    told: Any = solver
    assert (told.max_time_in_seconds, told.num_workers, told.random_seed) == (3.0, 1, 7)


def test_whole_loops(solver: Solver) -> None:
    """A branch that would be before the first cycle refutes an interval without any model."""
    branch = loop(adds(), adds(), last={1: 3})
    assert solved(branch, 2, 2, Effort()).status == "infeasible" and not solver.models
    made = {}
    for renamed in (False, True):
        for interval in (3, 4):
            assert solved(branch, interval, 2, Effort(), renamed=renamed).status == "unknown"
            made[f"{interval} {renamed}"] = solver.models.pop()
    unchanged("modulo-models-whole", made)
    assert decided(ring(2, 3, 1), 5, Effort()).status == "infeasible" and not solver.models
