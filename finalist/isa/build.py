"""A program for a simulated processor: key schedule and kernel as assembly text.

The text has two entries: ``expand_key`` takes the key from ``key`` and leaves the expanded key in memory;
the operation (``encrypt``, ``decrypt``) works on the blocks from ``data`` to where ``end`` says, in place.
Parts of the program are counted apart: ``setup`` (once a call), ``block`` (the work on a block; of a stream
cipher also the step to the next one), ``next`` (that step of others), ``expand``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field

from finalist.ir.graph import ArrayType, Graph, Node, TableData, every_node, origin, tuple_of, used
from finalist.ir.ops import CONTROL, Op
from finalist.ir.program import ByteOrder, Layout, Program
from finalist.isa.allocate import linear as registers
from finalist.isa.allocate import memory, sides
from finalist.isa.allocate.linear import Frame, Spilling
from finalist.isa.allocate.liveness import coalesce, live_words
from finalist.isa.allocate.locations import writes
from finalist.isa.assembly.idioms import written_out
from finalist.isa.assembly.reach import shortened, within_reach
from finalist.isa.assembly.text import written
from finalist.isa.code import Code, Ins
from finalist.isa.lower.homes import Homes, What
from finalist.isa.lower.in_memory import InMemoryLowerer
from finalist.isa.lower.lanes import in_memory_order, lane_bits
from finalist.isa.lower.lowerer import Conventions, Lowerer
from finalist.isa.lower.subroutines import Finder, Subroutine
from finalist.isa.schedule import order, packets
from finalist.isa.shrink.pieces import deepest, with_pieces
from finalist.isa.shrink.turns import with_turns
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
    #: Whether what is done several times becomes a subroutine, on processors whose words live in memory.
    subroutines: bool = False
    #: Cycles a block that a byte of code less may cost then.
    worth: int = 0


def build(program: Program, processor: Processor, plan: Plan) -> str:
    """The assembly text. Raises GraphError where the processor lacks an operation."""
    return Builder(program, processor, plan).text()


class Builder:
    """Builds one text of a program, and of ``others`` with the same key schedule, which share subroutines."""

    def __init__(
        self, program: Program, processor: Processor, plan: Plan, others: Sequence[Program] = ()
    ) -> None:
        self.program, self.processor, self.plan = program, processor, plan
        self.programs = (program, *others)
        #: The working memory of key schedule and kernels; calls within calls at the most.
        self.taken: list[memory.Taken] = []
        self.depth = 0
        #: Whether the code branches on words that it works on.
        self.branching = False
        size = processor.width // 8
        self.memory = Memory(0, ascending=program.block.order is ByteOrder.LITTLE)
        if processor.working is not None:
            self.memory.top = processor.working.rest
        if not processor.single:
            self.end = self.memory.place("end", size, 1)
        slots = 0 if processor.working is not None else processor.slots - 1
        self.slots = self.memory.place("slots", size, slots)
        self.slot_values: dict[int, int] = {}
        self.key = self.memory.place("key", 1, program.key.bytes, align=16)
        types = dict(zip(program.key_names, program.key_types, strict=True))
        whole = self._in_one_piece() if processor.working is not None and processor.working.block else set(types)
        self.arrays = placed(self.memory, types, whole)
        self._next_slot = self.slots.address
        self.data = self._block_place() if processor.single else None
        self.spilling = Spilling(self._spill_load, self._spill_store, self._constant)

    def _in_one_piece(self) -> set[str]:
        """The arrays of the key that are read at indices which depend on data."""
        found = set()
        for p in self.programs:
            own = dict(zip(p.key_params, p.key_names, strict=True))
            own |= dict(zip(map(origin, p.expand.results), p.key_names, strict=True))
            for node in (*every_node(p.kernel), *every_node(p.expand)):
                read = node.op in (Op.LOAD, Op.STORE) and node.inputs[1].op is not Op.CONST
                if read and node.inputs[1].width <= self.processor.width:
                    found.add(own.get(origin(node.inputs[0]), ""))
        return found

    def _block_place(self) -> Place:
        """Where the one block of a call lies: behind all else, or where its words are worked on."""
        working, size = self.processor.working, self.program.block.bytes
        if working is None or not working.block:
            return self.memory.place("data", 1, size)
        return self.memory.put(Place("data", working.first, 1, size))

    def text(self) -> str:
        expand, crypt = self._expand(), Code()
        self._crypt_all(crypt)
        if self.processor.working is None:
            for code in (expand, crypt):
                self._finish(code)
        else:
            self._settle((expand, crypt))
        if self.data is None:
            self.memory.place("data", 1, 0, align=self.processor.data)
        lines = [f".order {self.program.block.order.value}", "", *self._places(), ""]
        lines += ["expand_key:", *self._lines(expand), *self._lines(crypt)]
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

    def _crypt_all(self, code: Code) -> None:
        """All operations, and the subroutines that they share."""
        made = [self._lowerer(code, self.plan.homes) for _ in self.programs]
        for p, to in zip(self.programs, made, strict=True):
            to.terms, to.arrays.of = made[0].terms, made[0].arrays.of  # for what subroutines take of either
            self._place_arrays(p, to)
        shared = self._subroutines(code, made) if self.plan.subroutines else []
        for p, to in zip(self.programs, made, strict=True):
            first = len(code.blocks)
            self._crypt(p, to)
            code.blocks[first].entry = p.operation
        for one in shared:
            first = len(code.blocks)
            made[0].subroutine(one)
            words = {w for block in code.blocks[first:] for ins in block.body for w in writes(ins)}
            one.changed += sorted(word for word in words if isinstance(word, int))

    def _subroutines(self, code: Code, made: Sequence[Lowerer]) -> list[Subroutine]:
        places = {param: place for to in made for param, place in to.arrays.of.items()}
        finder = Finder(lambda array: places.get(origin(array)), self.processor.width)
        for p, to in zip(self.programs, made, strict=True):
            assert isinstance(to, InMemoryLowerer)
            for region in (p.kernel, *(n.region for n in every_node(p.kernel) if n.op in CONTROL)):
                finder.add(region, to.grouped(region))
        found = []
        for number, one in enumerate(finder.found()):
            one.label = f"shared{number}"
            one.arguments = [code.fresh() for _ in one.region.params]
            one.results = [code.fresh() for _ in one.region.results]
            found.append(one)
        for to in made:
            assert isinstance(to, InMemoryLowerer)
            to.calls = finder.calls
        return found

    def _place_arrays(self, p: Program, to: Lowerer) -> None:
        homes = self.plan.homes
        for param, place in zip(p.kernel.params[p.block.count :], self.arrays, strict=True):
            to.arrays.of[param] = homes.get(param) or place
            to.notes[to.arrays.of[param]] = str(param.attr)
            if param.attr == "state":
                to.arrays.own.add(param)

    def _crypt(self, p: Program, to: Lowerer) -> None:
        homes = self.plan.homes
        last: list[int] = []
        to.begin("setup")
        for what, home in homes.items():
            home.fill(to, self._array_of(what))
        if self.data is not None:
            to.part = "block"
            to.begin("block")
            if self.processor.working is not None and self.processor.working.block:
                last = self._block_in_place(p, to)
            else:
                self._block(to, constant(self.data.address))
            to.part = "setup"
        else:
            self._blocks(to)
        to.begin("finish")
        for what, home in homes.items():
            if isinstance(what, Node) and what.attr == "state":
                home.save(to, self._array_of(what))
        to.act(_HALT)
        to.block.body[-1].takes = last

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

    def _block_in_place(self, p: Program, to: Lowerer) -> list[int]:
        """The same, where the bytes of the block are words of the program from first to last; the last."""
        kernel, count = p.kernel, p.block.count
        for number, param in enumerate(kernel.params[:count]):
            to.terms[param] = register(to.code.at_home(number))
        to.graph(kernel)
        results = kernel.results[:count]
        homes: list[int] = []
        words = [to.emit(to.term(node), to.code.fresh()) for node in results]
        for number, word in enumerate(words):
            homes.append(to.code.at_home(number))
            to.emit(register(word), homes[-1])
        for param, result in zip(_state(kernel, count), kernel.results[count:], strict=True):
            to.arrays.settle(param, result)
        return homes

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

    def _settle(self, pieces: Sequence[Code]) -> None:
        """Bytes for words that live in memory, the same for all pieces; and branches that reach."""
        self.taken = [memory.allocate(code, self.processor, self.memory.top) for code in pieces]
        most = max(one.beyond for one in self.taken)
        if most:
            self.memory.place("beyond", 1, most)
        if self.plan.subroutines:
            for code in pieces[1:]:
                with_turns(code, self.processor, self.plan.worth)
                with_pieces(code, self.processor, self.plan.worth)
        self.depth = deepest(pieces[-1])
        for code in pieces:
            self.branching |= written_out(code, self.processor)
            within_reach(code, self.processor)
            shortened(code, self.processor)

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
            if block.entry is not None:
                lines += ["", f"{block.entry}:"]
            if block.part != part:
                part = block.part
                lines.append(f"    .part {part}")
            lines.append(f"{block.label}:" + (f"  ; {block.comment}" if block.comment else ""))
            for ins in block.body:
                text = written(self.processor, ins.instruction, ins.values, ins.target, ins.issue)
                lines.append(f"    {text}" + (f"  ; {ins.note}" if ins.note else ""))
        return lines


def placed(memory_: Memory, types: Mapping[str, ArrayType], whole: Set[str]) -> list[Place]:
    """Places for the arrays of the key: of words in parts, ``name_0`` and so on, those side by side that are
    not read as a ``whole``."""
    found: dict[str, Place] = {}
    for name, type_ in types.items():
        stem, line, number = name.rpartition("_")
        parts = [f"{stem}_{k}" for k in range(4)]
        alike = all(types.get(part) == type_ and part not in whole for part in parts)
        if line and number == "0" and type_.width == _BYTE and alike:
            found.update(zip(parts, memory_.interleaved(parts, type_), strict=True))
        elif name not in found:
            found[name] = memory_.array(name, type_)
    return [found[name] for name in types]


_BYTE = 8
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
