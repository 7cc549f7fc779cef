"""Threads for parts of messages: who works on what, when they are made, and that they are gone for a fork."""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys
import threading
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pytest

import finalist
from finalist.engine import parts
from finalist.engine.parts import Begins
from finalist.errors import CompilerError
from tests.marks import needs_compiler

pytestmark = needs_compiler

PLAIN = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 3, ctypes.c_size_t)
BLOCK, BLOCKS = 4, 320


@pytest.fixture(autouse=True)
def short_shares(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in (("LEAST_A_THREAD", 64), ("_GRAIN_BYTES", 16), ("_GRAIN_BLOCKS", 4)):
        monkeypatch.setattr(parts, name, value)


class Toy:
    """A message of BLOCKS blocks; a function of Python is called for its parts, which has a hook."""

    def __init__(self, threads: int, blocks: int = BLOCKS) -> None:
        self.threads, self.blocks = threads, blocks
        self.caller = threading.get_ident()
        self.parts: list[tuple[int, int, int]] = []  # first block, how many, thread

    def run(self, hook: Callable[[int], object]) -> None:
        source = ctypes.create_string_buffer(BLOCK * self.blocks)

        def work(key: int, place: int, target: int, count: int) -> None:
            first = (place - ctypes.addressof(source)) // BLOCK
            self.parts.append((first, count, threading.get_ident()))
            hook(first)

        way = parts.way(Begins.NOTHING, BLOCK, BLOCK, BLOCK, self.threads)
        size = ctypes.c_uint64(BLOCK * self.blocks)
        parts.function()(ctypes.byref(way), PLAIN(work), None, None, source, source, size)

    def done_by_caller(self) -> int:
        return sum(count for _, count, thread in self.parts if thread == self.caller)

    def once(self) -> bool:
        """Whether each block was worked on once."""
        ends = sorted((first, first + count) for first, count, _ in self.parts)
        return (ends[0][0], ends[-1][1]) == (0, self.blocks) and all(a[1] == b[0] for a, b in pairwise(ends))


@pytest.mark.parametrize("threads", [2, 3, 5])
def test_each_thread_has_a_share(threads: int) -> None:
    toy, met = Toy(threads), threading.Barrier(threads)
    begins = {BLOCKS * i // threads for i in range(threads)}
    toy.run(lambda first: first in begins and met.wait(60))  # which takes as many threads at once
    assert toy.once() and begins <= {first for first, _, _ in toy.parts}
    assert len({thread for _, _, thread in toy.parts}) == threads


def test_what_one_has_not_begun_another_takes() -> None:
    """The second thread is kept in the first part of its share until all else is done."""
    toy, came, done = Toy(2), threading.Event(), threading.Event()
    theirs = BLOCKS // 4

    def hook(first: int) -> None:
        if threading.get_ident() != toy.caller:
            came.set()
            assert done.wait(60)
        elif came.wait(60) and toy.done_by_caller() == BLOCKS - theirs:
            done.set()

    toy.run(hook)
    assert toy.once() and done.is_set() and toy.done_by_caller() == BLOCKS - theirs


def test_no_thread_has_too_little() -> None:
    """64 bytes each, 16 blocks: with fewer than twice that the caller does all, in one call."""
    toy = Toy(8, blocks=31)
    toy.run(lambda first: None)
    assert toy.parts == [(0, 31, toy.caller)]
    toy, met = Toy(8, blocks=3 * 16 + 15), threading.Barrier(3)
    toy.run(lambda first: first in (0, 21, 42) and met.wait(60))
    assert toy.once() and len({thread for _, _, thread in toy.parts}) == 3


def test_messages_of_several_callers() -> None:
    """Each has threads of its own where those that there are work on others' messages."""
    met = threading.Barrier(6)
    toys = [Toy(2) for _ in range(3)]
    begins = {0, BLOCKS // 2}
    callers = [
        threading.Thread(target=toy.run, args=(lambda first: first in begins and met.wait(60),))
        for toy in toys
    ]
    for caller in callers:
        caller.start()
    for caller in callers:
        caller.join()
    assert all(toy.once() for toy in toys)


def test_without_posix_threads_one_does_it(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise CompilerError("no pthread.h")

    parts._compiled.cache_clear()
    monkeypatch.setattr(parts, "load_shared_library", refuse)
    assert parts.function() is None
    alone, together = (finalist.new("rc6", bytes(16), finalist.MODE_ECB, threads=count) for count in (1, 2))
    assert together.encrypt(bytes(1 << 14)) == alone.encrypt(bytes(1 << 14))
    parts._compiled.cache_clear()


@pytest.fixture(scope="module")
def life() -> list[str]:
    script = Path(__file__).with_name("threads_of_a_process.py")
    command = [sys.executable, "-W", "error", str(script)]
    environment = os.environ | {"OPENBLAS_NUM_THREADS": "1"}  # NumPy's, which do not come back after a fork
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, env=environment)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.splitlines()


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="needs Linux, which tells of threads")
@pytest.mark.parametrize(
    "line",
    [
        "short message: 0 threads more",
        "first message: 2 threads more",
        "second message: 2 threads more",
        "processors: as before",
        "child of a fork: 0 threads more",
        "its message: right, 2 threads more",
        "after the fork: 0 threads more",
        "message after it: right, 2 threads more",
        "forks while others work: right",
    ],
)
def test_threads_of_a_process(life: list[str], line: str) -> None:
    assert line in life
