"""The cells of parts, as Yosys names them, in terms of a few kinds that a netlist is executed in.

Those kinds are the Virtex's own: tables of logic (LUT1 to LUT4), multiplexers (MUXF5, MUXF6), a carry chain
(MUXCY, XORCY), inverters and flip-flops (FDRE: with enable and a reset that goes before it). Cells of other
parts are one or several of them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from finalist.errors import CompilerError

#: A wire's number, or a name for one inside of a cell; the strings 0, 1 and x are constants.
Bit = int | str
LUTS = ("LUT1", "LUT2", "LUT3", "LUT4")
FLIP_FLOPS = ("FDRE",)
_OWN = frozenset((*LUTS, *FLIP_FLOPS, "INV", "MUXF5", "MUXF6", "MUXCY", "XORCY"))


@dataclass(frozen=True, slots=True)
class Gate:
    """A cell: its type, its pins' wires, and the truth table of a table of logic."""

    name: str
    kind: str
    pins: dict[str, Bit]
    truth: int = 0

    @property
    def inputs(self) -> list[tuple[str, Bit]]:
        """Pins and wires that it reads."""
        return [(pin, bit) for pin, bit in self.pins.items() if pin not in ("O", "Q", "C")]

    @property
    def output(self) -> Bit:
        """The wire that it drives."""
        return self.pins["O"] if "O" in self.pins else self.pins["Q"]


def gates(name: str, cell: Mapping[str, Any]) -> list[Gate]:
    """What a cell is. Raises CompilerError for one that is not known here, or not in this setting."""
    kind, parameters = cell["type"], cell["parameters"]
    pins = {pin: bits[0] for pin, bits in cell["connections"].items() if bits}
    if kind in _OWN and "Z" not in pins:
        truth = int(parameters.get("INIT", "0"), 2) if kind in LUTS else 0
        return [Gate(name, kind, pins, truth)]
    if kind not in _OTHERS:
        raise CompilerError(f"the netlist has a cell of type {kind}, which is not known here")
    return _OTHERS[kind](name, pins, parameters)


def _renamed(kind: str, names: Mapping[str, str], init: str = "") -> _Rule:
    def rule(name: str, pins: dict[str, Bit], parameters: Mapping[str, Any]) -> list[Gate]:
        truth = int(parameters[init], 2) if init else 0
        return [Gate(name, kind, {new: pins.get(old, "0") for old, new in names.items()}, truth)]

    return rule


def _majority(name: str, pins: dict[str, Bit], parameters: Mapping[str, Any]) -> list[Gate]:
    """The carry of three bits."""
    wires = {"I0": pins["I0"], "I1": pins["I1"], "I2": pins["CI"], "O": pins["CO"]}
    return [Gate(name, "LUT3", wires, 0xE8)]


def _two_sums(name: str, pins: dict[str, Bit], parameters: Mapping[str, Any]) -> list[Gate]:
    """CCU2C: two bits of a carry chain, each behind a table of four inputs, whose low quarter generates."""
    made, carry = [], pins.get("CIN", "0")
    for half in ("0", "1"):
        truth, injected = int(parameters[f"INIT{half}"], 2), parameters[f"INJECT1_{half}"] == "YES"
        inputs = {f"I{k}": pins.get(f"{pin}{half}", "0") for k, pin in enumerate("ABCD")}
        low = {pin: inputs[pin] for pin in ("I0", "I1")}
        whole, quarter, after = (f"{name}.{what}{half}" for what in ("p", "g", "c"))
        out = pins.get("COUT", after) if half == "1" else after
        made += [
            Gate(whole, "LUT4", {**inputs, "O": whole}, truth),
            Gate(quarter, "LUT2", {**low, "O": quarter}, 0 if injected else truth & 15),
            Gate(after, "MUXCY", {"S": whole, "DI": quarter, "CI": carry, "O": out}),
        ]
        if f"S{half}" in pins:
            into = "0" if injected else carry
            made.append(Gate(f"{name}.s{half}", "XORCY", {"LI": whole, "CI": into, "O": pins[f"S{half}"]}))
        carry = out
    return made


