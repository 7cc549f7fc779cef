"""Which program serves a message: one of a block, until enough has come, then by the message's size."""

from __future__ import annotations

import ctypes
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

import finalist
from finalist import api, engine, stored
from finalist.engine import breakeven, ladder, plans
from finalist.engine.interpreted import Interpreted
from finalist.engine.work import step
from finalist.schedule import Schedule
from finalist.target import target
from finalist.tuning import choose, shipped
from tests.marks import needs_compiler

pytestmark = needs_compiler
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
    engine.forget()


def encrypt(work: engine.Work, blocks: int) -> bytes:
    source, target = (ctypes.create_string_buffer(16 * blocks) for _ in range(2))
    work.apply(ctypes.addressof(source), ctypes.addressof(target), 16 * blocks)
    return target.raw


def leasts(work: engine.Work) -> list[int]:
    """From how many blocks on each program serves that is legal here."""
    assert isinstance(work, engine.Compiled)
    return [least for least in work.ladder.leasts() if least < engine.ENDLESS]


def compiled_for(work: engine.Work) -> list[bool]:
    """Whether there is a program, for messages of each length."""
    assert isinstance(work, engine.Compiled)
    return [rung.program is not None for rung in work.ladder.rungs]


def expanded(work: engine.Work) -> list[bool]:
    """Whether the key is set up for it."""
    return [bool(place) for place in work.caller.memory[: len(compiled_for(work))]]


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
    ],
)
def test_what_is_done_one_by_one_has_no_long_one(
    compiled: list[Schedule], mode: str, operation: str, name: str
) -> None:
    work = engine.work(target(name), KEY, mode, operation, bytes(16))
    encrypt(work, 4096)
    assert compiled == [Schedule(blocks=1)]
    assert leasts(work) == [1]


def test_a_stream_whose_blocks_wait_has_one_program_for_all_lengths(compiled: list[Schedule]) -> None:
    """Of several blocks in turn, as is the default."""
    work = engine.work(target("rc4"), KEY, "ecb", "encrypt")
    encrypt(work, 4096)
    encrypt(work, 1)
    assert compiled == [Schedule()] and leasts(work) == [1]


class TestStreamsThatCount:
    """Programs for messages of different lengths work on one state."""

    #: Blocks of messages, one after the other, some of them worth another program.
    BLOCKS = (1, 64, 2, 3, 100, 17, 1, 128, 5)
    ONE_KEY = bytes(48)

    def work(self) -> engine.Work:
        return engine.work(target("chacha20"), self.ONE_KEY, "ecb", "encrypt")

    def test_each_goes_on_where_the_one_before_ended(self, compiled: list[Schedule]) -> None:
        work, total = self.work(), 64 * sum(self.BLOCKS)  # of a block's bytes `encrypt` has a quarter
        found = b"".join(encrypt(work, 4 * blocks) for blocks in self.BLOCKS)
        assert Schedule() in compiled and len(compiled_for(work)) == 2 and all(compiled_for(work))
        assert expanded(work) == [True, False]
        reference = api.compile(target("chacha20").definition, "interpreter", "encrypt", 384)
        assert found == reference.run(self.ONE_KEY, bytes(total)).output

    def test_one_with_another_key_does_not_serve(self, monkeypatch: pytest.MonkeyPatch) -> None:
        real = stored.program

        def program(*asked: Any) -> Any:
            found = real(*asked)
            monkeypatch.setattr(found, "key_form", str(asked[3]), raising=False)
            return found

        monkeypatch.setattr(stored, "program", program)
        work = self.work()
        encrypt(work, 4096)
        assert compiled_for(work) == [True, False] and leasts(work) == [1]
        assert plans.schedule(target("chacha20"), "encrypt", 384, "ecb", 1 << 16) == Schedule(blocks=1)

    def test_what_is_measured_is_what_serves(self) -> None:
        found = [plans.schedule(target("chacha20"), "encrypt", 384, "ecb", 64 * n) for n in (1, 1024)]
        assert found == [Schedule(blocks=1), Schedule()]


def test_the_size_decides_from_then_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ladder, "least", lambda *arguments, **fresh: 4)
    work = engine.work(target("rc6"), KEY, "ecb", "encrypt")
    assert leasts(work) == [1, 2] and compiled_for(work) == [True, False]
    encrypt(work, engine.PATIENCE)
    assert leasts(work) == [1, 4] and compiled_for(work) == [True, True]
    assert expanded(work) == [False, True]
    encrypt(work, 3)
    assert expanded(work) == [True, True]
    assert encrypt(work, 3) + encrypt(work, 4) == encrypt(work, 7)
    # Another key of the same cipher begins where this one is.
    other = engine.work(target("rc6"), bytes(range(16)), "ecb", "encrypt")
    assert isinstance(work, engine.Compiled) and isinstance(other, engine.Compiled)
    assert other.ladder is work.ladder and expanded(other) == [False, False]
    assert len(other.quick(bytes(64), None)) == 64 and expanded(other) == [False, True]


