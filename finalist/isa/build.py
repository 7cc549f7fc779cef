"""A program for a simulated processor: key schedule and kernel as assembly text.

The text has two entries: ``expand_key`` takes the key from ``key`` and leaves the expanded key in memory;
the operation (``encrypt``, ``decrypt``) works on the blocks from ``data`` to where ``end`` says, in place.
Parts of the program are counted apart: ``setup`` (once a call), ``block`` (the work on a block; of a stream
cipher also the step to the next one), ``next`` (that step of others), ``expand``.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from finalist.ir.graph import Graph, Node, TableData, operands, origin, tuple_of, used
from finalist.ir.ops import Op
from finalist.ir.program import ByteOrder, Layout, Program
from finalist.isa.allocate import linear as registers
from finalist.isa.allocate import scheduled, sides
from finalist.isa.allocate.linear import Frame
from finalist.isa.allocate.liveness import coalesce, live_words
from finalist.isa.allocate.rows import placed, read_as_a_whole
from finalist.isa.allocate.slots import Slots, spilling
from finalist.isa.allocate.tidy import writes
from finalist.isa.assembly.listing import code_lines, place_lines
from finalist.isa.code import Code
from finalist.isa.lower import merged
from finalist.isa.lower.homes import Homes, What
from finalist.isa.lower.in_memory import InMemoryLowerer
from finalist.isa.lower.lowerer import Conventions, Lowerer
from finalist.isa.lower.packed_words import in_memory_order, lane_bits
from finalist.isa.lower.search import arranged, finder_of
from finalist.isa.lower.subroutines import Finder, Found, Subroutine
from finalist.isa.schedule import order, packets
from finalist.isa.settle import Settled, settled
from finalist.isa.target.meaning import (
    Flow,
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
    #: Whether words of a region's only call are taken to need no copies.
    in_place: bool = True
    #: Cycles a block that a byte of code less may cost then.
    worth: int = 0

    @property
    def shrunk(self) -> int | None:
        """The same, or None where code is left as it is."""
        return self.worth if self.subroutines else None


def build(program: Program, processor: Processor, plan: Plan) -> str:
    """The assembly text. Raises GraphError where the processor lacks an operation."""
    return Builder(program, processor, plan).text()


class Builder:
    """Builds one text of a program, and of ``others`` with the same key schedule, which share subroutines;
    parts can be replaced by others."""

    def __init__(
        self, program: Program, processor: Processor, plan: Plan, others: Sequence[Program] = ()
    ) -> None:
        self.program, self.processor, self.plan = program, processor, plan
        self.programs = (program, *others)
        #: The subroutines; they are looked for unless they are set.
        self.found: Found | None = None
        #: What the code takes, where words live in memory.
        self.settled = Settled()
        size = processor.width // 8
        self.memory = Memory(processor.base, ascending=program.block.order is ByteOrder.LITTLE)
        if processor.working is not None:
            self.memory.top, self.memory.end = processor.working.rest, processor.working.end
        if not processor.single:
            self.end = self.memory.place("end", size, 1)
        slots = 0 if processor.working is not None else processor.slots - 1
        self.slots = Slots(program.cipher, self.memory, size, slots, processor.reach)
        self.key = self.memory.place("key", 1, program.key.bytes, align=16)
        types = dict(zip(program.key_names, program.key_types, strict=True))
        small = processor.working is not None and processor.working.block
        whole = read_as_a_whole(self.programs, processor.width) if small else set(types)
        self.arrays = placed(self.memory, types, whole)
        self.data = self._block_place() if processor.single else None
        self.spilling = spilling(processor, self.memory, plan.conventions)

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
            self.settled = settled((expand, crypt), self.processor, self.memory, self.plan.shrunk)
        packets.fill((expand, crypt), self.processor)
        if self.data is None:
            self.memory.place("data", 1, 0, align=self.processor.data)
        lines = [f".order {self.program.block.order.value}", ""]
        lines += place_lines(self.memory, self.slots.areas, self.slots.values, self.slots.size)
        lines += ["", "expand_key:", *code_lines(expand, self.processor), *code_lines(crypt, self.processor)]
        return "\n".join([*filter(None, [self.processor.prelude]), *lines]) + "\n"

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
        if not self.plan.subroutines:
            self._operations(code, made)
            return
        found = self.found = self.found or self.finder().all()
        found.named(code.fresh)
        for to in made:
            _in_memory(to).calls = found.calls
        with arranged([p.kernel for p in self.programs], found.subroutines, _in_memory(made[0])):
            self._operations(code, made, found.subroutines)

    def _operations(self, code: Code, made: Sequence[Lowerer], shared: Sequence[Subroutine] = ()) -> None:
        for p, to in zip(self.programs, made, strict=True):
            first = len(code.blocks)
            self._crypt(p, to)
            code.blocks[first].entry = p.operation
        for one in reversed(shared):  # those that others call come first: what they change is known then
            first = len(code.blocks)
            _in_memory(made[0]).subroutine(one)
            words = {w for block in code.blocks[first:] for ins in block.body for w in writes(ins)}
            one.changed += sorted(word for word in words if isinstance(word, int))

    def finder(self, anywhere: bool = False) -> Finder:
        """What looks for subroutines; ``anywhere``: whether the key's entries may lie as one likes, so that
        it says how they should, for subroutines to read them by an index."""
        made = [self._lowerer(Code(), self.plan.homes) for _ in self.programs]
        for p, to in zip(self.programs, made, strict=True):
            self._place_arrays(p, to)
        plan, kernels = self.plan, [p.kernel for p in self.programs]
        options = plan.worth, len(kernels), plan.in_place, anywhere
        return finder_of(kernels, list(map(_in_memory, made)), self.processor.width, *options)

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
        made = kind(self.processor, self.memory, code, self.plan.conventions, homes)
        if isinstance(made, InMemoryLowerer):
            made.small = self.plan.subroutines
        return made

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
        alone = {child for n in graph.body if n not in found.values() for child in operands(n)}
        alone |= set(graph.results)
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
        if self.plan.how == "backward":
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
        frame = Frame(self.slots.take)
        registers.allocate(code, self.processor, frame, self.spilling)
        self.slots.values.update(frame.constants)
        if self.processor.exposed:
            packets.pack(code, self.processor)

    def _schedule_first(self, code: Code) -> None:
        """Order and sides, then registers."""
        coalesce(code)
        common, first = registers.crossing(code, live_words(code.blocks)), self.slots.taken
        left_out = {block.label for block in code.blocks if scheduled.gets_registers_first(block)}
        while True:
            made, self.slots.taken = code.copy(), first
            merged.merge(made, self.processor, common, left_out)
            sides.assign(made, self.processor, common)
            frame = Frame(self.slots.take)
            try:
                scheduled.allocate(made, self.processor, frame, self.spilling)
            except scheduled.PairsError as error:
                left_out.add(error.label)
            else:
                break
        code.blocks, code.files = made.blocks, made.files
        self.slots.values.update(frame.constants)


def _in_memory(to: Lowerer) -> InMemoryLowerer:
    assert isinstance(to, InMemoryLowerer)
    return to


_HALT = Term(Flow.HALT)


def _state(kernel: Graph, count: int) -> list[Node]:
    return (
        [param for param in kernel.params[count:] if param.attr == "state"]
        if len(kernel.results) > count
        else []
    )
