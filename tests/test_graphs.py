"""What the generators draw: tests on random graphs are about nothing that is never drawn."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import numpy as np

from finalist.ir import interpreter
from finalist.ir.execute import interpret
from finalist.ir.graph import Graph, Region, every_node, origin
from finalist.ir.ops import CONTROL, Op
from finalist.ir.types import ArrayType
from finalist.ir.verify import verify
from tests.graphs import bytes_for, inputs_for, random_graph, random_program

SEEDS = 200


def features(graph: Graph) -> set[str]:
    """What of arrays and control flow there is in a graph."""
    found = set(_features(graph, ()))
    for node in graph.body:
        if node.op is Op.LOOP and _differ(graph, node.inputs[1]):
            found.add("loops to bounds that differ from block to block")
        if node.op is Op.WHEN and _differ(graph, node.inputs[0]):
            found.add("conditions that differ from block to block")
    return found


def _features(region: Region, around: tuple[Op, ...]) -> Iterator[str]:
    for node in region.body:
        if node.op is Op.ARRAY:
            yield "an array"
        if node.op is not Op.LOAD and any(
            isinstance(c.type, ArrayType) for c in node.inputs if c in region.free
        ):
            yield "an array that starts anew in a region"
        if node.op in (Op.STORE, Op.LOAD):
            place = "a known place" if node.inputs[1].op is Op.CONST else "a computed place"
            yield f"{node.op.label} at {place}"
        if node.op in CONTROL:
            if node.op is Op.LOOP and node.inputs[1].op is not Op.CONST:
                yield "a loop to a computed bound"
            for outer in around[-1:]:
                yield f"{node.op.label} in {outer.label}"
            if any(isinstance(param.type, ArrayType) for param in node.region.params):
                yield f"{node.op.label} that carries an array"
            yield from _features(node.region, (*around, node.op))


def _differ(graph: Graph, node: object) -> bool:
    """Whether random blocks give a word of the graph more than one value."""
    (value,) = interpreter.run(Graph("g", graph.params, [node]), inputs_for(graph, 8))  # type: ignore[list-item]
    return len(np.unique(value)) > 1


def test_graphs_have_arrays_loops_and_conditions() -> None:
    counted = Counter(feature for seed in range(SEEDS) for feature in features(random_graph(seed)))
    rare = {feature: counted[feature] for feature in LEAST if counted[feature] < LEAST[feature]}
    assert not rare, counted


#: In how many of 200 graphs there must be one at least.
LEAST = {
    "an array": 60,
    "an array that starts anew in a region": 5,
    "load at a known place": 25,
    "load at a computed place": 25,
    "store at a known place": 20,
    "store at a computed place": 10,
    "a loop to a computed bound": 25,
    "loops to bounds that differ from block to block": 12,
    "conditions that differ from block to block": 15,
    "loop in loop": 5,
    "loop in when": 5,
    "when in loop": 5,
    "when in when": 5,
    "loop that carries an array": 15,
    "when that carries an array": 15,
}


def test_stateful_programs_hand_on_a_state() -> None:
    """Well-formed ones, whose arrays are written, and whose second block depends on the first."""
    written = depends = 0
    for seed in range(60):
        program = random_program(seed, stateful=True)
        verify(program.kernel)
        params = program.kernel.params[program.block.count :]
        results = program.kernel.results[program.block.count :]
        assert [origin(result) for result in results] == list(params)
        written += any(a is not b for a, b in zip(params, results, strict=True))
        keys, data = bytes_for(program, 4, seed)
        size = program.block.bytes
        whole = interpret(program, keys, data)
        alone = interpret(program, keys, np.ascontiguousarray(data[:, size : 2 * size]))
        depends += not np.array_equal(whole[:, size : 2 * size], alone)
    assert written > 50
    assert depends > 20


def test_programs_without_a_state_begin_anew() -> None:
    for seed in range(20):
        program = random_program(seed)
        assert not program.stateful
        assert len(program.kernel.results) == program.block.count
        assert {param.attr for param in program.kernel.params} == {"memory", "key"}
        kinds = {node.attr for node in every_node(program.kernel) if node.op is Op.PARAM}
        assert "state" not in kinds
