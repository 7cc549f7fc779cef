"""Operations on lanes of 8 or 16 bits, and tables read by permutes.

A word of the block fills a lane or is kept reduced in it, be it a single bit. A product of 16 or 32 bits
on lanes of bytes takes its factors as vectors of their bytes (`vec_limbs2`, `vec_limbs4`) and yields one.
What is the same in all lanes is a scalar, spread where it meets a vector.
"""

from __future__ import annotations

from collections.abc import Callable

from finalist.ir.graph import Node, TableData
from finalist.ir.ops import COMPARISONS, SHIFTS, Op
from finalist.ir.types import ArrayType, storage_bits
from finalist.machines.native.passes.lanes.narrow import WHOLE_PRODUCTS
from finalist.machines.native.text.dialect import Scalar, Text, Vector
from finalist.machines.native.vectors import inversions, word_permutes

#: Bits of the lanes that this module is about.
NARROW = (8, 16)
#: Bits of the lanes whose products vector units also have the upper halves of.
WHOLE_WORDS = 16
#: Bits of the index of the largest table that is read by permutes.
INDEX_BITS = 8


class NarrowVector(Vector):
    """GNU vectors of ``lanes`` words of 8 or 16 bits."""

    #: Operations on words that fill their lanes or not.
    FORMS = frozenset(
        {Op.AND, Op.OR, Op.XOR, Op.NOT, Op.ADD, Op.SUB, Op.MUL, Op.SHL, Op.SHR, Op.ROL, Op.ROR}
        | {Op.EQ, Op.LT, Op.SELECT, Op.SLICE, Op.JOIN, Op.EXTEND}
    )

    def __init__(self, lane_bits: int, lanes: int) -> None:
        super().__init__(lane_bits, lanes)
        #: The arrays of the key that are there a second time (`repeated_keys`), and their names then.
        self.repeated: dict[str, str] = {}

    def entry(self, array: str, index: str) -> Text | None:
        again = self.repeated.get(array)
        return Text(f"vec_same({again}[{index}])") if again else None

    def type(self, width: int) -> str:
        return "vec" if width <= self.lane_bits else f"vec_limbs{width // self.lane_bits}"

    def spread(self, text: Text) -> Text:
        return Text(f"vec_all({text.code.removeprefix('(uint32_t)')})")

    def shared(self, text: Text, node: Node) -> Text:
        if node.width > self.lane_bits:
            return Text(f"vec_all{node.width}({text.code})", _SPREAD)
        return self.spread(text)

    def reduced(self, node: Node, text: Text) -> Text:
        return self.masked(node, text) if node.width < self.lane_bits else text

    def expression(self, node: Node, operands: list[Text]) -> Text:
        if node.op in _FORMS:
            return _FORMS[node.op](self, node, operands)
        return Scalar.expression(self, node, operands)

    def read(self, array: str, index: str, node: Node) -> Text:
        source = node.inputs[0]
        if node.op is Op.LOOKUP and is_row(node.attr):
            return Text(f"vec_lookup16({array}, {index})")
        inversion = inversions.of_lookup(node)
        if inversion:
            return Text(inversions.written(inversion, array, index))
        entries = source.length if isinstance(source.type, ArrayType) else 1 << source.width
        if self.lane_bits == WHOLE_WORDS:
            return Text(f"vec_half{entries}({array}, {index})")
        return Text(f"vec_lookup{max(16, entries)}({array}, {index})")

    def map(self, matrix: str, operand: Text) -> Text:
        return Text(f"vec_map({matrix}, {operand.code})")

    @classmethod
    def refusal(cls, node: Node, lane_bits: int, lookup: str) -> str:
        if node.op in cls.READS | {Op.LINEAR}:
            return cls._no_permute(node, lane_bits, lookup)
        if node.op is Op.MULHI and node.width == lane_bits == WHOLE_WORDS:
            return ""
        if node.op not in cls.FORMS | cls.LOGIC:
            return f"{node.op.label} has no form on lanes of {lane_bits} bits ({node.line})"
        if node.op in SHIFTS and node.inputs[1].op is not Op.CONST:
            return f"a shift by a word has no form on lanes of {lane_bits} bits ({node.line})"
        if _wide(node, lane_bits) and not _product_or_part(node, lane_bits):
            return f"a word of {node.width} bits does not fit a lane of {lane_bits} ({node.line})"
        return ""

    @classmethod
    def _no_permute(cls, node: Node, lane_bits: int, lookup: str) -> str:
        if lookup == "permute" and lane_bits == WHOLE_WORDS and node.op is Op.LOAD:
            return cls._no_permute_of_words(node)
        if lookup != "permute" or lane_bits != 8:
            only = "lookup=permute with word=8"
            return f"{node.op.label} has no form on lanes of {lane_bits} bits but {only} ({node.line})"
        if node.op is Op.LINEAR:
            return ""
        source = node.inputs[0]
        bits = source.width if node.op is Op.LOOKUP else source.length.bit_length() - 1
        whole = node.op is Op.LOOKUP or source.length in (16, 32, 64, 128, 256)
        if bits > INDEX_BITS or not whole:
            return f"a permute reads tables of up to {1 << INDEX_BITS} entries ({node.line})"
        if storage_bits(node.width) != lane_bits:
            return f"a permute reads entries of a byte, not {node.width} bits ({node.line})"
        return ""

    @classmethod
    def _no_permute_of_words(cls, node: Node) -> str:
        fits = node.inputs[0].length in word_permutes.SIZES and storage_bits(node.width) == WHOLE_WORDS
        sizes = ", ".join(map(str, word_permutes.SIZES))
        return "" if fits else f"a permute on lanes of 16 bits reads {sizes} entries of as many ({node.line})"


