"""Calls that C takes from Python: plain ones are served there, all others answered with NotImplemented."""

from __future__ import annotations

import ctypes
import resource
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

import finalist
from finalist import calling
from finalist.calling import Caller, Plan, slowly
from finalist.errors import CompilerError
from finalist.toolchain import compiler

pytestmark = pytest.mark.skipif(
    not compiler.available() or sys.implementation.name != "cpython", reason="needs CPython and a C compiler"
)

PLAIN = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 3, ctypes.c_size_t)
MODE = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 4, ctypes.c_size_t)
EXPAND = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p)
KEY = b"secret"
STATM = Path("/proc/self/statm")


def inverted(name: str, calls: list[tuple[str, bytes, int]]) -> Any:
    """A function on blocks of 4 bytes that inverts all bits; what it was called with is kept."""

    def work(key: int, source: int, target: int, blocks: int) -> None:
        calls.append((name, ctypes.string_at(key, len(KEY)), blocks))
        data = ctypes.string_at(source, 4 * blocks)
        ctypes.memmove(target, bytes(255 - byte for byte in data), len(data))

    return PLAIN(work)


def address(function: Any) -> int:
    return ctypes.cast(function, ctypes.c_void_p).value or 0


class Toy:
    """A caller of two such functions: the second one serves from three blocks on.

    ``pays``: how many blocks setting up its key is worth.
    """

    def __init__(self, pays: int = 3) -> None:
        self.calls: list[tuple[str, bytes, int]] = []
        self.expanded: list[int] = []
        self.functions = [inverted(name, self.calls) for name in ("short", "long")]
        self.expand = EXPAND(self._expand)
        self.plan, self.open, self.apply = calling.plan(4, 4, alone=True)
        for place, (least, most) in enumerate(((1, 0), (3, pays))):
            self.serve(place, least, most, self.functions[place])
        self.crypt = self.open(KEY, b"", calling.ENDLESS)

    def _expand(self, key: int, expanded: int) -> None:
        self.expanded.append(expanded)
        ctypes.memmove(expanded, ctypes.string_at(key, len(KEY))[::-1], len(KEY))

    def serve(
        self, place: int, least: int, pays: int, function: Any, rests: tuple[int, int, int] = (0, 0, 0)
    ) -> None:
        key = address(self.expand), len(KEY)
        self.plan.serve(place, least, pays, address(function), *key, rests=rests)

    @property
    def caller(self) -> Caller:
        return calling.caller(self.crypt)


EXPANDED = KEY[::-1]


@pytest.fixture
def toy() -> Toy:
    return Toy()


DATA = bytes(range(8))
WANTED = bytes(255 - byte for byte in DATA)


@pytest.mark.parametrize("kind", [bytes, bytearray, memoryview])
def test_new_bytes_are_made(toy: Toy, kind: Any) -> None:
    made = toy.crypt(kind(DATA), None)
    assert type(made) is bytes and made == WANTED
    assert toy.calls == [("short", EXPANDED, 2)]


def test_the_number_of_blocks_decides(toy: Toy) -> None:
    for blocks in (1, 2, 3, 4):
        toy.crypt(bytes(4 * blocks), None)
    assert toy.calls == [(name, EXPANDED, n + 1) for n, name in enumerate(("short",) * 2 + ("long",) * 2)]


def test_a_key_is_set_up_once_for_each_function_and_lies_at_a_cache_line(toy: Toy) -> None:
    assert not toy.expanded
    for blocks in (1, 2, 3, 4):
        toy.crypt(bytes(4 * blocks), None)
    assert len(set(toy.expanded)) == len(toy.expanded) == 2
    assert not any(place % 64 for place in toy.expanded)


def test_a_key_is_set_up_where_that_pays() -> None:
    toy = Toy(pays=8)
    for blocks in (3, 1, 4, 2, 3, 3):
        toy.crypt(bytes(4 * blocks), None)
    assert [name for name, *_ in toy.calls] == ["short"] * 4 + ["long"] * 2
    other = toy.open(KEY, b"", calling.ENDLESS)  # which has seen nothing yet
    toy.calls.clear()
    other(bytes(12), None)
    other(bytes(32), None)
    assert [name for name, *_ in toy.calls] == ["short", "long"]


def test_a_rest_is_done_by_what_does_it_sooner(toy: Toy) -> None:
    """Calls of four blocks: beyond them fewer than three by the other, and where that has no key yet, one."""
    toy.serve(1, 3, 3, toy.functions[1], rests=(4, 3, 2))
    for blocks, wanted in (
        (3, [("long", 3)]),
        (6, [("long", 6)]),
        (9, [("long", 8), ("short", 1)]),
        (6, [("long", 4), ("short", 2)]),
        (7, [("long", 7)]),
        (8, [("long", 8)]),
    ):
        toy.calls.clear()
        data = bytes(range(4 * blocks))
        assert toy.crypt(data, None) == bytes(255 - byte for byte in data)
        assert [(name, count) for name, _, count in toy.calls] == wanted


def test_functions_without_which_it_goes_are_not_waited_for() -> None:
    toy = Toy()
    toy.serve(2, 5, 100, toy.functions[1])
    toy.serve(1, 3, 0, None)
    toy.crypt(bytes(24), None)
    assert [name for name, *_ in toy.calls] == ["short"]
    assert toy.crypt(bytes(12), None) is NotImplemented


