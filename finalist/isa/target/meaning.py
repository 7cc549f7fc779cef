"""Meanings: what an instruction computes, as a term over the operations of the graph.

A term is a tree of operations on words as wide as the machine's registers, 8 to 128 bits, or of a width of
their own; an operation on ``lane`` bits is done on each such part of the word by itself. The one meaning of
an instruction serves selection (which looks for it in programs), the simulator (which executes it) and tests
(which evaluate it).
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from finalist.ir.ops import Op


class Leaf(enum.Enum):
    """What a term ends in."""

    #: A word that the program has made; ``attr`` is its number.
    REGISTER = "register"
    #: ``attr`` is the value.
    CONSTANT = "constant"
    #: A constant that is a place in memory, and no short immediate by the machine's conventions.
    ADDRESS = "address"
    #: An operand of an instruction; ``attr`` is its name.
    OPERAND = "operand"

    __hash__ = object.__hash__  # terms are hashed by the hundred thousand; an enumeration's own takes long


class Flow(enum.Enum):
    """What an instruction does to the course of the program; operands are conditions."""

    BRANCH = "branch"  # to the target if the condition is 1
    CALL = "call"  # to the target; the next address into the link register
    RETURN = "return"  # to the address in the link register
    HALT = "halt"
    IDLE = "idle"  # nothing, for as many cycles as the instruction takes

    __hash__ = object.__hash__


@dataclass(frozen=True, slots=True)
class Bank:
    """A memory of the processor's own, beside the main one, by number."""

    number: int


@dataclass(frozen=True, slots=True)
class InRegister:
    """A table of bytes in a register, read by every byte of a word at once.

    ``wraps``: whether an index past its end begins anew; else it finds 0.
    """

    wraps: bool

    def read(self, index: int, table: int, width: int) -> int:
        """What the bytes of a word of ``width`` bits find."""
        size, total = width // 8, 0
        for low in range(0, width, 8):
            place = index >> low & 0xFF
            if self.wraps or place < size:
                total |= (table >> 8 * (place % size) & 0xFF) << low
        return total