def _set(name: str, pins: Mapping[str, Bit], one: Bit) -> list[Gate]:
    """A flip-flop that ``one`` sets, whether it is enabled or not: as tables before it."""
    before, enabled = f"{name}.d", f"{name}.e"
    wires = {"C": pins["C"], "CE": enabled, "D": before, "R": "0", "Q": pins["Q"]}
    return [
        Gate(before, "LUT2", {"I0": pins["D"], "I1": one, "O": before}, 0xE),
        Gate(enabled, "LUT2", {"I0": pins["CE"], "I1": one, "O": enabled}, 0xE),
        Gate(name, "FDRE", wires),
    ]


def _virtex_set(name: str, pins: dict[str, Bit], parameters: Mapping[str, Any]) -> list[Gate]:
    """FDSE."""
    return _set(name, pins, pins["S"])


def _trellis(name: str, pins: dict[str, Bit], parameters: Mapping[str, Any]) -> list[Gate]:
    """TRELLIS_FF, cleared, set or kept at the rising edge."""
    enable, reset = parameters.get("CEMUX", "1").strip(), pins.get("LSR", "0")
    usual = parameters.get("CLKMUX") == "CLK" and parameters.get("LSRMUX") == "LSR" and enable in ("CE", "1")
    if not usual or (reset != "0" and parameters.get("SRMODE") != "LSR_OVER_CE"):
        raise CompilerError(f"the netlist has a flip-flop in a setting that is not known here: {parameters}")
    wires = {"C": pins["CLK"], "CE": pins["CE"] if enable == "CE" else "1", "D": pins["DI"], "Q": pins["Q"]}
    if reset != "0" and parameters["REGSET"] == "SET":
        return _set(name, wires, reset)
    return [Gate(name, "FDRE", {**wires, "R": reset})]


def _ice(name: str, pins: dict[str, Bit], parameters: Mapping[str, Any]) -> list[Gate]:
    """SB_DFF, SB_DFFE, SB_DFFSR."""
    wires = {"C": pins["C"], "CE": pins.get("E", "1"), "D": pins["D"], "R": pins.get("R", "0")}
    return [Gate(name, "FDRE", {**wires, "Q": pins["Q"]})]


def _ice_behind(pin: str, truth: int) -> _Rule:
    """A flip-flop whose reset or set waits for its enable, or goes before nothing: as a table before it."""

    def rule(name: str, pins: dict[str, Bit], parameters: Mapping[str, Any]) -> list[Gate]:
        before = f"{name}.d"
        (kept,) = _ice(name, {**{p: bit for p, bit in pins.items() if p != "R"}, "D": before}, parameters)
        return [Gate(before, "LUT2", {"I0": pins["D"], "I1": pins[pin], "O": before}, truth), kept]

    return rule


_Rule = Callable[[str, dict[str, Bit], Mapping[str, Any]], list[Gate]]
_FOUR = {"A": "I0", "B": "I1", "C": "I2", "D": "I3", "Z": "O"}
_OTHERS: dict[str, _Rule] = {
    "FDSE": _virtex_set,
    # ECP5
    "LUT4": _renamed("LUT4", _FOUR, "INIT"),
    "PFUMX": _renamed("MUXF5", {"BLUT": "I0", "ALUT": "I1", "C0": "S", "Z": "O"}),
    "L6MUX21": _renamed("MUXF6", {"D0": "I0", "D1": "I1", "SD": "S", "Z": "O"}),
    "CCU2C": _two_sums,
    "TRELLIS_FF": _trellis,
    # iCE40
    "SB_LUT4": _renamed("LUT4", {f"I{k}": f"I{k}" for k in range(4)} | {"O": "O"}, "LUT_INIT"),
    "SB_CARRY": _majority,
    "SB_DFF": _ice,
    "SB_DFFE": _ice,
    "SB_DFFSR": _ice,
    "SB_DFFESR": _ice_behind("R", 0x2),
    "SB_DFFSS": _ice_behind("S", 0xE),
    "SB_DFFESS": _ice_behind("S", 0xE),
}
