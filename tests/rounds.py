"""Random programs in rounds, for schedules that have something to say about those."""

from __future__ import annotations

import random

from finalist.ir.builder import Builder
from finalist.ir.graph import Graph, Node, every_node
from finalist.ir.ops import Op
from finalist.ir.program import Program
from finalist.ir.rewrite import Rewriter
from tests.graphs import Shape, random_program


def program_in_rounds(seed: str, shape: Shape, source: random.Random) -> Program:
    """The program of a seed, in one round or in several; in those no array of the key is overwritten."""
    count = source.choice((1, 1, 2, 3, 6))
    if count == 1:
        return random_program(seed, shape)
    return in_rounds(random_program(seed, shape.without(Op.STORE)), count)


def in_rounds(program: Program, count: int) -> Program:
    """The kernel again and again, each round on what the one before gave and on the key's next words."""
    old, make, first = program.kernel, Builder(), 1
    block, keys = old.params[: program.block.count], old.params[program.block.count :]

    def visit(rewriter: Rewriter, node: Node, inputs: tuple[Node, ...]) -> Node | None:
        if node.op is not Op.LOAD or node.inputs[0] not in keys or node.inputs[1].op is not Op.CONST:
            return None
        return make.make(Op.LOAD, (inputs[0], make.const(node.inputs[1].attr + node.phase - first, 32)))

    state = list(block)
    for phase in range(first, first + count):
        for node in every_node(old):
            node.phase = phase
        rewriter = Rewriter(make, visit)
        rewriter.map.update(zip(block, state, strict=True))
        state = rewriter.all(old.results)
    kernel = Graph(old.name, old.params, state, ((first, count),))
    return program.with_graphs(program.expand, kernel)
