"""Whether the blocks of a kernel are independent: each output block depends on its block and the key alone.

A bit-level information-flow analysis (D. Denning, "A Lattice Model of Secure Information Flow", CACM 1976):
each bit is 0, 1, or labelled with what it may depend on, the key alone, the key and one block, or several:

    a & 0x0f | b & 0xf0, of the blocks a and b   ->   bits 0 .. 3: a, bits 4 .. 7: b
    a + b                                        ->   each bit: several

Where blocks are independent, each is a function of one block, perhaps another function at each position, and
which functions these are is seen on blocks that are all the same unknown one. So two programs with
independent blocks that agree there agree on all blocks.

XORs of bits of several blocks are remembered until terms cancel, as in delta swaps (D. Knuth, TAOCP 4A,
section 7.1.3), which transpose blocks to bit slices: ``t = (a >> n ^ b) & m``, ``b ^= t``, ``a ^= t << n``.
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
from finalist.prove.walk import Inlining, entry, operands
from finalist.prove.words import NotCoveredError

#: Labels of bits that are not known: of the key alone, of several blocks, of the first block.
KEY, MIXED, FIRST = 2, 3, 4
#: Bits in a XOR that are remembered.
_MOST = 4
#: Inputs of a gate whose truth table is looked at.
_INPUTS = 6


def blocks_are_independent(program: Program, size: int, check: Callable[[], None] = lambda: None) -> bool:
    """Whether a program's kernel has blocks, of ``size`` bytes, that are independent.

    ``check`` is called before each operation, and may raise.
    """
    layout = program.block
    if program.stateful or layout.bytes % size:
        return False
    if layout.bytes == size:
        return True
    own = [FIRST + at // size for at in range(layout.bytes)]
    arrays = [tuple(Labelled((KEY,) * t.width) for _ in range(t.length)) for t in program.key_types]
    try:
        blocks = [
            Labelled(bits_of(word, layout.width)) for word in split(layout, [(one,) * 8 for one in own])
        ]
        made = Labels(check).inside(program.kernel, [*blocks, *arrays])
    except NotCoveredError:
        return False
    output = merge(layout, [labels(word, layout.width) for word in made[: layout.count]])
    return all(bit in (FALSE, TRUE, KEY, one) for byte, one in zip(output, own, strict=True) for bit in byte)


class Labelled:
    """A word that is not known, with the label of each bit.

    ``sums``: gives of each bit the bits of other words that it is the XOR of, or of these and 1; it is called
    once they are asked for. None for a word whose bits are no such sums.
    """

    __slots__ = ("_sums", "labels")

    def __init__(self, labels: Bits, sums: Callable[[], Sequence[_Sum]] | None = None) -> None:
        self.labels = labels
        self._sums: Callable[[], Sequence[_Sum]] | Sequence[_Sum] | None = sums

    @property
    def sums(self) -> Sequence[_Sum]:
        """Of each bit what it is the XOR of; of one that is known, nothing."""
        if self._sums is None:
            self._sums = [frozenset({(self, k)} if bit > TRUE else ()) for k, bit in enumerate(self.labels)]
        elif callable(self._sums):
            self._sums = self._sums()
        return self._sums


Word = int | Labelled
_Sum = frozenset[tuple[Labelled, int]]


def labels(word: Word, width: int) -> Bits:
    """The label of each bit of a word."""
    return bits_of(word if isinstance(word, int) else word.labels, width)


def _sums(word: Word, width: int) -> Sequence[_Sum]:
    return (_Sum(),) * width if isinstance(word, int) else word.sums


class Labels(Inlining):
    """Carries out graphs on labelled words."""

    def __init__(self, check: Callable[[], None] = lambda: None) -> None:
        super().__init__(check)
        self.special |= {
            Op.LOAD: self._load,
            Op.STORE: self._store,
            Op.WINDOW: self._window,
        }

    def word(self, node: Node, env: Mapping[Node, Any]) -> Word:
        values = operands(node, env)
        widths = [child.width for child in node.inputs]
        if all(isinstance(value, int) for value in values):
            inputs = [Node(Op.CONST, (), WordType(n), v) for v, n in zip(values, widths, strict=True)]
            return interpreter.fold(Node(node.op, tuple(inputs), node.type, node.attr, line=node.line))
        given = tuple(labels(value, width) for value, width in zip(values, widths, strict=True))
        placed = _sources(node, values)
        if placed is not None:
            return _permuted(placed, values, widths)
        table = node.attr if node.op is Op.BOOL else _TABLES.get(node.op)
        if table is None:
            return _value(_made(node.op, given, node.width, node.attr if node.op is Op.LINEAR else None))
        made = _gates(table, given)
        if MIXED in made:
            return _with_sums(table, made, given, [_sums(*pair) for pair in zip(values, widths, strict=True)])
        return _value(made)

    def selected(self, condition: Word, a: Word, b: Word, width: int, line: str) -> Word:
        words = (labels(condition, 1) * width, labels(a, width), labels(b, width))
        return _value(_gates(_SELECT, words))

    # -- arrays ---------------------------------------------------------------------------------

    def _load(self, node: Node, env: Mapping[Node, Any]) -> Word:
        array, index = operands(node, env)
        return self._entry(array, index, node.width)

    def _entry(self, array: Sequence[Word], index: Word, width: int) -> Word:
        if isinstance(index, int):
            return entry(array, index)
        entries = dict.fromkeys(labels(one, width) for one in array)
        return _value(tuple(joined((*index.labels, *column)) for column in zip(*entries, strict=True)))

    def _store(self, node: Node, env: Mapping[Node, Any]) -> tuple[Word, ...]:
        array, index, value = operands(node, env)
        if isinstance(index, int):
            at = index % len(array)
            return (*array[:at], value, *array[at + 1 :])
        here, width = Labelled((joined(index.labels),)), node.inputs[2].width
        return tuple(self.selected(here, value, one, width, node.line) for one in array)

    def _window(self, node: Node, env: Mapping[Node, Any]) -> tuple[Word, ...]:
        array, start = operands(node, env)
        if isinstance(start, int):
            return tuple(entry(array, start + k) for k in range(node.attr))
        return tuple(self._entry(array, start, node.inputs[0].width) for _ in range(node.attr))


def _value(made: Bits) -> Word:
    """A word of such bits; a number if all are known."""
    if max(made) > TRUE:
        return Labelled(made)
    return sum(bit << k for k, bit in enumerate(made))


@lru_cache(maxsize=1 << 16)
def joined(bits: Bits) -> int:
    """The label of any function of bits: their join."""
    blocks = {bit for bit in bits if bit > KEY}
    if len(blocks) > 1:
        return MIXED
    return blocks.pop() if blocks else KEY


# -- permutations of bits ----------------------------------------------------------------------------


def _sources(node: Node, values: Sequence[Word]) -> Sequence[tuple[int, int] | None] | None:
    """Of an operation that permutes bits, for each bit the operand and the index there that it comes from,
    None for 0; None of any other operation."""
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


def _permuted(
    places: Sequence[tuple[int, int] | None], values: Sequence[Word], widths: Sequence[int]
) -> Word:
    given = [labels(*pair) for pair in zip(values, widths, strict=True)]
    made = tuple(FALSE if place is None else given[place[0]][place[1]] for place in places)
    if max(made) <= TRUE:
        return _value(made)

    def sums() -> list[_Sum]:
        own = [_sums(*pair) for pair in zip(values, widths, strict=True)]
        return [_Sum() if place is None else own[place[0]][place[1]] for place in places]

    return Labelled(made, sums)


# -- bit by bit --------------------------------------------------------------------------------------

#: By operation its truth table; that of a selection by its first input.
_TABLES = {Op.AND: 0b1000, Op.OR: 0b1110, Op.XOR: 0b0110, Op.NOT: 0b01}
_SELECT = 0b11011000


@lru_cache(maxsize=1 << 14)
def _gates(table: int, words: tuple[Bits, ...]) -> Bits:
    return tuple(_gate(table, column) for column in zip(*words, strict=True))


@lru_cache(maxsize=1 << 16)
def _gate(table: int, column: Bits) -> int:
    """The label of a gate's output, by the inputs that it still depends on where some of them are known."""
    if len(column) > _INPUTS:
        return joined(column)
    needed, _, constant = _form(table, tuple([min(bit, KEY) for bit in column]))
    return joined(tuple(column[k] for k in needed)) if needed else constant


