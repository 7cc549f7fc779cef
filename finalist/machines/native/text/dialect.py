"""How one operation is written in C: on scalars, and on vectors of lanes.

An operand is a pair of text and binding; compound operands get parentheses unless they join a chain of
the same associative operator. Locals are ``uint32_t`` or ``uint64_t``, never narrower, so C's promotions
to signed int can't happen; values narrower than their variable are kept reduced.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Container
from dataclasses import dataclass

from finalist.ir.builder import mask
from finalist.ir.graph import Node
from finalist.ir.ops import Op
from finalist.ir.types import TupleType, storage_bits
from finalist.machines.native.passes.scalars import masks
from finalist.machines.native.vectors import logic
from finalist.machines.native.whole_blocks.registers import FILES, REGISTER
from finalist.passes.analysis import Bounds, greatest

_CHAINED = {"^", "|", "&", "+"}
#: Bits of words that C has types for, narrower than a variable.
_NARROW = (8, 16)


@dataclass(frozen=True, slots=True)
class Text:
    """A C expression; ``binding`` is its outermost operator, empty for one that needs no parentheses."""

    code: str
    binding: str = ""

    def inside(self, operator: str) -> str:
        """The text as an operand of ``operator``."""
        free = not self.binding or (self.binding == operator and operator in _CHAINED)
        return self.code if free else f"({self.code})"


def binary(operator: str, a: Text, b: Text) -> Text:
    """``a operator b``."""
    right = b.code if not b.binding or b.binding == operator == "^" else f"({b.code})"
    return Text(f"{a.inside(operator)} {operator} {right}", operator)


def register_bits(width: int) -> int:
    """Bits of the variable that a value lives in."""
    return 32 if width <= 32 else 64


class Scalar:
    """One block in plain unsigned integers."""

    #: How what a word can't hold is kept.
    registers = FILES[REGISTER]
    #: What is known of the words of the function that is being written.
    bounds = Bounds()
    #: Nodes that may have any bits above their width.
    unmasked: Container[Node] = ()
    #: Vectors side by side that are worked on in step, none lagging behind the others.
    abreast = 1

    def kind(self, node: Node) -> str:
        """The C type of a node's variable."""
        return self.registers.type if isinstance(node.type, TupleType) else self.type(node.width)

    def type(self, width: int) -> str:
        """The C type of a variable."""
        return f"uint{register_bits(width)}_t"

    def constant(self, value: int, width: int) -> Text:
        """A literal."""
        text = str(value) if value < 10 else f"0x{value:x}"
        return Text(text + ("u" if register_bits(width) == 32 else "ull"))

    def takes(self, node: Node) -> tuple[Node, ...]:
        """The values whose texts `expression` wants: the operands, or what those are made of."""
        word = _borrowing(node)
        return node.inputs if word is None else (word,)

    def expression(self, node: Node, operands: list[Text]) -> Text:
        """The operation of a node on the texts of what it takes."""
        return _SCALAR[node.op](self, node, operands)

    def spread(self, text: Text) -> Text:
        """An operand that is the same for all blocks, where the operation wants one for each."""
        return text

    def shared(self, text: Text, node: Node) -> Text:
        """An operand that is the same for all blocks, where the operation takes it as it is."""
        return text

    def mask_of(self, condition: Text, width: int) -> Text:
        """Ones where a condition holds, else zeros, from what a comparison gives in C."""
        return Text(f"-({self.type(width)})({condition.code})")

    def logic(self, words: list[Text], truth: int) -> Text:
        """A function of three words, bit by bit."""
        operands = {name: text.inside("~") for name, text in zip("abc", words, strict=True)}
        return Text(re.sub("[abc]", lambda name: operands[name[0]], logic.expressions()[truth]), "?")

    def map(self, matrix: str, operand: Text) -> Text:
        """A linear map of one word that was not lowered, by its name."""
        return Text(f"{matrix}({operand.code})")

    def read(self, array: str, index: str, node: Node) -> Text:
        """An entry of a table or array; a narrow one is widened before C would promote it to a signed int."""
        text = f"{array}[{index}]"
        return Text(text if storage_bits(node.width) >= 32 else f"(uint32_t){text}")

    def scan(self, array: str, index: str, node: Node) -> Text:
        """As `read`, going through all of the table or array."""
        bits = storage_bits(node.width)
        entries = len(node.attr.values) if node.op is Op.LOOKUP else node.inputs[0].length
        return Text(f"({self.type(node.width)})scan_read_{entries * bits // 8}x{bits}({array}, {index})")

    def in_pairs(self, node: Node) -> bool:
        """Whether a read at places that differ is done for two vectors at once."""
        return False

    def place(self, node: Node) -> Node:
        """The word that such a read finds its place in."""
        raise NotImplementedError(node)  # nobody asks a dialect that does none in pairs

    def pair(self, table: str, node: Node, other: Node, a: Text, b: Text) -> Text:
        """Two such reads of a table, from those words of both: a structure of vectors `a` and `b`."""
        raise NotImplementedError(table)  # nor for this

    def entry(self, array: str, index: str) -> Text | None:
        """An entry of the expanded key where the dialect has a way of its own to read one."""
        return None

    def reduced(self, node: Node, text: Text) -> Text:
        """``text`` cut to the node's width."""
        if node.width == register_bits(node.width) or node in self.unmasked:
            return text
        return self.masked(node, text)

    def turned(self, node: Node, text: Text) -> Text:
        """The same of a rotation: by the cast compilers know one of a narrow word, and make it one
        instruction."""
        if node.width in _NARROW:
            return Text(f"(uint32_t)(uint{node.width}_t)({text.code})")
        return self.reduced(node, text)

    def masked(self, node: Node, text: Text) -> Text:
        """``text`` without the bits above the node's width."""
        return binary("&", text, self.constant(mask(node.width), node.width))


