"""Sums of lookups for words side by side: neighbouring bytes of a word are looked up together.

What a word's bytes find belongs to different words of the result. Where it belongs to the lanes of one
register in turn, a rotation puts it there; where not, lanes are moved one by one, after all that belong
together have been added up.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from finalist.ir.graph import Node
from finalist.ir.ops import Op
from finalist.machines.plx.ptlu.builder import WideBuilder, Words

#: A lane: register and place in it.
Lane = tuple[int, int]


@dataclass(frozen=True, slots=True, eq=False)
class ByteLookup:
    """A lookup by byte ``byte`` of a word, perhaps masked, which is added to a lane."""

    leaf: Node
    found: Node
    word: Node
    byte: int
    lane: Lane

    @property
    def mask(self) -> int | None:
        """What it is masked with."""
        return None if self.leaf is self.found else int(self.leaf.inputs[1].attr)


class Sums:
    """Gathers groups of XORs.

    ``gathered``: for groups of words registers that hold them; ``placed``: for as many words as have places
    in registers, each as a lane of its own, for others none.
    """

    def __init__(
        self,
        wide: WideBuilder,
        gathered: Callable[[Sequence[Words]], list[Node]],
        placed: Callable[[Sequence[Node]], dict[Node, Node]],
    ) -> None:
        self.wide, self.gathered, self.placed = wide, gathered, placed

    def of(self, groups: Sequence[Words]) -> list[Node]:
        """For each group the register of its words."""
        leaves = {(g, k): leaves_of(w) for g, group in enumerate(groups) for k, w in enumerate(group)}
        runs, rest = self._runs(leaves)
        terms: list[list[Node]] = [[] for _ in groups]
        self._add_lookups(runs, terms)
        self._add_columns(rest, terms)
        return [self._total(own) for own in terms]

    def _total(self, registers: Sequence[Node]) -> Node:
        total = registers[0]
        for one in registers[1:]:
            total = self.wide.alike(Op.XOR, total, one)
        return total

    # -- what is added --------------------------------------------------------------------------

    def _runs(self, leaves: dict[Lane, list[Node]]) -> tuple[list[list[ByteLookup]], dict[Lane, list[Node]]]:
        """Lookups by as many neighbouring bytes as a register has lanes, and all other leaves."""
        by_run: dict[tuple[Node, int], dict[int, ByteLookup]] = {}
        rest: dict[Lane, list[Node]] = {lane: [] for lane in leaves}
        count = self.wide.lanes
        for lane, own in leaves.items():
            for leaf in own:
                one = byte_lookup(leaf, lane)
                run = {} if one is None else by_run.setdefault((one.word, one.byte // count), {})
                if one is None or one.byte in run:
                    rest[lane].append(leaf)
                else:
                    run[one.byte] = one
        whole = [[run[k] for k in sorted(run)] for run in by_run.values() if len(run) == count]
        for run in by_run.values():
            for one in run.values() if len(run) != count else ():
                rest[one.lane].append(one.leaf)
        return whole, rest

    def _add_lookups(self, runs: Sequence[list[ByteLookup]], terms: list[list[Node]]) -> None:
        sources = sorted({run[0].word for run in runs}, key=lambda word: word.serial)
        loose = [word for word in sources if word.op is not Op.RESULT]
        lanes = self.placed(sources) if loose else {}
        apart: dict[tuple[Lane, ...], list[Node]] = {}
        for run in runs:
            found = self._looked_up(run, lanes)
            labels = tuple(one.lane for one in run)
            up = _turned(labels, self.wide.lanes)
            if up is not None:
                terms[labels[0][0]].append(self.wide.rotated(found, up) if up else found)
                continue
            back = labels.index(min(labels))  # all that find the same lanes in some order of turns
            turned = self.wide.rotated(found, -back % self.wide.lanes) if back else found
            apart.setdefault(labels[back:] + labels[:back], []).append(turned)
        self._add_apart({labels: self._total(own) for labels, own in apart.items()}, terms)

    def _looked_up(self, run: Sequence[ByteLookup], lanes: dict[Node, Node]) -> Node:
        """A register of what the bytes of a run find."""
        make, words = self.wide.make, []
        for one in run:
            index = one.found.inputs[-1]
            make.phase = one.found.phase
            if one.word in lanes:
                index = make.slice(lanes[one.word], index.attr, index.width)
            words.append(make.make(one.found.op, (*one.found.inputs[:-1], index), one.found.attr))
        register = self.wide.register(words)
        masks = [one.mask for one in run]
        if all(mask is None for mask in masks):
            return register
        consts = [make.const(0xFFFFFFFF if mask is None else mask, 32) for mask in masks]
        pairs = zip(self.wide.words(register), consts, strict=True)
        return self.wide.register([make.make(Op.AND, pair) for pair in pairs])

    def _add_apart(self, sums: dict[tuple[Lane, ...], Node], terms: list[list[Node]]) -> None:
        """Words of registers to the lanes that they belong to, one word a lane at a time."""
        waiting: dict[Lane, list[Node]] = {}
        for labels, register in sums.items():
            for k, label in enumerate(labels):
                waiting.setdefault(label, []).append(self.wide.lane(register, k))
        zero = self.wide.make.const(0, 32)
        for group in range(len(terms)):
            own = [waiting.get((group, k), []) for k in range(self.wide.lanes)]
            for number in range(max(map(len, own))):
                terms[group].append(
                    self.wide.register([words[number] if number < len(words) else zero for words in own])
                )

    def _add_columns(self, rest: dict[Lane, list[Node]], terms: list[list[Node]]) -> None:
        """What is left, kind by kind, one word a lane."""
        kinds = list(dict.fromkeys(_kind(leaf) for own in rest.values() for leaf in own))
        zero = self.wide.make.const(0, 32)
        for kind in kinds:
            own = {lane: [leaf for leaf in leaves if _kind(leaf) == kind] for lane, leaves in rest.items()}
            for number in range(max(map(len, own.values()))):
                column = {lane: ls[number] if number < len(ls) else zero for lane, ls in own.items()}
                groups = [tuple(column[g, k] for k in range(self.wide.lanes)) for g in range(len(terms))]
                for group, register in enumerate(self.gathered(groups)):
                    terms[group].append(register)


def leaves_of(word: Node) -> list[Node]:
    """What a word is the XOR of, each once: what is there an even number of times is not there at all.

    (Sums of sums that have parts in common have many more ways to their leaves than leaves.)
    """
    sums: list[Node] = []
    leaves: list[Node] = []
    stack, seen = [word], set()
    while stack:
        node = stack.pop()
        if node not in seen:
            seen.add(node)
            (sums if node.op is Op.XOR else leaves).append(node)
            stack.extend(reversed(node.inputs) if node.op is Op.XOR else ())
    odd = {word}
    for node in sorted(sums, key=lambda node: -node.serial):  # each before its operands
        if node in odd:
            for child in node.inputs:
                odd ^= {child}
    return [leaf for leaf in leaves if leaf in odd] or list(word.inputs)


def byte_lookup(leaf: Node, lane: Lane = (0, 0)) -> ByteLookup | None:
    """A leaf as a lookup by a byte of a word of 32 bits, if it is one."""
    masked = leaf.op is Op.AND and leaf.inputs[1].op is Op.CONST
    found = leaf.inputs[0] if masked else leaf
    if found.op not in (Op.LOOKUP, Op.LOAD):
        return None
    index = found.inputs[-1]
    if index.op is not Op.SLICE or index.width != 8 or index.attr % 8 or index.inputs[0].width != 32:
        return None
    return ByteLookup(leaf, found, index.inputs[0], index.attr // 8, lane)


def _turned(labels: Sequence[Lane], lanes: int) -> int | None:
    """How many lanes up a register's words belong, if they do in turn, in one register."""
    group, up = labels[0]
    return up if all(label == (group, (k + up) % lanes) for k, label in enumerate(labels)) else None


def _kind(leaf: Node) -> tuple[object, ...]:
    """Leaves of one kind can be one column."""
    return (leaf.op, leaf.inputs[0] if leaf.op is Op.LOAD else None)
