"""Every rule of simplification: what it turns into what, and that both mean the same."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from finalist.ciphers.des import E
from finalist.ir.builder import Builder
from finalist.ir.graph import Graph, Node, Region, TableData, every_node
from finalist.ir.ops import READING, Op
from finalist.ir.printer import format_graph
from finalist.ir.types import WordType
from finalist.machines.native.whole_blocks.instructions import shuffle
from finalist.passes import simplify as module
from finalist.passes.simplify import simplified, simplify
from tests.graphs import graphs
from tests.model import evaluate
from tests.passes.meaning import keeps_graph, same_graph

Plant = Callable[[Builder, Node, Node], Node]
RULES: list[tuple[str, Plant, str]] = []
WIDTHS = (1, 7, 8, 31, 32, 33, 64)


def rule(expected: str) -> Callable[[Plant], Plant]:
    """An expression of two words, and the operations that are left of it, in order."""

    def add(plant: Plant) -> Plant:
        RULES.append((plant.__name__, plant, expected))
        return plant

    return add


def number(make: Builder, like: Node, value: int) -> Node:
    return make.const(value, like.width)


def op(make: Builder, operation: Op, *inputs: Node) -> Node:
    return make.make(operation, inputs)


@rule("")
def xor_of_a_word_with_itself(m, a, b):
    return op(m, Op.XOR, a, a)


@rule("")
def xor_with_zero(m, a, b):
    return op(m, Op.XOR, number(m, a, 0), a)


@rule("not")
def xor_with_ones(m, a, b):
    return op(m, Op.XOR, a, number(m, a, -1))


@rule("")
def xor_of_two_equal_constants(m, a, b):
    return op(m, Op.XOR, op(m, Op.XOR, a, number(m, a, 1)), number(m, a, 1))


@rule("")
def and_of_a_word_with_itself(m, a, b):
    return op(m, Op.AND, a, a)


@rule("")
def and_with_zero(m, a, b):
    return op(m, Op.AND, a, number(m, a, 0))


@rule("")
def and_with_ones(m, a, b):
    return op(m, Op.AND, number(m, a, -1), a)


@rule("")
def or_of_a_word_with_itself(m, a, b):
    return op(m, Op.OR, a, a)


@rule("")
def or_with_zero(m, a, b):
    return op(m, Op.OR, a, number(m, a, 0))


@rule("")
def or_with_ones(m, a, b):
    return op(m, Op.OR, a, number(m, a, -1))


@rule("")
def double_complement(m, a, b):
    return op(m, Op.NOT, op(m, Op.NOT, a))


@rule("")
def sum_with_zero(m, a, b):
    return op(m, Op.ADD, number(m, a, 0), a)


@rule("")
def sum_of_opposite_constants(m, a, b):
    return op(m, Op.ADD, op(m, Op.ADD, a, number(m, a, 1)), number(m, a, -1))


@rule("")
def difference_of_a_word_with_itself(m, a, b):
    return op(m, Op.SUB, a, a)


@rule("")
def difference_with_zero(m, a, b):
    return op(m, Op.SUB, a, number(m, a, 0))


@rule("")
def product_with_zero(m, a, b):
    return op(m, Op.MUL, a, number(m, a, 0))


@rule("")
def product_with_one(m, a, b):
    return op(m, Op.MUL, number(m, a, 1), a)


@rule("")
def upper_half_of_a_product_with_zero(m, a, b):
    return op(m, Op.MULHI, number(m, a, 0), a)


@rule("")
def upper_half_of_a_product_with_one(m, a, b):
    return op(m, Op.MULHI, a, number(m, a, 1))


@rule("")
def remainder_by_one(m, a, b):
    return op(m, Op.REM, a, number(m, a, 1))


@rule("")
def remainder_by_zero(m, a, b):
    return op(m, Op.REM, a, number(m, a, 0))


@rule("rem")
def remainder_of_a_constant(m, a, b):
    """No rule may take the operands in another order."""
    return op(m, Op.REM, number(m, a, 1), a)


@rule("")
def shift_of_nothing(m, a, b):
    return op(m, Op.SHR, number(m, a, 0), b)


@rule("")
def rotation_of_nothing(m, a, b):
    return op(m, Op.ROR, number(m, a, 0), b)


@rule("")
def rotation_of_ones(m, a, b):
    return op(m, Op.ROL, number(m, a, -1), b)


@rule("")
def shift_by_nothing(m, a, b):
    return op(m, Op.SHL, a, m.const(0, 8))


@rule("")
def shift_past_the_width(m, a, b):
    return op(m, Op.SHR, a, m.const(64, 8))


@rule("")
def rotation_by_the_width(m, a, b):
    return op(m, Op.ROL, a, m.const(a.width, 8))


@rule("")
def rotation_there_and_back(m, a, b):
    return op(m, Op.ROR, a, m.const(3 * a.width, 8))


@rule("")
def comparison_below_nothing(m, a, b):
    return op(m, Op.LT, a, number(m, a, 0))


@rule("")
def selection_of_the_same(m, a, b):
    return op(m, Op.SELECT, op(m, Op.EQ, a, b), a, a)


@rule("")
def selection_by_one(m, a, b):
    return op(m, Op.SELECT, m.const(1, 1), a, b)


@rule("")
def selection_by_zero(m, a, b):
    return op(m, Op.SELECT, m.const(0, 1), a, b)


@rule("")
def whole_slice(m, a, b):
    return m.slice(a, 0, a.width)


@rule("")
def join_of_one(m, a, b):
    return op(m, Op.JOIN, a)


@rule("")
def extension_to_the_same(m, a, b):
    return m.make(Op.EXTEND, [a], type_=a.type)


@rule("")
def identity_map(m, a, b):
    return m.linear([tuple(1 << k for k in range(a.width))], [a], a.width)


def backwards(m, a):
    """The wiring that is its own inverse: bit k to bit n - 1 - k."""
    return m.linear([tuple(1 << a.width - 1 - k for k in range(a.width))], [a], a.width)


@rule("")
def wiring_there_and_back(m, a, b):
    return backwards(m, backwards(m, a))


@rule("")
def map_to_nothing(m, a, b):
    return m.linear([(0,) * a.width, (0,) * b.width], [a, b], a.width)


@rule("")
def load_of_what_was_stored(m, a, b):
    array = m.make(Op.STORE, [m.array([1, 2], a.width), m.const(1, 32), a])
    return m.make(Op.LOAD, [array, m.const(3, 8)])


@rule("")
def load_of_a_first_value(m, a, b):
    array = m.make(Op.STORE, [m.array([1, 0], a.width), m.const(1, 32), a])
    return m.make(Op.LOAD, [array, m.const(2, 8)])


@rule("")
def loop_without_a_turn(m, a, b):
    i, v = m.param("index", WordType(32), "i"), m.param("carried", a.type, "v")
    return m.loop(m.const(3, 32), m.const(3, 32), [a], Region([i, v], [op(m, Op.NOT, v)]))[0]


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize(("name", "plant", "expected"), RULES, ids=[r[0] for r in RULES])
def test_rules(name: str, plant: Plant, expected: str, width: int) -> None:
    make = Builder()
    a, b = (make.param("memory", WordType(width), letter) for letter in "ab")
    graph = keeps_graph(simplified, Graph("g", [a, b], [plant(make, a, b)]))
    assert " ".join(node.op.label for node in graph.body) == expected


def wide(make: Builder) -> tuple[Node, Node]:
    return make.param("memory", WordType(32), "a"), make.param("memory", WordType(32), "b")


def only(plant: Plant) -> Node:
    """The one operation that is left of an expression of two 32-bit words."""
    make = Builder()
    a, b = wide(make)
    (node,) = keeps_graph(simplified, Graph("g", [a, b], [plant(make, a, b)])).body
    return node


def test_constants_go_last_and_meet() -> None:
    node = only(lambda m, a, b: op(m, Op.ADD, m.const(5, 32), op(m, Op.ADD, m.const(-2, 32), a)))
    assert node.op is Op.ADD
    assert node.inputs[1].attr == 3
    node = only(lambda m, a, b: op(m, Op.XOR, op(m, Op.XOR, a, m.const(6, 32)), m.const(3, 32)))
    assert node.inputs[1].attr == 5


def test_products_with_powers_of_two_are_shifts() -> None:
    node = only(lambda m, a, b: op(m, Op.MUL, m.const(1 << 31, 32), a))
    assert (node.op, node.inputs[1].attr, node.inputs[1].width) == (Op.SHL, 31, 8)


def test_upper_halves_of_products_with_powers_of_two_are_shifts() -> None:
    node = only(lambda m, a, b: op(m, Op.MULHI, m.const(1 << 20, 32), a))
    assert (node.op, node.inputs[1].attr, node.inputs[1].width) == (Op.SHR, 12, 8)


def test_rotations_turn_left_by_less_than_the_width() -> None:
    node = only(lambda m, a, b: op(m, Op.ROR, a, m.const(40, 64)))
    assert (node.op, node.inputs[1].attr, node.inputs[1].width) == (Op.ROL, 24, 8)


@pytest.mark.parametrize(
    ("plant", "low", "width"),
    [
        (lambda m, a, b: m.slice(m.slice(a, 4, 20), 3, 8), 7, 8),
        (lambda m, a, b: m.slice(op(m, Op.ROL, a, m.const(8, 8)), 0, 8), 24, 8),
        (lambda m, a, b: m.slice(op(m, Op.SHL, a, m.const(8, 8)), 16, 8), 8, 8),
        (lambda m, a, b: m.slice(op(m, Op.SHR, a, m.const(8, 8)), 8, 8), 16, 8),
        (lambda m, a, b: m.slice(m.extend(a, 64), 8, 8), 8, 8),
        (lambda m, a, b: m.slice(op(m, Op.JOIN, b, a), 40, 8), 8, 8),
        (lambda m, a, b: op(m, Op.JOIN, m.slice(a, 8, 8), m.slice(a, 16, 8)), 8, 16),
    ],
)
def test_slices_of_moved_words_are_slices(plant: Plant, low: int, width: int) -> None:
    node = only(plant)
    assert (node.op, node.attr, node.width) == (Op.SLICE, low, width)
    assert node.inputs[0].name == "a"


def test_slices_above_an_extension_are_zero() -> None:
    make = Builder()
    a, b = wide(make)
    graph = simplified(Graph("g", [a, b], [make.slice(make.extend(a, 64), 32, 8)]))
    assert graph.results[0].attr == 0


@pytest.mark.parametrize(("low", "left"), [(0, Op.EXTEND), (1, Op.SLICE), (3, Op.SLICE)])
def test_slices_of_more_than_what_was_extended(low: int, left: Op) -> None:
    """From bit 0 on it is extended by less; from another one it stays."""
    make = Builder()
    a = make.param("memory", WordType(8), "a")
    graph = Graph("g", [a], [make.slice(make.extend(a, 32), low, 12)])
    after = keeps_graph(simplified, graph)
    assert after.results[0].op is left


def test_slices_that_wrap_around_stay() -> None:
    """Bits 4 .. 35 of a rotation by 8 come from both ends of the word."""
    make = Builder()
    a, b = wide(make)
    for moved in (Op.ROL, Op.SHL):
        plant = make.slice(op(make, moved, a, make.const(8, 8)), 4, 8)
        graph = keeps_graph(simplified, Graph("g", [a, b], [plant]))
        assert len(graph.body) == 2


def test_all_bytes_joined_are_the_word() -> None:
    make = Builder()
    a, b = wide(make)
    whole = op(make, Op.JOIN, *(make.slice(a, low, 8) for low in range(0, 32, 8)))
    assert simplified(Graph("g", [a, b], [whole])).results[0] is a


def test_joins_of_joins_are_flat() -> None:
    make = Builder()
    a, b = wide(make)
    inner = op(make, Op.JOIN, make.slice(b, 3, 8), make.const(1, 8))
    graph = keeps_graph(simplified, Graph("g", [a, b], [op(make, Op.JOIN, inner, a)]))
    assert [part.width for part in graph.results[0].inputs] == [8, 8, 32]


def test_map_terms_that_add_nothing_go() -> None:
    ones = (1,) * 32
    node = only(lambda m, a, b: m.linear([(0,) * 32, ones], [a, b], 8))
    assert [x.name for x in node.inputs] == ["b"]


def test_remainders_by_powers_of_two_are_masks() -> None:
    node = only(lambda m, a, b: op(m, Op.REM, a, m.const(1 << 20, 32)))
    assert (node.op, node.inputs[1].attr) == (Op.AND, (1 << 20) - 1)
    node = only(lambda m, a, b: op(m, Op.REM, a, m.const(251, 32)))
    assert (node.op, node.inputs[1].attr) == (Op.REM, 251)


def test_a_wiring_of_a_map_is_a_map() -> None:
    """Of several words, too; the outer one gives the order of the bits."""
    ones, odd = (0b1111,) * 32, tuple(k * 77 % 16 for k in range(32))
    node = only(lambda m, a, b: backwards(m, m.linear([odd, ones], [a, b], 4)))
    assert node.op is Op.LINEAR
    assert node.attr[1] == ones
    assert node.attr[0] == tuple(int(f"{column:04b}"[::-1], 2) for column in odd)


def test_a_map_of_a_map_that_is_no_wiring_stays() -> None:
    """Its columns could be many more."""
    make = Builder()
    a, b = wide(make)
    sums = tuple(3 << k & 0xFFFFFFFF for k in range(32))
    graph = Graph("g", [a, b], [make.linear([sums], [make.linear([sums], [a], 32)], 32)])
    assert len(keeps_graph(simplified, graph).body) == 2


def test_a_wiring_of_consecutive_bits_is_a_slice() -> None:
    node = only(lambda m, a, b: m.linear([tuple((1 << k >> 5) & 0xFF for k in range(32))], [a], 8))
    assert (node.op, node.attr, node.width) == (Op.SLICE, 5, 8)
    node = only(lambda m, a, b: m.linear([tuple(1 << (k + 5) % 32 for k in range(32))], [a], 32))
    assert (node.op, node.inputs[1].attr) == (Op.ROL, 5)


def test_a_wiring_that_undoes_a_summand_is_done_to_the_other() -> None:
    make = Builder()
    a, b = wide(make)
    total = op(make, Op.XOR, backwards(make, a), b)
    graph = keeps_graph(simplified, Graph("g", [a, b], [backwards(make, total)]))
    assert [node.op for node in graph.body] == [Op.LINEAR, Op.XOR]
    assert graph.body[0].inputs == (b,)
    assert a in graph.body[1].inputs


def test_a_wiring_of_a_sum_that_undoes_nothing_stays() -> None:
    make = Builder()
    a, b = wide(make)
    graph = Graph("g", [a, b], [backwards(make, op(make, Op.XOR, a, b))])
    assert [node.op for node in simplified(graph).body] == [Op.XOR, Op.LINEAR]


def test_groups_of_an_expansion_are_slices() -> None:
    """DES's: six bits of the half each, the outermost two around its ends; with the key added, too."""
    make = Builder()
    a, b = wide(make)
    key = op(make, Op.JOIN, b, make.slice(a, 0, 16))
    expanded = op(make, Op.XOR, make.linear(E.matrices, [a], 48), key)
    groups = [make.slice(expanded, low, 6) for low in range(0, 48, 6)]
    graph = keeps_graph(simplified, Graph("g", [a, b], groups))
    assert not [node for node in graph.body if node.op is Op.LINEAR]
    assert len([node for node in graph.body if node.op is Op.ROL]) <= 2


