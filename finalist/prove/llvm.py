"""LLVM's intermediate representation of a C text carried out on keys and blocks that are not known.

Each instruction by what the LLVM Language Reference says of it, on the words of the store. Where a branch
depends on key or block, or an access leaves its object, this ends with
`NotCoveredError`, which says at which line of the C text; but of a branch whose arms only make values, as
``c ? x : y`` has it, both are carried out. Values that are undefined, and memory that nothing
has set, are unknown words of their own. Vectors are worked on lane by lane.

What ``nuw``, ``nsw`` and ``exact`` promise is not held against the code: sums wrap around.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from finalist.llvm.module import (
    Bytes,
    Computed,
    Function,
    Global,
    Instruction,
    Local,
    Module,
    Number,
    Several,
    Typed,
    Undefined,
    Value,
    Variable,
    Zeros,
)
from finalist.llvm.types import (
    ADDRESS,
    Array,
    Struct,
    Type,
    Vector,
    align_of,
    offset_of,
    size_of,
    width_of,
)
from finalist.prove import intrinsics
from finalist.prove.bits import Bits, Word, bits_of, known
from finalist.prove.execute import Leaks
from finalist.prove.llvm_words import extended, word
from finalist.prove.objects import Object, Objects
from finalist.prove.store import TRUE
from finalist.prove.words import NotCoveredError, Words

#: Instructions after which a program is taken not to end.
LIMIT = 4_000_000
#: A word, or the words of a vector's lanes.
Held = Word | list[Word]

#: What does not only make a value, or does so by where control came from.
_ACTING = frozenset({"store", "call", "alloca", "phi"})


@dataclass(slots=True)
class Frame:
    """A call under way: its values by name."""

    values: dict[str, Held]


@dataclass(frozen=True, slots=True)
class Before:
    """Where control comes from: the first block if a bit is true, else the second; mostly both are one."""

    condition: int
    labels: tuple[str, str]


@dataclass(slots=True)
class Execution:
    """A module with its memory."""

    module: Module
    words: Words
    memory: Objects = field(init=False)
    leaks: Leaks = field(default_factory=Leaks)
    executed: int = 0
    #: The line of the C text under way.
    line: int = 0
    _places: dict[str, Object] = field(default_factory=dict)
    _unknown: int = 0

    def __post_init__(self) -> None:
        self.memory = Objects(self.words)
        for name, one in self.module.variables.items():
            self._places[name] = self.memory.new(name, size_of(one.type), align_of(one.type))
        for name, one in self.module.variables.items():
            self._begin(self._places[name], one)

    def _begin(self, place: Object, one: Variable) -> None:
        self._fill(place.address, Typed(one.type, one.initial))
        if one.constant:
            self.memory.fixed(place)

    def _fill(self, at: int, what: Typed) -> None:
        """Sets memory to a constant."""
        kind, value = what.type, what.value
        if isinstance(value, Zeros):
            self.memory.fill(at, [0] * size_of(kind))
        elif isinstance(value, Bytes):
            self.memory.fill(at, list(value.data))
        elif isinstance(value, Several):
            for k, item in enumerate(value.items):
                step = offset_of(kind, k) if isinstance(kind, Struct) else k * size_of(item.type)
                self._fill(at + step, item)
        elif not isinstance(value, Undefined):
            self.memory.store(size_of(kind), at, _one(self.value(what, Frame({}))))

    # -- running --------------------------------------------------------------------------------

    def call(self, name: str, arguments: Sequence[Held]) -> Held | None:
        """Calls a function of the module. Raises NotCoveredError, saying where."""
        function = self.module.functions.get(name)
        if function is None:
            raise NotCoveredError(f"no function {name}")
        frame = Frame({own: given for (own, _), given in zip(function.params, arguments, strict=True)})
        return self._run(function, frame)

    def outermost(self, name: str, arguments: Sequence[Held]) -> None:
        """`call`, whose errors say the line of the C text."""
        try:
            self.call(name, arguments)
        except NotCoveredError as error:
            where = f"line {self.line}: " if self.line else ""
            raise NotCoveredError(f"{where}{error}") from error

    def _run(self, function: Function, frame: Frame) -> Held | None:
        label, before = function.entry, Before(TRUE, ("", ""))
        while True:
            body = function.blocks[label]
            first = next(k for k, one in enumerate(body) if one.op != "phi")
            frame.values |= {one.result: self._came(one, frame, before) for one in body[:first]}
            for one in body[first:-1]:
                self._step(one, frame)
            last = body[-1]
            self._count(last)
            if last.op == "ret":
                return self.value(last.operands[0], frame) if last.operands else None
            label, before = self._next(function, last, frame, label)

    def _count(self, one: Instruction) -> None:
        self.line = one.line or self.line
        self.executed += 1
        self.words.check()
        if self.executed > LIMIT:
            raise NotCoveredError(f"more than {LIMIT} instructions")

    def _came(self, one: Instruction, frame: Frame, before: Before) -> Held:
        """What a ``phi`` is, by the block that control came from."""
        first, second = (self.value(one.operands[one.labels.index(label)], frame) for label in before.labels)
        assert one.type is not None
        if before.labels[0] == before.labels[1]:
            return first
        width = width_of(one.type)
        return known(self.words.select(before.condition, _one(first), _one(second), width))

    def _next(self, function: Function, one: Instruction, frame: Frame, label: str) -> tuple[str, Before]:
        """The block where control goes on, and where it comes from."""
        if one.op != "br":
            raise NotCoveredError(f"{one.op} at the end of a basic block")
        condition = known(_one(self.value(one.operands[0], frame))) if one.operands else 1
        if isinstance(condition, int):
            return one.labels[0 if condition else 1], Before(TRUE, (label, label))
        meeting = _meeting(function, one.labels, label)
        if meeting is None:
            raise NotCoveredError("a branch that depends on key or block")
        for way in meeting[1]:
            for each in function.blocks[way][:-1] if way != label else ():
                self._step(each, frame)
        return meeting[0], Before(condition[0], meeting[1])

    def _step(self, one: Instruction, frame: Frame) -> None:
        self._count(one)
        made = self._made(one, [self.value(each, frame) for each in one.operands])
        if one.result:
            assert made is not None
            frame.values[one.result] = made

    # -- values ---------------------------------------------------------------------------------

    def value(self, what: Typed, frame: Frame) -> Held:
        """What an operand is."""
        kind, value = what.type, what.value
        if isinstance(value, Local):
            return frame.values[value.name]
        if isinstance(kind, Vector):
            return self._lanes_of(kind, value, frame)
        if isinstance(value, Number):
            return value.value
        if isinstance(value, Zeros):
            return 0
        if isinstance(value, Global):
            if value.name not in self._places:
                raise NotCoveredError(f"the address of {value.name}, which the text does not define")
            return self._places[value.name].address
        if isinstance(value, Computed):
            one = value.instruction
            made = self._made(one, [self.value(each, frame) for each in one.operands])
            assert made is not None
            return made
        if isinstance(value, Undefined):
            return self._undefined(width_of(kind))
        raise NotCoveredError(f"a constant of type {kind}")

    def _lanes_of(self, kind: Vector, value: Value, frame: Frame) -> Held:
        if isinstance(value, Several):
            return [_one(self.value(item, frame)) for item in value.items]
        if isinstance(value, Zeros):
            return [0] * kind.count
        return [self._undefined(width_of(kind.item)) for _ in range(kind.count)]

    def _undefined(self, width: int) -> Word:
        self._unknown += 1
        return self.words.symbol(("undefined", self._unknown), width)

    # -- instructions ---------------------------------------------------------------------------

    def _made(self, one: Instruction, values: Sequence[Held]) -> Held | None:
        """What an instruction gives; None where it gives nothing."""
        if one.op == "call":
            return self._called(one, values)
        if one.op == "getelementptr":
            return self._place(one, values)
        if one.op == "load":
            assert one.type is not None
            return self.load(one.type, _one(values[0]))
        if one.op == "store":
            self.store(one.operands[0].type, values[0], _one(values[1]))
            return None
        if one.op == "alloca":
            return self._room(one, values)
        if one.op in {"extractelement", "insertelement", "shufflevector"}:
            return self._of_lanes(one, values)
        return self._lanewise(one, values)

    def _lanewise(self, one: Instruction, values: Sequence[Held]) -> Held:
        """An operation on words, or on each lane of vectors."""
        lengths = {len(value) for value in values if isinstance(value, list)}
        kinds = [each.type for each in one.operands]
        assert one.type is not None
        if not lengths:
            return word(self.words, one, [_one(value) for value in values], kinds, one.type)
        if one.op == "bitcast" or len(lengths) > 1:
            return self._recast(one, values)
        if one.op == "select" and not isinstance(values[0], list):
            values = [[values[0]] * lengths.copy().pop(), *values[1:]]
        assert isinstance(one.type, Vector)
        items = [kind.item if isinstance(kind, Vector) else kind for kind in kinds]
        columns = [value if isinstance(value, list) else [value] * one.type.count for value in values]
        return [
            word(self.words, one, list(lane), items, one.type.item) for lane in zip(*columns, strict=True)
        ]

    # -- vectors --------------------------------------------------------------------------------

    def _of_lanes(self, one: Instruction, values: Sequence[Held]) -> Held:
        first = values[0]
        assert isinstance(first, list)
        if one.op == "shufflevector":
            second = values[1]
            assert isinstance(second, list) and isinstance(one.type, Vector)
            both, width = [*first, *second], width_of(one.type.item)
            return [self._undefined(width) if lane is None else both[lane] for lane in one.lanes]
        place = known(_one(values[-1]))
        if not isinstance(place, int) or place >= len(first):
            raise NotCoveredError("a lane whose number is not known")
        if one.op == "extractelement":
            return first[place]
        return [*first[:place], _one(values[1]), *first[place + 1 :]]

    def _recast(self, one: Instruction, values: Sequence[Held]) -> Held:
        """The same bits in other lanes."""
        assert one.type is not None and one.op == "bitcast"
        return _in_lanes(one.type, _all_bits(one.operands[0].type, values[0]))

    # -- memory ---------------------------------------------------------------------------------

    def load(self, kind: Type, at: Word) -> Held:
        """A word or a vector at an address."""
        at = known(at)
        if not isinstance(at, int):
            self.leaks.addresses.add(self.line)
        size = size_of(kind)
        found = bits_of(self.memory.load(size, at), 8 * size)
        return _in_lanes(kind, found)

    def store(self, kind: Type, value: Held, at: Word) -> None:
        """A word or a vector put at an address."""
        size, at = size_of(kind), known(at)
        if not isinstance(at, int):
            self.leaks.addresses.add(self.line)
        self.memory.store(size, at, known(bits_of(known(_all_bits(kind, value)), 8 * size)))

    def _room(self, one: Instruction, values: Sequence[Held]) -> Word:
        assert one.about is not None
        count = known(_one(values[0])) if values else 1
        if not isinstance(count, int):
            raise NotCoveredError("an array whose length depends on key or block")
        return self.memory.new("a local variable", count * size_of(one.about), align_of(one.about)).address

    def _place(self, one: Instruction, values: Sequence[Held]) -> Word:
        """An address and the items of a type that it is counted on by."""
        assert one.about is not None
        total: list[tuple[Word, int]] = [(_one(values[0]), 1)]
        constant, kind = 0, one.about
        for number, (operand, value) in enumerate(zip(one.operands[1:], values[1:], strict=True)):
            index = known(extended(_one(value), width_of(operand.type), ADDRESS))
            if number and isinstance(kind, Struct):
                assert isinstance(index, int)
                constant += offset_of(kind, index)
                kind = kind.items[index]
                continue
            if number:
                assert isinstance(kind, Array | Vector)
                kind = kind.item
            if isinstance(index, int):
                constant += index * size_of(kind)
            else:
                total.append((index, size_of(kind)))
        return self.words.sums.add(total, constant, ADDRESS)

    # -- calls ----------------------------------------------------------------------------------

    def _called(self, one: Instruction, values: Sequence[Held]) -> Held | None:
        if one.detail in self.module.functions:
            return self.call(one.detail, values)
        if intrinsics.of_memory(self.memory, one.detail, values):
            return None
        lanes = next((len(value) for value in values if isinstance(value, list)), 0)
        assert one.type is not None
        if not lanes:
            return intrinsics.word(self.words, one.detail, [_one(v) for v in values], width_of(one.type))
        assert isinstance(one.type, Vector)
        columns = [value if isinstance(value, list) else [value] * lanes for value in values]
        width = width_of(one.type.item)
        return [
            intrinsics.word(self.words, one.detail, list(lane), width) for lane in zip(*columns, strict=True)
        ]


def _meeting(function: Function, arms: Sequence[str], label: str) -> tuple[str, tuple[str, str]] | None:
    """Where the two arms of a branch meet, with the blocks that lead there, as for ``c ? x : y``; None unless
    both do nothing but make values. ``label``: of the block that branches."""
    first, second = arms
    ends = [_end(function.blocks[arm]) for arm in arms]
    if ends[0] == ends[1] and ends[0]:
        return ends[0], (first, second)
    if ends[0] == second:
        return second, (first, label)
    if ends[1] == first:
        return first, (label, second)
    return None


def _end(body: Sequence[Instruction]) -> str:
    """The block behind one that makes values only; empty for others."""
    *made, last = body
    plain = last.op == "br" and len(last.labels) == 1 and not any(one.op in _ACTING for one in made)
    return last.labels[0] if plain else ""


def _one(value: Held) -> Word:
    """What is no vector."""
    if isinstance(value, list):
        raise NotCoveredError("a vector where a word is expected")
    return value


def _all_bits(kind: Type, value: Held) -> Bits:
    if isinstance(kind, Vector):
        assert isinstance(value, list)
        return tuple(bit for lane in value for bit in bits_of(lane, width_of(kind.item)))
    return bits_of(_one(value), width_of(kind))


def _in_lanes(kind: Type, bits: Bits) -> Held:
    if not isinstance(kind, Vector):
        return known(bits[: width_of(kind)])
    width = width_of(kind.item)
    return [known(bits[k * width : (k + 1) * width]) for k in range(kind.count)]
