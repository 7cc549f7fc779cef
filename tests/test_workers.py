"""Work in several processes."""

from __future__ import annotations

import os
import signal
from time import sleep

import pytest

from finalist import notice, workers


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
