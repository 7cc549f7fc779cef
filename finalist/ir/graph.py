"""Nodes, regions and graphs: pure values, ordered only by their dependences.

A node is one operation on other nodes. A region is a piece of program with parameters and results; its
body is *computed*: every node that its results need and that depends on its parameters. What a region
uses but does not depend on its parameters lies outside it, so loop-invariant code moves out by itself.
"""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from finalist.errors import GraphError
from finalist.ir.ops import CONTROL, READING, Op
from finalist.ir.types import ArrayType, TupleType, Type

T = TypeVar("T")


@dataclass(frozen=True, slots=True, eq=False)
class TableData:
    """A function on a small domain: ``values[x]``, each entry of ``width`` bits."""

    values: tuple[int, ...]
    width: int
    name: str = "T"
    #: Where a table that no definition has comes from.
    note: str = ""
    _hash: int = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_hash", hash((self.values, self.width)))

    def __hash__(self) -> int:
        return self._hash  # of thousands of entries, and asked for whenever a lookup is made

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, TableData):
            return NotImplemented
        same = self._hash == other._hash and self.width == other.width
        return self is other or (same and self.values == other.values)

    @property
    def index_width(self) -> int:
        """Bits of the index: the domain has 2^index_width points."""
        return len(self.values).bit_length() - 1


#: For each input bit, lowest first, the output word that it contributes.
Matrix = tuple[int, ...]


class Node:
    """One operation. Equality is identity; ``attr`` holds what is not a node (see `Op`).

    ``line`` is the definition's source line, ``name`` the definition's name for the value where it has
    one, ``phase`` counts the round boundaries before it in program order.
    """

    __slots__ = ("attr", "inputs", "line", "name", "op", "phase", "serial", "type")

    _count = itertools.count()

    def __init__(
        self,
        op: Op,
        inputs: tuple[Node, ...],
        type_: Type,
        attr: Any = None,
        *,
        line: str = "",
        name: str = "",
        phase: int = 0,
    ) -> None:
        self.op = op
        self.inputs = inputs
        self.type = type_
        self.attr = attr
        self.line = line
        self.name = name
        self.phase = phase
        self.serial = next(Node._count)

    @property
    def width(self) -> int:
        """Bits of the word, or of one entry of the array."""
        if isinstance(self.type, TupleType):
            raise GraphError(f"{self.op.label} yields several values and has no width")
        return self.type.width

    @property
    def length(self) -> int:
        """Entries of the array."""
        if not isinstance(self.type, ArrayType):
            raise GraphError(f"{self.op.label} is no array")
        return self.type.length

    @property
    def region(self) -> Region:
        """The region of a loop, conditional or keyed function."""
        assert isinstance(self.attr, Region)
        return self.attr

    def __repr__(self) -> str:
        return f"<{self.op.label} {self.type}>"


def operands(node: Node) -> tuple[Node, ...]:
    """The nodes that must be computed before this one: inputs, and what its region takes from outside."""
    return (*node.inputs, *node.region.free) if node.op in CONTROL else node.inputs


def users_of(
    nodes: Iterable[Node], takes: Callable[[Node], Iterable[Node]] = operands
) -> dict[Node, list[Node]]:
    """For each node that is taken the ones that take it, as often as they do; ``takes``: what each takes."""
    found: dict[Node, list[Node]] = {}
    for node in nodes:
        for child in takes(node):
            found.setdefault(child, []).append(node)
    return found


def every_node(region: Region) -> Iterator[Node]:
    """The nodes of a region, and of all regions within it."""
    for node in region.body:
        yield node
        if isinstance(node.attr, Region):
            yield from every_node(node.attr)


def every_region(region: Region) -> Iterator[Region]:
    """A region, and all regions within it."""
    yield region
    for node in region.body:
        if isinstance(node.attr, Region):
            yield from every_region(node.attr)


