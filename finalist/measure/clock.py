"""How a figure is taken on the host: minimum ticks of many runs, and what that is in core cycles.

Every measuring function takes the address of compiled code of one of four C types,

    typedef void (*kernel)(const void *key, const uint8_t *in, uint8_t *out, size_t blocks);
    typedef void (*mode)(const void *key, uint8_t *state, const uint8_t *in, uint8_t *out, size_t count);
    typedef void (*setup)(const uint8_t *key, void *expanded);
    typedef int (*set_key)(void *context, const uint8_t *key, size_t length, size_t message);

runs it inside a small C library (``clock.c``) until its time is spent, and returns the minimum: on
a shared machine disturbances only ever add time. The clock counts at a constant rate while the
core's frequency moves, so each batch of runs is followed by a calibration, a chain of dependent
additions that takes one core cycle each.

Two-calls-minus-one is the method of B. Gladman's AES tables (1998-99): the difference removes what
the reading of the clock itself costs.
"""

from __future__ import annotations

import ctypes
import itertools
import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache, partial
from pathlib import Path
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from finalist.measure.arguments import (
    require_address,
    require_kernel,
    require_key,
    require_multiple,
    require_positive,
    require_seconds,
)
from finalist.measure.memory import Bytes as _Bytes
from finalist.measure.memory import alternating_keys, buffers
from finalist.toolchain.compiler import load_shared_library

SECONDS = 0.3
"""Default time for one figure, in seconds."""
KEYS = 64
"""User's keys that take turns in a figure of key set-up, as ``clock.c`` has them."""

Unit = Literal["per byte", "per block", "per call"]

_Ticks: TypeAlias = NDArray[np.uint64]
Batch: TypeAlias = Callable[[int], Sequence[_Ticks]]
"""So many runs, timed: of each series of a figure the ticks of each run."""

_BATCH_SECONDS = 0.002  # short enough that the core's frequency is the calibration's, too
_MOST_RUNS = 4096  # in a batch
_CHAINS = 4  # in a calibration
_RATE_SECONDS = 0.05  # to see how fast the clock ticks
_READINGS = 1000  # for the clock's own cost and grain
_PRECISION = 0.01  # of a figure that is a difference of two readings
_LONG_RUN = 2000  # ticks: so long that the grain of most clocks is about one per cent of it


@dataclass(frozen=True)
class Measurement:
    """One figure.

    ``ticks`` (from the minimum of all runs) and ``median_ticks`` (from their median) are ticks of
    ``clock`` per byte, block or call, as ``unit`` says; ``core_cycles`` is ``ticks`` in cycles of
    the core, of which one took ``ticks_per_cycle`` at its fastest beside the runs; ``runs`` is how
    many runs were taken.
    """

    ticks: float
    unit: Unit
    clock: str
    ticks_per_cycle: float
    runs: int
    median_ticks: float
    core_cycles: float = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "core_cycles", self.ticks / self.ticks_per_cycle)

    @property
    def spread(self) -> float:
        """How far the median lies above the figure, as a fraction of it: the machine's unrest."""
        return max(self.median_ticks / self.ticks - 1, 0.0) if self.ticks else 0.0


def clock_source() -> str:
    """Name of the clock whose ticks are counted: rdtsc, cntvct_el0 or clock_gettime."""
    name: bytes = _library().finalist_clock_source()
    return name.decode("ascii")


def ticks_per_cycle(chains: int = 64) -> float:
    """Ticks of the clock in one cycle of the core, as it runs now: the minimum of ``chains``."""
    require_positive("chains", chains)
    ticks: float = _library().finalist_clock_ticks_per_cycle(chains)
    return ticks


def read() -> int:
    """The clock's count now."""
    return int(_library().finalist_clock_read())


@cache
def ticks_per_second() -> float:
    """Ticks of the clock in one second, to about one part in ten thousand."""
    began, first = time.perf_counter(), read()
    time.sleep(_RATE_SECONDS)
    ticks = read() - first
    return ticks / (time.perf_counter() - began)


