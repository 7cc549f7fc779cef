"""Which program serves a message: one of a block, until enough has come, then by the message's size."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from finalist import api, engine
from finalist.ciphers.catalogue import cipher
from finalist.schedule import Schedule
from finalist.toolchain import compiler

pytestmark = pytest.mark.skipif(not compiler.available(), reason="needs a C compiler")
KEY = bytes(16)


@pytest.fixture(autouse=True)
def compiled(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[list[Schedule]]:
    """The schedules of all programs that are asked for; programs of other tests are forgotten, and trials."""
    monkeypatch.setenv("FINALIST_TUNING", str(tmp_path / "tuning.jsonl"))
    api._compiled.cache_clear()
    asked, real = [], api.compile

    def counting(cipher: Any, machine: str, operation: str, key_bits: int, *schedule: Schedule) -> Any:
        asked.extend(schedule)
        return real(cipher, machine, operation, key_bits, *schedule)

    monkeypatch.setattr(api, "compile", counting)
    yield asked
    api._compiled.cache_clear()


def encrypt(work: engine.Work, blocks: int) -> bytes:
    function, key = work.short if blocks < work.least else work.long
    data, target = bytes(16 * blocks), ctypes.create_string_buffer(16 * blocks)
    function(key, data, target, ctypes.c_size_t(blocks))
    return target.raw


def test_the_long_one_comes_when_it_is_worth_it(compiled: list[Schedule]) -> None:
    work = engine.work(cipher("rc6"), KEY, "ecb", "encrypt")
    single = Schedule(blocks=1)
    enough = engine.PATIENCE // 16
    for blocks in (1, 1000, enough // 2, enough // 4)[::2]:
        encrypt(work, blocks)
    assert compiled == [single]
    for _ in range(1000):
        encrypt(work, 1)
    assert compiled == [single]
    encrypt(work, enough // 2)
    assert compiled == [single, Schedule()]


@pytest.mark.parametrize(
    ("mode", "operation", "name"), [("cbc", "encrypt", "rc6"), ("ecb", "encrypt", "rc4")]
)
def test_what_is_done_one_by_one_has_no_long_one(
    compiled: list[Schedule], mode: str, operation: str, name: str
) -> None:
    work = engine.work(cipher(name), KEY, mode, operation)
    state = [ctypes.create_string_buffer(16)] if mode == "cbc" else []
    function, key = work.long
    memory = ctypes.create_string_buffer(16 * 4096)
    function(key, *state, memory, memory, ctypes.c_size_t(4096))
    assert compiled == [Schedule(blocks=1)]


def test_the_size_decides_from_then_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "_break_even", lambda *arguments: 4)
    work: Any = engine.work(cipher("rc6"), KEY, "ecb", "encrypt")
    encrypt(work, engine.PATIENCE)
    assert work.least == 4 and work.long[0] is not work.short[0]
    assert encrypt(work, 3) + encrypt(work, 4) == encrypt(work, 7)
    # Another key of the same cipher begins where this one is, once it has work for both.
    other: Any = engine.work(cipher("rc6"), bytes(range(16)), "ecb", "encrypt")
    encrypt(other, 2)
    assert other.least == 4


def test_the_least_is_measured() -> None:
    rc6 = (cipher("rc6"), "native", "encrypt", 128)
    single: Any = api.compile(*rc6, Schedule(blocks=1, width=1))
    many: Any = api.compile(*rc6, Schedule(blocks=8, width=128))
    least = engine._break_even(single, many, "ecb", KEY)
    assert 2 <= least <= engine.PATIENCE // 16 and least & (least - 1) == 0


@pytest.mark.parametrize(
    ("mode", "operation"), [("ecb", "decrypt"), ("ctr", "encrypt"), ("cbc", "encrypt"), ("cbc", "decrypt")]
)
@pytest.mark.parametrize("size", [0, 1, 5])
def test_both_kinds_do_the_same(mode: str, operation: str, size: int) -> None:
    results = []
    for kind in (engine.Compiled, engine.Interpreted):
        state, data = ctypes.create_string_buffer(b"\xff" * 16, 16), bytes(range(16 * size))
        target = ctypes.create_string_buffer(16 * size + 1)
        count = ctypes.c_size_t(16 * size - (3 if size else 0) if mode == "ctr" else size)
        work = kind(cipher("rc6"), KEY, mode, operation)  # which holds the key's memory
        function, key = work.short
        function(key, *([] if mode == "ecb" else [state]), data, target, count)
        results.append((target.raw, state.raw))
    assert results[0] == results[1]


def test_what_the_tuner_has_found_is_taken(compiled: list[Schedule], monkeypatch: pytest.MonkeyPatch) -> None:
    found = {16: Schedule(blocks=1, width=1, rounds="loop"), 1 << 16: Schedule(blocks=4, width=1)}
    monkeypatch.setattr(engine.choose, "best", lambda *task, data_bytes: found[data_bytes])
    work = engine.work(cipher("rc6"), KEY, "ecb", "encrypt")
    encrypt(work, engine.PATIENCE)
    assert compiled == [found[16], found[1 << 16]]
