"""What follows from the key alone is finished before anything uses it, and all else keeps its order."""

from __future__ import annotations

from finalist.ir.builder import Builder
from finalist.ir.graph import Graph, Node, Region
from finalist.ir.ops import Op
from finalist.ir.types import ArrayType, WordType
from finalist.isa.prepare.key_first import key_first, with_sums_of_keys
from tests.passes.meaning import same_graph

BYTE = WordType(8)


def graph() -> Graph:
    """x0 ^ k0 stands before what k1 is made of."""
    make = Builder()
    x0, x1 = (make.param("memory", BYTE, f"x{k}") for k in range(2))
    key = make.param("key", ArrayType(2, 8), "key")
    a, b = (make.make(Op.LOAD, (key, make.const(k, 32))) for k in range(2))
    k0 = make.make(Op.ADD, (a, b))
    first = make.make(Op.XOR, (x0, k0))
    return Graph("two", (x0, x1, key), [first, make.make(Op.XOR, (x1, make.make(Op.ADD, (k0, b))))])


def kinds(nodes: list[Node]) -> list[Op]:
    return [node.op for node in nodes if node.op is not Op.LOAD]


def test_both_words_of_a_key_are_made_together() -> None:
    before = graph()
    assert kinds(list(before.body)) == [Op.ADD, Op.XOR, Op.ADD, Op.XOR]
    after = key_first(before)
    assert kinds(list(after.body)) == [Op.ADD, Op.ADD, Op.XOR, Op.XOR]
    same_graph(before, after)


def test_in_loops_as_well_with_what_is_counted_first() -> None:
    make = Builder()
    key = make.param("key", ArrayType(8, 8), "key")
    first = make.param("memory", BYTE, "x")
    turn, x = make.param("index", WordType(32), "r"), make.param("carried", BYTE, "x")
    one = make.make(Op.LOAD, (key, make.make(Op.ADD, (turn, make.const(1, 32)))))
    other = make.make(Op.LOAD, (key, make.make(Op.ADD, (turn, make.const(2, 32)))))
    mixed = make.make(Op.XOR, (x, one))
    body = Region([turn, x], [make.make(Op.ADD, (mixed, other))])
    results = make.loop(make.const(0, 32), make.const(4, 32), [first], body)
    before = Graph("loop", (first, key), results)
    after = key_first(before)
    (loop,) = [node for node in after.body if node.op is Op.LOOP]
    assert [node.op for node in loop.region.body] == [Op.ADD, Op.ADD, Op.LOAD, Op.LOAD, Op.XOR, Op.ADD]
    same_graph(before, after)


def test_sums_begin_with_what_follows_from_the_key() -> None:
    make = Builder()
    t0, t1 = (make.param("memory", BYTE, f"t{k}") for k in range(2))
    key = make.param("key", ArrayType(2, 8), "key")
    k0, k1 = (make.make(Op.LOAD, (key, make.const(k, 32))) for k in range(2))
    double = make.make(Op.SHL, (t1, make.const(1, 8)))
    sums = [make.make(Op.ADD, (t0, t1)), make.make(Op.ADD, (t0, double))]
    results = [make.make(Op.ADD, (total, k)) for total, k in zip(sums, (k0, k1), strict=True)]
    before = Graph("f", (t0, t1, key), results)
    after = with_sums_of_keys(before)
    for result in after.results:
        inner = next(part for part in result.inputs if part.op is Op.ADD)
        assert {part.op for part in inner.inputs} == {Op.PARAM, Op.LOAD}
        assert t0.name in {part.name for part in inner.inputs}
    same_graph(before, after)


def test_sums_that_have_no_key_or_are_taken_elsewhere_stay() -> None:
    make = Builder()
    a, b, c = (make.param("memory", BYTE, name) for name in "abc")
    key = make.param("key", ArrayType(1, 8), "key")
    k = make.make(Op.LOAD, (key, make.const(0, 32)))
    shared = make.make(Op.ADD, (a, b))
    results = [make.make(Op.ADD, (shared, c)), make.make(Op.ADD, (shared, k))]
    before = Graph("shared", (a, b, c, key), results)
    after = with_sums_of_keys(before)
    assert sum(node.op is Op.ADD for node in after.body) == 3
    same_graph(before, after)
