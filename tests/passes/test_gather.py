"""Gathering: parts of a word that meet parts of the key do so together, where they are disjoint."""

from __future__ import annotations

import random

import pytest

from finalist.ciphers.catalogue import cipher
from finalist.ir.builder import Builder
from finalist.ir.graph import Graph, Node
from finalist.ir.ops import Op
from finalist.ir.types import ArrayType, WordType
from finalist.machines.tracing import traced as trace
from finalist.passes import gather
from finalist.passes.analysis import KeyOnly
from finalist.passes.gather import gathered
from finalist.passes.simplify import simplified
from tests.passes.meaning import after_pass, keeps_graph, keeps_program


def key_additions(graph: Graph) -> list[Node]:
    """XORs of a word of the block with one of the key."""
    key_only = KeyOnly()
    found = [node for node in graph.body if node.op is Op.XOR]
    return [node for node in found if sum(key_only(child) for child in node.inputs) == 1]


def graph_of(width: int, places: list[tuple[int, int]], turn: int = 0) -> Graph:
    """Slices (start, width) of one word, turned, each XORed with a word of the key."""
    make = Builder()
    x = make.param("memory", WordType(width), "x")
    keys = [make.param("key", ArrayType(1, n), f"k{k}") for k, (_, n) in enumerate(places)]
    word = make.make(Op.ROL, [x, make.const(turn, 8)]) if turn else x
    mixed = []
    for key, (start, n) in zip(keys, places, strict=True):
        part = make.make(Op.LOAD, [key, make.const(0, 32)])
        pair = [make.slice(word, start, n), part]
        mixed.append(make.make(Op.XOR, pair if start % 2 else pair[::-1]))
    return Graph("g", [x, *keys], mixed)


def test_disjoint_parts_meet_the_key_together() -> None:
    graph = keeps_graph(gathered, graph_of(32, [(0, 6), (8, 8), (20, 12)]))
    (whole,) = key_additions(graph)
    assert whole.width == 32


def test_parts_that_overlap_go_to_different_words() -> None:
    """As those of DES's expansion do: every second one can go with the first."""
    places = [(start, 6) for start in range(0, 24, 4)]
    graph = keeps_graph(gathered, graph_of(32, places))
    assert [node.width for node in key_additions(graph)] == [32, 32]


@pytest.mark.parametrize("places", [[(3, 8)], [(0, 20), (10, 20)], [(0, 32)]])
def test_no_group_of_one(places: list[tuple[int, int]]) -> None:
    graph = graph_of(32, places)
    assert gathered(graph) is graph


def test_the_last_part_may_not_pass_the_start_of_the_first() -> None:
    """Both fit behind one another only if the word is turned, and then one is cut in two."""
    make = Builder()
    x, key = make.param("memory", WordType(32), "x"), make.param("key", ArrayType(2, 8), "k")
    loads = [make.make(Op.LOAD, [key, make.const(k, 32)]) for k in range(2)]
    turned = make.make(Op.ROL, [x, make.const(4, 8)])  # its lowest byte: bits 28 .. 31 and 0 .. 3
    parts = [make.slice(turned, 0, 8), make.slice(x, 2, 8)]
    mixed = [make.make(Op.XOR, [part, load]) for part, load in zip(parts, loads, strict=True)]
    graph = Graph("g", [x, key], mixed)
    assert gathered(graph) is graph


def test_parts_of_words_of_the_block_alone_stay() -> None:
    make = Builder()
    x, y = (make.param("memory", WordType(32), name) for name in "xy")
    mixed = [make.make(Op.XOR, [make.slice(x, low, 8), make.slice(y, low, 8)]) for low in (0, 16)]
    graph = Graph("g", [x, y], mixed)
    assert gathered(graph) is graph


@pytest.mark.parametrize("name", ["des", "triple-des"])
@pytest.mark.parametrize("operation", ["encrypt", "decrypt"])
@pytest.mark.every(2)
def test_des_takes_two_key_additions_a_round(name: str, operation: str) -> None:
    program = trace(cipher(name), operation, cipher(name).key_bits[0])
    rounds = {"des": 16, "triple-des": 48}[name]
    assert len(key_additions(after_pass(program, "pack again").kernel)) == 8 * rounds
    assert len(key_additions(after_pass(program, "gather").kernel)) == 2 * rounds


def test_des_means_the_same() -> None:
    program = after_pass(trace(cipher("des"), "encrypt", 64), "pack again")
    keeps_program(gather.run, program)


def random_case(seed: int) -> Graph:
    """Parts at any places, of a word that may be turned."""
    source = random.Random(seed)
    width = source.choice((8, 16, 32, 48, 64))
    places = []
    for _ in range(source.randint(1, 7)):
        n = source.randint(1, width - 1)
        n = min(n, source.choice((4, 8, 64)))
        places.append((source.randint(0, width - n), n))
    return graph_of(width, places, source.choice((0, 0, 1, width // 2, width - 1)))


@pytest.mark.parametrize("prepare", [lambda graph: graph, simplified], ids=["traced", "simplified"])
def test_random_parts(prepare) -> None:
    """The meaning stays, there are never more key additions than before, and often fewer."""
    fewer = 0
    for seed in range(150):
        graph = prepare(random_case(seed))
        after = keeps_graph(gathered, graph, seed)
        assert len(key_additions(after)) <= len(key_additions(graph))
        fewer += len(key_additions(after)) < len(key_additions(graph))
    assert fewer > 50


def test_a_fault_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """These tests must be able to fail: each part from one bit further on."""
    right = gather.Group.place
    monkeypatch.setattr(gather.Group, "place", lambda group, part: (right(group, part) + 1) % 24)
    with pytest.raises(AssertionError):
        keeps_graph(gathered, graph_of(32, [(0, 6), (8, 6)]))