def test_slices_of_other_wirings_stay() -> None:
    make = Builder()
    a, b = wide(make)
    graph = keeps_graph(simplified, Graph("g", [a, b], [make.slice(backwards(make, a), 3, 8)]))
    assert [node.op for node in graph.body] == [Op.LINEAR, Op.SLICE]


def test_loads_pass_stores_elsewhere() -> None:
    make = Builder()
    a, b = wide(make)
    array = make.array([0, 0, 0], 32)
    array = make.make(Op.STORE, [array, a, b])
    for place in (0, 1):
        array = make.make(Op.STORE, [array, make.const(place, 32), a])
    graph = keeps_graph(simplified, Graph("g", [a, b], [make.make(Op.LOAD, [array, make.const(2, 32)])]))
    # Not past the store at a place unknown: that may be the place read.
    assert [node.op for node in graph.body] == [Op.ARRAY, Op.STORE, Op.LOAD]


@pytest.mark.parametrize("operation", [o for o in Op if o.arity == 2 and o not in READING])
def test_constants_are_folded(operation: Op) -> None:
    make = Builder()
    graph = Graph("g", [], [make.make(operation, [make.const(0xDEADBEEF, 32), make.const(7, 32)])])
    after = simplified(graph)
    assert not after.body
    assert evaluate(graph, []) == [after.results[0].attr]


