"""The walk over a program: each node becomes the nodes of its limbs, in regions as outside of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from itertools import chain

from finalist.errors import ScheduleError
from finalist.ir.builder import Builder, mask
from finalist.ir.graph import Graph, Node, Region, TableData, every_node
from finalist.ir.ops import BITWISE, CONTROL, SHIFTS, Op
from finalist.ir.program import ByteOrder, Layout, Program
from finalist.ir.rewrite import inline
from finalist.ir.types import ArrayType, TupleType, WordType
from finalist.names import unused
from finalist.passes.analysis import Ranges
from finalist.passes.legalise.arithmetic import Arithmetic
from finalist.passes.legalise.limbs import Limbs, bits_of, is_zero, joined, names, sizes, split
from finalist.passes.legalise.pages import Pages, pieces
from finalist.passes.simplify import simplified, simplify

#: Bits that a limb may have; words never have more than the last.
ACCEPTED = (8, 16, 32, 64)


def run(program: Program, width: int = 32, pages: int = 1) -> Program:
    """The program with words of at most ``width`` bits, the same in memory.

    ``pages``: of so many a table or an array may be, each as long as such a word counts. Raises ScheduleError
    where an index can't be one of those words.
    """
    _check(width)
    if width == ACCEPTED[-1] or widest(program) <= width:
        return program
    key, block = (_narrowed(layout, width) for layout in (program.key, program.block))
    # Bits taken from a word that was moved are best found before the word is cut.
    expand, kernel = simplified(program.expand), simplified(program.kernel)
    return replace(
        program,
        key=key,
        block=block,
        expand=_Legaliser(expand, width, pages).graph(program.key.order),
        kernel=_Legaliser(kernel, width, pages).graph(program.block.order),
    )


def legalised(graph: Graph, width: int = 32, pages: int = 1) -> Graph:
    """The graph with words of at most ``width`` bits; parameters and results as limbs, the lowest first."""
    _check(width)
    return _Legaliser(graph, width, pages).graph()


def widest(program: Program) -> int:
    """Bits of the widest word of a program, an entry of an array included."""
    return max(_widest(program.expand), _widest(program.kernel))


def _widest(graph: Graph) -> int:
    found = {node.type for node in chain(graph.params, graph.results)}
    for node in every_node(graph):
        found |= {node.type, *(child.type for child in node.inputs)}
    return max((type_.width for type_ in found if not isinstance(type_, TupleType)), default=0)


def _check(width: int) -> None:
    if width not in ACCEPTED:
        raise ScheduleError(f"word={width}: accepted: {', '.join(map(str, ACCEPTED))}")


def _narrowed(layout: Layout, width: int) -> Layout:
    """The same bytes as words of at most ``width`` bits."""
    if layout.width <= width:
        return layout
    return Layout(layout.count * layout.width // width, width, layout.order)


class _Legaliser:
    """Makes one graph."""

    def __init__(self, old: Graph, width: int, pages: int = 1) -> None:
        self.old = old
        self.width = width
        self.make = Builder(simplify)
        self.math = Arithmetic(self.make, width)
        self.pages = Pages(self.math, pages)
        #: How far the loops under way count.
        self.limits: dict[Node, int] = {}
        self.ranges = Ranges(self.limits)
        self.map: dict[Node, Limbs] = {}
        self.values: dict[Node, list[Limbs]] = {}
        self.tables: dict[TableData, list[TableData]] = {}
        self.functions: dict[Region, list[Region]] = {}

    def graph(self, order: ByteOrder = ByteOrder.LITTLE) -> Graph:
        """The new graph; limbs of words in the order that they have in memory."""
        old = self.old
        params = [self._fresh(param) for param in old.params]
        self._name_apart(params)
        self._body(old)
        results = self._all(old.results)
        return Graph(old.name, _laid(params, order), _laid(results, order), old.rounds)

    def _name_apart(self, params: list[Limbs]) -> None:
        """No limb's name may be that of another parameter."""
        taken = {limbs[0].name for limbs in params if len(limbs) == 1}
        for limb in chain.from_iterable(limbs for limbs in params if len(limbs) > 1):
            limb.name = unused(limb.name, taken)
            taken.add(limb.name)

    # -- nodes ----------------------------------------------------------------------------------

    def get(self, node: Node) -> Limbs:
        """The limbs of a node met before; constants are made where they are met."""
        known = self.map.get(node)
        if known is None:
            assert node.op is Op.CONST
            known = self.map[node] = self.math.const(node.attr, node.width)
        return known

    def _all(self, nodes: Iterable[Node]) -> list[Limbs]:
        return [self.get(node) for node in nodes]

    def _body(self, region: Region) -> None:
        for node in region.body:
            self._at(node)
            self._named(node, self._limbs(node))

    def _named(self, node: Node, limbs: Limbs) -> None:
        """Keep the limbs, under names after the node's own."""
        self.map[node] = limbs
        for limb, name in zip(limbs, names(node.name, len(limbs)), strict=True):
            if not limb.name and limb.op is not Op.CONST:
                limb.name = name

    def _at(self, node: Node) -> None:
        self.make.phase, self.make.line = node.phase, node.line

    def _fresh(self, param: Node) -> Limbs:
        """Parameters for the limbs of one."""
        assert not isinstance(param.type, TupleType)
        self._at(param)
        parts = sizes(param.width, self.width)
        types: Sequence[ArrayType | WordType] = [WordType(size) for size in parts]
        if isinstance(param.type, ArrayType):
            types = [ArrayType(count, size) for size in parts for count in self.pages.lengths(param.length)]
        named = zip(types, names(param.name, len(types)), strict=True)
        made = tuple(self.make.param(param.attr, type_, name) for type_, name in named)
        self.map[param] = made
        return made

    def _limbs(self, node: Node) -> Limbs:
        if node.op is Op.RESULT:
            return self.values[node.inputs[0]][node.attr]
        inputs = self._all(node.inputs)
        if node.op in CONTROL:
            self.values[node] = self._control(node, inputs)
            return ()
        if node.op is Op.APPLY:
            return self._apply(node, inputs)
        paged = node.op is Op.ARRAY and len(self.pages.lengths(node.length)) > 1
        if node.width <= self.width and all(len(limbs) == 1 for limbs in inputs) and not paged:
            made = self.make.make(node.op, _flat(inputs), node.attr, type_=node.type)
            return (made,)
        return _WIDE[node.op](self, node, inputs)

    # -- words ----------------------------------------------------------------------------------

    def _bitwise(self, node: Node, inputs: list[Limbs]) -> Limbs:
        return self.math.bitwise(node.op, inputs, node.attr)

    def _shift(self, node: Node, inputs: list[Limbs]) -> Limbs:
        word, amount = inputs
        if node.inputs[1].op is not Op.CONST:
            return self.math.move(node.op, word, amount)
        distance = node.inputs[1].attr
        left = distance if node.op in (Op.SHL, Op.ROL) else -distance
        if node.op in (Op.SHL, Op.SHR):
            return self.math.shifted(word, left)
        if len(word) > 1:
            return self.math.rotated(word, left % node.width)
        return (self.make.make(Op.ROL, (word[0], self.make.const(left % node.width, 8))),)

    def _linear(self, node: Node, inputs: list[Limbs]) -> Limbs:
        """A map from all limbs for each limb of the sum."""
        pieces: list[tuple[Node, Sequence[int]]] = []
        for matrix, limbs in zip(node.attr, inputs, strict=True):
            lows = range(0, len(matrix), self.width)
            pieces += ((limb, matrix[low:]) for limb, low in zip(limbs, lows, strict=True))
        made = []
        for place, size in enumerate(sizes(node.width, self.width)):
            low = place * self.width
            matrices = [tuple(c >> low & mask(size) for c in m[: limb.width]) for limb, m in pieces]
            made.append(self.make.linear(matrices, [limb for limb, _ in pieces], size))
        return tuple(made)

    # -- functions on small domains -------------------------------------------------------------

    def _lookup(self, node: Node, inputs: list[Limbs]) -> Limbs:
        if len(node.attr.values) > self.pages.most * self.pages.size:
            self._small(node, inputs[0])
        return tuple(self.pages.entry(table, inputs[0]) for table in self._tables(node.attr))

    def _tables(self, table: TableData) -> list[TableData]:
        """A table for each limb of the entries."""
        if table not in self.tables:
            columns = zip(*(split(value, table.width, self.width) for value in table.values), strict=True)
            parts = sizes(table.width, self.width)
            self.tables[table] = [
                TableData(values, size, name, table.note)
                for values, size, name in zip(columns, parts, names(table.name, len(parts)), strict=True)
            ]
        return self.tables[table]

    def _apply(self, node: Node, inputs: list[Limbs]) -> Limbs:
        """A function for each limb of the result, on all limbs of what was captured."""
        operands = (self._small(node, inputs[0]), *_flat(inputs[1:]))
        functions = self._functions(node.region)
        self._at(node)
        return tuple(self._applied(function, operands) for function in functions)

    def _applied(self, function: Region, operands: tuple[Node, ...]) -> Node:
        """A use of a function; what is known of it at once is no use."""
        known = all(node.op is Op.CONST for node in operands)
        if known or function.results[0].op is Op.CONST:
            return inline(function, operands, self.make)
        return self.make.apply(function, operands)

    def _functions(self, region: Region) -> list[Region]:
        """The functions of one; each is made once, so that equal functions stay equal."""
        if region not in self.functions:
            params = _flat([self._fresh(param) for param in region.params])
            self._body(region)
            self.functions[region] = [Region(params, [limb]) for limb in self.get(region.results[0])]
        return self.functions[region]

    def _small(self, node: Node, index: Limbs) -> Node:
        """The index of a table or keyed function, which has no limbs."""
        if len(index) > 1:
            raise self._refused(node, f"the index of this {node.op.label} has {bits_of(index)} bits")
        return index[0]

    # -- arrays ---------------------------------------------------------------------------------

    def _array(self, node: Node, inputs: list[Limbs]) -> Limbs:
        columns = zip(*(split(value, node.width, self.width) for value in node.attr), strict=True)
        parts = zip(columns, sizes(node.width, self.width), strict=True)
        return tuple(page for values, size in parts for page in self.pages.array(values, size))

    def _load(self, node: Node, inputs: list[Limbs]) -> Limbs:
        place = self._place(node, inputs[1])
        return tuple(self.pages.load(array, place) for array in self._by_limb(node, inputs[0]))

    def _store(self, node: Node, inputs: list[Limbs]) -> Limbs:
        place = self._place(node, inputs[1])
        pairs = zip(self._by_limb(node, inputs[0]), inputs[2], strict=True)
        return tuple(page for array, value in pairs for page in self.pages.store(array, place, value))

    def _by_limb(self, node: Node, arrays: Limbs) -> list[Limbs]:
        """The pages of each limb's array."""
        count = len(self.pages.lengths(node.inputs[0].length))
        return [arrays[k : k + count] for k in range(0, len(arrays), count)]

    def _place(self, node: Node, index: Limbs) -> Limbs:
        """An index of an array that is the same modulo the array's length, in as few limbs as that takes."""
        array, old = node.inputs[:2]
        if len(self.pages.lengths(array.length)) > 1:
            return self.pages.within(index, self.ranges.greatest(old), array.length)
        if self.ranges.greatest(old) < self.pages.size or all(is_zero(limb) for limb in index[1:]):
            return index[:1]
        if array.length > self.pages.size:
            raise self._refused(node, f"the index of {array.length} entries has {bits_of(index)} bits")
        if array.length & (array.length - 1) == 0:
            return index[:1]
        return (self.math.modulo(index, array.length),)

    # -- control flow ---------------------------------------------------------------------------

    def _control(self, node: Node, inputs: list[Limbs]) -> list[Limbs]:
        """A loop or conditional that carries limbs; the limbs of each of its values."""
        if node.op is Op.LOOP:
            return self._loop(node, *inputs)
        return self._carried(node, inputs[0], (), inputs[1:])

    def _carried(self, node: Node, fixed: Limbs, params: Limbs, values: Sequence[Limbs]) -> list[Limbs]:
        """One with these operands and values; ``params``: what the region is given beside those."""
        region = node.region
        params += _flat(map(self._fresh, region.params[len(params) :]))
        self._body(region)
        new = Region(params, _flat(self._all(region.results)))
        self._at(node)
        made = iter(self.make.results(self.make.make(node.op, (*fixed, *_flat(values)), new)))
        return [tuple(next(made) for _ in limbs) for limbs in values]

    def _loop(self, node: Node, start: Limbs, stop: Limbs, *values: Limbs) -> list[Limbs]:
        """A loop counts in one limb; where the upper ones change there are several in a row."""
        greatest = [self.ranges.greatest(bound) for bound in node.inputs[:2]]
        self.limits[node.region.params[0]] = max(greatest[1] - 1, 0)
        if max(greatest) < self.pages.size:
            start, stop = self._short(start), self._short(stop)
        if start[1:] == stop[1:] and all(limb.op is Op.CONST for limb in start[1:]):
            return self._counting(node, (start[0], stop[0]), start, 0, values)
        now = list(values)
        for first, count, begin in self._pieces(node, start, stop):
            bounds = self.math.const(begin, self.width) + self.math.const(begin + count, self.width)
            whole = self.math.const(first, bits_of(start))
            now = self._counting(node, bounds, whole, first % self.pages.size - begin, now)
        return now

    def _short(self, word: Limbs) -> Limbs:
        """A word whose limbs but the lowest are known to be 0."""
        return word[:1] + self.math.const(0, bits_of(word) - word[0].width)

    def _pieces(self, node: Node, start: Limbs, stop: Limbs) -> list[tuple[int, int, int]]:
        """What one limb can count of a loop whose bounds are known."""
        if all(limb.op is Op.CONST for limb in (*start, *stop)):
            first, last = joined(start), joined(stop)
            if last - first <= self.pages.most // 2 * self.pages.size:
                return list(pieces(first, last, self.width))
        raise self._refused(node, f"the index of this loop has {bits_of(start)} bits")

    def _counting(
        self, node: Node, bounds: Limbs, start: Limbs, offset: int, values: Sequence[Limbs]
    ) -> list[Limbs]:
        """A loop over a limb, which with ``offset`` added takes the place of the lowest of ``start``."""
        old = node.region.params[0]
        index = self.make.param(old.attr, WordType(start[0].width), old.name)
        lowest = self.make.make(Op.ADD, (index, self.make.const(offset, index.width))) if offset else index
        self.map[old] = (lowest, *start[1:])
        return self._carried(node, bounds, (index,), values)

    def _refused(self, node: Node, reason: str) -> ScheduleError:
        return ScheduleError(f"word={self.width} is not legal for {self.old.name}: {reason} ({node.line})")


