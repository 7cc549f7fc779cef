"""What LLVM's instructions on words give, on words that may not be known (LLVM Language Reference)."""

from __future__ import annotations

from collections.abc import Sequence

from finalist.ir.ops import Op
from finalist.llvm.module import Instruction
from finalist.llvm.types import Type, width_of
from finalist.prove.bits import Word, bits_of, known
from finalist.prove.words import NotCoveredError, Words

_BINARY = {
    "add": Op.ADD,
    "sub": Op.SUB,
    "mul": Op.MUL,
    "and": Op.AND,
    "or": Op.OR,
    "xor": Op.XOR,
    "shl": Op.SHL,
    "lshr": Op.SHR,
    "urem": Op.REM,
}
_SHIFTS = frozenset({"shl", "lshr", "ashr"})


def word(words: Words, one: Instruction, values: list[Word], kinds: Sequence[Type], made: Type) -> Word:
    """What an instruction on words gives, of operands of these ``kinds``. Raises NotCoveredError."""
    op = one.op
    if op in {"zext", "trunc", "ptrtoint", "inttoptr", "bitcast", "freeze", "addrspacecast"}:
        return _cut(values[0], min(width_of(kinds[0]), width_of(made)))
    width = width_of(kinds[0])
    if op == "sext":
        return extended(values[0], width, width_of(made))
    if op == "icmp":
        return _compared(words, one.detail, values, width)
    if op == "select":
        return known(words.select(bits_of(values[0], 1)[0], values[1], values[2], width_of(made)))
    if op in _SHIFTS and not _within(values[1], width):
        raise NotCoveredError(f"{op} by {width} bits or more, which C leaves undefined")
    if op in _BINARY:
        return words.apply(_BINARY[op], values, width)
    return _divided(words, op, values, width)


def _within(amount: Word, width: int) -> bool:
    """Whether an amount is below the width, so far as its bits above say."""
    amount, least = known(amount), (width - 1).bit_length()
    if isinstance(amount, int):
        return amount < width
    return not width & (width - 1) and not any(amount[least:])


def _divided(words: Words, op: str, values: list[Word], width: int) -> Word:
    """A shift that keeps the sign, and a division by a power of two."""
    dividend, amount = known(values[0]), known(values[1])
    if op == "ashr" and isinstance(amount, int):
        return _cut(extended(values[0], width, width + amount), width + amount, amount)
    if op == "udiv" and isinstance(amount, int) and amount and not amount & (amount - 1):
        return words.apply(Op.SHR, [values[0], amount.bit_length() - 1], width)
    if op == "udiv" and isinstance(dividend, int) and isinstance(amount, int) and amount:
        return dividend // amount
    raise NotCoveredError(f"{op} by {amount if isinstance(amount, int) else 'a word that is not known'}")


def _compared(words: Words, predicate: str, values: list[Word], width: int) -> Word:
    a, b = (bits_of(value, width) for value in values)
    if predicate in {"eq", "ne"}:
        return known((words.equal(a, b) ^ (predicate == "ne"),))
    if predicate[0] == "s":
        a, b = (*a[:-1], a[-1] ^ 1), (*b[:-1], b[-1] ^ 1)
    if predicate[1:] in {"gt", "le"}:
        a, b = b, a
    less = words.apply(Op.LT, [known(a), known(b)], width)
    return known(tuple(bit ^ (predicate[1:] in {"ge", "le"}) for bit in bits_of(less, 1)))


def _cut(value: Word, end: int, start: int = 0) -> Word:
    return known(bits_of(value, end)[start:])


def extended(value: Word, width: int, wide: int) -> Word:
    """With its highest bit in all above."""
    bits = bits_of(value, width)
    return known(bits + (bits[-1],) * (wide - width))
