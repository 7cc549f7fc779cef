"""What a term can be rewritten to: the same word by other operations, for processors that lack the first.

(H. S. Warren, "Hacker's Delight": comparisons without flags in section 2-12, products of halves in 8-1.)
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from finalist.ir.graph import TableData
from finalist.ir.ops import Op
from finalist.isa.target.meaning import (
    Bank,
    Flow,
    Leaf,
    Term,
    branch,
    constant,
    equal,
    permuted,
)
from finalist.isa.target.processor import Processor

Rule = Callable[[Term, Processor], Iterator[Term]]


def rewrites(term: Term, processor: Processor) -> Iterator[Term]:
    """Terms that are the same word."""
    rule = _RULES.get(term.op)
    if rule is not None:
        yield from rule(term, processor)


def _and(t: Term, p: Processor) -> Iterator[Term]:
    a, b = t.args
    if t.attr == CLEAN:
        yield a
    mask = b.number
    if mask is None or t.lane:
        return
    bits = mask.bit_length()
    if mask == (1 << bits) - 1:
        down = a.args[1].number if a.op is Op.SHR and not a.lane else None
        if down is not None and down + bits >= p.width:
            yield a
        elif down is not None and p.fields:
            above = p.width - bits - down
            yield a.args[0] << constant(above) >> constant(above + down)
        elif bits < p.width:
            up = constant(p.width - bits)
            yield a << up >> up


#: Of an `AND`: it changes nothing, but says which bits of the word can be other than 0.
CLEAN = "clean"


def _shl(t: Term, p: Processor) -> Iterator[Term]:
    a, b = t.args
    up = b.number
    if up is None or t.lane:
        return
    if up == 0:
        yield a
    if a.op is not Op.AND or a.lane:
        return
    inner, mask = a.args[0], a.args[1].number
    if mask is None:
        return
    moved = constant(mask << up & (1 << p.width) - 1)
    down = inner.args[1].number if inner.op is Op.SHR and not inner.lane else None
    if down is None:
        yield (inner << up) & moved
    elif down >= up:
        # Bits that the shorter move leaves below are masked with the rest.
        shifted = inner.args[0] >> down - up if down > up else inner.args[0]
        yield shifted & moved
    else:
        yield (inner.args[0] << up - down) & moved


def _rol(t: Term, p: Processor) -> Iterator[Term]:
    a, b = t.args
    width = t.lane or p.width
    left = b.number
    if left is None and p.has(Op.ROL, t.lane):
        return
    amount = constant(0) - b if left is None else constant(-left % width)
    yield Term(Op.ROR, (a, amount), lane=t.lane)


def _ror(t: Term, p: Processor) -> Iterator[Term]:
    a, b = t.args
    right = b.number
    width = t.lane or p.width
    if p.has(Op.ROL, t.lane) and not p.has(Op.ROR, t.lane):
        left = constant(0) - b if right is None else constant(-right % width)
        yield Term(Op.ROL, (a, left), lane=t.lane)
    if right is None or t.lane:
        return
    if right % width == 0:
        yield a
    else:
        yield a >> right | a << width - right
        yield (a >> right) + (a << width - right)


def complement(t: Term, p: Processor) -> Iterator[Term]:
    """``~a`` as ``a ^ 11...1``."""
    yield t.args[0] ^ constant((1 << p.width) - 1)


def _sub(t: Term, p: Processor) -> Iterator[Term]:
    value = t.args[1].number
    if value is not None and not t.lane:
        yield t.args[0] + constant(-value & (1 << p.width) - 1)


def _eq(t: Term, p: Processor) -> Iterator[Term]:
    """The sign of d | -d says whether d is other than 0."""
    a, b = t.args
    d = a if b.number == 0 else a ^ b
    yield ((d | constant(0) - d) >> p.width - 1) ^ 1


def _lt(t: Term, p: Processor) -> Iterator[Term]:
    """The borrow of a - b; of words known to be short it is the sign of the difference."""
    a, b = t.args
    if t.attr == CLEAN:
        yield a - b >> p.width - 1
    yield (~a & b | (~a | b) & a - b) >> p.width - 1


def _select(t: Term, p: Processor) -> Iterator[Term]:
    c, a, b = t.args
    mask = constant(0) - c
    if b.number == 0:
        yield a & mask
    elif a.number == 0:
        yield b & c + constant((1 << p.width) - 1)
    yield b ^ ((a ^ b) & mask)


def _mul(t: Term, p: Processor) -> Iterator[Term]:
    """By products of halves, or shifts and sums."""
    a, b = t.args
    if t.lane:
        return
    value = b.number
    if value is not None and value and value & (value - 1) == 0:
        yield a << value.bit_length() - 1
        return
    half, ones = p.width // 2, constant((1 << p.width // 2) - 1)
    if p.has(Op.MUL) and any(meaning.args[0].op is Leaf.OPERAND for _, _, meaning in p.by_root[Op.MUL, 0]):
        return
    if a.op is Op.AND and b.op is Op.AND and a.args[1] == b.args[1] == ones:
        return
    if p.exposed and a.op is Leaf.REGISTER and b == (a << 1) + 1:
        square = (a & ones) * (a & ones), ((a >> half) & ones) * (a & ones)
        yield (a + (square[0] << 1)) + (square[1] << half + 2)
    high_a, high_b = a >> half, b >> half
    cross = (high_a & ones) * (b & ones) + (a & ones) * (high_b & ones)
    yield (a & ones) * (b & ones) + (cross << half)


def _mulhi(t: Term, p: Processor) -> Iterator[Term]:
    """Knuth's algorithm M on two halves."""
    a, b = t.args
    half, ones = p.width // 2, constant((1 << p.width // 2) - 1)
    al, ah, bl, bh = a & ones, (a >> half) & ones, b & ones, (b >> half) & ones
    middle = ah * bl + (al * bl >> half)
    other = al * bh + (middle & ones)
    yield ah * bh + (middle >> half) + (other >> half)


