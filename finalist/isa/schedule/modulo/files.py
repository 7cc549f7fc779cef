"""Register files of values while a schedule is being found: what is still possible, kept consistent.

Each operation has choices left, each value files left; a choice goes when one of its files is no file of the
value any more, a file goes when no choice of the operation that makes the value, or of one that reads it,
has it (A. K. Mackworth, "Consistency in Networks of Relations", 1977).
"""

from __future__ import annotations

from collections.abc import Iterable

from finalist.isa.schedule.modulo.problem import Choice, Problem, Value


class Files:
    """``left``: by operation the choices that are left; ``of``: by value the files."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        everywhere = frozenset(problem.registers)
        self.of: dict[Value, frozenset[str]] = dict.fromkeys(problem.values, everywhere)
        self.left = [tuple(range(len(o.choices))) for o in problem.operations]
        self._twins: dict[Value, list[Value]] = {}
        for odd, even in problem.pairs:
            self._twins.setdefault(odd, []).append(even)
            self._twins.setdefault(even, []).append(odd)
        self._undo: list[tuple[dict[int, tuple[int, ...]], dict[Value, frozenset[str]]]] = []
        self.possible = self._settle(range(len(problem.operations)))

    def decide(self, operation: int, choices: Iterable[int]) -> bool:
        """Leaves an operation only some choices; nothing changes where that leaves another none."""
        kept = tuple(choices)
        self._undo.append(({operation: self.left[operation]}, {}))
        self.left[operation] = kept
        if self._settle([operation]):
            return True
        self.back()
        return False

    def back(self) -> None:
        """Takes the last decision back."""
        choices, files = self._undo.pop()
        for operation, before in choices.items():
            self.left[operation] = before
        self.of.update(files)

    def _settle(self, start: Iterable[int]) -> bool:
        waiting = list(start)
        while waiting:
            operation = waiting.pop()
            left = tuple(k for k in self.left[operation] if self._fits(operation, k))
            if not left:
                return False
            if left != self.left[operation]:
                if self._undo:
                    self._undo[-1][0].setdefault(operation, self.left[operation])
                self.left[operation] = left
            if not self._narrow(operation, waiting):
                return False
        return True

    def _fits(self, operation: int, number: int) -> bool:
        one = self.problem.operations[operation]
        choice = one.choices[number]
        for read, file in zip(one.reads, choice.reads, strict=True):
            held = self.problem.invariants[read.invariant] if read.invariant >= 0 else self.of[read.value]
            if file and file not in held:
                return False
        return all(file in self.of[operation, k] for k, file in enumerate(choice.writes))

    def _narrow(self, operation: int, waiting: list[int]) -> bool:
        """Files of what an operation reads and writes, by the choices that it has."""
        one = self.problem.operations[operation]
        choices = [one.choices[k] for k in self.left[operation]]
        for place in range(len(one.latencies)):
            files = frozenset(choice.writes[place] for choice in choices)
            if not self._keep((operation, place), files, waiting):
                return False
        for place, read in enumerate(one.reads):
            if read.invariant < 0:
                asked = _asked(choices, place)
                if asked is not None and not self._keep(read.value, asked, waiting):
                    return False
        return True

    def _keep(self, value: Value, files: frozenset[str], waiting: list[int]) -> bool:
        left = self.of[value] & files
        if left == self.of[value]:
            return True
        if self._undo:
            self._undo[-1][1].setdefault(value, self.of[value])
        self.of[value] = left
        waiting.append(value[0])
        waiting += (operation for operation, _, _ in self.problem.uses[value])
        return bool(left) and all(self._keep(twin, left, waiting) for twin in self._twins.get(value, ()))


def _asked(choices: Iterable[Choice], place: int) -> frozenset[str] | None:
    """The files that choices want an operand in; None where one takes it from anywhere."""
    files = frozenset(choice.reads[place] for choice in choices)
    return None if "" in files else files
