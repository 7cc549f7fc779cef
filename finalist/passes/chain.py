"""Several blocks in one kernel: each after the other where a state is handed on, else side by side."""

from __future__ import annotations

from dataclasses import replace

from finalist.ir.builder import Builder
from finalist.ir.graph import Graph, Node
from finalist.ir.program import Layout, Program
from finalist.ir.rewrite import Rewriter
from finalist.passes.simplify import simplify


def chained(program: Program, blocks: int) -> Program:
    """The program with a kernel that takes ``blocks`` blocks, which lie one after the other in memory."""
    if blocks == 1:
        return program
    count, kernel = program.block.count, program.kernel
    make = Builder(simplify)
    words = kernel.params[:count]
    fresh = [
        [make.param(word.attr, word.type, f"{word.name}_{block}") for word in words]
        for block in range(blocks)
    ]
    keys: list[Node] = list(kernel.params[count:])
    first = keys
    results: list[Node] = []
    for block in range(blocks):
        rewriter = Rewriter(make)
        rewriter.map.update(zip(kernel.params, [*fresh[block], *keys], strict=True))
        made = rewriter.all(kernel.results)
        results += made[:count]
        if program.stateful:
            left = iter(made[count:])
            keys = [next(left) if p.attr == "state" else k for p, k in zip(first, keys, strict=True)]
    states = [key for param, key in zip(first, keys, strict=True) if param.attr == "state"]
    params = [word for block in fresh for word in block]
    joined = Graph(kernel.name, (*params, *first), (*results, *states), kernel.rounds)
    layout = Layout(count * blocks, program.block.width, program.block.order)
    return replace(program, block=layout, kernel=joined)
