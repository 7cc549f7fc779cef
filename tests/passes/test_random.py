"""Every pass on random graphs and programs: the meaning stays, the verifier is content."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from finalist.ir.builder import Builder
from finalist.ir.graph import Graph, every_node
from finalist.ir.ops import Op
from finalist.ir.program import Program
from finalist.ir.rewrite import rewrite
from finalist.ir.types import ArrayType, WordType
from finalist.machines.native.passes.lanes.halves import with_small_amounts
from finalist.machines.native.passes.rounds.order import ordered
from finalist.machines.native.passes.rounds.rotations import with_rotated_words
from finalist.machines.native.passes.scalars import readiness
from finalist.machines.native.passes.scalars.alignment import aligned, with_byte_indices
from finalist.machines.native.passes.scalars.products import with_products_first
from finalist.machines.native.passes.scalars.readiness import by_readiness
from finalist.machines.native.passes.scalars.swaps import with_quick_swaps
from finalist.passes import complements, gather, hoist, keying, linear, linear_forms, pack, simplify
from finalist.passes.circuits.lower import with_circuits
from finalist.passes.fuse import Fuser
from finalist.passes.key_schedules.key_loops import with_key_loops
from finalist.passes.pipeline import lower, passes
from finalist.passes.rounds.roll import rolled
from tests.graphs import LANE_OPS, Choices, Drawn, Seeded, Shape, graphs, programs
from tests.passes.meaning import keeps_graph, keeps_program, whole

GRAPH_PASSES: dict[str, Callable[[Graph], Graph]] = {
    "nothing": lambda graph: rewrite(graph, Builder()),
    "simplify": simplify.simplified,
    "simplify twice": lambda graph: simplify.simplified(simplify.simplified(graph)),
    "pack": pack.packed,
    "pack simplified": lambda graph: pack.packed(simplify.simplified(graph)),
    "linear": linear.lowered,
    "regions": linear_forms.found,
    "gather": gather.gathered,
    "circuits": with_circuits,
    "amounts": with_small_amounts,
    "order": ordered,
    "aligned": aligned,
    "byte indices": with_byte_indices,
    "rotations": with_rotated_words,
    "swaps": with_quick_swaps,
    "products first": with_products_first,
    "readiness": by_readiness,
    "key loops": with_key_loops,
    "fuse 0": lambda graph: Fuser(0).run(graph),
    "fuse 8": lambda graph: Fuser(8).run(graph),
    "fuse 64": lambda graph: Fuser(64).run(graph),
}
#: What slicing, joining and linear work can be packed and fused is rare among all operations.
MAPS = Shape(
    frozenset({Op.XOR, Op.AND, Op.NOT, Op.SLICE, Op.JOIN, Op.LOOKUP, Op.LINEAR, Op.LOAD, Op.ROL}), (32, 8, 16)
)
ROUTINE = settings(deadline=None, max_examples=30)


@pytest.mark.parametrize("name", GRAPH_PASSES)
@given(graphs(), st.integers(0, 9))
@ROUTINE
@pytest.mark.every(3)
def test_graphs(name: str, graph: Graph, seed: int) -> None:
    keeps_graph(GRAPH_PASSES[name], graph, seed)


@pytest.mark.parametrize("name", ["pack simplified", "fuse 8", "fuse 64", "linear", "regions"])
@given(graphs(MAPS), st.integers(0, 9))
@ROUTINE
@pytest.mark.every(2)
def test_linear_graphs(name: str, graph: Graph, seed: int) -> None:
    keeps_graph(GRAPH_PASSES[name], graph, seed)


PROGRAM_PASSES: dict[str, Callable[[Program], Program]] = {
    **{f"keying {depth}": lambda p, depth=depth: keying.before_fusing(p, depth) for depth in keying.KEYING},
    "tabulate": keying.tabulated,
    "hoist": hoist.run,
    "sums": readiness.run,
    "complements": lambda p: complements.run(linear.run(keying.before_fusing(p, "zero"))),
}


@pytest.mark.parametrize("name", PROGRAM_PASSES)
@given(programs(), st.integers(0, 9))
@ROUTINE
@pytest.mark.every(3)
def test_programs(name: str, program: Program, seed: int) -> None:
    whole(program)
    keeps_program(PROGRAM_PASSES[name], program, seed)


@pytest.mark.parametrize("name", [*PROGRAM_PASSES, "gather", "regions", "simplify"])
@given(programs(stateful=True), st.integers(0, 9))
@settings(deadline=None, max_examples=25)
@pytest.mark.every(4)
def test_stateful_programs(name: str, program: Program, seed: int) -> None:
    """Over several blocks, each of which takes the state that the one before it left."""
    whole(program)
    more = {"gather": gather.run, "regions": linear_forms.run, "simplify": simplify.run}
    keeps_program((PROGRAM_PASSES | more)[name], program, seed)


@given(programs(stateful=True), st.sampled_from(keying.KEYING), st.sampled_from([0, 32]))
@settings(deadline=None, max_examples=40)
def test_the_whole_pipeline_on_a_state(program: Program, depth: str, fuse: int) -> None:
    keeps_program(lambda p: lower(p, fuse, depth), program)


@given(programs(Shape(LANE_OPS | {Op.LOAD, Op.BOOL}, (32,))), st.integers(0, 9))
@ROUTINE
def test_complements_among_gates(program: Program, seed: int) -> None:
    keeps_program(complements.run, simplify.run(program), seed)


@given(programs(), st.sampled_from(keying.KEYING), st.sampled_from([0, 8, 32, 64]))
@settings(deadline=None, max_examples=50)
def test_the_whole_pipeline(program: Program, depth: str, fuse: int) -> None:
    """Pass by pass; at the end nothing is left that a software machine does not know."""
    for step in passes(fuse, depth):
        program = keeps_program(step, program)
    left = {node.op for graph in (program.expand, program.kernel) for node in every_node(graph)}
    assert not left & {Op.APPLY, Op.LINEAR, Op.BOOL}


def iterated(choices: Choices) -> Graph:
    """Rounds that are alike but for their constants and round keys, or not quite."""
    make = Builder()
    state = [make.param("memory", WordType(32), f"p{k}") for k in range(3)]
    keys = make.param("key", ArrayType(16, 32), "keys")
    params = [*state, keys]
    count, steps, seed = 2 + choices.integer(0, 6), 1 + choices.integer(0, 3), choices.integer(0, 999)
    odd, short = choices.integer(0, 2), choices.integer(0, 1)
    for r in range(count):
        make.phase = 1 + r
        source = random.Random(seed + (r % 2 if odd == 1 else 0))
        last = short and r == count - 1
        for _ in range(steps - 1 if last else steps):
            place = source.randrange(3)
            others = [
                state[source.randrange(3)],
                make.make(Op.LOAD, [keys, make.const((r * source.randrange(1, 4)) % 16, 32)]),
                make.const(source.randrange(9) * r + 1, 32),
                make.const(r * r + 5 if odd == 2 else 3, 32),
            ]
            op = source.choice([Op.XOR, Op.ADD, Op.SUB, Op.MUL, Op.ROL])
            state[place] = make.make(op, [state[place], source.choice(others)])
        turn = source.randrange(3)
        state = state[turn:] + state[:turn]
    return Graph("iterated", params, state, ((1, count),))


@st.composite
def iterations(draw: Callable[[Any], Any]) -> Graph:
    return iterated(Drawn(draw))


@given(iterations(), st.sampled_from([None, 1, 2, 3]), st.integers(0, 9))
@settings(deadline=None, max_examples=80)
def test_rounds_as_loops(graph: Graph, period: int | None, seed: int) -> None:
    for prepared in (graph, simplify.simplified(graph)):
        keeps_graph(lambda g: rolled(g, period), prepared, seed)


def test_equal_rounds_do_become_loops() -> None:
    """Or the test above would be about nothing."""
    made = [rolled(iterated(Seeded(seed))) for seed in range(60)]
    assert sum(any(node.op is Op.LOOP for node in graph.body) for graph in made) > 15
