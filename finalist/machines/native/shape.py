"""How the blocks of one kernel call lie in the CPU's registers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True)
class Shape:
    """How the kernel's blocks lie: ``copies`` vectors side by side, each of ``lanes`` lanes.

    A lane holds a word of a block or, cut into ``planes`` bit planes, of as many blocks; ``spread`` is the
    layout of `finalist.machines.native.vectors.spread`. With ``registers`` a lane holds a block whole, as
    `finalist.machines.native.whole_blocks.registers` has it; ``slotted``, a bit of each of its bytes, as
    `finalist.machines.native.slices.byteslice` has it. ``chain`` blocks, of a stream cipher that hands on a
    state, come one after the other (`finalist.passes.chain`).
    """

    copies: int
    lanes: int
    lane_bits: int
    planes: int = 1
    spread: bool = False
    registers: bool = False
    slotted: bool = False
    chain: int = 1

    @property
    def sliced(self) -> bool:
        """Whether a lane is one bit of a block."""
        return self.lane_bits == 1

    @property
    def scalar(self) -> bool:
        """Whether there are no vectors at all."""
        return self.lanes == 1 and not self.registers

    @property
    def blocks(self) -> int:
        """Blocks a call."""
        return self.copies * self.lanes * self.planes * self.chain

    @property
    def kernels(self) -> tuple[Shape, ...]:
        """The shapes of a program's kernels, the largest first: its own, and those for the rest of a message.

        Of vectors of whole blocks, and of chains, the last is a block, so that no rest is less.
        """
        found = [replace(self, copies=copies) for copies in _halves(self.copies)]
        if self.chain > 1:
            found.append(replace(self, chain=1))
        if self.registers and self.lanes > 1:
            found.append(replace(self, copies=1, lanes=1))
        return tuple(found)

    @property
    def bits(self) -> int:
        """Bits of a vector; of one lane, the word of a block, where there are none."""
        return self.lanes * self.lane_bits


def _halves(copies: int) -> Iterator[int]:
    """So many, half of them, and so on down to one."""
    while copies:
        yield copies
        copies //= 2
