"""Operations on lanes of 64 bits: what vector units have of them, narrower words kept reduced in a lane.

Vector units multiply halves, compare to masks, and put halves of two vectors together; where a graph says
that in several operations, one form here takes the place of all of them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from finalist.ir.graph import Node
from finalist.ir.ops import COMPARISONS, SHIFTS, Op
from finalist.machines.native.text.dialect import Scalar, Text, Vector, binary
from finalist.machines.native.vectors import long_permutes, transpositions
from finalist.passes.analysis import greatest

#: Bits of a lane, and of its halves.
LONG, HALF = 64, 32

TEXT = """
/* Products of the lower halves of lanes; these halves of a, with those of b above them. An operand may be a
 * number that is the same in all lanes. */
#define vec_of(x) ((vec){{0}} + (x))
#if {size} == 64 && defined(__AVX512F__)
#define vec_mul32(a, b) ((vec)_mm512_mul_epu32((__m512i)vec_of(a), (__m512i)vec_of(b)))
#define vec_join32(a, b) \\
    ((vec)_mm512_mask_blend_epi32(0xaaaa, (__m512i)vec_of(a), (__m512i)(vec_of(b) << 32)))
#elif {size} == 32 && defined(__AVX2__)
#define vec_mul32(a, b) ((vec)_mm256_mul_epu32((__m256i)vec_of(a), (__m256i)vec_of(b)))
#define vec_join32(a, b) ((vec)_mm256_blend_epi32((__m256i)vec_of(a), (__m256i)(vec_of(b) << 32), 0xaa))
#elif {size} == 16 && defined(__SSE4_1__)
#define vec_mul32(a, b) ((vec)_mm_mul_epu32((__m128i)vec_of(a), (__m128i)vec_of(b)))
#define vec_join32(a, b) ((vec)_mm_blend_epi16((__m128i)vec_of(a), (__m128i)(vec_of(b) << 32), 0xcc))
#else
#define vec_mul32(a, b) ((vec_of(a) & 0xffffffffu) * (vec_of(b) & 0xffffffffu))
#define vec_join32(a, b) ((vec_of(a) & 0xffffffffu) | (vec_of(b) << 32))
#endif
/* Ones in all bits of the lanes where it is so, else zeros. */
#define vec_where(a, is, b) ((vec)(vec_of(a) is vec_of(b)))
/* Entries of a table of 64-bit words at the places of an index vector. */
#if {size} == 64 && defined(__AVX512F__)
#define vec_gather(t, i) ((vec)_mm512_i64gather_epi64((__m512i)(i), (const void *)(t), 8))
#elif {size} == 32 && defined(__AVX2__)
#define vec_gather(t, i) ((vec)_mm256_i64gather_epi64((const long long *)(t), (__m256i)(i), 8))
#else
#define vec_gather(t, i) (__extension__ ({{ const vec i_ = (i); vec r_ = {{0}}; \\
    for (int l_ = 0; l_ < {lanes}; l_++) {{ r_[l_] = (t)[i_[l_]]; }} r_; }}))
