"""Whole blocks from memory into registers, and back."""

from __future__ import annotations

from finalist.ir.graph import Node
from finalist.ir.ops import Op
from finalist.ir.program import Program
from finalist.machines.native.shape import Shape
from finalist.machines.native.text.blocks import LOW_BYTES, Previous, ReadAhead
from finalist.machines.native.text.body import Body
from finalist.machines.native.whole_blocks.instructions import xor
from finalist.machines.native.whole_blocks.registers import FILES, REGISTER, entries
from finalist.passes.matching.normal import Round, normal_form

#: The values of a byte.
BYTE_VALUES = 256


class RegisterBlocks:
    """Blocks in vectors that hold one, two or four of them, just as they lie in memory."""

    #: Of a block its last eight bytes, which are counted in as a word.
    counter_bits = 8 * LOW_BYTES
    #: A block, which a register takes.
    chain_bytes = REGISTER // 8

    def __init__(self, body: Body, program: Program, shape: Shape) -> None:
        self.body = body
        self.bits, self.lanes = shape.bits, shape.lanes
        self.kernel = kernel = program.kernel
        count = program.block.count
        self.state = next(node for node in kernel.body if node.inputs == kernel.params[:count])
        self.result = kernel.results[0].inputs[0]
        self.kind = body.dialect.kind(self.state)
        #: Of a chain, the words of the key that its blocks are added to first.
        self.key = ""
        body.unwritten |= set(kernel.results)  # they are stored as one

    def loads(self) -> list[str]:
        """Statements that define the register of the kernel's parameters."""
        return self._defined([f"load{self.bits}(in + {self._place(copy)})" for copy in self._copies()])

    def prepare_xor(self) -> None:
        """Have the last instruction, if it adds a second operand, add what the results are XORed with:
        ``aesenclast(x, k) ^ m -> aesenclast(x, k ^ m)``, which takes the XOR off the critical path."""
        if len(self.result.inputs) == 2:
            self.body.unwritten.add(self.result)

    def previous(self) -> list[str]:
        """The same, of each block from the one before."""
        return self._defined([self._before(self._place(copy)) for copy in self._copies()])

    def counters(self) -> list[str]:
        """The same, for consecutive counters: by additions to their last byte where it does not overflow."""
        first, bits = self.body.fresh("first"), self.bits
        number = f"    const {self.kind} {first} = numbers{bits}(counter, low);"
        numbers = [copy * self.lanes for copy in self._copies()]
        counted = [f"counted{bits}({first}, {n})" for n in numbers]
        blocks = self.lanes * len(numbers)
        if len(numbers) == 1 or blocks > BYTE_VALUES:
            return [number, *self._defined(counted)]
        later = [f"later{bits}({counted[0]}, {n})" for n in numbers]
        names = self._named()
        return [
            number,
            f"    {self.kind} {', '.join(names)};",
            f"    if ((low & {BYTE_VALUES - 1}) <= {BYTE_VALUES - blocks}) {{",
            *(f"        {name} = {one};" for name, one in zip(names, later, strict=True)),
            "    } else {",
            *(f"        {name} = {one};" for name, one in zip(names, counted, strict=True)),
            "    }",
        ]

    def first_round(self) -> tuple[Node, Node] | None:
        """The XOR with words of the key that the kernel begins with, and the round after it, if those do."""
        addition = self._first_addition()
        users = [node for node in self.kernel.body if addition is not None and addition in node.inputs]
        if addition is None or len(users) != 1 or users[0].op is not Op.INSTRUCTION:
            return None
        (second,) = users
        is_round = isinstance(normal_form(second.attr), Round) and entries(second.inputs[1]) is not None
        return (addition, second) if is_round and second is not self.result else None

    def from_first_round(self) -> list[str]:
        """Statements that define what that makes of the blocks, from `base` and `table`: see `grouped`."""
        found = self.first_round()
        assert found is not None  # else there is no such kernel
        addition, second = found
        self.body.unwritten |= {self.state, addition, addition.inputs[1], second.inputs[1]}
        read = [f"base ^ load{self.bits}(table + {self._place(copy)})" for copy in self._copies()]
        return self._defined(read, second)

    def stores(self) -> list[str]:
        """Statements that write the register of its results."""
        return [
            f"    store{self.bits}(out + {self._place(copy)}, {self._text(copy)});" for copy in self._copies()
        ]

    def xor_input(self) -> list[str]:
        """Statements that write it XORed with the blocks at `in`."""
        lines = []
        for copy in self._copies():
            at = self._place(copy)
            lines.append(
                f"    store{self.bits}(out + {at}, {self._with(copy, f'load{self.bits}(in + {at})')});"
            )
        return lines

    def _with(self, copy: int, added: str) -> str:
        """The results XORed with a register."""
        if self.result not in self.body.unwritten:
            return f"{self._text(copy)} ^ {added}"
        state, key = (self.body.text(operand, copy).code for operand in self.result.inputs)
        return FILES[self.bits].instruction(self.result, [state, f"{key} ^ {added}"])

    def xor_previous(self) -> list[str]:
        """Statements that write it XORed with the blocks before those."""
        ahead = ReadAhead(
            Previous(self.chain_bytes, self.bits // 8), self._place(self.body.copies), self._read
        )
        lines = []
        for copy in self._copies():
            reads, name = ahead.before(self._place(copy))
            total = self._with(copy, name)
            lines += [*reads, f"    store{self.bits}(out + {self._place(copy)}, {total});"]
        return lines

    def _read(self, at: int) -> tuple[str, str]:
        name = self.body.fresh("previous")
        return name, f"    const {self.kind} {name} = {self._before(at)};"

    def _before(self, at: int) -> str:
        """What lies a block before `in` + ``at``: in the first register the block at `chain` comes first."""
        return f"load{self.bits}(in + {at - self.chain_bytes})" if at else f"chained{self.bits}(chain, in)"

    def chain_begins(self) -> list[str]:
        """Statements that define variables: the block at `iv`, and what the kernel begins with."""
        chain = f"    {self.kind} chain = load{self.bits}(iv);"
        first = self._first_addition()
        if first is None:
            return [chain]
        # The last instruction adds the next block with its key, so that the chain waits for no other.
        key, self.key = self.body.register(first.inputs[1], 0).code, "whitening"
        self.body.unwritten |= {self.state, first.inputs[1], self.result}
        self.state = first
        return [
            chain,
            f"    const {self.kind} {self.key} = {key};",
            f"    {self.kind} next = chain;",
            f"    if (blocks)\n        next = chain ^ (load{self.bits}(in) ^ {self.key});",
        ]

    def chain_loads(self) -> list[str]:
        """Statements that define the kernel's parameters: those variables XORed with the block at `in`."""
        return self._defined(["next" if self.key else f"chain ^ load{self.bits}(in)"])

    def chain_stores(self) -> list[str]:
        """Statements that write the kernel's results, and keep them in the variables."""
        if not self.key:
            return [f"    chain = {self._text(0)};", f"    store{self.bits}(out, chain);"]
        ahead = f"load{self.bits}(in + {self._place(1)})"
        return [
            f"    {self.kind} ahead = {self.key};",
            "    if (blocks > 1)",
            f"        ahead = ahead ^ {ahead};",
            f"    next = {self._with(0, 'ahead')};",
            "    chain = next ^ ahead;",
            f"    store{self.bits}(out, chain);",
        ]

    def chain_ends(self) -> list[str]:
        """Statements that write the variables to `iv`."""
        return [f"    store{self.bits}(iv, chain);"]

    def _first_addition(self) -> Node | None:
        """The XOR with words of the key that the kernel begins with, if it does and has more than that.

        All instructions of a kernel add their second operand by XOR (`finalist.passes.matching.normal`).
        """
        users = [node for node in self.kernel.body if self.state in node.inputs]
        begins = len(users) == 1 and users[0].attr is xor() and users[0] is not self.result
        return users[0] if begins and entries(users[0].inputs[1]) is not None else None

    def _defined(self, values: list[str], node: Node | None = None) -> list[str]:
        pairs = zip(self._named(node), values, strict=True)
        return [f"    const {self.kind} {name} = {value};" for name, value in pairs]

    def _named(self, node: Node | None = None) -> list[str]:
        """Variables for the kernel's parameters, or for a node."""
        stem = self.body.fresh("in")
        names = [f"{stem}_{copy}" if self.body.copies > 1 else stem for copy in self._copies()]
        for copy, name in enumerate(names):
            self.body.define(node or self.state, copy, name)
        return names

    def _text(self, copy: int) -> str:
        return self.body.text(self.result, copy).code

    def _copies(self) -> range:
        return range(self.body.copies)

    def _place(self, copy: int) -> int:
        return copy * self.bits // 8