class Region:
    """A piece of program: ``params`` in, ``results`` out, ``body`` in executable order.

    ``free`` are the nodes of enclosing regions that it uses.
    """

    __slots__ = ("body", "free", "params", "results")

    def __init__(self, params: Iterable[Node], results: Iterable[Node]) -> None:
        self.params = tuple(params)
        self.results = tuple(results)
        inside, self.free = _split(self.params, self.results)
        self.body = _schedule(inside)

    @property
    def closed(self) -> bool:
        """Whether it uses nothing but its parameters and constants."""
        return not self.free


@dataclass(frozen=True, slots=True, eq=False)
class Instruction:
    """An instruction of some machine: its mnemonic, and its meaning as a closed region on words.

    ``operands``: how many of the region's parameters, in order, each operand holds; the results are one
    register. Nothing but its meaning says what an instruction does: passes compare it, the interpreter
    executes it. How it is written is the machine's affair.
    """

    name: str
    meaning: Region
    operands: tuple[int, ...]

    def __str__(self) -> str:
        return self.name


class Graph(Region):
    """A whole program: a closed region with a name, and the round boundaries of the definition.

    ``rounds``: for each `rounds(...)` of the definition its first phase and its number of rounds;
    round r of it is the nodes with phase ``first + r``.
    """

    __slots__ = ("name", "rounds")

    def __init__(
        self,
        name: str,
        params: Iterable[Node],
        results: Iterable[Node],
        rounds: tuple[tuple[int, int], ...] = (),
    ) -> None:
        self.name = name
        self.rounds = rounds
        self.params = tuple(params)
        self.results = tuple(results)
        self.free = ()
        # Unlike an inner region's, the body also holds what depends on no parameter: fresh arrays, say.
        own = set(self.params)
        nodes = [n for n in postorder(self.results) if n not in own and n.op is not Op.CONST]
        for node in nodes:
            if node.op is Op.PARAM:
                raise GraphError(f"{name}: {node.name} ({node.line}) belongs to a region that has ended")
        self.body = _schedule(nodes)


def origin(node: Node) -> Node:
    """The fresh array, or the parameter, that a version of an array began as."""
    while node.op is not Op.ARRAY and node.op is not Op.PARAM:
        if node.op is Op.RESULT:
            control = node.inputs[0]
            skip = 2 if control.op is Op.LOOP else 1
            node = control.inputs[skip + node.attr]
        else:
            node = node.inputs[0]
    return node


def used(region: Region) -> set[Node]:
    """The nodes that anything in the region's body takes, and its results."""
    return {child for node in region.body for child in operands(node)} | set(region.results)


def postorder(results: Iterable[Node], known: Container[Node] = ()) -> list[Node]:
    """All nodes that the results need, operands first, without the known ones and what only they need."""
    return in_order(results, operands, known)


def in_order(
    results: Iterable[T], children_of: Callable[[T], Sequence[T]], known: Container[T] = ()
) -> list[T]:
    """As `postorder`, of any graph whose nodes have ``children_of``.

    Iterative, so that depth is no limit.
    """
    order: list[T] = []
    seen: set[T] = set()
    begun: list[T] = []
    stack: list[T | None] = []
    stack.extend(list(results)[::-1])
    while stack:
        node = stack.pop()
        if node is None:  # all that the node begun last needs is there
            order.append(begun.pop())
        elif node not in seen and node not in known:
            seen.add(node)
            children = children_of(node)
            if children:
                begun.append(node)
                stack.append(None)
                stack.extend(children[::-1])
            else:
                order.append(node)
    return order


def _split(params: Sequence[Node], results: Sequence[Node]) -> tuple[list[Node], tuple[Node, ...]]:
    """Nodes that depend on the parameters, and the outside nodes that those (or the results) use."""
    own = set(params)
    inside: dict[Node, None] = {}
    for node in postorder(results):
        if node not in own and any(child in own or child in inside for child in operands(node)):
            inside[node] = None
    free: dict[Node, None] = {}
    for user in [*inside, None]:
        for child in results if user is None else operands(user):
            if child not in own and child not in inside and child.op is not Op.CONST:
                free[child] = None
    return list(inside), tuple(free)


