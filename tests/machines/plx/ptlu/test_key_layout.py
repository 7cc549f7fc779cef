"""The expanded key in the order in which registers read it."""

from __future__ import annotations

import numpy as np
import pytest

from finalist.ir import interpreter
from finalist.ir.builder import Builder
from finalist.ir.graph import Graph, Node, every_node
from finalist.ir.ops import Op
from finalist.ir.types import ArrayType, WordType
from finalist.machines.plx.ptlu.builder import WideBuilder
from finalist.machines.plx.ptlu.contained import with_contained_tables
from finalist.machines.plx.ptlu.key_layout import RepeatedKeys, affine, with_ordered_keys
from finalist.machines.plx.ptlu.superwords import with_superwords
from tests.machines.plx.ptlu.test_superwords import lowered


def test_keys_lie_as_they_are_read() -> None:
    program = lowered("rijndael", "encrypt")
    kernel = with_superwords(with_contained_tables(program.kernel), (0, 3, 2, 1), 4, True)
    made = with_ordered_keys(program.with_graphs(program.expand, kernel), True)
    for node in every_node(made.kernel):
        if node.op is Op.TUPLE and node.inputs[0].op is Op.LOAD and node.inputs[0].inputs[1].op is Op.CONST:
            places = [word.inputs[1].attr for word in node.inputs]
            assert places == list(range(places[0], places[0] + 4))
    assert with_ordered_keys(program, True) is not made
    assert with_ordered_keys(program, True).expand is program.expand  # nothing is read in tuples there


def test_affine_places() -> None:
    make = Builder()
    index = make.param("index", WordType(32), "i")
    four = make.make(Op.MUL, (index, make.const(4, 32)))
    assert affine(make.make(Op.ADD, (four, make.const(7, 32)))) == (index, 4, 7)
    assert affine(make.make(Op.SHL, (index, make.const(3, 32)))) == (index, 8, 0)
    assert affine(make.const(9, 32)) == (None, 0, 9)


WORD = WordType(32)


def key_schedule() -> Graph:
    """Two arrays of three words each."""
    make = Builder()
    words = [make.param("memory", WORD, f"k{n}") for n in range(6)]
    arrays = []
    for first in (0, 3):
        array = make.array([0] * 3, 32)
        for place in range(3):
            array = make.make(Op.STORE, (array, make.const(place, 32), words[first + place]))
        arrays.append(array)
    return Graph("expand", words, arrays)


@pytest.mark.parametrize("ascending", [True, False])
def test_the_key_schedule_makes_what_the_kernel_reads(ascending: bool) -> None:
    wide = WideBuilder(4)
    keys, make = RepeatedKeys(wide, ascending), wide.make
    arrays = [make.param("key", ArrayType(3, 32), name) for name in "KL"]

    def entry(array: Node, place: int) -> Node:
        return make.make(Op.LOAD, (array, make.const(place, 32)))

    wanted = [(1, 2), (0, 0), (1, 0), (1, 2)]
    registers = [keys.register(entry(arrays[number], place)) for number, place in wanted]
    assert registers[0] is registers[3]
    assert [array.name for array in keys.arrays()] == ["L_repeated", "K_repeated"]
    expand = keys.expanded(key_schedule(), arrays)
    values = [np.array([number + 10], np.uint32) for number in range(6)]
    made = interpreter.run(expand, values)
    kernel = Graph("kernel", [*arrays, *keys.arrays()], [w for r in registers for w in wide.words(r)])
    found = [int(np.asarray(one).ravel()[0]) for one in interpreter.run(kernel, made)]
    assert found == [10 + 3 * number + place for number, place in wanted for _ in range(4)]
    # Side by side in memory, the first in the lowest lane or the highest.
    places = [word.inputs[1].attr for word in registers[0].inputs]
    assert places == sorted(places, reverse=not ascending)
