"""A part's figures, as data: delays of cells and wires in ns, and how many of what it has."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from math import sqrt
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


@dataclass(frozen=True, slots=True)
class Wires:
    """The law of wires in a mapped netlist: a connection takes ``per_span`` ns for the side of the place that
    the slices of its net take; from ``most`` slices on a tool has the driver twice."""

    per_span: float
    most: int

    def ns(self, places: int) -> float:
        """Of a connection of a net to so many slices."""
        return self.per_span * sqrt(min(self.most, places))


def _virtex() -> dict[str, Any]:
    path = files("finalist.machines.fpga") / "parts" / "virtex-4.json"
    found: dict[str, Any] = json.loads(path.read_text("utf-8"))
    return found


@cache
def wires() -> Wires:
    """The law of wires of netlists on the XCV1000-4."""
    return Wires(_virtex()["netlist_wire"]["per_span"], virtex().most)


@cache
def virtex() -> Fabric:
    """The XCV1000-4, the part of the published tables; see its file for where the figures come from."""
    found = _virtex()
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
