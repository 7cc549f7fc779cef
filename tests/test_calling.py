"""Calls that C takes from Python: plain ones are served there, all others answered with NotImplemented."""

from __future__ import annotations

import ctypes
import gc
import sys
import threading
from typing import Any

import pytest

import finalist
from finalist import calling
from finalist.calling import Caller, slowly
from finalist.toolchain import compiler

pytestmark = pytest.mark.skipif(
    not compiler.available() or sys.implementation.name != "cpython", reason="needs CPython and a C compiler"
)

PLAIN = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 3, ctypes.c_size_t)
MODE = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 4, ctypes.c_size_t)


def inverted(name: str, calls: list[tuple[str, int, int]]) -> Any:
    """A function on blocks of 4 bytes that inverts all bits; what it was called with is kept."""

    def work(key: int, source: int, target: int, blocks: int) -> None:
        calls.append((name, key, blocks))
        data = ctypes.string_at(source, 4 * blocks)
        ctypes.memmove(target, bytes(255 - byte for byte in data), len(data))

    return PLAIN(work)


class Toy:
    """A caller of two such functions: the second one serves from three blocks on."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, int, int]] = []
        self.functions = [inverted(name, self.calls) for name in ("short", "long")]
        self.caller, memory = calling.caller()
        self.caller.block = self.caller.unit = 4
        for place, (least, function) in enumerate(zip((1, 3), self.functions, strict=True)):
            self.caller.serve(place, least, ctypes.cast(function, ctypes.c_void_p).value or 0, 7 + place)
        self.caller.rungs = len(self.functions)
        self.crypt = calling.quick(memory, self)


@pytest.fixture
def toy() -> Toy:
    return Toy()


DATA = bytes(range(8))
WANTED = bytes(255 - byte for byte in DATA)


@pytest.mark.parametrize("kind", [bytes, bytearray, memoryview])
def test_new_bytes_are_made(toy: Toy, kind: Any) -> None:
    made = toy.crypt(kind(DATA), None)
    assert type(made) is bytes and made == WANTED
    assert toy.calls == [("short", 7, 2)]


def test_the_number_of_blocks_decides(toy: Toy) -> None:
    for blocks in (1, 2, 3, 4):
        toy.crypt(bytes(4 * blocks), None)
    assert toy.calls == [("short", 7, 1), ("short", 7, 2), ("long", 8, 3), ("long", 8, 4)]


def test_memory_is_written(toy: Toy) -> None:
    target, part = bytearray(8), bytearray(12)
    assert toy.crypt(DATA, target) is None and toy.crypt(DATA, memoryview(part)[2:10]) is None
    assert target == WANTED and part == bytes(2) + WANTED + bytes(2)
    assert toy.crypt(target, target) is None and target == DATA


@pytest.mark.parametrize(
    ("data", "output"),
    [
        (b"", None),
        (b"123", None),
        ("1234", None),
        (1234, None),
        (memoryview(bytes(16))[::2], None),
        (DATA, bytes(8)),
        (DATA, bytearray(4)),
        (DATA, bytearray(12)),
        (DATA, 5),
    ],
)
def test_what_needs_thought_is_not_touched(toy: Toy, data: Any, output: Any) -> None:
    free = toy.caller.free
    assert toy.crypt(data, output) is NotImplemented
    assert not toy.calls and toy.caller.free == free


def test_memory_that_overlaps_is_not_touched(toy: Toy) -> None:
    memory = bytearray(range(12))
    view = memoryview(memory)
    assert toy.crypt(view[:8], view[4:]) is NotImplemented
    assert toy.crypt(view[4:], view[:8]) is NotImplemented
    assert memory == bytes(range(12))


def test_a_function_that_is_not_there_yet_is_waited_for(toy: Toy) -> None:
    toy.caller.serve(1, 3, 0, 0)
    assert toy.crypt(bytes(12), None) is NotImplemented
    assert toy.crypt(bytes(8), None) == b"\xff" * 8


def test_blocks_are_taken_off_what_is_free(toy: Toy) -> None:
    toy.caller.free = 5
    toy.crypt(bytes(8), None)
    assert toy.caller.free == 3
    assert toy.crypt(bytes(12), None) is NotImplemented
    assert toy.caller.free == 3 and len(toy.calls) == 1


def test_a_mode_gets_its_state_and_a_part_of_a_block_is_left() -> None:
    calls: list[tuple[int, ...]] = []
    function = MODE(lambda key, state, source, target, count: calls.append((key, state, count)))
    caller, memory = calling.caller()
    state = ctypes.create_string_buffer(4)
    caller.block, caller.unit, caller.state = 4, 1, ctypes.addressof(state)
    caller.rungs = 1
    caller.serve(0, 1, ctypes.cast(function, ctypes.c_void_p).value or 0, 9)
    crypt = calling.quick(memory, (function, state))
    assert len(crypt(bytes(8), None)) == 8 and caller.left == 0
    assert len(crypt(bytes(5), None)) == 5 and caller.left == 3
    assert calls == [(9, ctypes.addressof(state), 8), (9, ctypes.addressof(state), 5)]
    assert crypt(bytes(8), None) is NotImplemented


def test_the_function_keeps_what_it_needs_and_lets_go_of_it() -> None:
    gc.freeze()  # what other tests have made need not be looked through
    toy = Toy()
    crypt, calls = toy.crypt, toy.calls
    held = sys.getrefcount(calls)
    del toy
    gc.collect()
    assert crypt(DATA, None) == WANTED and len(calls) == 1
    del crypt
    gc.collect()
    gc.unfreeze()
    assert sys.getrefcount(calls) < held


def test_objects_are_given_back() -> None:
    cipher = finalist.new("rc6", bytes(16), finalist.MODE_ECB)
    data, target = bytes(32), bytearray(32)
    cipher.encrypt(data, target)
    counts = sys.getrefcount(data), sys.getrefcount(target), sys.getrefcount(NotImplemented)
    for _ in range(100):
        cipher.encrypt(data, target)
        assert cipher._quick_encrypt(data, 5) is NotImplemented
    target.append(0)  # nobody holds its memory
    assert counts == (sys.getrefcount(data), sys.getrefcount(target), sys.getrefcount(NotImplemented))


def test_other_threads_run_meanwhile(toy: Toy) -> None:
    seen = threading.Event()
    # The function waits for another thread, which can only come where Python's lock was let go.
    function = PLAIN(lambda key, source, target, blocks: seen.wait(60))
    toy.caller.serve(1, 3, ctypes.cast(function, ctypes.c_void_p).value or 0, 0)
    threading.Timer(0.01, seen.set).start()
    toy.crypt(bytes(8192), None)
    assert seen.is_set()


def test_without_a_compiler_all_calls_are_slow(monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as changed:
        changed.setenv("CC", "no-such-compiler")
        assert calling.quick(calling.caller()[1], None) is slowly
    assert calling.quick(calling.caller()[1], None) is not slowly
    assert slowly(DATA, None) is NotImplemented


def test_the_fields_are_those_of_the_c_file() -> None:
    assert ctypes.sizeof(Caller) == 8 * (13 + 3 * calling.MOST_RUNGS)
