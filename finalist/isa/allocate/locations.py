"""What instructions read and write on processors whose words live in memory: registers and words alike."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cache

from finalist.ir.ops import Op
from finalist.isa.allocate.liveness import live
from finalist.isa.code import Block, Cell, Ins
from finalist.isa.target.instruction import Instruction
from finalist.isa.target.meaning import Flow, Leaf, Term

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
