"""The verifier catches every kind of fault; it is only worth something if it can fail."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given

from finalist.errors import GraphError
from finalist.ir.builder import Builder
from finalist.ir.graph import Graph, Node, Region, TableData
from finalist.ir.ops import Op
from finalist.ir.types import ArrayType, TupleType, WordType
from finalist.ir.verify import verify
from tests.graphs import examples, graphs

U8, U32, BIT = WordType(8), WordType(32), WordType(1)
FAULTS: list[Callable[[Builder, Node], Node | list[Node]]] = []


def fault(
    plant: Callable[[Builder, Node], Node | list[Node]],
) -> Callable[[Builder, Node], Node | list[Node]]:
    """A graph of one parameter that breaks one rule."""
    FAULTS.append(plant)
    return plant


def raw(op: Op, inputs: list[Node], type_: object, attr: object = None) -> Node:
    """A node that no builder would make."""
    return Node(op, tuple(inputs), type_, attr)  # type: ignore[arg-type]


@fault
def constant_too_big(make, p):
    return make.make(Op.XOR, [p, raw(Op.CONST, [], U32, 1 << 32)])


@fault
def constant_negative(make, p):
    return make.make(Op.XOR, [p, raw(Op.CONST, [], U32, -1)])


@fault
def constant_as_result(make, p):
    return raw(Op.CONST, [], U32, 1 << 32)


@fault
def sum_of_two_widths(make, p):
    return raw(Op.ADD, [p, make.slice(p, 0, 8)], U32)


@fault
def sum_of_another_width(make, p):
    return raw(Op.ADD, [p, p], U8)


@fault
def sum_of_three(make, p):
    return raw(Op.ADD, [p, p, p], U32)


@fault
def complement_of_two(make, p):
    return raw(Op.NOT, [p, p], U32)


@fault
def comparison_of_many_bits(make, p):
    return raw(Op.EQ, [p, p], U32)


@fault
def shift_without_amount(make, p):
    return raw(Op.SHL, [p], U32)


@fault
def selection_by_a_word(make, p):
    return raw(Op.SELECT, [p, p, p], U32)


@fault
def slice_past_the_end(make, p):
    return make.slice(p, 25, 8)


@fault
def slice_before_the_start(make, p):
    return make.slice(p, -1, 8)


@fault
def slice_of_nothing(make, p):
    return raw(Op.SLICE, [], U8, 0)


@fault
def extension_to_less(make, p):
    return raw(Op.EXTEND, [p], U8)


@fault
def join_of_the_wrong_width(make, p):
    return raw(Op.JOIN, [p, p], U32)


@fault
def table_too_short(make, p):
    return raw(Op.LOOKUP, [make.slice(p, 0, 8)], U8, TableData((1, 2, 3, 4), 8))


@fault
def table_entry_too_big(make, p):
    return raw(Op.LOOKUP, [make.slice(p, 0, 1)], U8, TableData((1, 256), 8))


@fault
def table_of_another_width(make, p):
    return raw(Op.LOOKUP, [make.slice(p, 0, 1)], U32, TableData((1, 2), 8))


@fault
def no_table(make, p):
    return raw(Op.LOOKUP, [make.slice(p, 0, 1)], U8, (1, 2))


@fault
def lookup_of_two(make, p):
    bit = make.slice(p, 0, 1)
    return raw(Op.LOOKUP, [bit, bit], U8, TableData((1, 2), 8))


@fault
def truth_table_too_long(make, p):
    return raw(Op.BOOL, [p, p], U32, 1 << 4)


@fault
def truth_table_of_two_widths(make, p):
    return raw(Op.BOOL, [p, make.slice(p, 0, 8)], U32, 1)


@fault
def truth_table_of_another_width(make, p):
    return raw(Op.BOOL, [p], U8, 1)


@fault
def truth_table_of_nothing(make, p):
    return raw(Op.BOOL, [], U32, 1)


@fault
def matrix_too_short(make, p):
    return make.linear([(1, 2, 3)], [p], 8)


@fault
def matrix_column_too_wide(make, p):
    return make.linear([(256,)], [make.slice(p, 0, 1)], 8)


@fault
def matrix_missing(make, p):
    return make.linear([], [p], 8)


@fault
def array_of_the_wrong_length(make, p):
    array = raw(Op.ARRAY, [], ArrayType(3, 8), (1, 2))
    return make.make(Op.LOAD, [array, p])


@fault
def array_entry_too_big(make, p):
    return make.make(Op.LOAD, [make.array([256], 8), p])


@fault
def array_overwritten_twice(make, p):
    array = make.array([1, 2], 32)
    return [make.make(Op.STORE, [array, p, p]), make.make(Op.STORE, [array, p, make.const(1, 32)])]


@fault
def array_overwritten_and_a_result(make, p):
    """The old version would have to outlive its own overwriting."""
    array = make.array([1, 2], 32)
    return [array, make.make(Op.STORE, [array, p, p])]


@fault
def array_carried_and_overwritten(make, p):
    array = make.array([1, 2], 32)
    carried = make.param("carried", array.type, "a")
    body = Region([carried], [make.make(Op.STORE, [carried, p, p])])
    node = make.make(Op.WHEN, [make.slice(p, 0, 1), array], body)
    return [*make.results(node), make.make(Op.STORE, [array, p, p])]


@fault
def arrays_that_change_places(make, p):
    """Arrays are carried in place; a loop that hands each to the other could not be."""
    one, two = make.array([1, 2], 32), make.array([3, 4], 32)
    index = make.param("index", U32, "i")
    a, b = make.param("carried", one.type, "a"), make.param("carried", two.type, "b")
    stored = make.make(Op.STORE, [a, index, index])
    node = make.make(Op.LOOP, [p, p, one, two], Region([index, a, b], [b, stored]))
    return make.results(node)


@fault
def load_at_an_array(make, p):
    array = make.array([1, 2], 32)
    return raw(Op.LOAD, [array, array], U32)


@fault
def loop_that_changes_a_type(make, p):
    index, v = make.param("index", U32, "i"), make.param("carried", U32, "v")
    node = raw(Op.LOOP, [p, p, p], TupleType((U32,)), Region([index, v], [make.slice(index, 0, 8)]))
    return make.make(Op.RESULT, [node], 0)


@fault
def loop_with_parameters_of_another_type(make, p):
    index, v = make.param("index", U32, "i"), make.param("carried", U8, "v")
    node = raw(Op.LOOP, [p, p, p], TupleType((U32,)), Region([index, v], [index]))
    return make.make(Op.RESULT, [node], 0)


@fault
def loop_without_index(make, p):
    v = make.param("carried", U32, "v")
    node = raw(Op.LOOP, [p, p, p], TupleType((U32,)), Region([v], [make.make(Op.NOT, [v])]))
    return make.make(Op.RESULT, [node], 0)


@fault
def loop_with_bounds_of_two_widths(make, p):
    index, v = make.param("index", U32, "i"), make.param("carried", U32, "v")
    node = raw(Op.LOOP, [make.slice(p, 0, 8), p, p], TupleType((U32,)), Region([index, v], [index]))
    return make.make(Op.RESULT, [node], 0)


@fault
def decision_by_a_word(make, p):
    v = make.param("carried", U32, "v")
    node = raw(Op.WHEN, [p, p], TupleType((U32,)), Region([v], [make.make(Op.NOT, [v])]))
    return make.make(Op.RESULT, [node], 0)


@fault
def result_that_is_not_there(make, p):
    v = make.param("carried", U32, "v")
    node = make.make(Op.WHEN, [make.slice(p, 0, 1), p], Region([v], [make.make(Op.NOT, [v])]))
    return raw(Op.RESULT, [node], U32, 1)


@fault
def fault_inside_a_loop(make, p):
    index, v = make.param("index", U32, "i"), make.param("carried", U32, "v")
    wrong = raw(Op.ADD, [v, make.slice(index, 0, 8)], U32)
    return make.results(make.make(Op.LOOP, [p, p, p], Region([index, v], [wrong])))


@fault
def keyed_function_of_another_type(make, p):
    x = make.param("argument", U8, "x")
    return raw(Op.APPLY, [p], U8, Region([x], [make.make(Op.NOT, [x])]))


@fault
def keyed_function_that_is_not_closed(make, p):
    x = make.param("argument", U32, "x")
    return raw(Op.APPLY, [p], U32, Region([x], [make.make(Op.XOR, [x, p])]))


@fault
def fault_inside_a_keyed_function(make, p):
    x = make.param("argument", U32, "x")
    return raw(Op.APPLY, [p], U32, Region([x], [raw(Op.NOT, [x, x], U32)]))


@pytest.mark.parametrize("plant", FAULTS, ids=lambda plant: plant.__name__)
def test_faults(plant: Callable[[Builder, Node], Node | list[Node]]) -> None:
    make = Builder()
    make.line = "cipher.py:12"
    param = make.param("memory", U32, "p")
    planted = plant(make, param)
    graph = Graph("g", [param], planted if isinstance(planted, list) else [planted])
    with pytest.raises(GraphError):
        verify(graph)


def test_use_before_definition() -> None:
    """Only a damaged body can have this: graphs order themselves."""
    make = Builder()
    param = make.param("memory", U32, "p")
    graph = Graph("g", [param], [make.make(Op.NOT, [make.make(Op.ADD, [param, param])])])
    verify(graph)
    graph.body = graph.body[::-1]
    with pytest.raises(GraphError, match="before it is made"):
        verify(graph)


def test_body_without_a_result() -> None:
    make = Builder()
    param = make.param("memory", U32, "p")
    graph = Graph("g", [param], [make.make(Op.NOT, [param])])
    graph.body = ()
    with pytest.raises(GraphError):
        verify(graph)


def test_a_fault_names_its_line() -> None:
    make = Builder()
    make.line = "cipher.py:12"
    param = make.param("memory", U32, "p")
    with pytest.raises(GraphError, match=r"slice u8.*cipher\.py:12"):
        verify(Graph("g", [param], [make.slice(param, 25, 8)]))


@given(graphs())
@examples
def test_random_graphs_are_well_formed(graph: Graph) -> None:
    verify(graph)
