"""The paper's designs as the FPGA model has them: counts for the area, delays for the clock."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import ceil, sqrt

from finalist.ciphers.catalogue import cipher as find_cipher
from finalist.machines.fpga.machine import Fpga
from finalist.machines.fpga.model.estimate import counts
from finalist.machines.fpga.model.rows import Rows
from finalist.machines.fpga.part import virtex
from finalist.papers.fpga import KEY_BITS, designs
from finalist.papers.load import paper
from finalist.schedule import Schedule

#: The constants of the law of wires that are fitted; `Fabric.wire` has the law.
WIRES = ("base", "per_span", "power", "most", "per_full")


@dataclass(frozen=True, slots=True)
class Row:
    """A design of the paper. ``slices``, ``mhz``: the geometric means of its rows for speed and for area."""

    cipher: str
    architecture: str
    slices: float
    mhz: float
    rows: Rows
    counts: dict[str, float]

    def clock(self, wires: dict[str, float]) -> float:
        """MHz by this law of wires, on a part as full as the present weights of the area make it."""
        weights = virtex().area
        area = sum(weights[name] * count for name, count in self.counts.items()) / 2
        fabric = replace(
            virtex().filled(ceil(area)),
            base=wires["base"],
            per_span=wires["per_span"],
            power=wires["power"],
            most=round(wires["most"]),
            per_full=wires["per_full"],
        )
        return 1000 / max(self.rows.delays(fabric))


def rows(ciphers: frozenset[str] = frozenset()) -> Iterator[Row]:
    """All, or those of some ciphers, one after the other: each takes a second or more."""
    for name, architecture in designs():
        if not ciphers or name in ciphers:
            yield _row(name, architecture)


def _row(name: str, architecture: str) -> Row:
    own = [r for r in paper("fpga")["rows"] if (r["cipher"], r["architecture"]) == (name, architecture)]
    one, other = (next(r for r in own if r["table"] == table) for table in ("VI", "VII"))
    schedule = Schedule(architecture=architecture)
    made = Fpga().compile(find_cipher(name), operation="encrypt", key_bits=KEY_BITS, schedule=schedule)
    rows = Rows(made.design)
    return Row(
        name,
        architecture,
        sqrt(one["slices"] * other["slices"]),
        sqrt(one["clock_mhz"] * other["clock_mhz"]),
        rows,
        counts(rows),
    )