Write = Callable[[Scalar, Node, list[Text]], Text]


def _plain(operator: str) -> Write:
    return lambda c, node, x: binary(operator, x[0], x[1])


def _reducing(operator: str) -> Write:
    return lambda c, node, x: c.reduced(node, binary(operator, x[0], x[1]))


def _mulhi(c: Scalar, node: Node, x: list[Text]) -> Text:
    bits = register_bits(node.width)
    if 2 * node.width <= bits:  # which holds the product
        return Text(f"({x[0].inside('*')} * {x[1].inside('*')}) >> {node.width}", ">>")
    wide = "uint64_t" if bits == 32 else "unsigned __int128"
    product = f"({wide}){x[0].inside('*')} * {x[1].inside('*')}"
    return Text(f"({c.type(node.width)})(({product}) >> {node.width})")


def _rem(c: Scalar, node: Node, x: list[Text]) -> Text:
    remainder = binary("%", x[0], x[1])
    if node.inputs[1].op is Op.CONST:
        return remainder if node.inputs[1].attr else x[0]
    return Text(f"{x[1].inside('?')} ? {remainder.code} : {x[0].inside('?')}", "?")


def _constant_amount(node: Node) -> int | None:
    amount = node.inputs[1]
    return amount.attr if amount.op is Op.CONST else None


def _shift(operator: str) -> Write:
    def write(c: Scalar, node: Node, x: list[Text]) -> Text:
        amount = node.inputs[1]
        if amount.op is Op.CONST:
            if amount.attr >= node.width:
                return c.constant(0, node.width)
            shifted = Text(f"{x[0].inside(operator)} {operator} {amount.attr}", operator)
            return c.reduced(node, shifted) if operator == "<<" else shifted
        if c.bounds.greatest(amount) < node.width:
            return c.reduced(node, binary(operator, x[0], x[1]))
        # C leaves a shift past the width undefined; here it is zero, and without a branch.
        bits = register_bits(node.width)
        near = binary("&", x[1], c.constant(bits - 1, amount.width))
        inside = binary("<", x[1], c.constant(bits, amount.width))
        shifted = c.reduced(node, binary(operator, x[0], near))
        return binary("&", shifted, c.mask_of(inside, node.width))

    return write


def _rotate(left: bool) -> Write:
    there, back = ("<<", ">>") if left else (">>", "<<")

    def write(c: Scalar, node: Node, x: list[Text]) -> Text:
        word, n = x[0].inside("<<"), node.width
        amount = _constant_amount(node)
        if amount is not None:
            amount %= n
            if amount == 0:
                return x[0]
            return c.turned(node, Text(f"({word} {there} {amount}) | ({word} {back} {n - amount})", "|"))
        if n in (32, 64):
            turn = f"(uint32_t){x[1].inside('<<')}"
            return Text(f"{'rol' if left else 'ror'}{n}({x[0].code}, {turn})")
        turn = f"({x[1].inside('%')} % {n})"
        return c.reduced(node, Text(f"({word} {there} {turn}) | ({word} {back} ({n} - {turn}))", "|"))

    return write


