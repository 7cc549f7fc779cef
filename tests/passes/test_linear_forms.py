"""The matrix of each linear operation is what the operation does; what is not linear has none."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

from finalist.ciphers.catalogue import cipher
from finalist.ir import interpreter
from finalist.ir.builder import Builder
from finalist.ir.graph import Graph, Node, TableData
from finalist.ir.ops import Op
from finalist.ir.types import WordType
from finalist.machines.tracing import traced
from finalist.passes import linear_forms
from finalist.passes.fuse import Fuser
from finalist.passes.linear_forms import Form, form_of, found, words_of
from finalist.passes.matrices import apply_matrix, identity
from finalist.passes.pipeline import lower
from finalist.passes.simplify import simplified
from tests.graphs import inputs_for
from tests.passes.meaning import after_pass, keeps_graph, keeps_program, operations

WIDTH = 12
Made = Callable[[Builder, Node, Node], Node]
LINEAR: dict[str, Made] = {
    "xor": lambda m, a, b: m.make(Op.XOR, (a, b)),
    "join": lambda m, a, b: m.make(Op.JOIN, (a, b, a)),
    "extend": lambda m, a, b: m.extend(a, 20),
    "low slice": lambda m, a, b: m.slice(a, 0, 5),
    "high slice": lambda m, a, b: m.slice(a, 7, 5),
    "and": lambda m, a, b: m.make(Op.AND, (a, m.const(0x5A3, WIDTH))),
    "shl": lambda m, a, b: m.make(Op.SHL, (a, m.const(5, WIDTH))),
    "shl past the end": lambda m, a, b: m.raw(Op.SHL, (a, m.const(13, WIDTH)), None, a.type),
    "shr": lambda m, a, b: m.make(Op.SHR, (a, m.const(5, WIDTH))),
    "rol": lambda m, a, b: m.make(Op.ROL, (a, m.const(5, WIDTH))),
    "rol past the end": lambda m, a, b: m.raw(Op.ROL, (a, m.const(17, WIDTH)), None, a.type),
    "ror": lambda m, a, b: m.make(Op.ROR, (a, m.const(5, WIDTH))),
    "ror past the end": lambda m, a, b: m.raw(Op.ROR, (a, m.const(17, WIDTH)), None, a.type),
    "linear": lambda m, a, b: m.linear(
        [tuple(range(1, WIDTH + 1)), tuple(3 * k for k in range(WIDTH))], [a, b], 8
    ),
}
OTHERS: dict[str, Made] = {
    "add": lambda m, a, b: m.make(Op.ADD, (a, b)),
    "and of words": lambda m, a, b: m.make(Op.AND, (a, b)),
    "rotation by a word": lambda m, a, b: m.make(Op.ROL, (a, b)),
    "or": lambda m, a, b: m.make(Op.OR, (a, m.const(3, WIDTH))),
}


def leaves() -> tuple[Builder, Node, Node]:
    make = Builder()
    return make, make.param("memory", WordType(WIDTH), "a"), make.param("memory", WordType(WIDTH), "b")


def agrees(a: Node, b: Node, result: Node, form: Form) -> None:
    """The XOR of matrix * leaf is what the interpreter finds."""
    graph = Graph("g", [a, b], [result])
    values = inputs_for(graph, 20, 1)
    (found,) = interpreter.run(graph, values)
    for row, (x, y) in enumerate(zip(*values, strict=True)):
        total = 0
        for leaf, matrix in form.items():
            total ^= apply_matrix(matrix, int(x if leaf is a else y))
        assert total == int(found[row])


@pytest.mark.parametrize("name", LINEAR)
def test_each_operation(name: str) -> None:
    make, a, b = leaves()
    node = LINEAR[name](make, a, b)
    form = form_of(node, {a: {a: identity(WIDTH)}, b: {b: identity(WIDTH)}})
    assert form is not None
    agrees(a, b, node, form)


@pytest.mark.parametrize("name", OTHERS)
def test_what_is_not_linear_has_no_form(name: str) -> None:
    make, a, b = leaves()
    node = OTHERS[name](make, a, b)
    assert form_of(node, {a: {a: identity(WIDTH)}, b: {b: identity(WIDTH)}}) is None


def test_without_the_form_of_an_operand_there_is_none() -> None:
    make, a, b = leaves()
    assert form_of(make.make(Op.XOR, (a, b)), {a: {a: identity(WIDTH)}}) is None


def test_what_cancels_is_left_out() -> None:
    make, a, b = leaves()
    forms: dict[Node, Form] = {a: {a: identity(WIDTH)}, b: {b: identity(WIDTH)}}
    first = make.make(Op.XOR, (a, b))
    forms[first] = form_of(first, forms) or {}
    again = make.raw(Op.XOR, (first, b), None, first.type)
    assert form_of(again, forms) == {a: identity(WIDTH)}


def test_what_not_adds_is_left_out() -> None:
    make, a, _ = leaves()
    assert form_of(make.make(Op.NOT, (a,)), {a: {a: identity(WIDTH)}}) == {a: identity(WIDTH)}


def test_the_operands_that_have_forms() -> None:
    make, a, b = leaves()
    assert words_of(make.make(Op.XOR, (a, b))) == (a, b)
    assert words_of(LINEAR["and"](make, a, b)) == (a,)


@pytest.mark.parametrize("number", range(20))
def test_chains(number: int) -> None:
    """Forms of forms: random operations one on the other, all words of one width."""
    source = random.Random(number)
    make, a, b = leaves()
    forms: dict[Node, Form] = {a: {a: identity(WIDTH)}, b: {b: identity(WIDTH)}}
    names = [name for name in LINEAR if name not in ("join", "extend", "low slice", "high slice", "linear")]
    node = a
    for _ in range(8):
        node = LINEAR[source.choice(names)](make, node, source.choice(list(forms)))
        if node not in forms:
            found = form_of(node, forms)
            assert found is not None
            forms[node] = found
    agrees(a, b, node, forms[node])


BOX = TableData(tuple(7 * k % 256 for k in range(256)), 8, "S")
WIDE = TableData(tuple(77 * k % 65536 for k in range(256)), 16, "W")


def lookups(make: Builder, count: int, table: TableData = BOX) -> tuple[list[Node], list[Node]]:
    """Bytes of the block, and what a table has at them."""
    params = [make.param("memory", WordType(8), f"p{k}") for k in range(count)]
    return params, [make.make(Op.LOOKUP, [p], table) for p in params]


def mixed(make: Builder, word: Node) -> Node:
    """What CRYPTON does to a column: copies of it masked, moved and added."""
    total = make.make(Op.AND, [word, make.const(0xFCF3CF3F, 32)])
    for turn, mask in ((8, 0x3FFCF3CF), (16, 0xCF3FFCF3)):
        moved = make.make(Op.ROL, [word, make.const(turn, 8)])
        total = make.make(Op.XOR, [total, make.make(Op.AND, [moved, make.const(mask, 32)])])
    return total


def test_masks_moves_and_sums_of_lookups_are_one_map() -> None:
    make = Builder()
    params, parts = lookups(make, 4)
    graph = Graph("g", params, [mixed(make, make.make(Op.JOIN, parts))])
    after = keeps_graph(found, graph)
    (node,) = operations(after, Op.LINEAR)
    assert [child.op for child in node.inputs] == [Op.LOOKUP] * 4
    assert not operations(after, Op.AND)
    fused = keeps_graph(Fuser(32).run, after)
    assert {n.op for n in fused.body} == {Op.LOOKUP, Op.XOR}
    assert len(operations(fused, Op.LOOKUP)) == 4


@pytest.mark.parametrize("move", [Op.SHL, Op.SHR, Op.ROL])
@pytest.mark.parametrize("amount", [0, 3, 8, 31, 32, 40])
def test_every_move(move: Op, amount: int) -> None:
    make = Builder()
    params, parts = lookups(make, 4)
    word = make.make(Op.JOIN, parts)
    moved = make.make(move, [word, make.const(amount, 8)])
    total = make.make(Op.XOR, [make.extend(make.slice(mixed(make, word), 5, 20), 32), moved])
    keeps_graph(found, Graph("g", params, [total]))


def test_too_many_lookups_do_not_pay() -> None:
    """Of a word of 32 bits, eight of 8 bits: more tables than the word has bytes."""
    make = Builder()
    params, parts = lookups(make, 8)
    first, second = (make.make(Op.JOIN, parts[low : low + 4]) for low in (0, 4))
    graph = Graph("g", params, [make.make(Op.XOR, [mixed(make, first), mixed(make, second)])])
    assert found(graph) is graph


def test_two_wide_lookups_fill_a_word_three_do_not() -> None:
    for count, finds in ((2, True), (3, False)):
        make = Builder()
        params, parts = lookups(make, count, WIDE)
        words = [make.make(Op.ROL, [make.extend(x, 32), make.const(5 * k, 8)]) for k, x in enumerate(parts)]
        total = mixed(make, words[0])
        for word in words[1:]:
            total = make.make(Op.XOR, [total, mixed(make, word)])
        assert bool(operations(found(Graph("g", params, [total])), Op.LINEAR)) == finds


def test_moving_bytes_alone_does_not_pay() -> None:
    """No bit goes to two places: a wiring, which takes no table."""
    make = Builder()
    params, parts = lookups(make, 4)
    turned = make.make(Op.ROL, [make.make(Op.JOIN, parts), make.const(8, 8)])
    graph = Graph("g", params, [turned])
    assert found(graph) is graph
    assert linear_forms.widest(traced(cipher("rc6"), "encrypt", 128)) == 0


@pytest.mark.parametrize("op", [Op.ADD, Op.OR, Op.AND])
def test_what_is_not_linear_ends_a_region(op: Op) -> None:
    make = Builder()
    params, parts = lookups(make, 4)
    word = make.make(Op.JOIN, parts)
    total = make.make(op, [mixed(make, word), make.make(Op.ROL, [word, make.const(1, 8)])])
    after = keeps_graph(found, Graph("g", params, [mixed(make, total)]))
    (node,) = operations(after, Op.LINEAR)
    assert operations(after, op)
    assert all(child.op is Op.LOOKUP for child in node.inputs)


def test_what_a_sum_cancels_is_no_leaf() -> None:
    make = Builder()
    params, parts = lookups(make, 5)
    word, other = make.make(Op.JOIN, parts[:4]), make.extend(parts[4], 32)
    total = make.make(Op.XOR, [make.make(Op.XOR, [mixed(make, word), other]), other])
    (node,) = operations(keeps_graph(found, Graph("g", params, [total])), Op.LINEAR)
    assert len(node.inputs) == 4


@pytest.mark.parametrize("name", ["crypton-v05", "crypton-v1"])
@pytest.mark.parametrize("operation", ["encrypt", "decrypt"])
@pytest.mark.every(2)
def test_the_words_of_crypton_are_four_lookups_each(name: str, operation: str) -> None:
    """In all rounds; that after the last has bytes moved but not mixed."""
    program = traced(cipher(name), operation, 128)
    kernel = lower(program).kernel
    wide = [node for node in operations(kernel, Op.LOOKUP) if node.width == 32]
    assert len(operations(kernel, Op.LOOKUP)) == 16 * 12
    assert len(wide) == 16 * 11
    assert not operations(kernel, Op.LINEAR)
    without = lower(program, fuse=0).kernel
    assert all(node.width == 8 for node in operations(without, Op.LOOKUP))


@pytest.mark.parametrize("name", ["crypton-v1", "safer-plus", "e2"])
@pytest.mark.every(3)
def test_ciphers_mean_the_same(name: str) -> None:
    program = after_pass(traced(cipher(name), "encrypt", 128), "pack")
    keeps_program(linear_forms.run, program)


def test_widest() -> None:
    """What is found counts as what the definition calls linear."""
    assert linear_forms.widest(traced(cipher("crypton-v1"), "encrypt", 128)) == 32
    assert linear_forms.widest(traced(cipher("loki97"), "encrypt", 128)) == 64


def test_a_fault_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """These tests must be able to fail: a mask that is not applied."""
    right = linear_forms._FORMS[Op.AND]
    monkeypatch.setitem(linear_forms._FORMS, Op.AND, lambda node, forms: right and forms[node.inputs[0]])
    make = Builder()
    params, parts = lookups(make, 4)
    graph = Graph("g", params, [mixed(make, make.make(Op.JOIN, parts))])
    with pytest.raises(AssertionError):
        keeps_graph(found, simplified(graph))