def test_under_a_new_key_its_set_up_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ladder, "least", lambda *arguments, fresh: 16 if fresh else 4)
    work = engine.work(target("rc6"), KEY, "ecb", "encrypt")
    encrypt(work, engine.PATIENCE)
    for sizes, wanted in (
        ([15], [True, False]),
        ([16], [False, True]),
        ([4, 4, 4], [True, False]),
        ([4, 4, 4, 4], [True, True]),
        ([3] * 100, [True, False]),
    ):
        fresh = engine.work(target("rc6"), KEY, "ecb", "encrypt")
        for size in sizes:
            encrypt(fresh, size)
        assert expanded(fresh) == wanted


def test_the_least_is_measured() -> None:
    rc6 = (target("rc6").definition, "native", "encrypt", 128)
    programs: list[Any] = [
        api.compile(*rc6, Schedule(blocks=1, width=1)),
        api.compile(*rc6, Schedule(blocks=8, width=128)),
    ]
    single, many = (breakeven.Timed(program, "ecb", 64) for program in programs)
    assert single.setup > 0
    for fresh in (False, True):
        found = breakeven.least([single], many, 2, 64, fresh=fresh)
        assert 2 <= found <= 64 and found & (found - 1) == 0
    assert breakeven.least([single], many, 100, 64, fresh=True) == 100
    assert [step(mode, 16) for mode in ("ecb", "ctr", "cfb_decrypt", "cfb8_decrypt")] == [16, 16, 16, 1]


class Made:
    """In place of a program that is timed: so much a block, so much for its key."""

    def __init__(self, setup: float, block: float) -> None:
        self.setup, self.block = setup, block

    def seconds(self, blocks: int, *, fresh: bool) -> float:
        return blocks * self.block + (self.setup if fresh else 0)


def test_the_least_is_where_it_is_done_sooner_than_all_others() -> None:
    short, between, long = Made(1, 10), Made(50, 4), Made(100, 1)
    asked: Any = ([short], long), ([short, between], long), ([short, between], short)
    assert [breakeven.least(*two, 2, 64, fresh=True) for two in asked] == [16, 32, 2]
    assert [breakeven.least(*two, 2, 64, fresh=False) for two in asked] == [2, 2, 64]


def test_a_rest_is_left_to_others_up_to_where_a_call_is_done_sooner() -> None:
    class Whole(Made):
        """A call takes as long for fewer blocks."""

        def seconds(self, blocks: int, *, fresh: bool) -> float:
            return super().seconds(16, fresh=fresh)

    short, long = Made(30, 10), Whole(100, 4)
    asked: Any = ([short], long, 16)
    assert breakeven.rest(*asked, fresh=False) == 8
    assert breakeven.rest(*asked, fresh=True) == 4
    assert breakeven.rest([Made(0, 1)], Whole(0, 4), 16, fresh=True) == 16  # type: ignore[list-item, arg-type]