def _compare(operator: str) -> Write:
    return lambda c, node, x: Text(f"(uint32_t)({binary(operator, x[0], x[1]).code})")


def _borrowing(node: Node) -> Node | None:
    """Of a mask of a word's being 0 that word, if the borrow of it less 1 gives all bits of the mask."""
    word = masks.zero_tested(node)
    return word if word and 2 * max(word.width, node.width) <= register_bits(word.width) else None


def _select(c: Scalar, node: Node, x: list[Text]) -> Text:
    """By a mask, since compilers turn ``?:`` into a branch as they like."""
    if len(x) == 1:
        return Text(f"({x[0].inside('-')} - 1u) >> {register_bits(node.width) - node.width}", ">>")
    if masks.is_mask(node):
        return c.reduced(node, c.mask_of(x[0], node.width))
    if node.inputs[2].op is Op.CONST and node.inputs[2].attr == 0:
        return binary("&", x[1], Text(f"-({c.type(node.width)}){x[0].inside('cast')}"))
    return Text(f"select{register_bits(node.width)}({x[0].code}, {x[1].code}, {x[2].code})")


def _slice(c: Scalar, node: Node, x: list[Text]) -> Text:
    source, low = node.inputs[0], node.attr
    text = Text(f"{x[0].inside('>>')} >> {low}", ">>") if low else x[0]
    if register_bits(source.width) != register_bits(node.width):
        text = Text(f"({c.type(node.width)}){text.inside('cast')}")
    if low + node.width == source.width and (low or node.width == source.width):
        return text
    return c.reduced(node, text)


def _join(c: Scalar, node: Node, x: list[Text]) -> Text:
    total, low = None, 0
    for part, text in zip(node.inputs, x, strict=True):
        if register_bits(part.width) != register_bits(node.width):
            text = Text(f"({c.type(node.width)}){text.inside('cast')}")
        moved = Text(f"{text.inside('<<')} << {low}", "<<") if low else text
        total = moved if total is None else binary("|", total, moved)
        low += part.width
    assert total is not None
    return total


def _extend(c: Scalar, node: Node, x: list[Text]) -> Text:
    if register_bits(node.inputs[0].width) == register_bits(node.width):
        return x[0]
    return Text(f"({c.type(node.width)}){x[0].inside('cast')}")


def _logic(c: Scalar, node: Node, x: list[Text]) -> Text:
    words, truth = list(x), node.attr
    for given in range(len(words), 3):  # words that the function does not depend on
        words.append(words[-1])
        truth |= truth << (1 << given)
    text = c.logic(words, truth)
    return c.reduced(node, text) if truth & 1 else text


_SCALAR: dict[Op, Write] = {
    Op.AND: _plain("&"),
    Op.OR: _plain("|"),
    Op.XOR: _plain("^"),
    Op.NOT: lambda c, node, x: c.reduced(node, Text(f"~{x[0].inside('~')}")),
    Op.BOOL: _logic,
    Op.ADD: _reducing("+"),
    Op.SUB: _reducing("-"),
    Op.MUL: _reducing("*"),
    Op.MULHI: _mulhi,
    Op.REM: _rem,
    Op.SHL: _shift("<<"),
    Op.SHR: _shift(">>"),
    Op.ROL: _rotate(left=True),
    Op.ROR: _rotate(left=False),
    Op.EQ: _compare("=="),
    Op.LT: _compare("<"),
    Op.SELECT: _select,
    Op.SLICE: _slice,
    Op.JOIN: _join,
    Op.EXTEND: _extend,
}


class Registers(Scalar):
    """Whole blocks in registers, as many side by side as a vector of ``bits`` bits holds."""

    def __init__(self, bits: int) -> None:
        self.registers = FILES[bits]


