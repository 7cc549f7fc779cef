"""Long work: kept as it comes, begun in order, gone on with, ended when nobody wants more."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from time import monotonic, sleep
from typing import Any

import pytest

from finalist import resumable
from finalist.cli import output
from finalist.resumable import Resumable
from finalist.workers import HERE


class Kept(dict[int, int]):
    """Results, as long work keeps them."""

    def keep(self, task: int, result: int) -> None:
        self[task] = result


def squares(tasks: Iterable[int], kept: Kept, known: Mapping[int, int] | None = None) -> Resumable[int, int]:
    return Resumable(_square, list(tasks), known=known or {}, keep=kept.keep)


def _square(number: int) -> int:
    return number * number


def test_what_is_known_is_not_done_again() -> None:
    work = squares([3, 1, 2, 3], kept := Kept(), {1: 1})
    assert work.left == [3, 2]
    assert list(work.run(HERE)) == [(3, 9), (2, 4)]
    assert kept == {3: 9, 2: 4}
    assert list(output.done(work, at_once=HERE).items()) == [(3, 9), (1, 1), (2, 4)]


def test_each_is_kept_before_it_is_given() -> None:
    """So that whoever is stopped at any moment has lost none that was done."""
    work = squares([4, 5, 6], kept := Kept())
    for number, result in work.run(HERE):
        assert kept[number] == result
        if number == 5:
            break
    assert list(kept) == [4, 5]
    assert squares([4, 5, 6], Kept(), kept).left == [6]


def test_in_order_whatever_the_order_of_coming(monkeypatch: pytest.MonkeyPatch) -> None:
    def backwards(function: Any, tasks: list[int], **_: object) -> Iterator[tuple[int, int]]:
        return ((task, function(task)) for task in reversed(tasks))

    monkeypatch.setattr(resumable.workers, "work", backwards)
    work = squares([1, 2, 3], kept := Kept())
    assert next(iter(output.done(work).items())) == (1, 1)
    assert list(kept) == [3, 2, 1]


def test_those_that_must_be_alone_come_last_and_portions_one_after_the_other(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[tuple[list[int], object]] = []

    def noted(_: object, tasks: list[int], *, at_once: int | None, **__: object) -> list[object]:
        asked.append((tasks, at_once))
        return []

    monkeypatch.setattr(resumable.workers, "work", noted)
    work = Resumable(_square, [9, 10, 11, 20, 8], alone=lambda n: n < 10, portion=lambda n: n // 10)
    assert work.left == [10, 11, 20, 9, 8]
    list(work.run(4))
    assert asked == [([10, 11], 4), ([20], 4), ([9, 8], 1)]
    asked.clear()
    list(work.run(4, "tcp://there:1"))
    assert asked[2:] == [([9], 1), ([8], 1)]  # whose workers may share a computer


def test_neighbours_of_a_portion_have_one_process() -> None:
    work = Resumable(_process, range(6), portion=lambda _: "one")
    found = dict(work.run(2))
    assert len({found[n] for n in range(3)}) == len({found[n] for n in range(3, 6)}) == 1
    assert found[0] != found[3] and os.getpid() not in found.values()


def _process(_: int) -> int:
    return os.getpid()


def test_what_can_not_be_pickled_is_done_by_threads() -> None:
    work = Resumable(lambda number: number + 1, [1, 2], threads=True)
    assert dict(work.run()) == {1: 2, 2: 3}


@pytest.mark.parametrize("portion", [None, lambda _: 0])
def test_who_stops_does_not_wait_for_what_runs(tmp_path: Path, portion: Any) -> None:
    """As an interrupt does: the other task would take a minute."""
    run = Resumable(_long, [(tmp_path, 0), (tmp_path, 1)], portion=portion).run(2)
    begun = monotonic()
    assert next(run)[1] == 0
    run.close()  # type: ignore[attr-defined]
    assert monotonic() - begun < 50
    (process,) = (int(file.name) for file in tmp_path.iterdir())
    while Path(f"/proc/{process}").exists():
        assert monotonic() - begun < 50
        sleep(0.01)


def _long(task: tuple[Path, int]) -> int:
    folder, number = task
    if number:
        (folder / str(os.getpid())).touch()
        sleep(60)
    while not list(folder.iterdir()):
        sleep(0.01)
    return number
