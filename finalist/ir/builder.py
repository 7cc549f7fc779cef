"""Making nodes: types are computed and checked here, equal expressions become one node."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from finalist.errors import GraphError
from finalist.ir.graph import Instruction, Matrix, Node, Region, TableData
from finalist.ir.ops import COMPARISONS, CONTROL, SAME_WIDTH, SHIFTS, UNIQUE, Op
from finalist.ir.types import ArrayType, TupleType, Type, WordType

#: A rewriting rule: a better node for the operation about to be made, or None.
Rule = Callable[["Builder", Op, tuple[Node, ...], Any, Type], Node | None]


def mask(width: int) -> int:
    """The all-ones word of this width."""
    return (1 << width) - 1


class Builder:
    """Makes nodes. With ``rules``, each operation is first offered to them (see `passes.simplify`)."""

    def __init__(self, rule: Rule | None = None) -> None:
        self.rule = rule
        self.phase = 0
        self.line = ""
        self._known: dict[tuple[Any, ...], Node] = {}

    # -- making nodes ---------------------------------------------------------------------------

    def make(
        self, op: Op, inputs: Iterable[Node] = (), attr: Any = None, *, type_: Type | None = None
    ) -> Node:
        """The node ``op(inputs)``, simplified by the rule and shared with an equal one."""
        operands = tuple(inputs)
        if type_ is None:
            type_ = infer(op, operands, attr)
        if self.rule is not None:
            better = self.rule(self, op, operands, attr, type_)
            if better is not None:
                return better
        return self.raw(op, operands, attr, type_)

    def raw(self, op: Op, inputs: tuple[Node, ...], attr: Any, type_: Type) -> Node:
        """As `make`, without the rule."""
        key = (op, inputs, attr, type_)
        if op not in UNIQUE:
            known = self._known.get(key)
            if known is not None:
                known.phase = min(known.phase, self.phase)
                return known
        node = Node(op, inputs, type_, attr, line=self.line, phase=self.phase)
        self._known[key] = node
        return node

    def const(self, value: int, width: int) -> Node:
        """A constant, taken modulo 2^width."""
        return self.raw(Op.CONST, (), value & mask(width), WordType(width))

    def param(self, kind: str, type_: Type, name: str = "") -> Node:
        """A fresh parameter; ``kind`` is memory, key, state, index, carried or argument."""
        node = self.raw(Op.PARAM, (), kind, type_)
        node.name = name
        return node

    # -- short forms ----------------------------------------------------------------------------

    def slice(self, node: Node, low: int, width: int) -> Node:
        """Bits ``low`` .. ``low + width - 1``."""
        return self.make(Op.SLICE, (node,), low, type_=WordType(width))

    def extend(self, node: Node, width: int) -> Node:
        """Zero bits above, up to ``width``."""
        return node if node.width == width else self.make(Op.EXTEND, (node,), type_=WordType(width))

    def linear(self, matrices: Sequence[Matrix], inputs: Sequence[Node], width: int) -> Node:
        """XOR over i of matrices[i] * inputs[i]."""
        return self.make(Op.LINEAR, inputs, tuple(matrices), type_=WordType(width))

    def apply(self, region: Region, inputs: Sequence[Node]) -> Node:
        """A keyed function on its index and captured words."""
        return self.make(Op.APPLY, inputs, region, type_=region.results[0].type)

    def array(self, values: Sequence[int], width: int) -> Node:
        """A fresh array."""
        return self.make(Op.ARRAY, (), tuple(values), type_=ArrayType(len(values), width))

    def array_of(self, words: Sequence[Node]) -> Node:
        """A fresh array that holds the words, all of one width, in their order."""
        array = self.array([0] * len(words), words[0].width)
        for place, word in enumerate(words):
            array = self.make(Op.STORE, (array, self.const(place, 32), word))
        return array

    def loop(self, start: Node, stop: Node, initial: Sequence[Node], region: Region) -> list[Node]:
        """A loop; its final carried values."""
        return self.results(self.make(Op.LOOP, (start, stop, *initial), region))

    def filled(self, length: int, width: int, entry: Callable[[Node], Node]) -> Node:
        """A fresh array made in a loop: ``entry(i)`` at each place i, a word of 32 bits."""
        (full,) = self.filled_together(length, [width], lambda place: [entry(place)])
        return full

    def filled_together(
        self, length: int, widths: Sequence[int], entries: Callable[[Node], Sequence[Node]]
    ) -> list[Node]:
        """Fresh arrays of so many bits an entry, made in one loop: ``entries(i)`` at each place i."""
        place = self.param("index", WordType(32), "i")
        arrays = [self.param("carried", ArrayType(length, width), "t") for width in widths]
        made = zip(arrays, entries(place), strict=True)
        body = Region([place, *arrays], [self.make(Op.STORE, (array, place, word)) for array, word in made])
        empty = [self.array([0] * length, width) for width in widths]
        return self.loop(self.const(0, 32), self.const(length, 32), empty, body)

    def results(self, node: Node) -> list[Node]:
        """The values of a tuple, instruction, loop or conditional, one node each."""
        assert isinstance(node.type, TupleType)
        return [self.make(Op.RESULT, (node,), k) for k in range(len(node.type.items))]


def infer(op: Op, inputs: tuple[Node, ...], attr: Any) -> Type:
    """The result type; raises GraphError where the operands do not fit the operation."""
    try:
        assert op.arity in (None, len(inputs))
        return _infer(op, inputs, attr)
    except (IndexError, ValueError, TypeError, AssertionError) as error:
        raise GraphError(f"{op.label}: operands {list(inputs)} do not fit") from error


def _infer(op: Op, inputs: tuple[Node, ...], attr: Any) -> Type:
    if op in SAME_WIDTH:
        _same_width(op, inputs, 2)
        return inputs[0].type
    if op is Op.NOT or op is Op.BOOL:
        _same_width(op, inputs, max(1, len(inputs)))
        return inputs[0].type
    if op in SHIFTS:
        return _words(inputs)[0].type
    if op in COMPARISONS:
        _same_width(op, inputs, 2)
        return WordType(1)
    if op is Op.SELECT:
        _same_width(op, inputs[1:], 2)
        assert inputs[0].type == WordType(1)
        return inputs[1].type
    if op is Op.JOIN:
        total = sum(part.width for part in _words(inputs))
        assert 1 <= total <= 64
        return WordType(total)
    return _infer_structured(op, inputs, attr)


def _infer_structured(op: Op, inputs: tuple[Node, ...], attr: Any) -> Type:
    if op is Op.LOOKUP:
        assert isinstance(attr, TableData) and inputs[0].width == attr.index_width
        return WordType(attr.width)
    if op is Op.LOAD:
        assert isinstance(inputs[0].type, ArrayType) and _words(inputs[1:])
        return WordType(inputs[0].width)
    if op is Op.STORE:
        assert isinstance(inputs[0].type, ArrayType) and _words(inputs[1:])
        assert inputs[0].width == inputs[2].width
        return inputs[0].type
    if op is Op.WINDOW:
        return _infer_window(inputs[0], _words(inputs[1:]), attr)
    if op in CONTROL:
        return _infer_control(op, inputs, attr)
    if op is Op.RESULT:
        assert isinstance(inputs[0].type, TupleType) and attr >= 0
        return inputs[0].type.items[attr]
    if op is Op.TUPLE:
        return TupleType(tuple(node.type for node in _words(inputs)))
    if op is Op.INSTRUCTION:
        return _infer_instruction(inputs, attr)
    raise GraphError(f"the type of {op.label} must be given")


def _infer_window(array: Node, start: tuple[Node, ...], length: int) -> Type:
    """So many entries of an array that nobody overwrites, so that what a window shows stays."""
    assert array.op is Op.PARAM and array.attr == "key" and isinstance(array.type, ArrayType)
    assert len(start) == 1 and 0 < length <= array.length
    return ArrayType(length, array.width)


def _infer_instruction(inputs: tuple[Node, ...], instruction: Instruction) -> Type:
    """A register of the meaning's results, from registers of its parameters."""
    params = iter(instruction.meaning.params)
    wanted = [tuple(next(params).type for _ in range(count)) for count in instruction.operands]
    assert [node.type for node in inputs] == [TupleType(types) for types in wanted]
    assert not list(params) and instruction.meaning.closed
    return TupleType(tuple(node.type for node in instruction.meaning.results))


def _infer_control(op: Op, inputs: tuple[Node, ...], region: Region) -> Type:
    """What goes into the region, and what comes out of it, is what is carried; a loop also has its index."""
    skip = 2 if op is Op.LOOP else 1
    items = tuple(node.type for node in inputs[skip:])
    assert items == tuple(node.type for node in region.results)
    fixed = _words(inputs[:skip])
    if op is Op.LOOP:
        index = region.params[0].type
        assert [node.type for node in fixed] == [index, index]
        assert (index, *items) == tuple(node.type for node in region.params)
    else:
        assert fixed[0].type == WordType(1)
        assert items == tuple(node.type for node in region.params)
    return TupleType(items)


def _words(nodes: tuple[Node, ...]) -> tuple[Node, ...]:
    assert all(isinstance(node.type, WordType) for node in nodes)
    return nodes


def _same_width(op: Op, nodes: tuple[Node, ...], count: int) -> None:
    if len(nodes) != count or len({node.type for node in _words(nodes)}) != 1:
        types = ", ".join(str(node.type) for node in nodes)
        raise GraphError(f"{op.label} takes {count} words of one width, not ({types})")
