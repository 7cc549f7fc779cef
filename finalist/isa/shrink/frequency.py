"""How often code is executed, about: what makes it smaller must not cost too much where that is often."""

from __future__ import annotations

from finalist.isa.code import Block, Code
from finalist.isa.shrink.calls import routines
from finalist.isa.target.meaning import Flow

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
