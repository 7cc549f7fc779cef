"""A key schedule on registers: round keys that follow from those before by S-boxes and XORs of words.

Each register of four words is found as a sum over the two before it: each of its words is an XOR of their
words, and of bytes that an S-box makes of such XORs. The S-boxes are those of a round instruction that
moves bytes only, on a register shuffled so that it moves them to where they belong; all else is shuffles
and XORs. Where any register has no such form, the key schedule stays one of words (see `lookups`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from itertools import combinations
from operator import xor

from finalist.ir.builder import Builder
from finalist.ir.graph import Graph, Node
from finalist.ir.ops import CONTROL, Op
from finalist.ir.program import ByteOrder, Layout, Program
from finalist.ir.rewrite import Rewriter
from finalist.ir.types import WordType
from finalist.passes.analysis import stored
from finalist.passes.matching.affine import ONE, Forms, Leaf, Rows
from finalist.passes.matching.normal import BYTE, InstructionSet, Map, Round, applied
from finalist.passes.matching.registers import Sum, summed
from finalist.passes.simplify import simplify

_WORD = 32
_BYTES = _WORD // BYTE
#: Registers that one follows from, at most.
_BEFORE = 2

Words = tuple[Node, ...]


def run(program: Program, instructions: InstructionSet) -> Program:
    """The program with its key schedule on registers, where it has that form."""
    if program.key.bytes % _BYTES or any(node.op in CONTROL for node in program.expand.body):
        return program
    program = as_in_memory(program)
    found = _Finder(program.expand, instructions).recipes()
    if not found:
        return program
    return program.with_graphs(_Writer(program.expand, instructions, found).graph(), program.kernel)


def as_in_memory(program: Program) -> Program:
    """The program with its key as words of 32 bits, the first byte lowest, so that they make registers."""
    layout = Layout(program.key.bytes // _BYTES, _WORD, ByteOrder.LITTLE)
    if program.key == layout:
        return program
    make = Builder(simplify)
    params = [make.param("memory", WordType(_WORD), f"k{k}") for k in range(layout.count)]
    bytes_ = [make.slice(word, low, BYTE) for word in params for low in range(0, _WORD, BYTE)]
    rewriter, size = Rewriter(make), program.key.width // BYTE
    for place, old in enumerate(program.expand.params):
        own = bytes_[place * size : (place + 1) * size]
        rewriter.map[old] = make.make(Op.JOIN, own if program.key.order is ByteOrder.LITTLE else own[::-1])
    results = rewriter.all(program.expand.results)
    expand = Graph(program.expand.name, params, results, program.expand.rounds)
    return replace(program.with_graphs(expand, program.kernel), key=layout)


_NOTHING = Sum((), ())


@dataclass(frozen=True)
class Recipe:
    """A register as the sum of ``straight`` and, where there is one, a round on ``substituted``.

    Both are over the bytes of ``sources``, older first. Or it is a ``map`` of the one source.
    """

    sources: tuple[Words, ...]
    straight: Sum = _NOTHING
    round: Round | None = None
    substituted: Sum | None = None
    map: Map | None = None


class _Finder:
    def __init__(self, expand: Graph, instructions: InstructionSet) -> None:
        self.expand = expand
        self.instructions = instructions
        self.forms = Forms(instructions.boxes)

    def recipes(self) -> dict[Words, Recipe]:
        """How each register that is wanted is made, in order; empty where one has no such form."""
        known = list(_registers_of(self.expand.params, self.instructions.words))
        wanted = self._wanted()
        found = self._maps(wanted)
        wanted |= {recipe.sources[0] for recipe in found.values()}
        for group in sorted(wanted - set(known) - set(found), key=self._depth):
            recipe = self._recipe(group, tuple(known[-_BEFORE:]))
            if recipe is None:
                return {}
            found[group] = recipe
            known.append(group)
        return found if any(recipe.round for recipe in found.values()) else {}

    def _wanted(self) -> set[Words]:
        """The groups of words that the kernel, or an instruction of the key schedule, has as a register."""
        n = self.instructions.words
        found = {node.inputs for node in self.expand.body if node.op is Op.TUPLE}
        for result in self.expand.results:
            entries, rest = stored(result)
            for place in range(0, len(entries) if rest.op is not Op.STORE else 0, n):
                words = tuple(entries.get(place + k, result) for k in range(n))
                if any(word.op is not Op.RESULT for word in words):
                    found.add(words)
        return {group for group in found if all(word.type == WordType(_WORD) for word in group)}

    def _maps(self, wanted: set[Words]) -> dict[Words, Recipe]:
        """Of the registers that are an instruction's linear map of other words of the graph, which."""
        words = [*self.expand.params, *(n for n in self.expand.body if n.type == WordType(_WORD))]
        words += [_turned(word) for word in words]
        by_rows = {self.forms(word): word for word in reversed(words)}
        found = {}
        for map_ in self.instructions.maps:
            for group in wanted:
                rows = applied(map_.inverse, [row for word in group for row in self.forms(word)])
                before = [by_rows.get(rows[low : low + _WORD]) for low in range(0, len(rows), _WORD)]
                source = tuple(word for word in before if word is not None)
                if len(source) == len(group) and any(word.op is not Op.CONST for word in group):
                    found[group] = Recipe((source,), map=map_)
        return found

    def _depth(self, group: Words) -> tuple[int, int]:
        """How much of the key schedule comes before."""
        support = reduce(lambda a, b: a | b, (row for word in group for row in self.forms(word)))
        return len(self.forms.within(support)), max(word.serial for word in group)

    # -- finding a register's form ----------------------------------------------------------------------

    def _recipe(self, group: Words, sources: tuple[Words, ...]) -> Recipe | None:
        known = _Combinations([self.forms(word) for source in sources for word in source])
        straight: list[tuple[tuple[int, int], ...]] = []
        constants: list[int] = []
        leaves: list[Leaf | None] = []
        for word in group:
            found = next(self._split(known, self.forms(word)), None)
            if found is None:
                return None
            chosen, own, added = found
            straight += [tuple(self._byte(place, k) for place in chosen) for k in range(_BYTES)]
            leaves += own
            constants += added
        total = Sum(tuple(straight), tuple(constants))
        boxes = {leaf.box for leaf in leaves if leaf is not None}
        if not boxes:
            return Recipe(sources, total)
        round_ = next((r for r in self.instructions.rounds if {r.box} == boxes and r.moves), None)
        substituted = self._substituted(known, round_, leaves) if round_ else None
        return Recipe(sources, total, round_, substituted) if substituted else None

    def _byte(self, place: int, byte: int) -> tuple[int, int]:
        """Byte ``byte`` of word ``place`` of all sources: its source, and where it is in that."""
        source, word = divmod(place, self.instructions.words)
        return source, _BYTES * word + byte

    def _split(
        self, known: _Combinations, rows: Rows
    ) -> Iterator[tuple[tuple[int, ...], list[Leaf | None], list[int]]]:
        """Words of the sources whose XOR with a word leaves S-boxes' bytes, those, and constants."""
        for chosen in known.near(rows):
            rest = known.without(rows, chosen)
            bytes_ = [rest[low : low + BYTE] for low in range(0, _WORD, BYTE)]
            leaves = [self._leaf(byte) for byte in bytes_]
            if all(ok for ok, _ in leaves):
                constants = [sum((row & ONE) << bit for bit, row in enumerate(byte)) for byte in bytes_]
                yield chosen, [leaf for _, leaf in leaves], constants

    def _leaf(self, rows: Rows) -> tuple[bool, Leaf | None]:
        """Whether these are the bits of one S-box's output, or none; and of which."""
        plain = tuple(row & ~ONE for row in rows)
        if not any(plain):
            return True, None
        leaves = self.forms.within(plain[0])
        return len(leaves) == 1 and leaves[0].box is not None and leaves[0].rows() == plain, leaves[0]

    def _substituted(self, known: _Combinations, round_: Round, leaves: list[Leaf | None]) -> Sum | None:
        """What the round's S-boxes take, at the places that the round moves them from."""
        size = len(leaves)
        terms: list[tuple[tuple[int, int], ...]] = [()] * size
        constants = [0] * size
        assert round_.moves is not None
        for target, leaf in enumerate(leaves):
            place = round_.moves[target]
            if leaf is None:
                constants[place] = round_.box.values.index(0)
                continue
            found = known.byte(leaf.index)
            if found is None:
                return None
            chosen, byte, constants[place] = found
            terms[place] = tuple(self._byte(word, byte) for word in chosen)
        return Sum(tuple(terms), tuple(constants))


