"""Meanings of instructions on words that may not be known: `finalist.isa.target.meaning.evaluate`, once more
for these; the meanings themselves are those of the processor."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from finalist.ir.ops import COMPARISONS, SHIFTS, Op
from finalist.isa.target.meaning import Bank, InRegister, Leaf, Term
from finalist.prove.bits import Word, bits_of, known
from finalist.prove.words import Words

#: What is asked of memory and banks: the term and the words of its operands.
Outside = Callable[[Term, tuple[Word, ...]], Word]


def value(
    words: Words,
    meaning: Term,
    operands: Mapping[str, Word],
    width: int,
    outside: Outside | None = None,
    made: dict[Term, Word] | None = None,
) -> Word:
    """The word of a term; ``width``: bits of the machine's words; ``made``: of the terms within it that have
    their word already, and where those are put that get one."""
    if isinstance(meaning.op, Leaf):
        own = meaning.width or width
        if meaning.op is not Leaf.OPERAND:
            return int(meaning.attr) & (1 << own) - 1
        word = operands[meaning.attr]
        return word & (1 << own) - 1 if isinstance(word, int) else known(bits_of(word, own))
    made = {} if made is None else made
    found = made.get(meaning)
    if found is None:
        values = tuple([value(words, arg, operands, width, outside, made) for arg in meaning.args])
        found = made[meaning] = _applied(words, meaning, values, width, outside)
    return found


def _applied(
    words: Words, meaning: Term, values: tuple[Word, ...], width: int, outside: Outside | None
) -> Word:
    """What the operation of a term makes of its operands' words."""
    if isinstance(meaning.attr, InRegister):
        return _permuted(words, meaning.attr, values[0], values[1], width)
    if meaning.op in (Op.LOAD, Op.LOOKUP):
        if meaning.op is Op.LOOKUP and not isinstance(meaning.attr, Bank):
            return words.lookup(meaning.attr.values, values[0], width, meaning.attr)
        assert outside is not None
        return outside(meaning, values)
    assert isinstance(meaning.op, Op)
    own = meaning.width
    if meaning.op in COMPARISONS:
        own = max((arg.width for arg in meaning.args), default=0)
    if not meaning.lane:
        return words.apply(meaning.op, values, own or width)
    return _lanes(words, meaning, values, width)


def _lanes(words: Words, meaning: Term, values: tuple[Word, ...], width: int) -> Word:
    assert isinstance(meaning.op, Op)
    total: list[int] = []
    for low in range(0, width, meaning.lane):
        parts = [known(bits_of(word, width)[low : low + meaning.lane]) for word in values]
        if meaning.op in SHIFTS:  # one amount for all lanes
            parts[1:] = values[1:]
        total += bits_of(words.apply(meaning.op, parts, meaning.lane), meaning.lane)
    return known(tuple(total))


def _permuted(words: Words, kind: InRegister, index: Word, table: Word, width: int) -> Word:
    size, total = width // 8, list[int]()
    entries: list[Word] = [known(bits_of(table, width)[8 * k : 8 * k + 8]) for k in range(size)]
    if not kind.wraps:
        entries += [0] * (256 - size)
    for low in range(0, width, 8):
        place = known(bits_of(index, width)[low : low + 8])
        total += bits_of(words.lookup(entries, place, 8), 8)
    return known(tuple(total))
