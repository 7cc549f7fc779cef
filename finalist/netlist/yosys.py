"""Modules as Yosys writes them in JSON, with the words of its own internal library, as circuits.

What `proc`, `flatten` and `memory_collect` leave of a design is words: sums, choices, tables, flip-flops with
a clock and nothing else. Bitwise operations and choices become tables of single bits.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from finalist.errors import CompilerError
from finalist.netlist.circuit import Bit, Cell, Circuit, Kind, circuit, table

#: What Yosys notes of scopes, which is no hardware.
NOTES = "$scopeinfo"
_Cell = Mapping[str, Any]


def read(name: str, module: Mapping[str, Any], clock: str) -> Circuit:
    """The circuit of a module; ``clock``: the port whose rising edges all registers take. Raises
    CompilerError for a cell, or a setting of one, that is not known here."""
    ports = {port: tuple(found["bits"]) for port, found in module["ports"].items()}
    inputs = {port for port, found in module["ports"].items() if found["direction"] == "input"}
    cells: list[Cell] = []
    registers: dict[Bit, Bit] = {}
    contents = _contents(module["cells"])
    for own, cell in module["cells"].items():
        kind = cell["type"]
        if kind in (NOTES, "$meminit", "$meminit_v2"):
            continue
        if kind == "$dff":
            registers |= _registers(own, cell, ports[clock])
        elif kind in ("$memrd", "$memrd_v2"):
            cells.append(_rom(own, cell, contents))
        elif kind in _RULES:
            cells += _RULES[kind](own, cell)
        else:
            raise CompilerError(f"the netlist has a cell of type {kind}, which is not known here")
    return circuit(name, ports, frozenset(inputs - {clock}), cells, registers)


def number(cell: _Cell, parameter: str) -> int:
    """A parameter that is a number."""
    return int(cell["parameters"][parameter], 2)


# -- registers and tables of words -------------------------------------------------------------------


def _registers(name: str, cell: _Cell, clock: tuple[Bit, ...]) -> dict[Bit, Bit]:
    pins = cell["connections"]
    if tuple(pins["CLK"]) != clock or not number(cell, "CLK_POLARITY"):
        raise CompilerError(f"the register {name} has another clock than the rising edge of the one port")
    return dict(zip(pins["Q"], pins["D"], strict=True))


def _contents(cells: Mapping[str, _Cell]) -> dict[str, dict[int, str]]:
    """By memory its words at their places, as texts of bits."""
    found: dict[str, dict[int, str]] = {}
    for name, cell in cells.items():
        if not cell["type"].startswith("$meminit"):
            continue
        pins, width = cell["connections"], number(cell, "WIDTH")
        if any(bit != "1" for bit in pins.get("EN", ())):
            raise CompilerError(f"the memory of {name} is filled in part, which is not known here")
        first = sum((bit == "1") << k for k, bit in enumerate(pins["ADDR"]))
        memory = found.setdefault(cell["parameters"]["MEMID"], {})
        for k in range(number(cell, "WORDS")):
            bits = pins["DATA"][k * width : (k + 1) * width]
            memory[first + k] = "".join(map(str, reversed(bits)))
    return found


def _rom(name: str, cell: _Cell, contents: Mapping[str, Mapping[int, str]]) -> Cell:
    """A read of a memory that nothing writes."""
    pins, size = cell["connections"], 1 << number(cell, "ABITS")
    words = contents.get(cell["parameters"]["MEMID"], {})
    if number(cell, "CLK_ENABLE") or any(set(words.get(at, "x")) - set("01") for at in range(size)):
        raise CompilerError(f"the memory of {name} is clocked or not filled, which is not known here")
    entries = tuple(int(words[at], 2) for at in range(size))
    return Cell(name, Kind.ROM, (tuple(pins["ADDR"]),), tuple(pins["DATA"]), words=entries)


# -- words -------------------------------------------------------------------------------------------


def _word(cell: _Cell, pin: str, width: int) -> tuple[Bit, ...]:
    """The bits of a pin, extended to a width as Verilog extends operands, or cut to it."""
    bits = tuple(cell["connections"][pin])
    signed = number(cell, f"{pin}_SIGNED")
    return (bits + ((bits[-1] if signed else "0"),) * (width - len(bits)))[:width]


def _operands(cell: _Cell, width: int) -> tuple[tuple[Bit, ...], tuple[Bit, ...]]:
    return _word(cell, "A", width), _word(cell, "B", width)


def _bitwise(truth: int) -> _Rule:
    def rule(name: str, cell: _Cell) -> Iterator[Cell]:
        out = cell["connections"]["Y"]
        for k, pair in enumerate(zip(*_operands(cell, len(out)), strict=True)):
            yield table(f"{name}.{k}", truth, pair, out[k])

    return rule


def _unary(truth: int) -> _Rule:
    def rule(name: str, cell: _Cell) -> Iterator[Cell]:
        out = cell["connections"]["Y"]
        for k, bit in enumerate(_word(cell, "A", len(out))):
            yield table(f"{name}.{k}", truth, (bit,), out[k])

    return rule


def _mux(name: str, cell: _Cell) -> Iterator[Cell]:
    """B where S is 1, else A."""
    pins = cell["connections"]
    for k, (a, b, y) in enumerate(zip(pins["A"], pins["B"], pins["Y"], strict=True)):
        yield table(f"{name}.{k}", 0xCA, (a, b, pins["S"][0]), y)


def _pmux(name: str, cell: _Cell) -> Iterator[Cell]:
    """The part of B whose bit of S is 1, else A. Of several bits the last counts here; a design in which that
    matters has no value there."""
    pins = cell["connections"]
    width, before = len(pins["Y"]), list(pins["A"])
    for n, select in enumerate(pins["S"]):
        last = n == len(pins["S"]) - 1
        out = pins["Y"] if last else [f"{name}.{n}.{k}" for k in range(width)]
        for k in range(width):
            yield table(f"{name}.{n}.{k}", 0xCA, (before[k], pins["B"][n * width + k], select), out[k])
        before = list(out)


def _result(name: str, out: Sequence[Bit], made: Bit) -> Iterator[Cell]:
    """A word of one bit, with zeros above."""
    yield table(f"{name}.y", 0b10, (made,), out[0])
    for k, bit in enumerate(out[1:], 1):
        yield table(f"{name}.y{k}", 0b00, (made,), bit)


def _reduce(kind: Kind, inverted: bool = False) -> _Rule:
    def rule(name: str, cell: _Cell) -> Iterator[Cell]:
        pins, made = cell["connections"], f"{name}.r"
        yield Cell(name, kind, (tuple(pins["A"]),), (made,))
        yield from _result(name, pins["Y"], made) if not inverted else _inverse(name, pins["Y"], made)

    return rule


def _inverse(name: str, out: Sequence[Bit], made: Bit) -> Iterator[Cell]:
    yield table(f"{name}.n", 0b01, (made,), f"{name}.i")
    yield from _result(name, out, f"{name}.i")


def _logic(truth: int) -> _Rule:
    """Of whether any bit of each word is 1."""

    def rule(name: str, cell: _Cell) -> Iterator[Cell]:
        pins = cell["connections"]
        for pin in "AB":
            yield Cell(f"{name}.{pin}", Kind.ANY, (tuple(pins[pin]),), (f"{name}.{pin}",))
        yield table(f"{name}.l", truth, (f"{name}.A", f"{name}.B"), f"{name}.r")
        yield from _result(name, pins["Y"], f"{name}.r")

    return rule


def _compare(inverted: bool) -> _Rule:
    """Whether two words are the same, or else not."""

    def rule(name: str, cell: _Cell) -> Iterator[Cell]:
        pins = cell["connections"]
        both = _operands(cell, max(len(pins["A"]), len(pins["B"])))
        different = tuple(f"{name}.{k}" for k in range(len(both[0])))
        for bit, pair in zip(different, zip(*both, strict=True), strict=True):
            yield table(bit, 0x6, pair, bit)
        yield Cell(name, Kind.ANY, (different,), (f"{name}.r",))
        finish = _result if inverted else _inverse
        yield from finish(name, pins["Y"], f"{name}.r")

    return rule


def _less(name: str, cell: _Cell) -> Iterator[Cell]:
    pins = cell["connections"]
    if number(cell, "A_SIGNED") and number(cell, "B_SIGNED"):
        raise CompilerError(f"the netlist compares signed words in {name}, which is not known here")
    both = _operands(cell, max(len(pins["A"]), len(pins["B"])))
    yield Cell(name, Kind.LESS, both, (f"{name}.r",))
    yield from _result(name, pins["Y"], f"{name}.r")


def _sum(minus: bool) -> _Rule:
    def rule(name: str, cell: _Cell) -> Iterator[Cell]:
        out = tuple(cell["connections"]["Y"])
        a, b = _operands(cell, len(out))
        if minus:
            inverse = tuple(f"{name}.{k}" for k in range(len(b)))
            for made, bit in zip(inverse, b, strict=True):
                yield table(made, 0b01, (bit,), made)
            b = inverse
        yield Cell(name, Kind.SUM, (a, b, ("1" if minus else "0",)), out)

    return rule


def _product(name: str, cell: _Cell) -> Iterator[Cell]:
    out = tuple(cell["connections"]["Y"])
    yield Cell(name, Kind.PRODUCT, _operands(cell, len(out)), out)


_Rule = Callable[[str, _Cell], Iterator[Cell]]
_RULES: dict[str, _Rule] = {
    "$and": _bitwise(0x8),
    "$or": _bitwise(0xE),
    "$xor": _bitwise(0x6),
    "$xnor": _bitwise(0x9),
    "$not": _unary(0b01),
    "$pos": _unary(0b10),
    "$mux": _mux,
    "$pmux": _pmux,
    "$reduce_and": _reduce(Kind.ALL),
    "$reduce_or": _reduce(Kind.ANY),
    "$reduce_bool": _reduce(Kind.ANY),
    "$reduce_xor": _reduce(Kind.PARITY),
    "$reduce_xnor": _reduce(Kind.PARITY, inverted=True),
    "$logic_not": _reduce(Kind.ANY, inverted=True),
    "$logic_and": _logic(0x8),
    "$logic_or": _logic(0xE),
    "$eq": _compare(inverted=False),
    "$ne": _compare(inverted=True),
    "$lt": _less,
    "$add": _sum(minus=False),
    "$sub": _sum(minus=True),
    "$mul": _product,
}
