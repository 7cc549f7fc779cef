"""Statements as sequences are made of them: their shapes, and the names and values that fill these."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from finalist.machines.native.text.outlining.statements import Block, Statement, Text

_NUMBER = re.compile(r"(?:0x[0-9a-f]+|\d+)(u|ull)?$")
#: What a number without a suffix may follow to be a value: there its own type says nothing.
_PLAIN_AFTER = frozenset(("[", "<<", ">>"))
_STORAGE = re.compile(r"(?:uint\d+_t|vec) [\w, \[\]]+;$")


@dataclass(slots=True, eq=False)
class Unit:
    """A statement, the ``place``-th of its level, and its ``shape``: what it is without names and values.

    ``names``: variables, in the order in which they stand; ``values``: numbers, tables and arrays of the
    expanded key, which a function may have as parameters, and their C types; ``slots``: for each token
    whether it is a name ("n"), a value ("v") or itself.
    """

    statement: Statement
    place: int
    shape: int = 0
    names: list[str] = field(default_factory=list)
    values: list[tuple[str, str]] = field(default_factory=list)
    slots: list[list[str]] = field(default_factory=list)
    length: int = 0


class Units:
    """All statements of a text, ``levels`` of them, with their shapes as numbers, -1 for what is opaque."""

    def __init__(self, text: Text) -> None:
        self.text = text
        self.shapes: dict[tuple[str, ...], int] = {}
        self.levels: list[Level] = []
        self.of: dict[Statement, Unit] = {}
        self.level_of: dict[Block, Level] = {}
        for function in text.functions:
            self._level(function.body)

    def use(self, statement: Statement) -> None:
        """Take note that a statement is part of a function, or has such within."""
        self.level_of[statement.block].used[self.of[statement].place] = 1

    def _level(self, block: Block) -> None:
        level = Level([self._unit(s, place) for place, s in enumerate(block.statements)])
        self.levels.append(level)
        self.level_of[block] = level
        for statement in block.statements:
            if statement.inner is not None:
                self._level(statement.inner)

    def _unit(self, statement: Statement, place: int) -> Unit:
        unit = Unit(statement, place, length=statement.length)
        sized = any(name.startswith("k->") for name in statement.sized)
        shape: list[str] = [statement.block.function.key if sized else ""]
        for depth, line in statement.lines:
            unit.slots.append(self._slots(unit, line, shape))
            shape.append(f"\n{depth}")
        unit.shape = -1 if statement.opaque else self.shapes.setdefault(tuple(shape), len(self.shapes))
        self.of[statement] = unit
        return unit

    def _slots(self, unit: Unit, line: tuple[str, ...], shape: list[str]) -> list[str]:
        types = unit.statement.block.function.types
        fields = self.text.fields.get(unit.statement.block.function.key, {})
        fixed = line[0] == "static" or _STORAGE.match("".join(line)) is not None
        # A variable is not converted to lanes narrower than it is; a number is.
        lanes = self.text.narrow and any(token == "vec" or types.get(token) == "vec" for token in line)
        slots, before = [], ""
        for token in line:
            if lanes and token[0].isdigit() and before != "[":
                slots.append("")
                shape.append(token)
            elif token in types:
                unit.names.append(token)
                unit.statement.opaque |= not types[token]
                slots.append("n")
                shape.append(f"n {types[token]}")
            elif not fixed and (type_ := self._type_of_value(token, before, unit.statement, fields)):
                unit.values.append((token, type_))
                slots.append("v")
                shape.append(f"v {type_}")
            else:
                slots.append("")
                shape.append(token)
            before = before if token == " " else token
        return slots

    def _type_of_value(self, token: str, before: str, statement: Statement, fields: dict[str, str]) -> str:
        if token[0].isdigit():
            number = _NUMBER.match(token)
            if not number or not (number[1] or before in _PLAIN_AFTER):
                return ""
            return "uint64_t" if number[1] == "ull" else "uint32_t"
        if token in statement.sized:
            return ""
        if token in self.text.tables:
            return f"const {self.text.tables[token]} *"
        return f"{fields[token]} *" if token in fields else ""


@dataclass(slots=True, eq=False)
class Level:
    """The statements of one level; ``first`` and ``last``: the places where each name stands; ``used``: by
    place, whether a statement is part of a function by now, or has such within."""

    units: list[Unit]
    used: bytearray = field(default_factory=bytearray)
    first: dict[str, int] = field(default_factory=dict)
    last: dict[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.used = bytearray(len(self.units))
        for unit in self.units:
            for name in unit.names:
                self.first.setdefault(name, unit.place)
                self.last[name] = unit.place


@dataclass(slots=True, eq=False)
class Run:
    """Statements of one level that follow one on another, from ``start`` to before ``end``.

    ``inner``: storage that nothing else names; ``outputs``: scalars whose values are read after it or were
    there before it; ``inputs``: what it is given, in the order in which it is named.
    """

    level: Level
    start: int
    end: int
    inner: dict[str, tuple[str, int]] = field(default_factory=dict)
    outputs: list[str] = field(default_factory=list)
    inputs: list[str] = field(default_factory=list)
    _named: list[str] | None = None

    @property
    def units(self) -> list[Unit]:
        """Its statements."""
        return self.level.units[self.start : self.end]

    def is_outlined(self) -> bool:
        """Whether any of it is part of another function by now."""
        return any(self.level.used[self.start : self.end])

    @property
    def block(self) -> Block:
        """Where it stands."""
        return self.level.units[self.start].statement.block

    def named(self) -> list[str]:
        """Its variables, in the order in which they first stand."""
        if self._named is None:
            self.form()
        return self._named or []

    def values(self) -> list[tuple[str, str]]:
        """Values as they stand, with their types."""
        return [value for unit in self.units for value in unit.values]

    def form(self) -> tuple[int, ...]:
        """The same for sequences that differ in names alone: each name as the number of its first place."""
        known: dict[str, int] = {}
        form = tuple([known.setdefault(name, len(known)) for unit in self.units for name in unit.names])
        self._named = list(known)
        return form

    def resolve(self) -> bool:
        """Find what goes in and out; whether it may be a function of its own."""
        block, named, level = self.block, self.named(), self.level
        storage, types = block.storage, block.function.types
        self.inner = {
            n: storage[n]
            for n in named
            if n in storage and level.first[n] >= self.start and level.last[n] < self.end
        }
        declared: dict[str, str] = {}
        bound: set[str] = set(self.inner)
        changed: dict[str, None] = {}
        sized: set[str] = set()
        for unit in self.units:
            statement = unit.statement
            if statement.assigned:
                changed |= dict.fromkeys(
                    n for n in sorted(statement.assigned) if n not in bound and n not in declared
                )
            for name, type_ in statement.declared.items():
                if name not in bound:
                    declared[name] = type_
            if statement.bound:
                bound |= statement.bound.keys()
            if statement.sized:
                sized |= statement.sized
        if any(n in sized and types[n].endswith("*") and n not in bound for n in named):
            return False
        self.outputs = [n for n in declared if level.last[n] >= self.end] + list(changed)
        self.inputs = [n for n in named if n not in declared and n not in bound]
        return True