class Vector(Scalar):
    """One block a lane: GNU vectors of ``lanes`` words of ``lane_bits`` bits.

    Operands that are the same for all blocks (round keys, constants) stay scalars; GNU C spreads them.
    """

    #: Operations with a vector form that takes all lanes at once, on words that fill their lanes.
    LANEWISE = frozenset(
        {Op.AND, Op.OR, Op.XOR, Op.NOT, Op.ADD, Op.SUB, Op.MUL, Op.SHL, Op.SHR, Op.ROL, Op.ROR}
    )
    #: Boolean functions, each of up to three words: one form for all widths and layouts.
    LOGIC = frozenset({Op.BOOL})
    #: Operations that also have one on narrower words, kept reduced in lanes of 32 bits.
    NARROW = frozenset({Op.AND, Op.OR, Op.XOR, Op.SLICE, Op.EXTEND, Op.JOIN, Op.LT})
    #: Reads at a place that depends on the block: a gather.
    READS = frozenset({Op.LOOKUP, Op.LOAD})

    def __init__(self, lane_bits: int, lanes: int) -> None:
        self.lane_bits = lane_bits
        self.lanes = lanes

    def type(self, width: int) -> str:
        return "vec"

    def takes(self, node: Node) -> tuple[Node, ...]:
        return node.inputs

    def turned(self, node: Node, text: Text) -> Text:
        return self.reduced(node, text)

    def expression(self, node: Node, operands: list[Text]) -> Text:
        amount = _constant_amount(node) if node.op in (Op.ROL, Op.ROR) else None
        if amount is not None and amount % 8 == 0:
            left = amount if node.op is Op.ROL else self.lane_bits - amount
            return Text(f"vec_rol{left}({operands[0].code})")
        if node.op is Op.SHL and _constant_amount(node) == 1:
            # Vector units add on more ports than they shift on.
            return Text(f"{operands[0].inside('+')} + {operands[0].inside('+')}", "+")
        if node.op in (Op.ROL, Op.ROR) and amount is None:
            name = "vec_rol" if node.op is Op.ROL else "vec_ror"
            name += "_near" if self.bounds.greatest(node.inputs[1]) < node.width else ""
            return Text(f"{name}({operands[0].code}, {operands[1].code})")
        if node.op is Op.LT:
            return Text(f"(vec)({operands[0].inside('<')} < {operands[1].inside('<')}) & 1u", "&")
        return _SCALAR[node.op](self, node, operands)

    def spread(self, text: Text) -> Text:
        return Text(f"((vec){{0}} + {text.inside('+')})")

    def mask_of(self, condition: Text, width: int) -> Text:
        return Text(f"(vec)({condition.code})")

    def logic(self, words: list[Text], truth: int) -> Text:
        return Text(f"vec_logic({', '.join(word.code for word in words)}, {logic.literal(truth)})")

    def read(self, array: str, index: str, node: Node) -> Text:
        return Text(f"vec_gather({array}, {index})")

    @classmethod
    def refusal(cls, node: Node, lane_bits: int, lookup: str) -> str:
        """Why this operation can't be done on lanes; empty if it can."""
        if node.op in cls.READS and node.width > lane_bits:
            return f"an entry of {node.width} bits does not fit a lane of {lane_bits} ({node.line})"
        if node.op in cls.READS:
            return cls._no_gather(node, lane_bits, lookup)
        if node.op in cls.LOGIC and len(node.inputs) <= 3:
            return ""
        if node.op not in cls.LANEWISE | cls.NARROW:
            return f"{node.op.label} has no form on vectors ({node.line})"
        if node.op in (Op.SHL, Op.SHR) and greatest(node.inputs[1]) >= node.width:
            return f"a shift by a word that may pass the lane has no form on vectors ({node.line})"
        narrow = node.op in cls.NARROW and lane_bits == 32 and node.width <= 32
        if node.width != lane_bits and not narrow:
            return f"a word of {node.width} bits does not fill its lane of {lane_bits} ({node.line})"
        return ""

    @classmethod
    def _no_gather(cls, node: Node, lane_bits: int, lookup: str) -> str:
        if lookup != "gather":
            return f"{node.op.label} has no form on vectors with lookup={lookup} ({node.line})"
        if lane_bits not in (32, 64):
            return f"a gather takes lanes of 32 or 64 bits, not {lane_bits} ({node.line})"
        if node.op is Op.LOAD and node.width != lane_bits:
            return f"a gather takes arrays of {lane_bits}-bit words, not {node.width} ({node.line})"
        return ""
