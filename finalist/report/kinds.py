"""Kinds of operations: what each node of a graph is counted as."""

from __future__ import annotations

import enum
from collections.abc import Iterator
from functools import lru_cache

from finalist.ir.graph import Graph, Node, Region, every_node, origin
from finalist.ir.ops import Op
from finalist.passes.analysis import KeyOnly


class Kind(enum.Enum):
    """What is counted; the value is how a page calls it."""

    LOOKUP = "table lookups"
    KEYED_LOOKUP = "lookups in tables of the key"
    KEYED_FUNCTION = "keyed functions"
    READ = "array reads at computed places"
    WRITE = "array writes at computed places"
    ADD = "additions"
    SUB = "subtractions"
    COMPARE = "comparisons"
    MUL = "multiplications"
    MULHI = "multiplications, upper half"
    REM = "remainders"
    ROTATE = "rotations by constants"
    KEY_ROTATE = "rotations by key words"
    DATA_ROTATE = "data-dependent rotations"
    SHIFT = "shifts by constants"
    KEY_SHIFT = "shifts by key words"
    DATA_SHIFT = "data-dependent shifts"
    XOR = "XOR"
    AND = "AND"
    OR = "OR"
    NOT = "NOT"
    SELECT = "selections"
    BOOL = "Boolean functions of several words"
    LINEAR = "linear maps over GF(2)"
    WHEN = "conditions"
    INSTRUCTION = "instructions on whole registers"
    KEY_WORD = "key words read"
    FIXED_READ = "array reads at fixed places"
    FIXED_WRITE = "array writes at fixed places"
    TAKE = "parts taken out of words"
    PUT = "words put together from parts"
    ADDRESS = "address arithmetic"


#: No operations on values: words and parts of words moved, and what addressing modes do.
MOVES = frozenset({Kind.KEY_WORD, Kind.FIXED_READ, Kind.FIXED_WRITE, Kind.TAKE, Kind.PUT, Kind.ADDRESS})
LOOKUPS = frozenset({Kind.LOOKUP, Kind.KEYED_LOOKUP, Kind.KEYED_FUNCTION})
MULTIPLICATIONS = frozenset({Kind.MUL, Kind.MULHI})

#: The kinds as a picture groups them.
GROUPS: dict[str, frozenset[Kind]] = {
    "lookups": LOOKUPS | {Kind.INSTRUCTION},  # which has a table in it
    "arrays": frozenset({Kind.READ, Kind.WRITE, Kind.WHEN}),
    "multiplications": MULTIPLICATIONS | {Kind.REM},
    "additions": frozenset({Kind.ADD, Kind.SUB, Kind.COMPARE}),
    "rotations, shifts": frozenset(
        {Kind.ROTATE, Kind.KEY_ROTATE, Kind.DATA_ROTATE, Kind.SHIFT, Kind.KEY_SHIFT, Kind.DATA_SHIFT}
    ),
    "bitwise": frozenset({Kind.XOR, Kind.AND, Kind.OR, Kind.NOT, Kind.SELECT, Kind.BOOL, Kind.LINEAR}),
}

_PLAIN: dict[Op, Kind] = {
    Op.LOOKUP: Kind.LOOKUP,
    Op.APPLY: Kind.KEYED_FUNCTION,
    Op.SUB: Kind.SUB,
    Op.EQ: Kind.COMPARE,
    Op.LT: Kind.COMPARE,
    Op.ADD: Kind.ADD,
    Op.MUL: Kind.MUL,
    Op.MULHI: Kind.MULHI,
    Op.REM: Kind.REM,
    Op.XOR: Kind.XOR,
    Op.AND: Kind.AND,
    Op.OR: Kind.OR,
    Op.NOT: Kind.NOT,
    Op.SELECT: Kind.SELECT,
    Op.BOOL: Kind.BOOL,
    Op.LINEAR: Kind.LINEAR,
    Op.WHEN: Kind.WHEN,
    Op.INSTRUCTION: Kind.INSTRUCTION,
    Op.TUPLE: Kind.PUT,
    Op.SLICE: Kind.TAKE,
    Op.JOIN: Kind.PUT,
}
_BY_AMOUNT: dict[Op, tuple[Kind, Kind, Kind]] = {
    Op.ROL: (Kind.ROTATE, Kind.KEY_ROTATE, Kind.DATA_ROTATE),
    Op.ROR: (Kind.ROTATE, Kind.KEY_ROTATE, Kind.DATA_ROTATE),
    Op.SHL: (Kind.SHIFT, Kind.KEY_SHIFT, Kind.DATA_SHIFT),
    Op.SHR: (Kind.SHIFT, Kind.KEY_SHIFT, Kind.DATA_SHIFT),
}
#: What only holds a program together.
_FREE = frozenset({Op.CONST, Op.PARAM, Op.EXTEND, Op.ARRAY, Op.WINDOW, Op.LOOP, Op.RESULT})


