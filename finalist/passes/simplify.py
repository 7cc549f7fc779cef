"""Algebra that always helps, applied to each operation as it is made; dead code falls away by itself.

`simplify` is a `Rule` for the builder: a graph rebuilt with it is simplified, with constants folded and
equal expressions shared.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from finalist.ir import interpreter
from finalist.ir.builder import Builder, mask
from finalist.ir.graph import Graph, Matrix, Node
from finalist.ir.ops import COMMUTATIVE, CONTROL, Op
from finalist.ir.program import Program
from finalist.ir.rewrite import rewrite
from finalist.ir.types import Type, WordType
from finalist.passes import wiring
from finalist.passes.matrices import composed

Inputs = tuple[Node, ...]
_KEPT = frozenset({Op.CONST, Op.PARAM, Op.ARRAY, Op.STORE, Op.APPLY, Op.INSTRUCTION}) | CONTROL

#: Operations on constants that are no constants, or not of words.
_UNFOLDED = frozenset({Op.LOAD, Op.RESULT, Op.TUPLE})


def simplified(graph: Graph) -> Graph:
    """The graph rebuilt with every rule applied."""
    return rewrite(graph, Builder(simplify))


def run(program: Program) -> Program:
    """Both graphs simplified: constants, neutral elements, slices of slices."""
    return program.with_graphs(simplified(program.expand), simplified(program.kernel))


def simplify(make: Builder, op: Op, inputs: Inputs, attr: Any, type_: Type) -> Node | None:
    """A node equal to ``op(inputs)`` and no dearer, or None."""
    if op in _KEPT:
        return None
    if op not in _UNFOLDED and all(child.op is Op.CONST for child in inputs):
        return _fold(make, op, inputs, attr, type_)
    if op in COMMUTATIVE:
        ordered = tuple(sorted(inputs, key=lambda node: (node.op is Op.CONST, node.serial)))
        if ordered != inputs:
            return make.make(op, ordered, attr, type_=type_)
    rule = _RULES.get(op)
    return rule(make, inputs, attr, type_) if rule else None


def _fold(make: Builder, op: Op, inputs: Inputs, attr: Any, type_: Type) -> Node:
    assert isinstance(type_, WordType)
    return make.const(interpreter.fold(Node(op, inputs, type_, attr)), type_.width)


def _is(node: Node, value: int) -> bool:
    return node.op is Op.CONST and node.attr == value & mask(node.width)


# -- bitwise --------------------------------------------------------------------------------------


def _xor(make: Builder, inputs: Inputs, attr: Any, type_: Type) -> Node | None:
    a, b = inputs
    if a is b:
        return make.const(0, a.width)
    if _is(b, 0):
        return a
    if _is(b, -1):
        return make.make(Op.NOT, (a,))
    if b.op is Op.CONST and a.op is Op.XOR and a.inputs[1].op is Op.CONST:
        return make.make(Op.XOR, (a.inputs[0], make.const(a.inputs[1].attr ^ b.attr, a.width)))
    return None


def _and(make: Builder, inputs: Inputs, attr: Any, type_: Type) -> Node | None:
    a, b = inputs
    if a is b or _is(b, -1):
        return a
    return b if _is(b, 0) else None


def _or(make: Builder, inputs: Inputs, attr: Any, type_: Type) -> Node | None:
    a, b = inputs
    if a is b or _is(b, 0):
        return a
    return b if _is(b, -1) else None


def _not(make: Builder, inputs: Inputs, attr: Any, type_: Type) -> Node | None:
    (a,) = inputs
    return a.inputs[0] if a.op is Op.NOT else None


# -- arithmetic -----------------------------------------------------------------------------------


def _add(make: Builder, inputs: Inputs, attr: Any, type_: Type) -> Node | None:
    a, b = inputs
    if _is(b, 0):
        return a
    if b.op is Op.CONST and a.op is Op.ADD and a.inputs[1].op is Op.CONST:
        return make.make(Op.ADD, (a.inputs[0], make.const(a.inputs[1].attr + b.attr, a.width)))
    return None


def _sub(make: Builder, inputs: Inputs, attr: Any, type_: Type) -> Node | None:
    a, b = inputs
    if a is b:
        return make.const(0, a.width)
    return a if _is(b, 0) else None


def _mul(make: Builder, inputs: Inputs, attr: Any, type_: Type) -> Node | None:
    a, b = inputs
    if b.op is not Op.CONST:
        return None
    if b.attr == 0:
        return b
    if b.attr & (b.attr - 1) == 0:
        return make.make(Op.SHL, (a, make.const(b.attr.bit_length() - 1, 8)))
    return None


def _rem(make: Builder, inputs: Inputs, attr: Any, type_: Type) -> Node | None:
    a, b = inputs
    if b.op is Op.CONST and b.attr & (b.attr - 1) == 0:
        return make.make(Op.AND, (a, make.const(b.attr - 1, a.width))) if b.attr else a
    return None


def _mulhi(make: Builder, inputs: Inputs, attr: Any, type_: Type) -> Node | None:
    a, b = inputs
    if b.op is not Op.CONST or b.attr & (b.attr - 1):
        return None
    up = b.attr.bit_length() - 1
    return make.make(Op.SHR, (a, make.const(a.width - up, 8))) if up > 0 else make.const(0, a.width)


def _shift(op: Op) -> Callable[[Builder, Inputs, Any, Type], Node | None]:
    def rule(make: Builder, inputs: Inputs, attr: Any, type_: Type) -> Node | None:
        a, amount = inputs
        if _is(a, 0):
            return a
        if amount.op is not Op.CONST:
            return None
        if amount.attr == 0:
            return a
        return make.const(0, a.width) if amount.attr >= a.width else None

    return rule


def _rotate(op: Op) -> Callable[[Builder, Inputs, Any, Type], Node | None]:
    def rule(make: Builder, inputs: Inputs, attr: Any, type_: Type) -> Node | None:
        """Rotations by constants become rotations left by 1 to n - 1."""
        a, amount = inputs
        if _is(a, 0) or _is(a, -1):
            return a
        if amount.op is not Op.CONST:
            return None
        left = (amount.attr if op is Op.ROL else -amount.attr) % a.width
        if left == 0:
            return a
        if op is Op.ROL and left == amount.attr and amount.width == 8:
            return None
        return make.make(Op.ROL, (a, make.const(left, 8)))

    return rule


def _lt(make: Builder, inputs: Inputs, attr: Any, type_: Type) -> Node | None:
    a, b = inputs
    return make.const(0, 1) if a is b or _is(b, 0) else None


def _select(make: Builder, inputs: Inputs, attr: Any, type_: Type) -> Node | None:
    condition, a, b = inputs
    if condition.op is Op.CONST:
        return a if condition.attr else b
    if a is b:
        return a
    if a.op is Op.ADD and a.inputs[0] is b and a.inputs[1].op is Op.CONST:
        # By a mask this is an AND, where the choice between two words takes three operations.
        added = make.make(Op.SELECT, (condition, a.inputs[1], make.const(0, a.width)))
        return make.make(Op.ADD, (b, added))
    return None


# -- widths ---------------------------------------------------------------------------------------


def _slice(make: Builder, inputs: Inputs, low: int, type_: Type) -> Node | None:
    (a,) = inputs
    assert isinstance(type_, WordType)
    width = type_.width
    if width == a.width:
        return a
    if a.op is Op.SLICE:
        return make.slice(a.inputs[0], low + a.attr, width)
    if a.op is Op.EXTEND:
        return _slice_extended(make, a.inputs[0], low, width)
    if a.op is Op.JOIN:
        return _slice_joined(make, a, low, width)
    if a.op is Op.LINEAR:
        return _slice_wired(make, a, low, width)
    if a.op is Op.XOR:
        return _slice_masked(make, a, low, width)
    return _slice_moved(make, a, low, width)


def _slice_extended(make: Builder, a: Node, low: int, width: int) -> Node | None:
    if low >= a.width:
        return make.const(0, width)
    if low + width <= a.width:
        return make.slice(a, low, width)
    return make.extend(a, width) if low == 0 else None


def _slice_joined(make: Builder, a: Node, low: int, width: int) -> Node | None:
    start = 0
    for part in a.inputs:
        if start <= low and low + width <= start + part.width:
            return make.slice(part, low - start, width)
        start += part.width
    return None


def _slice_wired(make: Builder, a: Node, low: int, width: int) -> Node | None:
    """Consecutive bits of the word that a wiring took them from."""
    bits = wiring.sources(a.attr[0], a.width) if len(a.inputs) == 1 else None
    if bits is None:
        return None
    (word,) = a.inputs
    start = wiring.run_of(bits[low : low + width], word.width)
    return None if start is None else wiring.consecutive(make, word, start, width)


def _slice_masked(make: Builder, a: Node, low: int, width: int) -> Node | None:
    """Consecutive bits of a wiring XOR something: that wiring need not be made."""
    for term, other in (a.inputs, a.inputs[::-1]):
        part = _slice_wired(make, term, low, width) if term.op is Op.LINEAR else None
        if part is not None:
            return make.make(Op.XOR, (part, make.slice(other, low, width)))
    return None


def _slice_moved(make: Builder, a: Node, low: int, width: int) -> Node | None:
    """Bits of a word moved by a constant are other bits of the word."""
    if a.op not in (Op.ROL, Op.SHL, Op.SHR) or a.inputs[1].op is not Op.CONST:
        return None
    word, amount = a.inputs[0], a.inputs[1].attr
    if a.op is Op.SHR:
        source = low + amount
    elif a.op is Op.SHL:
        source = low - amount
    else:
        source = (low - amount) % word.width
    inside = 0 <= source and source + width <= word.width
    return make.slice(word, source, width) if inside else None


def _join(make: Builder, inputs: Inputs, attr: Any, type_: Type) -> Node | None:
    if len(inputs) == 1:
        return inputs[0]
    flat = [leaf for part in inputs for leaf in (part.inputs if part.op is Op.JOIN else (part,))]
    merged: list[Node] = [flat[0]]
    for part in flat[1:]:
        merged[-1:] = _neighbours(make, merged[-1], part)
    return None if merged == list(inputs) else make.make(Op.JOIN, merged)


def _neighbours(make: Builder, a: Node, b: Node) -> list[Node]:
    """Two parts side by side: one slice if they are neighbours in the same word."""
    if a.op is b.op is Op.SLICE and a.inputs == b.inputs and a.attr + a.width == b.attr:
        return [make.slice(a.inputs[0], a.attr, a.width + b.width)]
    return [a, b]


def _extend(make: Builder, inputs: Inputs, attr: Any, type_: Type) -> Node | None:
    (a,) = inputs
    assert isinstance(type_, WordType)
    if a.width == type_.width:
        return a
    return make.extend(a.inputs[0], type_.width) if a.op is Op.EXTEND else None


# -- functions and arrays -------------------------------------------------------------------------


def _linear(make: Builder, inputs: Inputs, attr: Any, type_: Type) -> Node | None:
    """Terms that contribute nothing go; an identity is its operand."""
    assert isinstance(type_, WordType)
    nonzero = [(m, x) for m, x in zip(attr, inputs, strict=True) if any(m)]
    if not nonzero:
        return make.const(0, type_.width)
    if len(nonzero) < len(inputs):
        return make.linear([m for m, _ in nonzero], [x for _, x in nonzero], type_.width)
    return _wired(make, attr[0], inputs[0], type_.width) if len(inputs) == 1 else None


def _wired(make: Builder, matrix: Matrix, word: Node, width: int) -> Node | None:
    """Wirings after one another are one; consecutive bits are a slice."""
    bits = wiring.sources(matrix, width)
    if bits is None:
        return None
    start = wiring.run_of(bits, word.width)
    if start is not None:
        return wiring.consecutive(make, word, start, width)
    if word.op is Op.LINEAR:
        return make.linear([composed(matrix, inner) for inner in word.attr], word.inputs, width)
    if word.op is Op.XOR and any(_undone(matrix, term, width) for term in word.inputs):
        return make.make(Op.XOR, [make.linear([matrix], [term], width) for term in word.inputs])
    return None


def _undone(matrix: Matrix, term: Node, width: int) -> bool:
    """Whether the wiring takes back what made the term."""
    if term.op is not Op.LINEAR or len(term.inputs) != 1 or term.inputs[0].width != width:
        return False
    return all(c == 1 << bit for bit, c in enumerate(composed(matrix, term.attr[0])))


def _load(make: Builder, inputs: Inputs, attr: Any, type_: Type) -> Node | None:
    """A read of what was written at a known place."""
    array, index = inputs
    if index.op is not Op.CONST:
        return None
    place = index.attr % array.length
    while array.op is Op.STORE and array.inputs[1].op is Op.CONST:
        if array.inputs[1].attr % array.length == place:
            return array.inputs[2]
        array = array.inputs[0]
    if array.op is Op.ARRAY:
        return make.const(array.attr[place], array.width)
    if array is inputs[0] and place == index.attr:
        return None
    return make.make(Op.LOAD, (array, make.const(place, index.width)))


def _result(make: Builder, inputs: Inputs, k: int, type_: Type) -> Node | None:
    """A loop without iterations hands out what it was given, a tuple what it was put together from."""
    (control,) = inputs
    if control.op is Op.TUPLE:
        return control.inputs[k]
    if control.op is not Op.LOOP or any(bound.op is not Op.CONST for bound in control.inputs[:2]):
        return None
    start, stop = (bound.attr for bound in control.inputs[:2])
    return control.inputs[2 + k] if start >= stop else None


def _tuple(make: Builder, inputs: Inputs, attr: Any, type_: Type) -> Node | None:
    """All values of a tuple, put together again, are that tuple."""
    whole = inputs[0].inputs[0] if inputs[0].op is Op.RESULT else None
    parts = all(x.op is Op.RESULT and x.inputs[0] is whole and x.attr == k for k, x in enumerate(inputs))
    return whole if parts and whole is not None and whole.type == type_ else None


_RULES: dict[Op, Callable[[Builder, Inputs, Any, Type], Node | None]] = {
    Op.XOR: _xor,
    Op.AND: _and,
    Op.OR: _or,
    Op.NOT: _not,
    Op.ADD: _add,
    Op.SUB: _sub,
    Op.MUL: _mul,
    Op.REM: _rem,
    Op.MULHI: _mulhi,
    Op.SHL: _shift(Op.SHL),
    Op.SHR: _shift(Op.SHR),
    Op.ROL: _rotate(Op.ROL),
    Op.ROR: _rotate(Op.ROR),
    Op.LT: _lt,
    Op.SELECT: _select,
    Op.SLICE: _slice,
    Op.JOIN: _join,
    Op.EXTEND: _extend,
    Op.LINEAR: _linear,
    Op.LOAD: _load,
    Op.RESULT: _result,
    Op.TUPLE: _tuple,
}
