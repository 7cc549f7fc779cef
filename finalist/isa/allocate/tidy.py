"""Loads of what a register holds already, and what nobody reads: left out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cache
from itertools import pairwise

from finalist.ir.ops import Op
from finalist.isa.allocate import liveness
from finalist.isa.code import Block, Cell, Ins
from finalist.isa.target.instruction import Instruction
from finalist.isa.target.meaning import Flow, Leaf, Term
from finalist.isa.target.processor import Processor


def tidied(blocks: Sequence[Block], processor: Processor) -> Mapping[str, set[Location]]:
    """Changes the blocks, until nothing more can be left out; what is live at their ends then."""
    known = _Known(blocks)
    while True:
        before, ends = sum(len(block.body) for block in blocks), known.live_at_ends(blocks)
        changes = [_without_known_loads(block, ends[block.label], processor, known) for block in blocks]
        if any(changes):
            ends = known.live_at_ends(blocks)
        for block in blocks:
            _without_dead(block, set(ends[block.label]), known)
        if sum(len(block.body) for block in blocks) == before:
            return ends


class _Known:
    """What instructions read and write: found once, as they are asked again and again."""

    def __init__(self, blocks: Sequence[Block]) -> None:
        self.read: dict[int, list[Location]] = {}
        self.written: dict[int, list[Location]] = {}
        for block in blocks:
            self.look(*block.body)

    def look(self, *changed: Ins) -> None:
        """Finds it anew of instructions."""
        for ins in changed:
            self.read[id(ins)], self.written[id(ins)] = reads(ins), writes(ins)

    def live_at_ends(self, blocks: Sequence[Block]) -> Mapping[str, set[Location]]:
        """As the function of that name has it."""
        return liveness.live_at_ends(
            blocks, lambda ins: self.read[id(ins)], lambda ins: self.written[id(ins)]
        )


def _without_dead(block: Block, live: set[Location], known: _Known) -> None:
    remaining = []
    for ins in reversed(block.body):
        written = known.written[id(ins)]
        if not live.isdisjoint(written) or acts(ins):
            live.difference_update(written)
            live.update(known.read[id(ins)])
            remaining.append(ins)
    block.body = remaining[::-1]


def _without_known_loads(block: Block, live: Set[Location], processor: Processor, known: _Known) -> bool:
    """What registers hold is followed through the block, at whose end these locations are live; whether
    anything has changed."""
    holds: dict[str, set[Location]] = {}
    exchanged = False
    remaining = []
    for place, ins in enumerate(block.body):
        moved = copied(ins)
        if moved is not None:
            if _load_the_other(block.body, place, moved, holds):
                known.look(ins, block.body[place + 1])
                exchanged = True
                moved = moved[0], int(ins.operands[accesses(ins.instruction).loads[0]])
            if moved[1] in holds.get(moved[0], ()) and not _asked(block.body, place, live, processor, known):
                continue
        remaining.append(ins)
        for changed in known.written[id(ins)]:
            if isinstance(changed, str):
                holds.pop(changed, None)
            else:
                for words in holds.values():
                    words.discard(changed)
        if moved is not None:
            holds.setdefault(moved[0], set()).add(moved[1])
    changes = exchanged or len(remaining) < len(block.body)
    block.body = remaining
    return changes


def _load_the_other(
    body: Sequence[Ins], place: int, moved: tuple[str, Location], holds: Mapping[str, set[Location]]
) -> bool:
    """Where a register is to have one of two words that are then added, and has the other, it is that which
    is loaded; whether that is so."""
    held = holds.get(moved[0])
    if not held or moved[1] in held or accesses(body[place].instruction).stores or place + 1 == len(body):
        return False
    after = body[place + 1]
    where = _added(after.instruction, moved[0])
    if where is None or not isinstance(after.operands[where], Cell) or after.operands[where] not in held:
        return False
    (own,) = accesses(body[place].instruction).loads
    after.operands[where], body[place].operands[own] = body[place].operands[own], after.operands[where]
    return True


@cache
def _added(one: Instruction, file: str) -> int | None:
    """The operand whose word an instruction adds to a register, in a way in which both are alike."""
    for effect in one.forms[0][1]:
        meaning = effect.value
        if effect.target and one.by_name[effect.target].file == file and meaning.op in _ALIKE:
            places = [
                arg.args[0].attr
                for arg in meaning.args
                if arg.op is Op.LOAD and arg.args[0].op is Leaf.OPERAND
            ]
            plain = [arg for arg in meaning.args if arg.op is Leaf.OPERAND and arg.attr == effect.target]
            if len(places) == len(plain) == 1:
                return [o.name for o in one.operands].index(places[0])
    return None


def in_order(blocks: Sequence[Block]) -> None:
    """Changes the blocks: of two words that are added that comes first whose number is lower, so that what
    is done with other words each time is written in one way."""
    for block in blocks:
        for load, after in pairwise(block.body):
            moved = copied(load)
            if moved is None or accesses(load.instruction).stores:
                continue
            where = _added(after.instruction, moved[0])
            if where is not None and isinstance(after.operands[where], Cell):
                (own,) = accesses(load.instruction).loads
                load.operands[own], after.operands[where] = sorted(
                    (load.operands[own], after.operands[where]), key=int
                )


_ALIKE = frozenset({Op.XOR, Op.AND, Op.OR, Op.ADD})


def copied(ins: Ins) -> tuple[str, Location] | None:
    """The register and the word that are the same after an instruction that only loads or stores it."""
    found = moves(ins.instruction)
    if found is None:
        return None
    file, place = found
    word = ins.operands[place]
    return (file, int(word)) if isinstance(word, Cell) else None


@cache
def moves(one: Instruction) -> tuple[str, int] | None:
    """The register file that an instruction loads or stores, and the operand that is the word's address."""
    names = [o.name for o in one.operands]
    for effect in one.forms[0][1]:
        meaning = effect.value
        if meaning.op is Op.STORE:
            place, value = meaning.args
            if value.op is Leaf.OPERAND and place.op is Leaf.OPERAND:
                file = one.by_name[value.attr].file
                return (file, names.index(place.attr)) if file else None
        elif meaning.op is Op.LOAD and effect.target and meaning.args[0].op is Leaf.OPERAND:
            return one.by_name[effect.target].file, names.index(meaning.args[0].attr)
    return None


