"""A circuit: cells between wires, and registers, which hand a wire's value to another one at each clock.

Few kinds of cells, so that whoever carries circuits out has few meanings to know: tables of some bits, gates
of any number of bits, sums, products and comparisons of words, and tables of words. Enables and resets of
registers are tables before them, and a block RAM is a table of words with registers behind it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum

from finalist.errors import CompilerError

#: A wire's number, or a name for one inside of a cell; the strings 0, 1, x and z are constants, of which x
#: and z may be either.
Bit = int | str
#: Constants that are known, and those that may be either.
VALUES: Mapping[Bit, int] = {"0": 0, "1": 1}
OPEN = ("x", "z")
#: The truth table that takes its second input where the third is 1, else the first.
MUX = 0xCA


class Kind(Enum):
    """What a cell computes of its words of inputs, lowest bits first."""

    TABLE = "the bit of a truth table, of at most eight bits"
    ALL = "whether all bits are 1"
    ANY = "whether any bit is 1"
    PARITY = "the sum of all bits modulo 2"
    SUM = "the sum of two words and a bit; as many bits as there are outputs"
    PRODUCT = "the product of two words; as many bits as there are outputs"
    LESS = "whether a word is less than another, both unsigned"
    ROM = "an entry of a table of words, at the place that a word says"


@dataclass(frozen=True, slots=True)
class Cell:
    """``inputs``: words; ``truth``: of a TABLE its bits, that of inputs 0 lowest; ``words``: of a ROM."""

    name: str
    kind: Kind
    inputs: tuple[tuple[Bit, ...], ...]
    outputs: tuple[Bit, ...]
    truth: int = 0
    words: tuple[int, ...] = ()

    @property
    def pins(self) -> tuple[Bit, ...]:
        """All bits that it reads."""
        return tuple(bit for word in self.inputs for bit in word)


def table(name: str, truth: int, inputs: Sequence[Bit], output: Bit) -> Cell:
    """A cell of kind TABLE."""
    return Cell(name, Kind.TABLE, (tuple(inputs),), (output,), truth)


@dataclass(frozen=True, slots=True)
class Circuit:
    """A module. ``ports``: by name their bits, lowest first; ``inputs``: those that are driven from outside,
    but for the clock; ``cells``: operands first; ``registers``: by the bit that each shows the bit that it
    takes at a rising edge of the clock."""

    name: str
    ports: Mapping[str, tuple[Bit, ...]]
    inputs: frozenset[str]
    cells: tuple[Cell, ...]
    registers: Mapping[Bit, Bit]
    driver: Mapping[Bit, Cell] = field(repr=False)


def circuit(
    name: str,
    ports: Mapping[str, tuple[Bit, ...]],
    inputs: frozenset[str],
    cells: Sequence[Cell],
    registers: Mapping[Bit, Bit],
) -> Circuit:
    """The circuit of these cells. Raises CompilerError for a loop of logic, or a bit that is driven twice."""
    driver: dict[Bit, Cell] = {}
    for cell in cells:
        for bit in cell.outputs:
            if bit in driver or bit in registers:
                raise CompilerError(f"the netlist drives a wire twice: {bit}, by {cell.name} last")
            driver[bit] = cell
    return Circuit(name, ports, inputs, tuple(_in_order(cells, driver)), registers, driver)


def _in_order(cells: Sequence[Cell], driver: Mapping[Bit, Cell]) -> list[Cell]:
    """The cells, each after those whose outputs it reads."""
    before = {id(cell): {id(driver[bit]) for bit in cell.pins if bit in driver} for cell in cells}
    users: dict[int, list[Cell]] = {}
    for cell in cells:
        for one in before[id(cell)]:
            users.setdefault(one, []).append(cell)
    waiting = {id(cell): len(before[id(cell)]) for cell in cells}
    ready = [cell for cell in cells if not waiting[id(cell)]]
    order: list[Cell] = []
    while ready:
        cell = ready.pop()
        order.append(cell)
        for user in users.get(id(cell), ()):
            waiting[id(user)] -= 1
            if not waiting[id(user)]:
                ready.append(user)
    if len(order) < len(cells):
        raise CompilerError("the netlist has a loop of logic")
    return order
