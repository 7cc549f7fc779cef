"""What random graphs mean, and how they are told, rewritten and sent, is what it was."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

from finalist.errors import FinalistError
from finalist.ir import interpreter
from finalist.ir.builder import Builder
from finalist.ir.equal import shared
from finalist.ir.execute import expand_keys, interpret
from finalist.ir.graph import (
    Graph,
    Node,
    effective_phases,
    every_node,
    origin,
    postorder,
    reads_parameter,
    trip_count,
    used,
)
from finalist.ir.ops import CONTROL, Op
from finalist.ir.printer import digest, fingerprint, format_graph
from finalist.ir.rewrite import inline, rewrite
from finalist.ir.types import ArrayType, WordType, storage_bits
from finalist.ir.verify import verify
from tests.graphs import bytes_for, inputs_for, random_graph, random_program
from tests.unchanged import unchanged

pytestmark = pytest.mark.digest

COUNT = 40
GRAPHS = {str(seed): random_graph(seed) for seed in range(COUNT)}
PROGRAMS = {str(seed): random_program(seed, stateful=seed % 3 == 0) for seed in range(COUNT)}


def test_what_graphs_mean() -> None:
    """Values at random and at the edges."""
    made = {}
    for case, graph in GRAPHS.items():
        found = interpreter.run(graph, inputs_for(graph, 8, case))
        made[case] = [(value.dtype.str, value.tolist()) for value in found]
    unchanged("ir-values", made)


def test_what_programs_mean() -> None:
    made = {}
    for case, program in PROGRAMS.items():
        keys, data = bytes_for(program, 3)
        expanded = [np.asarray(one).tolist() for one in expand_keys(program, keys)]
        made[case] = expanded, interpret(program, keys, data).tolist()
    unchanged("ir-programs", made)


def test_constants_are_folded() -> None:
    """Of each operation on constants, as simplification asks for it."""
    made = {}
    for case, graph in GRAPHS.items():
        make = Builder()
        found = []
        for node in graph.body:
            if node.op in (Op.LOOP, Op.WHEN, Op.RESULT) or not isinstance(node.type, WordType):
                continue
            if not all(isinstance(child.type, WordType) for child in node.inputs):
                continue
            inputs = [make.const(0x9E3779B97F4A7C15 >> place, c.width) for place, c in enumerate(node.inputs)]
            if inputs:
                found.append(interpreter.fold(Node(node.op, tuple(inputs), node.type, node.attr)))
        made[case] = found
    unchanged("ir-folded", made)


def test_how_graphs_are_told() -> None:
    made: dict[str, object] = {case: format_graph(graph) for case, graph in GRAPHS.items()}
    made |= {f"program {case}": (digest(one), fingerprint(one)) for case, one in PROGRAMS.items()}
    unchanged("ir-told", made)


def test_what_is_asked_of_nodes() -> None:
    made = {}
    for case, program in PROGRAMS.items():
        graph = program.kernel
        number = {node: place for place, node in enumerate(every_node(graph))}
        arrays = [n for n in graph.body if isinstance(n.type, ArrayType) and n.op in (Op.STORE, Op.ARRAY)]
        made[case] = (
            sorted(number[node] for node in used(graph) if node in number),
            [number.get(node) for node in postorder(graph.results)],
            [number.get(origin(array)) for array in arrays],
            [reads_parameter(node) for node in graph.body if node.op is Op.LOAD],
            [trip_count(node, 7) for node in every_node(graph) if node.op is Op.LOOP],
            sorted(
                (number[node], phase) for node, phase in effective_phases(graph).items() if node in number
            ),
        )
    unchanged("ir-nodes", made)


def test_copies_of_graphs() -> None:
    """Rewritten without a rule, sent to another process, and put in the place of a call."""
    made: dict[str, object] = {}
    for case, graph in GRAPHS.items():
        made[f"{case} rewritten"] = rewrite(graph, Builder())
        made[f"{case} sent"] = again = pickle.loads(pickle.dumps(graph))
        assert format_graph(again) == format_graph(graph) and shared(again) is shared(graph)
        make = Builder()
        given = [make.param("memory", p.type, f"g{k}") for k, p in enumerate(graph.params)]
        first = Graph(graph.name, graph.params, graph.results[:1])
        made[f"{case} inline"] = Graph("g", given, [inline(first, given, make)])
    unchanged("ir-copies", made)


def wrong(graph: Graph) -> list[str]:
    """What the verifier says when one node after the other has another type, operand or attribute."""
    said = []
    for node in [node for node in graph.body if node.op not in CONTROL | {Op.APPLY, Op.RESULT}][:12]:
        before = node.type, node.inputs, node.attr
        for spoiled in (
            (WordType(13), node.inputs, node.attr),
            (node.type, node.inputs[1:], node.attr),
            (node.type, node.inputs[::-1], node.attr),
            (node.type, node.inputs, None),
        ):
            node.type, node.inputs, node.attr = spoiled
            try:
                verify(graph)
                said.append("")
            except (FinalistError, TypeError, AttributeError, ValueError, IndexError) as error:
                said.append(f"{type(error).__name__} {str(error)[:60]}")
            node.type, node.inputs, node.attr = before
    return said


def test_what_the_verifier_says_of_spoiled_graphs() -> None:
    unchanged("ir-verified", {str(seed): wrong(random_graph(seed)) for seed in range(24)})


def test_bits_of_storage() -> None:
    assert [storage_bits(width) for width in (1, 7, 8, 9, 16, 17, 32, 33, 64)] == [
        8,
        8,
        8,
        16,
        16,
        32,
        32,
        64,
        64,
    ]
