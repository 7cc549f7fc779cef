"""Threads for parts of messages: who works on what, when there are any, and when they are gone."""

from __future__ import annotations

import ctypes
import subprocess
import sys
import threading
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from finalist.engine import parts
from finalist.engine.parts import Begins
from finalist.toolchain import compiler

pytestmark = pytest.mark.skipif(not compiler.available(), reason="needs a C compiler")

PLAIN = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 3, ctypes.c_size_t)
MODE = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 4, ctypes.c_size_t)
BLOCK = 4


class Toy:
    """A message of counted blocks that a function of Python is called for; which parts, and by whom."""

    def __init__(
        self,
        blocks: int,
        threads: int,
        before: Callable[[int], object] = lambda offset: None,
        monkeypatch: pytest.MonkeyPatch | None = None,
    ) -> None:
        if monkeypatch is not None:
            for name, value in (("LEAST_A_THREAD", 64), ("_GRAIN_BYTES", 16), ("_GRAIN_BLOCKS", 4)):
                monkeypatch.setattr(parts, name, value)
        self.source = ctypes.create_string_buffer(BLOCK * blocks)
        self.target = ctypes.create_string_buffer(BLOCK * blocks)
        self.size, self.before = BLOCK * blocks, before
        self.threads = threads
        self.parts: list[tuple[int, int, int]] = []  # offset, blocks, thread

    def run(self) -> None:
        def work(key: int, source: int, target: int, count: int) -> None:
            offset = (source - ctypes.addressof(self.source)) // BLOCK
            self.before(offset)
            self.parts.append((offset, count, threading.get_ident()))

        function = PLAIN(work)
        way = parts.way(Begins.NOTHING, BLOCK, BLOCK, BLOCK, self.threads)
        called = parts.function()
        called(ctypes.byref(way), function, None, None, self.source, self.target, ctypes.c_uint64(self.size))
        self.parts.sort()

    def once(self) -> bool:
        """Whether each block was worked on once."""
        ends = [(offset, offset + count) for offset, count, _ in self.parts]
        whole = ends[0][0] == 0 and ends[-1][1] == self.size // BLOCK
        return whole and all(a[1] == b[0] for a, b in pairwise(ends))


@pytest.mark.parametrize("threads", [2, 3, 5])
def test_each_thread_has_a_share(threads: int, monkeypatch: pytest.MonkeyPatch) -> None:
    met = threading.Barrier(threads)
    firsts = {320 * i // threads for i in range(threads)}
    # Shares begin while all others have begun.
    toy = Toy(320, threads, lambda offset: offset in firsts and met.wait(60), monkeypatch)
    toy.run()
    assert toy.once()
    assert len({thread for _, _, thread in toy.parts}) == threads
    assert firsts <= {offset for offset, _, _ in toy.parts}


def test_what_one_has_not_begun_another_takes(monkeypatch: pytest.MonkeyPatch) -> None:
    """The second thread is kept in its first part until all others are done."""
    done = threading.Event()
    seen: list[int] = []

    def before(offset: int) -> None:
        if threading.get_ident() != caller:
            done.wait(60)
        else:
            begun.wait(60)
            seen.append(offset)
            if sum(seen_blocks(toy)) >= 0 and len(seen) > 60:
                done.set()

    caller, begun = threading.get_ident(), threading.Event()
    toy = Toy(320, 2, before, monkeypatch)
    begun.set()
    threading.Timer(0.2, done.set).start()
    toy.run()
    assert toy.once()
    by_caller = sum(count for _, count, thread in toy.parts if thread == caller)
    assert by_caller > 160


def seen_blocks(toy: Toy) -> list[int]:
    return [count for _, count, _ in toy.parts]
