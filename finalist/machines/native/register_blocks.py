"""Whole blocks from memory into registers, and back."""

from __future__ import annotations

from finalist.ir.graph import Node
from finalist.ir.program import Program
from finalist.machines.native.blocks import LOW_BYTES
from finalist.machines.native.body import Body
from finalist.machines.native.instructions import xor
from finalist.machines.native.registers import entries
from finalist.machines.native.shape import Shape


class RegisterBlocks:
    """Blocks in vectors that hold one, two or four of them, just as they lie in memory."""

    counter_bits = 8 * LOW_BYTES

    def __init__(self, body: Body, program: Program, shape: Shape) -> None:
        self.body = body
        self.bits, self.lanes = shape.bits, shape.lanes
        self.kernel = kernel = program.kernel
        count = program.block.count
        self.state = next(node for node in kernel.body if node.inputs == kernel.params[:count])
        self.result = kernel.results[0].inputs[0]
        self.kind = body.dialect.kind(self.state)
        body.unwritten |= set(kernel.results)  # they are stored as one

    def loads(self) -> list[str]:
        """Statements that define the register of the kernel's parameters."""
        return self._defined([f"load{self.bits}(in + {self._place(copy)})" for copy in self._copies()])

    def counters(self) -> list[str]:
        """The same, for consecutive counters."""
        first = self.body.fresh("first")
        number = f"    const {self.kind} {first} = numbers{self.bits}(counter, low);"
        counted = (f"counted{self.bits}({first}, {copy * self.lanes})" for copy in self._copies())
        return [number, *self._defined(list(counted))]

    def stores(self) -> list[str]:
        """Statements that write the register of its results."""
        return [
            f"    store{self.bits}(out + {self._place(copy)}, {self._text(copy)});" for copy in self._copies()
        ]

    def xor_stores(self, pointer: str) -> list[str]:
        """Statements that write it XORed with memory, the last blocks first."""
        lines = []
        for copy in reversed(self._copies()):
            added = f"load{self.bits}({pointer} + {self._place(copy)})"
            lines.append(f"    store{self.bits}(out + {self._place(copy)}, {self._text(copy)} ^ {added});")
        return lines

    def chain_begins(self) -> list[str]:
        """Statements that define variables: the block at `iv`."""
        return [f"    {self.kind} chain = load{self.bits}(iv);"]

    def chain_loads(self) -> list[str]:
        """Statements that define the kernel's parameters: those variables XORed with the block at `in`."""
        given, first = f"load{self.bits}(in)", self._first_addition()
        if first is None:
            return self._defined([f"chain ^ {given}"])
        # What is not of the chain is added first, so that the chain waits for one addition and not for two.
        key = self.body.register(first.inputs[1], 0).code
        self.body.unwritten |= {self.state, first.inputs[1]}
        self.state = first
        return self._defined([f"chain ^ ({given} ^ {key})"])

    def chain_stores(self) -> list[str]:
        """Statements that write the kernel's results, and keep them in the variables."""
        return [f"    chain = {self._text(0)};", f"    store{self.bits}(out, chain);"]

    def chain_ends(self) -> list[str]:
        """Statements that write the variables to `iv`."""
        return [f"    store{self.bits}(iv, chain);"]

    def _first_addition(self) -> Node | None:
        """The XOR with words of the key that the kernel begins with, if it does."""
        users = [node for node in self.kernel.body if self.state in node.inputs]
        begins = len(users) == 1 and users[0].attr is xor()
        return users[0] if begins and entries(users[0].inputs[1]) is not None else None

    def _defined(self, values: list[str]) -> list[str]:
        lines, stem = [], self.body.fresh("in")
        for copy, value in enumerate(values):
            name = f"{stem}_{copy}" if self.body.copies > 1 else stem
            self.body.define(self.state, copy, name)
            lines.append(f"    const {self.kind} {name} = {value};")
        return lines

    def _text(self, copy: int) -> str:
        return self.body.text(self.result, copy).code

    def _copies(self) -> range:
        return range(self.body.copies)

    def _place(self, copy: int) -> int:
        return copy * self.bits // 8
