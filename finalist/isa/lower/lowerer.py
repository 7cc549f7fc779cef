"""A prepared graph as instructions on words: each value a term, covered by meanings.

A word of the graph lies in a word of the processor with zeros above it, and every operation keeps that; but
words that are loose (see `finalist.isa.lower.packed_words` and `finalist.isa.lower.words.loose`) are masked
only where somebody asks for them with `Lowerer.term` rather than `Lowerer.low`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from finalist.ir.builder import mask
from finalist.ir.graph import Graph, Node, Region, TableData, effective_phases, is_tuple_word, origin
from finalist.ir.ops import CONTROL, Op
from finalist.ir.types import ArrayType
from finalist.isa.code import Block, Code, Ins
from finalist.isa.lower.arrays import Arrays
from finalist.isa.lower.control import Control
from finalist.isa.lower.homes import Home, Homes, joined_bytes
from finalist.isa.lower.packed_words import any_extended_words, reads
from finalist.isa.lower.rewrites import InMemory
from finalist.isa.lower.select import Selector
from finalist.isa.lower.tuples import one_move, shorter_in_memory
from finalist.isa.lower.words import loose, term_of
from finalist.isa.target.meaning import Leaf, Term, branch, constant, load, register
from finalist.isa.target.memory import Memory, Place
from finalist.isa.target.processor import Processor
from finalist.passes.analysis import Bounds

#: Operations one above the other that are covered at once: a cover is found by recursion, and no instruction
#: spans more than a few.
DEEPEST = 64


@dataclass(frozen=True, slots=True)
class Conventions:
    """How code is written where there is a choice.

    ``short``: an address may stand in an instruction where it fits, as when a program is linked at fixed
    places; if not, each is held in a register. ``prompt``: what is made of several words is made in its own
    round, where it might be part of what a later round makes of it: one register is taken until then rather
    than several.
    """

    short: bool = False
    prompt: bool = False


class Lowerer:
    """Makes the code of regions; ``code`` grows block by block."""

    def __init__(
        self,
        processor: Processor,
        memory: Memory,
        code: Code,
        conventions: Conventions,
        homes: Homes | None = None,
    ) -> None:
        self.processor = processor
        self.memory = memory
        self.code = code
        self.conventions = conventions
        #: Where arrays and tables lie that are not in memory.
        self.homes: Homes = homes or {}
        self.terms: dict[Node, Term] = {}
        #: Words with something above the bits that count; masked where those must be clear.
        self.loose: dict[Node, Term] = {}
        self.limits: dict[Node, int] = {}
        self.bounds = Bounds(self.limits)
        self.phase = 0
        self.part = "setup"
        self.prefix = ""
        self.depth = 0
        self.access: object = None
        #: What accesses to an array are for.
        self.notes: dict[object, str] = {"data": "data"}
        self.selector = Selector(processor, code.fresh, self._emit, self.constant)
        self.arrays = Arrays(self)
        self.control = Control(self)
        self._held: dict[int, int] = {value: number for number, value in code.constants.items()}
        self._uses: dict[Node, int] = {}
        self._joined: dict[Node, int] = {}
        self._moved: dict[Node, Term] = {}
        #: Words with something above them, and those that have been masked since.
        self._left: set[Node] = set()
        self.masked: list[Node] = []
        #: Bytes of registers that index what is not in memory, from where they stand.
        self._bytes: set[Node] = set()

    # -- code -----------------------------------------------------------------------------------

    def begin(self, stem: str, comment: str = "") -> Block:
        """A block at the end of the code, into which instructions go from now on; its label is new."""
        self.block = Block(f"{self.prefix}{stem}{len(self.code.blocks)}", [], self.depth, self.part, comment)
        self.code.blocks.append(self.block)
        self.selector.forget()
        return self.block

    def _emit(self, ins: Ins) -> None:
        ins.phase = self.phase
        if ins.instruction.effect and ins.access is None:
            ins.access = self.access
        if ins.access is not None and not ins.note:
            ins.note = self.notes.get(ins.access, "")
        self.block.body.append(ins)

    def constant(self, value: int) -> int:
        """The word that holds a constant throughout."""
        if value not in self._held:
            number = self._held[value] = self.code.fresh()
            self.code.constants[number] = value
        return self._held[value]

    def emit(self, term: Term, into: int | None = None) -> int:
        """The word that holds a term."""
        return self.selector.root(term, into)

    def act(self, effect: Term, to: str = "", access: object = None) -> None:
        """A store, a write to a table, a branch."""
        self.selector.act(effect, to, access)

    def goto(self, target: str) -> None:
        """A jump."""
        self.act(branch(constant(1)), target)

    # -- values ---------------------------------------------------------------------------------

    def term(self, node: Node) -> Term:
        """A value as an operand."""
        if node.op is Op.CONST:
            return constant(node.attr)
        if node not in self.terms:
            masked = self.loose[node] & mask(node.width)
            once = self._uses.get(node, 2) == 1
            self.terms[node] = masked if once else register(self.emit(masked))
            self.masked.append(node)
        return self.terms[node]

    def low(self, node: Node) -> Term:
        """A value of which only the bits of its width count, whatever stands above them."""
        if node in self.loose and node not in self.terms:
            return self.loose[node]
        return self.term(node)

    def is_loose(self, node: Node) -> bool:
        """Whether a word is left as it is above its bits."""
        return node in self._left

    def carry(self, node: Node, word: Term) -> None:
        """Put a loop-carried word into a register."""
        (self.loose if node in self._left else self.terms)[node] = word

    def carried(self, node: Node) -> Term:
        """The register of a loop-carried word."""
        return (self.loose if node in self._left else self.terms)[node]

    def forget_masked(self, known: int) -> None:
        """Words masked since there were so many of them may not have been: they are masked again."""
        for node in self.masked[known:]:
            del self.terms[node]
        del self.masked[known:]

    def table(self, table: TableData) -> InMemory | Home:
        """Where a fixed table is."""
        if table in self.homes:
            return self.homes[table]
        place = self.memory.table(table)
        return InMemory(self.arrays.base(place), place.bytes, table)

    def moved(self, node: Node) -> Term | None:
        """A part of a join at its place already."""
        return self._moved.get(node)

    def graph(self, graph: Graph) -> None:
        """The code of a graph."""
        self._left = any_extended_words(graph, self.processor)
        self.region(graph)

    def region(self, region: Region) -> None:
        """The code of a region's body."""
        phases = effective_phases(region)
        outer, self._uses = self._uses, self._use_counts(region)
        if self.conventions.prompt:
            self._uses.update(dict.fromkeys(_late(region, phases), 2))
        self._joined.update(joined_bytes(region))
        self._bytes |= self._looked_up(region)
        skipped = self.control.moved() | self._read_together(region)
        for node in region.body:
            self.phase = phases[node]
            if node not in skipped and node not in self.terms:
                self._node(node)
        self._uses = outer

    def _node(self, node: Node) -> None:
        if node.op in _ACTIONS:
            _ACTIONS[node.op](self, node)
        elif not isinstance(node.type, ArrayType):
            self._value(node)

    def _use_counts(self, region: Region) -> dict[Node, int]:
        return use_counts(region)

    def _looked_up(self, region: Region) -> set[Node]:
        """Bytes of tuples that are indices outside of memory, but for one use at most."""
        slices = (node for node in region.body if node.op is Op.SLICE and node.attr % 8 == 0)
        bytes_ = {node for node in slices if is_tuple_word(node.inputs[0])}
        others: dict[Node, int] = {}
        for node in region.body:
            elsewhere = node.op in (Op.LOAD, Op.STORE) and origin(node.inputs[0]) in self.homes
            for place, child in enumerate(node.inputs):
                if child in bytes_ and not (elsewhere and place == 1):
                    others[child] = others.get(child, 0) + 1
        return {node for node in bytes_ if others.get(node, 0) <= 1}

    def _value(self, node: Node) -> None:
        made = loose(self, node)
        if made is not None:
            unemitted = self._once(node, made) or is_tuple_word(node)
            self.loose[node] = made if unemitted else register(self.emit(made))
            return
        made = term_of(self, node)
        free = isinstance(made.op, Leaf) or node in self._bytes
        if not (free or self._once(node, made)):
            made = register(self.emit(made))
        self.terms[node] = made

    def _once(self, node: Node, made: Term) -> bool:
        """Whether a value is a part of what takes it, rather than a register's."""
        return self._uses.get(node, 0) == 1 and made.depth <= DEEPEST

    # -- arrays ---------------------------------------------------------------------------------

    def _load(self, node: Node) -> None:
        made = self.arrays.read(node.inputs[0], node.inputs[1], node.width)
        if self._lasts(node.inputs[0]) and self._uses.get(node) == 1:
            self.terms[node] = made
            return
        self.access = self.arrays.of[node.inputs[0]]
        found = self._cheaper(made, node)
        if found is None:
            self.terms[node] = register(self.emit(made))
        else:
            self._moved[node] = register(self.emit(found))
        self.access = None

    def _lasts(self, array: Node) -> bool:
        """Whether what an entry is may be read later as well."""
        return not isinstance(self.arrays.of[array], Place) and array.attr == "key"

    def _cheaper(self, made: Term, node: Node) -> Term | None:
        """A byte read at its place in a join, where that is shorter than to move it there."""
        up = self._joined.get(node, 0)
        found = self.arrays.read_moved(node.inputs[0], node.inputs[1], up) if up else None
        if found is None or self.selector.cover(found).cost >= self.selector.cover(made << 8 * up).cost:
            return None
        return found

    def _read_together(self, region: Region) -> set[Node]:
        """Entries that nothing but tuples of them takes: they are read where those are made."""
        together = [node for node in region.body if reads(node) and self.arrays.wide(node)]
        return {word for node in together for word in node.inputs if self._uses.get(word) == 1}

    def _wide_load(self, node: Node) -> bool:
        """A tuple of entries by one load, if they lie side by side."""
        place = self.arrays.together(node) if reads(node) and self.arrays.wide(node) else None
        if place is None:
            return False
        self.access = self.arrays.of[node.inputs[0].inputs[0]]
        self.terms[node] = register(self.emit(load(self.processor.width // 8, place)))
        self.access = None
        return True

    def _tuple(self, node: Node) -> None:
        if self._wide_load(node):
            return
        for word in node.inputs:
            if word.op is Op.LOAD and word not in self.terms:
                self._load(word)
        if one_move(self, node) is None and shorter_in_memory(self, node.inputs):
            self.terms[node] = register(self.emit(self.arrays.put_together(node.inputs)))
            self.access = None
        else:
            self._value(node)

    def _store(self, node: Node) -> None:
        self.arrays.write(node)

    def _loop(self, node: Node) -> None:
        self.control.loop(node)

    def _when(self, node: Node) -> None:
        self.control.when(node)

    def _result(self, node: Node) -> None:
        if is_tuple_word(node):
            self._value(node)
        else:
            self.control.result(node)


_ACTIONS: dict[Op, Callable[[Lowerer, Node], None]] = {
    Op.ARRAY: lambda self, node: self.arrays.fresh(node),
    Op.LOAD: lambda to, node: to._load(node),  # which processors override
    Op.STORE: Lowerer._store,
    Op.LOOP: Lowerer._loop,
    Op.WHEN: Lowerer._when,
    Op.RESULT: Lowerer._result,
    Op.TUPLE: Lowerer._tuple,
}


def use_counts(region: Region) -> dict[Node, int]:
    """How often each node is used; a use by an inner region or as a result counts twice, so it is kept."""
    uses: dict[Node, int] = {}

    def count(nodes: Iterable[Node], times: int) -> None:
        for node in nodes:
            uses[node] = uses.get(node, 0) + times

    for node in region.body:
        count(node.inputs, 2 if node.op in CONTROL else 1)
        if node.op in CONTROL:
            count(node.region.free, 2)
    count(region.results, 2)
    return uses


def _late(region: Region, phases: Mapping[Node, int]) -> set[Node]:
    """What is made of several words, and used in a later round."""
    return {
        child
        for node in region.body
        for child in node.inputs
        if phases.get(child, phases[node]) < phases[node]
        and sum(word.op is not Op.CONST for word in child.inputs) > 1
    }