def _lookup(t: Term, p: Processor) -> Iterator[Term]:
    """A table in memory; one of few bytes also in a register. In a bank with narrower entries than words the
    bits above are 0."""
    if isinstance(t.attr, Bank) and 0 < p.entry_bits < p.width:
        yield t & (1 << p.entry_bits) - 1
    if isinstance(t.attr, InMemory):
        place = t.attr
        scale = place.bytes.bit_length() - 1
        index = t.args[0] << scale if scale else t.args[0]
        yield Term(Op.LOAD, (index + place.base,), place.bytes)
        if place.table in p.built_in:
            yield t ^ 0
        if place.table is not None and place.bytes == 1 and len(place.table.values) <= p.width // 8:
            values = sum(value << 8 * k for k, value in enumerate(place.table.values))
            for kind in p.permutes:
                yield permuted(t.args[0], constant(values), kind) & 0xFF


def _xor(t: Term, p: Processor) -> Iterator[Term]:
    """In a sum of many, a word comes before what is looked up, for instructions that add a lookup to it."""
    a, b = t.args
    if p.built_in and a.op is Op.XOR and b.op is Leaf.REGISTER and a.args[1].op is Op.LOOKUP:
        yield (a.args[0] ^ b) ^ a.args[1]


def _load(t: Term, p: Processor) -> Iterator[Term]:
    (place,) = t.args
    if place.op is not Op.ADD or place.args[1].number != 0:
        yield Term(Op.LOAD, (place + 0,), t.attr)
    if (fixed := _fixed(place, p)) is not None:
        yield Term(Op.LOAD, (fixed,), t.attr)


def _store(t: Term, p: Processor) -> Iterator[Term]:
    if isinstance(t.attr, Bank):
        return
    place, value = t.args
    if place.op is not Op.ADD or place.args[1].number != 0:
        yield Term(Op.STORE, (place + 0, value), t.attr)
    if (fixed := _fixed(place, p)) is not None:
        yield Term(Op.STORE, (fixed, value), t.attr)


def _fixed(place: Term, p: Processor) -> Term | None:
    """An address known beforehand that is written as a sum, where no register is 0."""
    if (
        p.main.zero is not None
        or place.op is not Op.ADD
        or any(
            arg.op is not Leaf.CONSTANT and not (p.exposed and arg.op is Leaf.ADDRESS) for arg in place.args
        )
    ):
        return None
    return constant(sum(int(arg.attr) for arg in place.args))


def _branch(t: Term, p: Processor) -> Iterator[Term]:
    (condition,) = t.args
    if condition == constant(1) and p.main.zero is not None:
        yield branch(equal(constant(0), constant(0)))
    elif condition.op not in (Op.EQ, Op.LT, Op.XOR):
        yield branch(equal(condition, constant(0)) ^ 1)


class InMemory:
    """A table in memory: where it begins, bytes of an entry, and its contents where they are fixed."""

    __slots__ = ("base", "bytes", "table")

    def __init__(self, base: Term, size: int, table: TableData | None = None) -> None:
        self.base = base
        self.bytes = size
        self.table = table

    def _key(self) -> tuple[object, ...]:
        return self.base, self.bytes

    def __eq__(self, other: object) -> bool:
        return isinstance(other, InMemory) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def __repr__(self) -> str:
        return f"table at {self.base}"


_RULES: dict[object, Rule] = {
    Op.AND: _and,
    Op.XOR: _xor,
    Op.SHL: _shl,
    Op.ROL: _rol,
    Op.ROR: _ror,
    Op.NOT: complement,
    Op.SUB: _sub,
    Op.EQ: _eq,
    Op.LT: _lt,
    Op.SELECT: _select,
    Op.MUL: _mul,
    Op.MULHI: _mulhi,
    Op.LOOKUP: _lookup,
    Op.LOAD: _load,
    Op.STORE: _store,
    Flow.BRANCH: _branch,
}
