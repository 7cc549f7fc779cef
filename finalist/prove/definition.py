"""A graph carried out on words that are not known, by the operations' meanings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from finalist.ir.graph import Graph, Node, Region
from finalist.ir.ops import COMPARISONS, Op
from finalist.ir.program import ByteOrder, Layout, Program
from finalist.prove.bits import Bits, Word, bits_of, known
from finalist.prove.ternary import GATE, gate
from finalist.prove.walk import Walk, operands
from finalist.prove.words import Words

#: Atoms of a bit in an entry of an array that has no name of its own.
LONG = 12
#: Operations whose bits are sums of those that they take.
_ADDING = frozenset({Op.XOR, Op.BOOL, Op.LINEAR})


class Evaluator(Walk):
    """Carries out graphs over one store. ``tabulated``: whether keyed functions are tables in the key, as
    programs fill them, or else computed of each argument, as hardware does."""

    def __init__(self, words: Words, tabulated: bool = True) -> None:
        super().__init__()
        self.words, self.tabulated = words, tabulated
        #: Whether long sums that are stored get a name.
        self.named = False
        #: By long sum without a name how many operations have made it since the graph was begun.
        self._made: Counter[int] = Counter()
        #: Keyed functions gone through for all values: region and key words to entries.
        self.applied: dict[tuple[Any, ...], list[Word]] = {}
        self.special |= {
            Op.BOOL: self._bool,
            Op.SLICE: lambda node, env: self._slice(env[node.inputs[0]], node),
            Op.JOIN: self._join,
            Op.LOOKUP: self._lookup,
            Op.LINEAR: lambda node, env: words.linear(node.attr, operands(node, env), node.width),
            Op.APPLY: self._apply,
            Op.LOAD: self._load,
            Op.STORE: self._store,
            Op.WINDOW: self._window,
        }

    def run(self, graph: Graph, inputs: Sequence[Any]) -> list[Any]:
        """The results of a graph: words, or tuples of words for arrays. Where a store follows a read of an
        opaque table, the graph is carried out once more, with long sums named from the first store on; and
        again where what is given a name there had come up before, as whatever is carried out after the
        definition finds that name from the beginning. Each time there is a name more."""
        iterations = self.iterations
        while True:
            self._made.clear()
            try:
                return self.inside(graph, inputs)
            except _NamesNeeded:
                self.named, self.iterations = True, iterations

    def check(self) -> None:
        self.words.check()

    def word(self, node: Node, env: Mapping[Node, Any]) -> Word:
        width = node.inputs[0].width if node.op in COMPARISONS else node.width
        values = operands(node, env)
        made = self.words.chosen(values, width) if node.op is Op.XOR else None
        return made or self.words.apply(node.op, values, width)

    def selected(self, condition: Any, a: Any, b: Any, width: int, line: str) -> Any:
        return a if a == b else known(self.words.select(condition[0], a, b, width))

    def known(self, value: Word) -> Word:
        return known(value)

    def value(self, node: Node, env: dict[Node, Any]) -> Any:
        found = super().value(node, env)
        if self.named and node.op in _ADDING and not isinstance(found, int):
            sets = self.words.store.sets
            self._made.update(bit >> 1 for bit in found if len(sets[bit >> 1]) > LONG)
        return found

    # -- words ----------------------------------------------------------------------------------

    def _bool(self, node: Node, env: dict[Node, Any]) -> Word:
        """Bit by bit a function of the inputs: of an index that there is, or made of gates."""
        inputs = [bits_of(value, node.width) for value in operands(node, env)]
        entries = [node.attr >> point & 1 for point in range(1 << len(inputs))]
        key = "bool", node.attr, len(entries)
        found = []
        for column in zip(*inputs, strict=True):
            if len(column) > GATE or self.words.spaces.shared(column) is not None:
                found.append(bits_of(self.words.lookup(entries, column, 1, key), 1)[0])
            else:
                found.append(gate(self.words.store, node.attr, column))
        return known(self.words.circuits.named(tuple(found)))

    def _join(self, node: Node, env: dict[Node, Any]) -> Word:
        """Words concatenated. Single bits may be those of several words, for a circuit that works on all."""
        if all(child.width == 1 for child in node.inputs):
            self.words.circuits.begin()
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
        index, *keys = operands(node, env)
        region = node.region
        if isinstance(index, int) or not self.tabulated:
            return self._of(region, index, keys)
        key = (region, *keys)
        if key not in self.applied:
            size = 1 << node.inputs[0].width
            self.applied[key] = [self._of(region, value, keys) for value in range(size)]
        return self.words.lookup(self.applied[key], index, node.width, key)

    def _of(self, region: Region, index: Word, keys: Sequence[Word]) -> Word:
        result: Word = self.inside(region, (index, *keys))[0]
        return result

    # -- arrays ---------------------------------------------------------------------------------

    def _load(self, node: Node, env: dict[Node, Any]) -> Word:
        array, index = operands(node, env)
        name = None if isinstance(index, int) else self.words.reads.name(array)
        return self.words.lookup(array, index, node.width, name)

    def _store(self, node: Node, env: dict[Node, Any]) -> tuple[Word, ...]:
        array, index, value = operands(node, env)
        if self.words.reads.tables and not self.named:
            raise _NamesNeeded
        if self.named and not isinstance(value, int):
            value = env[node.inputs[2]] = self._names(value)
        if not isinstance(value, int):
            self.words.sums.close(value)
        return self.words.stored(array, index, value, node.inputs[2].width)

    def _names(self, value: Bits) -> Bits:
        """A word that is stored, its long sums by their names. Raises _NamesNeeded where a sum that has one
        from now on was made by another operation before."""
        names = tuple(self.words.store.alias(bit, LONG) for bit in value)
        if any(name != bit and self._made[bit >> 1] > 1 for bit, name in zip(value, names, strict=True)):
            raise _NamesNeeded
        return names

    def _window(self, node: Node, env: dict[Node, Any]) -> tuple[Word, ...]:
        array, start = operands(node, env)
        width = node.inputs[0].width
        shifted = (
            self.words.sums.add([(bits_of(start, 16), 1)], k, 16) if not isinstance(start, int) else start + k
            for k in range(node.attr)
        )
        return tuple(
            self.words.lookup(array, place, width, self.words.reads.name(array)) for place in shifted
        )


class _NamesNeeded(Exception):
    """The graph has to be carried out once more: a word is stored after a read of an opaque table, or what
    gets a name there has come up without it."""


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
    """A key schedule that is carried out, for any kernels after it; ``arrays``: the expanded key, given or of
    the key."""

    def __init__(
        self,
        program: Program,
        words: Words,
        key: Sequence[Bits] = (),
        tabulated: bool = True,
        arrays: list[Any] | None = None,
    ) -> None:
        self.evaluator = Evaluator(words, tabulated)
        self.arrays = (
            self.evaluator.run(program.expand, split(program.key, key)) if arrays is None else arrays
        )
        self._after = self.evaluator.named, self.evaluator.iterations

    def kernel(self, program: Program, inputs: Sequence[Any]) -> list[Any]:
        """The results of a program's kernel."""
        return self.evaluator.run(program.kernel, inputs)

    def results(self, program: Program, blocks: Sequence[Sequence[Bits]]) -> Iterator[list[Any]]:
        """The results of a program's kernel on blocks, one after the other."""
        self.begin()
        for block in blocks:
            yield self.kernel(program, [*split(program.block, block), *self.arrays])

    def blocks(self, program: Program, blocks: Sequence[Sequence[Bits]]) -> list[Bits]:
        """The bytes that a program's kernel makes of blocks, one after the other."""
        found: list[Bits] = []
        for results in self.results(program, blocks):
            found += merge(program.block, results[: program.block.count])
        return found

    def begin(self) -> None:
        """Have the evaluator as it was after the key schedule."""
        self.evaluator.named, self.evaluator.iterations = self._after
