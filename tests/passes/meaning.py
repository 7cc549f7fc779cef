"""What every pass owes: the same meaning, and a well-formed graph."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from finalist.ir import interpreter
from finalist.ir.execute import interpret
from finalist.ir.graph import Graph, Node, every_node
from finalist.ir.ops import Op
from finalist.ir.program import Program
from finalist.ir.steps import watching
from finalist.ir.verify import verify
from finalist.passes.pipeline import lower
from tests.graphs import bytes_for, inputs_for


def same_graph(before: Graph, after: Graph, seed: int = 0) -> None:
    """Both graphs give the same on random values; the new one is well formed."""
    verify(after)
    assert [node.type for node in after.params] == [node.type for node in before.params]
    assert [node.type for node in after.results] == [node.type for node in before.results]
    values = inputs_for(before, 6, seed)
    pairs = zip(interpreter.run(before, values), interpreter.run(after, values), strict=True)
    for place, (a, b) in enumerate(pairs):
        shape = np.broadcast_shapes(a.shape, b.shape)
        assert np.array_equal(np.broadcast_to(a, shape), np.broadcast_to(b, shape)), f"result {place}"


def keeps_graph(step: Callable[[Graph], Graph], graph: Graph, seed: int = 0) -> Graph:
    """The graph after the step, which must mean the same."""
    after = step(graph)
    same_graph(graph, after, seed)
    return after


def whole(program: Program) -> None:
    """Both graphs are well formed, and one's results are the other's parameters."""
    verify(program.expand)
    verify(program.kernel)
    fitting(program)


def fitting(program: Program) -> None:
    """The results of the key schedule are the kernel's parameters."""
    keys = program.kernel.params[program.block.count :]
    assert [node.type for node in program.expand.results] == [node.type for node in keys]
    assert len(set(program.key_names)) == len(keys), "two fields of the expanded key with one name"


def keeps_program(step: Callable[[Program], Program], program: Program, seed: int = 0) -> Program:
    """The program after the step, which must mean the same on random keys and blocks."""
    after = step(program)
    whole(after)
    keys, data = bytes_for(program, 5, seed)
    assert np.array_equal(interpret(program, keys, data), interpret(after, keys, data))
    return after


def after_pass(program: Program, name: str) -> Program:
    """The program after the pass of this name, of those that all machines with software share."""
    with watching() as steps:
        lower(program)
    return next(step.after for step in steps if step.name == name)


def operations(graph: Graph, op: Op) -> list[Node]:
    """All nodes with this operation, those in loops included."""
    return [node for node in every_node(graph) if node.op is op]
