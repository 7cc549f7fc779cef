"""Tables of 256 bytes as networks of tables of 16: where there is such a structure, it is found.

A permute reads a table of 16 entries in one instruction, but one of 256 in some forty. S-boxes that were
built from halves can be taken apart again, whatever they are:

- sums: ``T(x) = A[l] + B[h]`` of the lower and the upper half of x;
- two layers (`finalist.passes.lanes.layers`): ``T(x) = C[l'] ^ D[h']`` of the halves of ``A[l] ^ B[h]``,
  of x or of a linear map of x;
- three rounds of a Feistel network on the halves;
- an inversion in GF(2^8) and a map after it, multiplied modulo 256: sums after that inversion's table.

Inversions between affine maps stay tables: what is best for them the machine knows, by what it has
(`finalist.passes.inversions`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cache

from finalist.ir.builder import Builder
from finalist.ir.graph import Graph, Node, TableData, every_node
from finalist.ir.ops import Op
from finalist.ir.program import Program
from finalist.ir.rewrite import Rewriter, rewrite
from finalist.passes import inversions
from finalist.passes.analysis import KeyOnly
from finalist.passes.lanes import layers
from finalist.passes.lanes.layers import Layers, ThinLayers, thin
from finalist.passes.matrices import linear_map
from finalist.passes.simplify import simplify

_HALF, _BITS = 16, 8
Values = tuple[int, ...]
#: Makes the network's nodes for an index; the name is for its tables.
Network = Callable[[Builder, Node, str], Node]
#: Looks for networks of one kind that are a table.
Way = Callable[[Values], Iterator[Network]]


def run(program: Program) -> Program:
    """The program with such tables of its kernel as networks."""
    return program.with_graphs(program.expand, in_halves(program.kernel))


def in_logic(program: Program) -> Program:
    """The program with such tables as networks where those are less logic: all but inversions."""
    return program.with_graphs(program.expand, logic_of(program.kernel))


def logic_of(graph: Graph) -> Graph:
    """The same for one graph."""
    return in_halves(graph, ways=_SMALL)


def tables_in_logic(graph: Graph) -> list[TableData]:
    """The tables of a graph that `in_logic` finds networks for."""
    return list(_networks(graph, _SMALL))


def in_halves(graph: Graph, *, ways: tuple[Way, ...] | None = None) -> Graph:
    """Each lookup at a place of the block, in a table that is a network, as that network."""
    networks = _networks(graph, ways)
    if not networks:
        return graph
    key_only = KeyOnly("key", "index")

    def visit(rewriter: Rewriter, node: Node, inputs: tuple[Node, ...]) -> Node | None:
        found = networks.get(node.attr) if node.op is Op.LOOKUP else None
        if found is None or key_only(node):
            return None
        return found(rewriter.builder, inputs[0], node.attr.name)

    return rewrite(graph, Builder(simplify), visit)


def _networks(graph: Graph, ways: tuple[Way, ...] | None) -> dict[TableData, Network]:
    tables = dict.fromkeys(node.attr for node in every_node(graph) if node.op is Op.LOOKUP)
    found = (
        (table, network(table.values, ways)) for table in tables if table.index_width == _BITS == table.width
    )
    return {table: one for table, one in found if one is not None}


@cache
def network(values: Values, ways: tuple[Way, ...] | None = None) -> Network | None:
    """The first network of tables of 16 entries that is this table, of these ways; None if none is found.

    By default all ways are tried, the cheapest first.
    """
    assert len(values) == _HALF * _HALF
    return next((one for way in ways or _ALL for one in way(values)), None)


def _halves(make: Builder, word: Node) -> tuple[Node, Node]:
    return make.slice(word, 0, 4), make.slice(word, 4, 4)


def _read(make: Builder, index: Node, values: Sequence[int], name: str, width: int = _BITS) -> Node:
    table = TableData(tuple(values), width, name, "derived: a part of the table whose name it begins with")
    return make.make(Op.LOOKUP, (index,), table)


# -- multiples ---------------------------------------------------------------------------------------


def _multiple(values: Values) -> Iterator[Network]:
    """``T(x) = factor * I(x) + T(0)`` modulo 256, where I is linear after inversion, and T is not."""
    if inversions.found(values):
        return
    for factor in range(3, _HALF * _HALF, 2):
        one = pow(factor, -1, _HALF * _HALF)
        inner = tuple((value - values[0]) * one % 256 for value in values)
        before = tuple(inner[x] for x in inversions.inverses())
        if linear_map(before.__getitem__, _BITS):
            yield _multiple_of(inner, factor, values[0])


def _multiple_of(inner: Values, factor: int, shift: int) -> Network:
    def made(make: Builder, x: Node, name: str) -> Node:
        low, high = _halves(make, _read(make, x, inner, f"{name}_i"))
        lower, upper = ([(factor * (n << at)) % 256 for n in range(_HALF)] for at in (0, 4))
        lower = [(value + shift) % 256 for value in lower]
        return make.make(
            Op.ADD, (_read(make, low, lower, f"{name}_l"), _read(make, high, upper, f"{name}_h"))
        )

    return made


# -- sums --------------------------------------------------------------------------------------------


def _sum(values: Values) -> Iterator[Network]:
    lower = values[:_HALF]
    upper = tuple((values[_HALF * h] - values[0]) % 256 for h in range(_HALF))
    if any((lower[x % _HALF] + upper[x // _HALF]) % 256 != value for x, value in enumerate(values)):
        return

    def made(make: Builder, x: Node, name: str) -> Node:
        low, high = _halves(make, x)
        return make.make(
            Op.ADD, (_read(make, low, lower, f"{name}_l"), _read(make, high, upper, f"{name}_h"))
        )

    yield made


# -- Feistel networks --------------------------------------------------------------------------------


def _feistel(values: Values) -> Iterator[Network]:
    """L ^= f(R), R ^= g(L), and the result a sum of tables of both; L is either half."""
    for left_is_low in (True, False):
        for right_out in (0, 4):
            found = _rounds(values, left_is_low, right_out)
            if found:
                yield _feistel_network(*found, left_is_low)


def _rounds(
    values: Values, left_is_low: bool, right_out: int
) -> tuple[list[int], list[int], list[int], list[int]] | None:
    """The tables of three rounds, the last with the placing of the halves; None if there are none."""

    def out(left: int, right: int) -> int:
        return values[left + _HALF * right if left_is_low else right + _HALF * left]

    def right(a: int, b: int) -> int:
        return out(a, b) >> right_out & 15

    g = [right(a, 0) for a in range(_HALF)]
    shifts = [
        next((c for c in range(_HALF) if all(right(a, b) ^ b == g[a ^ c] for a in range(_HALF))), -1)
        for b in range(_HALF)
    ]
    if -1 in shifts:
        return None
    left_out = 4 - right_out
    last: dict[int, int] = {}
    for a in range(_HALF):
        for b in range(_HALF):
            mixed = (out(a, b) >> left_out & 15) ^ a ^ shifts[b]
            if last.setdefault(right(a, b), mixed) != mixed:
                return None
    ends = [last.get(r, 0) << left_out | r << right_out for r in range(_HALF)]
    return shifts, g, [a << left_out for a in range(_HALF)], ends


def _feistel_network(
    f: list[int], g: list[int], placed: list[int], ends: list[int], left_is_low: bool
) -> Network:
    def made(make: Builder, x: Node, name: str) -> Node:
        low, high = _halves(make, x)
        left, right = (low, high) if left_is_low else (high, low)
        left = make.make(Op.XOR, (left, _read(make, right, f, f"{name}_f", 4)))
        right = make.make(Op.XOR, (right, _read(make, left, g, f"{name}_g", 4)))
        side = make.extend(left, _BITS) if placed[1] == 1 else _read(make, left, placed, f"{name}_l")
        return make.make(Op.XOR, (side, _read(make, right, ends, f"{name}_r")))

    return made


# -- two layers --------------------------------------------------------------------------------------


def _layers(values: Values) -> Iterator[Network]:
    """The two layers of `finalist.passes.lanes.layers`."""
    found = layers.found(values)
    if found is not None:
        yield _layer_network(found)


def _layer_network(found: Layers) -> Network:
    def made(make: Builder, x: Node, name: str) -> Node:
        mixed = (
            make.linear([found.first], [x], _BITS)
            if found.rotation is None
            else make.make(Op.ROL, (x, make.const(found.rotation, 8)))
        )
        low, high = _halves(make, mixed)
        middle = make.make(
            Op.XOR, (_read(make, low, found.a, f"{name}_a"), _read(make, high, found.b, f"{name}_b"))
        )
        low, high = _halves(make, middle)
        return make.make(
            Op.XOR, (_read(make, low, found.c, f"{name}_c"), _read(make, high, found.d, f"{name}_d"))
        )

    return made


def _thin_layers(values: Values) -> Iterator[Network]:
    """The same with the least between them: fewer bits, and a linear map that permutes do not have."""
    found = layers.found(values)
    least = None if found is None else thin(found)
    if found is not None and least is not None:
        yield _thin_network(found, least)


def _thin_network(found: Layers, least: ThinLayers) -> Network:
    ones = tuple(bit | bit << 4 for bit in (1, 2, 4, 8))
    scaled = tuple(bit | column << 4 for bit, column in zip((1, 2, 4, 8), least.factor, strict=True))

    def made(make: Builder, x: Node, name: str) -> Node:
        low, high = _halves(make, make.linear([found.first], [x], _BITS))
        a, b = _read(make, low, least.a, f"{name}_a", 4), _read(make, high, least.b, f"{name}_b", 4)
        low, high = _halves(make, make.linear([ones, scaled], [a, b], _BITS))
        return make.make(
            Op.XOR, (_read(make, low, least.c, f"{name}_c"), _read(make, high, least.d, f"{name}_d"))
        )

    return made


#: What is less logic than the table, and what permutes read, the cheapest first.
_SMALL: tuple[Way, ...] = (_sum, _feistel, _thin_layers, _layers)
_ALL: tuple[Way, ...] = (_sum, _feistel, _layers, _multiple)
