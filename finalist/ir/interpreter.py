"""The interpreter: the one definition of what every operation means, on many blocks at once.

A word is a NumPy array of shape ``(blocks,)`` (or ``()`` where it is the same for all blocks) of the
smallest unsigned type that holds it; an array has one more axis, its entries. It is the reference that
every machine is compared with, so each meaning is written in the plainest way that is fast enough.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from finalist.ir.builder import mask
from finalist.ir.graph import ArrayType, Graph, Node, Region
from finalist.ir.ops import Op

Value = npt.NDArray[Any]
Environment = dict[Node, Any]


def dtype(width: int) -> np.dtype[Any]:
    """The smallest unsigned NumPy type that holds ``width`` bits."""
    return np.dtype(f"u{max(1, 1 << max(0, (width - 1).bit_length() - 3))}")


def run(graph: Graph, inputs: Sequence[Value]) -> list[Value]:
    """The results of a graph on its parameters, in order; shapes broadcast over the blocks."""
    environment: Environment = dict(zip(graph.params, inputs, strict=True))
    with np.errstate(over="ignore"):
        return _region(graph, environment)


def fold(node: Node) -> int:
    """The word that one operation makes of constants."""
    with np.errstate(over="ignore"):
        return int(_MEANING[node.op](node, {}))


def _region(region: Region, env: Environment) -> list[Value]:
    for node in region.body:
        env[node] = _MEANING[node.op](node, env)
    return [_value(node, env) for node in region.results]


def _value(node: Node, env: Mapping[Node, Any]) -> Any:
    if node.op is Op.CONST:
        return np.array(node.attr, dtype(node.width))
    return env[node]


def _inputs(node: Node, env: Mapping[Node, Any]) -> list[Any]:
    return [_value(child, env) for child in node.inputs]


def _fit(value: Value, width: int) -> Value:
    """Reduce to ``width`` bits and store in the type of that width."""
    if value.dtype.itemsize * 8 > width or dtype(width).itemsize * 8 > width:
        value = value & value.dtype.type(mask(min(width, value.dtype.itemsize * 8)))
    return value.astype(dtype(width), copy=False)


def _wide(value: Value) -> Value:
    return value.astype(np.uint64, copy=False)


# -- words ----------------------------------------------------------------------------------------


def _two(function: Callable[[Value, Value], Value]) -> Callable[[Node, Environment], Value]:
    def meaning(node: Node, env: Environment) -> Value:
        a, b = _inputs(node, env)
        return _fit(function(a, b), node.width)

    return meaning


def _not(node: Node, env: Environment) -> Value:
    (a,) = _inputs(node, env)
    return _fit(~a, node.width)


def _mulhi(node: Node, env: Environment) -> Value:
    a, b = (_wide(value) for value in _inputs(node, env))
    low, half = np.uint64(0xFFFFFFFF), np.uint64(32)
    a0, a1, b0, b1 = a & low, a >> half, b & low, b >> half
    cross = a1 * b0 + (a0 * b0 >> half)
    middle = a0 * b1 + (cross & low)
    high = a1 * b1 + (cross >> half) + (middle >> half)
    if node.width == 64:
        return np.asarray(high)
    product = a * b
    n = np.uint64(node.width)
    return _fit((product >> n) | (high << (np.uint64(64) - n)), node.width)


def _amount(value: Value, node: Node) -> Value:
    return _wide(value) % np.uint64(node.width)


def _shift(left: bool) -> Callable[[Node, Environment], Value]:
    def meaning(node: Node, env: Environment) -> Value:
        a, amount = (_wide(value) for value in _inputs(node, env))
        inside = amount < np.uint64(node.width)
        safe = np.where(inside, amount, np.uint64(0))
        moved = a << safe if left else a >> safe
        return _fit(np.where(inside, moved, np.uint64(0)), node.width)

    return meaning


def _rotate(left: bool) -> Callable[[Node, Environment], Value]:
    def meaning(node: Node, env: Environment) -> Value:
        a, amount = _inputs(node, env)
        n = np.uint64(node.width)
        turn = _amount(amount, node)
        up = turn if left else (n - turn) % n
        # The way down is 1 to 64 places; NumPy shifts by at most 63, so the last place goes alone.
        down = (_wide(a) >> (n - up - np.uint64(1))) >> np.uint64(1)
        return _fit(_wide(a) << up | down, node.width)

    return meaning


def _bool(node: Node, env: Environment) -> Value:
    inputs = _inputs(node, env)
    total = np.zeros((), dtype(node.width))
    for point in range(1 << len(inputs)):
        if node.attr >> point & 1:
            term = np.full((), mask(8 * total.itemsize), total.dtype)
            for position, value in enumerate(inputs):
                term = term & (value if point >> position & 1 else ~value)
            total = total | term
    return _fit(total, node.width)


def _compare(function: Callable[[Value, Value], Value]) -> Callable[[Node, Environment], Value]:
    def meaning(node: Node, env: Environment) -> Value:
        a, b = _inputs(node, env)
        return np.asarray(function(a, b)).astype(np.uint8)

    return meaning


def _select(node: Node, env: Environment) -> Value:
    condition, a, b = _inputs(node, env)
    return np.where(condition != 0, a, b)


def _slice(node: Node, env: Environment) -> Value:
    (a,) = _inputs(node, env)
    return _fit(a >> a.dtype.type(node.attr), node.width)


def _join(node: Node, env: Environment) -> Value:
    total, low = np.zeros((), np.uint64), 0
    for child, value in zip(node.inputs, _inputs(node, env), strict=True):
        total = total | _wide(value) << np.uint64(low)
        low += child.width
    return _fit(total, node.width)


def _extend(node: Node, env: Environment) -> Value:
    (a,) = _inputs(node, env)
    return _fit(a, node.width)


def _lookup(node: Node, env: Environment) -> Value:
    (x,) = _inputs(node, env)
    return np.array(node.attr.values, dtype(node.width))[x]


def _linear(node: Node, env: Environment) -> Value:
    total = np.zeros((), dtype(node.width))
    for matrix, value in zip(node.attr, _inputs(node, env), strict=True):
        for bit, column in enumerate(matrix):
            chosen = (value >> value.dtype.type(bit)) & value.dtype.type(1)
            total = total ^ chosen.astype(total.dtype) * total.dtype.type(column)
    return total


def _apply(node: Node, env: Environment) -> Value:
    inner = dict(zip(node.region.params, _inputs(node, env), strict=True))
    return _region(node.region, inner)[0]


# -- arrays and control flow ----------------------------------------------------------------------


def _array(node: Node, env: Environment) -> Value:
    return np.array(node.attr, dtype(node.width))


def _index(value: Value, node: Node) -> Value:
    return (_wide(value) % np.uint64(node.inputs[0].length)).astype(np.intp)


def _load(node: Node, env: Environment) -> Value:
    array, index = _inputs(node, env)
    position = _index(index, node)
    if array.ndim == 1 or position.ndim == 0:
        return np.asarray(array[..., position])
    return np.asarray(np.take_along_axis(array, position[:, None], axis=-1)[:, 0])


def _store(node: Node, env: Environment) -> Value:
    array, index, value = _inputs(node, env)
    position = _index(index, node)
    shape = np.broadcast_shapes(array.shape[:-1], position.shape, value.shape)
    result = np.broadcast_to(array, (*shape, array.shape[-1])).copy()
    rows: Any = np.arange(shape[0]) if shape and position.ndim else ...
    result[rows, position] = value
    return result


def _loop(node: Node, env: Environment) -> list[Value]:
    start, stop, *carried = _inputs(node, env)
    start, stop = _wide(start), _wide(stop)
    index_width = node.region.params[0].width
    trips = int(np.max(np.maximum(stop, start) - start, initial=0))
    for trip in range(trips):
        index = start + np.uint64(trip)
        given = [_fit(index, index_width), *carried]
        inner = env | dict(zip(node.region.params, given, strict=True))
        following = _region(node.region, inner)
        carried = _choose(index < stop, following, carried, node.region)
    return carried


def _when(node: Node, env: Environment) -> list[Value]:
    condition, *initial = _inputs(node, env)
    inner = env | dict(zip(node.region.params, initial, strict=True))
    return _choose(condition != 0, _region(node.region, inner), initial, node.region)


def _choose(active: Value, new: list[Value], old: list[Value], region: Region) -> list[Value]:
    active = np.asarray(active)
    if active.all():
        return new
    return [
        np.where(active[..., None] if _is_array(p) else active, a, b)
        for p, a, b in zip(region.results, new, old, strict=True)
    ]


def _is_array(node: Node) -> bool:
    return isinstance(node.type, ArrayType)


def _result(node: Node, env: Environment) -> Value:
    values: list[Value] = env[node.inputs[0]]
    return values[node.attr]


_MEANING: dict[Op, Callable[[Node, Environment], Any]] = {
    Op.AND: _two(np.bitwise_and),
    Op.OR: _two(np.bitwise_or),
    Op.XOR: _two(np.bitwise_xor),
    Op.NOT: _not,
    Op.BOOL: _bool,
    Op.ADD: _two(np.add),
    Op.SUB: _two(np.subtract),
    Op.MUL: _two(np.multiply),
    Op.MULHI: _mulhi,
    Op.SHL: _shift(left=True),
    Op.SHR: _shift(left=False),
    Op.ROL: _rotate(left=True),
    Op.ROR: _rotate(left=False),
    Op.EQ: _compare(np.equal),
    Op.LT: _compare(np.less),
    Op.SELECT: _select,
    Op.SLICE: _slice,
    Op.JOIN: _join,
    Op.EXTEND: _extend,
    Op.LOOKUP: _lookup,
    Op.LINEAR: _linear,
    Op.APPLY: _apply,
    Op.ARRAY: _array,
    Op.LOAD: _load,
    Op.STORE: _store,
    Op.LOOP: _loop,
    Op.WHEN: _when,
    Op.RESULT: _result,
}
