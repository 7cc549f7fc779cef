"""Which units may find which faults."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from tools.mutants import reach
from tools.mutants.draw import mutants
from tools.mutants.reach import Reach, probed_copy, reached
from tools.mutants.units import Outcome

DRAWN = mutants(["ir"], 6, 1)
OPS, GRAPH = "tests/ir/test_ops.py", "tests/ir/test_graph.py"

STAGES = [("own tests", [OPS, GRAPH]), ("texts", ["texts a b"])]


@pytest.fixture
def broken() -> set[str]:
    """Units that fail without any fault."""
    return set()


@pytest.fixture
def ran(broken: set[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[str]:
    """Units that are run, of three that there are; one meets two faults, one none, one fails with probes."""
    names: list[str] = []

    def run_units(copy: Path, units: Mapping[str, float], hits: str = "") -> Iterator[Outcome]:
        if not hits:
            yield from (Outcome(unit, unit not in broken, 1.0) for unit in units)
            return
        for place, unit in enumerate(units):
            names.append(unit)
            if unit == OPS:
                (Path(hits) / str(place)).write_text("3\n1\n")
            yield Outcome(unit, unit != "texts a b", {OPS: 2.0, GRAPH: 1.0}.get(unit, 3.0))

    monkeypatch.setenv("FINALIST_CACHE", str(tmp_path))
    monkeypatch.setattr(reach, "run_units", run_units)
    monkeypatch.setattr(reach, "copied", lambda to: to)
    monkeypatch.setattr(reach, "probed_copy", lambda folder, wanted: folder)
    monkeypatch.setattr(reach, "stages", lambda path, quick: STAGES[: 1 if quick else 2])
    return names


def test_what_a_unit_meets_is_found_once(ran: list[str]) -> None:
    found = reached(DRAWN)
    assert list(found) == [GRAPH, OPS, "texts a b"]
    assert found[OPS] == Reach(frozenset({DRAWN[1], DRAWN[3]}), 2.0)
    assert found[GRAPH].faults == frozenset()
    assert found["texts a b"].faults == frozenset(DRAWN)
    assert reached(DRAWN) == found
    assert ran == [OPS, GRAPH, "texts a b"]
    reached(DRAWN[:5])
    assert len(ran) == 6
    assert list(reached(DRAWN, quick=True)) == [GRAPH, OPS]


def test_a_unit_that_fails_without_any_fault_is_an_error(ran: list[str], broken: set[str]) -> None:
    """It would find every fault that it meets."""
    broken.add("texts a b")
    with pytest.raises(RuntimeError, match="fails without any fault: texts a b"):
        reached(DRAWN)


def test_another_file_of_tests_may_meet_others(ran: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    digests = dict.fromkeys((OPS, GRAPH, "texts a b"), "as it was")
    monkeypatch.setattr(reach, "_digest", digests.__getitem__)
    reached(DRAWN)
    digests[OPS] = "another one"
    reached(DRAWN)
    assert ran[3:] == [OPS]


def test_a_copy_has_all_probes(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def copied(to: Path) -> Path:
        for mutant in DRAWN:
            (to / mutant.path).parent.mkdir(parents=True, exist_ok=True)
            (to / mutant.path).write_text((reach.ROOT / mutant.path).read_text("utf-8"), "utf-8")
        return to

    monkeypatch.setattr(reach, "copied", copied)
    copy = probed_copy(tmp_path, DRAWN)
    assert (copy / "finalist/_probes.py").exists()
    for number, mutant in enumerate(DRAWN):
        text = (copy / mutant.path).read_text("utf-8")
        assert f"_probe_met({number})" in text or f"_probe_differs({number}," in text
