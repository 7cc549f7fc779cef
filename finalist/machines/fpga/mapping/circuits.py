"""Designs as circuits that proofs carry out: the Verilog as Yosys reads it, or the netlist that it maps.

Of a mapped netlist carry chains are taken as the sums of words that they are: a multiplexer of the chain,
``S ? CI : DI``, is the carry of DI, ``DI ^ S`` and CI, whatever S is.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from finalist.machines.fpga.mapping import yosys
from finalist.machines.fpga.mapping.cells import LUTS, Gate
from finalist.machines.fpga.mapping.netlist import Netlist
from finalist.machines.fpga.mapping.rams import Port
from finalist.machines.fpga.simulation.run import Hardware
from finalist.netlist import yosys as words
from finalist.netlist.circuit import Bit, Cell, Circuit, Kind, circuit, table
from finalist.netlist.emitted import Emitted, Field, Promise

#: What of a design is carried out.
TEXT, MAPPED = "Verilog", "mapped netlist"
#: The port whose rising edges everything takes.
CLOCK = "clk"
#: From text to words: processes as registers and choices, one module, nothing made better.
READ = "proc; flatten; hierarchy -check"
#: By cell its truth table and its pins in their order.
_TABLES: dict[str, tuple[int, tuple[str, ...]]] = {
    "INV": (0b01, ("I",)),
    "MUXF5": (0xCA, ("I0", "I1", "S")),
    "MUXF6": (0xCA, ("I0", "I1", "S")),
    "MUXCY": (0xCA, ("DI", "CI", "S")),
    "XORCY": (0x6, ("LI", "CI")),
}


def emitted(hardware: Hardware, form: str, folder: Path) -> Emitted:
    """The circuit of a design. Raises ScheduleError for VHDL, and what `yosys.kept` raises."""
    yosys.only_verilog(hardware)
    command = READ if form == TEXT else yosys.synthesis(yosys.VIRTEX, hardware)
    path = yosys.kept(hardware.text, hardware.name, command, folder)
    module, name = yosys.module(path, hardware.name), hardware.name
    found = words.read(name, module, CLOCK) if form == TEXT else of_cells(name, Netlist(module))
    made, schedule = (yosys.creator(path),), str(hardware.schedule)
    return Emitted(found, promise(hardware), form, hardware.text, schedule, made, hardware.key_stream)


def promise(hardware: Hardware) -> Promise:
    """What the head of the text says."""
    design, keys = hardware.design, hardware.keys
    chip = design.key_unit is not None
    places = zip(keys.places, keys.fields, strict=True)
    fields = () if chip else tuple(Field(*place, low, width) for place, (_, _, low, width) in places)
    return Promise(
        len(hardware.key_stream(bytes(hardware.key_bits // 8))),
        design.key_cycles,
        design.latency,
        len(design.stages),
        () if chip else hardware.programs,
        fields,
        int(hardware.operation == "decrypt") if design.both else None,
    )


# -- mapped netlists ---------------------------------------------------------------------------------


def of_cells(name: str, netlist: Netlist) -> Circuit:
    """The circuit of a mapped netlist."""
    ports = {port: tuple(bits) for port, bits in netlist.ports.items()}
    inputs = {port for port, direction in netlist.directions.items() if direction == "input"}
    registers: dict[Bit, Bit] = {}
    cells = list(_Chains(netlist).cells())
    for gate in netlist.flip_flops:
        # Kept without the enable, cleared by the reset, whatever the enable.
        pins, before = gate.pins, f"{gate.name}.next"
        cells.append(table(before, 0x00CA, (pins["Q"], pins["D"], pins["CE"], pins["R"]), before))
        registers[pins["Q"]] = before
    for port in netlist.rams:
        made, taken = _ram(port)
        cells += made
        registers |= taken
    return circuit(name, ports, frozenset(inputs - {CLOCK}), cells, registers)


def _ram(port: Port) -> tuple[list[Cell], dict[Bit, Bit]]:
    """A table of words with registers behind it that have an enable."""
    entries = tuple(f"{port.name}.{k}" for k in range(len(port.outputs)))
    taken: dict[Bit, Bit] = {}
    cells = [Cell(port.name, Kind.ROM, (port.address,), entries, words=port.words)]
    for k, (entry, shown) in enumerate(zip(entries, port.outputs, strict=True)):
        taken[shown] = f"{port.name}.next{k}"
        cells.append(table(f"{port.name}.{k}", 0xCA, (shown, entry, port.enable), taken[shown]))
    return cells, taken


class _Chains:
    """The logic of a netlist, carry chains as sums."""

    def __init__(self, netlist: Netlist) -> None:
        self.gates = netlist.gates
        self.driver: dict[Bit, Gate] = {gate.output: gate for gate in netlist.gates}
        self.carries: dict[Bit, list[Gate]] = {}
        self.sums: dict[Bit, list[Gate]] = {}
        every = (*netlist.gates, *netlist.flip_flops)
        self.readers = Counter(bit for gate in every for _, bit in gate.inputs)
        self.readers.update(bit for bits in netlist.ports.values() for bit in bits)
        self.readers.update(bit for port in netlist.rams for bit in port.inputs)
        for gate in netlist.gates:
            if gate.kind in ("MUXCY", "XORCY"):
                found = self.carries if gate.kind == "MUXCY" else self.sums
                found.setdefault(gate.pins["CI"], []).append(gate)

    def cells(self) -> Iterator[Cell]:
        """All cells."""
        taken: set[str] = set()
        for gate in self.gates:
            if gate.kind == "MUXCY" and not self._goes_on(gate):
                yield from self._chain(gate, taken)
        for gate in self.gates:
            if gate.name in taken:
                continue
            if gate.kind in LUTS:
                pins = tuple(gate.pins[f"I{k}"] for k in range(int(gate.kind[3:])))
                yield table(gate.name, gate.truth, pins, gate.output)
            else:
                truth, names = _TABLES[gate.kind]
                yield table(gate.name, truth, [gate.pins[name] for name in names], gate.output)

    def _goes_on(self, gate: Gate) -> bool:
        """Whether this cell of a chain follows another, and is the first that does."""
        into = gate.pins["CI"]
        before = self.driver.get(into)
        return before is not None and before.kind == "MUXCY" and self.carries[into][0] is gate

    def _chain(self, first: Gate, taken: set[str]) -> Iterator[Cell]:
        """The sum that a chain is, from its first cell on; the carry out of the last is its highest bit."""
        row = [first]
        while (following := self.carries.get(row[-1].output)) and self._goes_on(following[0]):
            row.append(following[0])
        a: list[Bit] = []
        b: list[Bit] = []
        outputs: list[Bit] = []
        for k, gate in enumerate(row):
            taken.add(gate.name)
            other = f"{first.name}.b{k}"
            a.append(gate.pins["DI"])
            b.append(other)
            yield table(other, 0x6, (gate.pins["DI"], gate.pins["S"]), other)
            outputs.append(self._output(gate, f"{first.name}.s{k}", taken))
            yield from self._carry_out(gate, row, a, b, f"{first.name}.c{k}")
        yield Cell(
            first.name,
            Kind.SUM,
            ((*a, "0"), (*b, "0"), (first.pins["CI"],)),
            (*outputs, row[-1].output),
        )

    def _output(self, gate: Gate, name: str, taken: set[str]) -> Bit:
        """The wire of the bit of the sum beside a cell of a chain, or a name for one."""
        for found in self.sums.get(gate.pins["CI"], ()):
            if found.pins["LI"] == gate.pins["S"] and found.name not in taken:
                taken.add(found.name)
                return found.output
        return name

    def _carry_out(
        self, gate: Gate, row: list[Gate], a: list[Bit], b: list[Bit], name: str
    ) -> Iterator[Cell]:
        """A carry in the middle of a chain that something else reads: that of the sum up to there."""
        if gate is not row[-1] and self._is_read(gate):
            words = ((*a, "0"), (*b, "0"), (row[0].pins["CI"],))
            yield Cell(name, Kind.SUM, words, (*(f"{name}.{k}" for k in range(len(a))), gate.output))

    def _is_read(self, gate: Gate) -> bool:
        """Whether anything reads a carry but the next cell of its chain and the sum's bit there."""
        following = self.carries[gate.output]
        beside = [one for one in self.sums.get(gate.output, ()) if one.pins["LI"] == following[0].pins["S"]]
        return self.readers[gate.output] > 1 + min(1, len(beside))