@pytest.mark.parametrize("mode", ["ecb", "ctr", "cbc"])
def test_a_rest_by_another_program_goes_on_where_the_message_is(
    mode: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Calls of 16 blocks and a rest, by programs with keys of their own, against one program for all."""
    operation = "decrypt" if mode == "cbc" else "encrypt"
    quick = {1: "blocks=1", 16 * 16: "blocks=16 width=128 planes=4"}
    monkeypatch.setattr(shipped, "winners", lambda *_: quick)
    monkeypatch.setattr(ladder, "rest", lambda *arguments, fresh: 16)
    state = b"" if mode == "ecb" else b"\xff" * 15 + b"\xfe"
    for size in (1024, 1280 + 48, 1024 + 16, 1024 + (7 if mode == "ctr" else 32)):
        works = [
            engine.work(target("serpent"), KEY, mode, operation, state),
            Interpreted(target("serpent"), KEY, mode, operation, state),
        ]
        results = []
        for work in works:
            source = ctypes.create_string_buffer(bytes(i % 251 for i in range(size)), size)
            memory = ctypes.create_string_buffer(size)
            work.apply(ctypes.addressof(source), ctypes.addressof(memory), size)
            results.append((memory.raw, ctypes.string_at(work.state, len(state)) if state else b""))
        assert results[0] == results[1]
        assert expanded(works[0])[0] == bool(size % 256)


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
    state = b"" if mode == "ecb" else b"\xff" * 16
    bytes_more = 16 * size if mode in ("ecb", "cbc") else max(0, 16 * size - 3)
    for work in (
        engine.work(target("rc6"), KEY, mode, operation, state),
        Interpreted(target("rc6"), KEY, mode, operation, state),
    ):
        source = ctypes.create_string_buffer(bytes(range(16 * size)), 16 * size + 1)
        memory = ctypes.create_string_buffer(16 * size + 1)
        if size:
            work.apply(ctypes.addressof(source), ctypes.addressof(memory), bytes_more)
        results.append((memory.raw, ctypes.string_at(work.state, len(state))))
    assert results[0] == results[1]


class TestLadders:
    """What does not depend on the key is made once a process."""

    def test_all_keys_share_it(self) -> None:
        works = [engine.work(target("rc6"), bytes([n] * 16), "ctr", "encrypt", bytes(16)) for n in (1, 2)]
        (one, other) = (work.ladder for work in works if isinstance(work, engine.Compiled))
        assert one is other

    def test_threads_that_ask_at_once_are_given_the_same(self, monkeypatch: pytest.MonkeyPatch) -> None:
        made: list[str] = []

        class Slowly(ladder.Ladder):
            def __init__(self, *asked: Any) -> None:
                made.append(asked[1])
                time.sleep(0.05)
                super().__init__(*asked)

        monkeypatch.setattr(ladder, "Ladder", Slowly)
        task = (target("rc6"), "encrypt", 128)
        with ThreadPoolExecutor(8) as pool:
            found = list(pool.map(lambda _: ladder.ladder_of(*task, "ecb"), range(8)))
        assert made == ["ecb"] and len(set(map(id, found))) == 1

    def test_the_oldest_are_forgotten(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(ladder, "_MOST", 2)
        task = (target("rc6"), "encrypt", 128)
        first, second = ladder.ladder_of(*task, "ecb"), ladder.ladder_of(*task, "ctr")
        ladder.ladder_of(*task, "ofb")
        assert ladder.ladder_of(*task, "ctr") is second and ladder.ladder_of(*task, "ecb") is not first
        assert len(ladder.ladders) == len(ladder._turns) == 2

    def test_while_one_thread_compiles_others_are_served(self, monkeypatch: pytest.MonkeyPatch) -> None:
        begun, go_on, real = threading.Event(), threading.Event(), stored.program

        def program(*asked: Any) -> Any:
            if asked[3] == Schedule():
                begun.set()
                assert go_on.wait(60)
            return real(*asked)

        monkeypatch.setattr(stored, "program", program)
        data = bytes(16 * engine.PATIENCE)
        with ThreadPoolExecutor(1) as pool:
            compiling = pool.submit(lambda: finalist.new("rc6", KEY, finalist.MODE_ECB).encrypt(data))
            assert begun.wait(60)
            made = finalist.new("rc6", KEY, finalist.MODE_ECB).encrypt(data)
            go_on.set()
            assert compiling.result() == made

    def test_there_is_one_again_when_a_compiler_is(self, monkeypatch: pytest.MonkeyPatch) -> None:
        with monkeypatch.context() as changed:
            changed.setenv("CC", "/nonexistent")
            assert isinstance(engine.work(target("rc6"), KEY, "ecb", "encrypt"), Interpreted)
        assert isinstance(engine.work(target("rc6"), KEY, "ecb", "encrypt"), engine.Compiled)


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
        assert leasts(work) == [1, 4, 64]
        assert encrypt(work, 63) + encrypt(work, 1) == encrypt(work, 64)

    def test_one_that_is_not_there_is_stood_in_for_by_a_shorter_one(self, compiled: list[Schedule]) -> None:
        work = engine.work(target("rc6"), KEY, "ecb", "encrypt")
        assert encrypt(work, 4) == 4 * encrypt(work, 1) and compiled == [self.SHORT]

    def test_a_chain_takes_one_of_a_block(self, compiled: list[Schedule]) -> None:
        work = engine.work(target("rc6"), KEY, "cbc", "encrypt", bytes(16))
        encrypt(work, 4096)
        assert compiled == [self.SHORT] and leasts(work) == [1]

    @pytest.mark.parametrize("place", [16, 64])
    @pytest.mark.every(2)
    def test_what_is_not_legal_here_is_passed_over(self, monkeypatch: pytest.MonkeyPatch, place: int) -> None:
        ladder = {16: self.SHORT, 64: self.SOME, 1024: self.LONG} | {place: Schedule(lookup="gather")}
        monkeypatch.setattr(choose, "ladder", lambda *task: ladder)
        work = engine.work(target("rc6"), KEY, "ecb", "encrypt")
        encrypt(work, 63)
        encrypt(work, 63)
        wanted = [1, 4, 64] if place == 16 else [1, 64]
        assert leasts(work) == wanted
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
    assert leasts(work) == [1, 8, 32]
    parts = [encrypt(work, blocks) for blocks in (4, 12, 100, 12, 100)]
    assert parts[3] == parts[1] == encrypt(work, 100)[: 16 * 12]
    assert compiled == [Schedule(blocks=1), Schedule(blocks=8, width=128)]
