"""Operations as gates: what a solver finds for them is what the interpreter has."""

from __future__ import annotations

import random

import numpy as np
import pytest

from finalist.ir import interpreter
from finalist.ir.builder import Builder
from finalist.ir.graph import Graph, Node, TableData
from finalist.ir.interpreter import dtype
from finalist.ir.ops import Op
from finalist.ir.types import WordType
from finalist.prove.bit_blasting import FALSE, TRUE, Gates, NoGatesError, Word, number
from finalist.prove.solver import Answer, solve

pytest.importorskip("pysat")

WIDTHS = (1, 2, 5, 8, 13)
BINARY = (Op.AND, Op.OR, Op.XOR, Op.ADD, Op.SUB, Op.MUL, Op.MULHI, Op.EQ, Op.LT)
SHIFTS = (Op.SHL, Op.SHR, Op.ROL, Op.ROR)


def graphs() -> dict[str, Graph]:
    """An operation each, on words of several widths."""
    made: dict[str, Graph] = {}
    source = random.Random(1)
    for width in WIDTHS:
        make = Builder()
        a, b, c = (make.param("word", WordType(width), name) for name in "abc")
        nodes: list[Node] = [make.make(op, (a, b)) for op in BINARY]
        nodes += [make.make(Op.NOT, (a,)), make.make(Op.BOOL, (a, b, c), 0b10110100)]
        nodes += [make.extend(a, 20), make.make(Op.JOIN, (a, b, c)), make.slice(a, width // 2, 1)]
        nodes.append(make.make(Op.SELECT, (make.slice(c, 0, 1), a, b)))
        matrices = [tuple(source.getrandbits(9) for _ in range(width)) for _ in range(2)]
        nodes.append(make.linear(matrices, (a, b), 9))
        table = TableData(tuple(source.getrandbits(6) for _ in range(1 << width)), 6)
        nodes.append(make.make(Op.LOOKUP, (a,), table))
        if width in (1, 2, 8):
            nodes += [make.make(op, (a, amount)) for op in SHIFTS for amount in (b, make.extend(b, 11))]
        made |= {
            f"{k} {node.op.label} {width}": Graph("g", (a, b, c), [node]) for k, node in enumerate(nodes)
        }
    return made


GRAPHS = graphs()


def carried_out(gates: Gates, graph: Graph, inputs: list[Word]) -> Word:
    env = dict(zip(graph.params, inputs, strict=True))
    for node in graph.body:
        values = [number(n.attr, n.width) if n.op is Op.CONST else env[n] for n in node.inputs]
        env[node] = gates.carried_out(node, values)
    return env[graph.results[0]]


@pytest.mark.parametrize("name", GRAPHS)
def test_an_operation_at_some_inputs(name: str) -> None:
    """With the inputs assumed each bit can be the interpreter's, and nothing else; so it is where the inputs
    are known from the start, and where some of them are."""
    graph, source = GRAPHS[name], random.Random(name)
    gates = Gates()
    inputs = [tuple(gates.variable() for _ in range(param.width)) for param in graph.params]
    made = carried_out(gates, graph, inputs)
    for _ in range(6):
        given = [source.choice((source.getrandbits(p.width), 0, (1 << p.width) - 1)) for p in graph.params]
        values = [np.array(v, dtype(p.width)) for v, p in zip(given, graph.params, strict=True)]
        wanted = number(int(interpreter.run(graph, values)[0]), graph.results[0].width)
        known = [number(v, p.width) for v, p in zip(given, graph.params, strict=True)]
        pairs = [
            pair for word, bits in zip(inputs, known, strict=True) for pair in zip(word, bits, strict=True)
        ]
        assumed = [bit if value == TRUE else -bit for bit, value in pairs]
        right = [bit if value == TRUE else -bit for bit, value in zip(made, wanted, strict=True)]
        assert solve(gates.clauses, assumed + right)[0] is Answer.MODEL
        assert solve([*gates.clauses, [-bit for bit in right]], assumed)[0] is Answer.NEVER
        assert carried_out(Gates(), graph, known) == wanted
        some = [known[0], *inputs[1:]]
        part = carried_out(gates, graph, some)
        same = [bit if value == TRUE else -bit for bit, value in zip(part, wanted, strict=True)]
        assert solve([*gates.clauses, [-bit for bit in same]], assumed)[0] is Answer.NEVER


def test_an_entry_at_an_index() -> None:
    gates = Gates()
    index = tuple(gates.variable() for _ in range(2))
    (bit,) = gates.entry([(TRUE,), (FALSE,), (FALSE,), (TRUE,)], index)
    for value, wanted in enumerate((1, 0, 0, 1)):
        assumed = [one if value >> k & 1 else -one for k, one in enumerate(index)]
        assert solve(gates.clauses, [*assumed, bit if wanted else -bit])[0] is Answer.MODEL
        assert solve(gates.clauses, [*assumed, -bit if wanted else bit])[0] is Answer.NEVER


def test_what_is_not_made_of_gates() -> None:
    make = Builder()
    a, b = (make.param("word", WordType(12), name) for name in "ab")
    word = number(5, 12)
    for op in (Op.REM, Op.ROL):
        with pytest.raises(NoGatesError):
            Gates().carried_out(make.make(op, (a, b)), [word, word])
    with pytest.raises(NoGatesError):
        Gates().entry([word, word, word], word[:2])


def test_no_more_gates_than_asked_for() -> None:
    """A large table is given up early, however many of its entries are left."""
    gates = Gates(20)
    index = tuple(gates.variable() for _ in range(12))
    with pytest.raises(NoGatesError):
        gates.entry([number(k * k, 16) for k in range(1 << 12)], index)
    assert 20 < len(gates.clauses) < 40
