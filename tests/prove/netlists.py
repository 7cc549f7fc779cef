"""Circuits that tests of proofs share, and faults planted in them."""

from __future__ import annotations

import dataclasses
import random
from collections.abc import Callable
from functools import cache

from finalist.ciphers.catalogue import cipher
from finalist.ir.program import Program
from finalist.machines.registry import machine
from finalist.machines.tracing import traced
from finalist.netlist.circuit import VALUES, Bit, Cell, Circuit, Kind, circuit
from finalist.netlist.emitted import Emitted, GivesNetlists
from finalist.schedule import Schedule


@cache
def made(
    name: str, form: int, architecture: str = "LU-1", operation: str = "encrypt", **choices: str
) -> tuple[Program, Emitted]:
    """A definition and its circuit; ``form``: 0 as read, 1 mapped."""
    found = cipher(name)
    program = traced(found, operation, found.usual_key_bits())
    fpga = machine("fpga")
    assert isinstance(fpga, GivesNetlists)
    schedule = Schedule(architecture=architecture, **choices)
    return program, fpga.netlist(program, schedule, fpga.forms[form])


Parts = tuple[list[Cell], dict[Bit, Bit]]
#: By name what a fault makes of cells and registers.
Fault = Callable[[list[Cell], dict[Bit, Bit], random.Random], Parts]


def _changed(cells: list[Cell], at: Cell, **values: object) -> list[Cell]:
    return [dataclasses.replace(cell, **values) if cell is at else cell for cell in cells]


def _bit_of_a_table(cells: list[Cell], registers: dict[Bit, Bit], source: random.Random) -> Parts:
    one = source.choice([cell for cell in cells if cell.kind is Kind.TABLE and len(cell.pins) > 1])
    return _changed(cells, one, truth=one.truth ^ 1 << source.randrange(1 << len(one.pins))), registers


def _swapped_inputs(cells: list[Cell], registers: dict[Bit, Bit], source: random.Random) -> Parts:
    one = source.choice([cell for cell in cells if cell.truth == 0xCA and len(cell.pins) == 3])
    a, b, select = one.inputs[0]
    return _changed(cells, one, inputs=((b, a, select),)), registers


def _another_cell(cells: list[Cell], registers: dict[Bit, Bit], source: random.Random) -> Parts:
    """An XOR that is an OR, of two bits that may both be 1."""
    some = [cell for cell in cells if cell.truth == 0x6 and len(cell.pins) == 2]
    one = source.choice([cell for cell in some if VALUES.keys().isdisjoint(cell.pins)])
    return _changed(cells, one, truth=0xE), registers


def _another_wire(cells: list[Cell], registers: dict[Bit, Bit], source: random.Random) -> Parts:
    one = source.choice([cell for cell in cells if len(cell.pins) > 1])
    word = list(one.inputs[0])
    word[source.randrange(len(word))] = source.choice(list(registers))
    return _changed(cells, one, inputs=(tuple(word), *one.inputs[1:])), registers


def _register_dropped(cells: list[Cell], registers: dict[Bit, Bit], source: random.Random) -> Parts:
    """What it was given is there at once."""
    shown = source.choice(list(registers))
    wire = Cell("dropped", Kind.TABLE, ((registers[shown],),), (shown,), 0b10)
    return [*cells, wire], {bit: taken for bit, taken in registers.items() if bit != shown}


def _register_added(cells: list[Cell], registers: dict[Bit, Bit], source: random.Random) -> Parts:
    """It comes a cycle later."""
    shown = source.choice(list(registers))
    return cells, {**registers, shown: "added", "added": registers[shown]}


FAULTS: dict[str, Fault] = {
    "a bit of a table": _bit_of_a_table,
    "swapped inputs": _swapped_inputs,
    "another cell": _another_cell,
    "another wire": _another_wire,
    "a register dropped": _register_dropped,
    "a register added": _register_added,
}


def planted(good: Emitted, name: str, seed: int) -> Emitted:
    """The circuit with a fault of a kind somewhere. Raises CompilerError where that makes a loop."""
    old, source = good.circuit, random.Random(f"{name} {seed}")
    cells, registers = FAULTS[name](list(old.cells), dict(old.registers), source)
    return with_circuit(good, circuit(old.name, old.ports, old.inputs, cells, registers))


def with_circuit(good: Emitted, other: Circuit) -> Emitted:
    """The same with another circuit."""
    return dataclasses.replace(good, circuit=other)