class Term:
    """One operation on terms. ``lane``: 0, or the bits of the parts that it is done on one by one.

    ``width``: bits of the word, 0 for as many as the machine's; without one, the widest of the operands'.

    ``attr``: the bytes of a `Op.LOAD` or `Op.STORE`; the table of a `Op.LOOKUP`, or where that is; what a
    leaf is. ``depth``: how many operations stand above one another.
    """

    __slots__ = ("_hash", "args", "attr", "depth", "lane", "op", "width")

    def __init__(
        self,
        op: Op | Leaf | Flow,
        args: tuple[Term, ...] = (),
        attr: Any = None,
        lane: int = 0,
        width: int | None = None,
    ) -> None:
        self.op = op
        self.args = args
        self.attr = attr
        self.lane = lane
        deepest, widest = -1, 0
        for arg in args:  # programs are made of hundreds of thousands of terms
            if arg.depth > deepest:
                deepest = arg.depth
            if arg.width > widest:
                widest = arg.width
        self.width: int = widest if width is None else width
        self.depth: int = 1 + deepest
        self._hash = hash((op, args, attr, lane, self.width))

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        return (
            isinstance(other, Term)
            and self._hash == other._hash
            and (self.op, self.attr, self.lane, self.width) == (other.op, other.attr, other.lane, other.width)
            and self.args == other.args
        )

    def __repr__(self) -> str:
        inner = [str(self.attr)] if self.attr is not None else []
        lane = f".{self.lane}" if self.lane else ""
        return f"{self.op.name.lower()}{lane}({', '.join([*inner, *map(repr, self.args)])})"

    @property
    def number(self) -> int | None:
        """The number that a constant is; None of any other term."""
        return int(self.attr) if self.op is Leaf.CONSTANT else None

    def parts(self) -> Iterator[Term]:
        """It and all terms within it, as often as they stand there."""
        yield self
        for arg in self.args:
            yield from arg.parts()

    def accesses(self) -> Iterator[tuple[Term, int]]:
        """The addresses in memory that it reads or writes, and how many bytes there."""
        for part in self.parts():
            if part.op in (Op.LOAD, Op.STORE) and isinstance(part.attr, int):
                yield part.args[0], part.attr

    # -- writing meanings -----------------------------------------------------------------------

    def _with(self, other: Term | int) -> Term:
        """The other operand; a number has as many bits as this word."""
        return other if isinstance(other, Term) else Term(Leaf.CONSTANT, attr=other, width=self.width)

    def __add__(self, other: Term | int) -> Term:
        return Term(Op.ADD, (self, self._with(other)))

    def __radd__(self, other: int) -> Term:
        return Term(Op.ADD, (self._with(other), self))

    def __sub__(self, other: Term | int) -> Term:
        return Term(Op.SUB, (self, self._with(other)))

    def __mul__(self, other: Term | int) -> Term:
        return Term(Op.MUL, (self, self._with(other)))

    def __and__(self, other: Term | int) -> Term:
        return Term(Op.AND, (self, self._with(other)))

    def __or__(self, other: Term | int) -> Term:
        return Term(Op.OR, (self, self._with(other)))

    def __xor__(self, other: Term | int) -> Term:
        return Term(Op.XOR, (self, self._with(other)))

    def __invert__(self) -> Term:
        return Term(Op.NOT, (self,))

    def __lshift__(self, other: Term | int) -> Term:
        return Term(Op.SHL, (self, self._with(other)))

    def __rshift__(self, other: Term | int) -> Term:
        return Term(Op.SHR, (self, self._with(other)))

    def byte(self, number: int) -> Term:
        """Byte ``number``, from the right, as the whole word."""
        return (self >> 8 * number if number else self) & 0xFF

    def in_lanes(self, bits: int) -> Term:
        """The same operation done on each part of ``bits`` bits."""
        return Term(self.op, self.args, self.attr, bits)

    def extend(self, width: int) -> Term:
        """The same number as a word of so many bits."""
        return Term(Op.EXTEND, (self,), width=width)

    def low(self, width: int = 0) -> Term:
        """The lowest bits as a word of so many; 0: of the machine's width."""
        return Term(Op.SLICE, (self,), 0, width=width)


def term(value: Term | int) -> Term:
    """A term; of an integer the constant."""
    return value if isinstance(value, Term) else Term(Leaf.CONSTANT, attr=value)


def constant(value: int) -> Term:
    """A constant."""
    return Term(Leaf.CONSTANT, attr=value)


def address(value: int) -> Term:
    """A place in memory."""
    return Term(Leaf.ADDRESS, attr=value)


def register(number: int) -> Term:
    """A word that the program has made."""
    return Term(Leaf.REGISTER, attr=number)


def operand(name: str) -> Term:
    """An operand of an instruction."""
    return Term(Leaf.OPERAND, attr=name)


def ror(a: Term, amount: Term | int) -> Term:
    """Rotated right."""
    return Term(Op.ROR, (a, term(amount)))


def mul_high(a: Term, b: Term) -> Term:
    """The upper half of the product."""
    return Term(Op.MULHI, (a, b))


def equal(a: Term, b: Term) -> Term:
    """1 or 0."""
    return Term(Op.EQ, (a, b), width=0)


def less(a: Term, b: Term) -> Term:
    """1 or 0; unsigned."""
    return Term(Op.LT, (a, b), width=0)


def select(c: Term, a: Term, b: Term) -> Term:
    """``a`` if ``c`` is 1, ``b`` if it is 0."""
    return Term(Op.SELECT, (c, a, b))


def lookup(table: Any, index: Term) -> Term:
    """An entry of a table: a `TableData`, or one in a bank."""
    return Term(Op.LOOKUP, (index,), table)


def permuted(index: Term, table: Term, kind: InRegister) -> Term:
    """For each byte of ``index`` the byte of ``table`` that it names."""
    return Term(Op.LOOKUP, (index, table), kind)


