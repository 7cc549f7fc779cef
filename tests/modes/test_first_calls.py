"""A new object for each message: its first call decides for a direction, and sets up the key."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

import finalist
from finalist import MODE_CBC, MODE_CFB, MODE_CTR, MODE_ECB, MODE_OFB, engine
from finalist.ciphers.catalogue import cipher
from finalist.errors import KeyLengthError, UsageError
from tests.catalogue import USUAL
from tests.marks import needs_compiler
from tests.modes.common import IV, served

__all__ = ["served"]  # a fixture

MODES: dict[int, dict[str, Any]] = {
    MODE_ECB: {},
    MODE_CBC: {"iv": IV},
    MODE_CFB: {"iv": IV, "segment_size": 128},
    MODE_OFB: {"iv": IV},
    MODE_CTR: {"nonce": IV[:8]},
}
new: Any = finalist.new
#: Bytes of messages that different programs serve.
SIZES = (16, 32, 256, 1024, 4096, 65536)
THREADS = 8


def keys(count: int) -> list[bytes]:
    return [number.to_bytes(2, "big") * 8 for number in range(count)]


def message(size: int) -> bytes:
    return bytes(at % 251 for at in range(size))


def together(function: Callable[[int], Any]) -> list[Any]:
    """What as many threads have of a function of their number, begun at once."""
    begin = threading.Barrier(THREADS)

    def work(number: int) -> Any:
        begin.wait()
        return function(number)

    with ThreadPoolExecutor(THREADS) as pool:
        return list(pool.map(work, range(THREADS)))


@needs_compiler
@pytest.mark.parametrize("mode", MODES)
def test_threads_have_keys_of_their_own(mode: int) -> None:
    """Whatever program serves, and while others are compiled."""
    wanted = {
        (key, size): new("rc6", key, mode, **MODES[mode]).encrypt(message(size))
        for key in keys(5)
        for size in SIZES
    }
    engine.forget()  # so that programs come while threads work

    def all_of_them(number: int) -> bool:
        mine = sorted(wanted, key=lambda asked: hash((asked, number)))
        return all(
            new("rc6", key, mode, **MODES[mode]).encrypt(message(size)) == wanted[key, size]
            for _ in range(5)
            for key, size in mine
        )

    assert together(all_of_them) == [True] * THREADS


@needs_compiler
@pytest.mark.parametrize("name", USUAL)
@pytest.mark.every(5)
def test_long_messages_are_as_short_ones(name: str) -> None:
    """Under each key: a key is set up for a program of its own."""
    definition = cipher(name)
    size, options = definition.block.bytes, () if definition.stateful else (MODE_ECB,)
    for number in range(3):
        key = bytes((7 * at + number) % 256 for at in range(definition.usual_key_bits() // 8))
        data = message(64 * size)
        one = new(name, key, *options)
        parts = b"".join(one.encrypt(data[at : at + size]) for at in range(0, len(data), size))
        assert new(name, key, *options).encrypt(data) == parts


@needs_compiler
@pytest.mark.parametrize("mode", [MODE_CBC, MODE_CFB, MODE_OFB, MODE_CTR])
@pytest.mark.parametrize("size", [16, 8192])
def test_one_direction_wins(mode: int, size: int) -> None:
    for _ in range(20):
        made = new("rc6", keys(1)[0], mode, **MODES[mode])

        def first(number: int, made: Any = made) -> str:
            direction = ("encrypt", "decrypt")[number % 2]
            try:
                getattr(made, direction)(bytes(size))
            except UsageError:
                return ""
            return direction

        directions = [done for done in together(first) if done]
        assert len(directions) == THREADS // 2 and len(set(directions)) == 1


@needs_compiler
@pytest.mark.parametrize("mode", [MODE_OFB, MODE_CTR])
def test_first_calls_take_turns(mode: int) -> None:
    """No part of a key stream serves twice, whichever thread comes first."""
    for size in (16, 17, 5000):
        for _ in range(10):
            made = new("rc6", keys(1)[0], mode, **MODES[mode])
            alone = new("rc6", keys(1)[0], mode, **MODES[mode])
            taken = together(lambda _, made=made, size=size: made.encrypt(bytes(size)))
            whole = alone.encrypt(bytes(THREADS * size))
            assert sorted(taken) == sorted(whole[at : at + size] for at in range(0, len(whole), size))


@needs_compiler
def test_both_directions_of_a_new_object_at_once() -> None:
    data, key = message(8192), keys(1)[0]
    secret = new("rc6", key, MODE_ECB).encrypt(data)
    for _ in range(20):
        made = new("rc6", key, MODE_ECB)
        done = together(lambda n, made=made: made.decrypt(secret) if n % 2 else made.encrypt(data))
        assert done == [secret, data] * (THREADS // 2)


@pytest.mark.usefixtures("served")
@pytest.mark.parametrize("mode", MODES)
def test_lengths_of_keys_are_told_apart_each_time(mode: int) -> None:
    for _ in range(2):
        for size in (15, 17, 0, 64):
            with pytest.raises(KeyLengthError, match=f"key of {size} bytes; rijndael accepts 16, 24, 32"):
                new("rijndael", bytes(size), mode, **MODES[mode])
        done = {new("rijndael", bytes(size), mode, **MODES[mode]).encrypt(bytes(16)) for size in (16, 24, 32)}
        assert len(done) == 3
