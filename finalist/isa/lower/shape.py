"""What terms are but for the words and the addresses in them: those that differ in nothing else have the
same cover, so that covers and instructions are memoized by shape (as hash-consed DAG patterns are).

eor(load(300 + word 17), word 4)  ->  eor(load(first address + word 1), word 2), {1: 17, 2: 4}, {first: 300}
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache

from finalist.isa.code import Cell, Ins
from finalist.isa.target.instruction import Instruction
from finalist.isa.target.meaning import Leaf, Term, address, register
from finalist.isa.target.processor import Processor

#: Files of registers, by name.
Keep = frozenset[str]


class Address(int):
    """An operand of a recorded instruction that is an address of the shape."""

    __slots__ = ()


@dataclass(slots=True)
class Names:
    """For the words and the addresses of a shape those of a term."""

    words: dict[int, int] = field(default_factory=dict)
    addresses: dict[int, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Recorded:
    """An instruction of a shape, its operands as `Names` has them; ``last``: whether it is the one that
    does what was asked for, others making its operands."""

    instruction: Instruction
    operands: tuple[int | str, ...]
    last: bool


def operand_of(bound: Term) -> int:
    """What a recorded instruction has for a word, an address, or a number."""
    if bound.op is Leaf.REGISTER:
        return Cell(bound.attr)
    return Address(bound.attr) if bound.op is Leaf.ADDRESS else int(bound.attr)


def replayed(
    recorded: Iterable[Recorded], names: Names, fresh: Callable[[], int], to: str, access: object
) -> Iterator[Ins]:
    """The recorded instructions on the words and addresses of a term; ``fresh``: numbers for words that
    operands wait in; ``to``: where a branch goes; ``access``: the array of what was asked for."""
    words = dict(names.words)
    for one in recorded:
        operands: list[int | str] = []
        for x in one.operands:
            if isinstance(x, Cell):
                if x not in words:
                    words[x] = fresh()
                operands.append(Cell(words[x]))
            elif isinstance(x, Address):
                operands.append(names.addresses[x])
            else:
                operands.append(to if isinstance(x, str) else x)
        yield Ins(one.instruction, operands, access=access if one.last else None)


class Shapes:
    """Gives shapes: words numbered from 1 as they are met; for addresses that the same operands accept, the
    first ones of that kind that were met."""

    def __init__(self, processor: Processor) -> None:
        numbers = {o for one in processor.instructions for o in one.operands if o.kind == "imm"}
        self._operands = sorted(numbers, key=repr)
        self._kinds: dict[int, tuple[bool, ...]] = {}
        self._standing: dict[tuple[bool, ...], list[int]] = {}

    def of(self, *terms: Term) -> tuple[tuple[Term, ...], Names]:
        """The shape of terms together, and what it stands for here."""
        shaping = _Shaping(self)
        return tuple(map(shaping.shape, terms)), Names(
            {new: old for old, new in shaping.words.items()},
            {new: old for old, new in shaping.addresses.items()},
        )

    def standing_for(self, value: int, number: int) -> int:
        """The address that stands for the ``number``-th different one of its kind."""
        standing = self._standing.setdefault(self.kind(value), [])
        if number >= len(standing):
            standing.append(value if value not in standing else self._another(value, standing))
        return standing[number]

    def kind(self, value: int) -> tuple[bool, ...]:
        """Which operands accept an address."""
        known = self._kinds.get(value)
        if known is None:
            known = self._kinds[value] = tuple(o.accepts(value) for o in self._operands)
        return known

    def _another(self, value: int, standing: list[int]) -> int:
        """An address of the same kind that does not stand for one already."""
        wanted = self.kind(value)
        return next(n for n in range(1 << 24) if n not in standing and self.kind(n) == wanted)


class _Shaping:
    """The words and addresses met so far."""

    def __init__(self, shapes: Shapes) -> None:
        self._shapes = shapes
        self.words: dict[int, int] = {}
        self.addresses: dict[int, int] = {}
        self._met: dict[tuple[bool, ...], int] = {}

    def shape(self, term: Term) -> Term:
        """A term with its words and addresses replaced."""
        if term.op is Leaf.REGISTER:
            named = isinstance(term.attr, str)
            return term if named else register(self.words.setdefault(int(term.attr), len(self.words) + 1))
        if term.op is Leaf.ADDRESS:
            return address(self._address(int(term.attr)))
        if not term.args:
            return term
        return Term(term.op, tuple(map(self.shape, term.args)), term.attr, term.lane, term.width)

    def _address(self, value: int) -> int:
        if value not in self.addresses:
            kind = self._shapes.kind(value)
            number = self._met.get(kind, 0)
            self._met[kind] = number + 1
            self.addresses[value] = self._shapes.standing_for(value, number)
        return self.addresses[value]


@lru_cache(maxsize=1 << 16)
def held(subject: Term) -> Keep:
    """The files whose registers hold a part of a term."""
    if subject.op is Leaf.REGISTER and isinstance(subject.attr, str):
        return frozenset({subject.attr})
    return frozenset[str]().union(*map(held, subject.args))


def holding(file: str) -> Term:
    """What the register of a file holds."""
    return Term(Leaf.REGISTER, attr=file)
