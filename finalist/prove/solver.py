"""CaDiCaL (Biere and others 2024), through PySAT, where it is installed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from enum import Enum
from importlib.metadata import version

from finalist.errors import FinalistError

#: The package and the extra it comes with, and the name that it gives to the solver.
PACKAGE, EXTRA, SOLVER = "python-sat", "proofs", "cadical195"
#: Conflicts after which an attempt ends.
CONFLICTS = 100_000


class Answer(Enum):
    """What a solver says."""

    NEVER = "unsatisfiable"
    MODEL = "satisfiable"
    OPEN = "given up"


class NoSolverError(FinalistError):
    """The optional package is not installed."""


def engine() -> str:
    """Name and version of the solver, where it is installed."""
    return f"CaDiCaL 1.9.5 (PySAT {version(PACKAGE)})"


def solve(
    clauses: Iterable[Sequence[int]], assumed: Sequence[int] = (), conflicts: int = CONFLICTS
) -> tuple[Answer, set[int]]:
    """Whether clauses can hold together with some literals, and the literals of a model that are true.

    Raises NoSolverError.
    """
    try:
        from pysat.solvers import Solver
    except ImportError as error:
        raise NoSolverError(
            f"no solver looked at what is left: {PACKAGE} is not installed (pip install 'finalist[{EXTRA}]')"
        ) from error
    with Solver(name=SOLVER, bootstrap_with=clauses) as solver:
        solver.conf_budget(conflicts)
        found = solver.solve_limited(assumptions=list(assumed))
        if found is None:
            return Answer.OPEN, set()
        return (Answer.MODEL, set(solver.get_model())) if found else (Answer.NEVER, set())
