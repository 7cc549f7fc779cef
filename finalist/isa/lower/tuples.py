"""Tuples of words as one word of the processor, the first word in its lowest bits.

What is done alike to the words of tuples is done in one operation; words of tuples in another order are
rotated, moved and masked; others are put side by side.
"""

from __future__ import annotations

from collections.abc import Sequence

from finalist.ir.graph import Node, is_tuple_word, tuple_of
from finalist.ir.ops import BITWISE, Op
from finalist.ir.types import TupleType
from finalist.isa.lower.context import Context
from finalist.isa.lower.packed_words import lane_bits
from finalist.isa.target.meaning import Term, constant, permuted

_IN_LANES = frozenset({Op.ADD, Op.SUB})
#: Operations in lanes whose second operand is one amount for all, and those of which it is a number.
_TURNS = frozenset({Op.ROL, Op.ROR})
_SHIFTS = frozenset({Op.SHL, Op.SHR})


def lane_term(context: Context, node: Node) -> Term:
    """A word of a tuple, perhaps with something above it."""
    register, low = node.inputs[0], node.attr * node.width
    whole = context.term(register)
    return whole >> low if low else whole


#: What a register can be made of without each word being in one.
_FROM_ELSEWHERE = frozenset({Op.CONST, Op.LOOKUP, Op.LOAD, Op.JOIN, Op.SLICE, Op.EXTEND})


def tuple_term(context: Context, node: Node) -> Term:
    """A tuple."""
    return one_move(context, node) or _joined(context, node.inputs)


def one_move(context: Context, node: Node) -> Term | None:
    """A tuple that is made of others as a whole: by one operation, or by moving their words."""
    return _operation(context, node) or _exchanged(context, node.inputs)


def shorter_in_memory(context: Context, words: Sequence[Node]) -> bool:
    """Whether words, each of a register, are put side by side by stores and a load in fewer instructions."""
    size, count = words[0].width, len(words)
    fill = count * size == context.processor.width and all(word.width == size for word in words)
    if not fill or any(word.op in _FROM_ELSEWHERE or is_tuple_word(word) for word in words):
        return False
    masks = sum(context.is_loose(word) for word in words[:-1])
    return count + 1 < 2 * (count - 1) + masks


# -- one operation for all ---------------------------------------------------------------------------


def _operation(context: Context, node: Node) -> Term | None:
    op, words = node.inputs[0].op, node.inputs
    if any(word.op is not op for word in words):
        return None
    if op in BITWISE and op is not Op.BOOL:
        lane = 0
    elif op in _IN_LANES | _TURNS | _SHIFTS:
        lane = words[0].width
        if not context.processor.has(Op.ROR if op in _TURNS else op, lane):
            return None
    else:
        return None
    amount = op in _TURNS | _SHIFTS
    if amount and not _one_amount(op, words):
        return None
    columns = [tuple(word.inputs[k] for word in words) for k in range(len(words[0].inputs))]
    sides = [_side(context, column) for column in (columns[:1] if amount else columns)]
    if any(side is None for side in sides):
        return None
    if amount:
        sides.append(context.term(words[0].inputs[1]))
    return Term(op, tuple(side for side in sides if side is not None), lane=lane)


def _one_amount(op: Op, words: Sequence[Node]) -> bool:
    first = words[0].inputs[1]
    return all(word.inputs[1] is first for word in words) and (op in _TURNS or first.op is Op.CONST)


def _side(context: Context, column: Sequence[Node]) -> Term | None:
    """An operand for all lanes: a tuple whose words they are, or constants."""
    if all(word.op is Op.CONST for word in column):
        return constant(sum(word.attr << k * word.width for k, word in enumerate(column)))
    register = tuple_of(column)
    return None if register is None else context.term(register)


# -- bytes of tuples in another order ------------------------------------------------------------------

#: A byte of a tuple: that, and its number.
_Byte = tuple[Node, int]


