"""Words that are changed where they are: a load, an operation on a register, and a store to the same byte are
one instruction, on processors that have it.

lda *64; rola; sta *64   ->   rol *64

So are a load and an operation of which nothing but the carry is wanted.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field

from finalist.ir.ops import Op
from finalist.isa.allocate.tidy import Location, accesses, copied, moves, reads, writes
from finalist.isa.code import Block, Cell, Ins
from finalist.isa.target.instruction import Instruction
from finalist.isa.target.meaning import Leaf, Term
from finalist.isa.target.processor import Processor


def changed_in_place(
    blocks: Sequence[Block], processor: Processor, ends: Mapping[str, Set[Location]]
) -> None:
    """Changes the blocks, whose words have their bytes, and at whose ends, by label, these are live."""
    known = _InMemory(processor)
    for block in blocks:
        _load_late(block.body)
        live, body = set(ends[block.label]), list[Ins]()
        place = len(block.body)
        while place:
            kept, count = known.last(block.body[max(0, place - 3) : place], live)
            live.difference_update(writes(kept))
            live.update(reads(kept))
            body.append(kept)
            place -= count
        block.body = body[::-1]


def _load_late(body: list[Ins]) -> None:
    """Words that are changed and stored again are loaded right before that."""
    for place in range(len(body) - 1, -1, -1):
        loaded = copied(body[place])
        if loaded is None or accesses(body[place].instruction).stores:
            continue
        end = place + 1
        while end < len(body) and _is_apart(body[place], body[end], loaded):
            end += 1
        if end == place + 1 or end + 1 >= len(body) or copied(body[end + 1]) != loaded:
            continue
        codes = set(writes(body[place])) - {loaded[0]}
        if codes <= set(writes(body[end])) - set(reads(body[end])):
            body.insert(end - 1, body.pop(place))


def _is_apart(load: Ins, other: Ins, loaded: tuple[str, Location]) -> bool:
    """Whether it is the same if a load comes after another instruction."""
    if other.instruction.flow is not None or set(loaded) & {*reads(other), *writes(other)}:
        return False
    return not set(writes(load)) & set(reads(other))


def _operands(one: Instruction, word: Location) -> list[int | str]:
    return [0 if o.is_register else Cell(int(word)) for o in one.operands]


@dataclass
class _InMemory:
    """What has been found of instructions that load, change and store a word."""

    processor: Processor
    known: dict[tuple[Instruction, ...], Instruction | None] = field(default_factory=dict)

    def last(self, body: Sequence[Ins], live: set[Location]) -> tuple[Ins, int]:
        """The one instruction for the last three, or two, after which these locations are live, and how many
        it stands for; else the last."""
        for load, change, *others in (body, body[-2:]) if len(body) > 1 else ():
            word = self._word(load, others, live)
            if word is None or any(change.operands):
                continue
            store = others[0].instruction if others else self._store(load.instruction)
            if store is not None:
                one = self.of(load.instruction, change.instruction, store)
                if one is not None:
                    return Ins(one, _operands(one, word), change.phase, change.note), 2 + len(others)
        return body[-1], 1

    def _word(self, load: Ins, others: Sequence[Ins], live: set[Location]) -> int | None:
        """The word that is loaded and, if it is wanted, stored again, where its register is not wanted."""
        loaded, working = copied(load), self.processor.working
        if loaded is None or working is None or accesses(load.instruction).stores or loaded[0] in live:
            return None
        word = int(loaded[1])
        stored = all(copied(store) == loaded and accesses(store.instruction).stores for store in others)
        # There is no form with a long address.
        return word if stored and (others or word not in live) and word < working.direct else None

    def _store(self, load: Instruction) -> Instruction | None:
        """The instruction that stores what another one loads."""
        stores = (
            one for one in self.processor.instructions if one.bits == load.bits and accesses(one).stores
        )
        return next((one for one in stores if moves(one) == moves(load)), None)

    def of(self, *three: Instruction) -> Instruction | None:
        """The instruction that leaves all but the register as these do."""
        if three not in self.known:
            self.known[three] = next(self._alike(*three), None)
        return self.known[three]

    def _alike(self, load: Instruction, change: Instruction, store: Instruction) -> Iterator[Instruction]:
        state: dict[str, Term] = {}
        for one in (load, change, store):
            state |= {effect.target: _with(effect.value, state) for effect in one.forms[0][1]}
        state.pop(next(o.name for o in store.operands if o.read and o.is_register))
        words = [o.name for o in load.operands if not o.is_register]
        for one in self.processor.instructions:
            same = one.bits == load.bits and [o.name for o in one.operands if not o.is_register] == words
            if same and {effect.target: effect.value for effect in one.forms[0][1]} == state:
                yield one


def _with(term: Term, state: Mapping[str, Term]) -> Term:
    """A term with what operands are by now."""
    if term.op is Leaf.OPERAND:
        return state.get(term.attr, term)
    if term.op is Op.STORE:
        place, *others = term.args
        return Term(
            term.op, (place, *(_with(arg, state) for arg in others)), term.attr, term.lane, term.width
        )
    return Term(term.op, tuple(_with(arg, state) for arg in term.args), term.attr, term.lane, term.width)
