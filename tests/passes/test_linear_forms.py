"""The matrix of each linear operation is what the operation does; what is not linear has none."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

from finalist.ir import interpreter
from finalist.ir.builder import Builder
from finalist.ir.graph import Graph, Node
from finalist.ir.ops import Op
from finalist.ir.types import WordType
from finalist.passes.linear_forms import Form, form_of, words_of
from finalist.passes.matrices import apply_matrix, identity
from tests.graphs import inputs_for

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
