"""Branches whose target is too far for their displacement: replaced by longer ones, or by one around a jump.

beq far   ->   bne next; jmp far; next:
"""

from __future__ import annotations

from finalist.errors import GraphError
from finalist.ir.ops import Op
from finalist.isa.code import Block, Code, Ins
from finalist.isa.target.instruction import Instruction
from finalist.isa.target.meaning import Flow, Term, branch, constant
from finalist.isa.target.processor import Processor


def within_reach(code: Code, processor: Processor) -> None:
    """Changes the code until all branches reach. Raises GraphError where the processor can't."""
    while True:
        at = _addresses(code, processor)
        for number, block in enumerate(code.blocks):
            far = _far(block, at)
            if far is not None:
                _replace(code, number, far, processor)
                break
        else:
            return


def shortened(code: Code, processor: Processor) -> None:
    """Jumps and calls by a distance in place of a whole address, where that reaches and takes no longer."""
    for _ in range(_ROUNDS):
        at, changed = _addresses(code, processor), False
        for block in code.blocks:
            place = at[block.label]
            for ins in block.body:
                place += ins.instruction.bits // processor.word
                shorter = _shorter(ins.instruction, processor)
                if shorter is not None and _reaches(shorter, at[ins.target] - place):
                    ins.instruction, changed = shorter, True
        if not changed:
            return


#: Each makes code shorter, so that more is within reach.
_ROUNDS = 4


def _shorter(one: Instruction, processor: Processor) -> Instruction | None:
    if one.flow is None or not any(o.kind == "place" for o in one.operands):
        return None
    alike = (
        other
        for other in processor.instructions
        if any(o.kind == "target" for o in other.operands)
        and other.cycles <= one.cycles
        and [e.value for e in other.forms[0][1]] == [e.value for e in one.forms[0][1]]
    )
    return min(alike, key=lambda other: other.bits, default=None)


def _addresses(code: Code, processor: Processor) -> dict[str, int]:
    """Where blocks begin, and the end of each, under its label and a slash."""
    at, place = {}, 0
    for block in code.blocks:
        at[block.label] = place
        place += sum(ins.instruction.bits // processor.word for ins in block.body)
        at[block.label + "/"] = place
    return at


def _far(block: Block, at: dict[str, int]) -> Ins | None:
    last = block.body[-1] if block.body else None
    if last is None or not last.target:
        return None
    distance = at[last.target] - at[block.label + "/"]
    return None if _reaches(last.instruction, distance) else last


def _reaches(one: Instruction, distance: int) -> bool:
    bits = next((o.bits for o in one.operands if o.kind == "target"), 0)
    return not bits or -(1 << bits - 1) <= distance < 1 << bits - 1


def _replace(code: Code, number: int, far: Ins, processor: Processor) -> None:
    block, condition = code.blocks[number], _condition(far.instruction)
    longer = _branching(processor, condition, far.instruction.bits + 1)
    if longer is not None:
        block.body[-1] = Ins(longer, _operands(longer, far.target), far.phase)
        return
    around = _branching(processor, _opposite(condition), 0)
    jump = _branching(processor, constant(1), far.instruction.bits + 1)
    if around is None or jump is None:
        raise GraphError(
            f"{processor.name} has no way to {far.target}, which is too far for {far.instruction}"
        )
    following = code.blocks[number + 1].label
    body = [Ins(jump, _operands(jump, far.target), far.phase)]
    block.body[-1] = Ins(around, _operands(around, following), far.phase)
    code.blocks.insert(number + 1, Block(f"{block.label}_far", body, block.depth, block.part))


def _operands(one: Instruction, target: str) -> list[int | str]:
    return [target if o.is_target else 0 for o in one.operands]


def _condition(one: Instruction) -> Term:
    return one.forms[0][1][0].value.args[0]


def _opposite(condition: Term) -> Term:
    if condition.op is Op.XOR and condition.args[1].attr == 1:
        return condition.args[0]
    return condition ^ 1


def _branching(processor: Processor, condition: Term, bits: int) -> Instruction | None:
    """The shortest instruction of at least so many bits that branches under a condition."""
    found = [
        one
        for one in processor.instructions
        if one.flow is Flow.BRANCH and one.bits >= bits and _same(_condition(one), condition)
    ]
    return min(found, key=lambda one: one.bits, default=None)


def _same(a: Term, b: Term) -> bool:
    return branch(a) == branch(b) or (a.op is b.op and a.args == b.args and a.attr == b.attr)
