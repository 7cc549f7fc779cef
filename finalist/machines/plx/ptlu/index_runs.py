"""Indices that follow one on another, several of them in a register: one addition moves all of them on.

For machines that read the same table by several bytes of a register. What reads an array at x + 1, x + 2, ...
takes then the lowest bytes of

    tuple(x + 2, 0, x + 1, 0), and that plus tuple(2, 0, 2, 0), ...
"""

from __future__ import annotations

from collections.abc import Sequence

from finalist.ir.builder import Builder
from finalist.ir.graph import Graph, Node
from finalist.ir.ops import Op
from finalist.ir.rewrite import Rewriter, rewrite
from finalist.machines.plx.ptlu.builder import WideBuilder

_BITS = 32
#: Registers from which on a run gains more than its first one takes.
_FEWEST = 4


def with_index_runs(graph: Graph, lanes: int, apart: int, longest: int) -> Graph:
    """The graph with runs of indices in registers of ``lanes`` words, one in every ``apart`` of them.

    A run: sums of a byte and the numbers 1, 2, ... that nothing but accesses to arrays of at most ``longest``
    entries takes, but for the last one.
    """
    each = lanes // apart
    runs = [run for run in _runs(graph, longest) if len(run) >= _FEWEST * each and len(run) % each == 0]
    if each == 1 or not runs:
        return graph
    first = {run[0]: run for run in runs}
    inside = {node for run in runs for node in run}
    make = WideBuilder(lanes)

    def visit(rewriter: Rewriter, node: Node, inputs: tuple[Node, ...]) -> Node | None:
        if node in first:
            made = _in_registers(make, inputs[0], first[node], apart)
            rewriter.map.update(zip(first[node], made, strict=True))
        return rewriter.map[node] if node in inside else None

    return rewrite(graph, make.make, visit)


def _runs(graph: Graph, longest: int) -> list[list[Node]]:
    """Sums of the same byte and 1, 2, ..., in that order."""
    indices = _only_indices(graph, longest)
    found: dict[Node, dict[int, Node]] = {}
    for node in graph.body:
        if node.op is Op.ADD and node.width == 8 and node.inputs[1].op is Op.CONST:
            found.setdefault(node.inputs[0], {})[node.inputs[1].attr] = node
    runs = []
    for sums in found.values():
        run: list[Node] = []
        while len(run) + 1 in sums:
            run.append(sums[len(run) + 1])
        if all(node in indices for node in run[:-1]):
            runs.append(run)
    return runs


def _only_indices(graph: Graph, longest: int) -> set[Node]:
    """Nodes of the graph's body that only say where short arrays are read and written."""
    values = set(graph.results)
    for node in graph.body:
        where = 1 if node.op in (Op.LOAD, Op.STORE) and node.inputs[0].length <= longest else -1
        values.update(child for place, child in enumerate(node.inputs) if place != where)
    return set(graph.body) - values


def _in_registers(make: WideBuilder, base: Node, run: Sequence[Node], apart: int) -> list[Node]:
    """The run's bytes, each from a lane; the later ones of a register in the lower lanes."""
    each, builder = make.lanes // apart, make.make
    steps = _spread(builder, [builder.const(each, _BITS)] * each, apart)
    found: list[Node] = []
    words = _spread(builder, [_sum(builder, base, each - k) for k in range(each)], apart)
    for start in range(0, len(run), each):
        builder.phase = run[start].phase
        if start:
            words = [builder.make(Op.ADD, pair) for pair in zip(words, steps, strict=True)]
        words = list(make.words(make.register(words)))
        found += [builder.slice(words[k * apart], 0, 8) for k in reversed(range(each))]
    return found


def _sum(builder: Builder, base: Node, value: int) -> Node:
    return builder.make(Op.ADD, (builder.extend(base, _BITS), builder.const(value, _BITS)))


def _spread(builder: Builder, words: Sequence[Node], apart: int) -> list[Node]:
    """The words with zeros between."""
    zeros = [builder.const(0, _BITS)] * (apart - 1)
    return [lane for word in words for lane in (word, *zeros)]