def load(size: int, place: Term) -> Term:
    """``size`` bytes of memory, zeros above."""
    return Term(Op.LOAD, (place,), size, width=0)  # however wide the address is


def store(size: int, place: Term, value: Term) -> Term:
    """The lowest ``size`` bytes of the value to memory."""
    return Term(Op.STORE, (place, value), size)


def write(bank: Bank, index: Term, value: Term) -> Term:
    """An entry of a bank."""
    return Term(Op.STORE, (index, value), bank)


def branch(condition: Term) -> Term:
    """To the instruction's target if the condition is 1."""
    return Term(Flow.BRANCH, (condition,))


# -- evaluating --------------------------------------------------------------------------------------

#: What `evaluate` asks of memory and tables: the term and the values of its operands.
Outside = Callable[[Term, tuple[int, ...]], int]


def evaluate(meaning: Term, operands: Mapping[str, int], width: int, outside: Outside | None = None) -> int:
    """The value of a term; ``width``: bits of the machine's words; ``outside`` answers for loads and
    banks."""
    if isinstance(meaning.op, Leaf):
        value = operands[meaning.attr] if meaning.op is Leaf.OPERAND else meaning.attr
        return int(value) & (1 << (meaning.width or width)) - 1
    own = max((arg.width for arg in meaning.args), default=0) if meaning.op in _COMPARED else meaning.width
    values = tuple(evaluate(arg, operands, width, outside) for arg in meaning.args)
    if isinstance(meaning.attr, InRegister):
        return meaning.attr.read(values[0], values[1], width)
    if meaning.op in (Op.LOAD, Op.LOOKUP):
        if meaning.op is Op.LOOKUP and not isinstance(meaning.attr, Bank):
            return int(meaning.attr.values[values[0] % len(meaning.attr.values)])
        assert outside is not None
        return outside(meaning, values)
    assert isinstance(meaning.op, Op)
    if not meaning.lane:
        return _apply(meaning.op, values, own or width)
    total = 0
    shared = values[1:] if meaning.op in _AMOUNTS else None
    for low in range(0, width, meaning.lane):
        parts = tuple(value >> low & (1 << meaning.lane) - 1 for value in values)
        if shared is not None:
            parts = (parts[0], *shared)
        total |= _apply(meaning.op, parts, meaning.lane) << low
    return total


#: Operations whose second operand is one amount for all lanes.
_AMOUNTS = frozenset({Op.SHL, Op.SHR, Op.ROL, Op.ROR})


def _apply(op: Op, v: tuple[int, ...], n: int) -> int:
    top = (1 << n) - 1
    return _VALUES[op](v, n) & top


#: Operations whose result is narrower than what they are about.
_COMPARED = frozenset({Op.EQ, Op.LT})
_VALUES: dict[Op, Callable[[tuple[int, ...], int], int]] = {
    Op.AND: lambda v, n: v[0] & v[1],
    Op.OR: lambda v, n: v[0] | v[1],
    Op.XOR: lambda v, n: v[0] ^ v[1],
    Op.NOT: lambda v, n: ~v[0],
    Op.ADD: lambda v, n: v[0] + v[1],
    Op.SUB: lambda v, n: v[0] - v[1],
    Op.MUL: lambda v, n: v[0] * v[1],
    Op.MULHI: lambda v, n: v[0] * v[1] >> n,
    Op.SHL: lambda v, n: v[0] << v[1] if v[1] < n else 0,
    Op.SHR: lambda v, n: v[0] >> v[1] if v[1] < n else 0,
    Op.ROL: lambda v, n: v[0] << v[1] % n | v[0] >> -v[1] % n,
    Op.ROR: lambda v, n: v[0] >> v[1] % n | v[0] << -v[1] % n,
    Op.EQ: lambda v, n: int(v[0] == v[1]),
    Op.LT: lambda v, n: int(v[0] < v[1]),
    Op.SELECT: lambda v, n: v[1] if v[0] & 1 else v[2],
    Op.EXTEND: lambda v, n: v[0],
    Op.SLICE: lambda v, n: v[0],
}
