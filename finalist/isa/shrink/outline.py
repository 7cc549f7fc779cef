"""Outlining: sequences of instructions that repeat, operand by operand the same, become subroutines.

lda *64; eor #27; sta *65  at several addresses   ->   jsr piece0  there, and  piece0: ...; rts  once

(As LLVM's machine outliner, J. Paquette 2016, greedily by bytes saved.) Registers and condition codes pass
calls and returns unchanged, so that nothing has to be known of them; what a piece takes and changes is said
at its calls, what is wanted after these at its return.

A call that is the last thing that a routine does is a jump: whoever called the routine is returned to by what
it jumps to. Where that lies right behind the routine, it is nothing.

first: ...; jsr second; rts     second: ...; rts     ->     first: ...     second: ...; rts
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field

from finalist.isa.allocate.tidy import Location, live_after, live_at_ends, reads, writes
from finalist.isa.code import Block, Code, Ins
from finalist.isa.target.instruction import Instruction
from finalist.isa.target.meaning import Flow, branch, constant
from finalist.isa.target.processor import Processor

#: Instructions of a piece at the most, and pieces.
_LONGEST, _MOST = 80, 64

Key = tuple[object, ...]


@dataclass(frozen=True, slots=True)
class Calling:
    """What calls a subroutine, and what returns from it."""

    call: Instruction
    back: Instruction

    @classmethod
    def of(cls, processor: Processor) -> Calling | None:
        """Those of a processor."""
        calls = [one for one in processor.instructions if one.flow is Flow.CALL]
        backs = [one for one in processor.instructions if one.flow is Flow.RETURN]
        far = [one for one in calls if any(o.kind == "place" for o in one.operands)]
        return cls(far[0], backs[0]) if far and backs else None


def outline(code: Code, processor: Processor, worth: int, deeper: int = 0) -> None:
    """Changes the code, where a byte less costs no more than so many cycles a block. ``deeper``: bytes that
    it must save for a return address more on the stack."""
    calling = Calling.of(processor)
    if calling is None:
        return
    known = {block.label for block in code.blocks}  # among them pieces that were taken out before
    labels = (label for label in map("piece{}".format, itertools.count()) if label not in known)
    for label in itertools.islice(labels, _MOST):
        best = max(_repeated(code, calling, worth, deeper), key=lambda found: found[0], default=None)
        if best is None:
            return
        _take_out(code, best[1], label, calling)


def _key(ins: Ins) -> Key | None:
    flow = ins.instruction.flow
    return None if flow not in (None, Flow.CALL) else (ins.instruction, *ins.operands)


def _repeated(code: Code, calling: Calling, worth: int, deeper: int) -> Iterator[tuple[int, tuple[Key, ...]]]:
    """Pieces that save bytes, with how many; what makes calls deeper saves less."""
    depths = _Depths(code)
    bodies = [[_key(ins) for ins in block.body] for block in code.blocks]
    often, operations = executions(code), max(1, sum(1 for block in code.blocks if block.entry))
    times = [often[block.label] for block in code.blocks]
    bits = {_key(ins): ins.instruction.bits // 8 for ins in code.instructions()}
    places: dict[tuple[Key, ...], list[tuple[int, int]]] = {
        (): [(b, k) for b, body in enumerate(bodies) for k in range(len(body))]
    }
    for length in range(1, _LONGEST):
        longer: dict[tuple[Key, ...], list[tuple[int, int]]] = {}
        for piece, starts in places.items():
            for b, k in starts:
                key = bodies[b][k + length - 1] if k + length <= len(bodies[b]) else None
                if key is not None:
                    longer.setdefault((*piece, key), []).append((b, k))
        places = {piece: starts for piece, starts in longer.items() if len(starts) > 1}
        for piece, starts in places.items():
            count, size = _count(starts, length), sum(bits[key] for key in piece)
            saved = (count - 1) * size - count * (calling.call.bits // 8)
            each = 0  # where the last is a call it need not return
            if not _is_call(piece[-1]):
                saved -= calling.back.bits // 8
                each = calling.call.cycles + calling.back.cycles
            cycles = each * sum(times[b] for b, _ in starts) // operations
            if count > 1 and saved > 0 and cycles <= worth * saved:
                saved -= deeper * depths.more(piece, starts)
                if saved > 0:
                    yield saved, piece
        if not places:
            return


class _Depths:
    """How much deeper calls become."""

    def __init__(self, code: Code) -> None:
        self.code, self.calls, self.routine = code, Calls.of(code), routines(code)

    def more(self, piece: Sequence[Key], starts: Sequence[tuple[int, int]]) -> int:
        """Return addresses on the stack more than before, where a piece is a subroutine."""
        inside = [self.calls.depth(str(key[1])) + 1 for key in piece[:-1] if _is_call(key)]
        if _is_call(piece[-1]):
            inside.append(self.calls.depth(str(piece[-1][1])))
        depth = max(inside, default=0)
        above = (self._above(b, k + len(piece)) for b, k in starts)
        return max(0, max(above) + depth - self.calls.deepest)

    def _above(self, block: int, end: int) -> int:
        """Return addresses on the stack where a piece that ends there has been called."""
        body = self.code.blocks[block].body
        last = end < len(body) and body[end].instruction.flow is Flow.RETURN
        return self.calls.above(self.routine[self.code.blocks[block].label]) + (0 if last else 1)


def _is_call(key: Key) -> bool:
    one = key[0]
    assert isinstance(one, Instruction)
    return one.flow is Flow.CALL


def _count(starts: Sequence[tuple[int, int]], length: int) -> int:
    """How many of them do not overlap."""
    count, block, end = 0, -1, 0
    for b, k in starts:
        if b != block or k >= end:
            count, block, end = count + 1, b, k + length
    return count


def _take_out(code: Code, piece: tuple[Key, ...], label: str, calling: Calling) -> None:
    taken: list[Ins] = []
    wanted = set[Location]()  # after one of the calls
    ends = live_at_ends(code.blocks)
    for block in code.blocks:
        body: list[Ins] = []
        live = live_after(block, ends[block.label])
        k = 0
        while k < len(block.body):
            here = block.body[k : k + len(piece)]
            if tuple(map(_key, here)) == piece:
                taken = taken or here
                wanted |= live[k + len(piece) - 1]
                body.append(_call(here, label, calling))
                k += len(piece)
            else:
                body.append(block.body[k])
                k += 1
        block.body = body
    back = Ins(calling.back, [0] * len(calling.back.operands), wants=_files(wanted))
    code.blocks.append(Block(label, [*taken, back]))


def _call(piece: Sequence[Ins], label: str, calling: Calling) -> Ins:
    """A call of a piece, with what it takes, and what it changes."""
    takes, changes = set[Location](), set[Location]()
    for ins in piece:
        takes |= set(reads(ins)) - changes
        changes |= set(writes(ins))
    operands: list[int | str] = [label if o.is_target else 0 for o in calling.call.operands]
    return Ins(calling.call, operands, piece[0].phase, changes=_files(changes), wants=_files(takes))


def _files(found: Set[Location]) -> tuple[str, ...]:
    return tuple(sorted(file for file in found if isinstance(file, str)))


#: Iterations that a loop is taken to have.
_TRIPS: int = 16


def executions(code: Code) -> dict[str, int]:
    """By label of a block how often it is executed in one run of one operation, estimated by the loops that
    it is in, and for subroutines by their calls."""
    starts = routines(code)
    times: dict[str, int] = {block.label: _times(block) for block in code.blocks}
    calls: dict[str, list[str]] = {}
    for block in code.blocks:
        for ins in block.body:
            if ins.instruction.flow is Flow.CALL:
                calls.setdefault(ins.target, []).append(block.label)

    known: dict[str, int] = {}

    def of_routine(label: str) -> int:
        if label not in calls:
            return 1
        if label not in known:
            known[label] = 0  # none calls itself
            operations = max(1, sum(1 for block in code.blocks if block.entry))
            total = sum(of_block(caller) for caller in calls[label])
            known[label] = max(1, total // operations)
        return known[label]

    def of_block(label: str) -> int:
        return times[label] * of_routine(starts[label])

    return {block.label: of_block(block.label) for block in code.blocks}


def _times(block: Block) -> int:
    """How often a block is executed in its routine."""
    if block.trips:
        return block.trips * int(_TRIPS ** (block.depth - 1))
    return int(_TRIPS**block.depth)


_ENDS = (Flow.RETURN, Flow.HALT)


def routines(code: Code) -> dict[str, str]:
    """By label of a block that of the first block of its routine."""
    found: dict[str, str] = {}
    first = ""
    for block in code.blocks:
        first = first or block.label
        found[block.label] = first
        if block.body and block.body[-1].instruction.flow in _ENDS:
            first = ""
    return found


@dataclass
class Calls:
    """``inner``: by routine those that it calls; ``last``: those that it ends with."""

    inner: dict[str, set[str]] = field(default_factory=dict)
    last: dict[str, set[str]] = field(default_factory=dict)
    _depths: dict[str, int] = field(default_factory=dict)
    _above: dict[str, int] = field(default_factory=dict)

    @classmethod
    def of(cls, code: Code) -> Calls:
        """Those of a piece of program."""
        made, routine = cls(), routines(code)
        for block in code.blocks:
            first = routine[block.label]
            for called, last in _called(block):
                (made.last if last else made.inner).setdefault(first, set()).add(called)
        return made

    def depth(self, routine: str) -> int:
        """Return addresses on the stack at the most while it runs, beside its own."""
        if routine not in self._depths:
            inside = [1 + self.depth(other) for other in self.inner.get(routine, ())]
            self._depths[routine] = max([0, *inside, *map(self.depth, self.last.get(routine, ()))])
        return self._depths[routine]

    def above(self, routine: str) -> int:
        """Return addresses on the stack at the most when it begins."""
        if routine not in self._above:
            by = [1 + self.above(one) for one, called in self.inner.items() if routine in called]
            by += [self.above(one) for one, called in self.last.items() if routine in called]
            self._above[routine] = max(by, default=0)
        return self._above[routine]

    @property
    def deepest(self) -> int:
        """Return addresses on the stack at the most."""
        return max((self.depth(routine) for routine in {*self.inner, *self.last}), default=0)


def _called(block: Block) -> Iterator[tuple[str, bool]]:
    """What a block calls, and whether that is the last thing it does."""
    for place, ins in enumerate(block.body):
        if ins.instruction.flow is Flow.CALL:
            yield ins.target, _returns(block.body[place + 1 :])


def _returns(rest: list[Ins]) -> bool:
    return bool(rest) and rest[0].instruction.flow is Flow.RETURN


# -- calls that need not return ----------------------------------------------------------------------


def without_returns(code: Code, processor: Processor) -> None:
    """Changes the code: calls before a return are jumps, or nothing."""
    jump, routine = _jump(processor), routines(code)
    if jump is None:
        return
    follows: dict[str, str] = {}  # by routine the one that comes right behind it
    for block in code.blocks:
        call = block.body[-2] if len(block.body) > 1 and _returns(block.body[-1:]) else None
        if call is None or call.instruction.flow is not Flow.CALL:
            continue
        if call.target in follows.values():
            operands: list[int | str] = [call.target if o.is_target else 0 for o in jump.operands]
            block.body[-2:] = [Ins(jump, operands, call.phase)]
        else:
            follows[routine[block.label]] = call.target
            del block.body[-2:]
    code.blocks = list(_in_order(code.blocks, routine, follows))


def _jump(processor: Processor) -> Instruction | None:
    """What goes to any address."""
    jumps = (one for one in processor.instructions if any(o.kind == "place" for o in one.operands))
    return next((one for one in jumps if one.main == branch(constant(1))), None)


def _in_order(
    blocks: Sequence[Block], routine: Mapping[str, str], follows: Mapping[str, str]
) -> Iterator[Block]:
    """The blocks, routine by routine, each with what comes right behind it."""
    of: dict[str, list[Block]] = {}
    for block in blocks:
        of.setdefault(routine[block.label], []).append(block)
    for first in of:
        at: str | None = None if first in follows.values() else first
        while at is not None:
            yield from of[at]
            at = follows.get(at)
