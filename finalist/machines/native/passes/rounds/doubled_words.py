"""Words read both as they are and rotated, kept both ways, side by side in a word of twice the width.

A round function that looks up bits of its word at places further apart than they are in it (an expansion)
reads the word and a rotation of it, each with a round key added, and both stand in every round's longest
wait. The sum of words kept both ways is their sum kept both ways, and a table can give its entries so: then
nothing is rotated, and both round keys are one word, which the sum can carry from round to round. Bits that
nobody looks up are left zero, so that an index at a byte's place is the whole byte.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import or_

from finalist.ir.builder import Builder, mask
from finalist.ir.graph import Graph, Node, TableData, operands
from finalist.ir.ops import CONTROL, Op
from finalist.ir.program import Program
from finalist.ir.rewrite import Rewriter, rewrite
from finalist.machines.native.passes.rounds.rotations import rotation, sums_of_words
from finalist.passes import hoist
from finalist.passes.analysis import KeyOnly, users
from finalist.passes.simplify import simplify

#: Bits of the words: two of them are a word of the processor.
_WIDTH = 32
_WHOLE = mask(_WIDTH)


def run(program: Program) -> Program:
    """The program with such words in its kernel, and their round keys in its key schedule."""
    kernel = program.kernel
    if any(node.op in CONTROL for node in kernel.body):
        return program
    plans = [plan for plan in _plans(kernel) if plan.gain > 0]
    if not plans:
        return program
    return hoist.run(program.with_graphs(program.expand, _doubled(kernel, plans)))


# -- which words -----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Read:
    """A sum with a round key of which only bits are looked up; of ``word``, rotated left by ``amount``."""

    word: Node
    amount: int
    key: Node
    bits: int


@dataclass(frozen=True)
class _Plan:
    """Words that are kept both ways, as they are and rotated left by ``amount``.

    ``pairs``: for a word that is read both ways its two reads, and for each the node it is. ``bits``: which
    bits are kept of each form. ``gain``: words read so, less words that have to be brought there or back.
    """

    words: set[Node]
    amount: int
    pairs: dict[Node, tuple[tuple[Node, _Read], tuple[Node, _Read]]]
    bits: tuple[int, int]
    gain: int


def _plans(kernel: Graph) -> Iterator[_Plan]:
    taking, key_only = users(kernel), KeyOnly()
    taking |= {node: [] for node in kernel.results}  # a result is wanted whole
    reads = {node: read for node in kernel.body if (read := _read(node, taking[node], key_only))}
    for group in sums_of_words(kernel):
        words = {node for node in group if node.width == _WIDTH and node not in reads}
        amounts = Counter(one.amount for one in reads.values() if one.word in words and one.amount)
        if amounts and not _tables_elsewhere(kernel, words):
            yield _plan(kernel, words, amounts.most_common(1)[0][0], reads)


def _read(node: Node, taking: list[Node], key_only: KeyOnly) -> _Read | None:
    """What a node reads, if it is such a sum; ``taking``: who takes it."""
    if node.op is not Op.XOR or not taking or any(one.op is not Op.SLICE for one in taking):
        return None
    for word, key in (node.inputs, node.inputs[::-1]):
        if key_only(key) and not key_only(word):
            bits = reduce(or_, (mask(one.width) << one.attr for one in taking))
            amount = rotation(word)
            return _Read(word.inputs[0] if amount else word, amount, key, bits)
    return None


def _tables_elsewhere(kernel: Graph, words: set[Node]) -> bool:
    """Whether a table of the words is wanted as it is, too."""
    tables = {node.attr for node in words if node.op is Op.LOOKUP}
    return any(n.op is Op.LOOKUP and n not in words and n.attr in tables for n in kernel.body)


def _plan(kernel: Graph, words: set[Node], amount: int, reads: dict[Node, _Read]) -> _Plan:
    found: dict[tuple[Node, int], tuple[Node, _Read]] = {
        (one.word, one.amount): (node, one) for node, one in reads.items() if one.word in words
    }
    pairs = {
        word: (found[word, 0], found[word, amount])
        for word in words
        if (word, 0) in found and (word, amount) in found
    }
    bits = [reduce(or_, (pair[place][1].bits for pair in pairs.values()), 0) for place in range(2)]
    if bits[0] | _turned(bits[1], -amount) != _WHOLE:  # a bit that nobody reads must not be lost
        bits = [_WHOLE, _WHOLE]
    within = {node for pair in pairs.values() for node, _ in pair}
    within |= {child for node in within for child in node.inputs if rotation(child)}
    turned = {node for node in kernel.results if node in words}
    for node in kernel.body:
        if node in words and node.op is Op.XOR:
            turned |= {child for child in node.inputs if child not in words}
        elif node not in within:
            turned |= {child for child in operands(node) if child in words}
    return _Plan(words, amount, pairs, (bits[0], bits[1]), len(pairs) - len(turned))


def _turned(value: int, amount: int) -> int:
    """A value rotated left."""
    by = amount % _WIDTH
    return (value << by | value >> _WIDTH - by) & _WHOLE


# -- kept both ways ----------------------------------------------------------------------------------------


def _doubled(kernel: Graph, plans: list[_Plan]) -> Graph:
    make = Builder(simplify)
    doubling = {node: words for plan in plans for words in [_Words(make, plan)] for node in plan.words}
    reads = {
        node: (word, place)
        for plan in plans
        for word, pair in plan.pairs.items()
        for place, (node, _) in enumerate(pair)
    }

    def visit(rewriter: Rewriter, node: Node, inputs: tuple[Node, ...]) -> Node | None:
        if node in reads:
            word, place = reads[node]
            return make.slice(doubling[word].with_key(word), place * _WIDTH, _WIDTH)
        return doubling[node].made(rewriter, node, inputs) if node in doubling else None

    return rewrite(kernel, make, visit)


@dataclass(frozen=True)
class _Kept:
    """A word kept both ways, with a key word added to it; None for none."""

    value: Node
    key: Node | None = None


class _Words:
    """The words of a plan, each kept both ways and with the round key that it is read with.

    The key is added to the words, not to what is read of them: where one word is another one and a sum of
    lookups, the difference of their keys is added to the other one, which is there long before.
    """

    def __init__(self, make: Builder, plan: _Plan) -> None:
        self._make, self._plan = make, plan
        self._kept: dict[Node, _Kept] = {}
        self._tables: dict[TableData, TableData] = {}

    def with_key(self, word: Node) -> Node:
        """A word that is read both ways, as its reads take it."""
        return self._kept[word].value

    def made(self, rewriter: Rewriter, node: Node, inputs: tuple[Node, ...]) -> Node:
        """Make a word of the plan. Returns it as others take it."""
        own = self._round_key(rewriter, node)
        if node.op is Op.LOOKUP:
            parts = [_Kept(self._make.make(Op.LOOKUP, inputs, self._table(node.attr)))]
        else:
            parts = [self._wide(rewriter, child) for child in self._early_first(node)]
        keys = [part.key for part in parts if part.key]
        values = [part.value for part in parts]
        if own:
            values[0] = self._sum([values[0], self._sum([*keys, own])])
            keys = [own]
        kept = self._kept[node] = _Kept(self._sum(values), self._sum(keys) if keys else None)
        return self._brought_back(kept)

    def _early_first(self, node: Node) -> list[Node]:
        """The inputs of a sum, first the one that is a word and no part of this round's sum."""
        return sorted(
            node.inputs, key=lambda child: child in self._plan.words and child not in self._plan.pairs
        )

    def _wide(self, rewriter: Rewriter, word: Node) -> _Kept:
        if word in self._kept:
            return self._kept[word]
        plain = rewriter.get(word)
        return _Kept(self._side_by_side(plain, self._rotated(Op.ROL, plain)))

    def _round_key(self, rewriter: Rewriter, word: Node) -> Node | None:
        if word not in self._plan.pairs:
            return None
        return self._side_by_side(*(rewriter.get(read.key) for _, read in self._plan.pairs[word]))

    def _sum(self, terms: Sequence[Node]) -> Node:
        return reduce(lambda a, b: self._make.make(Op.XOR, (a, b)), terms)

    def _side_by_side(self, plain: Node, rotated: Node) -> Node:
        make = self._make
        low, high = (
            make.extend(make.make(Op.AND, (word, make.const(bits, _WIDTH))), 2 * _WIDTH)
            for word, bits in zip((plain, rotated), self._plan.bits, strict=True)
        )
        return make.make(Op.OR, (low, make.make(Op.SHL, (high, make.const(_WIDTH, 8)))))

    def _brought_back(self, kept: _Kept) -> Node:
        """The word that was kept both ways: what one form lacks, the other has."""
        value = self._sum([kept.value, kept.key]) if kept.key else kept.value
        plain = self._make.slice(value, 0, _WIDTH)
        if self._plan.bits[0] == _WHOLE:
            return plain
        rotated = self._rotated(Op.ROR, self._make.slice(value, _WIDTH, _WIDTH))
        return self._make.make(Op.OR, (plain, rotated))

    def _rotated(self, way: Op, word: Node) -> Node:
        return self._make.make(way, (word, self._make.const(self._plan.amount, 8)))

    def _table(self, table: TableData) -> TableData:
        if table not in self._tables:
            low, high = self._plan.bits
            values = (
                value & low | (_turned(value, self._plan.amount) & high) << _WIDTH for value in table.values
            )
            self._tables[table] = TableData(tuple(values), 2 * _WIDTH, table.name, table.note)
        return self._tables[table]
