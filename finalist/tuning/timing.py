"""What a program takes: on messages of each length, in chains, in a mode of operation, to set a key up."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from finalist.measure import clock
from finalist.tuning.trials import CHAIN, LENGTHS

#: Time for one figure, in seconds; the minimum of many short runs settles soon.
FIGURE_SECONDS = 0.03

#: Ticks of the clock a byte, by the bytes of a message.
Ticks = dict[str, float]


@dataclass(frozen=True, slots=True)
class Figures:
    """What one turn of a program took: ticks a byte of its blocks and of a mode, and of a key set-up."""

    ticks: Ticks
    mode: Ticks
    set_up: float


@dataclass(frozen=True, slots=True)
class Timing:
    """A program that has reproduced its vectors, a key that it works under, and modes that it is timed in."""

    program: Any
    key: Any
    user_key: bytes
    modes: tuple[str, ...] = ()

    def taken(self) -> tuple[Ticks, float]:
        """Its figures, all as if at the core's highest frequency, and the ticks of a cycle at that."""
        figures = list(self._blocks())
        cycle = min(ticks_per_cycle for _, _, ticks_per_cycle in figures)
        return {at: cycles * cycle for at, cycles, _ in figures}, cycle

    def again(self, ticks_per_cycle: float) -> Figures:
        """Its figures at this frequency of the core, those of modes among them."""

        blocks = {at: cycles * ticks_per_cycle for at, cycles, _ in self._blocks()}
        mode = {at: cycles * ticks_per_cycle for mode in self.modes for at, cycles in self._in_mode(mode)}
        return Figures(blocks, mode, self._set_up() * ticks_per_cycle)

    @property
    def _alone(self) -> bool:
        """Whether it works on one block a call, and so on chains."""
        return bool(self.program.schedule.blocks == 1)

    def _blocks(self) -> Iterator[tuple[str, float, float]]:
        """For each length its name, core cycles a byte, and the clock's ticks a cycle meanwhile."""
        program, key, seconds = self.program, self.key.address, FIGURE_SECONDS
        function, size = program.function_address(program.operation), program.block_bytes
        for length in LENGTHS:
            found = clock.measure_bulk(function, key, _whole(length, size), size, seconds=seconds)
            yield str(length), found.core_cycles, found.ticks_per_cycle
        if self._alone:
            found = clock.measure_chained(function, key, size, seconds=seconds)
            yield str(CHAIN), found.core_cycles / size, found.ticks_per_cycle

    def _in_mode(self, mode: str) -> Iterator[tuple[str, float]]:
        """For each length its name and core cycles a byte in a mode of operation."""
        program, size, in_blocks = self.program.in_modes(mode), self.program.block_bytes, mode == "cbc"
        function = program.function_address(f"cbc_{program.operation}" if in_blocks else mode)
        for length in LENGTHS:
            asked = (function, self.key.address, _whole(length, size), size)
            found = clock.measure_mode(*asked, in_blocks=in_blocks, seconds=FIGURE_SECONDS)
            yield str(length), found.core_cycles

    def _set_up(self) -> float:
        """Core cycles of a key set-up; of programs for chains, where it counts, under a key."""
        if not (self._alone and self.user_key):
            return 0.0
        expand = self.program.function_address("expand")
        return clock.measure_setup(
            expand, self.user_key, self.key.address, seconds=FIGURE_SECONDS
        ).core_cycles


def _whole(data_bytes: int, block_bytes: int) -> int:
    return max(1, data_bytes // block_bytes) * block_bytes
