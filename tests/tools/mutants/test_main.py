"""What finds faults, and what is told of those that nothing found."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

from tools.mutants import __main__ as tool
from tools.mutants.__main__ import checks, main, neighbours, own_tests
from tools.mutants.draw import Mutant, mutants


def test_tests_mirror_modules() -> None:
    assert own_tests("finalist/passes/fuse.py") == ["tests/passes/test_fuse.py"]
    assert own_tests("finalist/passes/bitslice/__init__.py") == []


def test_tests_beside_them() -> None:
    """A module without tests of its own is what those of its folder use."""
    assert "tests/passes/legalise/test_words.py" in neighbours("finalist/passes/legalise/limbs.py")
    assert "tests/passes/fuse.py" not in neighbours("finalist/passes/fuse.py")
    assert neighbours("finalist/gone/module.py") == []


def test_the_narrowest_tests_come_first() -> None:
    own, beside, whole, texts = checks("finalist/passes/fuse.py")
    assert own[-1] == "tests/passes/test_fuse.py" not in beside
    assert "tests/passes/test_pack.py" in beside
    assert "tests/test_whole_programs.py" in whole
    assert texts == ("tests.replay",)


DRAWN = mutants(["ir"], 20, 1)


@pytest.fixture
def trial(monkeypatch: pytest.MonkeyPatch) -> Callable[..., int]:
    """Of the faults drawn, some survive and some change nothing, without any test being run."""

    def tried(alive: int, equivalent: int) -> int:
        def survivors(wanted: Sequence[Mutant], at_once: int) -> Iterator[tuple[Mutant, bool]]:
            yield from ((mutant, place < alive) for place, mutant in enumerate(wanted))

        monkeypatch.setattr(tool, "survivors", survivors)
        monkeypatch.setattr(tool, "equivalents", lambda text: dict.fromkeys(DRAWN[:equivalent], "A reason."))
        return main(["ir", "-n", "20"])

    return tried


def test_a_run_goes_on_where_it_was(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """What was found stays so; what survived is tried again."""
    monkeypatch.setenv("FINALIST_CACHE", str(tmp_path))
    tried: list[Mutant] = []

    class Copies:
        def __init__(self, folder: Path, count: int) -> None:
            pass

        def survives(self, mutant: Mutant) -> bool:
            tried.append(mutant)
            return mutant in DRAWN[:3]

    monkeypatch.setattr(tool, "Copies", Copies)
    first = dict(tool.survivors(DRAWN[:5], 2))
    assert first == {mutant: mutant in DRAWN[:3] for mutant in DRAWN[:5]}
    assert sorted(tried, key=DRAWN.index) == DRAWN[:5]
    tried.clear()
    assert dict(tool.survivors(DRAWN[:6], 2)) == {**first, DRAWN[5]: False}
    assert sorted(tried, key=DRAWN.index) == [*DRAWN[:3], DRAWN[5]]


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
    assert told[:-1] == [f"changes nothing: {one}: A reason." for one in DRAWN[:equivalent]] + [
        f"alive: {one}" for one in DRAWN[equivalent:][:alive]
    ]
