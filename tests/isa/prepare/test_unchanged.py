"""What each preparation makes of random graphs is what it was."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

from finalist.ir.builder import Builder
from finalist.ir.graph import Graph
from finalist.ir.ops import Op
from finalist.ir.types import WordType
from finalist.isa.prepare import operations, stores
from finalist.isa.prepare.coefficients import by_coefficients, planned
from finalist.isa.prepare.heights import Latencies, latencies_of, with_low_trees, with_shared_sums
from finalist.isa.prepare.key_first import key_first, with_sums_of_keys
from finalist.isa.prepare.key_in_line import in_line
from finalist.isa.prepare.late import with_late_parts
from finalist.isa.prepare.moves import without_moves
from finalist.isa.prepare.packed_tables import packed
from finalist.isa.prepare.powers import by_powers
from finalist.isa.prepare.wanted import without_unwanted
from finalist.machines.c6x.model import processor as c6x
from finalist.passes.chain import chained
from finalist.passes.legalise.walk import legalised
from finalist.passes.linear import lowered
from finalist.passes.simplify import simplified
from tests.graphs import LANE_OPS, Seeded, Shape, random_graph, random_program
from tests.isa.prepare.test_packed_tables import graph as of_tables
from tests.isa.prepare.test_packed_tables import table
from tests.isa.prepare.test_powers import DECRYPT, DOUBLED, ENCRYPT, circulant, matrix
from tests.passes.test_random import iterated
from tests.processors import vliw
from tests.unchanged import unchanged

pytestmark = pytest.mark.digest

SHAPES = {
    "everything": Shape(size=16),
    "sums": Shape(LANE_OPS | {Op.LOOKUP, Op.SLICE, Op.EXTEND, Op.JOIN}, (32, 8), 30),
    "bytes": Shape(LANE_OPS | {Op.LOAD, Op.STORE, Op.ARRAY, Op.LOOKUP, Op.SELECT, Op.LT}, (8,), 30),
}
#: In operations that processors have, but for what they lack.
GRAPHS = {
    f"{name} {seed}": lowered(simplified(random_graph(seed, shape)))
    for name, shape in SHAPES.items()
    for seed in range(16)
}
STEPS: dict[str, Callable[[Graph], Graph]] = {
    "low trees": lambda graph: with_low_trees(graph, Latencies(3, 4, 1)),
    "sums of keys": with_sums_of_keys,
    "key first": key_first,
    "late parts": with_late_parts,
    "shared sums": with_shared_sums,
    "wanted bits": without_unwanted,
    "known reads": stores.with_known_reads,
    "dead writes": stores.without_dead_writes,
}
ON_WORDS: dict[str, Callable[[Graph], Graph]] = {
    "moves": lambda graph: without_moves(graph, 32),
    "operations": lambda graph: operations.prepared(graph, 32, frozenset({32}), 64),
    "operations 8": lambda graph: operations.prepared(legalised(graph, 8), 8, frozenset()),
}


@pytest.mark.parametrize("name", STEPS)
def test_graphs(name: str) -> None:
    made = {case: STEPS[name](graph) for case, graph in GRAPHS.items()}
    made |= {f"rounds {seed}": STEPS[name](iterated(Seeded(seed))) for seed in range(8)}
    made |= {f"program {seed}": STEPS[name](lowered(random_program(seed).kernel)) for seed in range(12)}
    unchanged(f"prepare-{name.replace(' ', '-')}", made)


@pytest.mark.parametrize("name", ON_WORDS)
def test_graphs_on_words_of_a_processor(name: str) -> None:
    made = {case: ON_WORDS[name](legalised(graph, 32)) for case, graph in GRAPHS.items()}
    unchanged(f"prepare-{name.replace(' ', '-')}", made)


def test_blocks_in_a_row() -> None:
    made = {
        f"{seed} {blocks}": chained(random_program(seed, stateful=seed % 3 == 0), blocks)
        for seed in range(9)
        for blocks in (2, 4)
    }
    unchanged("prepare-chain", made)


def test_linear_maps_of_bytes() -> None:
    made: dict[str, object] = {}
    for row in (ENCRYPT, DECRYPT):
        made[f"powers {row}"] = by_powers(circulant(row), DOUBLED)
        made[f"powers of all {row}"] = by_powers(circulant(row), DOUBLED, whole=True)
        for tables in (0, 1, 2):
            made[f"{tables} tables {row}"] = by_coefficients(circulant(row), tables)
            made[f"{tables} planned {row}"] = planned([matrix(n) for n in row if n > 1], tables)
    unchanged("prepare-bytes", made)


def test_latencies_of_processors() -> None:
    made = [latencies_of(processor) for processor in (c6x("c62x"), c6x("c64x"), vliw.processor())]
    assert made == [Latencies(6, 5, 2), Latencies(6, 5, 2), Latencies(5, 5, 2)]


def test_entries_of_the_key_in_line() -> None:
    """In an order, where all are read at constants and of one width; as they are where they are not."""
    made: dict[str, object] = {}
    for seed in range(12):
        program = random_program(seed)
        entries = [
            (name, k)
            for name, p in zip(program.key_names, program.key_params, strict=True)
            for k in range(p.length)
        ]
        random.Random(seed).shuffle(entries)
        made[str(seed)] = in_line(program, entries[: 1 + seed % 4])
    unchanged("prepare-in-line", made)


def test_how_far_amounts_and_rotations_go() -> None:
    make = Builder()
    a = make.param("memory", WordType(8), "a")
    turned = [make.make(op, (a, make.const(n, 8))) for op in (Op.ROL, Op.ROR) for n in (3, 8, 0, 13)]
    assert [operations.rotation(node) for node in turned] == [3, 0, 0, 5, 5, 0, 0, 3]
    assert operations.rotation(make.make(Op.ROL, (a, a))) is operations.rotation(a) is None
    low = make.make(Op.AND, (a, make.const(7, 8)))
    amounts = [
        a,
        low,
        make.make(Op.SUB, (make.const(32, 8), low)),
        make.make(Op.SUB, (make.const(3, 8), low)),
    ]
    assert [operations.at_most(one) for one in amounts] == [255, 7, 32, 255]


def test_tables_in_pairs() -> None:
    choices = [(0, 1, 2), (0, 1), (3, 4, 5, 6, 7)]
    made = {str(some): packed(of_tables([table(k) for k in some])) for some in choices}
    made["lengths"] = packed(of_tables([table(0), table(1, bits=4), table(2, width=3), table(3, bits=4)]))
    unchanged("prepare-tables", made)