@cache
def clock_resolution() -> int:
    """The clock's grain: the step in ticks that all its readings are multiples of.

    Virtual and some real x86 processors advance the time-stamp counter by dozens at a time.
    """
    readings = [read() for _ in range(_READINGS)]
    return math.gcd(*(after - before for before, after in itertools.pairwise(readings)))


def measure_bulk(
    function: int,
    key: int,
    data_bytes: int,
    block_bytes: int,
    *,
    least_bytes: int = 1,
    seconds: float = SECONDS,
) -> Measurement:
    """Throughput of a kernel: ticks per byte of calls on a buffer of ``data_bytes``.

    ``function`` is the kernel's address, ``key`` the expanded key's. Input (random bytes) and output are
    different buffers. At least one call is made, however long it takes; calls too short for the clock are
    timed several in a row. So are those on fewer than ``least_bytes``: where each call goes on with a key
    stream no two do the same, and of short runs the least would be the one with most luck.

    Raises:
        MeasurementError: an address is null, ``data_bytes`` is no positive multiple of
            ``block_bytes``, or ``least_bytes`` or ``seconds`` is not positive.
    """
    require_kernel(function, key, block_bytes)
    require_multiple("data_bytes", data_bytes, block_bytes)
    require_positive("least_bytes", least_bytes)
    source, target = buffers(data_bytes)
    blocks = data_bytes // block_bytes

    def ticks(calls: int, runs: int) -> _Ticks:
        return _kernel_ticks(function, key, source, target, blocks, calls, runs)

    return _of_calls(ticks, seconds, data_bytes, -(-least_bytes // data_bytes))


def measure_mode(
    function: int,
    key: int,
    data_bytes: int,
    block_bytes: int,
    *,
    in_blocks: bool,
    fresh: bool = False,
    seconds: float = SECONDS,
) -> Measurement:
    """Throughput of a mode of operation, as `measure_bulk` has it of a kernel.

    The function gets a block of state, a counter or the block before, and goes on from what its last call
    left there, or, if ``fresh``, each time from zeros. Its count is ``in_blocks`` or else in bytes.

    Raises:
        MeasurementError: as `measure_bulk`.
    """
    require_kernel(function, key, block_bytes)
    require_multiple("data_bytes", data_bytes, block_bytes)
    source, target = buffers(data_bytes)
    state = np.zeros(block_bytes, np.uint8)
    blocks = data_bytes // block_bytes
    count = blocks if in_blocks else data_bytes
    memory = (state.ctypes.data, source.ctypes.data, target.ctypes.data)
    arguments = (function, key, *memory, count, block_bytes if fresh else 0)
    ticks = partial(_timed, _library().finalist_clock_mode, arguments)
    return _of_calls(ticks, seconds, data_bytes)


def measure_chained(
    function: int, key: int, block_bytes: int, *, blocks: int = 256, seconds: float = SECONDS
) -> Measurement:
    """Latency of a kernel, as in a feedback mode: ticks per block of one block encrypted in place.

    Each of the ``blocks`` calls of a run works on the output of the one before.

    Raises:
        MeasurementError: an address is null, a size or ``seconds`` is not positive.
    """
    require_kernel(function, key, block_bytes)
    require_positive("blocks", blocks)
    block, _ = buffers(block_bytes)

    def batch(runs: int) -> Sequence[_Ticks]:
        return [_kernel_ticks(function, key, block, block, 1, blocks, runs)]

    return figure(batch, seconds, "per block", blocks)


def measure_call(function: int, key: int, block_bytes: int, *, seconds: float = SECONDS) -> Measurement:
    """One call of a kernel on one block, by Gladman's method: minimum of two calls less one call.

    Where the clock is too coarse for that, twice as many calls as needed less half of them.

    Raises:
        MeasurementError: an address is null, ``block_bytes`` or ``seconds`` is not positive.
    """
    require_kernel(function, key, block_bytes)
    source, target = buffers(block_bytes)

    def ticks(calls: int, runs: int) -> _Ticks:
        return _kernel_ticks(function, key, source, target, 1, calls, runs)

    return _difference(ticks, seconds)


def measure_setup(function: int, key: bytes, expanded: int, *, seconds: float = SECONDS) -> Measurement:
    """One call of a key schedule, by Gladman's method (see :func:`measure_call`); the mean of `KEYS` keys.

    ``key`` is the first user's key itself, others of its length follow in turn; ``expanded`` is where the
    schedule writes to, which the caller keeps alive.

    Raises:
        MeasurementError: an address is null, ``key`` is empty or not bytes, ``seconds`` is not positive.
    """
    require_address("function", function)
    require_address("expanded", expanded)
    require_key(key)
    keys = alternating_keys(key, KEYS)
    arguments = (function, keys.ctypes.data, keys.shape[1], expanded)
    return _difference(partial(_timed, _library().finalist_clock_setup, arguments), seconds, KEYS)


def measure_set_key(
    function: int, key: bytes, context: int, message: int | None, *, seconds: float = SECONDS
) -> Measurement:
    """One call of a library's key set-up for messages of ``message`` bytes, as :func:`measure_setup`; None:
    of a stream cipher's, for messages of any length, which has no such argument.

    Raises:
        MeasurementError: an address is null, ``key`` is empty or not bytes, ``message`` or ``seconds`` is not
            positive.
    """
    require_address("function", function)
    require_address("context", context)
    require_key(key)
    require_positive("message", 1 if message is None else message)
    keys = alternating_keys(key, KEYS)
    arguments = (function, context, keys.ctypes.data, keys.shape[1], len(key), message or 0)
    return _difference(partial(_timed, _library().finalist_clock_set_key, arguments), seconds, KEYS)


@dataclass(frozen=True)
class _Samples:
    """Of each series that a batch yields, the minimum and the median of the batches' medians."""

    minima: tuple[int, ...]
    medians: tuple[float, ...]
    ticks_per_cycle: float
    runs: int


def _sample(batch: Batch, seconds: float) -> _Samples:
    """Take batches, each followed by a calibration, until ``seconds`` have passed.

    The minima of the ticks and of the calibrations both belong to the core's fastest moments, which is
    what makes their quotient a count of cycles.
    """
    require_seconds(seconds)
    deadline = time.perf_counter() + seconds
    runs, total, cycle = 1, 0, math.inf
    minima: list[list[int]] = []
    medians: list[list[float]] = []
    now = time.perf_counter()
    while not minima or now < deadline:
        began = now
        series = batch(runs)
        cycle = min(cycle, ticks_per_cycle(_CHAINS))
        minima.append([int(np.min(ticks)) for ticks in series])
        medians.append([float(np.median(ticks)) for ticks in series])
        total += runs
        now = time.perf_counter()
        if now - began < _BATCH_SECONDS / 2:
            runs = min(2 * runs, _MOST_RUNS)
    return _Samples(
        minima=tuple(np.min(minima, axis=0).tolist()),
        medians=tuple(np.median(medians, axis=0).tolist()),
        ticks_per_cycle=cycle,
        runs=total,
    )


def _of_calls(
    ticks: Callable[[int, int], _Ticks], seconds: float, data_bytes: int, least: int = 1
) -> Measurement:
    """The figure of calls on ``data_bytes`` each, where ``ticks(calls, runs)`` times them; of ``least`` at
    least."""
    require_seconds(seconds)
    once = int(ticks(1, 1)[0])
    if once < 16 * _LONG_RUN:  # it may have been slow for being the first
        once = int(np.min(ticks(1, 4)))
    calls = max(least, _LONG_RUN // max(once, 1))
    return figure(lambda runs: [ticks(calls, runs)], seconds, "per byte", calls * data_bytes)


def figure(
    batch: Batch, seconds: float, unit: Unit, units: int, *, overhead: int | None = None
) -> Measurement:
    """The figure of a batch of one series, each of whose runs does ``units`` of work.

    ``overhead``: ticks of a run that are not the work's; by default what reading the clock takes.
    """
    before = _reading() if overhead is None else overhead
    samples = _sample(batch, seconds)
    # The less of two: while the core does something else, too, all readings of a moment may be slow.
    overhead = min(before, _reading()) if overhead is None else overhead
    return Measurement(
        ticks=max(samples.minima[0] - overhead, 0) / units,
        unit=unit,
        clock=clock_source(),
        ticks_per_cycle=samples.ticks_per_cycle,
        runs=samples.runs,
        median_ticks=max(samples.medians[0] - overhead, 0.0) / units,
    )


def _reading() -> int:
    """The ticks that reading the clock takes: the minimum of many readings."""
    return int(_library().finalist_clock_overhead(_READINGS))


def _difference(ticks: Callable[[int, int], _Ticks], seconds: float, turns: int = 1) -> Measurement:
    """The figure of one call, where ``ticks(calls, runs)`` times so many calls in a row, a multiple of
    ``turns``."""
    require_seconds(seconds)
    calls = -(-_calls_to_resolve(ticks) // turns) * turns
    samples = _sample(lambda runs: [ticks(calls, runs), ticks(2 * calls, runs)], seconds)
    return Measurement(
        ticks=max(samples.minima[1] - samples.minima[0], 0) / calls,
        unit="per call",
        clock=clock_source(),
        ticks_per_cycle=samples.ticks_per_cycle,
        runs=samples.runs,
        median_ticks=max(samples.medians[1] - samples.medians[0], 0.0) / calls,
    )


def _calls_to_resolve(ticks: Callable[[int, int], _Ticks]) -> int:
    """How many calls the clock's grain asks for, so that a difference is precise enough."""
    runs, many = 16, 16
    one_call = int(np.min(ticks(many, runs))) / many
    return max(1, math.ceil(clock_resolution() / (_PRECISION * max(one_call, 1.0))))


def _kernel_ticks(
    function: int, key: int, source: _Bytes, target: _Bytes, blocks: int, calls: int, runs: int
) -> _Ticks:
    arguments = (function, key, source.ctypes.data, target.ctypes.data, blocks)
    return _timed(_library().finalist_clock_kernel, arguments, calls, runs)


def _timed(clocked: Callable[..., None], arguments: tuple[int, ...], calls: int, runs: int) -> _Ticks:
    """The ticks of each run of so many calls; ``clocked``: a function of ``clock.c``, with its arguments."""
    ticks = np.empty(runs, np.uint64)
    clocked(*arguments, calls, runs, ticks.ctypes.data)
    return ticks


@cache
def _library() -> ctypes.CDLL:
    """``clock.c``, compiled at first use."""
    source = Path(__file__).with_name("clock.c").read_text(encoding="utf-8")
    library = load_shared_library(source, name="clock", flags=("-std=gnu11", "-O2"))
    pointer, size = ctypes.c_void_p, ctypes.c_size_t
    runs = (size, size, pointer)
    _declare(library.finalist_clock_source, ctypes.c_char_p)
    _declare(library.finalist_clock_read, ctypes.c_uint64)
    _declare(library.finalist_clock_overhead, ctypes.c_uint64, size)
    _declare(library.finalist_clock_ticks_per_cycle, ctypes.c_double, size)
    _declare(library.finalist_clock_kernel, None, *[pointer] * 4, size, *runs)
    _declare(library.finalist_clock_mode, None, *[pointer] * 5, size, size, *runs)
    _declare(library.finalist_clock_setup, None, pointer, pointer, size, pointer, *runs)
    _declare(library.finalist_clock_set_key, None, *[pointer] * 3, size, size, size, *runs)
    return library


def _declare(function: ctypes._NamedFuncPointer, result: object, *arguments: object) -> None:
    function.restype, function.argtypes = result, arguments  # type: ignore[assignment]
