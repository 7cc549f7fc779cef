"""The functions that take so many blocks, as the functions around them call them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Kernels:
    """What a driver calls: ``NAME_N``, for each number N of blocks in ``sizes``, the largest first.

    ``public``: the driver's own name; ``key``: the parameter that all take the expanded key as;
    ``linkage``: what the driver's declaration begins with. ``step``: the function that moves the key's
    counters on by a number of blocks, where it has any. ``long_bits``: bits of a vector, where the largest
    is quicker than memory, and messages that no cache holds are a case of their own; else 0.
    """

    public: str
    name: str
    key: str
    block_bytes: int
    sizes: tuple[int, ...]
    linkage: str = ""
    step: str = ""
    long_bits: int = 0

    @property
    def last(self) -> str:
        """The kernel for what no other fills."""
        return f"{self.name}_{self.sizes[-1]}"

    @property
    def last_bytes(self) -> int:
        """Bytes that it takes."""
        return self.sizes[-1] * self.block_bytes