def test_the_long_way_ends_here(toy: Toy) -> None:
    toy.serve(1, 3, 0, None)
    source, target = ctypes.create_string_buffer(bytes(12)), ctypes.create_string_buffer(12)
    places = ctypes.addressof(source), ctypes.addressof(target)
    toy.apply(ctypes.addressof(toy.caller), *places, 12)
    assert target.raw == b"\xff" * 12 and toy.calls == [("short", EXPANDED, 3)]


@pytest.mark.parametrize("wrong", [(KEY,), (bytearray(KEY), b"", 1), (KEY, None, 1), (KEY, b"", -1)])
def test_what_opens_nothing(toy: Toy, wrong: Any) -> None:
    opener: Any = toy.open
    if len(wrong) == 1:
        assert opener(*wrong) is NotImplemented
    else:
        with pytest.raises((TypeError, OverflowError)):
            opener(*wrong)


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
    toy.serve(1, 3, 0, None)
    assert toy.crypt(bytes(12), None) is NotImplemented
    assert toy.crypt(bytes(8), None) == b"\xff" * 8


def test_blocks_are_taken_off_what_is_free(toy: Toy) -> None:
    toy.caller.free = 5
    toy.crypt(bytes(8), None)
    assert toy.caller.free == 3
    assert toy.crypt(bytes(12), None) is NotImplemented
    assert toy.caller.free == 3 and len(toy.calls) == 1


def test_a_mode_gets_its_state_and_a_part_of_a_block_is_left() -> None:
    calls: list[tuple[bytes, int]] = []
    function = MODE(lambda key, state, source, target, n: calls.append((ctypes.string_at(state, 4), n)))
    plan, opener, _ = calling.plan(4, 1, alone=True)
    expand = EXPAND(lambda key, expanded: None)
    plan.serve(0, 1, 0, address(function), address(expand), 1)
    crypt = opener(KEY, b"from", calling.ENDLESS)
    caller = calling.caller(crypt)
    assert len(crypt(bytes(8), None)) == 8 and caller.left == 0
    assert len(crypt(bytes(5), None)) == 5 and caller.left == 3
    assert calls == [(b"from", 8), (b"from", 5)]
    assert ctypes.string_at(caller.state or 0, 4) == b"from"
    assert crypt(bytes(8), None) is NotImplemented


def test_the_function_keeps_the_plan_alive_and_lets_go_of_it() -> None:
    toy = Toy()
    crypt, memory = toy.crypt, toy.open.__self__  # type: ignore[attr-defined]
    held = sys.getrefcount(memory)
    del toy.crypt
    assert crypt(DATA, None) == WANTED and sys.getrefcount(memory) == held
    del crypt
    assert sys.getrefcount(memory) < held


@pytest.mark.skipif(not STATM.exists(), reason="needs Linux's /proc")
@pytest.mark.parametrize(("name", "count", "size"), [("rijndael", 100_000, 16), ("blowfish", 5000, 2048)])
def test_memory_is_given_back(name: str, count: int, size: int) -> None:
    data, had = bytes(size), 0
    for number in range(count):
        finalist.new(name, number.to_bytes(16, "big"), finalist.MODE_CTR, nonce=b"").encrypt(data)
        if number == count // 10:
            had = resident()
    # Of what is left behind by each, a caller would take 20 MB, expanded keys as much.
    assert resident() - had < 2_000_000


def resident() -> int:
    """Bytes of memory that this process has."""
    return int(STATM.read_text().split()[1]) * resource.getpagesize()


def test_objects_are_given_back() -> None:
    cipher = finalist.new("rc6", bytes(16), finalist.MODE_ECB)
    data, target = bytes(32), bytearray(32)
    cipher.encrypt(data, target)
    quick: Any = cipher._quick_encrypt
    counts = sys.getrefcount(data), sys.getrefcount(target), sys.getrefcount(NotImplemented)
    for _ in range(100):
        cipher.encrypt(data, target)
        assert quick(data, 5) is NotImplemented
    target.append(0)  # nobody holds its memory
    assert counts == (sys.getrefcount(data), sys.getrefcount(target), sys.getrefcount(NotImplemented))


def test_other_threads_run_meanwhile(toy: Toy) -> None:
    seen = threading.Event()
    # The function waits for another thread, which can only come where Python's lock was let go.
    function = PLAIN(lambda key, source, target, blocks: seen.wait(60))
    toy.serve(1, 3, 0, function)
    threading.Timer(0.01, seen.set).start()
    toy.crypt(bytes(8192), None)
    assert seen.is_set()


def test_without_a_compiler_there_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CC", "no-such-compiler")
    with pytest.raises(CompilerError):
        calling.plan(4, 4, alone=True)
    assert slowly(DATA, None) is NotImplemented


def test_another_python_has_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.implementation, "name", "another")
    with pytest.raises(CompilerError, match="this is another"):
        calling.plan(4, 4, alone=True)


def test_the_fields_are_those_of_the_c_file() -> None:
    assert ctypes.sizeof(Plan) == 8 * (7 + 8 * calling.MOST_RUNGS)
    assert ctypes.sizeof(Caller) == 8 * (9 + 2 * calling.MOST_RUNGS)
