"""Several blocks in one kernel: each after the other where a state is handed on, else side by side."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from finalist.ir.builder import Builder
from finalist.ir.graph import Graph, Node
from finalist.ir.memoized import memoized
from finalist.ir.ops import Op
from finalist.ir.program import Layout, Program
from finalist.ir.rewrite import Rewriter, Visit
from finalist.ir.types import WordType
from finalist.passes.simplify import simplify


@memoized
def chained(program: Program, blocks: int, width: int = 32) -> Program:
    """The program with a kernel that takes ``blocks`` blocks, which lie one after the other in memory.

    Where they are single bytes that fill words of ``width`` bits, the kernel reads and writes them by the
    word. Where a block waits for the one before, those of a word are a phase of their own.
    """
    if blocks == 1:
        return program
    count, kernel = program.block.count, program.kernel
    make = Builder(simplify)
    layout = Layout(count * blocks, program.block.width, program.block.order)
    packed = _packed(layout, width)
    params = [make.param("memory", WordType(packed.width), f"p{n}") for n in range(packed.count)]
    words = _apart(make, params, layout)
    each = packed.width // layout.width if program.stateful and not kernel.rounds else 0
    first: list[Node] = list(kernel.params[count:])
    keys, results = first, []
    for block in range(blocks):
        rewriter = Rewriter(make, _later(block // each if each else 0))
        rewriter.map.update(
            zip(kernel.params, [*words[block * count : (block + 1) * count], *keys], strict=True)
        )
        made = rewriter.all(kernel.results)
        results += made[:count]
        left = iter(made[count:])
        keys = [next(left) if p.attr == "state" else k for p, k in zip(first, keys, strict=True)]
    states = [key for param, key in zip(first, keys, strict=True) if param.attr == "state"]
    together = _together(make, results, packed.width // layout.width)
    joined = Graph(kernel.name, (*params, *first), (*together, *states), kernel.rounds)
    return replace(program, block=packed, kernel=joined)


def _packed(layout: Layout, width: int) -> Layout:
    """The widest words that the bytes fill."""
    while width > 32 and layout.packed(width) == layout:
        width //= 2
    return layout.packed(width)


def _later(phases: int) -> Visit:
    """Makes nodes as they are, but so many phases later."""

    def visit(rewriter: Rewriter, node: Node, inputs: tuple[Node, ...]) -> None:
        rewriter.builder.phase += phases

    return visit


def _apart(make: Builder, params: Sequence[Node], layout: Layout) -> list[Node]:
    """The blocks' words from those in memory."""
    each = params[0].width // layout.width
    if each == 1:
        return list(params)
    return [make.slice(param, layout.width * k, layout.width) for param in params for k in range(each)]


def _together(make: Builder, results: Sequence[Node], each: int) -> list[Node]:
    """The words in memory, each of so many words of blocks."""
    if each == 1:
        return list(results)
    return [make.make(Op.JOIN, results[k : k + each]) for k in range(0, len(results), each)]
