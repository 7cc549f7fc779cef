"""Tables, keyed functions and GF(2)-linear maps: the functions a definition is made of."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import SupportsIndex

from finalist.errors import DefinitionError
from finalist.ir.graph import Matrix, Node, Region, TableData
from finalist.ir.ops import Op
from finalist.ir.types import WordType
from finalist.language.trace import builder, fail, here
from finalist.language.word import Word, word_type


class Table:
    """A function on a small domain: ``T[x]`` for a word x of exactly log2(len(T)) bits.

    ``values``: 2^k integers. ``width``: bits of an entry (default: as many as the largest needs, at
    least the index's). How it is realised (stored, computed, bitsliced) is the schedule's choice.
    """

    def __init__(self, values: Sequence[int], width: int | None = None, name: str = "T") -> None:
        size = len(values)
        if size < 2 or size & (size - 1) or size > 1 << 16:
            raise DefinitionError(f"a table of {size} entries; accepted: a power of two, 2 to 65536", here())
        strange = [value for value in values if not isinstance(value, int | SupportsIndex)]
        if strange:
            raise fail(f"a table holds integers, not {strange[0]!r}")
        bits = size.bit_length() - 1
        width = word_type(width or max(bits, max(values).bit_length())).width
        if min(values) < 0 or max(values) >= 1 << width:
            raise DefinitionError(f"a table entry does not fit {width} bits", here())
        self.data = TableData(tuple(values), width, name)

    def __len__(self) -> int:
        return len(self.data.values)

    @property
    def index_width(self) -> int:
        """Bits of its argument."""
        return self.data.index_width

    def __getitem__(self, x: Word) -> Word:
        if isinstance(x, int) and 0 <= x < len(self):
            x = Word(builder().const(x, self.data.index_width))
        if not isinstance(x, Word) or x.width != self.data.index_width:
            raise fail(f"table {self.data.name} takes a word of {self.data.index_width} bits, not {x!r}")
        return Word(builder().make(Op.LOOKUP, (x.node,), self.data))

    def inverse(self, name: str = "") -> Table:
        """The table of the inverse permutation."""
        values = self.data.values
        if sorted(values) != list(range(len(values))):
            raise DefinitionError(f"table {self.data.name} is no permutation", here())
        inverted = [values.index(y) for y in range(len(values))]
        return Table(inverted, self.data.width, name or self.data.name + "_inv")

    def bitslice(self, *planes: Word) -> tuple[Word, ...]:
        """The table on bit planes: for each bit position t, index bit i is bit t of ``planes[i]``."""
        widths = {getattr(plane, "width", None) for plane in planes}
        if len(planes) != self.data.index_width or len(widths) != 1 or None in widths:
            raise fail(f"table {self.data.name} takes {self.data.index_width} words of one width")
        nodes = [plane.node for plane in planes]
        make = builder().make
        return tuple(Word(make(Op.BOOL, nodes, self._truth(bit))) for bit in range(self.data.width))

    def _truth(self, bit: int) -> int:
        return sum((value >> bit & 1) << x for x, value in enumerate(self.data.values))


@dataclass(frozen=True)
class KeyedFunction:
    """A function of a small word that depends on the key only through captured key words."""

    region: Region
    captures: tuple[Node, ...]

    @property
    def width(self) -> int:
        """Bits of its argument."""
        return self.region.params[0].width

    def __getitem__(self, x: Word) -> Word:
        if not isinstance(x, Word) or x.width != self.width:
            raise fail(f"this keyed function takes a word of {self.width} bits, not {x!r}")
        return Word(builder().apply(self.region, (x.node, *self.captures)))


def tabulate(function: Callable[[Word], Word], bits: int) -> KeyedFunction:
    """Declare ``function``, of a word of ``bits`` bits (at most 16), to depend on the key alone.

    Whether it is computed, tabulated whole, or in part is the schedule's choice (`keyed-tables`).
    """
    if not 1 <= bits <= 16:
        raise fail(f"tabulate over {bits} bits; accepted: 1 to 16")
    make = builder()
    argument = make.param("argument", word_type(bits), "x")
    result = function(Word(argument))
    if not isinstance(result, Word):
        raise fail(f"the function to tabulate returned {result!r}; accepted: one word")
    return KeyedFunction(*_close(argument, result.node))


def _close(argument: Node, result: Node) -> tuple[Region, tuple[Node, ...]]:
    """The function as a closed region, with what it took from outside as further parameters."""
    captures = Region((argument,), (result,)).free
    if not all(isinstance(node.type, WordType) for node in captures):
        raise fail("a keyed function takes words of the key only, not an array at its argument's place")
    make = builder()
    params = [make.param("argument", node.type, f"c{k}") for k, node in enumerate(captures)]
    moved: dict[Node, Node] = {argument: argument, **dict(zip(captures, params, strict=True))}
    for node in Region((argument,), (result,)).body:
        inputs = tuple(moved.get(child, child) for child in node.inputs)
        moved[node] = make.make(node.op, inputs, node.attr, type_=node.type)
    return Region((argument, *params), (moved.get(result, result),)), captures


class LinearMap:
    """A GF(2)-linear map from words to words, called on them: ``MDS(y0, y1, y2, y3)``.

    ``matrices[i]``: for each bit of input i, lowest first, what it adds to the joined output.
    """

    def __init__(self, matrices: Sequence[Matrix], widths: Sequence[int]) -> None:
        self.matrices = tuple(matrices)
        self.widths = tuple(widths)
        total = sum(self.widths)
        if not 1 <= total <= 64:
            raise fail(f"a linear map gives 1 to 64 bits, not {total}")
        strange = [c for matrix in self.matrices for c in matrix if not 0 <= c < 1 << total]
        if strange:
            raise fail(f"a linear map gives {total} bits, so {strange[0]:#x} is none of its columns")

    def __call__(self, *inputs: Word) -> tuple[Word, ...]:
        wanted = [len(matrix) for matrix in self.matrices]
        if [getattr(x, "width", None) for x in inputs] != wanted:
            raise fail(f"this linear map takes words of {wanted} bits")
        make = builder()
        total = make.linear(self.matrices, [x.node for x in inputs], sum(self.widths))
        lows = [sum(self.widths[:k]) for k in range(len(self.widths))]
        return tuple(Word(make.slice(total, low, w)) for low, w in zip(lows, self.widths, strict=True))


def gf_multiply(a: int, b: int, polynomial: int) -> int:
    """The product in GF(2)[x] modulo ``polynomial``."""
    product = 0
    while b:
        lowest = b & -b
        product ^= a * lowest
        b ^= lowest
    while product.bit_length() >= polynomial.bit_length():
        product ^= polynomial << (product.bit_length() - polynomial.bit_length())
    return product


def gf_matrix(rows: Sequence[Sequence[int]], polynomial: int) -> LinearMap:
    """The matrix over GF(2^8) (or whatever field the polynomial defines) acting on a column of words."""
    width = polynomial.bit_length() - 1
    matrices = []
    for column in zip(*rows, strict=True):
        images = (
            sum(gf_multiply(m, 1 << bit, polynomial) << width * r for r, m in enumerate(column))
            for bit in range(width)
        )
        matrices.append(tuple(images))
    return LinearMap(matrices, [width] * len(rows))


def bit_permutation(sources: Sequence[int], width: int | None = None) -> LinearMap:
    """Output bit i is input bit ``sources[i]`` of one word; ``width``: bits of that word."""
    width = width or len(sources)
    if not sources or min(sources) < 0 or max(sources) >= width or len(sources) > 64 or width > 64:
        raise fail("a bit permutation takes source bits within one word of at most 64 bits")
    columns = tuple(sum((s == bit) << i for i, s in enumerate(sources)) for bit in range(width))
    return LinearMap([columns], [len(sources)])
