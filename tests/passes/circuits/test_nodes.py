"""Circuits as nodes of a graph."""

from __future__ import annotations

from finalist.ir.builder import Builder
from finalist.ir.ops import Op
from finalist.ir.types import WordType
from finalist.passes.circuits.circuit import Circuit, Gate
from finalist.passes.circuits.nodes import outputs_of


def test_gates_of_three_inputs_become_one_operation() -> None:
    make = Builder()
    planes = [make.param("memory", WordType(32), f"x{k}") for k in range(3)]
    circuit = Circuit(3, (Gate("lut3", 0, 1, 2, 0x96), Gate("lut3", 0, 1, 3, 0xCA)), (4,))
    (node,) = outputs_of(make, circuit, planes)
    assert [each.op for each in (node, node.inputs[2])] == [Op.BOOL, Op.BOOL]
    assert [node.attr, node.inputs[2].attr] == [0xCA, 0x96]


def test_inputs_and_outputs_are_complemented() -> None:
    """~(~a & b), by masks that say so."""
    make = Builder()
    a, b = (make.param("memory", WordType(32), name) for name in "ab")
    (node,) = outputs_of(make, Circuit(2, (Gate("and", 0, 1),), (2,)), [a, b], before=1, after=1)
    inner = make.make(Op.AND, (make.make(Op.NOT, (a,)), b))
    assert node is make.make(Op.NOT, (inner,))
