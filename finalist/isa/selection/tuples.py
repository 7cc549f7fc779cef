"""Tuples of words as one word of the processor, the first word in its lowest bits.

What is done alike to the words of tuples is done in one operation; words of tuples in another order are
rotated, moved and masked; others are put side by side.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeVar

from finalist.ir.builder import mask
from finalist.ir.graph import Node, TupleType, WordType
from finalist.ir.ops import BITWISE, CONTROL, Op
from finalist.isa.processor.meaning import Term, constant, permuted

if TYPE_CHECKING:
    from finalist.isa.selection.words import Context

#: Operations in lanes whose second operand is one amount for all.
_TURNS = frozenset({Op.ROL, Op.ROR})
_IN_LANES = frozenset({Op.ADD, Op.SUB})


def is_lane(node: Node) -> bool:
    """Whether a node is a word of a tuple, rather than what a loop or conditional gives."""
    return node.op is Op.RESULT and node.inputs[0].op not in CONTROL


def lane_bits(register: Node) -> int:
    """Bits of a tuple's words."""
    assert isinstance(register.type, TupleType)
    first = register.type.items[0]
    assert isinstance(first, WordType)
    return first.width


def lane_term(context: Context, node: Node) -> Term:
    """A word of a tuple, perhaps with something above it."""
    register, low = node.inputs[0], node.attr * node.width
    whole = context.term(register)
    return whole >> low if low else whole


T = TypeVar("T")


def in_memory_order(words: Sequence[T], ascending: bool) -> Sequence[T]:
    """The words of a tuple as they lie in memory, the first one first."""
    return words if ascending else words[::-1]


def reads(node: Node) -> bool:
    """Whether a node is a tuple of entries of one array."""
    return node.op is Op.TUPLE and all(
        word.op is Op.LOAD and word.inputs[0] is node.inputs[0].inputs[0] for word in node.inputs
    )


def tuple_term(context: Context, node: Node) -> Term:
    """A tuple."""
    return _operation(context, node) or _exchanged(context, node.inputs) or _joined(context, node.inputs)


# -- one operation for all ---------------------------------------------------------------------------


def _operation(context: Context, node: Node) -> Term | None:
    op, words = node.inputs[0].op, node.inputs
    if any(word.op is not op for word in words):
        return None
    if op in BITWISE and op is not Op.BOOL:
        lane = 0
    elif op in _IN_LANES or op in _TURNS:
        lane = words[0].width
        if not context.processor.has(Op.ROR if op in _TURNS else op, lane):
            return None
    else:
        return None
    amount = op in _TURNS
    if amount and len({word.inputs[1] for word in words}) > 1:
        return None
    columns = [tuple(word.inputs[k] for word in words) for k in range(len(words[0].inputs))]
    sides = [_side(context, column) for column in (columns[:1] if amount else columns)]
    if any(side is None for side in sides):
        return None
    if amount:
        sides.append(context.term(words[0].inputs[1]))
    return Term(op, tuple(side for side in sides if side is not None), lane=lane)


def _side(context: Context, column: Sequence[Node]) -> Term | None:
    """An operand for all lanes: a tuple whose words they are, or constants."""
    if all(word.op is Op.CONST for word in column):
        return constant(sum(word.attr << k * word.width for k, word in enumerate(column)))
    register = column[0].inputs[0] if is_lane(column[0]) else None
    if register is None or not _in_order(column, register):
        return None
    return context.term(register)


def _in_order(column: Sequence[Node], register: Node) -> bool:
    return all(
        is_lane(word) and word.inputs[0] is register and word.attr == k for k, word in enumerate(column)
    )


# -- words of tuples in another order ------------------------------------------------------------------


def _exchanged(context: Context, words: Sequence[Node]) -> Term | None:
    """Words of tuples, and zeros, elsewhere: moved together where they move as far."""
    count, bits = len(words), words[0].width
    if count * bits != context.processor.width or not all(is_lane(w) or _is_zero(w) for w in words):
        return None
    moves: dict[tuple[Node, int], set[int]] = {}
    for lane, word in enumerate(words):
        if not _is_zero(word):
            moves.setdefault((word.inputs[0], (lane - word.attr) % count), set()).add(lane)
    if any(lane_bits(register) != bits for register, _ in moves):
        return None
    whole = _permuted(context, words, moves) or _swapped(context, moves, count, bits)
    if whole is not None:
        return whole
    total: Term | None = None
    for (register, up), lanes in moves.items():
        part = _moved(context.term(register), up, lanes, count, bits)
        total = part if total is None else total | part
    return constant(0) if total is None else total


def _is_zero(word: Node) -> bool:
    return word.op is Op.CONST and word.attr == 0


def _turned(register: Term, up: int, bits: int) -> Term:
    return Term(Op.ROL, (register, constant(up * bits))) if up else register


def _lanes_mask(lanes: set[int], bits: int) -> Term:
    return constant(sum(mask(bits) << lane * bits for lane in lanes))


def _moved(register: Term, up: int, lanes: set[int], count: int, bits: int) -> Term:
    """Lanes of a register turned up, without the others; a shift does both where they are the last ones."""
    if len(lanes) == count:
        return _turned(register, up, bits)
    if up and lanes == set(range(up, count)):
        return register << up * bits
    if up and lanes == set(range(up)):
        return register >> (count - up) * bits
    return _turned(register, up, bits) & _lanes_mask(lanes, bits)


def _permuted(
    context: Context, words: Sequence[Node], moves: dict[tuple[Node, int], set[int]]
) -> Term | None:
    """Words of one register in any order by one instruction that moves bytes, where a rotation does not."""
    kinds, registers = context.processor.permutes, {register for register, _ in moves}
    if not kinds or len(registers) != 1 or len(moves) < 2 or any(map(_is_zero, words)):
        return None
    size = words[0].width // 8
    places = [word.attr * size + k for word in words for k in range(size)]
    index = sum(place << 8 * k for k, place in enumerate(places))
    return permuted(constant(index), context.term(registers.pop()), kinds[0])


def _swapped(context: Context, moves: dict[tuple[Node, int], set[int]], count: int, bits: int) -> Term | None:
    """One register of whose lanes some stay and the others are turned: they are exchanged by one mask."""
    turned = [up for _, up in moves if up]
    if len({register for register, _ in moves}) != 1 or len(moves) != 2 or len(turned) != 1:
        return None
    (register, up), lanes = next(item for item in moves.items() if item[0][1])
    if sum(map(len, moves.values())) != count:
        return None
    word = context.term(register)
    return word ^ ((word ^ _turned(word, up, bits)) & _lanes_mask(lanes, bits))


# -- anything ----------------------------------------------------------------------------------------


def _joined(context: Context, words: Sequence[Node]) -> Term:
    total: Term | None = None
    at = 0
    for number, word in enumerate(words):
        top = at + word.width == context.processor.width and number == len(words) - 1
        part = context.low(word) if top else context.term(word)
        if not _is_zero(word):
            part = part << at if at else part
            total = part if total is None else total | part
        at += word.width
    return constant(0) if total is None else total
