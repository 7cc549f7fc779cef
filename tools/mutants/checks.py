"""What a fault in a module is to be found by: tests by stages, each as units that are run by themselves.

A unit is a file of tests, a test of whole programs, or the emitted texts of one cipher on one kind of machine
that are compared with every change (`tests.replay`).
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from tests.replay.__main__ import committed
from tests.replay.cases import CHOSEN, Case
from tools.mutants.draw import ROOT
from tools.mutants.units import TEXTS

#: Quick tests of whole programs: what a fault in any module should show in.
WHOLE = (
    "tests/test_whole_programs.py",
    "tests/processors/test_accumulator.py",
    "tests/processors/test_texts.py",
    "tests/processors/test_vliw.py",
)


def stages(path: str, *, quick: bool = False) -> Iterator[tuple[str, list[str]]]:
    """The stages by name, the quickest first, and the units of each; ``quick``: without emitted texts."""
    yield "own tests", own_tests(path)
    yield "tests beside", neighbours(path)
    yield "whole programs", whole()
    if not quick:
        yield "emitted texts", list(texts())


def own_tests(path: str) -> list[str]:
    """The test files that mirror a module; none where there is no such file."""
    mirror = _folder(path) / f"test_{Path(path).name}"
    return [str(mirror)] if (ROOT / mirror).exists() else []


def neighbours(path: str) -> list[str]:
    """The other test files of the folder that mirrors a module's: what it is there for, they use."""
    own = own_tests(path)
    files = sorted(str(_folder(path) / file.name) for file in (ROOT / _folder(path)).glob("test_*.py"))
    return [file for file in files if file not in own]


def _folder(path: str) -> Path:
    return Path("tests") / Path(path).relative_to("finalist").parent


@cache
def whole() -> list[str]:
    """Each test of whole programs that is not of the second tier, with all its cases."""
    return [f"{file}::{name}" for file in WHOLE for name in _tests((ROOT / file).read_text("utf-8"))]


def _tests(source: str) -> Iterator[str]:
    for node in ast.parse(source).body:
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_") and not _is_late(node):
            yield node.name


def _is_late(node: ast.FunctionDef) -> bool:
    return any(ast.unparse(decorator) == "pytest.mark.check" for decorator in node.decorator_list)


@cache
def texts() -> dict[str, dict[Case, str]]:
    """For each unit of emitted texts the cases and their digests."""
    found: dict[str, dict[Case, str]] = {}
    for case, digest in committed().items():
        if case.in_part and digest != CHOSEN:
            found.setdefault(f"{TEXTS} {case.kind} {case.cipher}", {})[case] = digest
    return found
