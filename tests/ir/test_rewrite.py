"""Rewriting makes a new graph and leaves the old one alone."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from finalist.ir import interpreter
from finalist.ir.builder import Builder
from finalist.ir.graph import Graph, Node, Region, TableData
from finalist.ir.ops import Op
from finalist.ir.printer import format_graph
from finalist.ir.rewrite import Rewriter, inline, rewrite, substitute
from finalist.ir.types import WordType
from finalist.ir.verify import verify
from finalist.passes.simplify import simplify
from tests.graphs import examples, graphs
from tests.passes.meaning import same_graph

U8, U32 = WordType(8), WordType(32)


@given(graphs(), st.integers(0, 9))
@examples
def test_a_copy_means_the_same_and_the_old_graph_stays(graph: Graph, seed: int) -> None:
    before = format_graph(graph)
    same_graph(graph, rewrite(graph, Builder()), seed)
    assert format_graph(graph) == before


def test_visits_replace_nodes_in_loops_too() -> None:
    make = Builder()
    p = make.param("memory", U32, "p")
    i, v = make.param("index", U32, "i"), make.param("carried", U32, "v")
    (result,) = make.loop(p, p, [make.make(Op.ADD, [p, p])], Region([i, v], [make.make(Op.ADD, [v, i])]))

    def visit(rewriter: Rewriter, node: Node, inputs: tuple[Node, ...]) -> Node | None:
        return rewriter.builder.make(Op.SUB, inputs) if node.op is Op.ADD else None

    text = format_graph(rewrite(Graph("g", [p], [result]), Builder(), visit))
    assert "add" not in text
    assert text.count("sub") == 2


def test_what_a_loop_hands_on_unchanged_is_not_carried() -> None:
    make = Builder()
    p, q = make.param("memory", U32, "p"), make.param("memory", U32, "q")
    i, v, w = make.param("index", U32, "i"), make.param("carried", U32, "v"), make.param("carried", U32, "w")
    body = Region([i, v, w], [make.make(Op.ADD, [v, w]), w])
    few = make.make(Op.AND, [p, make.const(7, 32)])  # random bounds could be far apart
    graph = Graph("g", [p, q], make.loop(make.const(0, 32), few, [p, q], body))
    again = rewrite(graph, Builder())
    same_graph(graph, again)
    (loop,) = (node for node in again.body if node.op is Op.LOOP)
    assert len(loop.region.results) == 1
    assert again.results[1] is q


def test_what_turns_out_to_be_unchanged_is_not_carried() -> None:
    """Also one word because another is, and what a conditional within carries."""
    make = Builder()
    p, q, r = (make.param("memory", U32, name) for name in "pqr")
    i = make.param("index", U32, "i")
    u, v, w, c = (make.param("carried", U32, name) for name in "uvwc")
    when = make.make(Op.WHEN, [make.slice(q, 0, 1), u], Region([c], [make.make(Op.OR, [c, c])]))
    (inner,) = make.results(when)
    third = make.make(Op.ADD, [w, make.make(Op.MUL, [make.make(Op.XOR, [v, q]), inner])])
    body = Region([i, u, v, w], [make.make(Op.ADD, [inner, w]), make.make(Op.AND, [v, v]), third])
    few = make.make(Op.AND, [p, make.const(7, 32)])
    graph = Graph("g", [p, q, r], make.loop(make.const(0, 32), few, [p, q, r], body))
    again = rewrite(graph, Builder(simplify))
    same_graph(graph, again)
    (loop,) = (node for node in again.body if node.op is Op.LOOP)
    assert [node.op for node in loop.region.body] == [Op.ADD]
    assert again.results[1:] == (q, r)


def test_names_lines_and_phases_are_kept() -> None:
    make = Builder()
    p = make.param("memory", U32, "p")
    make.phase, make.line = 4, "cipher.py:7"
    node = make.make(Op.NOT, [p])
    node.name = "t"
    (new,) = rewrite(Graph("g", [p], [node]), Builder()).body
    assert (new.name, new.line, new.phase) == ("t", "cipher.py:7", 4)
    assert new is not node


def test_substitution_touches_only_what_depends() -> None:
    make = Builder()
    p, q = make.param("memory", U32, "p"), make.param("memory", U32, "q")
    far, near = make.make(Op.NOT, [q]), make.make(Op.ADD, [p, q])
    both = make.make(Op.XOR, [far, near])
    (new,) = substitute([both], {p: q}, make)
    assert new.inputs[0] is far
    assert new.inputs[1] is make.make(Op.ADD, [q, q])
    assert substitute([both], {}, make) == [both]


def test_substitution_beside_a_loop() -> None:
    """A loop that does not depend on what is replaced stays the same loop."""
    make = Builder()
    p, q = make.param("memory", U32, "p"), make.param("memory", U32, "q")
    i, v = make.param("index", U32, "i"), make.param("carried", U32, "v")
    (total,) = make.loop(q, q, [q], Region([i, v], [make.make(Op.ADD, [v, i])]))
    (new,) = substitute([make.make(Op.ADD, [total, p])], {p: q}, make)
    assert new.inputs == (total, q)


def test_inlining_a_function_with_constants_and_functions_within() -> None:
    make = Builder()
    table = TableData(tuple(range(255, -1, -1)), 8)
    x, c = make.param("argument", U8, "x"), make.param("argument", U8, "c")
    inner = Region([x], [make.make(Op.LOOKUP, [make.make(Op.XOR, [x, make.const(5, 8)])], table)])
    y = make.param("argument", U8, "y")
    outer = Region([y, c], [make.make(Op.ADD, [make.apply(inner, [y]), c])])
    p, q = make.param("memory", U8, "p"), make.param("memory", U8, "q")
    applied = Graph("g", [p, q], [make.apply(outer, [p, q])])
    inlined = Graph("g", [p, q], [inline(outer, [p, q], make)])
    verify(inlined)
    assert not any(node.op is Op.APPLY for node in inlined.body)
    values = [interpreter.np.arange(256).astype("u1"), interpreter.np.arange(256).astype("u1") * 3]
    (a,), (b,) = interpreter.run(applied, values), interpreter.run(inlined, values)
    assert a.tolist() == b.tolist()
