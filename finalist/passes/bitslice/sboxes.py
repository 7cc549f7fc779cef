"""Lookups of words put together from bits: as circuits, complemented where that makes them smaller."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import cache

from finalist.ir.builder import Builder
from finalist.ir.graph import Graph, Node, Region, TableData
from finalist.ir.ops import CONTROL, Op
from finalist.ir.rewrite import Rewriter, rewrite
from finalist.ir.types import WordType
from finalist.passes.analysis import KeyOnly
from finalist.passes.bitslice.gates import with_few_alive
from finalist.passes.circuits.circuit import Circuit, table_columns
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
