"""Keyed functions: how much of each is tabulated when the key is set up (`keyed-tables`).

- ``full``: the function together with the linear map after it;
- ``partial``: the function alone;
- ``minimal``: the function up to its last operation with the key, the rest computed at each use;
- ``zero``: nothing, the function is computed at each use.

(Twofish, section 5.1 of "The Twofish Encryption Algorithm", names the four; any `tabulate` has them.)
"""

from __future__ import annotations

from collections.abc import Iterator

from finalist.errors import ScheduleError
from finalist.ir.builder import Builder
from finalist.ir.graph import Graph, Node, Region
from finalist.ir.ops import Op
from finalist.ir.program import Program
from finalist.ir.rewrite import Rewriter, inline, rewrite
from finalist.ir.types import ArrayType
from finalist.passes.simplify import simplify

KEYING = ("full", "partial", "minimal", "zero")


def before_fusing(program: Program, keying: str) -> Program:
    """What must happen to keyed functions before linear maps are fused into lookups.

    The key schedule itself computes those that it applies.
    """
    program = program.with_graphs(_inlined(program.expand), program.kernel)
    if keying == "zero":
        return program.with_graphs(program.expand, _inlined(program.kernel))
    if keying == "minimal":
        return tabulated(program.with_graphs(program.expand, _cut(program.kernel)))
    return tabulated(program) if keying == "partial" else program


def _inlined(graph: Graph) -> Graph:
    return rewrite(graph, Builder(simplify), _called_in_place)


def _called_in_place(rewriter: Rewriter, node: Node, inputs: tuple[Node, ...]) -> Node | None:
    return inline(node.region, inputs, rewriter.builder) if node.op is Op.APPLY else None


# -- minimal: cut a function at its last operation with the key --------------------------------------


def _cut(kernel: Graph) -> Graph:
    parts: dict[Region, Region] = {}

    def visit(rewriter: Rewriter, node: Node, inputs: tuple[Node, ...]) -> Node | None:
        if node.op is not Op.APPLY:
            return None
        split = _last_keyed(node.region)
        if split is None:
            return None
        make = rewriter.builder
        inner = parts.setdefault(node.region, Region(node.region.params, [split]))
        start = make.apply(inner, inputs)
        return _finish(node.region, split, start, inputs, make)

    return rewrite(kernel, Builder(simplify), visit)


def _last_keyed(region: Region) -> Node | None:
    """The value that the last operation with the key takes, if the function is a chain down to there."""
    argument = region.params[0]
    of_argument = set(Region([argument], region.results).body) | {argument}
    node = region.results[0]
    while node in of_argument and node is not argument:
        below = [child for child in node.inputs if child in of_argument]
        if len(below) != 1:
            return None
        with_key = any(child.op is not Op.CONST for child in node.inputs if child not in of_argument)
        node = below[0]
        if with_key:
            return None if node is argument else node
    return None


def _finish(region: Region, cut: Node, start: Node, inputs: tuple[Node, ...], make: Builder) -> Node:
    """The rest of a function from the cut on, with all that it applies, whose key the cut's value may be."""
    rewriter = Rewriter(make, _called_in_place)
    rewriter.map.update(zip(region.params, inputs, strict=True))
    rewriter.map[cut] = start
    return rewriter.get(region.results[0])


# -- tables, filled by the key schedule ----------------------------------------------------------------


def tabulated(program: Program) -> Program:
    """Every keyed function still in the kernel becomes a table in the expanded key."""
    found = list(_applied(program.kernel))
    if not found:
        return program
    names: dict[tuple[Region, tuple[Node, ...]], Node] = {}
    make = Builder(simplify)
    for node in found:
        names.setdefault((node.region, node.inputs[1:]), _table_param(make, node, len(names)))

    def visit(rewriter: Rewriter, node: Node, inputs: tuple[Node, ...]) -> Node | None:
        if node.op is not Op.APPLY:
            return None
        array = names[(node.region, node.inputs[1:])]
        return rewriter.builder.make(Op.LOAD, (array, inputs[0]))

    kernel = rewrite(program.kernel, make, visit, names.values())
    return program.with_graphs(_filled(program, list(names)), kernel)


def _applied(region: Region) -> Iterator[Node]:
    """All uses of keyed functions, those in loops included; not those inside of other keyed functions."""
    for node in region.body:
        if node.op is Op.APPLY:
            yield node
        elif isinstance(node.attr, Region):
            yield from _applied(node.attr)


def _table_param(make: Builder, node: Node, number: int) -> Node:
    entries = ArrayType(1 << node.inputs[0].width, node.width)
    return make.param("key", entries, f"table{number}")


def _filled(program: Program, functions: list[tuple[Region, tuple[Node, ...]]]) -> Graph:
    """The key schedule with a loop that fills all tables of as many entries."""
    make = Builder(simplify)
    rewriter = Rewriter(make)
    results = rewriter.all(program.expand.results)
    rewriter.map.update(zip(program.key_params, results, strict=True))
    make.phase = max((node.phase for node in program.expand.body), default=0)
    own = [(region, rewriter.all(captures)) for region, captures in functions]
    tables: dict[int, Node] = {}
    for bits in dict.fromkeys(region.params[0].width for region, _ in own):
        alike = [n for n, (region, _) in enumerate(own) if region.params[0].width == bits]
        tables.update(zip(alike, _fill(make, bits, [own[n] for n in alike]), strict=True))
    results += [tables[n] for n in range(len(own))]
    return Graph(program.expand.name, program.expand.params, results, program.expand.rounds)


def _fill(make: Builder, bits: int, functions: list[tuple[Region, list[Node]]]) -> list[Node]:
    if not 1 <= bits <= 16:
        raise ScheduleError(f"a keyed function of {bits} bits can't be tabulated; accepted: 1 to 16")

    def entries(place: Node) -> list[Node]:
        index = make.slice(place, 0, bits)
        return [inline(region, [index, *captures], make) for region, captures in functions]

    return make.filled_together(1 << bits, [region.results[0].width for region, _ in functions], entries)
