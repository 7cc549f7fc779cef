"""A part's figures, as data: delays of cells and wires in ns, and how many of what it has."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from typing import Any


@dataclass(frozen=True, slots=True)
class Fabric:
    """``arcs``: ns from pin to pin of a cell. A connection that leaves a slice takes ``wire(fanout)`` ns.

    Getting on a wire and off takes ``base``; a net with n sinks spans a place of n cells, so that the rest
    goes with a power of n, near the root, and grows in a part that is nearly full, where ways go around what
    is there. From ``most`` sinks on a tool has the driver twice.
    """

    name: str
    slices: int
    block_rams: int
    ram_bits: int
    arcs: dict[str, float]
    base: float
    per_span: float
    power: float
    most: int
    per_full: float
    #: Tables of logic for each bit of a table with so many bits of address, where synthesis makes more of it
    #: than the multiplexers of slices would need.
    table_luts: dict[int, float]
    #: Half slices for each table of logic, table that chooses a round key, bit of round keys, of data.
    area: dict[str, float]
    #: How full it is, from 0 to 1.
    full: float = 0.0

    def wire(self, fanout: int) -> float:
        """ns of a connection of a net with so many sinks outside of its slice."""
        span: float = min(self.most, max(1, fanout)) ** self.power
        return self.base + self.per_span * span * (1 + self.per_full * self.full**3)

    def filled(self, slices: int) -> Fabric:
        """The same part with so many slices in use."""
        return replace(self, full=min(1.0, slices / self.slices))


@cache
def virtex() -> Fabric:
    """The XCV1000-4, the part of the published tables; see its file for where the figures come from."""
    found: dict[str, Any] = json.loads(
        (files("finalist.machines.fpga") / "parts" / "virtex-4.json").read_text("utf-8")
    )
    return Fabric(
        found["part"],
        found["slices"],
        found["block_rams"],
        found["block_ram_bits"],
        found["arcs"],
        **found["wire"],
        table_luts={int(bits): luts for bits, luts in found["table_luts"].items()},
        area=found["area"],
    )