@lru_cache(maxsize=1 << 16)
def _form(table: int, column: Bits) -> tuple[tuple[int, ...], bool, int]:
    """The inputs that a gate depends on where some of them are known, whether it is affine in them, and its
    value where they are 0."""
    choices = [(bit,) if bit <= TRUE else (FALSE, TRUE) for bit in column]
    points = [sum(bit << k for k, bit in enumerate(point)) for point in product(*choices)]
    unknown = [k for k, bit in enumerate(column) if bit > TRUE]
    steps = [{(table >> point ^ table >> (point ^ 1 << k)) & 1 for point in points} for k in unknown]
    needed = tuple(k for k, step in zip(unknown, steps, strict=True) if 1 in step)
    return needed, all(len(step) == 1 for step in steps), table >> points[0] & 1


def _with_sums(table: int, made: Bits, given: Sequence[Bits], sums: Sequence[Sequence[_Sum]]) -> Word:
    """A word with bits of several blocks, where these do not cancel in a XOR."""
    own: list[_Sum] = []
    found = Labelled(made, lambda: own)
    bits = []
    for k, bit in enumerate(made):
        total = _xor(table, tuple(word[k] for word in given), [one[k] for one in sums])
        if total is None or len(total) > _MOST:
            total = _Sum({(found, k)})
        else:
            bit = joined(tuple(word.labels[at] for word, at in total)) if bit > TRUE else bit
        bits.append(bit)
        own.append(total)
    found.labels = tuple(bits)
    return found


def _xor(table: int, column: Bits, sums: Sequence[_Sum]) -> _Sum | None:
    """The bits that a gate is the XOR of; None if it is not affine."""
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
    """The labels of what an operation gives for words that are not all known."""
    if matrices is not None:
        return _linear(matrices, words, width)
    if op is Op.ADD:
        return _sum(*words)
    if op in (Op.SUB, Op.MUL):
        return tuple(joined(tuple(bit for word in words for bit in word[: k + 1])) for k in range(width))
    return (joined(tuple(bit for word in words for bit in word)),) * width


def _sum(a: Bits, b: Bits) -> Bits:
    """Bit by bit, with the carry."""
    found, carry = [], FALSE
    for pair in zip(a, b, strict=True):
        column = (*pair, carry)
        found.append(_gate(0b10010110, column))
        carry = _gate(0b11101000, column)
    return tuple(found)


def _linear(matrices: Sequence[Sequence[int]], words: Sequence[Bits], width: int) -> Bits:
    """Each bit depends on those that its row has."""
    columns: list[list[int]] = [[] for _ in range(width)]
    for matrix, word in zip(matrices, words, strict=True):
        for bit, column in zip(word, matrix, strict=True):
            for row in range(width):
                if column >> row & 1:
                    columns[row].append(bit)
    return tuple(joined(tuple(column)) if column else FALSE for column in columns)
