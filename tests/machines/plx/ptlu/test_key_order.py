"""The expanded key in the order in which registers read it."""

from __future__ import annotations

from finalist.ir.builder import Builder
from finalist.ir.graph import every_node
from finalist.ir.ops import Op
from finalist.ir.types import WordType
from finalist.machines.plx.ptlu.contained import with_contained_tables
from finalist.machines.plx.ptlu.key_order import affine, with_ordered_keys
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
