"""The structure that holds the expanded key: its fields, and what of the key is there a second time.

Entries for lanes of 8 and 16 bits are kept as often as they fill a word of 32: no vector unit loads a byte
into all lanes without a shuffle, a word of 32 bits is spread by the load itself. ``vec_all(k->keys[i])`` ->
``vec_same(k->keys_same[i])``.
"""

from __future__ import annotations

from dataclasses import dataclass

from finalist.ir.graph import Graph, Node, Region, every_node, every_region
from finalist.ir.ops import Op
from finalist.ir.program import Program
from finalist.ir.types import ArrayType, Type, storage_bits
from finalist.machines.native.shape import Shape
from finalist.machines.native.vectors import word_permutes
from finalist.machines.native.vectors.narrow import NARROW
from finalist.machines.native.vectors.spread import GROUPS
from finalist.machines.native.vectors.word_permutes import HALVES
from finalist.passes.analysis import KeyOnly
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
        again = [(WORD, name, p.length) for p, (_, name) in self.repeated().items()]
        return [*halves, *again, *fields, *(spread if self.shape.spread else [])]

    def repeated(self) -> dict[Node, tuple[str, str]]:
        """Arrays of the key whose entries are there again, for lanes that are narrower than words: their
        names, and those of what has them again."""
        found = repeated(self.program.kernel, self.shape.lane_bits if self._on_lanes() else 0)
        pairs = zip(self.program.key_params, self.names, strict=True)
        return {p: (name, f"{name}{SUFFIX}") for p, name in pairs if p in found}

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


#: What the name of an array ends in whose entries fill words.
SUFFIX = "_same"
WORD = 32


def repeated(kernel: Graph, lane_bits: int) -> set[Node]:
    """The arrays of the key whose entries all meet vectors, and nothing else, in lanes of these bits."""
    if lane_bits not in NARROW:
        return set()
    shared = KeyOnly("key", "counter", "index")
    arrays = {p for p in kernel.params if p.attr == "key" and _fills(p, lane_bits)}
    fit = {array for region in every_region(kernel) for array in _read(region, arrays)}
    return fit - {array for node in every_node(kernel) for array in _otherwise(node, arrays, shared)}


def fill(name: str, length: int, bits: int) -> str:
    """The C statement of the key schedule that writes an array's entries again, as words."""
    times = sum(1 << low for low in range(0, WORD, bits))
    return f"    for (size_t i = 0; i < {length}; i++) k->{name}{SUFFIX}[i] = k->{name}[i] * 0x{times:x}u;"


def _fills(array: Node, lane_bits: int) -> bool:
    return isinstance(array.type, ArrayType) and storage_bits(array.width) == lane_bits


def _read(region: Region, arrays: set[Node]) -> set[Node]:
    """Those of which there is an entry that is the same in all lanes."""
    shared = KeyOnly("key", "counter", "index")
    loads = (node for node in region.body if node.op is Op.LOAD and shared(node.inputs[1]))
    return {node.inputs[0] for node in loads if node.inputs[0] in arrays}


def _otherwise(node: Node, arrays: set[Node], shared: KeyOnly) -> set[Node]:
    """The arrays that a node takes, or an entry of, as more than an operand of vectors."""
    if node.op is Op.LOAD and node.inputs[0] in arrays:
        return set()  # where the index depends on the block, it is read as it is
    plain = () if shared(node) or node.op not in _ON_VECTORS else node.inputs
    return {
        array
        for child in node.inputs
        for array in (child, *(child.inputs[:1] if child.op is Op.LOAD and child not in plain else ()))
        if array in arrays
    }


#: Operations that take all their operands as vectors.
_ON_VECTORS = frozenset({Op.AND, Op.OR, Op.XOR, Op.ADD, Op.SUB, Op.BOOL})
