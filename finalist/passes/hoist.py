"""Hoisting: what a kernel computes from the key alone moves into the key schedule.

The equivalent inverse cipher of Rijndael (InvMixColumns on the round keys) comes from here, once
`fuse` has separated the key's part of a linear map from the block's.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from finalist.ir.builder import Builder
from finalist.ir.graph import Graph, Node, operands, reads_parameter, used
from finalist.ir.memoized import memoized
from finalist.ir.ops import Op
from finalist.ir.program import Program
from finalist.ir.rewrite import Rewriter, rewrite
from finalist.ir.types import ArrayType, WordType
from finalist.names import unused
from finalist.passes.analysis import KeyOnly
from finalist.passes.simplify import simplify


def run(program: Program, *, extended: bool = True) -> Program:
    """The program with key-only work in its key schedule, and no array that the kernel does not read.

    Without ``extended`` a word that is made longer is kept as it was, and made longer in the kernel.
    """
    hoisted = None if program.computed else _hoisted(program.kernel, extended)
    if hoisted is None:
        return without_unused(program)
    found, params, kernel = hoisted
    expand = _computing(program, found, params)
    return without_unused(program.with_graphs(expand, kernel))


@memoized
def _hoisted(kernel: Graph, extended: bool) -> tuple[list[Node], dict[int, Node], Graph] | None:
    """The key-only values of a kernel, the new arrays by their widths, and the kernel that reads those; None
    without any."""
    found = _key_only_values(kernel, extended)
    if not found:
        return None
    places, params = _places(found, {param.name for param in kernel.params})
    return found, params, _reading(kernel, places, list(params.values()))


def _key_only_values(kernel: Graph, extended: bool) -> list[Node]:
    """The largest key-only values: those that something else than key-only work needs, in order of use.

    Where there are some, round keys of the same width that are used as they are go with them: all keys
    of a kernel then stand in one array in the order of their use, and equal rounds stay equal.
    """
    key_only, make = KeyOnly(), Builder()
    taken: dict[Node, None] = {}
    for node in kernel.body:
        if not key_only(node):
            taken.update(dict.fromkeys(_words(make, (c for c in operands(node) if key_only(c)), extended)))
    taken.update(dict.fromkeys(r for r in kernel.results if key_only(r)))
    words = [n for n in taken if isinstance(n.type, WordType) and n.op is not Op.CONST]
    widths = {node.width for node in words if not reads_parameter(node)}
    return [node for node in words if node.width in widths]


def _words(make: Builder, nodes: Iterable[Node], extended: bool) -> Iterator[Node]:
    """The nodes, with its words for each register."""
    for node in nodes:
        if node.op is Op.EXTEND and not extended:
            yield node.inputs[0]
            continue
        if node.op is Op.TUPLE:
            yield from node.inputs
        elif node.op is Op.INSTRUCTION:
            yield from make.results(node)
        else:
            yield node


def _places(found: list[Node], taken: set[str]) -> tuple[dict[Node, tuple[Node, int]], dict[int, Node]]:
    """One array for each width, under a name not ``taken``; where in it each value goes."""
    make = Builder()
    by_width: dict[int, list[Node]] = {}
    for node in found:
        by_width.setdefault(node.width, []).append(node)
    params = {
        width: make.param("key", ArrayType(len(nodes), width), unused(f"derived{width}", taken))
        for width, nodes in by_width.items()
    }
    places = {n: (params[w], k) for w, nodes in by_width.items() for k, n in enumerate(nodes)}
    return places, params


def _reading(kernel: Graph, places: dict[Node, tuple[Node, int]], params: list[Node]) -> Graph:
    make = Builder(simplify)
    registers: dict[Node, dict[int, Node]] = {}
    for word in places:
        if word.op is Op.RESULT:
            registers.setdefault(word.inputs[0], {})[word.attr] = word

    def visit(rewriter: Rewriter, node: Node, inputs: tuple[Node, ...]) -> Node | None:
        if node in registers:
            return make.make(Op.TUPLE, [read(registers[node][k]) for k in sorted(registers[node])])
        return read(node) if node in places else None

    def read(node: Node) -> Node:
        array, place = places[node]
        return make.make(Op.LOAD, (array, make.const(place, 32)))

    return rewrite(kernel, make, visit, params)


def _computing(program: Program, found: list[Node], params: dict[int, Node]) -> Graph:
    """The key schedule that also fills the new arrays."""
    make = Builder(simplify)
    rewriter = Rewriter(make)
    results = rewriter.all(program.expand.results)
    rewriter.map.update(zip(program.key_params, results, strict=True))
    last = max((node.phase for node in program.expand.body), default=0)
    for width, param in params.items():
        array = make.array([0] * param.length, width)
        values = (node for node in found if node.width == width)
        for place, node in enumerate(values):
            value = rewriter.get(node)
            make.phase = last
            array = make.make(Op.STORE, (array, make.const(place, 32), value))
        results.append(array)
    return Graph(program.expand.name, program.expand.params, results, program.expand.rounds)


def without_unused(program: Program) -> Program:
    """The program without arrays of the expanded key that the kernel does not read."""
    kernel, expand = program.kernel, program.expand
    taking = _without_unread(kernel, program.block.count)
    if taking is kernel:
        return program
    read = set(taking.params)
    given = zip(program.key_params, expand.results, strict=True)
    results = [result for param, result in given if param in read]
    return program.with_graphs(Graph(expand.name, expand.params, results, expand.rounds), taking)


@memoized
def _without_unread(kernel: Graph, count: int) -> Graph:
    """The kernel without parameters, after ``count`` words of the block, that it does not read."""
    needed = used(kernel)
    params = [*kernel.params[:count], *(param for param in kernel.params[count:] if param in needed)]
    if len(params) == len(kernel.params):
        return kernel
    return Graph(kernel.name, params, kernel.results, kernel.rounds)
