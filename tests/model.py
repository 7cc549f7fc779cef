"""What a graph means, a second time: one block, Python integers, nothing shared with the interpreter."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from finalist.ir.graph import Graph, Node, Region
from finalist.ir.ops import Op

Values = dict[Node, Any]


def evaluate(graph: Graph, inputs: Sequence[Any]) -> list[Any]:
    """The results: an integer for a word, a list of integers for an array."""
    return _region(graph, dict(zip(graph.params, inputs, strict=True)))


def _region(region: Region, known: Values) -> list[Any]:
    for node in region.body:
        known[node] = _node(node, known)
    return [_value(node, known) for node in region.results]


def _value(node: Node, known: Mapping[Node, Any]) -> Any:
    return node.attr if node.op is Op.CONST else known[node]


def _node(node: Node, known: Values) -> Any:
    inputs = [_value(child, known) for child in node.inputs]
    if node.op in _STRUCTURED:
        return _STRUCTURED[node.op](node, inputs, known)
    value = _WORDS[node.op](node, node.width, *inputs)
    assert 0 <= value < 2**node.width, f"the model itself leaves the width of {node!r}"
    return value


def _turned(a: int, n: int, amount: int) -> int:
    bits = [a >> k & 1 for k in range(n)]
    return sum(bits[(k - amount) % n] << k for k in range(n))


def _joined(node: Node, n: int, *parts: int) -> int:
    total = low = 0
    for child, part in zip(node.inputs, parts, strict=True):
        total += part << low
        low += child.width
    return total


def _boolean(node: Node, n: int, *words: int) -> int:
    points = [sum((word >> bit & 1) << k for k, word in enumerate(words)) for bit in range(n)]
    return sum((node.attr >> point & 1) << bit for bit, point in enumerate(points))


def _linear(node: Node, n: int, *words: int) -> int:
    total = 0
    for matrix, word in zip(node.attr, words, strict=True):
        for bit, column in enumerate(matrix):
            total ^= column * (word >> bit & 1)
    return total


def _apply(node: Node, n: int, *inputs: int) -> int:
    value: int = _region(node.region, dict(zip(node.region.params, inputs, strict=True)))[0]
    return value


_WORDS: dict[Op, Callable[..., int]] = {
    Op.AND: lambda node, n, a, b: a & b,
    Op.OR: lambda node, n, a, b: a | b,
    Op.XOR: lambda node, n, a, b: a ^ b,
    Op.NOT: lambda node, n, a: 2**n - 1 - a,
    Op.BOOL: _boolean,
    Op.ADD: lambda node, n, a, b: (a + b) % 2**n,
    Op.SUB: lambda node, n, a, b: (a - b) % 2**n,
    Op.MUL: lambda node, n, a, b: a * b % 2**n,
    Op.MULHI: lambda node, n, a, b: a * b // 2**n,
    Op.REM: lambda node, n, a, b: a % b if b else a,
    Op.SHL: lambda node, n, a, amount: (a << amount) % 2**n if amount < n else 0,
    Op.SHR: lambda node, n, a, amount: a >> amount if amount < n else 0,
    Op.ROL: lambda node, n, a, amount: _turned(a, n, amount),
    Op.ROR: lambda node, n, a, amount: _turned(a, n, -amount),
    Op.EQ: lambda node, n, a, b: int(a == b),
    Op.LT: lambda node, n, a, b: int(a < b),
    Op.SELECT: lambda node, n, c, a, b: a if c else b,
    Op.SLICE: lambda node, n, a: (a >> node.attr) % 2**n,
    Op.JOIN: _joined,
    Op.EXTEND: lambda node, n, a: a,
    Op.LOOKUP: lambda node, n, x: node.attr.values[x],
    Op.LINEAR: _linear,
    Op.APPLY: _apply,
    Op.LOAD: lambda node, n, array, i: array[i % len(array)],
}


def _store(node: Node, inputs: list[Any], known: Values) -> list[int]:
    array, i, x = inputs
    place = i % len(array)
    return [x if k == place else old for k, old in enumerate(array)]


def _loop(node: Node, inputs: list[Any], known: Values) -> list[Any]:
    start, stop, *carried = inputs
    for i in range(start, stop):
        carried = _region(node.region, {**known, **dict(zip(node.region.params, [i, *carried], strict=True))})
    return carried


def _when(node: Node, inputs: list[Any], known: Values) -> list[Any]:
    condition, *carried = inputs
    if not condition:
        return carried
    return _region(node.region, {**known, **dict(zip(node.region.params, carried, strict=True))})


_STRUCTURED: dict[Op, Callable[[Node, list[Any], Values], Any]] = {
    Op.ARRAY: lambda node, inputs, known: list(node.attr),
    Op.STORE: _store,
    Op.LOOP: _loop,
    Op.WHEN: _when,
    Op.RESULT: lambda node, inputs, known: inputs[0][node.attr],
}
