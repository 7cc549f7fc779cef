"""Entries of the expanded key that are read at places known beforehand, in another order, as one array.

Where the same is done with other entries of the key each time, these are read by an index if each time they
lie alike: with ``a[2], a[0]`` in one place and ``a[3], b[1]`` in another they may lie as ``a[2], a[3], a[0],
b[1]``, so that they are ``key[i]`` and ``key[2 + i]``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from finalist.ir.builder import Builder
from finalist.ir.graph import Graph, Node, every_node
from finalist.ir.ops import Op
from finalist.ir.program import Program
from finalist.ir.rewrite import Rewriter, rewrite
from finalist.ir.types import ArrayType
from finalist.passes.simplify import simplify

#: An entry: the array's name and the place in it.
Entry = tuple[str, int]
#: Of several stretches the entries that each takes, in one order.
Wish = Sequence[Sequence[Entry]]

_NAME = "key_in_line"


def orders(wishes: Sequence[Wish]) -> list[Entry]:
    """The entries in an order in which they are in line for the first wish, and for what others it can be."""
    found: dict[Entry, None] = {}
    for wish in wishes:
        rows = list(dict.fromkeys(tuple(row) for row in wish))
        found.update(dict.fromkeys(entry for column in zip(*rows, strict=True) for entry in column))
    return list(found)


def can_be(wish: Wish) -> bool:
    """Whether there is an order in which the entries are in line: each is in one place of one stretch."""
    rows = set(map(tuple, wish))
    return len({entry for row in rows for entry in row}) == sum(map(len, rows))


def in_line(program: Program, order: Sequence[Entry]) -> Program:
    """The program with one array for the arrays that ``order`` has entries of, those entries first; as it is
    where one of them is read at other than known places, or is not of words as wide as the others."""
    named = dict(zip(program.key_names, program.key_params, strict=True))
    gone = {named[name] for name, _ in order}
    widths = {array.width for array in gone}
    if len(widths) != 1 or not _read_at_constants(program.kernel, gone):
        return program
    arrays = [array for array in program.key_params if array in gone]
    every = dict.fromkeys([*order, *((a.name, k) for a in arrays for k in range(a.length))])
    place = {(named[name], k): number for number, (name, k) in enumerate(every)}
    make = Builder()
    key = make.param("key", ArrayType(len(every), widths.pop()), _NAME)
    kernel = _with(program.kernel, make, key, place)
    count = program.block.count
    kept = [k for k, array in enumerate(program.key_params) if array not in gone]
    params = (*kernel.params[:count], *(program.key_params[k] for k in kept), key)
    results = [program.expand.results[k] for k in kept]
    return replace(
        program,
        kernel=Graph(kernel.name, params, kernel.results, kernel.rounds),
        expand=_expanded(program, results, place),
    )


def _read_at_constants(kernel: Graph, arrays: set[Node]) -> bool:
    return all(
        node.op is Op.LOAD and number == 0 and node.inputs[1].op is Op.CONST
        for node in every_node(kernel)
        for number, child in enumerate(node.inputs)
        if child in arrays
    )


def _with(kernel: Graph, make: Builder, key: Node, place: Mapping[tuple[Node, int], int]) -> Graph:
    """The kernel, its entries read from the one array; else operation by operation as it was."""

    def visit(rewriter: Rewriter, node: Node, inputs: tuple[Node, ...]) -> Node | None:
        if node.op is Op.LOAD and (number := _place(node, place)) is not None:
            return rewriter.builder.make(Op.LOAD, (key, rewriter.builder.const(number, 32)))
        known = Node(node.op, inputs, node.type, node.attr, line=node.line, phase=node.phase)
        return known if node.op is Op.LOOKUP else None

    return rewrite(kernel, make, visit, [key])


def _place(node: Node, place: Mapping[tuple[Node, int], int]) -> int | None:
    array, index = node.inputs
    return place.get((array, index.attr % array.length)) if index.op is Op.CONST else None


def _expanded(program: Program, results: Sequence[Node], place: Mapping[tuple[Node, int], int]) -> Graph:
    """The key schedule, with the entries of the one array stored last."""
    old, make = program.expand, Builder(simplify)
    arrays = dict(zip(program.key_params, old.results, strict=True))
    words = [make.make(Op.LOAD, (arrays[array], make.const(k, 32))) for array, k in place]
    return Graph(old.name, old.params, [*results, make.array_of(words)], old.rounds)
