"""Independent blocks: no dependence of a bit is missed, and delta swaps there and back cancel."""

from __future__ import annotations

import random
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from finalist.ciphers.catalogue import cipher
from finalist.errors import FinalistError
from finalist.ir import interpreter
from finalist.ir.builder import Builder
from finalist.ir.graph import Graph, Node
from finalist.ir.interpreter import dtype
from finalist.ir.ops import Op
from finalist.ir.program import ByteOrder, Layout, Program
from finalist.ir.steps import Step
from finalist.ir.types import ArrayType, WordType
from finalist.machines.registry import machine
from finalist.prove.independence import FIRST, KEY, MIXED, Labelled, Labels, blocks_are_independent, labels
from finalist.prove.passes import prove_passes
from finalist.prove.store import TRUE
from finalist.report.explained import passes
from finalist.schedule import parse_schedule
from tests.graphs import Shape, random_graph

CHECK = (pytest.mark.slow, pytest.mark.check)


def _entries(param: Node) -> int:
    return param.length if isinstance(param.type, ArrayType) else 1


def _traced(param: Node, origin: int) -> Any:
    words = tuple(Labelled((origin,) * param.width) for _ in range(_entries(param)))
    return words if isinstance(param.type, ArrayType) else words[0]


def _drawn(param: Node, source: random.Random) -> Any:
    drawn = [source.choice((0, 1, -1, source.getrandbits(64))) for _ in range(_entries(param))]
    words = np.array([word & (1 << param.width) - 1 for word in drawn], dtype(param.width))
    return words if isinstance(param.type, ArrayType) else words[0]


def _bits(results: list[Any], widths: list[int]) -> list[int]:
    words = [(int(word), n) for one, n in zip(results, widths, strict=True) for word in np.atleast_1d(one)]
    return [word >> k & 1 for word, n in words for k in range(n)]


def checked(graph: Graph, source: random.Random, points: int = 6) -> bool:
    """Whether the graph can be carried out with each parameter a block of its own, but arrays the key; fails
    where a bit changes with what it is said not to hang on."""
    own = [KEY if isinstance(p.type, ArrayType) else FIRST + at for at, p in enumerate(graph.params)]
    try:
        made = Labels().inside(graph, [_traced(*pair) for pair in zip(graph.params, own, strict=True)])
    except FinalistError:
        return False
    widths = [node.width for node in graph.results]
    found: list[int] = []
    for one, width in zip(made, widths, strict=True):
        for word in one if isinstance(one, tuple) else (one,):
            found += labels(word, width)
    for _ in range(points):
        given = [_drawn(param, source) for param in graph.params]
        before = _bits(interpreter.run(graph, given), widths)
        for at, param in enumerate(graph.params):
            other = [*given[:at], _drawn(param, source), *given[at + 1 :]]
            after = _bits(interpreter.run(graph, other), widths)
            for origin, x, y in zip(found, before, after, strict=True):
                assert origin > TRUE or x == y == origin
                assert x == y or origin in (own[at], MIXED) or own[at] == KEY
    return True


@pytest.mark.parametrize("part", [0, *(pytest.param(k, marks=CHECK) for k in range(1, 12))])
def test_random_graphs(part: int) -> None:
    shape = Shape(ops=frozenset(Op) - {Op.INSTRUCTION}, widths=(8, 16, 5, 32, 1, 33))
    seeds = range(25 * part, 25 * part + 25)
    done = [checked(random_graph(f"apart {seed}", shape), random.Random(seed)) for seed in seeds]
    assert sum(done) > len(done) // 3


@pytest.mark.parametrize("width", [1, 5, 8, 32, 33, 64])
def test_operations_on_words_of_two_blocks(width: int) -> None:
    make = Builder()
    a, b, c = (make.param("word", WordType(width), name) for name in "abc")
    mask = make.const(0x5A5A5A5A5A5A5A5A & (1 << width) - 1, width)
    low, high = make.make(Op.AND, (a, mask)), make.make(Op.AND, (b, make.make(Op.NOT, (mask,))))
    both = [make.make(op, (low, high)) for op in (Op.OR, Op.XOR, Op.ADD)]
    results = [*both, *(make.make(op, (both[0], c)) for op in (Op.AND, Op.ADD, Op.SUB, Op.MUL, Op.MULHI))]
    results += [make.make(op, (both[1], make.const(3, 8))) for op in (Op.ROL, Op.ROR, Op.SHL, Op.SHR)]
    assert checked(Graph("operations", (a, b, c), results), random.Random(width), points=20)


# -- programs of several blocks ----------------------------------------------------------------------


def exchanged(make: Builder, pair: list[Node], step: int, mask: int) -> list[Node]:
    """Two words of 32 bits, after bits of ``b`` under the mask and of ``a`` above it have changed places."""
    (a, b), amount = pair, make.const(step, 32)
    moved = make.make(Op.XOR, (make.make(Op.SHR, (a, amount)), b))
    moved = make.make(Op.AND, (moved, make.const(mask, 32)))
    return [make.make(Op.XOR, (a, make.make(Op.SHL, (moved, amount)))), make.make(Op.XOR, (b, moved))]


