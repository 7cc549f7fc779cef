"""Graphs as text: readable, each name once, and the same in every process."""

from __future__ import annotations

import os
import re
import subprocess
import sys

from hypothesis import given

from finalist.ir.builder import Builder
from finalist.ir.graph import Graph, Node, Region, TableData
from finalist.ir.ops import Op
from finalist.ir.printer import digest, format_graph
from finalist.ir.program import ByteOrder, Layout, Program
from finalist.ir.types import ArrayType, WordType
from tests.graphs import examples, graphs

GOLDEN = """\
small(p: u32, q: u8, keys: u16[2])
  # round 0
  a = array [zeros] : u16[4]
  v4 = lookup q [S] : u8
  # round 1
  t = join v4 q 0x1234 : u32
  total = bool p t [6] : u32
  v7 = linear q [1 2 4 8 11 22 44 88; ff] : u8
  v8 = loop 0 total v7 a : (u8, u16[4])
    given i v c
    v12 = load keys i : u16
    v13 = store c i v12 : u16[4]
    v14 = sub v 1 : u8
    yield v14 v13
  v15 = result v8 [0] : u8
  v16 = result v8 [1] : u16[4]
  return total v15 v16
"""


def small() -> Graph:
    """A graph with a little of everything."""
    make = Builder()
    p, q = make.param("memory", WordType(32), "p"), make.param("memory", WordType(8), "q")
    keys = make.param("key", ArrayType(2, 16), "keys")
    array = make.array([0] * 4, 16)
    array.name = "a"
    found = make.make(Op.LOOKUP, [q], TableData(tuple(range(256)), 8, "S"))
    make.phase = 1
    joined = make.make(Op.JOIN, [found, q, make.const(0x1234, 16)])
    joined.name = "t"
    total = make.make(Op.BOOL, [p, joined], 6)
    total.name = "total"
    mapped = make.linear([(1, 2, 4, 8, 0x11, 0x22, 0x44, 0x88), (0xFF,)], [q, make.slice(q, 0, 1)], 8)
    mapped = make.linear([mapped.attr[0], (0xFF,)], [q, make.const(1, 1)], 8)
    index, value = make.param("index", WordType(32), "i"), make.param("carried", WordType(8), "v")
    carried = make.param("carried", array.type, "c")
    stored = make.make(Op.STORE, [carried, index, make.make(Op.LOAD, [keys, index])])
    less = make.make(Op.SUB, [value, make.const(1, 8)])
    results = make.loop(
        make.const(0, 32), total, [mapped, array], Region([index, value, carried], [less, stored])
    )
    return Graph("small", [p, q, keys], [total, *results], ((0, 2),))


def test_golden() -> None:
    assert format_graph(small()) == GOLDEN.replace("linear q [", "linear q 1 [")


def test_the_same_in_every_process() -> None:
    """Hash seeds differ between processes; the text must not."""
    code = "from tests.ir.test_printer import *; from tests.graphs import random_graph\n"
    code += "print(format_graph(small()), *(format_graph(random_graph(s)) for s in range(40)))"
    texts = set()
    for seed in ("0", "1", "4711"):
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, env=environment, check=True)
        texts.add(done.stdout)
    assert len(texts) == 1


def test_every_name_is_given_once() -> None:
    """Names of the definition may clash with each other, and with those that the printer invents."""
    make = Builder()
    p = make.param("memory", WordType(32), "v1")
    node, results = p, []
    for name in ("a_2", "a", "a", "v3", "", "", "a_2", "v5", ""):
        node = make.make(Op.ADD, [node, p])
        node.name = name
        results.append(node)
    text = format_graph(Graph("g", [p], results))
    defined = re.findall(r"^  (\w+) = ", text, re.MULTILINE)
    assert len(defined) == len(set(defined)) == 9


@given(graphs())
@examples
def test_everything_used_has_been_defined(graph: Graph) -> None:
    text = format_graph(graph)
    assert "?" not in text
    defined = re.findall(r"^\s*(\w+) = ", text, re.MULTILINE)
    assert len(defined) == len(set(defined))


A, B = TableData((0, 1, 2, 3), 2), TableData((3, 2, 1, 0), 2)
LITTLE, BIG = (Layout(1, 32, order) for order in ByteOrder)


def program(
    *tables: TableData, block: Layout = LITTLE, key: Layout = LITTLE, low: int = 2, kind: str = "key"
) -> Program:
    """Three lookups beside two constants of which the first has ``low`` bits."""
    make = Builder()
    words = make.param("memory", WordType(32), "words")
    expand = Graph("expand", [words], [make.array([0], 32)])
    make = Builder()
    p, keys = make.param("memory", WordType(32), "p"), make.param(kind, ArrayType(1, 32), "keys")
    found: list[Node] = [make.make(Op.LOOKUP, [make.slice(p, i, 2)], table) for i, table in enumerate(tables)]
    ones = [make.const(1, low), make.const(1, 26 - low)]
    kernel = Graph("kernel", [p, keys], [make.make(Op.JOIN, [*found, *ones])])
    return Program("c", "encrypt", 32, block, key, expand, kernel)


def test_digests_tell_all_apart_that_gives_other_results() -> None:
    """Two tables of one name, two constants of one value, the order of bytes, a state that is handed on."""
    all_of_them = [
        program(A, B, A),
        program(A, B, B),
        program(A, A, B),
        program(A, B, A, block=BIG),
        program(A, B, A, key=BIG),
        program(A, B, A, low=3),
        program(A, B, A, kind="state"),
    ]
    assert len({digest(one) for one in all_of_them}) == len(all_of_them)
    assert digest(program(A, B, A)) == digest(all_of_them[0])
