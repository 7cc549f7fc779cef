"""The structure that holds the expanded key: its fields, and what of the key is there a second time."""

from __future__ import annotations

from dataclasses import dataclass

from finalist.ir.graph import Node
from finalist.ir.program import Program
from finalist.ir.types import ArrayType, Type, storage_bits
from finalist.machines.native.shape import Shape
from finalist.machines.native.vectors import repeated_keys, word_permutes
from finalist.machines.native.vectors.spread import GROUPS
from finalist.machines.native.vectors.word_permutes import HALVES
from finalist.schedule import Schedule


@dataclass(frozen=True)
class KeyStructure:
    """That of a program; ``names``: those of its arrays, as fields."""

    program: Program
    shape: Shape
    schedule: Schedule
    names: tuple[str, ...]

    def fields(self) -> list[tuple[int, str, int]]:
        """The arrays of the expanded key: bits of an entry, name, length."""
        types = self.program.key_types
        named = list(zip(self.names, types, strict=True))
        fields = [(self._entry_bits(t), name, t.length * self._entries(t)) for name, t in named]
        spread = [(32, f"{name}_lanes", GROUPS * t.length) for name, t in named]
        # First, so that rows of vectors begin where vectors do if the key does.
        halves = [(16, f"{name}{HALVES}", word_permutes.entries(length)) for name, length in self.halved()]
        again = [(repeated_keys.WORD, name, p.length) for p, (_, name) in self.repeated().items()]
        return [*halves, *again, *fields, *(spread if self.shape.spread else [])]

    def repeated(self) -> dict[Node, tuple[str, str]]:
        """Arrays of the key whose entries are there again, for lanes that are narrower than words: their
        names, and those of what has them again."""
        found = repeated_keys.repeated(self.program.kernel, self.shape.lane_bits if self._on_lanes() else 0)
        pairs = zip(self.program.key_params, self.names, strict=True)
        return {p: (name, f"{name}{repeated_keys.SUFFIX}") for p, name in pairs if p in found}

    def _on_lanes(self) -> bool:
        """Whether there is a block a lane."""
        shape = self.shape
        return shape.lanes > 1 and not (shape.sliced or shape.slotted or shape.registers or shape.spread)

    def halved(self) -> list[tuple[str, int]]:
        """Arrays of the key that permutes read words from: their names and lengths."""
        if self.schedule.lookup != "permute" or self.shape.lane_bits != word_permutes.LANE:
            return []
        read = word_permutes.read_arrays(self.program.kernel)
        params = self.program.key_params
        pairs = zip(self.names, params, strict=True)
        return [(name, param.length) for name, param in pairs if param in read]

    def bytes(self) -> int:
        """Bytes of the expanded key, as C lays a structure out."""
        at, most = 0, 1
        for entry, _, length in self.fields():
            size = entry // 8
            at = -(-at // size) * size + size * length
            most = max(most, size)
        return max(1, -(-at // most) * most)

    def _entry_bits(self, type_: ArrayType) -> int:
        """Bits that an entry of the expanded key is kept in; a single bit of bitsliced code as a mask."""
        if self.is_mask(type_):
            return 32 if self.shape.sliced else 8
        return storage_bits(type_.width)

    def _entries(self, type_: ArrayType) -> int:
        """Entries of the expanded key for one of the array: for each of the bits that lie side by side."""
        return type_.width if self.is_mask(type_) else 1

    def is_mask(self, type_: Type) -> bool:
        """Whether bits of the key are kept as masks, which vectors take."""
        shape = self.shape
        bitwise = shape.sliced or shape.slotted
        return bitwise and isinstance(type_, ArrayType) and type_.width == shape.lane_bits
