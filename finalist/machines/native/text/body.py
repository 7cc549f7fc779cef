"""From a region to C statements, for one block or several side by side."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable
from dataclasses import dataclass

from finalist.ir.graph import Node, Region, is_tuple_word, operands, origin
from finalist.ir.ops import CONTROL, Op
from finalist.ir.types import ArrayType, WordType, storage_bits
from finalist.machines.native.text import block_arrays
from finalist.machines.native.text.block_arrays import overwritten
from finalist.machines.native.text.demanded import unmasked
from finalist.machines.native.text.dialect import Scalar, Text, Vector, register_bits
from finalist.machines.native.text.pairs import mates
from finalist.machines.native.text.values import Values
from finalist.machines.native.whole_blocks import registers
from finalist.machines.native.whole_blocks.instructions import WORDS
from finalist.machines.native.whole_blocks.registers import REGISTER

_LINE = 100


@dataclass(eq=False)
class Body(Values):
    """Writes the statements of one C function.

    Each copy lags ``skew`` statements behind the one before, or, with ``turns``, the copies take turns of so
    many statements, and begin each round together.
    """

    skew: int = 0
    turns: int = 1

    def __post_init__(self) -> None:
        super().__post_init__()
        self.lines: list[str] = []
        self.overwritten: set[Node] = set()
        self.own: set[Node] = set()
        #: The arrays that words of the blocks are kept in.
        self.lane_arrays: set[Node] = set()
        self.unwritten: set[Node] = set()
        self.together: dict[Node, Node | None] = {}
        #: Of a vector that is not interleaved with a second one: lookups in one table that are done at once.
        self.mates: dict[Node, Node] = {}
        self.carried: dict[Node, tuple[Node, ...]] = {}
        self.uses: dict[Node, list[Node]] = {}
        self.boundaries: dict[int, int] = {}
        self.phase = -1
        self.indent = "    "

    def _writable(self, node: Node, copy: int) -> str:
        """That array if the region under way may overwrite it, else a copy: the key's must stay, and an
        array from outside of a loop must be the same again at the next iteration."""
        if node in self.own:
            return self.array(node, copy)
        name, source = self.suffixed(self.fresh("array"), copy), self.array(node, copy)
        self._declare(node, name)
        if name in self.on_lanes and source not in self.on_lanes:
            self._spread_entries(name, node.length, source)
        else:
            self.write(f"memcpy({name}, {source}, sizeof {name});")
        return name

    def _declare(self, node: Node, name: str) -> None:
        """A local array, of vectors if words of the blocks are kept in it."""
        kind = f"uint{storage_bits(node.width)}_t"
        if origin(node) in self.lane_arrays:
            self.on_lanes.add(name)
            kind = self.dialect.type(node.width)
        self.write(f"{kind} {name}[{node.length}];")

    def _spread_entries(self, name: str, length: int, source: str) -> None:
        self.write(
            block_arrays.spread_entries(
                name, length, source, lambda entry: self.dialect.spread(Text(entry)).code
            )
        )

    def read_words(self, region: Region) -> set[Node]:
        """What the statements of a region take, but for what is there in registers."""
        stored = registers.whole_stores(region)
        users = (node for node in region.body if node not in stored and (node, 0) not in self.texts)
        return {child for node in users for child in operands(node)} | set(region.results)

    # -- statements -----------------------------------------------------------------------------

    def write(self, line: str) -> None:
        """One line at the present indent."""
        self.lines.append(self.indent + line if line else "")

    def region(self, region: Region, rounds: tuple[tuple[int, int], ...] = ()) -> None:
        """All statements of a region."""
        self.boundaries |= {first + r: r for first, count in rounds for r in range(count)}
        self.overwritten |= overwritten(region)
        self.together |= registers.whole_stores(region)
        if isinstance(self.dialect, Vector):
            self.lane_arrays |= block_arrays.lane_arrays(region, self.shared)
        self.unwritten |= registers.unwritten(region)
        absorbed = set(region.body) - needed(region, self.takes)
        self.uses = use_counts(region, self.takes, absorbed)
        self.unwritten |= absorbed
        if type(self.dialect) is Scalar:
            self.unmasked |= unmasked(region, self.uses, self.scanned)
        run: list[Node] = []
        for node in region.body:
            if node in self.unwritten or (node, 0) in self.texts:
                continue
            if node.op in _STATEMENTS and not is_tuple_word(node):
                self._run(run)
                _STATEMENTS[node.op](self, node)
                run = []
            else:
                run.append(node)
        self._run(run)

    def _run(self, nodes: list[Node]) -> None:
        """Values without control flow between them, the copies side by side, each ``skew`` behind."""
        inlined = {node: self.inlined(node, self.uses.get(node, [])) for node in nodes}
        if self.copies % self.dialect.abreast:
            self.mates |= mates([node for node in nodes if not self.shared(node)], self.paired, self.dialect)
        events: list[tuple[int, int, int, Node]] = []
        place = start = 0
        phase = nodes[0].phase if nodes else 0
        for number, node in enumerate(nodes):
            if node.phase > phase:
                # A round begins no sooner than the last copy has begun the one before.
                phase = node.phase
                place = start = max(place + -place % self.turns, start + self.copies * self.skew)
            copies = 1 if self.shared(node) else self.copies
            if (node, 0) in self.texts:
                continue  # whoever reads the blocks has said how it is written
            turn = place // self.turns
            lag, abreast = self.skew, self.dialect.abreast
            events += [(turn + copy // abreast * lag, copy, number, node) for copy in range(copies)]
            place += not inlined[node]
        for _, copy, _, node in sorted(events, key=lambda event: event[:3]):
            self._round_comment(node, copy)
            self._value(node, copy, inlined[node])

    def _round_comment(self, node: Node, copy: int) -> None:
        if copy == 0 and node.phase > self.phase and node.phase in self.boundaries:
            self.write(f"/* round {self.boundaries[node.phase]} */")
        self.phase = max(self.phase, node.phase)

    def _value(self, node: Node, copy: int, inlined: bool) -> None:
        if node.op is Op.WINDOW:
            self.arrays[node, copy] = f"({self.array(node.inputs[0], copy)} + {self.index(node, copy)})"
            return
        if self.paired(node):
            self._pair(node, copy)
            return
        text = self.expression(node, copy)
        if not inlined or len(text.code) > _LINE:
            if node not in self.stems:
                self.stems[node] = self.fresh(node.name if _c_name(node.name) else "t")
            name = self.stems[node] if self.shared(node) else self.suffixed(self.stems[node], copy)
            scalar = isinstance(node.type, WordType) and self.shared(node)
            dialect = self.scalar if scalar and self.own_entry(node, copy) is None else self.dialect
            self.write(f"const {dialect.kind(node)} {name} = {text.code};")
            text = Text(name)
        self.texts[node, copy] = text

    def _pair(self, node: Node, copy: int) -> None:
        """A lookup for two vectors, once both have their indices; of a last vector by itself, or at once with
        another lookup in the same table."""
        first, second, other = copy - copy % 2, copy, node
        if copy == first:
            if copy + 1 < self.copies or (node, copy) in self.texts:
                return
            other = self.mates.get(node, node)
        table = self.tables[node.attr] if node.op is Op.LOOKUP else self.array(node.inputs[0], 0)
        words = [self.text(self.dialect.place(read), at) for read, at in ((node, first), (other, second))]
        name = self.fresh("two")
        self.write(f"const vec_two {name} = {self.dialect.pair(table, node, other, *words).code};")
        self.texts[node, first] = Text(f"{name}.a")
        if (other, second) != (node, first):
            self.texts[other, second] = Text(f"{name}.b")

    # -- arrays ---------------------------------------------------------------------------------

    def fresh_array(self, node: Node) -> None:
        """A local array, or a field of the expanded key that already stands for it."""
        self.own.add(node)
        for copy in range(self.copies):
            if (node, copy) not in self.arrays:
                name = f"{self.fresh('array')}_{copy}" if self.copies > 1 else self.fresh("array")
                self._declare(node, name)
                self.arrays[node, copy] = name
            self._fill(node, self.arrays[node, copy])

    def _fill(self, node: Node, name: str) -> None:
        if node in self.overwritten:
            return
        if not any(node.attr):
            self.write(f"memset({name}, 0, sizeof {name});")
            return
        table = self.fresh("init")
        kind = f"uint{storage_bits(node.width)}_t"
        given = max(place for place, value in enumerate(node.attr) if value) + 1
        values = ", ".join(f"0x{value:x}" for value in node.attr[:given])
        self.write(f"static const {kind} {table}[{node.length}] = {{{values}}};")
        if name in self.on_lanes:
            self._spread_entries(name, node.length, table)
        else:
            self.write(f"memcpy({name}, {table}, sizeof {table});")

    def store(self, node: Node) -> None:
        """One entry overwritten, or those that one register is stored in."""
        whole = self.together.get(node)
        for copy in range(self.copies):
            name = self.arrays[node, copy] = self._writable(node.inputs[0], copy)
            if whole is not None:
                place = node.inputs[1].attr - WORDS + 1
                self.write(f"store{REGISTER}({name} + {place}, {self.text(whole, copy).code});")
            if node in self.together:
                continue
            place, bits = self.index(node, copy), storage_bits(node.width)
            if name in self.on_lanes:
                value, scanned = self.full(node.inputs[2], copy), node in self.scanned
                self.write(block_arrays.write(name, node, place, value, scanned=scanned))
                continue
            value = self.text(node.inputs[2], copy).code
            if node in self.scanned:
                self.write(f"scan_write_{node.length * bits // 8}x{bits}({name}, {place}, {value});")
            else:
                self.write(f"{name}[{place}] = {f'(uint{bits}_t)({value})' if bits < 32 else value};")
        self.own.add(node)

    # -- control flow ---------------------------------------------------------------------------

    def loop(self, node: Node) -> None:
        """A for loop; carried words live in variables, carried arrays in place."""
        self._control(node, 2, self._loop_head)

    def when(self, node: Node) -> None:
        """An if."""
        self._control(node, 1, lambda one: f"if ({self.text(one.inputs[0], 0).code}) {{")

    def _loop_head(self, node: Node) -> str:
        name = self.fresh(node.region.params[0].name or "i")
        for copy in range(self.copies):
            self.define(node.region.params[0], copy, name)
        if node.inputs[1].op is Op.CONST:
            self.limits[node.region.params[0]] = max(0, node.inputs[1].attr - 1)
        start, stop = (self.text(child, 0).inside("<") for child in node.inputs[:2])
        return f"for (uint32_t {name} = {start}; {name} < {stop}; {name}++) {{"

    def _control(self, node: Node, skip: int, head: Callable[[Node], str]) -> None:
        """All copies go through the same iterations: the machine sees to it that bounds are shared."""
        initial, region = node.inputs[skip:], node.region
        params = region.params[len(region.params) - len(initial) :]
        for param, value in zip(params, initial, strict=True):
            self._carry(param, value)
        self.write(head(node))
        outer, self.indent = self.indent, self.indent + "    "
        uses, own = self.uses, self.own
        self.own = set(params)
        if node.op is Op.LOOP:
            self.conditional_moves.update(filter(self._is_conditional_move, region.results))
        self.region(region)
        self.uses, self.own = uses, own
        for copy in range(self.copies):
            self._hand_on(params, region.results, copy)
        self.indent = outer
        self.write("}")
        self.carried[node] = params

    def _is_conditional_move(self, result: Node) -> bool:
        """Whether a loop-carried value is a select by an equality: it is on the critical path of all
        iterations, and a mask takes some cycles more."""
        scalar = not isinstance(self.dialect, Vector)
        return scalar and result.op is Op.SELECT and _is_short_equality(result.inputs[0])

    def _carry(self, param: Node, value: Node) -> None:
        stem = ""
        for copy in range(self.copies):
            if isinstance(value.type, ArrayType):
                self.arrays[param, copy] = self._writable(value, copy)
                continue
            stem = stem or self.fresh(param.name if _c_name(param.name) else "c")
            name = self.suffixed(stem, copy)
            self.write(f"{self.dialect.kind(param)} {name} = {self.full(value, copy)};")
            self.define(param, copy, name)

    def _hand_on(self, params: Iterable[Node], results: Iterable[Node], copy: int) -> None:
        """All carried words get their next values at once."""
        words = [(p, r) for p, r in zip(params, results, strict=True) if not isinstance(p.type, ArrayType)]
        changed = [(p, r) for p, r in words if r is not p]
        overwritten = {param for param, _ in changed}
        nexts = []
        for param, result in changed:
            text = self.full(result, copy)
            if result in overwritten:
                name = self.suffixed(self.fresh("n"), copy)
                self.write(f"const {self.dialect.kind(param)} {name} = {text};")
                text = name
            nexts.append((self.texts[param, copy].code, text))
        for variable, text in nexts:
            self.write(f"{variable} = {text};")

    def result(self, node: Node) -> None:
        """A value of a loop or conditional: the variable or array that carried it."""
        param = self.carried[node.inputs[0]][node.attr]
        for copy in range(self.copies):
            if isinstance(param.type, ArrayType):
                self.arrays[node, copy] = self.array(param, copy)
                self.own.add(node)
            else:
                self.texts[node, copy] = self.texts[param, copy]

    def call(self, node: Node) -> None:
        """A function on the bits of a word: in and out by arrays with a variable for each bit."""
        (word,) = node.inputs
        for copy in range(self.copies):
            given, found = self.suffixed(self.fresh("x"), copy), self.suffixed(self.fresh("y"), copy)
            kind = self.dialect.type(1)
            bits = ", ".join(self.full(bit, copy) for bit in word.inputs)
            self.write(f"const {kind} {given}[{word.width}] = {{{bits}}};")
            self.write(f"{kind} {found}[{node.width}];")
            self.write(f"{self.functions[node.region]}({given}, {found});")
            for user in self.uses.get(node, ()):
                self.texts[user, copy] = Text(f"{found}[{user.attr}]")


def _is_short_equality(bit: Node) -> bool:
    """Whether a bit says that two words of at most 32 bits are equal."""
    return bit.op is Op.EQ and register_bits(bit.inputs[0].width) == 32


def _c_name(name: str) -> bool:
    return name.isidentifier() and name.isascii()


_STATEMENTS: dict[Op, Callable[[Body, Node], None]] = {
    Op.ARRAY: Body.fresh_array,
    Op.STORE: Body.store,
    Op.LOOP: Body.loop,
    Op.WHEN: Body.when,
    Op.RESULT: Body.result,
    Op.APPLY: Body.call,
}


#: What a node is made of, as it is written.
Takes = Callable[[Node], tuple[Node, ...]]


def needed(region: Region, takes: Takes) -> set[Node]:
    """The nodes that those which must be written take, and the results."""
    found = set(region.results)
    for node in reversed(region.body):
        if node in found or node.op in CONTROL:
            found.update(takes(node))
            if node.op in CONTROL:
                found |= needed(node.region, takes)
    return found


def use_counts(
    region: Region, takes: Takes = lambda node: node.inputs, unwritten: Container[Node] = ()
) -> dict[Node, list[Node]]:
    """The users of each node; a use by a nested region or as a result counts twice, so it is kept."""
    uses: dict[Node, list[Node]] = {}
    for node in region.body:
        for child in () if node in unwritten else takes(node):
            uses.setdefault(child, []).append(node)
        if isinstance(node.attr, Region) and node.op is not Op.APPLY:
            for child in node.attr.free:
                uses.setdefault(child, []).extend([node, node])
    for child in region.results:
        uses.setdefault(child, []).extend([child, child])
    return uses
