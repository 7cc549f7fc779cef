"""A graph carried out on words that are not known, by the operations' meanings."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from finalist.ir.graph import Graph, Node, Region
from finalist.ir.ops import COMPARISONS, Op
from finalist.ir.program import ByteOrder, Layout, Program
from finalist.ir.types import ArrayType, TupleType, Type
from finalist.prove.bits import Bits, Word, bits_of, known
from finalist.prove.ternary import gate
from finalist.prove.words import NotCoveredError, Words

#: Iterations of a loop, all of them together, that are still gone through.
ITERATIONS = 1 << 16
#: Atoms of a bit in an entry of an array that has no name of its own.
LONG = 12
#: Inputs of a gate that is taken apart into products where nothing is known of its index.
GATE = 3


class Evaluator:
    """Carries out graphs over one store. ``tabulated``: whether keyed functions are tables in the key, as
    programs fill them, or else computed of each argument, as hardware does."""

    def __init__(self, words: Words, tabulated: bool = True) -> None:
        self.words, self.tabulated = words, tabulated
        self.iterations = 0
        #: Whether long sums that are stored get a name.
        self.named = False
        #: Keyed functions gone through for all values: region and key words to entries.
        self.applied: dict[tuple[Any, ...], list[Word]] = {}
        self.special: dict[Op, Callable[[Node, dict[Node, Any]], Any]] = {
            Op.BOOL: self._bool,
            Op.SLICE: lambda node, env: self._slice(env[node.inputs[0]], node),
            Op.JOIN: self._join,
            Op.LOOKUP: self._lookup,
            Op.LINEAR: lambda node, env: words.linear(node.attr, _values(node, env), node.width),
            Op.APPLY: self._apply,
            Op.ARRAY: lambda node, env: tuple(node.attr),
            Op.LOAD: self._load,
            Op.STORE: self._store,
            Op.WINDOW: self._window,
            Op.LOOP: self._loop,
            Op.WHEN: self._when,
            Op.RESULT: lambda node, env: env[node.inputs[0]][node.attr],
            Op.TUPLE: lambda node, env: tuple(_values(node, env)),
            Op.INSTRUCTION: self._instruction,
        }

    def run(self, graph: Graph, inputs: Sequence[Any]) -> list[Any]:
        """The results of a graph: words, or tuples of words for arrays. Where a store follows a read of an
        opaque table, the graph is carried out once more, with long sums named from the first store on."""
        iterations = self.iterations
        try:
            return self._region(graph, _Environment(zip(graph.params, inputs, strict=True)))
        except _NamesNeeded:
            self.named, self.iterations = True, iterations
            return self._region(graph, _Environment(zip(graph.params, inputs, strict=True)))

    def _region(self, region: Region, env: dict[Node, Any]) -> list[Any]:
        for node in region.body:
            self.words.check()
            env[node] = self.value(node, env)
        return [env[node] for node in region.results]

    def value(self, node: Node, env: dict[Node, Any]) -> Any:
        special = self.special.get(node.op)
        if special is not None:
            return special(node, env)
        width = node.inputs[0].width if node.op in COMPARISONS else node.width
        return self.words.apply(node.op, _values(node, env), width)

    # -- words ----------------------------------------------------------------------------------

    def _bool(self, node: Node, env: dict[Node, Any]) -> Word:
        """Bit by bit a function of the inputs: of an index that there is, or made of gates."""
        inputs = [bits_of(value, node.width) for value in _values(node, env)]
        entries = [node.attr >> point & 1 for point in range(1 << len(inputs))]
        key = "bool", node.attr, len(entries)
        found = []
        for column in zip(*inputs, strict=True):
            if len(column) > GATE or self.words.spaces.shared(column) is not None:
                found.append(bits_of(self.words.lookup(entries, column, 1, key), 1)[0])
            else:
                bit = gate(self.words.store, node.attr, column)
                found.append(self.words.adders.bit(bit) if node.width == 1 else bit)
        return known(tuple(found))

    def _join(self, node: Node, env: dict[Node, Any]) -> Word:
        parts = (bits_of(env[child], child.width) for child in node.inputs)
        return known(bits_of(tuple(bit for part in parts for bit in part), node.width))

    def _slice(self, value: Word, node: Node) -> Word:
        start: int = node.attr
        if isinstance(value, int):
            return value >> start & (1 << node.width) - 1
        return known(bits_of(self.words.sums.limbs.part(value, start, node.width), node.width))

    def _lookup(self, node: Node, env: dict[Node, Any]) -> Word:
        table = node.attr
        return self.words.lookup(table.values, env[node.inputs[0]], node.width, table)

    def _apply(self, node: Node, env: dict[Node, Any]) -> Word:
        """A keyed function: its entries for all values of its argument, of which one is read; or without
        these what it makes of the argument."""
        index, *keys = _values(node, env)
        region = node.region
        if isinstance(index, int) or not self.tabulated:
            return self._of(region, index, keys)
        key = (region, *keys)
        if key not in self.applied:
            size = 1 << node.inputs[0].width
            self.applied[key] = [self._of(region, value, keys) for value in range(size)]
        return self.words.lookup(self.applied[key], index, node.width, key)

    def _of(self, region: Region, index: Word, keys: Sequence[Word]) -> Word:
        env = _Environment(zip(region.params, (index, *keys), strict=True))
        result: Word = self._region(region, env)[0]
        return result

    def _instruction(self, node: Node, env: dict[Node, Any]) -> list[Any]:
        words = [word for register in _values(node, env) for word in register]
        meaning = node.attr.meaning
        return self._region(meaning, _Environment(zip(meaning.params, words, strict=True)))

    # -- arrays ---------------------------------------------------------------------------------

    def _load(self, node: Node, env: dict[Node, Any]) -> Word:
        array, index = _values(node, env)
        name = None if isinstance(index, int) else self.words.reads.name(array)
        return self.words.lookup(array, index, node.width, name)

    def _store(self, node: Node, env: dict[Node, Any]) -> tuple[Word, ...]:
        array, index, value = _values(node, env)
        if self.words.reads.tables and not self.named:
            raise _NamesNeeded
        if self.named and not isinstance(value, int):
            value = env[node.inputs[2]] = tuple(self.words.store.alias(bit, LONG) for bit in value)
        if not isinstance(value, int):
            self.words.sums.close(value)
        return self.words.stored(array, index, value, node.inputs[2].width)

    def _window(self, node: Node, env: dict[Node, Any]) -> tuple[Word, ...]:
        array, start = _values(node, env)
        width = node.inputs[0].width
        shifted = (
            self.words.sums.add([(bits_of(start, 16), 1)], k, 16) if not isinstance(start, int) else start + k
            for k in range(node.attr)
        )
        return tuple(
            self.words.lookup(array, place, width, self.words.reads.name(array)) for place in shifted
        )

    # -- control --------------------------------------------------------------------------------

    def _loop(self, node: Node, env: dict[Node, Any]) -> list[Any]:
        start, stop, *carried = _values(node, env)
        if not (isinstance(start, int) and isinstance(stop, int)):
            raise NotCoveredError(f"{_told(node)}: the iterations of a loop depend on key or block")
        self.iterations += max(0, stop - start)
        if self.iterations > ITERATIONS:
            raise NotCoveredError(f"{_told(node)}: more than {ITERATIONS} iterations of loops")
        params = node.region.params
        top = (1 << params[0].width) - 1
        for index in range(start, stop):
            env.update(zip(params, (index & top, *carried), strict=True))
            carried = self._region(node.region, env)
        return carried

    def _when(self, node: Node, env: dict[Node, Any]) -> list[Any]:
        condition, *given = _values(node, env)
        condition = known(condition)
        if condition == 0:
            return given
        env.update(zip(node.region.params, given, strict=True))
        new = self._region(node.region, env)
        if isinstance(condition, int):
            return new
        types = [param.type for param in node.region.params]
        return [self._chosen(condition[0], t, a, b) for t, a, b in zip(types, new, given, strict=True)]

    def _chosen(self, condition: int, type_: Type, a: Any, b: Any) -> Any:
        if isinstance(type_, TupleType):
            return [self._chosen(condition, t, x, y) for t, x, y in zip(type_.items, a, b, strict=True)]
        if isinstance(type_, ArrayType):
            return tuple(
                x if x == y else known(self.words.select(condition, x, y, type_.width))
                for x, y in zip(a, b, strict=True)
            )
        return known(self.words.select(condition, a, b, type_.width))


class _NamesNeeded(Exception):
    """A word is stored after a read of an opaque table."""


class _Environment(dict[Node, Any]):
    """The values of nodes; a constant is its own."""

    def __missing__(self, node: Node) -> Any:
        if node.op is not Op.CONST:
            raise KeyError(node)
        return node.attr


def _values(node: Node, env: dict[Node, Any]) -> list[Any]:
    return [env[child] for child in node.inputs]


def _told(node: Node) -> str:
    return f"{node.op.label} ({node.line})" if node.line else node.op.label


# -- from memory to memory ---------------------------------------------------------------------------


def split(layout: Layout, data: Sequence[Bits]) -> list[Word]:
    """Bytes of memory as words of a layout."""
    size = layout.width // 8
    words = []
    for first in range(0, layout.count * size, size):
        part = data[first : first + size]
        ordered = part if layout.order is ByteOrder.LITTLE else part[::-1]
        words.append(known(tuple(bit for byte in ordered for bit in byte)))
    return words


def merge(layout: Layout, words: Sequence[Word]) -> list[Bits]:
    """The inverse of `split`."""
    found: list[Bits] = []
    for word in words:
        bits = bits_of(word, layout.width)
        part = [bits[k : k + 8] for k in range(0, layout.width, 8)]
        found += part if layout.order is ByteOrder.LITTLE else part[::-1]
    return found


def outputs(
    program: Program,
    words: Words,
    key: Sequence[Bits],
    blocks: Sequence[Sequence[Bits]],
    tabulated: bool = True,
) -> list[Bits]:
    """The bytes that a program makes of blocks, one after the other, under a key; ``tabulated``: of
    `Evaluator`."""
    words.reads.tables = False  # so that what is stored gets its names at the same places in every program
    return Keyed(program, words, key, tabulated).blocks(program, blocks)


class Keyed:
    """A key schedule that is carried out, for any kernels after it; ``arrays``: the expanded key."""

    def __init__(self, program: Program, words: Words, key: Sequence[Bits], tabulated: bool = True) -> None:
        self.evaluator = Evaluator(words, tabulated)
        self.arrays = self.evaluator.run(program.expand, split(program.key, key))
        self._after = self.evaluator.named, self.evaluator.iterations

    def kernel(self, program: Program, inputs: Sequence[Any]) -> list[Any]:
        """The results of a program's kernel."""
        return self.evaluator.run(program.kernel, inputs)

    def blocks(self, program: Program, blocks: Sequence[Sequence[Bits]]) -> list[Bits]:
        """The bytes that a program's kernel makes of blocks, one after the other."""
        self.begin()
        found: list[Bits] = []
        for block in blocks:
            results = self.kernel(program, [*split(program.block, block), *self.arrays])
            found += merge(program.block, results[: program.block.count])
        return found

    def begin(self) -> None:
        """Have the evaluator as it was after the key schedule."""
        self.evaluator.named, self.evaluator.iterations = self._after
