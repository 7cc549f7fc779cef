"""The same word of several blocks side by side in a register: what is done to a block is done to all of them.

A block goes into each lane. Rounds of nothing but what is done alike in lanes, and lookups by bytes, are done
to all blocks at once; in other rounds, with a product say, each block's words are alone, one block after the
other, and blocks share no more than what is read of the key. Words go from one to the other where such rounds
meet. For lookups side by side the bytes of a register are exchanged first, so that the same byte of all
blocks' words is together.

Rows and columns of words and of bytes are exchanged as H. S. Warren has it ("Hacker's Delight", 7-3).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from finalist.errors import GraphError
from finalist.ir.graph import Graph, Node, TableData, effective_phases
from finalist.ir.ops import CONTROL, Op
from finalist.ir.program import Program
from finalist.ir.types import WordType
from finalist.machines.plx.ptlu.builder import WideBuilder
from finalist.machines.plx.ptlu.key_layout import RepeatedKeys, is_key
from finalist.passes.analysis import users

_WORD = WordType(32)
_ALIKE = frozenset({Op.XOR, Op.AND, Op.OR, Op.NOT, Op.ADD, Op.SUB})
_MOVES = frozenset({Op.ROL, Op.ROR, Op.SHL, Op.SHR})


def with_blocks_in_lanes(program: Program, lanes: int, kinds: int, ascending: bool) -> Program:
    """The program of ``lanes`` times as many blocks.

    ``kinds``: bytes of a register that read different tables, 0 where lookups are not done side by side;
    ``ascending``: whether of words in memory the first is in the lowest lane of a register. Raises GraphError
    where no round is done in lanes.
    """
    return _Worker(program, lanes, kinds, ascending).program()


class _Worker:
    def __init__(self, program: Program, lanes: int, kinds: int, ascending: bool) -> None:
        self.old, self.lanes, self.kinds, self.ascending = program, lanes, kinds, ascending
        self.kernel, self.count = program.kernel, program.block.count
        self._check()
        self.phases = effective_phases(self.kernel)
        self.users = users(self.kernel)
        self.shared = _shared(self.kernel, self.count)
        #: Rounds that are done block by block.
        self.alone = {self.phases[node] for node in self.kernel.body if not self._is_alike(node)}
        if self.alone >= set(self.phases.values()):
            raise GraphError(f"{self.kernel.name} has no round that is done in lanes")
        self.wide = WideBuilder(lanes)
        self.make = self.wide.make
        self.keys = RepeatedKeys(self.wide, ascending)
        self.readers = _Readers(lanes, kinds)
        #: What of the old graph is made: once, for each block, for all of them in a register.
        self.once: dict[Node, Node] = {}
        self.words: dict[Node, tuple[Node, ...]] = {}
        self.registers: dict[Node, Node] = {}
        #: Registers with the same byte of all blocks together.
        self.columns: dict[Node, Node] = {}

    def _check(self) -> None:
        if any(node.op in CONTROL for node in self.kernel.body):
            raise GraphError(f"{self.kernel.name} has loops: blocks in lanes have their rounds written out")
        if self.old.block.width != _WORD.width or self.old.stateful:
            raise GraphError(f"{self.kernel.name} has no blocks of words that could stand side by side")

    def _is_alike(self, node: Node) -> bool:
        """Whether something can be done to all blocks at once."""
        if node in self.shared:
            return True
        if _is_byte(node):
            return all(user.op is Op.LOOKUP and user.type == _WORD for user in self.users[node])
        if node.type != _WORD:
            return False
        if node.op is Op.LOOKUP:
            return bool(self.kinds) and _is_byte(node.inputs[0])
        return node.op in _ALIKE or (node.op in _MOVES and node.inputs[1].op is Op.CONST)

    # -- the program ----------------------------------------------------------------------------

    def program(self) -> Program:
        """The program anew."""
        params, arrays = self._params(), self.kernel.params[self.count :]
        self.once.update((array, array) for array in arrays)
        for node in self.kernel.body:
            self._visit(node)
        results = self._results()
        # A round of blocks one by one is a round of each of them, so that their words are done with in turn.
        rounds = tuple((first * self.lanes, count * self.lanes) for first, count in self.kernel.rounds)
        kernel = Graph(self.kernel.name, (*params, *arrays, *self.keys.arrays()), results, rounds)
        block = replace(self.old.block, count=self.count * self.lanes)
        return replace(
            self.old, block=block, expand=self.keys.expanded(self.old.expand, arrays), kernel=kernel
        )

    def _visit(self, node: Node) -> None:
        self.make.line = node.line
        self._enter(node)
        if node in self.shared:
            self.once[node] = self._copy(node, [self._single(child) for child in node.inputs])
        elif self.phases[node] in self.alone:
            self.words[node] = self._one_by_one(node)
        elif node.op is Op.LOOKUP:
            self.registers[node] = self._lookups(node)
        elif not _is_byte(node):
            sides = [self._register(child) for child in node.inputs]
            self._enter(node)
            self.registers[node] = self.wide.alike(node.op, *sides)

    def _enter(self, node: Node, block: int = 0) -> None:
        """What is made from now on belongs to this node's round, to that of a block where it has its own."""
        self.make.phase = self.phases[node] * self.lanes + block

    def _one_by_one(self, node: Node) -> tuple[Node, ...]:
        columns, made = [self._words(child) for child in node.inputs], []
        for block in range(self.lanes):
            self._enter(node, block)
            made.append(self._copy(node, [column[block] for column in columns]))
        return tuple(made)

    def _copy(self, node: Node, inputs: Sequence[Node]) -> Node:
        return self.make.raw(node.op, tuple(inputs), node.attr, node.type)

    def _single(self, node: Node) -> Node:
        """What all blocks share."""
        return self.make.const(node.attr, node.width) if node.op is Op.CONST else self.once[node]

    def _words(self, node: Node) -> tuple[Node, ...]:
        """A word of each block."""
        if node.op is Op.CONST or node in self.once:
            return (self._single(node),) * self.lanes
        if node not in self.words:
            if _is_byte(node):  # of an earlier round, where it was part of a register
                self.words[node] = tuple(self._copy(node, (word,)) for word in self._words(node.inputs[0]))
            else:
                self.words[node] = self.wide.words(self.registers[node])
        return self.words[node]

    def _register(self, node: Node) -> Node | int:
        """All blocks' words in a register; a constant as it is."""
        return int(node.attr) if node.op is Op.CONST else self._whole(node)

    def _whole(self, node: Node) -> Node:
        if node not in self.registers:
            key = is_key(node) and node in self.shared
            made = self.keys.register(node) if key else self.wide.register(self._words(node))
            self.registers[node] = made
        return self.registers[node]

    # -- lookups --------------------------------------------------------------------------------

    def _lookups(self, node: Node) -> Node:
        """Of the same byte of all blocks."""
        word, number = node.inputs[0].inputs[0], node.inputs[0].attr // 8
        columns, up = self._columns(word)
        words, first = self.wide.words(columns), (number + up) % BYTES * self.lanes
        bytes_ = [byte(self.wide, words, first + k) for k in range(self.lanes)]
        return self.wide.register([self.make.make(Op.LOOKUP, (one,), node.attr) for one in bytes_])

    def _columns(self, word: Node) -> tuple[Node, int]:
        """A word with its bytes exchanged, and how many bytes up it was rotated before.

        Of the rotations that are made in any case the one in which bytes stand where those before them have
        read the same tables.
        """
        ways = [(0, word), *self._rotations(word)]
        up, source = min(ways, key=lambda way: self.readers.conflicts(self._reads(word, way[0])))
        self.readers.add(self._reads(word, up))
        if source not in self.registers and source is not word:
            self.registers[source] = self.wide.alike(Op.ROL, self._whole(word), 8 * up)
        whole = self._whole(source)
        if whole not in self.columns:
            self.columns[whole] = with_columns(self.wide, whole)
        return self.columns[whole], up

    def _rotations(self, word: Node) -> Iterator[tuple[int, Node]]:
        """Rotations of a word by whole bytes in lanes: bytes up, and the rotated word."""
        for user in self.users[word]:
            turn = user.op in (Op.ROL, Op.ROR) and user.inputs[1].op is Op.CONST
            if turn and user.inputs[1].attr % 8 == 0 and self.phases[user] not in self.alone:
                amount = user.inputs[1].attr // 8
                yield (amount if user.op is Op.ROL else -amount) % BYTES, user

    def _reads(self, word: Node, up: int) -> list[tuple[int, TableData]]:
        """By which byte of a word, rotated so many bytes up, which tables are read."""
        return [
            ((one.attr // 8 + up) % BYTES, user.attr)
            for one in self.users[word]
            if _is_byte(one)
            for user in self.users[one]
        ]

    # -- memory ---------------------------------------------------------------------------------

    def _params(self) -> list[Node]:
        """The words in memory; those of a block are read together."""
        make, old = self.make, self.kernel.params[: self.count]
        params = [make.param("memory", _WORD, f"p{n}") for n in range(self.count * self.lanes)]
        for group in self._groups(len(params)):
            self.wide.in_memory(tuple(params[n] for n in group))
        rows = [params[k * self.count : (k + 1) * self.count] for k in range(self.lanes)]
        self.words.update(zip(old, zip(*rows, strict=True), strict=True))
        for group in self._squares():
            square = [self.wide.register([row[n] for n in group]) for row in rows]
            columns = crossed(self.wide, square)
            self.registers.update(zip((old[n] for n in group), columns, strict=True))
        return params

    def _results(self) -> list[Node]:
        """What the kernel gives; the words of a block are written together."""
        wide, count, old = self.wide, self.count, self.kernel.results
        results = [self._words(result)[k] for k in range(self.lanes) for result in old]
        for group in self._squares():
            for k, row in enumerate(crossed(wide, [self._whole(old[n]) for n in group])):
                for lane, n in enumerate(group):
                    results[k * count + n] = wide.lane(row, lane)
        if not self._squares():
            for group in self._groups(len(results)):
                whole = wide.register([results[n] for n in group])
                for lane, n in enumerate(group):
                    results[n] = wide.lane(whole, lane)
        return results

    def _squares(self) -> list[tuple[int, ...]]:
        """Groups of as many words of a block as there are blocks; none where they do not fill registers."""
        return [] if self.count % self.lanes else self._groups(self.count)

    def _groups(self, count: int) -> list[tuple[int, ...]]:
        """Of so many words in memory those of each register, lowest lane first."""
        groups = [tuple(range(k, k + self.lanes)) for k in range(0, count - self.lanes + 1, self.lanes)]
        return groups if self.ascending else [group[::-1] for group in groups]


class _Readers:
    """Which table the bytes at a place of a register have read so far. ``kinds``: as above."""

    def __init__(self, lanes: int, kinds: int) -> None:
        self.lanes, self.kinds = lanes, kinds
        self._read: dict[int, TableData] = {}

    def _place(self, number: int) -> int:
        """Of the first of the bytes with a number, when these are together."""
        return number * self.lanes % self.kinds

    def add(self, reads: Sequence[tuple[int, TableData]]) -> None:
        """Bytes, by their number, and the tables that they read."""
        for number, table in reads:
            self._read.setdefault(self._place(number), table)

    def conflicts(self, reads: Sequence[tuple[int, TableData]]) -> int:
        """How many of these would read another table than bytes at the same place before."""
        return sum(self._read.get(self._place(number), table) != table for number, table in reads)


def _shared(kernel: Graph, count: int) -> set[Node]:
    """What does not depend on the words of a block, of which there are so many."""
    apart = set(kernel.params[:count])
    for node in kernel.body:
        if any(child in apart for child in node.inputs):
            apart.add(node)
    return set(kernel.body) - apart


def _is_byte(node: Node) -> bool:
    whole = node.op is Op.SLICE and node.width == 8 and node.attr % 8 == 0
    return whole and node.inputs[0].type == _WORD


#: Bytes of a word.
BYTES = 4
_ONES = (1 << 8 * BYTES) - 1


def crossed(wide: WideBuilder, rows: Sequence[Node]) -> list[Node]:
    """As many registers as lanes: word k of register m becomes word m of register k."""
    step, found = 1, list(rows)
    while step < len(found):
        for k in range(len(found)):
            if not k & step:
                found[k], found[k + step] = _traded(wide, found[k], found[k + step], step)
        step *= 2
    return found


def _traded(wide: WideBuilder, a: Node, b: Node, step: int) -> tuple[Node, Node]:
    """In each two groups of ``step`` lanes the upper words of a traded for the lower ones of b."""
    differ = wide.alike(Op.XOR, wide.moved(a, -step), b)
    differ = wide.alike(Op.AND, differ, [0 if k & step else _ONES for k in range(wide.lanes)])
    return wide.alike(Op.XOR, a, wide.moved(differ, step)), wide.alike(Op.XOR, b, differ)


def with_columns(wide: WideBuilder, register: Node) -> Node:
    """The register with bytes of the same number together: those of its words' lowest bytes first."""
    for one, other in exchanges(wide.lanes):
        words = wide.words(register)
        places = [exchanged(place, one, other) for place in range(wide.lanes * BYTES)]
        rows = [places[k : k + BYTES] for k in range(0, len(places), BYTES)]
        register = wide.register([_joined(wide, words, row) for row in rows])
    return register


def _joined(wide: WideBuilder, words: Sequence[Node], places: Sequence[int]) -> Node:
    return wide.make.make(Op.JOIN, [byte(wide, words, place) for place in places])


def byte(wide: WideBuilder, words: Sequence[Node], place: int) -> Node:
    """A byte of a register's words, counted from the lowest one on."""
    return wide.make.slice(words[place // BYTES], 8 * (place % BYTES), 8)


def exchanges(lanes: int) -> list[tuple[int, int]]:
    """Bits of a byte's place to exchange, pair by pair, until its number stands above that of its lane."""
    bits = [*(("lane", k) for k in reversed(range(lanes.bit_length() - 1))), ("byte", 1), ("byte", 0)]
    wanted = bits[-2:] + bits[:-2]
    top, found = len(bits) - 1, []
    for place, bit in enumerate(wanted):
        where = bits.index(bit)
        if where != place:
            bits[place], bits[where] = bits[where], bits[place]
            found.append((top - place, top - where))
    return found


def exchanged(place: int, one: int, other: int) -> int:
    """A place with two of its bits exchanged."""
    differ = (place >> one ^ place >> other) & 1
    return place ^ (differ << one | differ << other)
