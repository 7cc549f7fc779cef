"""Probes: which units come to the place of a fault, and of these, for which would it make a difference there?

A unit that never evaluates what a fault replaces, or always to what would stand there instead, computes what
it computed without the fault ("weak mutation": W. Howden, "Weak Mutation Testing and Completeness of Test
Sets", 1982). One run of all units with probes at all faults leaves few units to run for each fault.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from pathlib import Path

from tools.mutants.faults import Fault

#: The module that the probes call, written into the copy that has them.
MODULE = "_probes"
_SOURCE = Path(__file__).with_name("probed.py")
#: What may be evaluated twice.
_PURE = frozenset(
    {"len", "min", "max", "abs", "isinstance", "bool", "int", "sum", "any", "all", "range", "set"}
)


def plant(package: Path) -> None:
    """Write the module that probes call into a copy of the package."""
    (package / f"{MODULE}.py").write_text(_SOURCE.read_text("utf-8"), "utf-8")


def probed(source: str, faults: Mapping[int, Fault]) -> str:
    """A module's source with a probe at each fault, by its number."""
    marks: list[tuple[int, int, int, str]] = []
    for number, fault in faults.items():
        before, after = _around(number, fault)
        length = fault.stop - fault.start
        marks.append((fault.start, 1, -length, before))  # of two that begin together the outer one first
        if after:
            marks.append((fault.stop, 0, length, after))  # and of two that end together last
    for at, _, _, text in sorted(marks, reverse=True):
        source = source[:at] + text + source[at:]
    return _importing(source)


def _around(number: int, fault: Fault) -> tuple[str, str]:
    """What comes before a fault's place and behind it."""
    if not (_is_expression(fault.before) and _is_expression(fault.after)):
        return f"_probe_met({number}); ", ""
    if _is_pure(fault.before):
        return f"_probe_differs({number}, (", f"), lambda: ({fault.after}))"
    return f"(_probe_met({number}) or (", "))"


def _is_expression(text: str) -> bool:
    try:
        ast.parse(f"({text})", mode="eval")
    except SyntaxError:
        return False
    return True


def _is_pure(text: str) -> bool:
    """Whether it may be evaluated twice."""
    for node in ast.walk(ast.parse(f"({text})", mode="eval")):
        if isinstance(node, ast.NamedExpr | ast.Yield | ast.YieldFrom | ast.Await):
            return False
        if isinstance(node, ast.Call) and not (isinstance(node.func, ast.Name) and node.func.id in _PURE):
            return False
    return True


def _importing(source: str) -> str:
    """Behind the docstring and what has to be first."""
    line = 0
    for node in ast.parse(source).body:
        first = isinstance(node, ast.ImportFrom) and node.module == "__future__"
        docstring = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        if not (first or docstring):
            break
        line = node.end_lineno or 0
    lines = source.splitlines(keepends=True)
    lines.insert(line, f"from finalist.{MODULE} import differs as _probe_differs, met as _probe_met\n")
    return "".join(lines)
