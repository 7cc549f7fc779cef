"""Random programs of several shapes, in one round or more, for all machines."""

from __future__ import annotations

import random

import numpy as np

from finalist.ir.builder import Builder
from finalist.ir.execute import interpret
from finalist.ir.graph import Graph, Node, every_node
from finalist.ir.ops import COMPARISONS, Op
from finalist.ir.program import Program
from finalist.ir.rewrite import Rewriter
from finalist.isa.simulate.run import SimulatedProgram
from finalist.machines.registry import machine
from finalist.schedule import Schedule
from tests.graphs import LANE_OPS, Shape, bytes_for, random_program

NARROW_OPS = LANE_OPS | COMPARISONS | {Op.LOAD, Op.LOOKUP, Op.SLICE, Op.JOIN, Op.EXTEND, Op.SELECT}
SHAPES = {
    "everything": Shape(),
    "lanes": Shape(LANE_OPS | {Op.LOAD}, (32,), lanes=True),
    "long lanes": Shape(LANE_OPS, (64,), lanes=True),
    "gathers": Shape(LANE_OPS | {Op.LOAD, Op.LOOKUP, Op.SLICE, Op.JOIN, Op.EXTEND}, (32, 8)),
    "narrow": Shape(NARROW_OPS, (16, 8, 32)),
    "long": Shape(NARROW_OPS | {Op.MULHI}, (64, 32, 8)),
    "maps": Shape(NARROW_OPS | {Op.BOOL, Op.LINEAR, Op.APPLY}, (8, 32, 64, 1, 4)),
    "planes": Shape(frozenset({Op.AND, Op.OR, Op.XOR, Op.NOT, Op.BOOL, Op.LOAD, Op.ROL}), (32,)),
}


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
        for node in every_node(old):  # a rewriter makes nodes in the round of what they replace
            node.phase = phase
        rewriter = Rewriter(make, visit)
        rewriter.map.update(zip(block, state, strict=True))
        state = rewriter.all(old.results)
    kernel = Graph(old.name, old.params, state, ((first, count),))
    return program.with_graphs(program.expand, kernel)


def simulated(kind: str, program: Program, schedule: Schedule | None = None) -> SimulatedProgram:
    """The program for a simulated processor, by the default schedule without any."""
    made = machine(kind).program(program, schedule or Schedule())
    assert isinstance(made, SimulatedProgram)
    return made


def agrees(program: Program, made: SimulatedProgram, rows: int = 3) -> bool:
    """Whether the simulated program gives what the interpreter does, for random keys and data."""
    keys, data = bytes_for(program, rows)
    expected = interpret(program, keys, data)
    given = zip(keys, data, strict=True)
    got = [np.frombuffer(made.run(key.tobytes(), row.tobytes()).output, np.uint8) for key, row in given]
    return np.array_equal(np.stack(got), expected)
