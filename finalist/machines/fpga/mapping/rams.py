"""Block RAMs of parts, as Yosys names them: tables that are read at a clock edge."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from finalist.errors import CompilerError
from finalist.machines.fpga.mapping.cells import Bit


@dataclass(frozen=True, slots=True)
class Port:
    """A port that is only read: at the clock edge, with ``enable`` high, ``outputs`` become the word of
    ``words`` that ``address`` says; both lowest bit first."""

    name: str
    address: tuple[Bit, ...]
    enable: Bit
    outputs: tuple[Bit, ...]
    words: tuple[int, ...]

    @property
    def inputs(self) -> list[Bit]:
        """The wires that it reads."""
        return [*self.address, self.enable]


def is_ram(kind: str) -> bool:
    """Whether a cell of this type is a block RAM that is known here."""
    return _family(kind) in _PORTS


def ports(name: str, cell: Mapping[str, Any]) -> list[Port]:
    """The ports that something reads. Raises CompilerError for one in a setting that is not known here."""
    found = _PORTS[_family(cell["type"])](name, cell["connections"], cell["parameters"])
    return [port for port in found if port.outputs]


def _virtex(name: str, pins: Mapping[str, Sequence[Bit]], parameters: Mapping[str, Any]) -> list[Port]:
    """RAMB4_Sm_Sn: 4096 bits, each port in words of its own width."""
    found = []
    for port in "AB":
        width = len(pins[f"DI{port}"])
        words = tuple(_words(parameters, "INIT_", 256, width, width))
        _read_only(name, pins[f"WE{port}"], pins[f"RST{port}"])
        address, outputs = tuple(pins[f"ADDR{port}"]), tuple(pins[f"DO{port}"])
        found.append(Port(f"{name}.{port}", address, pins[f"EN{port}"][0], outputs, words))
    return found


def _ecp5(name: str, pins: Mapping[str, Sequence[Bit]], parameters: Mapping[str, Any]) -> list[Port]:
    """DP16KD: each port in words of its own width; 18 bits of memory stand in 20 of INITVAL.

    Narrow words are parts of the lower 8 bits of 9.
    """
    found = []
    for port in "AB":
        width = int(parameters[f"DATA_WIDTH_{port}"], 2)
        outputs = tuple(pins[f"DO{port}{k}"][0] for k in range(18) if pins.get(f"DO{port}{k}"))
        if not outputs:
            continue
        if width not in _ECP5_WIDTHS or parameters[f"REGMODE_{port}"] != "NOREG":
            raise CompilerError(f"the block RAM {name} is in a setting that is not known here")
        _read_only(name, pins[f"WE{port}"], pins[f"RST{port}"])
        words = _words(parameters, "INITVAL_", 320, 20, 18)
        if width < 18:
            words = _parts(words, 18, 9)
        if width < 9:
            words = _parts(words, 8, width)
        address = tuple(pins[f"AD{port}{k}"][0] for k in range(_ECP5_WIDTHS[width], 14))
        found.append(Port(f"{name}.{port}", address, pins[f"CE{port}"][0], outputs[:width], tuple(words)))
    return found


#: The address pin of the lowest bit, by width.
_ECP5_WIDTHS = {1: 0, 2: 1, 4: 2, 9: 3, 18: 4}


def _parts(words: Sequence[int], bits: int, width: int) -> list[int]:
    """The lowest ``bits`` of words, taken apart."""
    return [word >> low & (1 << width) - 1 for word in words for low in range(0, bits, width)]


def _read_only(name: str, *wires: Sequence[Bit]) -> None:
    if any(bit not in ("0", "x") for wire in wires for bit in wire):
        raise CompilerError(f"the block RAM {name} is written to, which is not known here")


def _words(parameters: Mapping[str, Any], row: str, bits: int, step: int, width: int) -> list[int]:
    """The words of all rows of contents, ``step`` bits from one to the next."""
    words = []
    for number in range(64):
        text = parameters.get(f"{row}{number:02X}")
        if text is None:
            break
        whole = int(text.replace("x", "0"), 2)
        words += [whole >> low & (1 << width) - 1 for low in range(0, bits, step)]
    return words


def _family(kind: str) -> str:
    return "RAMB4" if kind.startswith("RAMB4_") and kind.count("_") == 2 else kind


_PORTS: dict[str, Callable[..., list[Port]]] = {"RAMB4": _virtex, "DP16KD": _ecp5}
