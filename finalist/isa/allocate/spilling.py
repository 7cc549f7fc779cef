"""Instructions on registers, for words that are spilled to memory and fetched again."""

from __future__ import annotations

from collections.abc import Callable

from finalist.isa.allocate.linear import Spilling
from finalist.isa.code import Code, Ins
from finalist.isa.lower.lowerer import Conventions, Lowerer
from finalist.isa.lower.select import Selector
from finalist.isa.target.meaning import Leaf, constant, load, register, store
from finalist.isa.target.memory import Memory
from finalist.isa.target.processor import Processor


def spilling(processor: Processor, memory: Memory, conventions: Conventions) -> Spilling:
    """How a processor's words are spilled, fetched again, and constants made anew."""
    size = processor.width // 8

    def selected(act: Callable[[Selector], object], into: int) -> Ins:
        found: list[Ins] = []
        selector = Lowerer(processor, memory, Code(), conventions).selector
        selector.emit, selector.fresh = found.append, lambda: into
        act(selector)
        (made,) = found
        made.note = "spilled"
        return made

    def fetch(target: int, home: int) -> Ins:
        return selected(lambda selector: selector.root(load(size, constant(0) + home), target), target)

    def spill(source: int, home: int) -> Ins:
        stored = store(size, constant(0) + home, register(source))
        return selected(lambda selector: selector.act(stored), source)

    def rematerialized(target: int, value: int) -> list[Ins]:
        """By one instruction; nothing where none takes the constant."""
        for instruction, _, _ in processor.by_root.get((Leaf.OPERAND, 0), ()):
            number = value - (1 << processor.width) if value >> processor.width - 1 else value
            operand = instruction.operands[1]
            if operand.kind == "imm" and operand.accepts(number, processor.width):
                return [Ins(instruction, [target, number])]
        return []

    return Spilling(fetch, spill, rematerialized)
