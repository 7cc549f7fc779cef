"""Which words are live where, and copies that need not be made."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from finalist.ir.ops import Op
from finalist.isa.code import ZERO, Block, Code, Ins, successors

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Live(Generic[T]):
    """For each block, by label, what is live at its start and at its end."""

    start: dict[str, set[T]]
    end: dict[str, set[T]]


def live_words(blocks: Sequence[Block], wanted: set[int] | None = None) -> Live[int]:
    """The numbered words that are live; ``wanted``: the only ones of interest, or all."""

    def read(ins: Ins) -> Iterable[int]:
        return (word for word in ins.read if word != ZERO and (wanted is None or word in wanted))

    return live(blocks, read, lambda ins: ins.written)


def live(
    blocks: Sequence[Block], read: Callable[[Ins], Iterable[T]], written: Callable[[Ins], Sequence[T]]
) -> Live[T]:
    """What is live, by the equations of liveness: of what instructions read and write."""
    return _solved(blocks, {block.label: _needs(block, read, written) for block in blocks})


def live_at_ends(
    blocks: Sequence[Block], read: Callable[[Ins], Iterable[T]], written: Callable[[Ins], Sequence[T]]
) -> dict[str, set[T]]:
    """The same at the end of each block: what a block needs that none goes on to does not matter."""
    reached = {label for nexts in successors(blocks).values() for label in nexts}
    needs = {block.label: _needs(block, read, written) for block in blocks if block.label in reached}
    return _solved(blocks, needs).end


def _needs(
    block: Block, read: Callable[[Ins], Iterable[T]], written: Callable[[Ins], Sequence[T]]
) -> tuple[set[T], set[T]]:
    """What a block takes from before it, and what it makes."""
    needs, makes = set[T](), set[T]()
    for ins in reversed(block.body):
        changed = written(ins)
        needs.difference_update(changed)
        needs.update(read(ins))
        makes.update(changed)
    return needs, makes


def _solved(blocks: Sequence[Block], needs: Mapping[str, tuple[set[T], set[T]]]) -> Live[T]:
    """What is live, of what each block needs and makes; without that of blocks that are not known."""
    start = {block.label: set[T]() for block in blocks} | {
        label: set(one) for label, (one, _) in needs.items()
    }
    makes = {label: made for label, (_, made) in needs.items()}
    nexts = successors(blocks)
    end: dict[str, set[T]] = {block.label: set() for block in blocks}
    changed = True
    while changed:
        changed = False
        for block in reversed(blocks):
            label = block.label
            out = set[T]().union(*(start[after] for after in nexts[label]))
            if out != end[label]:
                end[label] = out
                start[label] |= out - makes.get(label, set())
                changed = True
    return Live(start, end)


# -- copies ------------------------------------------------------------------------------------------


def source_of(ins: Ins) -> int | None:
    """The word that an instruction only copies, if it does."""
    meaning = ins.instruction.main
    read = [word for word in ins.read if word != ZERO]
    plain = meaning.op in (Op.OR, Op.XOR, Op.ADD) and not meaning.lane and len(meaning.args) == 2
    numbers = [x for x, o in zip(ins.operands, ins.instruction.operands, strict=True) if o.kind == "imm"]
    if not plain or len(read) != 1 or any(numbers) or len(ins.instruction.operands) != 3:
        return None
    return read[0] if all(arg.op.value == "operand" for arg in meaning.args) else None


def coalesce(code: Code) -> None:
    """Gives both words of a copy one number where they are never live with different values."""
    copies = ((ins, source_of(ins)) for ins in code.instructions())
    pairs = [(ins.written[0], source) for ins, source in copies if source is not None]
    related = {word for pair in pairs for word in pair} - set(code.constants)
    conflicts = _conflicts(code.blocks, related)
    name: dict[int, int] = {}

    def now(word: int) -> int:
        while word in name:
            word = name[word]
        return word

    for target, source in pairs:
        a, b = now(target), now(source)
        if a == b or not {a, b} <= related or b in conflicts[a]:
            continue
        name[b] = a
        for other in conflicts.pop(b):
            conflicts[other].discard(b)
            conflicts[other].add(a)
            conflicts[a].add(other)
    _rename(code, now)


def _conflicts(blocks: Sequence[Block], related: set[int]) -> dict[int, set[int]]:
    """For each word the others that are live where it is written."""
    found: dict[int, set[int]] = {word: set() for word in related}
    living = live_words(blocks, related)
    for block in blocks:
        live = set(living.end[block.label])
        for ins in reversed(block.body):
            for written in related.intersection(ins.written):
                same = source_of(ins)
                live.discard(written)
                for other in live:
                    if other != same:
                        found[written].add(other)
                        found[other].add(written)
            live.update(word for word in ins.read if word in related)
    return found


def _rename(code: Code, now: object) -> None:
    assert callable(now)
    for block in code.blocks:
        kept = []
        for ins in block.body:
            places = [k for k, o in enumerate(ins.instruction.operands) if o.is_register]
            for k in places:
                ins.operands[k] = now(ins.operands[k])
            if source_of(ins) is None or [source_of(ins)] != ins.written:
                kept.append(ins)
        block.body = kept
