"""CaDiCaL (Biere and others 2024), through PySAT, where it is installed."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterable, Sequence
from enum import Enum
from importlib import import_module
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
    clauses: Iterable[Sequence[int]],
    assumed: Sequence[int] = (),
    conflicts: int = CONFLICTS,
    seconds: float | None = None,
) -> tuple[Answer, set[int]]:
    """Whether clauses can hold together with some literals, and the literals of a model that are true.

    ``seconds``: after which it is given up; then another process is asked, which can be stopped at any time.
    Raises NoSolverError.
    """
    try:
        import_module("pysat.solvers")
    except ImportError as error:
        raise NoSolverError(
            f"no solver looked at what is left: {PACKAGE} is not installed (pip install 'finalist[{EXTRA}]')"
        ) from error
    question = list(map(list, clauses)), list(assumed), conflicts
    if seconds is None:
        return _told(_solved(*question))
    try:
        found = subprocess.run(
            [sys.executable, "-c", f"from {__name__} import main; main()"],
            input=json.dumps(question),
            stdout=subprocess.PIPE,
            text=True,
            timeout=seconds,
            check=True,
            env=os.environ | {"PYTHONPATH": os.pathsep.join(path for path in sys.path if path)},
        )
    except subprocess.TimeoutExpired:
        return Answer.OPEN, set()
    return _told(json.loads(found.stdout))


def main() -> None:
    """Answer a question on standard input."""
    json.dump(_solved(*json.load(sys.stdin)), sys.stdout)


def _solved(clauses: list[list[int]], assumed: list[int], conflicts: int) -> list[int] | bool | None:
    """A model, False where there is none, or None."""
    from pysat.solvers import Solver

    with Solver(name=SOLVER, bootstrap_with=clauses) as solver:
        solver.conf_budget(conflicts)
        found = solver.solve_limited(assumptions=assumed)
        return list(solver.get_model()) if found else found


def _told(found: list[int] | bool | None) -> tuple[Answer, set[int]]:
    if isinstance(found, list):
        return Answer.MODEL, set(found)
    return (Answer.OPEN if found is None else Answer.NEVER), set()