def _exchanged(context: Context, words: Sequence[Node]) -> Term | None:
    """Words of tuples, their bytes, and zeros, elsewhere: moved together where they move as far."""
    bytes_ = _bytes_of(context, words)
    if bytes_ is None:
        return None
    count = len(bytes_)
    moves: dict[_Byte, set[int]] = {}
    for place, byte in enumerate(bytes_):
        if byte is not None:
            moves.setdefault((byte[0], (place - byte[1]) % count), set()).add(place)
    whole = _permuted(context, bytes_, moves) or _swapped(context, moves, count)
    whole = whole or _traded(context, moves, count)
    if whole is not None or len(moves) > len(words):
        return whole
    total: Term | None = None
    for (register, up), places in moves.items():
        part = _moved(context.term(register), up, places, count)
        total = part if total is None else total | part
    return constant(0) if total is None else total


def _bytes_of(context: Context, words: Sequence[Node]) -> list[_Byte | None] | None:
    """Where each byte of a register comes from, None for zeros; nothing if one comes from elsewhere."""
    found: list[_Byte | None] = []
    for part in (part for word in words for part in (word.inputs if word.op is Op.JOIN else (word,))):
        size, rest = divmod(part.width, 8)
        if rest:
            return None
        word, low = (part.inputs[0], part.attr) if part.op is Op.SLICE else (part, 0)
        if _is_zero(part):
            found += [None] * size
        elif is_tuple_word(word) and low % 8 == 0 and _fills(context, word.inputs[0]):
            first = (word.attr * word.width + low) // 8
            found += [(word.inputs[0], first + k) for k in range(size)]
        else:
            return None
    return found if len(found) * 8 == context.processor.width else None


def _fills(context: Context, register: Node) -> bool:
    assert isinstance(register.type, TupleType)
    return lane_bits(register) * len(register.type.items) == context.processor.width


def _is_zero(word: Node) -> bool:
    return word.op is Op.CONST and word.attr == 0


def _rotated(register: Term, up: int) -> Term:
    return Term(Op.ROL, (register, constant(up * 8))) if up else register


def _bytes_mask(places: set[int]) -> Term:
    return constant(sum(0xFF << place * 8 for place in places))


def _moved(register: Term, up: int, places: set[int], count: int) -> Term:
    """Bytes of a register rotated up, without the others; a shift does both where they are the last ones."""
    if len(places) == count:
        return _rotated(register, up)
    if up and places == set(range(up, count)):
        return register << up * 8
    if up and places == set(range(up)):
        return register >> (count - up) * 8
    return _rotated(register, up) & _bytes_mask(places)


def _permuted(context: Context, bytes_: Sequence[_Byte | None], moves: dict[_Byte, set[int]]) -> Term | None:
    """Bytes of one register in any order by one instruction that moves them, where a rotation does not."""
    kinds, registers = context.processor.permutes, {register for register, _ in moves}
    if not kinds or len(registers) != 1 or len(moves) < 2 or not all(bytes_):
        return None
    index = sum(byte[1] << 8 * k for k, byte in enumerate(bytes_) if byte is not None)
    return permuted(constant(index), context.term(registers.pop()), kinds[0])


def _swapped(context: Context, moves: dict[_Byte, set[int]], count: int) -> Term | None:
    """One register of which some bytes stay and the others are rotated: they are exchanged by one mask."""
    rotated = [up for _, up in moves if up]
    if len({register for register, _ in moves}) != 1 or len(moves) != 2 or len(rotated) != 1:
        return None
    (register, up), places = next(item for item in moves.items() if item[0][1])
    if sum(map(len, moves.values())) != count:
        return None
    word = context.term(register)
    return word ^ ((word ^ _rotated(word, up)) & _bytes_mask(places))


def _traded(context: Context, moves: dict[_Byte, set[int]], count: int) -> Term | None:
    """One register of which some bytes stay and others are exchanged with those so many places above them."""
    by_move = {up: places for (_, up), places in moves.items()}
    if len({register for register, _ in moves}) != 1 or len(moves) != 3 or 0 not in by_move:
        return None
    up = min(by_move.keys() - {0})
    lower = by_move.get(count - up, set())
    if {place + up for place in lower} != by_move[up] or sum(map(len, by_move.values())) != count:
        return None
    word = context.term(next(iter(moves))[0])
    differ = ((word >> up * 8) ^ word) & _bytes_mask(lower)
    return word ^ differ ^ (differ << up * 8)


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
