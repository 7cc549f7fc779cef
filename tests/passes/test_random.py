"""Every pass on random graphs and programs: the meaning stays, the verifier is content."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from finalist.ir.graph import Graph, every_node
from finalist.ir.ops import Op
from finalist.ir.program import Program
from finalist.ir.rewrite import rewrite
from finalist.passes import complements, hoist, keying, linear, pack, simplify
from finalist.passes.amounts import with_small_amounts
from finalist.passes.circuits.lower import with_circuits
from finalist.passes.fuse import Fuser
from finalist.passes.order import ordered
from finalist.passes.pipeline import passes
from tests.graphs import LANE_OPS, Shape, graphs, programs
from tests.passes.meaning import keeps_graph, keeps_program, whole

GRAPH_PASSES: dict[str, Callable[[Graph], Graph]] = {
    "nothing": lambda graph: rewrite(graph, simplify.Builder()),
    "simplify": simplify.simplified,
    "simplify twice": lambda graph: simplify.simplified(simplify.simplified(graph)),
    "pack": pack.packed,
    "pack simplified": lambda graph: pack.packed(simplify.simplified(graph)),
    "linear": linear.lowered,
    "circuits": with_circuits,
    "amounts": with_small_amounts,
    "order": ordered,
    "fuse 0": lambda graph: Fuser(0).run(graph),
    "fuse 8": lambda graph: Fuser(8).run(graph),
    "fuse 64": lambda graph: Fuser(64).run(graph),
}
#: What slicing, joining and linear work can be packed and fused is rare among all operations.
MAPS = Shape(
    frozenset({Op.XOR, Op.AND, Op.NOT, Op.SLICE, Op.JOIN, Op.LOOKUP, Op.LINEAR, Op.LOAD, Op.ROL}), (32, 8, 16)
)
ROUTINE = settings(deadline=None, max_examples=60)


@pytest.mark.parametrize("name", GRAPH_PASSES)
@given(graphs(), st.integers(0, 9))
@ROUTINE
def test_graphs(name: str, graph: Graph, seed: int) -> None:
    keeps_graph(GRAPH_PASSES[name], graph, seed)


@pytest.mark.parametrize("name", ["pack simplified", "fuse 8", "fuse 64", "linear"])
@given(graphs(MAPS), st.integers(0, 9))
@ROUTINE
def test_linear_graphs(name: str, graph: Graph, seed: int) -> None:
    keeps_graph(GRAPH_PASSES[name], graph, seed)


PROGRAM_PASSES: dict[str, Callable[[Program], Program]] = {
    **{f"keying {depth}": lambda p, depth=depth: keying.before_fusing(p, depth) for depth in keying.KEYING},
    "tabulate": keying.tabulated,
    "hoist": hoist.run,
    "complements": lambda p: complements.run(linear.run(keying.before_fusing(p, "zero"))),
}


@pytest.mark.parametrize("name", PROGRAM_PASSES)
@given(programs(), st.integers(0, 9))
@ROUTINE
def test_programs(name: str, program: Program, seed: int) -> None:
    whole(program)
    keeps_program(PROGRAM_PASSES[name], program, seed)


@given(programs(Shape(LANE_OPS | {Op.LOAD, Op.BOOL}, (32,))), st.integers(0, 9))
@ROUTINE
def test_complements_among_gates(program: Program, seed: int) -> None:
    keeps_program(complements.run, simplify.run(program), seed)


@given(programs(), st.sampled_from(keying.KEYING), st.sampled_from([0, 8, 32, 64]))
@settings(deadline=None, max_examples=100)
def test_the_whole_pipeline(program: Program, depth: str, fuse: int) -> None:
    """Pass by pass; at the end nothing is left that a software machine does not know."""
    for _, step in passes(fuse, depth):
        program = keeps_program(step, program)
    left = {node.op for graph in (program.expand, program.kernel) for node in every_node(graph)}
    assert not left & {Op.APPLY, Op.LINEAR, Op.BOOL}
