"""A program for a simulated processor: key schedule and kernel as assembly text.

The text has two entries: ``expand_key`` takes the key from ``key`` and leaves the expanded key in memory;
the operation (``encrypt``, ``decrypt``) works on the blocks from ``data`` to where ``end`` says, in place.
Parts of the program are counted apart: ``setup`` (once a call), ``block`` (the work on a block; of a stream
cipher also the step to the next one), ``next`` (that step of others), ``expand``.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from finalist.ir.graph import Graph, Node, TableData, origin, tuple_of, used
from finalist.ir.ops import Op
from finalist.ir.program import ByteOrder, Layout, Program
from finalist.isa.allocate import linear as registers
from finalist.isa.allocate import memory, scheduled, sides
from finalist.isa.allocate.linear import Frame, Spilling
from finalist.isa.allocate.liveness import coalesce, live_words
from finalist.isa.assembly.reach import within_reach
from finalist.isa.assembly.text import written
from finalist.isa.code import Code, Ins
from finalist.isa.lower import merged
from finalist.isa.lower.homes import Homes, What
from finalist.isa.lower.in_memory import InMemoryLowerer
from finalist.isa.lower.lanes import in_memory_order, lane_bits
from finalist.isa.lower.lowerer import Conventions, Lowerer
from finalist.isa.schedule import fetch, order, packets
from finalist.isa.target.meaning import (
    Flow,
    Leaf,
    Term,
    branch,
    constant,
    equal,
    load,
    register,
    store,
)
from finalist.isa.target.memory import Memory, Place
from finalist.isa.target.processor import Processor


@dataclass(frozen=True, slots=True)
class Plan:
    """How a program is built: in which order instructions stand, how addresses are written, and where
    arrays of the key and fixed tables lie that are not in memory."""

    how: str = "levels"
    conventions: Conventions = field(default_factory=Conventions)
    homes: Homes = field(default_factory=dict)


def build(program: Program, processor: Processor, plan: Plan) -> str:
    """The assembly text. Raises GraphError where the processor lacks an operation."""
    return Builder(program, processor, plan).text()


class Builder:
    """Builds the text; the parts can be replaced by others."""

    def __init__(self, program: Program, processor: Processor, plan: Plan) -> None:
        self.program, self.processor, self.plan = program, processor, plan
        size = processor.width // 8
        self.memory = Memory(processor.base, ascending=program.block.order is ByteOrder.LITTLE)
        if processor.working is not None:
            self.memory.top = processor.working.rest
        if not processor.single:
            self.end = self.memory.place("end", size, 1)
        slots = 0 if processor.working is not None else processor.slots - 1
        self.slots = self.memory.place("slots", size, slots)
        self.slot_values: dict[int, int] = {}
        self.key = self.memory.place("key", 1, program.key.bytes, align=16)
        types = zip(program.key_names, program.key_types, strict=True)
        self.arrays = [self.memory.array(name, type_) for name, type_ in types]
        self._next_slot = self.slots.address
        self.data = self.memory.place("data", 1, program.block.bytes) if processor.single else None
        self.spilling = Spilling(self._spill_load, self._spill_store, self._constant)

    def text(self) -> str:
        expand, crypt = self._expand(), self._crypt()
        if self.processor.working is None:
            for code in (expand, crypt):
                self._finish(code)
        else:
            self._settle((expand, crypt))
        fetch.fill((expand, crypt), self.processor)
        if self.data is None:
            self.memory.place("data", 1, 0, align=self.processor.data)
        prelude = [self.processor.prelude] if self.processor.prelude else []
        lines = [*prelude, f".order {self.program.block.order.value}", "", *self._places(), ""]
        lines += ["expand_key:", *self._lines(expand), "", f"{self.program.operation}:", *self._lines(crypt)]
        return "\n".join(lines) + "\n"

    # -- code -----------------------------------------------------------------------------------

    def _expand(self) -> Code:
        p, code = self.program, Code()
        to = self._lowerer(code, {})
        to.part, to.prefix = "expand", "key_"
        to.begin("expand")
        again = []  # an array that stands at several places of the key is made once
        for place, result in zip(self.arrays, p.expand.results, strict=True):
            home = to.arrays.of.setdefault(origin(result), place)
            if home is not place:
                again.append((home, place))
        self._load_words(to, p.expand, p.expand.params, p.key, constant(self.key.address))
        to.graph(p.expand)
        for home, place in again:
            assert isinstance(home, Place)
            to.arrays.copy(home, place)
        to.act(_HALT)
        return code

    def _crypt(self) -> Code:
        p, code = self.program, Code()
        homes = self.plan.homes
        to = self._lowerer(code, homes)
        to.begin("setup")
        kernel, count = p.kernel, p.block.count
        for param, place in zip(kernel.params[count:], self.arrays, strict=True):
            to.arrays.of[param] = homes.get(param) or place
            to.notes[to.arrays.of[param]] = str(param.attr)
            if param.attr == "state":
                to.arrays.own.add(param)
        for what, home in homes.items():
            home.fill(to, self._array_of(what))
        if self.data is not None:
            to.part = "block"
            to.begin("block")
            self._block(to, constant(self.data.address))
            to.part = "setup"
        else:
            self._blocks(to)
        to.begin("finish")
        for what, home in homes.items():
            if isinstance(what, Node) and what.attr == "state":
                home.save(to, self._array_of(what))
        to.act(_HALT)
        return code

    def _lowerer(self, code: Code, homes: Homes) -> Lowerer:
        kind = Lowerer if self.processor.working is None else InMemoryLowerer
        return kind(self.processor, self.memory, code, self.plan.conventions, homes)

    def _blocks(self, to: Lowerer) -> None:
        """The work on all blocks up to where the end of the data is."""
        pointer = to.emit(constant(self.processor.data), to.code.fresh())
        to.part, to.depth = "block", 1
        head = to.begin("block")
        self._block(to, register(pointer))
        if not self.program.stateful:  # the step is the loop of a stream cipher, and part of its work
            to.part = "next"
        to.begin("next")
        to.emit(register(pointer) + self.program.block.bytes, pointer)
        last = to.emit(load(self.end.bytes, constant(self.end.address)))
        to.act(branch(equal(register(pointer), register(last)) ^ 1), head.label)
        to.part, to.depth = "setup", 0

    def _block(self, to: Lowerer, base: Term) -> None:
        """The work on the block at a place."""
        kernel, count = self.program.kernel, self.program.block.count
        self._load_words(to, kernel, kernel.params[:count], self.program.block, base)
        to.graph(kernel)
        self._store_words(to, kernel.results[:count], base)
        for param, result in zip(_state(kernel, count), kernel.results[count:], strict=True):
            to.arrays.settle(param, result)

    def _load_words(
        self, to: Lowerer, graph: Graph, params: Iterable[Node], layout: Layout, base: Term
    ) -> None:
        params = tuple(params)
        needed, size = used(graph), layout.width // 8
        to.access = "data"
        wide = self._wide_words(graph, params)
        for number, param in enumerate(params):
            if param in wide:
                place = base + number * size
                to.terms[wide[param]] = register(to.emit(load(self.processor.width // 8, place)))
                needed -= set(wide[param].inputs)
            if param in needed:
                to.terms[param] = register(to.emit(self._word(layout, base, number * size)))
        to.access = None

    def _wide_words(self, graph: Graph, params: Sequence[Node]) -> dict[Node, Node]:
        """For a word of a block the tuple that it begins in memory, where the words are taken together."""
        found = {}
        for node in graph.body:
            words = in_memory_order(node.inputs, self.memory.ascending)
            if node.op is Op.TUPLE and words[0] in params and self._fills(node):
                start = params.index(words[0])
                if tuple(words) == params[start : start + len(words)]:
                    found[words[0]] = node
        alone = {child for n in graph.body if n not in found.values() for child in n.inputs}
        return {first: node for first, node in found.items() if not alone & set(node.inputs)}

    def _fills(self, node: Node) -> bool:
        return len(node.inputs) * lane_bits(node) == self.processor.width

    def _word(self, layout: Layout, base: Term, offset: int) -> Term:
        """A word from memory, byte by byte where it lies the other way round than the machine reads."""
        size = layout.width // 8
        if size == 1 or layout.order is self.program.block.order:
            return load(size, base + offset)
        total: Term | None = None
        for k in range(size):
            place = size - 1 - k if layout.order is ByteOrder.BIG else k
            part = load(1, base + offset + place) if base.attr is None else load(1, base + (offset + place))
            part = part << 8 * k if k else part
            total = part if total is None else total | part
        assert total is not None
        return total

    def _store_words(self, to: Lowerer, results: Iterable[Node], base: Term) -> None:
        size, results = self.program.block.width // 8, tuple(results)
        count = self.processor.width // (8 * size)
        number = 0
        while number < len(results):
            words = in_memory_order(results[number : number + count], self.memory.ascending)
            whole = tuple_of(words) if len(words) == count > 1 else None
            if whole is not None:
                to.act(store(size * count, base + number * size, to.term(whole)), access="data")
                number += count
            else:
                to.act(store(size, base + number * size, to.low(results[number])), access="data")
                number += 1

    def _array_of(self, what: What) -> Place:
        """Where something lies in memory."""
        if isinstance(what, TableData):
            return self.memory.table(what)
        params = self.program.key_params
        return self.arrays[params.index(what)]

    # -- registers ------------------------------------------------------------------------------

    def _finish(self, code: Code) -> None:
        """Order, copies, registers."""
        if self.plan.how == "late":
            self._schedule_first(code)
            return
        living = live_words(code.blocks)
        wide = registers.crossing(code, living)
        for block in code.blocks:
            if block.part == "block":
                crossing = len(registers.present(block, living) & wide)
                room = max(self.processor.reserved - 2, self.processor.registers - 3 - crossing)
                order.arrange(block, self.processor, self.plan.how, room, living.end[block.label])
        coalesce(code)
        sides.assign(code, self.processor)
        frame = Frame(self._home)
        registers.allocate(code, self.processor, frame, self.spilling)
        self.slot_values.update(frame.constants)
        if self.processor.exposed:
            packets.pack(code, self.processor)

    def _schedule_first(self, code: Code) -> None:
        """Order and sides, then registers."""
        coalesce(code)
        common, first = registers.crossing(code, live_words(code.blocks)), self._next_slot
        left_out = {block.label for block in code.blocks if scheduled.gets_registers_first(block)}
        while True:
            made, self._next_slot = code.copy(), first
            merged.merge(made, self.processor, common, left_out)
            sides.assign(made, self.processor, common)
            frame = Frame(self._home)
            try:
                scheduled.allocate(made, self.processor, frame, self.spilling)
            except scheduled.PairsError as error:
                left_out.add(error.label)
            else:
                break
        code.blocks, code.files = made.blocks, made.files
        self.slot_values.update(frame.constants)

    def _settle(self, pieces: Sequence[Code]) -> None:
        """Bytes for words that live in memory, the same for all pieces; and branches that reach."""
        taken = max([memory.allocate(code, self.processor, self.memory.top) for code in pieces])
        if taken:
            self.memory.place("beyond", 1, taken)
        for code in pieces:
            within_reach(code, self.processor)

    def _home(self) -> int:
        made, self._next_slot = self._next_slot, self._next_slot + self.processor.width // 8
        if made >= self.slots.address + self.slots.size:
            raise registers.NoRoomError(
                f"{self.program.cipher} needs more than {self.processor.slots} words beside the registers"
            )
        return made

    def _one(self, term: Term, into: int) -> list[Ins]:
        """Instructions on registers, which have their numbers already."""
        found: list[Ins] = []
        lowerer = Lowerer(self.processor, self.memory, Code(), self.plan.conventions)
        lowerer.selector.emit = found.append
        lowerer.selector.fresh = lambda: into
        lowerer.selector.root(term, into)
        return found

    def _spill_load(self, target: int, home: int) -> Ins:
        (made,) = self._one(load(self.processor.width // 8, constant(0) + home), target)
        made.note = "spilled"
        return made

    def _spill_store(self, source: int, home: int) -> Ins:
        found: list[Ins] = []
        lowerer = Lowerer(self.processor, self.memory, Code(), self.plan.conventions)
        lowerer.selector.emit = found.append
        size = self.processor.width // 8
        lowerer.selector.act(store(size, constant(0) + home, register(source)))
        (made,) = found
        made.note = "spilled"
        return made

    def _constant(self, target: int, value: int) -> list[Ins]:
        """A constant into a register by one instruction; nothing where none takes it."""
        for instruction, _, _ in self.processor.by_root.get((Leaf.OPERAND, 0), ()):
            number = value - (1 << self.processor.width) if value >> self.processor.width - 1 else value
            operand = instruction.operands[1]
            if operand.kind == "imm" and operand.accepts(number, self.processor.width):
                return [Ins(instruction, [target, number])]
        return []

    # -- text -----------------------------------------------------------------------------------

    def _places(self) -> list[str]:
        lines = []
        size = self.processor.width // 8
        for place in self.memory.places:
            lines.append(f".place {place.name} 0x{place.address:x} {place.bytes} {place.length}")
            values = self.memory.contents.get(place)
            if place is self.slots and self.slot_values:
                last = max(self.slot_values)
                count = (last - place.address) // size + 1
                values = tuple(self.slot_values.get(place.address + k * size, 0) for k in range(count))
            if values:
                lines += _values(values)
        return lines

    def _lines(self, code: Code) -> list[str]:
        lines, part = [], ""
        for block in code.blocks:
            if block.part != part:
                part = block.part
                lines.append(f"    .part {part}")
            lines.append(f"{block.label}:" + (f"  ; {block.comment}" if block.comment else ""))
            for ins in block.body:
                text = written(self.processor, ins.instruction, ins.values, ins.target, ins.issue)
                lines.append(f"    {text}" + (f"  ; {ins.note}" if ins.note else ""))
        return lines


_HALT = Term(Flow.HALT)


def _state(kernel: Graph, count: int) -> list[Node]:
    return (
        [param for param in kernel.params[count:] if param.attr == "state"]
        if len(kernel.results) > count
        else []
    )


def _values(values: tuple[int, ...]) -> list[str]:
    texts = [f"0x{value:x}" for value in values]
    return ["    .values " + " ".join(texts[k : k + 8]) for k in range(0, len(texts), 8)]
