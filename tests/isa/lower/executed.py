"""Graphs lowered for a processor, and executed on their words, before any of these has a register."""

from __future__ import annotations

from collections.abc import Sequence

from finalist.ir.graph import Graph
from finalist.ir.ops import Op
from finalist.ir.types import ArrayType
from finalist.isa.code import ZERO, Code, Ins
from finalist.isa.lower.lowerer import Conventions, Lowerer
from finalist.isa.target.meaning import Flow, Leaf, Term, evaluate, operand, register
from finalist.isa.target.memory import Memory
from finalist.isa.target.processor import Processor
from finalist.machines.plx.model import processor
from finalist.machines.plx.parameters import parsed

RISC = processor(parsed(""))
#: Instructions after which a program that does not end is given up.
STEPS = 3000


def lowered(graph: Graph, to: Processor = RISC, short: bool = False) -> Lowerer:
    """The code of a graph whose parameters are words, by number from 1 on, and arrays from address 256 on."""
    made = Lowerer(to, Memory(256), Code(), Conventions(short=short))
    made.begin("start")
    for param in graph.params:
        if isinstance(param.type, ArrayType):
            made.arrays.of[param] = made.memory.array(param.name, param.type)
        else:
            made.terms[param] = register(made.code.fresh())
    made.graph(graph)
    return made


def names(made: Lowerer) -> list[list[str]]:
    """The instructions of each block."""
    return [[ins.instruction.name for ins in block.body] for block in made.code.blocks]


class Execution:
    """Words and memory after the code has run."""

    def __init__(
        self, made: Lowerer, words: Sequence[int], memory: Sequence[tuple[int, int, int]] = ()
    ) -> None:
        self.made = made
        self.memory: dict[int, int] = {}
        self.words = {ZERO: 0, **made.code.constants, **dict(enumerate(words, start=1))}
        for place, values in made.memory.contents.items():
            for number, value in enumerate(values):
                self._store(place.bytes, place.address + number * place.step, value)
        for address, size, value in memory:
            self._store(size, address, value)
        self._run()

    def value(self, term: Term) -> int:
        """Of a term of words."""
        return evaluate(_named(term), {f"w{k}": v for k, v in self.words.items()}, self.made.processor.width)

    def load(self, size: int, address: int) -> int:
        """Bytes of memory as a number; what nobody has written is 0xEE."""
        found = [self.memory.get(address + k, 0xEE) for k in range(size)]
        return int.from_bytes(found, "little")

    def _store(self, size: int, address: int, value: int) -> None:
        for k in range(size):
            self.memory[address + k] = value >> 8 * k & 0xFF

    def _run(self) -> None:
        blocks = self.made.code.blocks
        start = {block.label: number for number, block in enumerate(blocks)}
        block, steps = 0, 0
        while block < len(blocks):
            to = None
            for ins in blocks[block].body:
                steps += 1
                assert steps < STEPS, "does not end"
                if self._step(ins):
                    to = start[ins.target]
            block = block + 1 if to is None else to

    def _step(self, ins: Ins) -> bool:
        """Whether a branch is taken."""
        values = {
            o.name: self.words[int(x)] if o.is_register and o.kind != "def" else x
            for o, x in zip(ins.instruction.operands, ins.operands, strict=True)
        }
        given = {name: x for name, x in values.items() if not isinstance(x, str)}
        taken, width = False, self.made.processor.width
        for effect in ins.instruction.effects(given):
            if effect.value.op is Flow.BRANCH:
                taken = bool(evaluate(effect.value.args[0], {}, width))
            elif effect.value.op is Op.STORE:
                where, what = (evaluate(arg, {}, width) for arg in effect.value.args)
                self._store(effect.value.attr, where, what)
            else:
                place = [o.name for o in ins.instruction.operands].index(effect.target)
                self.words[int(ins.operands[place])] = evaluate(effect.value, {}, width, self._outside)
        return taken

    def _outside(self, term: Term, values: tuple[int, ...]) -> int:
        assert term.op is Op.LOAD
        return self.load(term.attr, values[0])


def _named(term: Term) -> Term:
    if term.op is Leaf.REGISTER:
        return operand(f"w{term.attr}")
    return Term(term.op, tuple(map(_named, term.args)), term.attr, term.lane, term.width)