def test_lookups_maps_and_functions_of_bits_are_folded() -> None:
    make = Builder()
    byte = make.const(0x53, 8)
    folded = [
        make.make(Op.LOOKUP, [byte], TableData(tuple(255 - k for k in range(256)), 8)),
        make.linear([tuple(1 << 7 - k for k in range(8))], [byte], 8),
        make.make(Op.BOOL, [byte, make.const(0x0F, 8)], 0b0110),
        make.make(Op.SELECT, [make.const(1, 1), byte, make.const(9, 8)]),
    ]
    assert [node.attr for node in simplified(Graph("g", [], folded)).results] == [0xAC, 0xCA, 0x5C, 0x53]


def test_equal_expressions_become_one() -> None:
    make = Builder()
    a, b = wide(make)
    graph = simplified(Graph("g", [a, b], [op(make, Op.ADD, a, b), op(make, Op.ADD, b, a)]))
    assert graph.results[0] is graph.results[1]


@given(graphs(), st.integers(0, 9))
@settings(deadline=None, max_examples=30)
def test_nothing_grows(graph: Graph, seed: int) -> None:
    """ "A node equal to it and no dearer": simplification never adds operations."""
    after = keeps_graph(simplified, graph, seed)
    assert len(list(every_node(after))) <= len(list(every_node(graph)))


def test_a_wrong_rule_would_be_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """These tests must be able to fail: OR instead of XOR, on random words."""
    monkeypatch.setitem(module._RULES, Op.XOR, lambda m, inputs, attr, type_: m.make(Op.OR, inputs))
    make = Builder()
    a, b = wide(make)
    graph = Graph("g", [a, b], [op(make, Op.XOR, a, b)])
    with pytest.raises(AssertionError):
        same_graph(graph, simplified(graph))
    assert "or" in format_graph(simplified(graph))


def test_tuples_are_taken_apart_and_put_together() -> None:
    make = Builder(simplify)
    words = [make.param("memory", WordType(32), f"x{k}") for k in range(4)]
    whole = make.make(Op.TUPLE, words)
    assert make.results(whole) == words
    made = make.make(Op.INSTRUCTION, [whole], shuffle((*range(1, 16), None)))
    parts = make.results(made)
    assert make.make(Op.TUPLE, parts) is made
    assert make.make(Op.TUPLE, parts[::-1]) is not made
    assert make.make(Op.TUPLE, parts[:3]) is not made
    assert make.make(Op.TUPLE, [make.const(0, 32)] * 4).op is Op.TUPLE
