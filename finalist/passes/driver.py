"""The driver of passes: runs a plan, pass by pass, and reports each step to whoever watches.

    run(program, (whole("simplify", simplify.run), on_kernel("order", ordered)))

`finalist.ir.steps.watching` notes what ran, `finalist.ir.steps.checking` looks at each program on the way.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Hashable
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from finalist.ir.graph import Graph
from finalist.ir.memoized import MOST, memoized
from finalist.ir.program import Program
from finalist.ir.steps import Step, ran

_PACKAGE = Path(__file__).parents[1]


@dataclass(frozen=True)
class Pass:
    """A function of programs, by name; equal to another of the same name, function and arguments.

    ``function``: takes a program, or the graph ``part`` of one, and ``arguments``.
    """

    name: str
    function: Callable[..., Any]
    arguments: tuple[Hashable, ...] = ()
    options: tuple[tuple[str, Hashable], ...] = ()
    part: str = ""

    def __call__(self, program: Program) -> Program:
        """The program after it."""
        if self.part:
            return replace(program, **{self.part: _of_graph(self, getattr(program, self.part))})
        made: Program = self.of(program)
        return made

    def of(self, given: Any) -> Any:
        """What its function gives."""
        return self.function(given, *self.arguments, **dict(self.options))

    @cached_property
    def summary(self) -> str:
        """The first sentence of its function's docstring."""
        paragraph = (inspect.getdoc(self._called) or "").partition("\n\n")[0]
        return " ".join(paragraph.split()).partition(". ")[0].rstrip(".").replace("``", "`")

    @cached_property
    def file(self) -> str:
        """Where its function is, such as ``finalist/passes/pack.py``."""
        path = Path(self._called.__code__.co_filename)
        return str(path.relative_to(_PACKAGE.parent)) if path.is_relative_to(_PACKAGE) else path.name

    @property
    def _called(self) -> Any:
        return inspect.unwrap(getattr(self.function, "func", self.function))  # of a partial, say


@memoized
def _of_graph(step: Pass, graph: Graph) -> Any:
    """Memoized: several programs can have one kernel, or one key schedule."""
    return step.of(graph)


#: Passes in their order.
Plan = tuple[Pass, ...]


def whole(name: str, function: Callable[..., Program], *arguments: Hashable, **options: Hashable) -> Pass:
    """A pass on both graphs: ``function(program, *arguments, **options)``."""
    return Pass(name, function, arguments, tuple(options.items()))


def on_kernel(name: str, function: Callable[..., Graph], *arguments: Hashable, **options: Hashable) -> Pass:
    """A pass on the kernel alone: ``function(kernel, *arguments, **options)``."""
    return Pass(name, function, arguments, tuple(options.items()), "kernel")


def on_keys(name: str, function: Callable[..., Graph], *arguments: Hashable, **options: Hashable) -> Pass:
    """A pass on the key schedule alone."""
    return Pass(name, function, arguments, tuple(options.items()), "expand")


def when(condition: object, *passes: Pass) -> Plan:
    """The passes where the condition holds, else none."""
    return passes if condition else ()


def run(program: Program, plan: Plan) -> Program:
    """The program after all passes. Raises what they raise."""
    for step in plan:
        after = step(program)
        ran(Step(step.name, step.summary, step.file, program, after))
        program = after
    return program


#: The same, memoized: for plans that several schedules share; one schedule has some six of them.
run_once = memoized(run, 8 * MOST)