def program(kernel: Any, words: int = 2) -> Program:
    """A program without a key whose kernel makes of words of 32 bits others."""
    make = Builder()
    key = [make.param("memory", WordType(32), "key")]
    expand = Graph("expand", key, [make.array_of(key)])
    make = Builder()
    block = [make.param("memory", WordType(32), f"x{k}") for k in range(words)]
    array = make.param("key", ArrayType(1, 32), "k")
    results = kernel(make, block, make.make(Op.LOAD, (array, make.const(0, 32))))
    layout, own = (Layout(count, 32, ByteOrder.LITTLE) for count in (words, 1))
    return Program("toy", "encrypt", 32, layout, own, expand, Graph("encrypt", [*block, array], results))


MASK = 0x0F0F0F0F


def planes(make: Builder, block: list[Node], key: Node, back: int = MASK) -> list[Node]:
    """Two blocks of a word with their nibbles in planes, something done to both, and back."""
    a, b = exchanged(make, block, 4, MASK)
    a = make.make(Op.AND, (make.make(Op.XOR, (a, key)), b))
    return exchanged(make, [a, b], 4, back)


def test_there_and_back() -> None:
    assert blocks_are_independent(program(planes), 4)
    other = program(lambda make, block, key: planes(make, block, key, MASK ^ 1))
    assert not blocks_are_independent(other, 4)


@pytest.mark.parametrize(
    ("kernel", "apart"),
    [
        (lambda make, block, key: block, True),
        (lambda make, block, key: block[::-1], False),
        (lambda make, block, key: [make.make(Op.XOR, (block[0], key)), key], True),
        (lambda make, block, key: [make.make(Op.ADD, block), block[1]], False),
        (lambda make, block, key: [make.make(Op.XOR, block), block[1]], False),
        (lambda make, block, key: [make.make(Op.ROL, (block[0], block[1])), block[1]], False),
        (lambda make, block, key: [make.make(Op.ROL, (block[0], key)), block[1]], True),
        (lambda make, block, key: [make.make(Op.MUL, (block[0], block[0])), block[1]], True),
    ],
)
def test_what_keeps_them_apart(kernel: Any, apart: bool) -> None:
    assert blocks_are_independent(program(kernel), 4) is apart


def test_of_a_block_alone_nothing_is_asked() -> None:
    assert blocks_are_independent(program(lambda make, block, key: block[::-1]), 8)
    assert not blocks_are_independent(program(lambda make, block, key: block), 3)


@pytest.mark.parametrize(
    ("name", "choices"),
    [
        ("serpent", ["blocks=32", "width=128", "planes=4"]),
        pytest.param("rijndael", ["lookup=bitslice"], marks=CHECK),
        pytest.param("des", ["lookup=bitslice"], marks=CHECK),
    ],
)
def test_programs_of_planes(name: str, choices: list[str]) -> None:
    """The size of their blocks, from the pass that makes planes on, is that of several."""
    _, steps, _ = passes(machine("native"), cipher(name), "encrypt", 128, parse_schedule(choices))
    last = steps[-1].after
    assert blocks_are_independent(last, steps[0].before.block.bytes)


def verdicts(*programs: Program) -> list[str]:
    """Of passes from each program to the next."""
    steps = [Step(str(k), "", "file.py", *pair) for k, pair in enumerate(pairwise(programs))]
    return [one.verdict for one in prove_passes(steps)]


def alone(make: Builder, block: list[Node], key: Node) -> list[Node]:
    return [make.make(Op.AND, (make.make(Op.XOR, (word, key)), word)) for word in block]


def test_passes_that_mix_blocks_are_refuted() -> None:
    """On blocks that are all the same no difference would be seen."""

    def elsewhere(make: Builder, block: list[Node], key: Node) -> list[Node]:
        return alone(make, block[::-1], key)

    def one_bit(make: Builder, block: list[Node], key: Node) -> list[Node]:
        return exchanged(make, alone(make, block, key), 0, 1)

    def half(make: Builder, block: list[Node], key: Node) -> list[Node]:
        mixed = make.make(Op.XOR, (block[0], block[1]))
        return [
            make.make(Op.XOR, (word, make.make(Op.AND, (mixed, key)))) for word in alone(make, block, key)
        ]

    first, both = program(alone, 1), program(alone)
    assert verdicts(first, both) == ["proved"]
    for wrong in (elsewhere, one_bit, half):
        assert verdicts(first, program(wrong)) == ["refuted"]
        assert verdicts(both, program(wrong)) == ["refuted"]


def test_a_fault_in_one_of_the_blocks_is_refuted() -> None:
    def wrong(make: Builder, block: list[Node], key: Node) -> list[Node]:
        good, other = alone(make, block, key)
        return [good, make.make(Op.XOR, (other, make.const(1, 32)))]

    found = program(wrong)
    assert blocks_are_independent(found, 4)
    assert verdicts(program(alone, 1), found) == ["refuted"]


def test_time_that_is_over_ends_it() -> None:
    def check() -> None:
        raise FinalistError("over")

    with pytest.raises(FinalistError, match="over"):
        blocks_are_independent(program(planes), 4, check)
