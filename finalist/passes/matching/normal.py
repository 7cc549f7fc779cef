"""The normal form of an instruction: what it does to a register, from its meaning alone.

Three kinds are known. All work on a register of so many bits, its bytes numbered as they lie in memory:

- a `Round`: an S-box on every byte, a linear map of all bits, and an XOR with the second operand;
- a `Map`: an invertible linear map;
- an `Addition`: an XOR of two registers.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

from finalist.errors import GraphError
from finalist.ir.graph import Instruction, Node, TableData, every_node
from finalist.ir.ops import Op
from finalist.passes.matching.affine import Forms, Leaf, Rows, affine, ones
from finalist.passes.matrices import added, identity, inverted

BYTE = 8


@dataclass(frozen=True)
class Round:
    """``rows``: each bit of the result, over the bits of the S-boxes' outputs, byte by byte."""

    instruction: Instruction
    box: TableData
    rows: Rows

    @cached_property
    def bytes(self) -> dict[Rows, int]:
        """For the rows of each byte of the result, its place."""
        return bytes_of(self.rows)

    @cached_property
    def moves(self) -> tuple[int, ...] | None:
        """Of each byte of the result the place of its S-box; None where the linear map does more."""
        places = bytes_of(identity(len(self.rows)))
        found = [places.get(self.rows[low : low + BYTE]) for low in range(0, len(self.rows), BYTE)]
        return None if None in found else tuple(place for place in found if place is not None)


@dataclass(frozen=True)
class Map:
    """``inverse``: each bit of the operand, over the bits of the result."""

    instruction: Instruction
    rows: Rows
    inverse: Rows


@dataclass(frozen=True)
class Addition:
    """The XOR of two registers."""

    instruction: Instruction


#: Of each byte of a register which byte of another it is, or None for zero.
Bytewise = tuple[int | None, ...]
Shuffle = Callable[[Bytewise], Instruction]
Normal = Round | Map | Addition


@dataclass(frozen=True)
class InstructionSet:
    """The instructions that are looked for, by kind; all work on registers of ``words``, of 32 bits each."""

    rounds: tuple[Round, ...]
    maps: tuple[Map, ...]
    addition: Addition
    words: int
    #: The instruction that makes of a register its bytes at these places, zero for None.
    shuffle: Shuffle

    @property
    def bytes(self) -> int:
        """Bytes of a register."""
        return 4 * self.words

    @property
    def boxes(self) -> tuple[TableData, ...]:
        """Their S-boxes."""
        return tuple(dict.fromkeys(round_.box for round_ in self.rounds))


def instruction_set(instructions: Sequence[Instruction], shuffle: Shuffle) -> InstructionSet:
    """The instructions in normal form. Raises GraphError for one that has none."""
    normal = [normal_form(instruction) for instruction in instructions]
    additions = [form for form in normal if isinstance(form, Addition)]
    if not additions:
        raise GraphError("an instruction set without an XOR of registers matches nothing")
    return InstructionSet(
        tuple(form for form in normal if isinstance(form, Round)),
        tuple(form for form in normal if isinstance(form, Map)),
        additions[0],
        len(instructions[0].meaning.results),
        shuffle,
    )


def normal_form(instruction: Instruction) -> Normal:
    """What the instruction does. Raises GraphError where it is none of the kinds that are known."""
    meaning = instruction.meaning
    lookups = (node for node in every_node(meaning) if node.op is Op.LOOKUP)
    tables = dict.fromkeys(node.attr for node in lookups if affine(node.attr) is None)
    forms = Forms(tuple(tables))
    state, *others = _registers(instruction)
    places = _numbered(forms, state)
    rows = tuple(row for word in meaning.results for row in forms(word))
    boxes = [leaf for leaf in forms.leaves if leaf.box is not None]
    if others:
        rows = added(rows, tuple(row for word in others[0] for row in forms(word)))
    if not boxes:
        return _linear(instruction, places, rows, adds=bool(others))
    return _round(instruction, boxes, places, rows)


def _registers(instruction: Instruction) -> list[tuple[Node, ...]]:
    """The parameters of the meaning, operand by operand."""
    params = iter(instruction.meaning.params)
    return [tuple(next(params) for _ in range(count)) for count in instruction.operands]


def _numbered(forms: Forms, words: Sequence[Node]) -> Places:
    """The bits of words that stand one after the other in a register."""
    bits = (row.bit_length() - 1 for word in words for row in forms(word))
    return {bit: place for place, bit in enumerate(bits)}


def _linear(instruction: Instruction, places: Places, rows: Rows, *, adds: bool) -> Normal:
    translated = _all_translated(instruction, places, rows)
    if adds:
        if translated != identity(len(rows)):
            raise GraphError(f"{instruction}: accepted of two operands are their XOR, and rounds")
        return Addition(instruction)
    inverse = inverted(translated)
    if inverse is None:
        raise GraphError(f"{instruction}: its linear map has no inverse")
    return Map(instruction, translated, inverse)


def _round(instruction: Instruction, boxes: list[Leaf], places: Places, rows: Rows) -> Round:
    bytes_ = bytes_of(identity(len(rows)))
    at: Places = {}
    for leaf in boxes:
        index = _all_translated(instruction, places, leaf.index)
        if index not in bytes_:
            raise GraphError(f"{instruction}: its S-boxes take other things than bytes of the first operand")
        at |= leaf_places(leaf, BYTE * bytes_[index])
    tables = {leaf.box for leaf in boxes}
    (table, *more) = tables
    if more or table is None or sorted(at.values()) != list(range(len(rows))):
        raise GraphError(f"{instruction}: its S-boxes are not one for each byte")
    return Round(instruction, table, _all_translated(instruction, at, rows))


def _all_translated(instruction: Instruction, places: Places, rows: Rows) -> Rows:
    found = translated(places, rows)
    if found is None:
        raise GraphError(f"{instruction}: it is no map of one layer")
    return found


# -- registers as rows ----------------------------------------------------------------------------------

#: Which bit of a register each bit of a row is.
Places = dict[int, int]


def leaf_places(leaf: Leaf, low: int) -> Places:
    """Where the bits of a leaf are that begins at bit ``low``."""
    return {leaf.start + bit: low + bit for bit in range(leaf.width)}


def translated(places: Places, rows: Sequence[int]) -> Rows | None:
    """Rows over leaves as rows over a register's bits; None where they have anything else."""
    total = []
    for row in rows:
        new = 0
        for bit in ones(row):
            if bit not in places:
                return None
            new |= 1 << places[bit]
        total.append(new)
    return tuple(total)


def bytes_of(rows: Rows) -> dict[Rows, int]:
    """For the rows of each byte its place."""
    return {rows[low : low + BYTE]: low // BYTE for low in range(0, len(rows), BYTE)}


def applied(matrix: Rows, rows: Sequence[int]) -> Rows:
    """The rows of the map of a register that has these rows."""
    total = []
    for row in matrix:
        new = 0
        for bit in ones(row):
            new ^= rows[bit]
        total.append(new)
    return tuple(total)
