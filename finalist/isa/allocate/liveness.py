"""Which words are alive where, and copies that need not be made."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from finalist.ir.ops import Op
from finalist.isa.code import ZERO, Block, Code, Ins, successors


@dataclass(frozen=True, slots=True)
class Alive:
    """For each block, by label, the words alive at its start and at its end."""

    start: dict[str, set[int]]
    end: dict[str, set[int]]


def alive(blocks: Sequence[Block], wanted: set[int] | None = None) -> Alive:
    """Solves the equations of liveness; ``wanted``: the only words of interest, or all."""
    nexts = successors(blocks)
    needs: dict[str, set[int]] = {}
    makes: dict[str, set[int]] = {}
    for block in blocks:
        needs[block.label], makes[block.label] = _needs_and_makes(block, wanted)
    start = {label: set(words) for label, words in needs.items()}
    end: dict[str, set[int]] = {block.label: set() for block in blocks}
    changed = True
    while changed:
        changed = False
        for block in reversed(blocks):
            label = block.label
            out = set().union(*(start[after] for after in nexts[label]))
            if out != end[label]:
                end[label] = out
                start[label] = needs[label] | out - makes[label]
                changed = True
    return Alive(start, end)


def _needs_and_makes(block: Block, wanted: set[int] | None) -> tuple[set[int], set[int]]:
    needs: set[int] = set()
    made: set[int] = set()
    for ins in block.body:
        needs.update(word for word in ins.read if word not in made)
        made.update(ins.written)
    needs.discard(ZERO)
    return (needs, made) if wanted is None else (needs & wanted, made & wanted)


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
    """Gives both words of a copy one number where they are never alive with different values."""
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
    """For each word the others that are alive where it is written."""
    found: dict[int, set[int]] = {word: set() for word in related}
    living = alive(blocks, related)
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
