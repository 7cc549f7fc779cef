"""From how many blocks on a program is quicker than others, as measured now, with and without key set-up."""

from __future__ import annotations

import ctypes
import time
from collections.abc import Callable, Iterator, Sequence

from finalist.engine.work import in_blocks, step
from finalist.machines.native.binary import Binary

_TRIES = 5


def function_name(program: Binary, mode: str) -> str:
    """The function of a program that serves a mode, without the cipher's name."""
    return {"ecb": program.operation, "cbc": f"cbc_{program.operation}"}.get(mode, mode)


class Timed:
    """A program, timed in a mode: ``setup``, the seconds that setting up a key takes, and its work."""

    def __init__(self, program: Binary, mode: str, most: int) -> None:
        size = program.block_bytes
        key = bytes(number % 256 for number in range(1, program.key_bits // 8 + 1))
        self._expanded = program.expand(key)
        expand, place = program.function("expand"), self._expanded.address
        self.setup = _seconds(lambda: expand(key, place))
        self._function = program.function(function_name(program, mode))
        self._memory = ctypes.create_string_buffer(most * size)
        self._state = () if mode == "ecb" else (ctypes.create_string_buffer(size),)
        self._step = 1 if in_blocks(mode) else step(mode, size)

    def seconds(self, blocks: int, *, fresh: bool) -> float:
        """What a message of so many blocks takes, with setting up its key if that is ``fresh``."""
        memory, key, count = self._memory, self._expanded.address, blocks * self._step
        work = _seconds(lambda: self._function(key, *self._state, memory, memory, count))
        return work + (self.setup if fresh else 0)


def least(others: Sequence[Timed], one: Timed, begin: int, most: int, *, fresh: bool) -> int:
    """From how many blocks on ``one`` is done sooner than all others, of ``begin`` and its doubles.

    Beyond ``most`` nothing is measured.
    """
    for blocks in _doubled(begin, most):
        if one.seconds(blocks, fresh=fresh) <= min(other.seconds(blocks, fresh=fresh) for other in others):
            return blocks
    return max(begin, most)


def rest(others: Sequence[Timed], one: Timed, whole: int, *, fresh: bool) -> int:
    """Of fewer blocks than a call of ``one``, from how many on that call is done sooner than all others.

    ``fresh``: when others have a key to set up for it. Of ``whole`` blocks it is.
    """
    for blocks in _doubled(1, whole):
        if one.seconds(blocks, fresh=False) <= min(other.seconds(blocks, fresh=fresh) for other in others):
            return blocks
    return whole


def _doubled(begin: int, most: int) -> Iterator[int]:
    while begin < most:
        yield begin
        begin *= 2


def _seconds(call: Callable[[], object]) -> float:
    """The least of a few calls."""
    times = []
    for _ in range(_TRIES):
        began = time.perf_counter()
        call()
        times.append(time.perf_counter() - began)
    return min(times)
