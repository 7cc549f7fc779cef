"""Slices of a netlist, and its longest paths from register to register, on the Virtex.

A slice holds two tables of logic, two flip-flops, and two bits of a carry chain; a flip-flop that follows a
table sits beside it, one that does not takes half a slice. A path is the sum of the cells' arcs, and of a
wire wherever it leaves a slice. A wire is as long as the place that its net spans, and what counts there is
slices, not pins: tables that the multiplexers of a slice, or of the one beside it, make one of are at one
place, and most of their inputs are the same.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from math import ceil

from finalist.machines.fpga import part
from finalist.machines.fpga.mapping.cells import Bit, Gate
from finalist.machines.fpga.mapping.netlist import Netlist
from finalist.machines.fpga.part import Wires


@dataclass(frozen=True, slots=True)
class CriticalPath:
    """From register to register: ``cells``, ns of the cells; ``places``, for each wire those of its net."""

    cells: float
    places: tuple[int, ...]

    def ns(self, wires: Wires) -> float:
        """All of it, by a law of wires."""
        return self.cells + sum(map(wires.ns, self.places))


def slices(netlist: Netlist) -> int:
    """ceil((tables + carry bits without one) / 2) + half of the flip-flops that stand alone."""
    driver = {gate.output: gate for gate in netlist.gates}
    bare = sum(
        1 for gate in netlist.gates if gate.kind == "MUXCY" and not _is_table(driver.get(gate.pins["S"]))
    )
    loose = sum(1 for gate in netlist.flip_flops if not _packs(driver.get(gate.pins["D"])))
    return ceil((netlist.luts + bare) / 2) + loose // 2


def _is_table(gate: Gate | None) -> bool:
    return gate is not None and gate.kind.startswith("LUT")


def _packs(gate: Gate | None) -> bool:
    return gate is not None and (_is_table(gate) or gate.kind in ("MUXF5", "MUXF6", "XORCY"))


def _is_wire(bit: Bit) -> bool:
    return isinstance(bit, int)


#: What a cell takes from another in its slice, or, the wider multiplexer, from the slice beside it.
_LOCAL = {
    "MUXF5": ("LUT", ("I0", "I1")),
    "MUXF6": ("MUXF5", ("I0", "I1")),
    "XORCY": ("LUT", ("LI",)),
    "MUXCY": ("LUT", ("S",)),
}


class Timing:
    """The connections of a netlist on the part; `longest` by a law of wires."""

    def __init__(self, netlist: Netlist) -> None:
        self.netlist, self.arcs = netlist, part.virtex().arcs
        self.driver: dict[Bit, Gate] = {gate.output: gate for gate in netlist.gates}
        self.beside: dict[Bit, str] = {}
        for gate in netlist.flip_flops:
            if _packs(self.driver.get(gate.pins["D"])):
                self.beside.setdefault(gate.pins["D"], gate.name)

    def is_local(self, gate: Gate, pin: str, bit: Bit) -> bool:
        """Whether a connection stays in a slice (or, to the wider multiplexer, beside it)."""
        source = self.driver.get(bit)
        if source is None:
            return False
        if gate.kind == "FDRE":
            return pin == "D" and self.beside.get(bit) == gate.name
        if source.kind == "MUXCY":
            return pin == "CI"
        kind, pins = _LOCAL.get(gate.kind, ("", ()))
        return pin in pins and source.kind.startswith(kind)

    @cached_property
    def places(self) -> dict[Bit, int]:
        """How many slices, or pairs of them that a multiplexer joins, a net goes to."""
        sinks: dict[Bit, set[str]] = {}
        for gate in (*self.netlist.gates, *self.netlist.flip_flops):
            for pin, bit in gate.inputs:
                if not self.is_local(gate, pin, bit):
                    sinks.setdefault(bit, set()).add(self._at(gate))
        found = {bit: len(names) for bit, names in sinks.items()}
        for port in self.netlist.rams:
            for bit in port.inputs:
                found[bit] = found.get(bit, 0) + 1
        return found

    @cached_property
    def _joined(self) -> dict[str, str]:
        """A cell, and the one that it stands beside: the multiplexer, or the table of a bit of a sum."""
        found = {name: self.driver[bit].name for bit, name in self.beside.items()}
        for gate in self.netlist.gates:
            for pin in _LOCAL.get(gate.kind, ("", ()))[1]:
                if self.is_local(gate, pin, gate.pins[pin]):
                    source = self.driver[gate.pins[pin]].name
                    if gate.kind.startswith("MUXF"):
                        found[source] = gate.name
                    else:
                        found[gate.name] = source
        return found

    def _at(self, gate: Gate) -> str:
        name = gate.name
        while name in self._joined:
            name = self._joined[name]
        return name

    def arc(self, gate: Gate, pin: str) -> float:
        """ns from a pin to the output."""
        if gate.kind == "INV":
            return self.arcs["INV"]
        kind = "LUT" if _is_table(gate) else gate.kind
        name = "I" if kind == "LUT" or (kind.startswith("MUXF") and pin != "S") else pin
        return self.arcs[f"{kind}.{name}->O"]

    def setup(self, gate: Gate, pin: str, bit: Bit) -> float:
        """ns that a flip-flop needs its pin before the clock."""
        if pin in ("CE", "R"):
            return self.arcs[f"setup_{pin}"]
        if not self.is_local(gate, pin, bit):
            return self.arcs["setup_through_BX_BY"]
        kind = self.driver[bit].kind
        after = "LUT" if kind.startswith("LUT") else "XORCY" if kind == "XORCY" else "F5_F6"
        return self.arcs[f"setup_after_local_{after}"]

    def longest(self, wires: Wires) -> CriticalPath:
        """The longest path from register to register; ports count as registers, constants as ready.

        A block RAM is a register that takes the address.
        """
        arrivals = _Arrivals(self, wires)
        ns, hop = max(arrivals.ends(), key=lambda end: end[0])
        places = tuple(arrivals.back(hop))[::-1]
        return CriticalPath(round(ns - sum(map(wires.ns, places)), 3), places)


#: Of a path: the pin that a wire leads to, of a cell or, without one, of a block RAM.
_Hop = tuple[Gate | None, str, Bit]


class _Arrivals:
    """When each wire of a netlist has its value, and where that came from last, by a law of wires."""

    def __init__(self, timing: Timing, wires: Wires) -> None:
        self.timing, self.start = timing, timing.arcs["FF.C->Q"]
        self._wire = {count: wires.ns(count) for count in set(timing.places.values())}
        outputs = [bit for port in timing.netlist.rams for bit in port.outputs]
        self.at: dict[Bit, float] = dict.fromkeys(outputs, timing.arcs["RAM.C->Q"])
        self.last: dict[Bit, _Hop] = {}
        for gate in timing.netlist.gates:
            self._through(gate)

    def _through(self, gate: Gate) -> None:
        """From the pin that is ready last to the output."""
        ways = [
            (self.at_pin(gate, pin, bit) + self.timing.arc(gate, pin), pin)
            for pin, bit in gate.inputs
            if _is_wire(bit)
        ]
        self.at[gate.output], pin = max(ways, default=(0.0, ""))
        if pin:
            self.last[gate.output] = gate, pin, gate.pins[pin]

    def at_pin(self, gate: Gate | None, pin: str, bit: Bit) -> float:
        """When a pin has its value."""
        return self.at.get(bit, self.start) + self._wire.get(self._places((gate, pin, bit)), 0.0)

    def _places(self, hop: _Hop) -> int:
        """Of the wire to a pin; 0 where there is none, inside of a slice."""
        gate, pin, bit = hop
        local = gate is not None and self.timing.is_local(gate, pin, bit)
        return 0 if local else self.timing.places[bit]

    def ends(self) -> Iterator[tuple[float, _Hop]]:
        """When registers and block RAMs are ready for the clock."""
        for gate in self.timing.netlist.flip_flops:
            for pin, bit in gate.inputs:
                if _is_wire(bit):
                    ready = self.at_pin(gate, pin, bit) + self.timing.setup(gate, pin, bit)
                    yield ready, (gate, pin, bit)
        for port in self.timing.netlist.rams:
            for bit in filter(_is_wire, port.inputs):
                yield self.at_pin(None, "", bit) + self.timing.arcs["setup_RAM"], (None, "", bit)

    def back(self, end: _Hop) -> Iterator[int]:
        """The places of each wire of a path, from its end back to the register where it begins."""
        hop: _Hop | None = end
        while hop is not None:
            if places := self._places(hop):
                yield places
            hop = self.last.get(hop[2])
