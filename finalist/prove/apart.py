"""Whether a kernel of several blocks keeps them apart: of which blocks each bit of the output is made.

Of each bit of each word is known whether it is 0 or 1, made of the key alone, or of the key and one block;
else it is mixed. No bit is held for less than it hangs on: what an operation may make of several blocks is
mixed. Where each block of the output is made of its own block alone, it is a function of that block, another
one at each place perhaps; which functions these are is seen on blocks that are all the same unknown one. So
two programs that keep their blocks apart, and agree there, agree on all blocks.

XORs of bits of several blocks are remembered until they come out again, as where bits of two words change
places by three XORs: ``t = (a >> n ^ b) & m``, ``b ^= t``, ``a ^= t << n``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from itertools import product
from typing import Any

from finalist.ir import interpreter
from finalist.ir.graph import Node
from finalist.ir.ops import Op
from finalist.ir.program import Program
from finalist.ir.types import WordType
from finalist.prove.bits import Bits, bits_of
from finalist.prove.definition import merge, split
from finalist.prove.store import FALSE, TRUE
from finalist.prove.walk import Walk, operands
from finalist.prove.words import NotCoveredError

#: What a bit is that is not known: made of the key alone, of several blocks, of the first block.
KEY, MIXED, FIRST = 2, 3, 4
#: Bits in a XOR that are remembered.
_MOST = 4
#: Inputs of a gate whose truth table is looked at.
_INPUTS = 6


def kept_apart(program: Program, size: int, check: Callable[[], None] = lambda: None) -> bool:
    """Whether a program's kernel makes each block, of ``size`` bytes, of that block and the key alone.

    ``check`` is called before each operation, and may raise.
    """
    layout = program.block
    if program.stateful or layout.bytes % size:
        return False
    if layout.bytes == size:
        return True
    own = [FIRST + at // size for at in range(layout.bytes)]
    arrays = [tuple(Traced((KEY,) * t.width) for _ in range(t.length)) for t in program.key_types]
    try:
        blocks = [Traced(bits_of(word, layout.width)) for word in split(layout, [(one,) * 8 for one in own])]
        made = Origins(check).inside(program.kernel, [*blocks, *arrays])
    except NotCoveredError:
        return False
    output = merge(layout, [origins(word, layout.width) for word in made[: layout.count]])
    return all(bit in (FALSE, TRUE, KEY, one) for byte, one in zip(output, own, strict=True) for bit in byte)


class Traced:
    """A word that is not known: of each bit what it is made of.

    ``sums``: gives of each bit the bits of other words that it is the XOR of, or of these and 1; it is called
    once they are asked for. None for a word whose bits are no such sums.
    """

    __slots__ = ("_sums", "origins")

    def __init__(self, origins: Bits, sums: Callable[[], Sequence[_Sum]] | None = None) -> None:
        self.origins = origins
        self._sums: Callable[[], Sequence[_Sum]] | Sequence[_Sum] | None = sums

    @property
    def sums(self) -> Sequence[_Sum]:
        """Of each bit what it is the XOR of; of one that is known, nothing."""
        if self._sums is None:
            self._sums = [frozenset({(self, k)} if bit > TRUE else ()) for k, bit in enumerate(self.origins)]
        elif callable(self._sums):
            self._sums = self._sums()
        return self._sums


Word = int | Traced
_Sum = frozenset[tuple[Traced, int]]


def origins(word: Word, width: int) -> Bits:
    """Of each bit of a word what it is made of."""
    return bits_of(word if isinstance(word, int) else word.origins, width)


def _sums(word: Word, width: int) -> Sequence[_Sum]:
    return (_Sum(),) * width if isinstance(word, int) else word.sums


class Origins(Walk):
    """Carries out graphs on words whose bits say what they are made of."""

    def __init__(self, check: Callable[[], None] = lambda: None) -> None:
        super().__init__()
        self._check = check
        self.special |= {
            Op.SELECT: self._select,
            Op.APPLY: lambda node, env: self.inside(node.region, operands(node, env))[0],
            Op.LOAD: self._load,
            Op.STORE: self._store,
            Op.WINDOW: self._window,
        }

    def check(self) -> None:
        self._check()

    def word(self, node: Node, env: Mapping[Node, Any]) -> Word:
        values = operands(node, env)
        widths = [child.width for child in node.inputs]
        if all(isinstance(value, int) for value in values):
            inputs = [Node(Op.CONST, (), WordType(n), v) for v, n in zip(values, widths, strict=True)]
            return interpreter.fold(Node(node.op, tuple(inputs), node.type, node.attr, line=node.line))
        given = tuple(origins(value, width) for value, width in zip(values, widths, strict=True))
        placed = _places(node, values)
        if placed is not None:
            return _placed(placed, values, widths)
        table = node.attr if node.op is Op.BOOL else _TABLES.get(node.op)
        if table is None:
            return _value(_made(node.op, given, node.width, node.attr if node.op is Op.LINEAR else None))
        made = _gates(table, given)
        if MIXED in made:
            return _with_sums(table, made, given, [_sums(*pair) for pair in zip(values, widths, strict=True)])
        return _value(made)

    def selected(self, condition: Word, a: Word, b: Word, width: int, line: str) -> Word:
        words = (origins(condition, 1) * width, origins(a, width), origins(b, width))
        return _value(_gates(_SELECT, words))

    def known(self, value: Word) -> Word:
        return value

    def _select(self, node: Node, env: Mapping[Node, Any]) -> Word:
        condition, a, b = operands(node, env)
        if isinstance(condition, int):
            known: Word = a if condition else b
            return known
        return self.selected(condition, a, b, node.width, node.line)

    # -- arrays ---------------------------------------------------------------------------------

    def _load(self, node: Node, env: Mapping[Node, Any]) -> Word:
        array, index = operands(node, env)
        return self._entry(array, index, node.width)

    def _entry(self, array: Sequence[Word], index: Word, width: int) -> Word:
        if isinstance(index, int):
            return array[index % len(array)]
        entries = dict.fromkeys(origins(one, width) for one in array)
        return _value(tuple(together((*index.origins, *column)) for column in zip(*entries, strict=True)))

    def _store(self, node: Node, env: Mapping[Node, Any]) -> tuple[Word, ...]:
        array, index, value = operands(node, env)
        if isinstance(index, int):
            at = index % len(array)
            return (*array[:at], value, *array[at + 1 :])
        here, width = Traced((together(index.origins),)), node.inputs[2].width
        return tuple(self.selected(here, value, one, width, node.line) for one in array)

    def _window(self, node: Node, env: Mapping[Node, Any]) -> tuple[Word, ...]:
        array, start = operands(node, env)
        if isinstance(start, int):
            return tuple(array[(start + k) % len(array)] for k in range(node.attr))
        return tuple(self._entry(array, start, node.inputs[0].width) for _ in range(node.attr))


def _value(made: Bits) -> Word:
    """A word of such bits; a number if all are known."""
    if max(made) > TRUE:
        return Traced(made)
    return sum(bit << k for k, bit in enumerate(made))


@lru_cache(maxsize=1 << 16)
def together(bits: Bits) -> int:
    """What a bit is made of that may be any function of others."""
    blocks = {bit for bit in bits if bit > KEY}
    if len(blocks) > 1:
        return MIXED
    return blocks.pop() if blocks else KEY


# -- bits at other places ----------------------------------------------------------------------------


def _places(node: Node, values: Sequence[Word]) -> Sequence[tuple[int, int] | None] | None:
    """Of an operation that moves bits by what is known: by bit the operand, and the place there, that it is
    from, and None for 0; else None."""
    op, width = node.op, node.width
    if op is Op.JOIN:
        return [(at, k) for at, child in enumerate(node.inputs) for k in range(child.width)]
    if op is Op.SLICE:
        return [(0, k) for k in range(node.attr, node.attr + width)]
    if op is Op.EXTEND:
        return [(0, k) if k < node.inputs[0].width else None for k in range(width)]
    if op not in _MOVING or not isinstance(values[1], int):
        return None
    left = values[1] if op in (Op.SHL, Op.ROL) else -values[1]
    if op in (Op.ROL, Op.ROR):
        return [(0, (k - left) % width) for k in range(width)]
    return [(0, k - left) if 0 <= k - left < width else None for k in range(width)]


_MOVING = frozenset({Op.SHL, Op.SHR, Op.ROL, Op.ROR})


def _placed(places: Sequence[tuple[int, int] | None], values: Sequence[Word], widths: Sequence[int]) -> Word:
    given = [origins(*pair) for pair in zip(values, widths, strict=True)]
    made = tuple(FALSE if place is None else given[place[0]][place[1]] for place in places)
    if max(made) <= TRUE:
        return _value(made)

    def sums() -> list[_Sum]:
        own = [_sums(*pair) for pair in zip(values, widths, strict=True)]
        return [_Sum() if place is None else own[place[0]][place[1]] for place in places]

    return Traced(made, sums)


# -- bit by bit --------------------------------------------------------------------------------------

#: By operation its truth table; that of a choice by its first input.
_TABLES = {Op.AND: 0b1000, Op.OR: 0b1110, Op.XOR: 0b0110, Op.NOT: 0b01}
_SELECT = 0b11011000


@lru_cache(maxsize=1 << 14)
def _gates(table: int, words: tuple[Bits, ...]) -> Bits:
    return tuple(_gate(table, column) for column in zip(*words, strict=True))


@lru_cache(maxsize=1 << 16)
def _gate(table: int, column: Bits) -> int:
    """A function of bits: of those that it still hangs on where some of them are known."""
    if len(column) > _INPUTS:
        return together(column)
    needed, _, constant = _form(table, tuple([min(bit, KEY) for bit in column]))
    return together(tuple(column[k] for k in needed)) if needed else constant


@lru_cache(maxsize=1 << 16)
def _form(table: int, column: Bits) -> tuple[tuple[int, ...], bool, int]:
    """The inputs that a function hangs on where some of them are known, whether it is their XOR, or that and
    1, and its value where they are 0."""
    choices = [(bit,) if bit <= TRUE else (FALSE, TRUE) for bit in column]
    points = [sum(bit << k for k, bit in enumerate(point)) for point in product(*choices)]
    unknown = [k for k, bit in enumerate(column) if bit > TRUE]
    steps = [{(table >> point ^ table >> (point ^ 1 << k)) & 1 for point in points} for k in unknown]
    needed = tuple(k for k, step in zip(unknown, steps, strict=True) if 1 in step)
    return needed, all(len(step) == 1 for step in steps), table >> points[0] & 1


def _with_sums(table: int, made: Bits, given: Sequence[Bits], sums: Sequence[Sequence[_Sum]]) -> Word:
    """A word with mixed bits: those that come out of a XOR again are not mixed."""
    own: list[_Sum] = []
    found = Traced(made, lambda: own)
    bits = []
    for k, bit in enumerate(made):
        total = _xor(table, tuple(word[k] for word in given), [one[k] for one in sums])
        if total is None or len(total) > _MOST:
            total = _Sum({(found, k)})
        else:
            bit = together(tuple(word.origins[at] for word, at in total)) if bit > TRUE else bit
        bits.append(bit)
        own.append(total)
    found.origins = tuple(bits)
    return found


def _xor(table: int, column: Bits, sums: Sequence[_Sum]) -> _Sum | None:
    """The bits that a function is the XOR of; None if it is none."""
    if len(column) > _INPUTS:
        return None
    needed, affine, _ = _form(table, tuple([min(bit, KEY) for bit in column]))
    if not affine:
        return None
    total = _Sum()
    for k in needed:
        total ^= sums[k]
    return total


# -- other operations --------------------------------------------------------------------------------


@lru_cache(maxsize=1 << 14)
def _made(op: Op, words: tuple[Bits, ...], width: int, matrices: Sequence[Sequence[int]] | None) -> Bits:
    """What an operation makes of words that are not all known."""
    if matrices is not None:
        return _linear(matrices, words, width)
    if op is Op.ADD:
        return _sum(*words)
    if op in (Op.SUB, Op.MUL):
        return tuple(together(tuple(bit for word in words for bit in word[: k + 1])) for k in range(width))
    return (together(tuple(bit for word in words for bit in word)),) * width


def _sum(a: Bits, b: Bits) -> Bits:
    """Bit by bit, with the carry."""
    found, carry = [], FALSE
    for pair in zip(a, b, strict=True):
        column = (*pair, carry)
        found.append(_gate(0b10010110, column))
        carry = _gate(0b11101000, column)
    return tuple(found)


def _linear(matrices: Sequence[Sequence[int]], words: Sequence[Bits], width: int) -> Bits:
    """Each bit is of the bits that its row has."""
    columns: list[list[int]] = [[] for _ in range(width)]
    for matrix, word in zip(matrices, words, strict=True):
        for bit, column in zip(word, matrix, strict=True):
            for row in range(width):
                if column >> row & 1:
                    columns[row].append(bit)
    return tuple(together(tuple(column)) if column else FALSE for column in columns)
