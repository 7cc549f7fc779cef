"""The interpreter: the one definition of what every operation means, on many blocks at once.

A word is a NumPy array of the smallest unsigned type that holds it, of shape ``(blocks,)``, or ``()`` where
all have the same; an array has an axis more. Each meaning is written in the plainest way that is fast enough.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

from finalist.ir.builder import mask
from finalist.ir.graph import Graph, Node, Region
from finalist.ir.ops import Op
from finalist.ir.types import ArrayType, TupleType, Type, storage_bits

Value = npt.NDArray[Any]


class Environment(dict[Node, Any]):
    """The values of the nodes made so far.

    A version of an array is overwritten at most once, and read only before, so that entries are written in
    place; ``preserved``: arrays from outside of the region under way, which must not be overwritten.
    ``mask``, of shape (blocks,): in which blocks that region takes place; None where in all.
    """

    def __init__(self, values: Mapping[Node, Any]) -> None:
        super().__init__(values)
        self.mask: Value | None = None
        self.preserved: set[tuple[Node, Node]] = set()
        self.known: set[Region] = set()
        self._rows = np.arange(0)

    def __missing__(self, node: Node) -> Value:
        """A constant is made where it is first needed."""
        if node.op is not Op.CONST:
            raise KeyError(node)
        value = self[node] = np.array(node.attr, dtype(node.width))
        return value

    def enter(self, region: Region, own: Sequence[Node]) -> None:
        """Note, once, what the region may not overwrite: all but its ``own`` parameters and what it makes."""
        if region in self.known:
            return
        self.known.add(region)
        mine = {*own, *region.body}
        for node in region.body:
            if node.op in _OVERWRITING:
                self.preserved.update((node, child) for child in node.inputs if child not in mine)

    def rows(self, blocks: int) -> Value:
        """The numbers of the blocks."""
        if len(self._rows) != blocks:
            self._rows = np.arange(blocks)
        return self._rows

    def writable(self, node: Node, array: Node) -> Any:
        """The operand ``array`` of a node that may overwrite it."""
        value = self[array]
        return value.copy() if (node, array) in self.preserved else value


_OVERWRITING = frozenset({Op.STORE, Op.LOOP, Op.WHEN})


@cache
def dtype(width: int) -> np.dtype[Any]:
    """The smallest unsigned NumPy type that holds ``width`` bits."""
    return np.dtype(f"u{storage_bits(width) // 8}")


def run(graph: Graph, inputs: Sequence[Value], kind: type[Environment] = Environment) -> list[Value]:
    """The results of a graph on its parameters, in order; shapes broadcast over the blocks."""
    environment = kind(dict(zip(graph.params, inputs, strict=True)))
    with np.errstate(over="ignore"):
        return _region(graph, environment, own=())


def fold(node: Node) -> int:
    """The word that one operation makes of constants."""
    with np.errstate(over="ignore"):
        return int(_MEANING[node.op](node, Environment({})))


def carried_out(node: Node, env: Environment) -> Value:
    """What one operation makes of words that are there; of an array that has inputs, these as its entries."""
    if node.op is Op.ARRAY and node.inputs:
        return np.stack(np.broadcast_arrays(*_inputs(node, env)), axis=-1)
    value: Value = _MEANING[node.op](node, env)
    return value


def _region(region: Region, env: Environment, own: Sequence[Node]) -> list[Value]:
    env.enter(region, own)
    for node in region.body:
        env[node] = _MEANING[node.op](node, env)
    return [env[node] for node in region.results]


def _inputs(node: Node, env: Environment) -> list[Any]:
    return [env[child] for child in node.inputs]


def _fit(value: Value, width: int) -> Value:
    """Reduce to ``width`` bits and store in the type of that width."""
    if value.itemsize * 8 == width:
        return value
    if value.dtype.itemsize * 8 > width or dtype(width).itemsize * 8 > width:
        value = value & value.dtype.type(mask(min(width, value.dtype.itemsize * 8)))
    return value.astype(dtype(width), copy=False)


def _wide(value: Value) -> Value:
    return value.astype(np.uint64, copy=False)


# -- words ----------------------------------------------------------------------------------------


def _two(function: Callable[[Value, Value], Value]) -> Callable[[Node, Environment], Value]:
    def meaning(node: Node, env: Environment) -> Value:
        a, b = node.inputs
        return _fit(function(env[a], env[b]), node.width)

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
        a, given = _inputs(node, env)
        n = np.uint64(node.width)
        amount = _wide(given) % np.uint64(node.width)
        up = amount if left else (n - amount) % n
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
    inner = Environment(dict(zip(node.region.params, _inputs(node, env), strict=True)))
    return _region(node.region, inner, own=())[0]


def _instruction(node: Node, env: Environment) -> list[Value]:
    words = [word for register in _inputs(node, env) for word in register]
    meaning = node.attr.meaning
    return _region(meaning, Environment(dict(zip(meaning.params, words, strict=True))), own=())


# -- arrays and control flow ----------------------------------------------------------------------


def _array(node: Node, env: Environment) -> Value:
    return np.array(node.attr, dtype(node.width))


def _index(node: Node, env: Environment) -> Any:
    """The place in an array: a number, or one for each block."""
    index, length = node.inputs[1], node.inputs[0].length
    if index.op is Op.CONST:
        return index.attr % length
    value = env[index]
    if length < 1 << index.width:
        whole = length & (length - 1) == 0  # a power of two takes no division
        value = value & value.dtype.type(length - 1) if whole else value % value.dtype.type(length)
    return value if value.ndim else int(value)


def _load(node: Node, env: Environment) -> Value:
    array, position = env[node.inputs[0]], _index(node, env)
    if array.ndim == 1 or isinstance(position, int):
        return np.array(array[..., position])  # a copy: the entry may be overwritten later
    entries: Value = array[env.rows(len(array)), position]
    return entries


def _store(node: Node, env: Environment) -> Value:
    array = env.writable(node, node.inputs[0])
    value, position, mask = env[node.inputs[2]], _index(node, env), env.mask
    shape = array.shape[:-1]  # (blocks,) if anything is its own for each block, else ()
    if not shape:
        shape = max(np.shape(position), value.shape, () if mask is None else mask.shape)
        array = np.broadcast_to(array, (*shape, array.shape[-1])).copy() if shape else array
    if not shape:
        array[position] = value
    elif mask is None:
        array[slice(None) if isinstance(position, int) else env.rows(shape[0]), position] = value
    else:
        rows = mask.nonzero()[0]
        array[rows, _of_rows(position, rows)] = _of_rows(value, rows)
    return array


def _window(node: Node, env: Environment) -> Value:
    array, start = env[node.inputs[0]], env[node.inputs[1]].astype(np.int64)
    places = (start[..., None] + np.arange(node.attr)) % node.inputs[0].length
    own = array.ndim > 1 and places.ndim > 1  # for each block
    return np.array(np.take_along_axis(array, places, axis=1) if own else array[..., places])


def _of_rows(value: Any, rows: Value) -> Any:
    """The entries of some blocks; what is the same for all stays one value."""
    return value[rows] if np.ndim(value) else value


def _loop(node: Node, env: Environment) -> list[Value]:
    start, stop = (_wide(env[child]) for child in node.inputs[:2])
    params = node.region.params
    carried, outer = _initial(node, env, node.inputs[2:]), env.mask
    index_width = params[0].width
    trips = np.maximum(stop, start) - start
    if outer is not None:
        trips = np.where(outer, trips, np.uint64(0))
    index, one = _fit(start, index_width), dtype(index_width).type(1)
    for trip in range(int(np.max(trips, initial=0))):
        env[params[0]] = index
        carried = _taking_place(node, env, params[1:], carried, trips > trip, outer)
        index = _fit(index + one, index_width)
    env.mask = outer
    return carried


def _when(node: Node, env: Environment) -> list[Value]:
    condition = env[node.inputs[0]] != 0
    outer = env.mask
    active = condition if outer is None else condition & outer
    initial = _initial(node, env, node.inputs[1:])
    results = _taking_place(node, env, node.region.params, initial, active, outer)
    env.mask = outer
    return results


def _initial(node: Node, env: Environment, inputs: Sequence[Node]) -> list[Value]:
    return [
        env.writable(node, child) if isinstance(child.type, ArrayType) else env[child] for child in inputs
    ]


def _taking_place(
    node: Node,
    env: Environment,
    params: Sequence[Node],
    given: list[Value],
    active: Value,
    outer: Value | None,
) -> list[Value]:
    """The values that a region hands on: new ones in the active blocks, the given ones in the others."""
    count = np.count_nonzero(active)
    if not count:
        return given
    env.mask = outer if count == np.size(active) else np.asarray(active)
    env.update(zip(params, given, strict=True))
    new = _region(node.region, env, own=node.region.params)
    if env.mask is None:
        return new
    return [_where(env.mask, p.type, a, b) for p, a, b in zip(params, new, given, strict=True)]


def _where(mask: Value, type_: Type, a: Any, b: Any) -> Any:
    """``a`` where the mask is set, else ``b``; arrays were written there alone, words must be chosen."""
    if isinstance(type_, TupleType):
        return [_where(mask, item, x, y) for item, x, y in zip(type_.items, a, b, strict=True)]
    return a if isinstance(type_, ArrayType) else np.where(mask, a, b)


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
    Op.REM: _two(lambda a, b: np.where(b == 0, a, a % np.where(b == 0, b.dtype.type(1), b))),
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
    Op.WINDOW: _window,
    Op.LOOP: _loop,
    Op.WHEN: _when,
    Op.RESULT: _result,
    Op.TUPLE: _inputs,
    Op.INSTRUCTION: _instruction,
}
