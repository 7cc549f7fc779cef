"""The measuring functions call what they should, as often and with what they should.

Speeds are never asserted: the machine is shared.
"""

from __future__ import annotations

import ctypes
import math
import platform
import time
from collections.abc import Callable
from dataclasses import asdict
from typing import Any

import numpy as np
import pytest

from finalist.errors import FinalistError
from finalist.measure import clock
from finalist.measure.arguments import MeasurementError
from finalist.measure.clock import (
    KEYS,
    Measurement,
    clock_resolution,
    clock_source,
    measure_bulk,
    measure_call,
    measure_chained,
    measure_mode,
    measure_set_key,
    measure_setup,
    ticks_per_cycle,
)
from finalist.toolchain.compiler import build_shared_library

SECONDS = 0.005
KEY = 0x1998

KERNEL = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t)
MODE = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 4, ctypes.c_size_t)
SETUP = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p)
SET_KEY = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_size_t)
SET_STREAM_KEY = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t)


class Spy:
    """A C function, written in Python, that keeps the arguments of each of its calls."""

    def __init__(self, prototype: Any, action: Callable[..., int | None] | None = None) -> None:
        self.calls: list[tuple[int, ...]] = []
        self._action = action
        self._callback = prototype(self._record)
        self.address = ctypes.cast(self._callback, ctypes.c_void_p).value or 0

    def _record(self, *arguments: int) -> int | None:
        self.calls.append(arguments)
        return self._action(*arguments) if self._action else None


@pytest.fixture
def kernel() -> Spy:
    return Spy(KERNEL)


@pytest.fixture
def setup() -> Spy:
    return Spy(SETUP)


@pytest.fixture
def fine_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """A clock whose grain never asks for more than one call."""
    monkeypatch.setattr(clock, "clock_resolution", lambda: 1)
    monkeypatch.setattr(clock, "_PRECISION", math.inf)


def assert_plausible(figure: Measurement) -> None:
    for value in (figure.ticks, figure.core_cycles, figure.median_ticks, figure.spread):
        assert math.isfinite(value)
        assert value >= 0
    assert figure.clock == clock_source()
    assert figure.ticks_per_cycle > 0
    assert figure.runs >= 1


class TestClock:
    def test_the_source_is_the_processors_own_counter_where_it_has_one(self) -> None:
        own = {"x86_64": "rdtsc", "AMD64": "rdtsc", "aarch64": "cntvct_el0", "arm64": "cntvct_el0"}
        assert clock_source() == own.get(platform.machine(), "clock_gettime")

    def test_a_core_cycle_is_a_plausible_number_of_ticks(self) -> None:
        # The generic timer of AArch64 may run at only 24 MHz; other clocks are near the core's rate.
        least = 0.001 if clock_source() == "cntvct_el0" else 0.1
        assert least < ticks_per_cycle() < 10

    def test_the_resolution_is_a_whole_number_of_ticks(self) -> None:
        assert isinstance(clock_resolution(), int)
        assert clock_resolution() >= 1

    @pytest.mark.parametrize("chains", [0, -1, 1.5, True])
    def test_calibration_refuses_a_count_that_is_none(self, chains: Any) -> None:
        with pytest.raises(MeasurementError, match="chains"):
            ticks_per_cycle(chains)


def timed(function: Spy, figure: Measurement) -> bool:
    """Whether all runs had as many calls, beside the one or five that showed how long one takes."""
    return any((len(function.calls) - probes) % figure.runs == 0 for probes in (1, 5))