def _asked(body: Sequence[Ins], place: int, live: Set[Location], processor: Processor, known: _Known) -> bool:
    """Whether a condition code that an instruction writes is read, here or behind the block."""
    open_: set[Location] = {
        o.file for o in body[place].instruction.operands if o.written and processor.file(o.file).status
    }
    for k in range(place + 1, len(body)):
        if not open_.isdisjoint(known.read[id(body[k])]):
            return True
        open_.difference_update(known.written[id(body[k])])
        if not open_:
            return False
    return bool(open_ & live)


#: A register file by name, or a word in memory by number.
Location = str | int


@dataclass(frozen=True, slots=True)
class Accesses:
    """The operands, by place, of an instruction that are words it reads or writes; its register files."""

    loads: tuple[int, ...]
    stores: tuple[int, ...]
    read: frozenset[str]
    written: frozenset[str]
    #: Whether it does anything else: a branch, a store elsewhere than to a word.
    acts: bool
    calls: bool


@cache
def accesses(one: Instruction) -> Accesses:
    """Those of an instruction."""
    loads: set[str] = set()
    stores: set[str] = set()
    acts = False
    for effect in one.forms[0][1]:
        _loads(effect.value, loads)
        if not effect.target:
            place = effect.value.args[0] if effect.value.op is Op.STORE else None
            if place is not None and place.op is Leaf.OPERAND:
                stores.add(place.attr)
            acts = True
    names = [o.name for o in one.operands]
    return Accesses(
        tuple(names.index(name) for name in sorted(loads)),
        tuple(names.index(name) for name in sorted(stores)),
        frozenset(o.file for o in one.operands if o.read),
        frozenset(o.file for o in one.operands if o.written),
        acts,
        one.flow is Flow.CALL,
    )


def _loads(meaning: Term, found: set[str]) -> None:
    """The operands that are addresses of what is read."""
    if meaning.op is Op.LOAD and meaning.args[0].op is Leaf.OPERAND:
        found.add(meaning.args[0].attr)
    for arg in meaning.args:
        _loads(arg, found)


def reads(ins: Ins) -> list[Location]:
    """The locations whose contents matter to an instruction."""
    known = accesses(ins.instruction)
    return [*known.read, *(_cells(ins, known.loads) if known.loads else ()), *ins.takes, *ins.wants]


def writes(ins: Ins) -> list[Location]:
    """The locations that it changes."""
    known = accesses(ins.instruction)
    if known.calls:
        return [*ins.gives, *ins.changes]
    return [*known.written, *_cells(ins, known.stores)] if known.stores else [*known.written]


def words_read(ins: Ins) -> list[int]:
    """The words of those that it reads."""
    loads = accesses(ins.instruction).loads
    return [*_cells(ins, loads), *ins.takes] if loads else ins.takes


def words_written(ins: Ins) -> list[int]:
    """The words of those that it changes."""
    known = accesses(ins.instruction)
    return ins.gives if known.calls else _cells(ins, known.stores) if known.stores else []


def acts(ins: Ins) -> bool:
    """Whether an instruction does more than to write locations that are known."""
    known, flow = accesses(ins.instruction), ins.instruction.flow
    return flow is not None or (known.acts and len(_cells(ins, known.stores)) < max(1, len(known.stores)))


def _cells(ins: Ins, indices: tuple[int, ...]) -> list[int]:
    """The words in memory among these operands."""
    return [int(x) for index in indices if isinstance(x := ins.operands[index], Cell)]


def live_after(block: Block, at_end: Set[Location]) -> list[set[Location]]:
    """The locations that are live after each instruction of a block, if these are at its end."""
    live_, found = set(at_end), []
    for ins in reversed(block.body):
        found.append(set(live_))
        live_.difference_update(writes(ins))
        live_.update(reads(ins))
    return found[::-1]


def live_at_ends(blocks: Sequence[Block]) -> Mapping[str, set[Location]]:
    """The locations that are live at the end of each block, by its label."""
    return liveness.live_at_ends(blocks, reads, writes)
