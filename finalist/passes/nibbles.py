"""Tables of 256 bytes as networks of tables of 16: where there is such a structure, it is found.

A permute reads a table of 16 entries in one instruction, but one of 256 in some forty. S-boxes that were
built from halves can be taken apart again, whatever they are:

- sums: ``T(x) = A[l] + B[h]`` of the lower and the upper half of x;
- two layers: ``T(x) = C[l'] ^ D[h']`` of the halves of ``A[l] ^ B[h]``: small S-boxes, a linear map, small
  S-boxes again, each of which feeds four bits of the result, wherever those are;
- three rounds of a Feistel network on the halves;
- inversion in GF(2^8) between linear maps (`finalist.passes.inversion`).

The layers are found by linear algebra: a function f of four bits of T(x) is a sum a(l) ^ b(h) exactly if
f, a and b solve 256 linear equations over GF(2) in their 48 values.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from itertools import combinations

from finalist.ir.builder import Builder
from finalist.ir.graph import Graph, Node, TableData, every_node
from finalist.ir.ops import Op
from finalist.ir.program import Program
from finalist.ir.rewrite import Rewriter, rewrite
from finalist.passes import inversion
from finalist.passes.analysis import KeyOnly
from finalist.passes.simplify import simplify

_HALF, _BITS = 16, 8
#: Independent functions of four bits that are tried; more than four are there where a half counts less.
_MOST_FUNCTIONS = 8
Values = tuple[int, ...]
#: Makes the network's nodes for an index; the name is for its tables.
Network = Callable[[Builder, Node, str], Node]


def run(program: Program) -> Program:
    """The program with such tables of its kernel as networks."""
    return program.with_graphs(program.expand, in_halves(program.kernel))


def in_halves(graph: Graph) -> Graph:
    """Each lookup at a place of the block, in a table that is a network, as that network."""
    tables = {node.attr for node in every_node(graph) if node.op is Op.LOOKUP}
    networks = {table: network(table.values) for table in tables if _is_large(table)}
    if not any(networks.values()):
        return graph
    key_only = KeyOnly("key", "index")

    def visit(rewriter: Rewriter, node: Node, inputs: tuple[Node, ...]) -> Node | None:
        found = networks.get(node.attr) if node.op is Op.LOOKUP else None
        if found is None or key_only(node):
            return None
        return found(rewriter.builder, inputs[0], node.attr.name)

    return rewrite(graph, Builder(simplify), visit)


def _is_large(table: TableData) -> bool:
    return table.index_width == _BITS == table.width


@cache
def network(values: Values) -> Network | None:
    """The cheapest network of tables of 16 entries that is this table; None if none is found."""
    assert len(values) == _HALF * _HALF
    return next((found for way in (_sum, _feistel, _layers, _inversion) for found in way(values)), None)


def _halves(make: Builder, word: Node) -> tuple[Node, Node]:
    return make.slice(word, 0, 4), make.slice(word, 4, 4)


def _read(make: Builder, index: Node, values: Sequence[int], name: str, width: int = _BITS) -> Node:
    table = TableData(tuple(values), width, name, "derived: a part of the table whose name it begins with")
    return make.make(Op.LOOKUP, (index,), table)


def _inversion(values: Values) -> Iterator[Network]:
    how = inversion.found(values)
    if how is not None:
        yield lambda make, x, name: inversion.network(make, x, how, name)


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
    """Four bits of the result from one half of the sum, the others from the other; x turned or not."""
    for turn in range(_BITS // 2):  # as much again only exchanges the halves
        turned = tuple(values[(y >> turn | y << _BITS - turn) & 255] for y in range(len(values)))
        for others in combinations(range(1, _BITS), 3):
            bits = (0, *others)
            first = _half(turned, bits)
            second = first and _half(turned, tuple(bit for bit in range(_BITS) if bit not in bits))
            if first and second:
                yield _layer_network(first, second, turn)


Half = tuple[Values, Values, Values]


def _half(values: Values, bits: tuple[int, ...]) -> Half | None:
    """Tables a and b of 4-bit entries and c with: these bits of T(x), at their places, are c[a[l] ^ b[h]]."""
    part = [sum((value >> bit & 1) << k for k, bit in enumerate(bits)) for value in values]
    used = sorted(set(part))
    some = _separating(used, [], _all_sums(_additive(part)))
    if some is None:
        return None
    a, b = (
        tuple(sum((f >> start + i & 1) << k for k, f in enumerate(some)) for i in range(_HALF))
        for start in (_HALF, 2 * _HALF)
    )
    back = {_label(value, some): value for value in used}
    placed = (back.get(label, 0) for label in range(_HALF))
    return a, b, tuple(sum((value >> k & 1) << bit for k, bit in enumerate(bits)) for value in placed)


def _label(value: int, functions: Sequence[int]) -> int:
    return sum((f >> value & 1) << k for k, f in enumerate(functions))


def _all_sums(basis: Sequence[int]) -> list[int]:
    total = [0]
    for function in basis[:_MOST_FUNCTIONS]:
        total += [function ^ other for other in total]
    return total[1:]


def _separating(used: Sequence[int], chosen: list[int], functions: Sequence[int]) -> list[int] | None:
    """Four functions or fewer that no two of the values used agree in; None if there are none."""
    classes = Counter(_label(value, chosen) for value in used)
    if max(classes.values()) > _HALF >> len(chosen):
        return None
    if max(classes.values()) == 1:
        return chosen
    for place, function in enumerate(functions):
        found = _separating(used, [*chosen, function], functions[place + 1 :])
        if found is not None:
            return found
    return None


def _additive(part: list[int]) -> list[int]:
    """A basis, but for constants, of the functions f of the part with f(part(x)) = a(l) ^ b(h).

    Bits 0 .. 15 of each are f, the next 16 are a, the last b.
    """
    rows = (1 << p | 1 << _HALF + x % _HALF | 1 << 2 * _HALF + x // _HALF for x, p in enumerate(part))
    occurring = sum(1 << p for p in set(part))
    kept, seen = [], [occurring]
    # Constants solve the equations, and so does whatever a function may be where it is never asked.
    for solution in _null_space(rows, 3 * _HALF, 2 + _HALF - occurring.bit_count()):
        rest = solution & occurring
        for known in seen:
            rest = min(rest, rest ^ known)
        if rest:
            seen.append(rest)
            kept.append(solution)
    return kept


def _null_space(rows: Iterable[int], count: int, trivial: int) -> list[int]:
    """A basis of the solutions of equations in ``count`` unknowns; none if that is only the ``trivial``."""
    pivots: dict[int, int] = {}
    for row in rows:
        while row and row.bit_length() - 1 in pivots:
            row ^= pivots[row.bit_length() - 1]
        if row:
            pivots[row.bit_length() - 1] = row
            if len(pivots) == count - trivial:
                return []
    for top in sorted(pivots):  # nothing but free unknowns is left beside each pivot
        for lower in range(top):
            if lower in pivots and pivots[top] >> lower & 1:
                pivots[top] ^= pivots[lower]
    free = [bit for bit in range(count) if bit not in pivots]
    return [1 << f | sum(1 << bit for bit, known in pivots.items() if known >> f & 1) for f in free]


def _layer_network(first: Half, second: Half, turn: int) -> Network:
    (a0, b0, c0), (a1, b1, c1) = first, second
    a, b = ([low | high << 4 for low, high in zip(*pair, strict=True)] for pair in ((a0, a1), (b0, b1)))

    def made(make: Builder, x: Node, name: str) -> Node:
        low, high = _halves(make, make.make(Op.ROL, (x, make.const(turn, 8))))
        mixed = make.make(Op.XOR, (_read(make, low, a, f"{name}_a"), _read(make, high, b, f"{name}_b")))
        low, high = _halves(make, mixed)
        return make.make(Op.XOR, (_read(make, low, c0, f"{name}_c"), _read(make, high, c1, f"{name}_d")))

    return made
