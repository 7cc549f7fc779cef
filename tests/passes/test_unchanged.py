"""What each pass makes of random graphs, and what each analysis finds there, is what it was."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

from finalist.ciphers.catalogue import cipher
from finalist.errors import FinalistError
from finalist.ir.builder import Builder
from finalist.ir.graph import Graph, Node, every_node
from finalist.ir.ops import Op
from finalist.ir.printer import fingerprint_of
from finalist.ir.program import Program
from finalist.ir.steps import watching
from finalist.ir.types import WordType
from finalist.machines.tracing import traced
from finalist.passes import (
    analysis,
    complements,
    gather,
    hoist,
    keying,
    linear,
    linear_forms,
    pack,
    simplify,
    subkeys,
    ternary,
    timing,
    wiring,
)
from finalist.passes.fuse import Fuser
from finalist.passes.pipeline import lower
from tests.graphs import LANE_OPS, Shape, random_graph, random_program
from tests.passes.test_gather import graph_of
from tests.unchanged import unchanged

pytestmark = pytest.mark.digest

#: Random graphs of each shape.
COUNT = 20
#: In which different passes find something.
SHAPES = {
    "everything": Shape(),
    "words": Shape(LANE_OPS | {Op.LOAD, Op.STORE, Op.LOOKUP, Op.SLICE, Op.JOIN, Op.EXTEND}, (32, 8), 24),
    "maps": Shape(
        frozenset({Op.XOR, Op.AND, Op.NOT, Op.SLICE, Op.JOIN, Op.LOOKUP, Op.LINEAR, Op.LOAD, Op.ROL}),
        (32, 8, 16),
        20,
    ),
    "gates": Shape(frozenset({Op.AND, Op.OR, Op.XOR, Op.NOT, Op.BOOL, Op.SELECT}), (32, 1), 24),
}
GRAPHS = {f"{name} {seed}": random_graph(seed, SHAPES[name]) for name in SHAPES for seed in range(COUNT)}


def plain(step: Callable[[Graph], Graph]) -> Callable[[Graph], Graph]:
    """The step on what is simplified already."""
    return lambda graph: step(simplify.simplified(graph))


PASSES: dict[str, Callable[[Graph], Graph]] = {
    "simplify": simplify.simplified,
    "pack": plain(pack.packed),
    "linear": plain(linear.lowered),
    "swapped": plain(lambda graph: linear.swapped(graph, 32)),
    "regions": plain(linear_forms.found),
    "gather": gather.gathered,
    "fuse 8": plain(Fuser(8).run),
    "fuse 32": plain(Fuser(32).run),
    "fuse 64": plain(Fuser(64).run),
    "ternary": plain(ternary.with_ternary_gates),
}


@pytest.mark.parametrize("name", PASSES)
def test_graphs(name: str) -> None:
    unchanged(
        f"passes-{name.replace(' ', '-')}", {case: PASSES[name](graph) for case, graph in GRAPHS.items()}
    )


PROGRAM_PASSES: dict[str, Callable[[Program], Program]] = {
    **{f"keying {depth}": lambda p, depth=depth: keying.before_fusing(p, depth) for depth in keying.KEYING},
    "tabulate": keying.tabulated,
    "hoist": hoist.run,
    "hoist no more": lambda p: hoist.run(p, extended=False),
    "complements": lambda p: complements.run(linear.run(keying.before_fusing(p, "zero"))),
    "numbers": subkeys.settled,
    "numbers side by side": lambda p: subkeys.settled(p, apart=False),
    "subkeys": subkeys.computed,
}

PROGRAMS = {f"program {seed}": random_program(seed) for seed in range(2 * COUNT)}


def refused_or(step: Callable[[Program], Program], program: Program) -> Program | str:
    """What the step makes, or why it refuses to."""
    try:
        return step(program)
    except FinalistError as refusal:
        return str(refusal)


@pytest.mark.parametrize("name", PROGRAM_PASSES)
def test_programs(name: str) -> None:
    made = {case: refused_or(PROGRAM_PASSES[name], program) for case, program in PROGRAMS.items()}
    unchanged(f"passes-{name.replace(' ', '-')}", made)


def words(graph: Graph) -> list[Node]:
    return [node for node in every_node(graph) if isinstance(node.type, WordType)]


def test_bounds() -> None:
    found = {case: [analysis.greatest(node) for node in words(graph)] for case, graph in GRAPHS.items()}
    unchanged("passes-bounds", found)


def test_what_depends_on_the_key_alone() -> None:
    found = {}
    for case, program in PROGRAMS.items():
        body = program.kernel.body
        kinds = (), ("key", "index"), ("memory",)
        found[case] = [[analysis.KeyOnly(*kind)(node) for node in body] for kind in kinds]
    unchanged("passes-key-only", found)


def test_users_and_words_between_rounds() -> None:
    found = {}
    for case in range(COUNT):
        graph = random_graph(case)
        for place, node in enumerate(graph.body):  # three operations a round
            node.phase = place // 3
        graph = Graph(graph.name, graph.params, graph.results, ((0, 6),))
        counts = [len(of) for of in analysis.users(graph).values()]
        handed = analysis.handed_on(graph, lambda node: node.op is Op.NOT)
        found[str(case)] = counts, handed
    unchanged("passes-users", found)


def test_linear_forms() -> None:
    """Of what is linear in the parameters, and in what is not linear itself."""
    found = {}
    for case, graph in GRAPHS.items():
        forms: dict[Node, linear_forms.Form] = {}
        numbers_of = {node: place for place, node in enumerate((*graph.params, *graph.body))}
        told_ = []
        for node in numbers_of:
            if not isinstance(node.type, WordType):
                continue
            form = linear_forms.form_of(node, forms)
            told_.append(form and sorted((numbers_of[leaf], matrix) for leaf, matrix in form.items()))
            forms[node] = {node: tuple(1 << bit for bit in range(node.width))} if form is None else form
        found[case] = told_
    unchanged("passes-linear-forms", found)


def test_parts_of_a_word_that_meet_the_key() -> None:
    """At places and of widths at random, of the word as it is or rotated."""
    made = {}
    for seed in range(40):
        source = random.Random(seed)
        places = [(source.randrange(28), source.choice((4, 6, 8))) for _ in range(source.randint(2, 6))]
        fitting = [(start, min(width, 32 - start)) for start, width in places]
        made[str(seed)] = gather.gathered(graph_of(32, fitting, source.choice((0, 0, 5))))
    unchanged("passes-gathered", made)


def test_permutations_of_bits() -> None:
    """As rotations of runs, as networks of exchanges, or neither; with bits complemented, or lost."""
    made = {}
    for seed in range(40):
        source, width = random.Random(seed), (8, 4, 16)[seed % 3]
        order = source.sample(range(width), width)
        if seed % 4 == 0:
            order = [(k + seed) % width for k in range(width)]
        if seed % 4 == 1:  # places of bits that are a linear map of the bits' own
            order = [k ^ 3 * (k >> 2 & 1) ^ seed % width for k in range(width)]
        matrix = (
            tuple(1 << bit for bit in order) if seed % 5 else tuple(source.getrandbits(width) for _ in order)
        )
        steps = wiring.network(matrix, width)
        found = wiring.sources(matrix, width)
        make = Builder()
        word = make.param("memory", WordType(width), "x")
        graphs = [Graph("g", [word], [wiring.consecutive(make, word, seed % width, width)])]
        if steps is not None:
            graphs.append(Graph("g", [word], [wiring.permuted(make, word, steps)]))
        told = [fingerprint_of(graph) for graph in graphs]
        run = wiring.run_of(tuple(order), width)
        made[str(seed)] = found, run, steps, steps and wiring.network_cost(steps, width), told
    unchanged("passes-wiring", made)


def test_labels_and_what_gives_secrets_away() -> None:
    """In each place, whatever the lines are that definitions were traced at."""
    found = {}
    for case, program in PROGRAMS.items():
        parts = timing.timing(program)
        leaks = [(leak.label, str(leak)) for leak in timing.leaks(program.kernel)]
        secret = timing.secrets(program.kernel)
        marked = [node in secret for node in every_node(program.kernel)]
        found[case] = parts.key_schedule, parts.kernel, parts.reason, leaks, marked
    unchanged("passes-timing", found)


@pytest.mark.parametrize(("name", "fuse", "depth"), [("rijndael", 32, "full"), ("twofish", 64, "minimal")])
def test_ciphers_pass_by_pass(name: str, fuse: int, depth: str) -> None:
    """All shared passes."""
    with watching() as steps:
        lower(traced(cipher(name), "encrypt", 128), fuse, depth)
    unchanged(f"passes-{name}", {f"{place} {step.name}": step.after for place, step in enumerate(steps)})
