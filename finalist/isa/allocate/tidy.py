"""Loads of what a register holds already, and what nobody reads: left out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cache
from itertools import pairwise

from finalist.ir.ops import Op
from finalist.isa.allocate.liveness import live
from finalist.isa.code import Block, Cell, Ins
from finalist.isa.target.instruction import Instruction
from finalist.isa.target.meaning import Flow, Leaf, Term
from finalist.isa.target.processor import Processor


def tidied(blocks: Sequence[Block], processor: Processor) -> None:
    """Changes the blocks, until nothing more can be left out."""
    before = -1
    while before != (now := sum(len(block.body) for block in blocks)):
        before = now
        ends = live_at_ends(blocks)
        for block in blocks:
            _without_known_loads(block, ends[block.label], processor)
        ends = live_at_ends(blocks)
        for block in blocks:
            _without_dead(block, set(ends[block.label]))


def _without_dead(block: Block, live: set[Location]) -> None:
    kept = []
    for ins in reversed(block.body):
        if is_needed(ins, live):
            live.difference_update(writes(ins))
            live.update(reads(ins))
            kept.append(ins)
    block.body = kept[::-1]


def _without_known_loads(block: Block, live: Set[Location], processor: Processor) -> None:
    """What registers hold is followed through the block, at whose end these locations are live."""
    holds: dict[str, set[Location]] = {}
    kept = []
    for place, ins in enumerate(block.body):
        _load_the_other(block.body, place, holds)
        moved = copied(ins)
        known = moved is not None and moved[1] in holds.get(moved[0], ())
        if known and not _asked(block.body, place, live, processor):
            continue
        kept.append(ins)
        changed = set(writes(ins))
        holds = {file: words - changed for file, words in holds.items() if file not in changed}
        if moved is not None:
            holds.setdefault(moved[0], set()).add(moved[1])
    block.body = kept


def _load_the_other(body: Sequence[Ins], place: int, holds: Mapping[str, set[Location]]) -> None:
    """Where a register is to have one of two words that are then added, and has the other, it is that which
    is loaded."""
    moved = copied(body[place])
    if moved is None or accesses(body[place].instruction).stores or place + 1 == len(body):
        return
    after = body[place + 1]
    where = _added(after.instruction, moved[0])
    if where is not None and isinstance(after.operands[where], Cell):
        (own,) = accesses(body[place].instruction).loads
        other = after.operands[where]
        if int(other) in holds.get(moved[0], ()) and moved[1] not in holds.get(moved[0], ()):
            after.operands[where], body[place].operands[own] = body[place].operands[own], other


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


def _asked(body: Sequence[Ins], place: int, live: Set[Location], processor: Processor) -> bool:
    """Whether a condition code that an instruction writes is read, here or behind the block."""
    open_ = {o.file for o in body[place].instruction.operands if o.written and processor.file(o.file).status}
    for ins in body[place + 1 :]:
        if open_ & set(map(str, reads(ins))):
            return True
        open_ -= set(map(str, writes(ins)))
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


def is_needed(ins: Ins, live: set[Location]) -> bool:
    """Whether an instruction matters where these locations are live after it."""
    if ins.instruction.flow is not None:
        return True
    known = accesses(ins.instruction)
    if known.acts and len(_cells(ins, known.stores)) < max(1, len(known.stores)):
        return True
    return any(place in live for place in writes(ins))


def _cells(ins: Ins, places: tuple[int, ...]) -> list[Location]:
    return [int(x) for x in (ins.operands[place] for place in places) if isinstance(x, Cell)]


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
    return live(blocks, reads, writes).end
