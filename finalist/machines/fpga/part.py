"""A part's figures, as data: delays of cells and wires in ns, and how many of what it has."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from math import log2
from typing import Any


@dataclass(frozen=True, slots=True)
class Part:
    """``arcs``: ns from pin to pin of a cell. A connection that leaves a slice takes ``wire(fanout)`` ns."""

    name: str
    slices: int
    arcs: dict[str, float]
    base: float
    per_doubling: float
    most_doublings: float
    #: Half slices for each table of logic, table that chooses a round key, bit of round keys, of data.
    area: dict[str, float]

    def wire(self, fanout: int) -> float:
        """ns of a connection of a net with so many sinks outside of its slice."""
        return self.base + self.per_doubling * min(self.most_doublings, log2(max(1, fanout)))


@cache
def virtex() -> Part:
    """The XCV1000-4, the part of the published tables; see its file for where the figures come from."""
    found: dict[str, Any] = json.loads(
        (files("finalist.machines.fpga") / "parts" / "virtex-4.json").read_text("utf-8")
    )
    wire = found["wire"]
    return Part(
        found["part"],
        found["slices"],
        found["arcs"],
        wire["base"],
        wire["per_doubling"],
        wire["most_doublings"],
        found["area"],
    )
