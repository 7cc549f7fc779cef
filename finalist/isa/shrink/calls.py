"""Which routines call which, how deep calls go, and calls that need not return.

A call that is the last thing that a routine does is a jump: whoever called the routine is returned to by what
it jumps to. Where that lies right behind the routine, it is nothing.

    first: ...; jsr second; rts     second: ...; rts     ->     first: ...     second: ...; rts
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from finalist.isa.code import Block, Code, Ins
from finalist.isa.target.instruction import Instruction
from finalist.isa.target.meaning import Flow, branch, constant
from finalist.isa.target.processor import Processor

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
