"""Lookups of words put together from bits: as circuits, complemented where that makes them smaller.

Gates come in an order in which few values are alive at once, for few registers are to be had: from each state
the gate that leaves the fewest alive goes next, ties broken at random; of some such orders, and the given
one, the one with the lowest peak is kept, and of those the one with the least alive all in all.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from functools import cache

from finalist.ir.builder import Builder
from finalist.ir.graph import Graph, Node, Region, TableData
from finalist.ir.ops import CONTROL, Op
from finalist.ir.rewrite import Rewriter, rewrite
from finalist.ir.types import WordType
from finalist.passes.analysis import KeyOnly
from finalist.passes.circuits.circuit import Circuit, Gate, table_columns
from finalist.passes.circuits.lower import circuit_for, outputs_of
from finalist.passes.simplify import simplify

#: Gates of the S-boxes of a region, a loop's body say, that a CPU's cache of instructions holds.
MOST_GATES = 6000


@cache
def masks(table: TableData, ternary: bool = False) -> tuple[int, int]:
    """Masks (a, b) such that ``x -> table[x ^ a] ^ b`` takes the fewest gates that are known.

    ``ternary``: gates of three inputs.
    """
    circuit, a, b = _known(table, ternary)
    first = table.values[0]
    if a or b or not first:
        return a, b
    plain = _known(complemented(table, 0, first), ternary)
    return (plain[1], plain[2] ^ first) if plain[0].cost < circuit.cost else (0, 0)


def complemented(table: TableData, a: int, b: int) -> TableData:
    """``x -> table[x ^ a] ^ b``."""
    if not a and not b:
        return table
    values = tuple(table.values[x ^ a] ^ b for x in range(len(table.values)))
    return TableData(values, table.width, f"{table.name}_{a:x}_{b:x}")


def _known(table: TableData, ternary: bool = False) -> tuple[Circuit, int, int]:
    return circuit_for(table_columns(table.values, table.width), table.index_width, ternary)


def with_gates(graph: Graph, most: int = MOST_GATES, *, ternary: bool = False) -> Graph:
    """Each lookup of a word that depends on the block as the gates of one circuit, one after the other.

    Where a region has more than ``most`` gates, its circuits that are used often are functions (`apply`).
    """
    shared = KeyOnly("key", "index")
    functions = {table: _function(table, ternary) for table in _often(graph, shared, most)}

    def visit(rewriter: Rewriter, node: Node, inputs: tuple[Node, ...]) -> Node | None:
        if node.op is not Op.LOOKUP or shared(node):
            return None
        if node.attr in functions:
            return make.apply(functions[node.attr], [side_by_side(make, bits_of(make, inputs[0]))])
        return _as_gates(make, node.attr, inputs[0], ternary)

    make = Builder(simplify)
    after = rewrite(graph, make, visit)
    make.phase = max((node.phase for node in after.body), default=0)
    results = [side_by_side(make, bits_of(make, result)) for result in after.results]
    return Graph(after.name, after.params, results, after.rounds)


def _often(region: Region, shared: KeyOnly, most: int) -> set[TableData]:
    """Tables that a region of more than ``most`` gates looks up more than once; of inner regions, too.

    A function's word is put together from bits: tables of single bits are none.
    """
    uses = Counter(node.attr for node in region.body if node.op is Op.LOOKUP and not shared(node))
    long = sum(count * _known(table)[0].cost for table, count in uses.items()) > most
    found = {
        table
        for table, count in uses.items()
        if long and count > 1 and 1 not in (table.index_width, table.width)
    }
    inner = (node.region for node in region.body if node.op in CONTROL)
    return found.union(*(_often(one, shared, most) for one in inner))


def bits_of(make: Builder, word: Node) -> list[Node]:
    """The bits of a word."""
    return [make.slice(word, place, 1) for place in range(word.width)]


def side_by_side(make: Builder, bits: Sequence[Node]) -> Node:
    """A word put together from bits, also where they are neighbours in a word that there is.

    A single bit is itself.
    """
    if len(bits) == 1:
        return bits[0]
    return make.raw(Op.JOIN, tuple(bits), None, WordType(len(bits)))


def _function(table: TableData, ternary: bool) -> Region:
    """The circuit as a function of the word."""
    make = Builder(simplify)
    word = make.param("argument", WordType(table.index_width), table.name)
    return Region([word], [_as_gates(make, table, word, ternary)])


def _as_gates(make: Builder, table: TableData, word: Node, ternary: bool) -> Node:
    """What a lookup finds, put together from bits."""
    return side_by_side(make, gates(make, table, bits_of(make, word), ternary=ternary))


def gates(make: Builder, table: TableData, bits: Sequence[Node], *, ternary: bool = False) -> list[Node]:
    """The bits of what a lookup finds, from those of the index; words of as many bits each, too."""
    circuit, a, b = _known(table, ternary)
    return outputs_of(make, with_few_alive(circuit), bits, a, b)


_TRIES = 20
#: What an operand is worth that is not yet free but will be soon, and how far chance may go.
_SOON, _CHANCE = 0.2, 0.6


@cache
def with_few_alive(circuit: Circuit) -> Circuit:
    """The same circuit, its gates in an order with few values alive."""
    orders = [list(range(len(circuit.gates)))]
    orders += [_Order(circuit, random.Random(seed)).made() for seed in range(_TRIES)]
    return _permuted(circuit, min(orders, key=lambda order: pressure(circuit, order)))


def pressure(circuit: Circuit, order: list[int]) -> tuple[int, int]:
    """The most values alive at once, inputs from the first gate that takes them on; and their sum.

    An output stays alive: it waits for what takes it.
    """
    uses, alive, peak, total = _uses(circuit), 0, 0, 0
    seen: set[int] = set()
    for number in order:
        operands = set(circuit.gates[number].reads)
        fresh = {register for register in operands if register < circuit.inputs} - seen
        seen |= fresh
        for register in operands:
            uses[register] -= 1
        alive += len(fresh) + 1 - sum(1 for register in operands if uses[register] == 0)
        peak, total = max(peak, alive), total + alive
    return peak, total


def _uses(circuit: Circuit) -> list[int]:
    """For each register how many gates take it, and once more if it is an output."""
    uses = [0] * (circuit.inputs + len(circuit.gates))
    for gate in circuit.gates:
        for register in set(gate.reads):
            uses[register] += 1
    for register in set(circuit.outputs):
        uses[register] += 1
    return uses


class _Order:
    """One order, being made."""

    def __init__(self, circuit: Circuit, source: random.Random) -> None:
        self.inputs = circuit.inputs
        self.source = source
        self.operands = [set(gate.reads) for gate in circuit.gates]
        self.uses = _uses(circuit)
        self.missing = [sum(1 for r in own if r >= circuit.inputs) for own in self.operands]
        self.users: dict[int, list[int]] = {}
        for number, own in enumerate(self.operands):
            for register in own:
                self.users.setdefault(register, []).append(number)
        self.touched: set[int] = set()

    def made(self) -> list[int]:
        """The numbers of the gates."""
        ready = [number for number, count in enumerate(self.missing) if not count]
        order: list[int] = []
        while ready:
            number = min(ready, key=self._cost)
            ready.remove(number)
            order.append(number)
            self.touched |= self.operands[number]
            for register in self.operands[number]:
                self.uses[register] -= 1
            for user in self.users.get(self.inputs + number, ()):
                self.missing[user] -= 1
                if not self.missing[user]:
                    ready.append(user)
        return order

    def _cost(self, number: int) -> float:
        """How many values more there are after a gate."""
        own = self.operands[number]
        fresh = sum(1 for r in own if r < self.inputs and r not in self.touched)
        freed = sum(1 for r in own if self.uses[r] == 1)
        soon = sum(_SOON / self.uses[r] for r in own)
        return fresh - freed - soon + _CHANCE * self.source.random()


def _permuted(circuit: Circuit, order: list[int]) -> Circuit:
    place = {number: number for number in range(circuit.inputs)}
    place |= {circuit.inputs + number: circuit.inputs + at for at, number in enumerate(order)}
    gates = [circuit.gates[number] for number in order]
    moved = tuple(_moved(gate, place) for gate in gates)
    return Circuit(circuit.inputs, moved, tuple(place[output] for output in circuit.outputs))


def _moved(gate: Gate, place: dict[int, int]) -> Gate:
    c = None if gate.c is None else place[gate.c]
    return replace(gate, a=place[gate.a], b=place[gate.b], c=c)
