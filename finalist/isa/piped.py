"""A program whose loop over blocks is software pipelined: several blocks are under way at once.

How many blocks are left is counted; one iteration takes as many cycles as the schedule's interval. (The
kernel of a whole block, all rounds unrolled, is the body.)

Fixed tables lie in both blocks of memory, so that two lookups of a cycle never wait for each other: of ``LDW
*+A5[A7]`` beside ``LDW *+B5[B7]`` one reads a copy in the other block. (TI's C6201 has two blocks of 32 KB;
TMS320C6000 Programmer's Guide, SPRU198.)
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping

from finalist.errors import GraphError
from finalist.ir.ops import Op
from finalist.ir.program import Program
from finalist.isa.build import Builder, Plan
from finalist.isa.code import Block, Code, Ins
from finalist.isa.lower import merged
from finalist.isa.lower.lowerer import Lowerer
from finalist.isa.schedule.modulo.balance import balanced
from finalist.isa.schedule.modulo.loop import Counters, Loop, loop_of
from finalist.isa.schedule.modulo.problem import Schedule
from finalist.isa.schedule.modulo.wide import widened
from finalist.isa.schedule.packets import flat, pack
from finalist.isa.target.meaning import branch, constant, equal, load, register, store
from finalist.isa.target.memory import Memory, Place
from finalist.isa.target.processor import Processor

#: What finds a schedule, which fits the registers, of a loop.
Scheduler = Callable[[Loop], Schedule]
#: Registers of a file that the values of one block can do with, and those of blocks that overlap.
_ROOM, _OVERLAPPING = 9, 20


class PipedBuilder(Builder):
    """As `Builder`, but for the loop over blocks, and its schedule once there is a text.

    ``balance``: whether words side by side are loaded together, and instructions shared out among units, as
    where units bind. Raises GraphError where the loop over blocks cannot be pipelined.
    """

    def __init__(
        self,
        program: Program,
        processor: Processor,
        plan: Plan,
        scheduler: Scheduler,
        balance: bool = True,
    ) -> None:
        super().__init__(program, processor, plan)
        self.scheduler, self.balance = scheduler, balance
        #: Copies of fixed tables, by the word and register file that has their address.
        self.copies: dict[tuple[int, str], Place] = {}
        if program.stateful or processor.single or not processor.exposed or processor.predicates is None:
            raise GraphError(f"the loop of {program.cipher} on {processor.name} cannot be pipelined")
        if program.block.bytes & (program.block.bytes - 1):
            raise GraphError(f"blocks of {program.block.bytes} bytes; accepted to be pipelined: a power of 2")

    def _blocks(self, to: Lowerer) -> None:
        setup = to.block
        self.enter, self.head = to.begin("enter"), to.begin("block")
        self.enter.part = self.head.part = "block"
        self.loop = self._loop(to)
        self.schedule = self.scheduler(self.loop)
        to.block = setup
        self._count(to, f"finish{len(to.code.blocks)}")

    def _loop(self, to: Lowerer) -> Loop:
        """The body of the loop, which is taken out of the code."""
        counters = Counters(to.code.fresh(), self.program.block.bytes, to.code.fresh())
        to.part, to.depth = "block", 1
        to.block = self.head
        self._block(to, register(counters.pointer))
        to.emit(register(counters.pointer) + counters.bytes, counters.pointer)
        to.emit(register(counters.left) + constant(-1 & (1 << self.processor.width) - 1), counters.left)
        to.act(branch(register(counters.left)), self.head.label)
        body, self.head.body = self.head.body, []
        to.part, to.depth = "setup", 0
        to.selector.forget()
        self.constants = dict(to.code.constants)
        if len([block for block in to.code.blocks if block.part == "block"]) > 2:
            raise GraphError(f"{self.program.cipher}: only a basic block can be pipelined")
        whole = Code([Block(self.head.label, _counted(body, counters))])
        merged.merge(whole, self.processor, {counters.pointer, counters.left}, set())
        body = whole.blocks[0].body
        if not self.balance:
            return loop_of(body, self.processor, counters, _ROOM)
        aligned, ascending = {counters.pointer: counters.bytes}, self.memory.ascending
        body = widened(body, self.processor, to.constant, aligned, ascending=ascending)
        body = balanced(body, self.processor, to.code.fresh)
        self.constants = dict(to.code.constants)
        return loop_of(body, self.processor, counters, _OVERLAPPING)

    def _count(self, to: Lowerer, end: str) -> None:
        """How many blocks there are, to memory; with none there is nothing to do."""
        shift = self.program.block.bytes.bit_length() - 1
        last = register(to.emit(load(self.end.bytes, constant(self.end.address))))
        data = register(to.emit(constant(self.processor.data), to.code.fresh()))
        count = register(to.emit((last - data) >> shift))
        self.count_home = self.slots.take()
        to.act(store(self.processor.width // 8, constant(0) + self.count_home, count))
        to.act(branch(equal(count, constant(0))), end)

    def _finish(self, code: Code) -> None:
        super()._finish(code)
        found = {block.label: block for block in code.blocks}
        if self.head.label in found:
            self._fill(found[self.enter.label], found[self.head.label])

    def _fill(self, enter: Block, head: Block) -> None:
        """The packets of the loop, and what its lasting words begin with."""
        loop, schedule = self.loop, self.schedule
        counters = loop.counters
        values = dict(self.constants)
        values[counters.pointer] = self.processor.data - counters.bytes * loop.ahead(schedule)
        homes = {held: self.slots.take() for held in loop.held if held[0] != counters.left}
        blocks = self.processor.copies
        self.copies = copied(loop.body.instructions, homes, values, self.memory, blocks)
        for held, home in homes.items():
            copy = self.copies.get(held)
            self.slots.values[home] = values[held[0]] if copy is None else copy.address
        for (word, file), number in loop.held.items():
            home = homes.get((word, file), self.count_home)
            enter.body.append(self._held(file, number, home))
        entering = Code([enter])
        pack(entering, self.processor)
        enter.body += flat(loop.lead_in(schedule), self.processor)
        head.body = list(flat(loop.kernel(schedule), self.processor))

    def _held(self, file: str, number: int, home: int) -> Ins:
        """A register from memory."""
        made = self.spilling.load(number, home)
        made.files = tuple(file if o.is_register else o.file for o in made.instruction.operands)
        return made


def _counted(body: list[Ins], counters: Counters) -> list[Ins]:
    """The branch on the word that counts, where it was taken for a word of its own."""
    *rest, last = body
    if last.condition is None:
        raise GraphError("the processor has no branch under a condition")
    if last.condition[0] != counters.left:
        copies = [ins for ins in rest if last.condition[0] in ins.written]
        rest = [ins for ins in rest if ins not in copies]
    last.condition = counters.left, True
    return [*rest, last]


def copied(
    body: Iterable[Ins],
    held: Collection[tuple[int, str]],
    values: Mapping[int, int],
    memory: Memory,
    blocks: Mapping[str, int],
) -> dict[tuple[int, str], Place]:
    """By word and register file the copies that words have the address of, of fixed tables in ``memory``.

    ``held``: the words that keep what they hold while ``body`` is repeated, by file; ``values``: what they
    hold; ``blocks``: by file where the block of memory begins that its copies go to. A table is copied if
    nothing but lookups by an index reads the word, it lies before that block, and there is room.
    """
    tables = {place.address: place for place in memory.contents}
    instructions = tuple(body)
    found: dict[tuple[int, str], Place] = {}
    for word, file in held:
        table = tables.get(values.get(word, -1))
        if table is not None and file in blocks and _only_looked_up(word, instructions):
            copy = memory.copy(table, blocks[file])
            if copy is not None:
                found[word, file] = copy
    return found


def _only_looked_up(word: int, body: Iterable[Ins]) -> bool:
    """Whether instructions read a word only as where a table begins, of which an index says the entry."""
    return all(_looks_up(word, ins) for ins in body if word in ins.read)


def _looks_up(word: int, ins: Ins) -> bool:
    if ins.instruction.effect != "load" or ins.read.count(word) != 1:
        return False
    operands = zip(ins.instruction.operands, ins.operands, strict=True)
    values = {o.name: register(int(x)) if o.is_register else constant(int(x)) for o, x in operands}
    loads = [effect.value for effect in ins.instruction.effects(values) if effect.value.op is Op.LOAD]
    return all(
        load.args[0].op is Op.ADD and all(part.number is None for part in load.args[0].args) for load in loads
    )
