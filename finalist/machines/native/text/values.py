"""Values in C: names for what a function works on, and each operation as an expression."""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping
from dataclasses import dataclass, field

from finalist.ir.graph import Node, Region, is_tuple_word
from finalist.ir.ops import SHIFTS, Op
from finalist.ir.types import TupleType
from finalist.machines.native.text import block_arrays, prelude
from finalist.machines.native.text.dialect import Scalar, Text, binary, register_bits
from finalist.machines.native.whole_blocks import registers
from finalist.passes.analysis import Bounds

#: Operations that are written inside their only user rather than in a statement of their own.
_INLINED = frozenset({Op.SLICE, Op.EXTEND, Op.LOAD, Op.LOOKUP, Op.NOT, Op.JOIN})
#: Two operations of these kinds form one chain.
_CHAINS = frozenset({Op.XOR, Op.OR, Op.AND})


@dataclass(eq=False)
class Values:
    """What the values of one C function are called, and how those without a name are written.

    ``copies``: how many blocks (or vectors of blocks) are worked on side by side; ``shared`` says which
    nodes are the same for all of them and written once, in scalars. ``scanned`` are the reads and writes
    that go through all of their table or array.
    """

    dialect: Scalar
    copies: int = 1
    shared: Callable[[Node], bool] = lambda node: False
    tables: Mapping[object, str] = field(default_factory=dict)
    scanned: Container[Node] = ()

    def __post_init__(self) -> None:
        self.scalar = Scalar()
        #: The C functions that stand for regions.
        self.functions: dict[Region, str] = {}
        self.texts: dict[tuple[Node, int], Text] = {}
        self.arrays: dict[tuple[Node, int], str] = {}
        self.constant_arrays: set[Node] = set()
        #: The C arrays that words of the blocks are kept in, as vectors.
        self.on_lanes: set[str] = set()
        #: Selects that are written as conditional moves.
        self.conditional_moves: set[Node] = set()
        self.limits: dict[Node, int] = {}
        self.bounds = self.dialect.bounds = self.scalar.bounds = Bounds(self.limits)
        self.unmasked = self.dialect.unmasked = self.scalar.unmasked = set[Node]()
        self.names: dict[str, int] = {}
        self.taken = {*prelude.NAMES, *self.tables.values()}
        self.stems: dict[Node, str] = {}

    # -- names ----------------------------------------------------------------------------------

    def fresh(self, stem: str) -> str:
        """``stem`` with the next number that makes a name, and one for each copy, which nothing else has."""
        while True:
            number = self.names[stem] = self.names.get(stem, -1) + 1
            name = f"{stem}{number}"
            wanted = {name, *(f"{name}_{copy}" for copy in range(self.copies))}
            if not wanted & self.taken:
                self.taken |= wanted
                return name

    def define(self, node: Node, copy: int, name: str) -> None:
        """Let ``name`` stand for a node in one copy."""
        self.taken.add(name)
        self.texts[node, copy] = Text(name)

    def text(self, node: Node, copy: int) -> Text:
        """How a node is written as an operand."""
        if node.op is Op.CONST:
            return self.scalar.constant(node.attr, node.width)
        return self.texts[node, 0 if self.shared(node) else copy]

    def array(self, node: Node, copy: int) -> str:
        """The C array that holds a version of an array."""
        return self.arrays.get((node, copy)) or self.arrays[node, 0]

    def full(self, value: Node, copy: int) -> str:
        """A value as the first content of a variable, spread if the variable has lanes."""
        text = self.text(value, copy)
        same = value.op is Op.CONST or (self.shared(value) and self.own_entry(value, copy) is None)
        return self.dialect.spread(text).code if same else text.code

    def suffixed(self, stem: str, copy: int) -> str:
        return f"{stem}_{copy}" if self.copies > 1 else stem

    # -- expressions ----------------------------------------------------------------------------

    def inlined(self, node: Node, users: list[Node]) -> bool:
        if len(users) != 1 or node.op is Op.WINDOW or self.paired(node):
            return node.op is Op.WINDOW
        if users[0].op is Op.REM and users[0].inputs[1].op is not Op.CONST:
            return False  # both are written twice, as a divisor may be zero
        if node.op is Op.LOAD:
            return node.inputs[0] in self.constant_arrays
        if node.op in _CHAINS:
            return users[0].op is node.op and users[0].inputs[0] is node
        return node.op in _INLINED

    def paired(self, node: Node) -> bool:
        """Whether two vectors have their reads done at once."""
        return self.dialect.in_pairs(node) and not self.shared(node.inputs[-1])

    def takes(self, node: Node) -> tuple[Node, ...]:
        """The values that a node is made of, as it is written."""
        if node in self.conditional_moves:
            return (*node.inputs[0].inputs, *node.inputs[1:])
        if self.paired(node):
            return (*node.inputs[:-1], self.dialect.place(node))
        return (self.scalar if self.shared(node) else self.dialect).takes(node)

    def expression(self, node: Node, copy: int) -> Text:
        own = self.own_entry(node, copy)
        if own is not None:
            return own
        if isinstance(node.type, TupleType) or is_tuple_word(node):
            return self.register(node, copy)
        dialect = self.scalar if self.shared(node) else self.dialect
        read = dialect.scan if node in self.scanned else dialect.read
        if node.op is Op.LOAD:
            array, place = self.array(node.inputs[0], copy), self.index(node, copy)
            if array in self.on_lanes:
                entry = block_arrays.read(array, node, place, scanned=node in self.scanned)
                return Text(f"{entry}[0]" if self.shared(node) else entry)
            return read(array, place, node)
        taken = self.takes(node)
        operands = [self.text(child, copy) for child in taken]
        if node.op is Op.LOOKUP:
            return read(self.tables[node.attr], operands[0].code, node)
        if node.op is Op.LINEAR and node.attr in self.tables:
            return dialect.map(self.tables[node.attr], operands[0])
        if node in self.conditional_moves:
            values = ", ".join(text.code for text in operands)
            return Text(f"choose{register_bits(node.width)}({values})")
        if dialect is self.scalar:
            return dialect.expression(node, operands)
        operands = [
            self.dialect.shared(text, x)
            if self.shared(x) and x.op is not Op.CONST and self.own_entry(x, copy) is None
            else text
            for x, text in zip(taken, operands, strict=True)
        ]
        if node.op is Op.BOOL:
            operands = [Text(self.full(x, copy)) for x in taken]
        if node.op in SHIFTS and node.inputs[1].op is not Op.CONST:
            pairs = zip(node.inputs, operands, strict=True)
            operands = [self.dialect.spread(text) if self.shared(x) else text for x, text in pairs]
        return self.dialect.expression(node, operands)

    def register(self, node: Node, copy: int) -> Text:
        """A register, or a word of one."""
        file, first = self.dialect.registers, registers.entries(node)
        if first is not None:
            place = self.index(first, copy)
            return Text(file.entries(f"{self.array(first.inputs[0], copy)} + {place}"))
        operands = [self.text(child, copy).code for child in node.inputs]
        if node.op is Op.TUPLE:
            return Text(file.words(operands))
        if node.op is Op.RESULT:
            return Text(f"word{file.bits}({operands[0]}, {node.attr})")
        return Text(file.instruction(node, operands))

    def own_entry(self, node: Node, copy: int) -> Text | None:
        """A read of the expanded key in the dialect's own way, if it has one."""
        own = node.op is Op.LOAD and node.inputs[0] in self.constant_arrays
        if not own or not self.shared(node.inputs[1]):
            return None
        return self.dialect.entry(self.array(node.inputs[0], copy), self.index(node, copy))

    def index(self, node: Node, copy: int) -> str:
        """The place in an array, reduced modulo its length where it might pass it."""
        array, index = node.inputs[0], node.inputs[1]
        if index.op is Op.CONST:
            return str(index.attr % array.length)
        text = self.text(index, copy)
        if self.bounds.greatest(index) < array.length:
            return text.code
        length = self.scalar.constant(array.length, index.width)
        return binary("%", text, length).code
