"""A mapped netlist, executed: one integer a wire, one block a bit of it.

What the cells are is in `cells`. What is simulated is what was mapped, so that a fault
of the mapping shows (Yosys 0.70 has miscompiled adder trees of ours).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from finalist.errors import CompilerError
from finalist.machines.fpga.mapping.cells import FLIP_FLOPS, LUTS, Bit, Gate
from finalist.machines.fpga.mapping.cells import gates as cells_of
from finalist.machines.fpga.mapping.rams import Port, is_ram, ports


class Netlist:
    """A mapped module: ``ports`` by name, lowest wire first; ``gates``, operands first; ``flip_flops``;
    ``rams``, the ports of block RAMs."""

    def __init__(self, module: Mapping[str, Any]) -> None:
        """Raises CompilerError for a cell that is not known here, or a loop of logic."""
        self.ports: dict[str, list[Bit]] = {name: port["bits"] for name, port in module["ports"].items()}
        self.directions = {name: port["direction"] for name, port in module["ports"].items()}
        cells = {name: cell for name, cell in module["cells"].items() if cell["type"] != "$scopeinfo"}
        rams = {name: cell for name, cell in cells.items() if is_ram(cell["type"])}
        self.rams = [port for name, cell in rams.items() for port in ports(name, cell)]
        made = [gate for name, cell in cells.items() if name not in rams for gate in cells_of(name, cell)]
        self.flip_flops = [gate for gate in made if gate.kind in FLIP_FLOPS]
        self.gates = _in_order([gate for gate in made if gate.kind not in FLIP_FLOPS])
        self.counts = Counter(cell["type"] for cell in cells.values())

    @property
    def luts(self) -> int:
        """Tables of logic."""
        return sum(self.counts[kind] for kind in LUTS)


def _in_order(gates: Sequence[Gate]) -> list[Gate]:
    driver = {gate.output: gate for gate in gates}
    waiting = {gate.name: sum(bit in driver for _, bit in gate.inputs) for gate in gates}
    users: dict[Bit, list[Gate]] = {}
    for gate in gates:
        for _, bit in gate.inputs:
            users.setdefault(bit, []).append(gate)
    ready = [gate for gate in gates if not waiting[gate.name]]
    order = []
    while ready:
        gate = ready.pop()
        order.append(gate)
        for user in users.get(gate.output, ()):
            waiting[user.name] -= 1
            if not waiting[user.name]:
                ready.append(user)
    if len(order) < len(gates):
        raise CompilerError("the netlist has a loop of logic")
    return order


class Simulation:
    """A netlist at work, in ``lanes`` lanes."""

    def __init__(self, netlist: Netlist, lanes: int = 64) -> None:
        self.netlist, self.ones = netlist, (1 << lanes) - 1
        wires = [bit for gate in (*netlist.gates, *netlist.flip_flops) for bit in gate.pins.values()]
        wires += [bit for bits in netlist.ports.values() for bit in bits]
        wires += [bit for port in netlist.rams for bit in (*port.inputs, *port.outputs)]
        self._place = {bit: number for number, bit in enumerate(dict.fromkeys(wires))}
        self.values = [self.ones if bit == "1" else 0 for bit in self._place]
        self._logic = self._compiled(netlist.gates)

    def _compiled(self, gates: Sequence[Gate]) -> list[Any]:
        """The logic as Python, in pieces that its compiler takes in good time."""
        lines = [f"v[{self._place[gate.output]}] = {self._formula(gate)}" for gate in gates]
        pieces = ["\n".join(lines[k : k + 500]) for k in range(0, len(lines), 500)]
        return [compile(piece, "netlist", "exec") for piece in pieces]

    def _formula(self, gate: Gate) -> str:
        pins = {pin: f"v[{self._place[bit]}]" for pin, bit in gate.pins.items()}
        if gate.kind in LUTS:
            return _shannon(gate.truth, [pins[f"I{k}"] for k in range(int(gate.kind[3:]))])
        if gate.kind == "INV":
            return f"~{pins['I']} & m"
        if gate.kind == "XORCY":
            return f"{pins['CI']} ^ {pins['LI']}"
        low, high = ("DI", "CI") if gate.kind == "MUXCY" else ("I0", "I1")
        return f"{pins['S']} & {pins[high]} | ~{pins['S']} & {pins[low]}"

    def set(self, port: str, words: Sequence[int]) -> None:
        """Give an input its value in each lane; one value stands for all lanes."""
        for position, bit in enumerate(self.netlist.ports[port]):
            if len(words) == 1:
                value = self.ones * (words[0] >> position & 1)
            else:
                value = sum((word >> position & 1) << lane for lane, word in enumerate(words))
            self.values[self._place[bit]] = value

    def get(self, port: str, lanes: int) -> list[int]:
        """A port's value in each lane; the logic is settled first."""
        self.settle()
        bits = [self.values[self._place[bit]] for bit in self.netlist.ports[port]]
        return [sum((value >> lane & 1) << k for k, value in enumerate(bits)) for lane in range(lanes)]

    def settle(self) -> None:
        """Let the logic follow inputs and registers."""
        names = {"v": self.values, "m": self.ones}
        for piece in self._logic:
            exec(piece, names)

    def clock(self) -> None:
        """A rising edge."""
        self.settle()
        values, place = self.values, self._place
        changes = []
        for gate in self.netlist.flip_flops:
            new, old, enable, reset = (values[place[gate.pins[pin]]] for pin in ("D", "Q", "CE", "R"))
            changes.append((place[gate.pins["Q"]], (new & enable | old & ~enable) & ~reset & self.ones))
        for port in self.netlist.rams:
            changes += self._read(port)
        for number, value in changes:
            values[number] = value

    def _read(self, port: Port) -> list[tuple[int, int]]:
        """The new values of the outputs of a block RAM."""
        values, place = self.values, self._place
        lanes = range(self.ones.bit_length())
        address = [values[place[bit]] for bit in port.address]
        words = [port.words[sum((v >> lane & 1) << k for k, v in enumerate(address))] for lane in lanes]
        enable, found = values[place[port.enable]], []
        for bit, wire in enumerate(port.outputs):
            new = sum((word >> bit & 1) << lane for lane, word in zip(lanes, words, strict=True))
            found.append((place[wire], new & enable | values[place[wire]] & ~enable))
        return found


def _shannon(truth: int, inputs: Sequence[str]) -> str:
    """A truth table as an expression, the last input chosen first."""
    size = 1 << len(inputs)
    if truth == 0:
        return "0"
    if truth == (1 << size) - 1:
        return "m"
    *rest, last = inputs
    half = size // 2
    low, high = truth & (1 << half) - 1, truth >> half
    if low == high:
        return _shannon(low, rest)
    if not low:
        return f"({last} & {_shannon(high, rest)})"
    if not high:
        return f"(~{last} & {_shannon(low, rest)})"
    return f"({last} & {_shannon(high, rest)} | ~{last} & {_shannon(low, rest)})"
