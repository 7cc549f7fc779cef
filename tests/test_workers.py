"""Work in several processes."""

from __future__ import annotations

import os
import signal
from functools import partial
from importlib import util
from pathlib import Path
from time import sleep

import pytest

from finalist import notice, workers
from finalist.workers import WorkersError, work


def test_each_takes_as_many_tasks_as_there_are() -> None:
    """Not one of these is left when its process has done some."""
    with workers.processes(at_once=2) as pool:
        assert sorted(pool.map(abs, range(-20, 0))) == list(range(1, 21))


def test_they_are_others_than_this() -> None:
    with workers.processes(at_once=1) as pool:
        (found,) = set(pool.map(_process, range(3)))
    assert found != os.getpid()


def _process(_: int) -> int:
    return os.getpid()


def test_an_interrupt_is_left_to_this_process() -> None:
    with workers.processes(at_once=1) as pool:
        assert pool.submit(signal.getsignal, signal.SIGINT).result() == signal.SIG_IGN


def test_what_several_have_to_say_is_said_once(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """Also where this process has said it, before or after."""
    monkeypatch.setattr(notice, "_said", set())
    monkeypatch.setattr(notice, "_together", None)
    notice.notice("the disk is full")
    with workers.processes(at_once=3) as pool:
        asked = ["the cache is full", "the disk is full", "something else"] * 6
        assert len(set(pool.map(_notice, asked))) > 1
    notice.notice("the cache is full")
    told = capfd.readouterr().err.splitlines()
    assert sorted(told) == [
        "finalist: something else",
        "finalist: the cache is full",
        "finalist: the disk is full",
    ]


def _notice(text: str) -> int:
    notice.notice(text)
    sleep(0.05)
    return os.getpid()


class TestWork:
    def test_each_task_once(self) -> None:
        found = list(work(abs, [-3, -1, -2, -1], at_once=2))
        assert sorted(found) == [(-3, 3), (-2, 2), (-1, 1)]

    def test_what_a_task_raises_is_raised(self) -> None:
        with pytest.raises(TypeError):
            list(work(abs, ["no number"], at_once=1))

    def test_a_process_that_ends_costs_no_result(self, tmp_path: Path) -> None:
        found = list(work(partial(_mortal, tmp_path, 1), range(6), at_once=2))
        assert sorted(found) == [(number, number) for number in range(6)]

    def test_a_process_that_ends_again_and_again(self, tmp_path: Path) -> None:
        with pytest.raises(WorkersError, match=r"ended 3 times in a row; 1 tasks are left, such as 0"):
            list(work(partial(_mortal, tmp_path, 99), [0], at_once=1))

    def test_a_library_that_is_missing(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(workers, "find_spec", lambda _: None)
        with pytest.raises(WorkersError, match=r"missing: pip install 'finalist\[sweep\]'"):
            list(work(abs, [-1], scheduler="tcp://127.0.0.1:1"))


def _mortal(folder: Path, lives: int, number: int) -> int:
    """The number; with number 0 its process ends so many times first."""
    deaths = len(list(folder.iterdir()))
    if number == 0 and deaths < lives:
        (folder / str(deaths)).touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return number


@pytest.mark.check
@pytest.mark.skipif(util.find_spec("distributed") is None, reason="the extra sweep is missing")
def test_a_scheduler_that_is_not_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers, "_PATIENCE", 1)
    with pytest.raises(WorkersError, match="can't be reached"):
        list(work(abs, [-1], scheduler="tcp://127.0.0.1:9"))
