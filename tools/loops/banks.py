"""Memory in blocks, each of which answers one access a cycle: loops that access no block twice in one.

(TI's C6201 has two blocks of 32 KB; accesses to different ones never wait. TMS320C6000 Programmer's Guide,
SPRU198.)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from finalist.isa.schedule.modulo.problem import Problem


def separated(problem: Problem, blocks: Mapping[int, int]) -> Problem:
    """The loop with a unit for each block of memory. ``blocks``: by operation the block that it accesses."""
    operations = list(problem.operations)
    for number, block in blocks.items():
        one = operations[number]
        choices = tuple(replace(c, resources=(*c.resources, f"block {block}")) for c in one.choices)
        operations[number] = replace(one, choices=choices)
    units = {**problem.units, **{f"block {block}": 1 for block in blocks.values()}}
    return replace(problem, operations=tuple(operations), units=units)


def in_two(accesses: Sequence[tuple[object, bool]]) -> list[int]:
    """A block for each access, of two: by array, and whether an index says where.

    Arrays with an index go to the first, twice the second, twice the first, and so on, in the order in which
    they are accessed; of one at known places the first half of the accesses are to the first block.
    """
    indexed = list(dict.fromkeys(array for array, by_index in accesses if by_index))
    known = [k for k, (_, by_index) in enumerate(accesses) if not by_index]
    return [
        (indexed.index(array) + 1) // 2 % 2 if by_index else int(2 * known.index(k) >= len(known))
        for k, (array, by_index) in enumerate(accesses)
    ]