def _flat(words: Iterable[Limbs]) -> tuple[Node, ...]:
    return tuple(chain.from_iterable(words))


def _laid(words: list[Limbs], order: ByteOrder) -> tuple[Node, ...]:
    """The limbs of all in a row: those of words as they lie in memory, arrays the lowest first."""
    reversed_ = order is ByteOrder.BIG
    return _flat(w[::-1] if reversed_ and isinstance(w[0].type, WordType) else w for w in words)


Form = Callable[[_Legaliser, Node, list[Limbs]], Limbs]


def _two(operation: Callable[[Arithmetic, Limbs, Limbs], Limbs]) -> Form:
    return lambda walk, node, inputs: operation(walk.math, *inputs)


def _bit(operation: Callable[[Arithmetic, Limbs, Limbs], Node]) -> Form:
    return lambda walk, node, inputs: (operation(walk.math, *inputs),)


def _cut(low: Callable[[Node], int]) -> Form:
    """Operations that put bits elsewhere: the operands side by side, cut."""
    return lambda walk, node, inputs: walk.math.cut(_flat(inputs), low(node), node.width)


#: What is made of an operation with a wide operand or result.
_WIDE: dict[Op, Form] = {
    **dict.fromkeys(BITWISE, _Legaliser._bitwise),
    **dict.fromkeys(SHIFTS, _Legaliser._shift),
    Op.ADD: _two(Arithmetic.add),
    Op.SUB: _two(Arithmetic.sub),
    Op.MUL: _two(Arithmetic.mul),
    Op.MULHI: _two(Arithmetic.mulhi),
    Op.REM: _two(Arithmetic.rem),
    Op.EQ: _bit(Arithmetic.eq),
    Op.LT: _bit(Arithmetic.lt),
    Op.SELECT: lambda walk, node, inputs: walk.math.select(inputs[0][0], inputs[1], inputs[2]),
    Op.SLICE: _cut(lambda node: node.attr),
    Op.JOIN: _cut(lambda node: 0),
    Op.EXTEND: _cut(lambda node: 0),
    Op.LOOKUP: _Legaliser._lookup,
    Op.LINEAR: _Legaliser._linear,
    Op.ARRAY: _Legaliser._array,
    Op.LOAD: _Legaliser._load,
    Op.STORE: _Legaliser._store,
}
