"""Random well-formed graphs, for hypothesis (`graphs`) and for volume (`random_graph`).

Both draw from one generator, which asks for nothing but small integers: hypothesis shrinks those to zero,
so every choice is ordered from plain to intricate. Graphs are made by the builder without rules.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol, TypeVar

import numpy as np
from hypothesis import settings
from hypothesis import strategies as st

from finalist.ir.builder import Builder, mask
from finalist.ir.execute import Bytes
from finalist.ir.graph import Graph, Node, Region, TableData
from finalist.ir.interpreter import dtype
from finalist.ir.ops import Op
from finalist.ir.program import ByteOrder, Layout, Program
from finalist.ir.types import ArrayType, WordType

T = TypeVar("T")

#: Where code that is right for one width goes wrong for the next.
WIDTHS = (32, 8, 64, 1, 16, 31, 33, 63, 7, 9, 15, 17, 2, 40, 5)
LANE_OPS = frozenset({Op.AND, Op.OR, Op.XOR, Op.NOT, Op.ADD, Op.SUB, Op.MUL, Op.SHL, Op.SHR, Op.ROL, Op.ROR})

#: Random graphs differ too much in size for a deadline each.
examples = settings(deadline=None, max_examples=30)


class Choices(Protocol):
    """Where the generator's decisions come from."""

    def integer(self, low: int, high: int) -> int:
        """An integer, low and high included; low is the plainest."""
        ...


class Seeded:
    """Choices from a seed."""

    def __init__(self, seed: int | str) -> None:
        self._random = random.Random(seed)

    def integer(self, low: int, high: int) -> int:
        return self._random.randint(low, high)


class Drawn:
    """Choices from hypothesis."""

    def __init__(self, draw: Callable[[Any], Any]) -> None:
        self._draw = draw

    def integer(self, low: int, high: int) -> int:
        value: int = self._draw(st.integers(low, high))
        return value


@dataclass(frozen=True)
class Shape:
    """What the graphs may contain."""

    ops: frozenset[Op] = frozenset(Op)
    widths: tuple[int, ...] = WIDTHS
    size: int = 14
    #: Words in lanes: one width throughout, and shifts by words that stay inside of it.
    lanes: bool = False
    #: Shifts by constants inside of the width only, and words of no more than the widest asked for.
    fixed_amounts: bool = False

    def without(self, *ops: Op) -> Shape:
        """The same, less these operations."""
        return replace(self, ops=self.ops - set(ops))


EVERYTHING = Shape()
#: What a back end sees: tables, maps and functions of bits already lowered.
LOWERED = EVERYTHING.without(Op.BOOL, Op.LINEAR, Op.APPLY)


@dataclass
class Scope:
    """What can be used at a place: words, and arrays with their present version."""

    words: list[Node]
    arrays: list[Node] = field(default_factory=list)
    #: Arrays of enclosing regions: read here, overwritten elsewhere or never.
    readable: list[Node] = field(default_factory=list)
    #: Versions already overwritten, each with its overwriting: what is older may still read them.
    stale: list[tuple[Node, Node]] = field(default_factory=list)
    #: A keyed function's region uses nothing from outside, so even constants need a parameter beside them.
    closed: bool = False
    depth: int = 0

    def inside(self, words: Sequence[Node], carried: Sequence[Node], taken: Sequence[Node]) -> Scope:
        """The scope within a region that carries ``taken`` in as ``carried``."""
        readable = [a for a in (*self.readable, *self.arrays) if a not in taken]
        return Scope([*words, *self.words], list(carried), readable, [], self.closed, self.depth + 1)


