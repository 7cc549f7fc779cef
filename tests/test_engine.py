"""Which program serves a message: one of a block, until enough has come, then by the message's size."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from finalist import api, engine, stored
from finalist.engine import ladder, plans
from finalist.engine.interpreted import Interpreted
from finalist.schedule import Schedule
from finalist.target import target
from finalist.toolchain import compiler
from finalist.tuning import choose, shipped

pytestmark = pytest.mark.skipif(not compiler.available(), reason="needs a C compiler")
KEY = bytes(16)


@pytest.fixture(autouse=True)
def compiled(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[list[Schedule]]:
    """The schedules of all programs that are asked for; programs of other tests are forgotten, and trials.

    Nor is there any winner that comes along.
    """
    monkeypatch.setenv("FINALIST_TUNING", str(tmp_path / "tuning.jsonl"))
    monkeypatch.setenv("FINALIST_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(shipped, "_read", dict)
    forget()
    asked, real = [], api.compile

    def counting(cipher: Any, machine: str, operation: str, key_bits: int, *schedule: Schedule) -> Any:
        asked.extend(schedule)
        return real(cipher, machine, operation, key_bits, *schedule)

    monkeypatch.setattr(api, "compile", counting)
    yield asked
    forget()


def forget() -> None:
    """What this process remembers of programs and schedules."""
    for memory in (api._compiled, stored._program, plans._steps):
        memory.cache_clear()


def encrypt(work: engine.Work, blocks: int) -> bytes:
    function, key = work.call(blocks)
    data, target = bytes(16 * blocks), ctypes.create_string_buffer(16 * blocks)
    function(key, data, target, ctypes.c_size_t(blocks))
    return target.raw


def test_the_long_one_comes_when_it_is_worth_it(compiled: list[Schedule]) -> None:
    work = engine.work(target("rc6"), KEY, "ecb", "encrypt")
    single = Schedule(blocks=1)
    enough = engine.PATIENCE // 16
    for blocks in (1, enough // 2, enough // 4):
        encrypt(work, blocks)
    assert compiled == [single]
    for _ in range(1000):
        encrypt(work, 1)
    assert compiled == [single]
    encrypt(work, enough // 2)
    assert compiled == [single, Schedule()]


@pytest.mark.parametrize(
    ("mode", "operation", "name"),
    [
        ("cbc", "encrypt", "rc6"),
        ("cfb_encrypt", "encrypt", "rc6"),
        ("ofb", "encrypt", "rc6"),
        ("ecb", "encrypt", "rc4"),
    ],
)
def test_what_is_done_one_by_one_has_no_long_one(
    compiled: list[Schedule], mode: str, operation: str, name: str
) -> None:
    work = engine.work(target(name), KEY, mode, operation)
    state = [] if mode == "ecb" else [ctypes.create_string_buffer(16)]
    function, key = work.call(4096)
    memory = ctypes.create_string_buffer(16 * 4096)
    function(key, *state, memory, memory, ctypes.c_size_t(4096))
    assert compiled == [Schedule(blocks=1)]
    assert [least for least, _ in work.rungs()] == [1]


def test_the_size_decides_from_then_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ladder, "_break_even", lambda *arguments: 4)
    work = engine.work(target("rc6"), KEY, "ecb", "encrypt")
    assert work.rungs() == [(1, None), (2, None)]
    encrypt(work, engine.PATIENCE)
    short, long = work.call(3), work.call(4)
    assert short[0] is not long[0] and work.rungs() == [(1, short), (4, long)]
    assert encrypt(work, 3) + encrypt(work, 4) == encrypt(work, 7)
    # Another key of the same cipher begins where this one is.
    other = engine.work(target("rc6"), bytes(range(16)), "ecb", "encrypt")
    assert other.call(4)[1].value != work.call(4)[1].value and [n for n, _ in other.rungs()] == [1, 4]
    assert other.call(4)[0] is not other.call(3)[0]


def test_the_least_is_measured() -> None:
    rc6 = (target("rc6").definition, "native", "encrypt", 128)
    single: Any = api.compile(*rc6, Schedule(blocks=1, width=1))
    many: Any = api.compile(*rc6, Schedule(blocks=8, width=128))
    least = ladder._break_even(single, many, "ecb", KEY)
    assert 2 <= least <= engine.PATIENCE // 16 and least & (least - 1) == 0
    assert [ladder._step(mode, 16) for mode in ("ecb", "ctr", "cfb_decrypt", "cfb8_decrypt")] == [
        1,
        16,
        16,
        1,
    ]


@pytest.mark.parametrize(
    ("mode", "operation"),
    [
        ("ecb", "decrypt"),
        ("cbc", "encrypt"),
        ("cbc", "decrypt"),
        *((mode, "encrypt") for mode in ("ctr", "cfb_encrypt", "cfb_decrypt", "cfb8_decrypt", "ofb")),
    ],
)
@pytest.mark.parametrize("size", [0, 1, 5])
@pytest.mark.every(4)
def test_both_kinds_do_the_same(mode: str, operation: str, size: int) -> None:
    results = []
    for kind in (engine.Compiled, Interpreted):
        state, data = ctypes.create_string_buffer(b"\xff" * 16, 16), bytes(range(16 * size))
        memory = ctypes.create_string_buffer(16 * size + 1)
        in_blocks = mode in ("ecb", "cbc")
        count = ctypes.c_size_t(size if in_blocks else 16 * size - (3 if size else 0))
        work: Any = kind(target("rc6"), KEY, mode, operation)  # which holds the key's memory
        function, key = work.call(1)
        function(key, *([] if mode == "ecb" else [state]), data, memory, count)
        results.append((memory.raw, state.raw))
    assert results[0] == results[1]


class TestTuned:
    """What the tuner has found is taken, for messages of each length."""

    SHORT, SOME, LONG = (
        Schedule(blocks=1, width=1, rounds="loop"),
        Schedule(blocks=2, width=1),
        Schedule(blocks=4, width=1),
    )

    @pytest.fixture(autouse=True)
    def found(self, monkeypatch: pytest.MonkeyPatch) -> None:
        ladder = {16: self.SHORT, 64: self.SOME, 1024: self.LONG}
        monkeypatch.setattr(choose, "ladder", lambda *task: ladder)
        monkeypatch.setattr(choose, "best_of_one", lambda *task: self.SHORT)

    def test_each_length_has_its_own(self, compiled: list[Schedule]) -> None:
        work = engine.work(target("rc6"), KEY, "ecb", "encrypt")
        encrypt(work, 64)
        assert compiled == [self.SHORT, self.LONG]
        encrypt(work, 4)  # too few to be worth another
        assert compiled == [self.SHORT, self.LONG]
        encrypt(work, 60)
        assert compiled == [self.SHORT, self.LONG, self.SOME]
        assert [least for least, _ in work.rungs()] == [1, 4, 64]
        assert encrypt(work, 63) + encrypt(work, 1) == encrypt(work, 64)

    def test_one_that_is_not_there_is_stood_in_for_by_a_shorter_one(self, compiled: list[Schedule]) -> None:
        work = engine.work(target("rc6"), KEY, "ecb", "encrypt")
        assert work.call(4) == work.call(1) and compiled == [self.SHORT]

    def test_a_chain_takes_one_of_a_block(self, compiled: list[Schedule]) -> None:
        work = engine.work(target("rc6"), KEY, "cbc", "encrypt")
        assert work.call(4096) == work.call(1) and compiled == [self.SHORT]

    @pytest.mark.parametrize("place", [16, 64])
    @pytest.mark.every(2)
    def test_what_is_not_legal_here_is_passed_over(self, monkeypatch: pytest.MonkeyPatch, place: int) -> None:
        ladder = {16: self.SHORT, 64: self.SOME, 1024: self.LONG} | {place: Schedule(lookup="gather")}
        monkeypatch.setattr(choose, "ladder", lambda *task: ladder)
        work = engine.work(target("rc6"), KEY, "ecb", "encrypt")
        encrypt(work, 63)
        encrypt(work, 63)
        wanted = [1, 4, 64] if place == 16 else [1, 64]
        assert [least for least, _ in work.rungs()] == wanted
        assert encrypt(work, 63) + encrypt(work, 1) == encrypt(work, 64)
        task = (target("rc6"), "encrypt", 128)
        assert engine.schedule(*task, "ecb", place) in (Schedule(blocks=1), self.SHORT)

    def test_it_can_be_asked(self) -> None:
        task = (target("rc6"), "encrypt", 128)
        asked = [engine.schedule(*task, "ecb", size) for size in (1, 16, 48, 64, 1008, 1024, 1 << 20)]
        assert asked == [self.SHORT] * 3 + [self.SOME] * 2 + [self.LONG] * 2
        assert engine.schedule(*task, "cbc", 1 << 20) == self.SHORT


def test_winners_that_come_along_serve_by_length(
    monkeypatch: pytest.MonkeyPatch, compiled: list[Schedule]
) -> None:
    quick = {1: "blocks=1", 16 * 8: "blocks=2 width=1", 16 * 32: "blocks=8 width=128"}
    monkeypatch.setattr(shipped, "winners", lambda *_: quick)
    work = engine.work(target("rc6"), KEY, "ecb", "encrypt")
    assert [least for least, _ in work.rungs()] == [1, 8, 32]
    parts = [encrypt(work, blocks) for blocks in (4, 12, 100, 12, 100)]
    assert parts[3] == parts[1] == encrypt(work, 100)[: 16 * 12]
    assert compiled == [Schedule(blocks=1), Schedule(blocks=8, width=128)]