class _Combinations:
    """All XORs of some words, given by their rows; of fewer words first."""

    def __init__(self, words: Sequence[Rows]) -> None:
        self.words = words
        places = range(len(words))
        self.choices = [c for count in range(len(words) + 1) for c in combinations(places, count)]
        self.totals = [reduce(xor, (words[place][0] for place in c), 0) for c in self.choices]

    def near(self, rows: Rows) -> Iterator[tuple[int, ...]]:
        """Those that differ in the lowest bit by one bit of a leaf, or none, and a constant."""
        for chosen, total in zip(self.choices, self.totals, strict=True):
            if ((rows[0] ^ total) & ~ONE).bit_count() <= 1:
                yield chosen

    def without(self, rows: Rows, chosen: tuple[int, ...]) -> Rows:
        """The rows XOR the chosen words."""
        return tuple(
            reduce(xor, (self.words[place][bit] for place in chosen), row) for bit, row in enumerate(rows)
        )

    def byte(self, rows: Rows) -> tuple[tuple[int, ...], int, int] | None:
        """The words, the number of the byte in each, and the constant, whose XOR these rows are."""
        for chosen in self.choices:
            for byte in range(_BYTES):
                own = (self.words[place][BYTE * byte : BYTE * (byte + 1)] for place in chosen)
                rest = [reduce(xor, column) for column in zip(rows, *own, strict=True)]
                if all(row in (0, ONE) for row in rest):
                    return chosen, byte, sum(row << bit for bit, row in enumerate(rest))
        return None


