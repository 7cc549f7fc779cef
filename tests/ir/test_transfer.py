"""Graphs that went through pickle are the same, down to the order of their nodes."""

from __future__ import annotations

import pickle

import pytest

import finalist
from finalist.ciphers.catalogue import cipher
from finalist.ir import transfer  # noqa: F401  (registers with pickle)
from finalist.ir.builder import Builder
from finalist.ir.equal import shared
from finalist.ir.graph import Graph, Node, Region
from finalist.ir.ops import Op
from finalist.ir.types import WordType
from finalist.ir.verify import verify
from finalist.language.definition import trace
from finalist.machines.native.run import NativeProgram
from tests.graphs import random_program


def sent(graph: Graph) -> Graph:
    found: Graph = pickle.loads(pickle.dumps(graph))
    verify(found)
    return found


@pytest.mark.parametrize("seed", range(40))
def test_random_programs(seed: int) -> None:
    """With loops, conditionals, keyed functions and arrays; every other one hands a state on."""
    program = random_program(seed, stateful=bool(seed % 2))
    for graph in (program.expand, program.kernel):
        assert shared(sent(graph)) is shared(graph)


@pytest.mark.parametrize("name", ["rc4", "serpent", "twofish"])
def test_definitions(name: str) -> None:
    definition = cipher(name)
    program = trace(definition, "encrypt", definition.key_bits[0])
    found = pickle.loads(pickle.dumps(program))
    assert shared(found.kernel) is shared(program.kernel)
    assert shared(found.expand) is shared(program.expand)
    assert (found.block, found.key, found.cipher) == (program.block, program.key, program.cipher)


def test_a_graph_as_deep_as_you_like() -> None:
    make = Builder()
    word: Node = make.param("memory", WordType(8), "a")
    first = word
    for number in range(20_000):
        word = make.make(Op.ADD, (word, make.const(number % 255 + 1, 8)))
    graph = Graph("deep", (first,), (word,))
    assert len(sent(graph).body) == len(graph.body)


def test_programs_with_instructions_of_a_machine() -> None:
    program = finalist.compile("rijndael", "native", lookup="match")
    found = pickle.loads(pickle.dumps(program))
    assert isinstance(program, NativeProgram) and isinstance(found, NativeProgram)
    found.__dict__.pop("text", None)  # so that it is written anew
    assert found.text == program.text


def test_what_uses_nodes_from_outside_is_not_sent_alone() -> None:
    make = Builder()
    a, b = (make.param("memory", WordType(8), letter) for letter in "ab")
    open_region = Region((a,), (make.make(Op.ADD, (a, b)),))
    with pytest.raises(AssertionError, match="outside"):
        pickle.dumps(open_region)