def _schedule(nodes: Sequence[Node]) -> tuple[Node, ...]:
    """Order by phase, then by making; reads of an array version come before its overwriting."""
    after = _must_precede(nodes)
    phase = _phases(nodes, after)
    rank = {node: _rank(node, after[node], phase) for node in nodes}
    ranked = sorted(nodes, key=rank.__getitem__)
    place = {node: number for number, node in enumerate(ranked)}
    if all(place[node] < place[later] for node, users in after.items() for later in users):
        return tuple(ranked)
    waiting = dict.fromkeys(nodes, 0)
    for users in after.values():
        for node in users:
            waiting[node] += 1
    ready = [(*rank[n], n) for n in nodes if waiting[n] == 0]
    heapq.heapify(ready)
    order: list[Node] = []
    while ready:
        node = heapq.heappop(ready)[-1]
        order.append(node)
        for later in after[node]:
            waiting[later] -= 1
            if waiting[later] == 0:
                heapq.heappush(ready, (*rank[later], later))
    if len(order) != len(nodes):
        raise GraphError("an array version is read after it was overwritten")
    return tuple(order)


def _rank(node: Node, users: list[Node], phase: dict[Node, int]) -> tuple[int, int, int, int]:
    """The place in the order: a read of a parameter goes right before its first user."""
    if users and reads_parameter(node):
        return phase[node], min(user.serial for user in users), 0, node.serial
    return phase[node], node.serial, 1, node.serial


def effective_phases(region: Region) -> dict[Node, int]:
    """The phase that each node of the body is scheduled in."""
    return _phases(region.body, _must_precede(region.body))


def _must_precede(nodes: Sequence[Node]) -> dict[Node, list[Node]]:
    """For each node those that must come later: its users, and for a read the overwriting."""
    after: dict[Node, list[Node]] = {node: [] for node in nodes}
    overwriter: dict[Node, Node] = {}
    readers: dict[Node, list[Node]] = {}
    for node in nodes:
        for child in dict.fromkeys(operands(node)):
            if child in after:
                after[child].append(node)
            if isinstance(child.type, ArrayType):
                if child in node.inputs and node.op not in READING:
                    overwriter[child] = node
                else:
                    readers.setdefault(child, []).append(node)
    for version, writer in overwriter.items():
        for reader in readers.get(version, ()):
            if reader is not writer:
                after[reader].append(writer)
    return after


_LATE = 1 << 30


def is_tuple_word(node: Node) -> bool:
    """Whether a node is a word of a tuple, rather than what a loop or conditional gives."""
    return node.op is Op.RESULT and node.inputs[0].op not in CONTROL


def tuple_of(words: Sequence[Node]) -> Node | None:
    """The tuple whose first words these are, in order; None if they are of none."""
    register = words[0].inputs[0] if is_tuple_word(words[0]) else None
    alike = all(is_tuple_word(w) and w.inputs[0] is register and w.attr == k for k, w in enumerate(words))
    return register if alike else None


def trip_count(loop: Node, unknown: int) -> int:
    """The iterations of a loop; ``unknown`` where its bounds are computed."""
    start, stop = loop.inputs[:2]
    known = start.op is Op.CONST and stop.op is Op.CONST
    return max(0, stop.attr - start.attr) if known else unknown


def reads_parameter(node: Node) -> bool:
    """A read at a fixed place, as of a round key; made where it is first needed, wherever it was fetched."""
    return node.op is Op.LOAD and node.inputs[0].op is Op.PARAM and node.inputs[1].op is Op.CONST


def _phases(nodes: Sequence[Node], after: dict[Node, list[Node]]) -> dict[Node, int]:
    """A node's phase, but never later than a node that needs it.

    The sequence is already a topological order of the data, but not of the array reads; two sweeps
    settle those, and a third would change nothing since reads need no later value.
    """
    phase = {node: _LATE if reads_parameter(node) else node.phase for node in nodes}
    for _ in range(2):
        for node in reversed(nodes):
            least = phase[node]
            for later in after[node]:
                if phase[later] < least:
                    least = phase[later]
            phase[node] = least
    return phase