class _Writer:
    """Makes the key schedule anew, each register when it is first needed."""

    def __init__(self, expand: Graph, instructions: InstructionSet, recipes: dict[Words, Recipe]) -> None:
        self.expand = expand
        self.instructions = instructions
        self.recipes = recipes
        self.make = Builder(simplify)
        self.made: dict[Words, Node] = {}
        self.home = {word: (group, k) for group in recipes for k, word in enumerate(group)}

    def graph(self) -> Graph:
        """The key schedule."""
        rewriter = Rewriter(self.make, self._visit)
        for word, (group, k) in self.home.items():
            if word.op is Op.PARAM:
                rewriter.map[word] = self.make.results(self._register(group))[k]
        results = rewriter.all(self.expand.results)
        return Graph(self.expand.name, self.expand.params, results, self.expand.rounds)

    def _visit(self, rewriter: Rewriter, node: Node, inputs: tuple[Node, ...]) -> Node | None:
        if node not in self.home:
            return None
        group, k = self.home[node]
        return self.make.results(self._register(group))[k]

    def _register(self, group: Words) -> Node:
        if group not in self.made:
            recipe = self.recipes.get(group)
            self.made[group] = self._of(recipe) if recipe else self.make.make(Op.TUPLE, group)
        return self.made[group]

    def _of(self, recipe: Recipe) -> Node:
        make, sources = self.make, [self._register(source) for source in recipe.sources]
        if recipe.map is not None:
            return make.make(Op.INSTRUCTION, sources, recipe.map.instruction)
        if recipe.round is None or recipe.substituted is None:
            return summed(make, self.instructions, recipe.straight, sources)
        state = summed(make, self.instructions, recipe.substituted, sources)
        early, late = recipe.straight, None
        if recipe.straight.newest >= recipe.substituted.newest:
            # What becomes ready with the state can be added while the round is under way.
            early, late = recipe.straight.divided()
        added = summed(make, self.instructions, early, sources)
        total = make.make(Op.INSTRUCTION, (state, added), recipe.round.instruction)
        if late is None:
            return total
        rest = summed(make, self.instructions, late, sources)
        return make.make(Op.INSTRUCTION, (total, rest), self.instructions.addition.instruction)


def _turned(word: Node) -> Node:
    """The word with its bytes in the other order."""
    make = Builder()
    return make.make(Op.JOIN, [make.slice(word, low, BYTE) for low in reversed(range(0, _WORD, BYTE))])


def _registers_of(params: Words, words: int) -> Iterator[Words]:
    """The key in memory as registers; the last one overlaps its neighbour where they are not filled."""
    for start in range(0, len(params), words):
        first = min(start, len(params) - words)
        if first >= 0:
            yield params[first : first + words]
