"""Sources with probes compute what they computed, and tell where a fault would make a difference."""

from __future__ import annotations

import ast
import importlib.util
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from tools.mutants import probes
from tools.mutants.draw import PACKAGE, in_module
from tools.mutants.faults import faults
from tools.mutants.probes import probed
from tools.mutants.units import HITS

SOURCE = '''"""A module."""

from __future__ import annotations

LIMIT = 8


def least(values, most=3):
    """Of at most so many."""
    if len(values) > most: raise ValueError("many")
    found = LIMIT
    for value in values:
        if value < 0:
            continue
        found = value if value < found else found
    values.append(found + 1)
    return found
'''
Load = Callable[[str], ModuleType]


@pytest.fixture
def load(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Load]:
    """A source with probes as a module; what is hit goes to ``tmp_path/hits``."""
    monkeypatch.setenv(HITS, str(tmp_path / "hits"))
    probes.plant(tmp_path)
    name = f"finalist.{probes.MODULE}"

    def loaded(source: str) -> ModuleType:
        sys.modules.pop(name, None)
        spec = importlib.util.spec_from_file_location(name, tmp_path / f"{probes.MODULE}.py")
        assert spec and spec.loader
        sys.modules[name] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(sys.modules[name])
        module = ModuleType("probed")
        exec(compile(source, "probed", "exec"), module.__dict__)
        return module

    yield loaded
    sys.modules.pop(name, None)


def hits(folder: Path, run: Callable[[], Any]) -> set[str]:
    """Faults that a call meets, as what stands there."""
    file = folder / "hits"
    file.unlink(missing_ok=True)
    run()
    found = faults(SOURCE)
    return {found[int(n)].before for n in file.read_text().split()} if file.exists() else set()


def test_the_same_is_computed_and_what_differs_is_told(load: Load, tmp_path: Path) -> None:
    module = load(probed(SOURCE, dict(enumerate(faults(SOURCE)))))
    values = [4, 2]
    found = hits(tmp_path, lambda: module.least(values))
    assert values == [4, 2, 3]
    assert {"value if value < found else found", "values.append(found + 1)", "found + 1"} <= found
    assert not {"continue", "value < 0", "len(values) > most"} & found


def test_a_comparison_differs_at_its_bound_alone(load: Load, tmp_path: Path) -> None:
    source = probed(SOURCE, dict(enumerate(faults(SOURCE))))
    bounds = {"value < 0", "value < found", "len(values) > most"}
    for values, expected in (
        ([5], set()),
        ([0], {"value < 0"}),
        ([8], {"value < found"}),
        ([3, 2, 1], {"len(values) > most"}),
    ):
        call = partial(load(source).least, list(values))
        assert hits(tmp_path, call) & bounds == expected


def test_statements_are_met_where_they_are_run(load: Load, tmp_path: Path) -> None:
    source = probed(SOURCE, dict(enumerate(faults(SOURCE))))
    module = load(source)
    assert "continue" in hits(tmp_path, lambda: module.least([-1]))
    module = load(source)

    def refused() -> None:
        with pytest.raises(ValueError, match="many"):
            module.least([1, 2, 3, 4])

    assert hits(tmp_path, refused) >= {'raise ValueError("many")'}


def test_what_calls_something_is_evaluated_once(load: Load, tmp_path: Path) -> None:
    source = "taken = []\n\ndef take():\n    return taken.pop() + 1 < 3\n"
    module = load(probed(source, dict(enumerate(faults(source)))))
    module.taken.extend([7, 1])
    assert module.take() is True
    assert module.taken == [7]


def test_where_the_fault_would_raise_there_is_a_difference(load: Load, tmp_path: Path) -> None:
    source = "def of(x):\n    return x is None or x < 3\n"
    module = load(probed(source, dict(enumerate(faults(source)))))
    assert module.of(None) is True
    found = [faults(source)[int(n)].after for n in (tmp_path / "hits").read_text().split()]
    assert "(x is None and x < 3)" in found


def test_all_faults_of_all_modules_can_have_probes() -> None:
    for path in sorted((PACKAGE / "isa").glob("*.py")):
        source = path.read_text("utf-8")
        assert "_probe_" not in source, "a name of probes"
        ast.parse(probed(source, {k: one.fault for k, one in enumerate(in_module(path))}))