def _wide(node: Node, lane_bits: int) -> bool:
    return any(word.width > lane_bits for word in (node, *node.inputs[: 1 if node.op in SHIFTS else None]))


def _product_or_part(node: Node, lane_bits: int) -> bool:
    """Whether it is one of the few operations on words wider than a lane."""
    if lane_bits != 8:
        return False
    if node.op is Op.JOIN:
        return node.width in WHOLE_PRODUCTS and all(part.width == lane_bits for part in node.inputs)
    if node.op is Op.SLICE:
        whole = node.width == lane_bits and node.attr % lane_bits == 0
        return whole and node.inputs[0].op in (Op.MUL, Op.JOIN)
    return node.op is Op.MUL and node.width in WHOLE_PRODUCTS


# -- how they are written ------------------------------------------------------------------------------

#: The binding of a wide word that is the same in all lanes.
_SPREAD = "spread"

Form = Callable[[NarrowVector, Node, list[Text]], Text]


def _compare(operator: str) -> Form:
    def write(c: NarrowVector, node: Node, x: list[Text]) -> Text:
        a, b = (c.spread(t) if child.op is Op.CONST else t for t, child in zip(x, node.inputs, strict=True))
        return Text(f"(vec)({a.inside(operator)} {operator} {b.inside(operator)}) & 1u", "&")

    return write


def _multiply(c: NarrowVector, node: Node, x: list[Text]) -> Text:
    factors = [c.shared(t, n) if n.op is Op.CONST else t for t, n in zip(x, node.inputs, strict=True)]
    if node.width <= c.lane_bits:
        return c.reduced(node, Text(f"vec_multiply({', '.join(text.code for text in factors)})"))
    words = (t.code if t.binding == _SPREAD else f"vec_words{node.width}({t.code})" for t in factors)
    return Text(f"vec_multiply{node.width}({', '.join(words)})")


def _multiply_high(c: NarrowVector, node: Node, x: list[Text]) -> Text:
    factors = [c.spread(t) if n.op is Op.CONST else t for t, n in zip(x, node.inputs, strict=True)]
    return Text(f"vec_multiply_high({', '.join(text.code for text in factors)})")


def _shl(c: NarrowVector, node: Node, x: list[Text]) -> Text:
    if node.inputs[1].attr == 1:
        return c.reduced(node, Text(f"{x[0].inside('+')} + {x[0].inside('+')}", "+"))
    return Scalar.expression(c, node, x)


def _rotate(c: NarrowVector, node: Node, x: list[Text]) -> Text:
    """Of words that fill their lanes; vector units rotate none narrower than 16 bits."""
    if c.lane_bits != WHOLE_WORDS or node.width != WHOLE_WORDS:
        return Scalar.expression(c, node, x)
    moved = node.inputs[1].attr if node.op is Op.ROL else -node.inputs[1].attr
    moved %= WHOLE_WORDS
    return Text(f"vec_rotate({x[0].code}, {moved})") if moved else x[0]


def _slice(c: NarrowVector, node: Node, x: list[Text]) -> Text:
    if node.inputs[0].width > c.lane_bits:
        return Text(f"{x[0].inside('.')}.limb[{node.attr // c.lane_bits}]")
    return Scalar.expression(c, node, x)


def _join(c: NarrowVector, node: Node, x: list[Text]) -> Text:
    if node.width <= c.lane_bits:
        return Scalar.expression(c, node, x)
    parts = (c.spread(t) if n.op is Op.CONST else t for t, n in zip(x, node.inputs, strict=True))
    return Text(f"({c.type(node.width)}){{{{{', '.join(text.code for text in parts)}}}}}")


_FORMS: dict[Op, Form] = {
    **{op: _compare({Op.EQ: "==", Op.LT: "<"}[op]) for op in COMPARISONS},
    Op.SELECT: lambda c, node, x: Text(f"vec_select({', '.join(text.code for text in x)})"),
    Op.MUL: _multiply,
    Op.MULHI: _multiply_high,
    Op.SHL: _shl,
    Op.ROL: _rotate,
    Op.ROR: _rotate,
    Op.SLICE: _slice,
    Op.JOIN: _join,
}


# -- tables ----------------------------------------------------------------------------------------------


def is_row(table: TableData) -> bool:
    """Whether a table of 256 entries is what a permute does with a byte: 0 from 128 on, else 16 in turns."""
    row = table.values[:16]
    return len(table.values) == 256 and table.values == row * 8 + (0,) * 128