class Public(KeyOnly):
    """Whether a node depends on constants alone, and on iterations of loops that begin at a fixed one."""

    def __init__(self, graph: Region) -> None:
        super().__init__("index")
        self._unknown: set[Node] = set()
        for node in every_node(graph):
            if node.op is Op.LOOP and not self(node.inputs[0]):
                self._unknown.add(node.region.params[0])

    def _decide(self, node: Node) -> bool:
        return node not in self._unknown and super()._decide(node)


class Kinds:
    """The kind of each node of one graph; ``kinds(node)`` is None where it is not counted."""

    def __init__(self, graph: Region) -> None:
        self.public = Public(graph)
        self.key_only = KeyOnly("key", "index")
        self._places = _only_places(graph)

    def __call__(self, node: Node) -> Kind | None:
        if node.op in _FREE:
            return None
        if node.op is Op.LOAD or node.op is Op.STORE:
            return self._access(node)
        if node.op is not Op.WHEN and (self.public(node) or self._offset(node)):
            return Kind.ADDRESS
        if node.op in _BY_AMOUNT:
            constant, key, data = _BY_AMOUNT[node.op]
            amount = node.inputs[1]
            return constant if self.public(amount) else key if self.key_only(amount) else data
        return _PLAIN[node.op]

    def _access(self, node: Node) -> Kind:
        array, fixed = origin(node), self.public(node.inputs[1])
        if node.op is Op.STORE:
            return Kind.FIXED_WRITE if fixed else Kind.WRITE
        if array.op is Op.PARAM and array.attr == "key":
            return Kind.KEY_WORD if fixed else Kind.KEYED_LOOKUP
        return Kind.FIXED_READ if fixed else Kind.READ

    def _offset(self, node: Node) -> bool:
        """Whether it adds a constant to what is a place in an array and nothing else."""
        if node.op not in (Op.ADD, Op.SUB) or node not in self._places:
            return False
        return any(self.public(child) for child in node.inputs)


@lru_cache(maxsize=2)
def kinds_of(graph: Graph) -> Kinds:
    """The kinds of a graph's nodes; kept for the next who asks of the same graph."""
    return Kinds(graph)


def _only_places(graph: Region) -> set[Node]:
    """The nodes whose every use is as a place in an array."""
    uses: dict[bool, set[Node]] = {True: set(), False: set()}
    for user, position, child in _uses(graph):
        uses[user is not None and user.op in (Op.LOAD, Op.STORE) and position == 1].add(child)
    return uses[True] - uses[False]


def _uses(region: Region) -> Iterator[tuple[Node | None, int, Node]]:
    """What uses each node, and as which operand; None where it is a result."""
    yield from ((None, k, result) for k, result in enumerate(region.results))
    for node in every_node(region):
        yield from ((node, k, child) for k, child in enumerate(node.inputs))
        if isinstance(node.attr, Region):
            yield from ((None, k, result) for k, result in enumerate(node.attr.results))


def bits_of(node: Node, kind: Kind) -> int:
    """The width that an operation is listed under; 0 where it is of no interest."""
    if kind in (Kind.TAKE, Kind.PUT, Kind.ADDRESS, Kind.WHEN, Kind.INSTRUCTION):
        return 0
    return node.inputs[0].width if kind is Kind.COMPARE else node.width