#endif
"""

#: The names above that end in a number, for the sake of variables.
NAMES = frozenset({"vec_mul32", "vec_join32"}) | long_permutes.NAMES


class LongVector(Vector):
    """GNU vectors of ``lanes`` words of 64 bits; tables are read by gathers, or ``by_permute``."""

    #: Operations on words that fill their lanes or not.
    FORMS = Vector.LANEWISE | {Op.EQ, Op.LT, Op.SELECT, Op.SLICE, Op.EXTEND, Op.JOIN}

    def __init__(self, lane_bits: int, lanes: int, *, by_permute: bool = False) -> None:
        super().__init__(lane_bits, lanes)
        self.by_permute = by_permute

    def read(self, array: str, index: str, node: Node) -> Text:
        if self.by_permute:
            return Text(f"{long_permutes.name(1 << node.inputs[0].width)}({array}, {index})")
        return super().read(array, index, node)

    def map(self, matrix: str, operand: Text) -> Text:
        return Text(f"{matrix}{transpositions.ON_LANES}({operand.code})")

    def takes(self, node: Node) -> tuple[Node, ...]:
        form = _form(node)
        return form.takes(node) if form else node.inputs

    def expression(self, node: Node, operands: list[Text]) -> Text:
        form = _form(node)
        if form:
            return form.write(self, node, operands)
        if node.width < self.lane_bits:
            return Scalar.expression(self, node, operands)
        return super().expression(node, operands)

    def reduced(self, node: Node, text: Text) -> Text:
        return self.masked(node, text) if node.width < self.lane_bits else text

    @classmethod
    def refusal(cls, node: Node, lane_bits: int, lookup: str) -> str:
        if node.op is Op.MULHI and node.width == lane_bits:
            return ""  # which `finalist.machines.native.passes.lanes.halves` leaves none of
        if transpositions.is_transposition(node):
            return ""
        if node.op not in cls.FORMS or (node.op in SHIFTS and node.width == lane_bits):
            return super().refusal(node, lane_bits, lookup)
        if node.op in SHIFTS and node.inputs[1].op is not Op.CONST:
            return f"a shift by a word takes words of {lane_bits} bits, not {node.width} ({node.line})"
        return ""

    @classmethod
    def _no_gather(cls, node: Node, lane_bits: int, lookup: str) -> str:
        if lookup != "permute":
            return super()._no_gather(node, lane_bits, lookup)
        if node.op is not Op.LOOKUP or len(node.attr.values) > long_permutes.SIZES[-1]:
            return f"a permute on lanes of {LONG} bits reads tables of up to 64 entries ({node.line})"
        if node.width > long_permutes.ENTRY:
            return f"a permute reads entries of up to 32 bits, not {node.width} ({node.line})"
        return ""


# -- forms ---------------------------------------------------------------------------------------------


def _lower_half(node: Node) -> Node | None:
    """The word whose lower half this is, in whatever width."""
    part = node.inputs[0] if node.op is Op.EXTEND else node
    is_half = part.op is Op.SLICE and part.attr == 0 and part.width == HALF
    return part.inputs[0] if is_half and part.inputs[0].width == LONG else None


@dataclass(frozen=True, slots=True)
class _Form:
    """A form of some operation: how it is written, for which nodes, and what values it is made of."""

    write: Callable[[LongVector, Node, list[Text]], Text]
    fits: Callable[[Node], bool] = lambda node: True
    takes: Callable[[Node], tuple[Node, ...]] = lambda node: node.inputs


def _product(c: LongVector, node: Node, x: list[Text]) -> Text:
    """Of words that fill half of a lane; what lies above the halves needs no clearing."""
    return c.reduced(node, Text(f"vec_mul32({x[0].code}, {x[1].code})"))


def _is_half_product(node: Node) -> bool:
    return all(greatest(child) < 1 << HALF for child in node.inputs)


def _halves_of(node: Node) -> tuple[Node, ...]:
    return tuple(_lower_half(child) or child for child in node.inputs)


def _lower_halves(c: LongVector, node: Node, x: list[Text]) -> Text:
    return Text(f"vec_join32({x[0].code}, {x[1].code})")


def _are_lower_halves(node: Node) -> bool:
    return len(node.inputs) == 2 and all(_lower_half(child) for child in node.inputs)


def _join(c: LongVector, node: Node, x: list[Text]) -> Text:
    """The parts, each moved to its place."""
    total, low = Text(""), 0
    for child, text in zip(node.inputs, x, strict=True):
        moved = Text(f"(vec_of({text.code}) << {low})") if low else text
        if child.op is Op.CONST:
            moved = c.constant(child.attr << low, LONG)
        total = binary("|", total, moved) if low else moved
        low += child.width
    return total


def _slice(c: LongVector, node: Node, x: list[Text]) -> Text:
    text = Text(f"{x[0].inside('>>')} >> {node.attr}", ">>") if node.attr else x[0]
    return text if node.attr + node.width == node.inputs[0].width else c.masked(node, text)


def _mask(compared: Node, x: list[Text]) -> Text:
    is_ = "<" if compared.op is Op.LT else "=="
    return Text(f"vec_where({x[0].code}, {is_}, {x[1].code})")


def _carried(node: Node) -> tuple[Node, Node] | None:
    """A word, and the comparison whose bit is added to it."""
    for word, bit in (node.inputs, node.inputs[::-1]):
        compared = bit.inputs[0] if bit.op is Op.EXTEND and bit.inputs[0].op in COMPARISONS else None
        if compared:
            return word, compared
    return None


def _with_carry(c: LongVector, node: Node, x: list[Text]) -> Text:
    """A mask is -1, and subtracted."""
    carried = _carried(node)
    assert carried
    return c.reduced(node, binary("-", x[0], _mask(carried[1], x[1:])))


def _parts_with_carry(node: Node) -> tuple[Node, ...]:
    carried = _carried(node)
    assert carried
    return carried[0], *carried[1].inputs


def _choice(node: Node, mask: Text, a: Text, b: Text) -> Text:
    if node.inputs[2].op is Op.CONST and node.inputs[2].attr == 0:
        return binary("&", mask, a)
    return binary("^", Text(f"({mask.code} & ({binary('^', a, b).code}))"), b)


#: For each operation its forms, the most particular first.
_FORMS: dict[Op, tuple[_Form, ...]] = {
    Op.MUL: (_Form(_product, _is_half_product, _halves_of),),
    Op.JOIN: (_Form(_lower_halves, _are_lower_halves, _halves_of), _Form(_join)),
    Op.ADD: (_Form(_with_carry, lambda node: _carried(node) is not None, _parts_with_carry),),
    Op.SELECT: (
        _Form(
            lambda c, node, x: _choice(node, _mask(node.inputs[0], x), x[2], x[3]),
            lambda node: node.inputs[0].op in COMPARISONS,
            lambda node: (*node.inputs[0].inputs, *node.inputs[1:]),
        ),
        _Form(lambda c, node, x: _choice(node, Text(f"(vec_of(0u) - {x[0].inside('-')})"), x[1], x[2])),
    ),
    Op.SLICE: (_Form(_slice),),
    Op.EXTEND: (_Form(lambda c, node, x: x[0]),),
    **dict.fromkeys(COMPARISONS, (_Form(lambda c, node, x: binary("&", _mask(node, x), Text("1u"))),)),
}


def _form(node: Node) -> _Form | None:
    return next((form for form in _FORMS.get(node.op, ()) if form.fits(node)), None)