class Generator:
    """Grows one graph."""

    def __init__(self, choices: Choices, shape: Shape = EVERYTHING) -> None:
        self.choices = choices
        self.shape = shape
        self.make = Builder()
        self.used: set[Node] = set()
        #: In a kernel, what keyed functions may capture: words of the key alone.
        self.captured: Scope | None = None
        count = 1 if shape.lanes else 3
        self.palette = [self.choose(shape.widths) for _ in range(count)]

    # -- choices --------------------------------------------------------------------------------

    def upto(self, high: int) -> int:
        return self.choices.integer(0, high)

    def choose(self, options: Sequence[T]) -> T:
        return options[self.upto(len(options) - 1)]

    def values(self, count: int, width: int) -> tuple[int, ...]:
        """Contents of a table, array or matrix, from one choice; the plainest are 0, 1, 2, .."""
        seed = self.upto(999)
        if seed == 0:
            return tuple(k & mask(width) for k in range(count))
        source = random.Random(seed)
        return tuple(source.getrandbits(width) for _ in range(count))

    def number(self, width: int) -> int:
        """A constant; edges more often than not."""
        top = mask(width)
        edges = [1, 0, top, top >> 1, top ^ top >> 1, 2, 3, width, width - 1, 0x5555555555555555]
        kind = self.upto(len(edges))
        value = self.choices.integer(0, top) if kind == len(edges) else edges[kind]
        return value & top

    # -- operands -------------------------------------------------------------------------------

    def constant(self, width: int) -> Node:
        return self.make.const(self.number(width), width)

    def word(self, scope: Scope, width: int, free: bool = True) -> Node:
        """A word of this width; not a constant unless ``free``."""
        ready = [node for node in scope.words if node.width == width]
        kind = self.upto(len(ready) + (1 if free else 0))
        if kind < len(ready):
            found = ready[kind]
        elif kind == len(ready) and scope.words:
            found = self.fitted(scope, self.choose(scope.words), width)
        else:
            found = self.constant(width)
        self.used.add(found)
        return found

    def fitted(self, scope: Scope, node: Node, width: int) -> Node:
        """The word cut or widened."""
        self.used.add(node)
        if node.width > width:
            return self.make.slice(node, self.upto(node.width - width), width)
        return self.make.extend(node, width)

    def pair(self, scope: Scope, width: int) -> list[Node]:
        """Two operands, one of which may be a constant (in an open scope both)."""
        first = self.word(scope, width, free=not scope.closed)
        second = self.word(scope, width)
        return [second, first] if self.upto(2) == 2 else [first, second]

    def small(self, scope: Scope, most: int) -> Node:
        """A 32-bit word from 0 to ``most`` (one less than a power of two), known only at run time."""
        bits = most.bit_length()
        return self.make.extend(self.word(scope, bits), 32)

    def width(self) -> int:
        return self.choose(self.palette)

    # -- operations on words --------------------------------------------------------------------

    def step(self, scope: Scope) -> None:
        """One more operation, or one more structure."""
        kinds = self.kinds(scope)
        made = self.choose(kinds)(scope)
        if isinstance(made, Node):
            scope.words.insert(0, made)

    def kinds(self, scope: Scope) -> list[Callable[[Scope], Node | None]]:
        """What can be made here, the plainest first."""
        table = [
            (Op.XOR, self.binary),
            (Op.NOT, self.negation),
            (Op.ROL, self.shift),
            (Op.EQ, self.comparison),
            (Op.SELECT, self.selection),
            (Op.SLICE, self.conversion),
            (Op.JOIN, self.joining),
            (Op.LOOKUP, self.lookup),
            (Op.BOOL, self.boolean),
            (Op.LINEAR, self.linear),
        ]
        table += [(Op.APPLY, self.keyed)] if scope.depth < 2 else []
        if not scope.closed:
            table += [
                (Op.ARRAY, self.fresh_array),
                (Op.LOAD, self.load),
                (Op.STORE, self.store),
                (Op.LOAD, self.late_load),
            ]
            # Inside of one, more often: structures in one another are where masks and copies go wrong.
            table += [(Op.LOOP, self.loop), (Op.WHEN, self.when)] * (0, 3, 1)[2 - scope.depth]
        wanted = [maker for op, maker in table if op in self.shape.ops]
        # Words in two of three steps, so that structures have something to work on.
        return [self.binary, self.binary, *wanted] if self.upto(2) < 2 else wanted

    def binary(self, scope: Scope) -> Node:
        ops = [Op.XOR, Op.AND, Op.OR, Op.ADD, Op.SUB, Op.MUL, Op.MULHI, Op.REM]
        op = self.choose([op for op in ops if op in self.shape.ops])
        return self.make.make(op, self.pair(scope, self.width()))

    def negation(self, scope: Scope) -> Node:
        return self.make.make(Op.NOT, [self.word(scope, self.width(), free=not scope.closed)])

    def shift(self, scope: Scope) -> Node:
        op = self.choose([Op.ROL, Op.ROR, Op.SHL, Op.SHR])
        word = self.word(scope, self.width(), free=not scope.closed)
        kind = self.upto(2)
        if self.shape.fixed_amounts:
            amount = self.make.const(self.upto(word.width - 1), 8)
        elif kind == 0:
            amount = self.make.const(self.upto(min(2 * word.width + 1, 255)), 8)
        elif self.shape.lanes:
            amount = self.word(scope, word.width)
            if op in (Op.SHL, Op.SHR):  # lanes have no shift past the width
                amount = self.make.make(Op.AND, [amount, self.make.const(word.width - 1, word.width)])
        elif kind == 1:
            amount = self.word(scope, self.choose((8, 5, 6, 32)))
        else:
            amount = self.word(scope, self.width())
        return self.make.make(op, [word, amount])

    def comparison(self, scope: Scope) -> Node:
        return self.make.make(self.choose([Op.EQ, Op.LT]), self.pair(scope, self.width()))

    def selection(self, scope: Scope) -> Node:
        condition = self.word(scope, 1, free=not scope.closed)
        return self.make.make(Op.SELECT, [condition, *self.pair(scope, self.width())])

    def conversion(self, scope: Scope) -> Node:
        node = self.choose(scope.words)
        return self.fitted(scope, node, self.width())

    def joining(self, scope: Scope) -> Node:
        parts = [self.word(scope, self.width(), free=not scope.closed)]
        room = (max(self.shape.widths) if self.shape.fixed_amounts else 64) - parts[0].width
        while room and self.upto(3):
            part = self.word(scope, min(room, self.width()))
            parts.append(part)
            room -= part.width
        return self.make.make(Op.JOIN, parts)

    def lookup(self, scope: Scope) -> Node:
        bits, width = self.choose((4, 8, 1, 2, 3, 5, 6, 7)), self.width()
        table = TableData(self.values(1 << bits, width), width, "T")
        return self.make.make(Op.LOOKUP, [self.word(scope, bits, free=not scope.closed)], table)

    def boolean(self, scope: Scope) -> Node:
        count, width = 1 + self.upto(4), self.width()
        inputs = [self.word(scope, width, free=not scope.closed and k > 0) for k in range(count)]
        (truth,) = self.values(1, 1 << count)
        return self.make.make(Op.BOOL, inputs, truth)

    def linear(self, scope: Scope) -> Node:
        width = self.width()
        inputs = [self.word(scope, self.width(), free=not scope.closed) for _ in range(1 + self.upto(2))]
        return self.make.linear([self.values(x.width, width) for x in inputs], inputs, width)

    def keyed(self, scope: Scope) -> Node:
        """A function of a small word that depends on captured words otherwise."""
        index = self.make.param("argument", WordType(self.choose((8, 4, 1, 3))), "x")
        source = scope if scope.closed or not self.captured else self.captured
        free = source is scope and not scope.closed
        captured = [self.word(source, self.width(), free) for _ in range(self.upto(2))]
        inner = [self.make.param("argument", c.type, f"c{k}") for k, c in enumerate(captured)]
        within = Scope([index, *inner], closed=True, depth=scope.depth + 1)
        for _ in range(1 + self.upto(2)):
            self.step(within)
        region = Region([index, *inner], [within.words[0]])
        return self.make.apply(region, [self.word(scope, index.width, not scope.closed), *captured])

    # -- arrays ---------------------------------------------------------------------------------

    def fresh_array(self, scope: Scope) -> None:
        length, width = self.choose((4, 1, 2, 3, 5, 8)), self.width()
        values = (0,) * length if self.upto(1) == 0 else self.values(length, width)
        scope.arrays.insert(0, self.make.array(values, width))

    def index(self, scope: Scope, array: Node, since: Node | None = None) -> Node:
        """An index: small as a rule, often past the end; ``since`` a node that it must not need."""
        if self.upto(2) == 0:
            return self.make.const(self.upto(2 * array.length), 32)
        words = [w for w in scope.words if since is None or w.serial < since.serial]
        if since is not None:
            return self.choose(words) if words else self.make.const(0, 32)
        return self.word(scope, self.choose((32, 8, 2)))

    def load(self, scope: Scope) -> Node:
        arrays = [*scope.arrays, *scope.readable]
        if not arrays:
            return self.binary(scope)
        array = self.choose(arrays)
        return self.make.make(Op.LOAD, [array, self.index(scope, array)])

    def late_load(self, scope: Scope) -> Node:
        """A read, made later, of a version that has been overwritten: it has to be moved before that."""
        if not scope.stale:
            return self.load(scope)
        array, overwriting = self.choose(scope.stale)
        return self.make.make(Op.LOAD, [array, self.index(scope, array, overwriting)])

    def store(self, scope: Scope) -> None:
        if not scope.arrays:
            return self.fresh_array(scope)
        place = self.upto(len(scope.arrays) - 1)
        array = scope.arrays[place]
        index = self.index(scope, array)
        made = self.make.make(Op.STORE, [array, index, self.word(scope, array.width)])
        scope.arrays[place] = made
        scope.stale.insert(0, (array, made))
        return None

    # -- control flow ---------------------------------------------------------------------------

    def loop(self, scope: Scope) -> None:
        if self.upto(1) == 0:
            bounds = [self.make.const(self.upto(2), 32), self.make.const(self.upto(5), 32)]
        else:
            bounds = [self.small(scope, 1), self.small(scope, 3)]
        index = self.make.param("index", WordType(32), "i")
        self.control(scope, Op.LOOP, bounds, [index])

    def when(self, scope: Scope) -> None:
        self.control(scope, Op.WHEN, [self.word(scope, 1)], [])

    def control(self, scope: Scope, op: Op, fixed: list[Node], leading: list[Node]) -> None:
        words = [self.word(scope, self.width()) for _ in range(1 + self.upto(1))]
        taken = [array for array in scope.arrays if self.upto(1)]
        initial = [*words, *taken]
        params = [self.make.param("carried", node.type, f"v{k}") for k, node in enumerate(initial)]
        inner = scope.inside([*leading, *params[: len(words)]], params[len(words) :], taken)
        if Op.ARRAY in self.shape.ops and self.upto(2) == 2:
            self.fresh_array(inner)
            array, word = inner.arrays[0], self.fitted(inner, inner.words[0], inner.arrays[0].width)
            inner.arrays[0] = self.make.make(Op.STORE, [array, self.index(inner, array), word])
        for _ in range(1 + self.upto(3)):
            self.step(inner)
        results = [self.word(inner, word.width) for word in words]
        # Fresh arrays of the body come first; those carried keep their places at the end.
        results += inner.arrays[len(inner.arrays) - len(taken) :]
        region = Region([*leading, *params], results)
        node = self.make.make(op, [*fixed, *initial], region)
        made = self.make.results(node)
        scope.words[:0] = made[: len(words)]
        for old, new in zip(taken, made[len(words) :], strict=True):
            scope.arrays[scope.arrays.index(old)] = new
            scope.stale.insert(0, (old, node))

    # -- whole graphs ---------------------------------------------------------------------------

    def graph(self, name: str = "g") -> Graph:
        words = [
            self.make.param("memory" if k < 2 else "key", WordType(self.width()), f"p{k}")
            for k in range(2 + self.upto(2))
        ]
        scope = Scope(list(words))
        arrays = []
        if Op.LOAD in self.shape.ops and self.upto(1):
            type_ = ArrayType(self.choose((4, 1, 3)), self.width())
            arrays.append(self.make.param("key", type_, "keys"))
            (scope.arrays if Op.STORE in self.shape.ops else scope.readable).extend(arrays)
        self.steps(scope, self.shape.size)
        ends = [w for w in scope.words if w not in self.used and w not in words][:6] or scope.words[:1]
        kept = [a for a in scope.arrays if a not in arrays][:2]
        return Graph(name, (*words, *arrays), (*ends, *kept))

    def program(self, stateful: bool = False) -> Program:
        """A key schedule that fills arrays with words, and a kernel that reads them.

        If ``stateful``, the kernel overwrites them, and hands them on to the next block.
        """
        layout = Layout(2, 32, ByteOrder.LITTLE)
        key = [self.make.param("memory", WordType(32), f"k{place}") for place in range(2)]
        scope = Scope(list(key))
        self.steps(scope, self.shape.size // 2)
        arrays = [self.filled(scope, self.choose((4, 1, 3)), self.width()) for _ in range(1 + self.upto(1))]
        expand = Graph("g_expand_key", key, arrays)
        self.make = Builder()
        block = [self.make.param("memory", WordType(32), f"p{place}") for place in range(2)]
        kind = "state" if stateful else "key"
        params = [self.make.param(kind, array.type, f"key{place}") for place, array in enumerate(arrays)]
        reads = [
            self.make.make(Op.LOAD, [p, self.make.const(k, 32)]) for p in params for k in range(p.length)
        ]
        self.captured = Scope([] if stateful else list(reads))
        # A kernel may overwrite what it reads; if it hands on no state, the next block starts anew.
        writes = stateful or (Op.STORE in self.shape.ops and self.upto(1) == 1)
        kept = {"arrays": list(params)} if writes else {"readable": list(params)}
        scope = Scope([*block, *reads], **kept)
        self.steps(scope, self.shape.size)
        if stateful:
            self.store(scope)
        results = [self.mixed(scope, block[0]), self.mixed(scope, block[1])]
        # Fresh arrays come first; those of the key keep their places at the end.
        results += scope.arrays[len(scope.arrays) - len(params) :] if stateful else []
        kernel = Graph("g_encrypt", (*block, *params), results)
        return Program("g", "encrypt", 64, layout, layout, expand, kernel)

    def steps(self, scope: Scope, most: int) -> None:
        for _ in range(1 + self.upto(most - 1)):
            self.step(scope)

    def mixed(self, scope: Scope, word: Node) -> Node:
        """The word plus all words that nothing has used yet, so that none of them is dead."""
        for node in [w for w in scope.words if w not in self.used][:8]:
            part = node
            if node.width > 32:
                part = self.make.make(Op.XOR, [self.fitted(scope, node, 32), self.make.slice(node, 0, 32)])
            word = self.make.make(Op.ADD, [word, self.fitted(scope, part, 32)])
        return word

    def filled(self, scope: Scope, length: int, width: int) -> Node:
        """An array of the expanded key, every entry written once."""
        array = self.make.array([0] * length, width)
        for place in range(length):
            entry = self.word(scope, width)
            array = self.make.make(Op.STORE, [array, self.make.const(place, 32), entry])
        return array


def random_graph(seed: int | str, shape: Shape = EVERYTHING) -> Graph:
    """The graph of a seed."""
    return Generator(Seeded(seed), shape).graph()


@st.composite
def graphs(draw: Callable[[Any], Any], shape: Shape = EVERYTHING) -> Graph:
    """Graphs for hypothesis."""
    return Generator(Drawn(draw), shape).graph()


@st.composite
def programs(draw: Callable[[Any], Any], shape: Shape = EVERYTHING, stateful: bool = False) -> Program:
    """Programs for hypothesis."""
    return Generator(Drawn(draw), shape).program(stateful)


def random_program(seed: int | str, shape: Shape = EVERYTHING, stateful: bool = False) -> Program:
    """The program of a seed."""
    return Generator(Seeded(seed), shape).program(stateful)


#: Blocks of a message, where each hands a state on to the next.
MESSAGE = 5


def bytes_for(program: Program, rows: int, seed: int = 0) -> tuple[Bytes, Bytes]:
    """Keys and blocks, one of each a row; of a stateful program messages."""
    source = np.random.default_rng(seed)
    keys = source.integers(0, 256, (rows, program.key.bytes), np.uint8)
    length = program.block.bytes * (MESSAGE if program.stateful else 1)
    return keys, source.integers(0, 256, (rows, length), np.uint8)


def inputs_for(graph: Graph, rows: int, seed: int | str = 0) -> list[np.ndarray[Any, Any]]:
    """Values for the parameters: random ones, and one row in four at the edges."""
    source = random.Random(f"inputs {seed}")

    def number(row: int, width: int) -> int:
        edge = source.choice((0, 1, mask(width), mask(width) >> 1, 1 << (width - 1)))
        return edge if row % 4 == 0 else source.getrandbits(width)

    made = []
    for param in graph.params:
        if isinstance(param.type, ArrayType):
            cells = [[number(row, param.width) for _ in range(param.length)] for row in range(rows)]
            made.append(np.array(cells, dtype(param.width)))
        else:
            made.append(np.array([number(row, param.width) for row in range(rows)], dtype(param.width)))
    return made
