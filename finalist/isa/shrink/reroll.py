"""Loop rerolling: straight-line code that walks over memory becomes a loop (as LLVM's pass of that name).

lda *64; eor 1328; sta *64; lda *65; eor 1329; sta *65; ...   ->   ldx #15
                                                                    loop: lda 64,x; eor 1328,x; sta 64,x
                                                                    decx; bpl loop
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from finalist.ir.ops import Op
from finalist.isa.allocate.tidy import Location, live_after, live_at_ends, reads, writes
from finalist.isa.code import Block, Code, Ins
from finalist.isa.shrink.outline import executions
from finalist.isa.target.instruction import Instruction
from finalist.isa.target.meaning import Leaf, Term
from finalist.isa.target.processor import Counting, Processor

#: Instructions of an iteration at the most; iterations at least, and at the most.
_LONGEST, _FEWEST, _MOST = 8, 3, 128


@dataclass(frozen=True, slots=True)
class _Iterations:
    """``count`` pieces of ``length`` instructions from ``start`` on, one like the other."""

    start: int
    length: int
    count: int
    saved: int
    cycles: int


def reroll(code: Code, processor: Processor, worth: int) -> None:
    """Changes the blocks, wherever that saves bytes at no more than so many cycles a block for each."""
    counting = processor.counting
    if counting is None:
        return
    number = 0
    while number < len(code.blocks):
        block = code.blocks[number]
        live = live_after(block, live_at_ends(code.blocks)[block.label])
        often = executions(code)[block.label]
        found = (
            t for t in _candidates(block, live, processor, counting) if t.cycles * often <= worth * t.saved
        )
        best = max(found, key=lambda t: t.saved, default=None)
        if best is None:
            number += 1
        else:
            code.blocks[number : number + 1] = _rolled(block, best, processor, counting)


def _candidates(
    block: Block, live: Sequence[set[Location]], processor: Processor, counting: Counting
) -> Iterator[_Iterations]:
    body = block.body
    for start in range(len(body)):
        for length in range(1, _LONGEST + 1):
            count = _alike(body, start, length)
            if count < _FEWEST or not _closed(body[start : start + length], counting):
                continue
            changed = {file for ins in body[start : start + length] for file in writes(ins)} | {counting.file}
            changed |= {file for file, known in processor.files.items() if known.status}
            if live[start + length * count - 1] & changed or not _apart(body, start, length, count):
                continue
            pieces = body[start : start + length * count]
            iteration = [_moving(ins, other, processor) for ins, other in _pairs(body, start, length)]
            if any(one is None for one in iteration):
                continue
            saved = sum(ins.instruction.bits for ins in pieces) - counting.bits
            saved -= sum(one.bits for one in iteration if one)
            cycles = count * (sum(one.cycles for one in iteration if one) + counting.cycles)
            cycles -= sum(ins.instruction.cycles for ins in pieces)
            if saved > 0:
                yield _Iterations(start, length, count, saved // processor.word, cycles)


def _pairs(body: Sequence[Ins], start: int, length: int) -> Iterator[tuple[Ins, Ins]]:
    return zip(body[start : start + length], body[start + length : start + 2 * length], strict=True)


def _alike(body: Sequence[Ins], start: int, length: int) -> int:
    """How many pieces are alike, each naming what lies a byte behind what the one before does."""
    count, known = 1, [False]
    while count < _MOST and start + length * (count + 1) <= len(body):
        here = body[start + length * count : start + length * (count + 1)]
        moves = [_distance(a, b, count) for a, b in zip(body[start : start + length], here, strict=True)]
        if any(move is None for move in moves) or not any(moves):
            break
        if count > 1 and [bool(m) for m in moves] != known:
            break
        known = [bool(m) for m in moves]
        count += 1
    return count


def _distance(a: Ins, b: Ins, iterations: int) -> int | None:
    """0 or 1: bytes an iteration from what one instruction names to what another does; else None."""
    if a.instruction is not b.instruction or a.instruction.flow is not None:
        return None
    moved = [int(y) - int(x) for x, y in zip(a.operands, b.operands, strict=True)]
    if not any(moved):
        return 0
    place = _address(a.instruction)
    by_one = [iterations * (k == place) for k in range(len(moved))]
    return 1 if place is not None and moved == by_one else None


@cache
def _address(one: Instruction) -> int | None:
    """The operand that is the address of what an instruction reads or writes, if it has one."""
    names = {place.attr for e in one.forms[0][1] for place in _places(e.value) if place.op is Leaf.OPERAND}
    found = [k for k, o in enumerate(one.operands) if o.name in names]
    return found[0] if len(found) == 1 else None


def _places(meaning: Term) -> Iterator[Term]:
    if meaning.op in (Op.LOAD, Op.STORE):
        yield meaning.args[0]
    for arg in meaning.args:
        yield from _places(arg)


def _closed(iteration: Sequence[Ins], counting: Counting) -> bool:
    """Whether a piece needs nothing in registers, and leaves the one that counts alone."""
    known: set[Location] = set()
    for ins in iteration:
        if counting.file in (*reads(ins), *writes(ins)) or not set(reads(ins)) <= known:
            return False
        known.update(writes(ins))
    return True


def _apart(body: Sequence[Ins], start: int, length: int, count: int) -> bool:
    """Whether no piece writes what another one reads or writes."""
    written: list[set[int]] = []
    touched: list[set[int]] = []
    for k in range(count):
        piece = body[start + length * k : start + length * (k + 1)]
        named = [(ins, _address(ins.instruction)) for ins in piece]
        places = [(ins, int(ins.operands[place])) for ins, place in named if place is not None]
        touched.append({where for _, where in places})
        written.append({where for ins, where in places if ins.instruction.effect == "store"})
    return not any(written[k] & touched[m] for k in range(count) for m in range(count) if k != m)


def _moving(ins: Ins, other: Ins, processor: Processor) -> Instruction | None:
    """The instruction with an index added to its address, if that moves."""
    place = _address(ins.instruction)
    if ins.operands == other.operands or place is None:
        return ins.instruction
    return _indexed(ins.instruction, int(ins.operands[place]), processor)


def _indexed(one: Instruction, address: int, processor: Processor) -> Instruction | None:
    assert processor.counting is not None
    file = processor.counting.file
    wanted = [_with_index(e.value, file, processor.width) for e in one.forms[0][1]]
    fits = (
        other
        for other in processor.by_name[one.name]
        if [e.value for e in other.forms[0][1]] == wanted
        and all(o.accepts(address) for o in other.operands if o.kind == "imm")
    )
    return min(fits, key=lambda other: other.bits, default=None)


def _with_index(meaning: Term, file: str, width: int) -> Term:
    """A meaning with an index added to each address."""
    args = tuple(_with_index(arg, file, width) for arg in meaning.args)
    if meaning.op in (Op.LOAD, Op.STORE) and args[0].op is Leaf.OPERAND:
        args = (Term(Leaf.OPERAND, attr=file).extend(2 * width) + args[0], *args[1:])
    width_ = None if meaning.op is Op.STORE else meaning.width  # that of a store is of its address
    return Term(meaning.op, args, meaning.attr, meaning.lane, width_)


def _rolled(block: Block, found: _Iterations, processor: Processor, counting: Counting) -> list[Block]:
    start, end = found.start, found.start + found.length * found.count
    body = block.body
    label = f"{block.label}_t{start}"
    first = Ins(counting.set, [found.count - 1 if o.kind == "imm" else 0 for o in counting.set.operands])
    inner = []
    for ins, other in _pairs(body, start, found.length):
        one = _moving(ins, other, processor)
        assert one is not None
        values = ins.values
        inner.append(Ins(one, [values.get(o.name, 0) for o in one.operands], ins.phase, ins.note))
    inner.append(Ins(counting.down, [0] * len(counting.down.operands)))
    again = counting.again
    inner.append(Ins(again, [label if o.is_target else 0 for o in again.operands]))
    head = Block(block.label, [*body[:start], first], block.depth, block.part, block.comment, block.entry)
    loop = Block(label, inner, block.depth + 1, block.part, trips=found.count)
    return [head, loop, Block(f"{label}_end", body[end:], block.depth, block.part)]
