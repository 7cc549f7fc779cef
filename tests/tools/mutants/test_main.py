"""What finds faults, and what is told of those that nothing found."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

import pytest

from tools.mutants import __main__ as tool
from tools.mutants.__main__ import main
from tools.mutants.checks import stages
from tools.mutants.draw import Mutant, mutants
from tools.mutants.reach import Reach

DRAWN = mutants(["ir"], 20, 1)


@pytest.fixture
def trial(monkeypatch: pytest.MonkeyPatch) -> Callable[..., int]:
    """Of the faults drawn, some survive and some change nothing, without any test being run."""

    def run(alive: int, equivalent: int) -> int:
        def tried(wanted: Sequence[Mutant], at_once: int, quick: bool) -> Iterator[tuple[Mutant, str]]:
            yield from ((one, "" if place < alive else "own tests") for place, one in enumerate(wanted))

        monkeypatch.setattr(tool, "tried", tried)
        monkeypatch.setattr(tool, "equivalents", lambda text: dict.fromkeys(DRAWN[:equivalent], "A reason."))
        return main(["ir", "-n", "20"])

    return run


def test_a_run_goes_on_where_it_was(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """What was found stays so; what survived is tried again."""
    monkeypatch.setenv("FINALIST_CACHE", str(tmp_path))
    asked: list[Mutant] = []

    class Copies:
        def __init__(self, folder: Path, count: int) -> None:
            pass

        def found_by(self, mutant: Mutant, reach: Mapping[str, Reach]) -> str:
            asked.append(mutant)
            return "" if mutant in DRAWN[:3] else "own tests"

    monkeypatch.setattr(tool, "Copies", Copies)
    monkeypatch.setattr(tool, "reached", lambda wanted, quick: {})
    first = dict(tool.tried(DRAWN[:5], 2, False))
    assert first == {mutant: "" if mutant in DRAWN[:3] else "own tests" for mutant in DRAWN[:5]}
    assert sorted(asked, key=DRAWN.index) == DRAWN[:5]
    asked.clear()
    assert dict(tool.tried(DRAWN[:6], 2, False)) == {**first, DRAWN[5]: "own tests"}
    assert sorted(asked, key=DRAWN.index) == [*DRAWN[:3], DRAWN[5]]


def test_units_that_may_find_a_fault() -> None:
    """By stages; in each the quickest first, since those of ``reach`` are."""
    fault, other = DRAWN[:2]
    own, beside = (units[:2] for _, units in list(stages(fault.path))[:2])
    reach = {
        beside[0]: Reach(frozenset({other}), 1.0),
        beside[1]: Reach(frozenset({fault}), 2.0),
        own[0]: Reach(frozenset({fault, other}), 3.0),
    }
    found = dict(tool.limits(fault, reach))
    assert found["own tests"] == {own[0]: 25.0}
    assert found["tests beside"] == {beside[1]: 20.0}
    assert found["whole programs"] == {}


@pytest.mark.parametrize(
    ("alive", "equivalent", "code", "last"),
    [
        (2, 0, 0, "18 of 20 found"),
        (3, 0, 1, "17 of 20 found"),
        (1, 10, 0, "9 of 10 found, 10 change nothing"),
        (2, 10, 1, "8 of 10 found, 10 change nothing"),
    ],
)
def test_nine_in_ten_of_those_that_change_something(
    alive: int,
    equivalent: int,
    code: int,
    last: str,
    trial: Callable[..., int],
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert trial(alive, equivalent) == code
    told = capsys.readouterr().out.splitlines()
    assert told[-1] == last
    tally = [f"{20 - equivalent - alive:4} by own tests"]
    assert told[-2:-1] == tally
    assert told[:-2] == [f"changes nothing: {one}: A reason." for one in DRAWN[:equivalent]] + [
        f"alive: {one}" for one in DRAWN[equivalent:][:alive]
    ]
