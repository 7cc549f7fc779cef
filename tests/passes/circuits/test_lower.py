"""Functions of bits become gates, all outputs of a box in one circuit, in loops as well."""

from __future__ import annotations

import random

import pytest

from finalist.ciphers import magenta, rijndael
from finalist.ciphers.des import S as DES
from finalist.ciphers.loki97 import S2 as LOKI97
from finalist.ciphers.rijndael import S as RIJNDAEL
from finalist.ciphers.serpent import S_INV, S
from finalist.ciphers.twofish import Q as TWOFISH
from finalist.ir.builder import Builder
from finalist.ir.graph import Graph, Region, every_node
from finalist.ir.ops import Op
from finalist.ir.types import WordType
from finalist.language import Table
from finalist.passes.circuits.circuit import Circuit, Gate, table_columns
from finalist.passes.circuits.lower import circuit_for, mapped, outputs_of, with_circuits
from tests.passes.meaning import keeps_graph

GATES = {Op.AND, Op.OR, Op.XOR, Op.NOT}


def boxed(box: Table, width: int) -> Graph:
    make = Builder()
    planes = [make.param("memory", WordType(width), f"x{k}") for k in range(box.data.index_width)]
    return Graph("g", planes, [make.make(Op.BOOL, planes, box._truth(bit)) for bit in range(box.data.width)])


@pytest.mark.parametrize("box", [*S, *S_INV], ids=lambda box: box.data.name)
def test_serpent_boxes(box: Table) -> None:
    graph = keeps_graph(with_circuits, boxed(box, 32))
    assert {node.op for node in graph.body} <= GATES
    assert len(graph.body) <= 20


@pytest.mark.parametrize(("inputs", "outputs"), [(1, 1), (2, 3), (3, 3), (4, 4), (5, 2), (4, 8)])
@pytest.mark.parametrize("width", [1, 32, 64])
def test_random_boxes(inputs: int, outputs: int, width: int) -> None:
    source = random.Random(inputs * 64 + outputs)
    box = Table([source.getrandbits(outputs) for _ in range(1 << inputs)], outputs)
    assert {node.op for node in keeps_graph(with_circuits, boxed(box, width)).body} <= GATES


@pytest.mark.parametrize("truth", [0b00, 0b11, 0b01, 0b10])
def test_functions_of_one_bit(truth: int) -> None:
    make = Builder()
    x = make.param("memory", WordType(8), "x")
    keeps_graph(with_circuits, Graph("g", [x], [make.make(Op.BOOL, [x], truth)]))


def test_the_circuit_computes_its_table_up_to_complements() -> None:
    box = S[3]
    truths = tuple(box._truth(bit) for bit in range(4))
    circuit, before, after = circuit_for(truths, 4)
    assert [value ^ after for value in circuit.table()] == [box.data.values[x ^ before] for x in range(16)]


def test_boxes_in_a_loop() -> None:
    make = Builder()
    p = make.param("memory", WordType(32), "p")
    i, v = make.param("index", WordType(32), "i"), make.param("carried", WordType(32), "v")
    body = Region([i, v], [make.make(Op.BOOL, [v, i, p], 0b10010110)])
    graph = Graph("g", [p], make.loop(make.const(0, 32), make.const(3, 32), [p], body))
    after = keeps_graph(with_circuits, graph)
    assert not any(node.op is Op.BOOL for node in every_node(after))


def test_outputs_in_another_order_use_the_same_circuit() -> None:
    truths = [S[3]._truth(bit) for bit in (2, 0, 3, 1)]
    found, known = circuit_for(tuple(truths), 4), circuit_for(tuple(sorted(truths)), 4)
    assert found[0].cost == known[0].cost
    assert found[0].table() == tuple(
        sum((t >> x & 1) << k for k, t in enumerate(truths)) ^ found[2] for x in range(16)
    )


@pytest.mark.parametrize("box", [*DES, RIJNDAEL, *TWOFISH, LOKI97], ids=lambda box: box.data.name)
def test_kept_circuits_of_larger_boxes(box: Table) -> None:
    """Far fewer gates than a circuit that is made of the table alone."""
    truths = tuple(box._truth(bit) for bit in range(box.data.width))
    circuit, before, after = circuit_for(truths, box.index_width)
    assert before == 0
    assert circuit.prove(tuple(y ^ after for y in box.data.values)).cost < 15 * len(truths) + 80


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


@pytest.mark.parametrize(("box", "most"), [(rijndael.S, 76), (magenta.f, 80)], ids=["rijndael", "magenta"])
def test_boxes_of_which_none_is_kept(box, most: int) -> None:
    truths = table_columns(box.data.values, box.data.width)
    two, before, after = circuit_for(truths, 8)
    three = circuit_for(truths, 8, ternary=True)
    assert three[1:] == (before, after)
    assert mapped(two).table() == two.table() == three[0].table()
    assert three[0].ternary and three[0].cost <= most < two.cost


@pytest.mark.parametrize("box", S, ids=lambda box: box.data.name)
def test_kept_ones_are_taken(box) -> None:
    truths = table_columns(box.data.values, 4)
    circuit, before, after = circuit_for(truths, 4, ternary=True)
    values = tuple(y ^ after for y in box.data.values)
    assert not before and circuit.cost <= 8
    circuit.prove(values)