class TestBulk:
    def test_each_run_is_one_call_on_the_whole_buffer(self, kernel: Spy) -> None:
        figure = measure_bulk(kernel.address, KEY, 4096, 16, seconds=SECONDS)
        assert timed(kernel, figure)
        assert {(key, blocks) for key, _, _, blocks in kernel.calls} == {(KEY, 256)}
        assert figure.unit == "per byte"

    @pytest.mark.parametrize(("least", "calls"), [(1, 1), (4096, 1), (4097, 2), (1 << 16, 16)])
    def test_a_run_on_a_stream_is_long_enough(self, kernel: Spy, least: int, calls: int) -> None:
        figure = measure_bulk(kernel.address, KEY, 4096, 16, least_bytes=least, seconds=1e-3)
        assert len(kernel.calls) >= calls * figure.runs

    def test_input_and_output_are_apart_and_start_on_cache_lines(self, kernel: Spy) -> None:
        measure_bulk(kernel.address, KEY, 4096, 8, seconds=SECONDS)
        (source, target), *others = {(source, target) for _, source, target, _ in kernel.calls}
        assert not others
        assert target >= source + 4096
        assert source % 64 == target % 64 == 0

    def test_the_whole_output_may_be_written_without_touching_the_input(self) -> None:
        inputs: set[bytes] = set()

        def invert(_key: int, source: int, target: int, blocks: int) -> None:
            data = ctypes.string_at(source, 16 * blocks)
            inputs.add(data)
            ctypes.memmove(target, bytes(byte ^ 255 for byte in data), len(data))

        kernel = Spy(KERNEL, invert)  # kept: its address is no longer good once it is collected
        measure_bulk(kernel.address, KEY, 5 * 16, 16, seconds=SECONDS)
        assert len(inputs) == 1

    def test_input_blocks_differ(self) -> None:
        seen: list[bytes] = []
        kernel = Spy(KERNEL, lambda _key, source, *_: seen.append(ctypes.string_at(source, 4096)))
        measure_bulk(kernel.address, KEY, 4096, 16, seconds=SECONDS)
        blocks = {seen[0][at : at + 16] for at in range(0, 4096, 16)}
        assert len(blocks) == 256

    @pytest.mark.parametrize("readings", [(50, 500), (500, 50)])
    def test_a_moment_of_slow_readings_does_not_swallow_a_short_run(
        self, readings: tuple[int, int], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """What reading the clock takes is subtracted: of two moments what it takes in the quicker one."""
        taken = iter(readings)
        monkeypatch.setattr(clock, "_reading", lambda: next(taken))
        found = clock.figure(lambda runs: [np.full(runs, 120, np.uint64)], SECONDS, "per byte", 10)
        assert found.ticks == found.median_ticks == 7.0

    def test_a_kernel_slower_than_the_time_limit_still_gets_a_figure(self) -> None:
        kernel = Spy(KERNEL, lambda *_: time.sleep(1e-4))
        figure = measure_bulk(kernel.address, KEY, 16, 16, seconds=1e-9)
        assert figure.runs == 1 and len(kernel.calls) == 2

    def test_calls_too_short_for_the_clock_are_timed_in_a_row(self) -> None:
        library = ctypes.CDLL(None)
        function = (
            ctypes.cast(library.labs, ctypes.c_void_p).value or 0
        )  # takes anything, does next to nothing
        figure = measure_bulk(function, KEY, 16, 16, seconds=SECONDS)
        # One call would be a multiple of the clock's grain; many are less than one grain each.
        assert 0 < 16 * figure.ticks < 2000 / 16


class TestModes:
    @pytest.mark.parametrize(("in_blocks", "count"), [(True, 4), (False, 64)])
    def test_calls_go_on_from_a_state_between_two_buffers(self, in_blocks: bool, count: int) -> None:
        states: list[bytes] = []

        def step(_key: int, state: int, *_rest: int) -> None:
            states.append(ctypes.string_at(state, 16))
            ctypes.memmove(state, bytes([states[-1][0] + 1 & 255]) + bytes(15), 16)

        mode = Spy(MODE, step)
        figure = measure_mode(mode.address, KEY, 64, 16, in_blocks=in_blocks, seconds=SECONDS)
        assert timed(mode, figure) and figure.unit == "per byte"
        ((key, state, source, target, counted),) = set(mode.calls)
        assert (key, counted) == (KEY, count)
        assert target >= source + 64 and not source <= state < target + 64
        assert [state[0] for state in states] == [number % 256 for number in range(len(mode.calls))]

    def test_fresh_calls_begin_with_zeros(self) -> None:
        states: list[bytes] = []

        def step(_key: int, state: int, *_rest: int) -> None:
            states.append(ctypes.string_at(state, 16))
            ctypes.memset(state, 255, 16)

        mode = Spy(MODE, step)
        assert_plausible(measure_mode(mode.address, KEY, 64, 16, in_blocks=True, fresh=True, seconds=SECONDS))
        assert set(states) == {bytes(16)}


class TestChained:
    def test_each_call_encrypts_the_same_block_in_place(self, kernel: Spy) -> None:
        figure = measure_chained(kernel.address, KEY, 16, blocks=10, seconds=SECONDS)
        assert len(kernel.calls) == 10 * figure.runs
        assert len(set(kernel.calls)) == 1
        key, source, target, blocks = kernel.calls[0]
        assert (key, blocks) == (KEY, 1)
        assert source == target
        assert figure.unit == "per block"


@pytest.mark.usefixtures("fine_clock")
class TestCall:
    def test_a_run_is_one_call_and_then_two(self, kernel: Spy) -> None:
        figure = measure_call(kernel.address, KEY, 16, seconds=SECONDS)
        to_find_the_resolution = 16 * 16
        assert len(kernel.calls) == to_find_the_resolution + 3 * figure.runs
        assert figure.unit == "per call"

    def test_calls_are_of_one_block_between_two_buffers(self, kernel: Spy) -> None:
        measure_call(kernel.address, KEY, 16, seconds=SECONDS)
        ((key, source, target, blocks),) = set(kernel.calls)
        assert (key, blocks) == (KEY, 1)
        assert abs(target - source) >= 16

    def test_a_coarse_clock_gets_more_calls(self, kernel: Spy, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(clock, "clock_resolution", lambda: 10**7)
        monkeypatch.setattr(clock, "_PRECISION", 1.0)
        figure = measure_call(kernel.address, KEY, 16, seconds=1e-9)
        assert len(kernel.calls) > 256 + 3 * figure.runs


@pytest.mark.usefixtures("fine_clock")
class TestSetup:
    def test_a_run_is_one_call_for_each_key_and_then_two(self, setup: Spy) -> None:
        figure = measure_setup(setup.address, b"key", 0x2000, seconds=SECONDS)
        assert len(setup.calls) == 16 * 16 + 3 * KEYS * figure.runs
        assert figure.unit == "per call"

    @pytest.mark.parametrize("length", [1, 16, 64, 65, 256])
    def test_keys_take_turns_and_the_schedule_writes_where_it_is_told(self, length: int) -> None:
        expanded, key = np.zeros(length, np.uint8), bytes(range(length))
        keys: list[bytes] = []
        places: list[int] = []

        def expand(key: int, target: int) -> None:
            ctypes.memmove(target, key, length)
            keys.append(expanded.tobytes())
            places.append(key)

        setup = Spy(SETUP, expand)
        measure_setup(setup.address, key, expanded.ctypes.data, seconds=SECONDS)
        assert keys[-KEYS] == keys[-2 * KEYS] == key and keys[-KEYS:] == keys[-2 * KEYS : -KEYS]
        assert len(set(keys)) == KEYS or length == 1
        assert len(set(places)) == KEYS and not any(place % 64 for place in places)

    def test_a_librarys_is_called_with_the_keys_length_and_the_messages(self) -> None:
        keys: list[bytes] = []

        def expand(_context: int, key: int, length: int, _message: int) -> int:
            keys.append(ctypes.string_at(key, length))
            return 0

        set_key = Spy(SET_KEY, expand)
        figure = measure_set_key(set_key.address, b"the key", 0x2000, 4096, seconds=SECONDS)
        assert len(set_key.calls) == 16 * 16 + 3 * KEYS * figure.runs and figure.unit == "per call"
        assert {(call[0], *call[2:]) for call in set_key.calls} == {(0x2000, 7, 4096)}
        assert keys[-KEYS] == keys[-2 * KEYS] == b"the key" and len(set(keys)) == KEYS

    def test_a_stream_ciphers_has_no_argument_for_the_message(self) -> None:
        set_key = Spy(SET_STREAM_KEY, lambda *_: 0)
        figure = measure_set_key(set_key.address, b"the key", 0x2000, None, seconds=SECONDS)
        assert len(set_key.calls) == 16 * 16 + 3 * KEYS * figure.runs
        assert {(call[0], *call[2:]) for call in set_key.calls} == {(0x2000, 7)}


def figure_of(ticks: float, cycle: float, median: float) -> Measurement:
    return Measurement(ticks, "per byte", "rdtsc", cycle, runs=3, median_ticks=median)


class TestMeasurement:
    def test_core_cycles_are_ticks_over_ticks_per_cycle(self) -> None:
        assert figure_of(9, 2, 30).core_cycles == 4.5
        assert asdict(figure_of(9, 2, 30))["core_cycles"] == 4.5

    def test_spread_is_the_median_above_the_minimum(self) -> None:
        assert figure_of(10, 1, 12).spread == pytest.approx(0.2)
        assert figure_of(0, 1, 12).spread == 0
        assert figure_of(10, 1, 9).spread == 0


NOTHING = """
#include <stddef.h>
#include <stdint.h>
void no_kernel(const void *key, const uint8_t *in, uint8_t *out, size_t blocks);
void no_kernel(const void *key, const uint8_t *in, uint8_t *out, size_t blocks)
{ (void)key; (void)in; (void)out; (void)blocks; }
void no_setup(const uint8_t *key, void *expanded);
void no_setup(const uint8_t *key, void *expanded) { (void)key; (void)expanded; }
"""


class TestNothing:
    """A function that does nothing costs next to nothing, never less."""

    def test_every_method(self) -> None:
        library = ctypes.CDLL(str(build_shared_library(NOTHING, name="nothing")))
        kernel = ctypes.cast(library.no_kernel, ctypes.c_void_p).value or 0
        setup = ctypes.cast(library.no_setup, ctypes.c_void_p).value or 0
        assert_plausible(measure_bulk(kernel, KEY, 16, 16, seconds=SECONDS))
        assert_plausible(measure_chained(kernel, KEY, 16, seconds=SECONDS))
        assert_plausible(measure_call(kernel, KEY, 16, seconds=SECONDS))
        assert_plausible(measure_setup(setup, b"k", 0x2000, seconds=SECONDS))


BULK: dict[str, Any] = {"function": 0x1000, "key": KEY, "data_bytes": 64, "block_bytes": 16}
MODES: dict[str, Any] = {**BULK, "in_blocks": True}
CHAINED: dict[str, Any] = {"function": 0x1000, "key": KEY, "block_bytes": 16}
SET_UP: dict[str, Any] = {"function": 0x1000, "key": b"key", "expanded": 0x2000}
SET_FOR: dict[str, Any] = {"function": 0x1000, "key": b"key", "context": 0x2000, "message": 64}


@pytest.mark.parametrize(
    ("measure", "arguments", "name", "value"),
    [
        *((measure_bulk, BULK, "function", value) for value in (0, -1, None, 1.0, True, 1 << 70)),
        (measure_bulk, BULK, "key", 0),
        *((measure_bulk, BULK, "data_bytes", value) for value in (0, -16, 65, 64.0)),
        *((measure_bulk, BULK, "block_bytes", value) for value in (0, -16, 1.5)),
        *((measure_bulk, BULK, "seconds", value) for value in (0, -1, math.inf, math.nan, "1")),
        (measure_mode, MODES, "function", 0),
        (measure_mode, MODES, "key", 0),
        (measure_mode, MODES, "data_bytes", 65),
        (measure_mode, MODES, "block_bytes", 0),
        (measure_mode, MODES, "seconds", 0),
        (measure_chained, CHAINED, "function", 0),
        (measure_chained, CHAINED, "key", 0),
        (measure_chained, CHAINED, "block_bytes", 0),
        (measure_chained, CHAINED, "blocks", 0),
        (measure_chained, CHAINED, "seconds", 0),
        (measure_call, CHAINED, "function", 0),
        (measure_call, CHAINED, "key", 0),
        (measure_call, CHAINED, "block_bytes", 0),
        (measure_call, CHAINED, "seconds", 0),
        (measure_setup, SET_UP, "function", 0),
        *((measure_setup, SET_UP, "key", value) for value in (b"", "key", 5)),
        (measure_setup, SET_UP, "expanded", 0),
        (measure_setup, SET_UP, "seconds", 0),
        *((measure_set_key, SET_FOR, name, 0) for name in ("function", "context", "message", "seconds")),
        (measure_set_key, SET_FOR, "key", b""),
    ],
)
def test_bad_arguments_are_named_and_nothing_is_called(
    measure: Callable[..., Measurement], arguments: dict[str, Any], name: str, value: Any
) -> None:
    with pytest.raises(MeasurementError, match=rf"^{name} is ") as caught:
        measure(**{**arguments, name: value})
    assert isinstance(caught.value, FinalistError)
    assert repr(value) in str(caught.value)
    assert "expected" in str(caught.value)
