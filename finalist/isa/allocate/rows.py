"""Bytes of working memory in the order in which straight-line code walks over them, so that it can be a loop
(`finalist.isa.shrink.reroll`).

lda 1328; eor *64; sta *97; lda 1329; eor *65; sta *81   ->   ...; sta *80; ...; sta *81

Which byte a colour of words is does not matter otherwise: colours that no block of data has are renumbered,
by paths of what is wanted to lie side by side (as D. Liao and others, "Storage Assignment to Decrease Code
Size", 1996).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set

from finalist.ir.graph import Node, every_node, origin
from finalist.ir.ops import Op
from finalist.ir.program import Program
from finalist.ir.types import ArrayType
from finalist.isa.code import Block, Cell, Ins
from finalist.isa.target.memory import Memory, Place

#: Instructions of an iteration, at the most.
_LONGEST = 8

Wish = tuple[int, int]


def in_a_row(blocks: Sequence[Block], fixed: Set[int], direct: int) -> dict[int, int]:
    """For bytes with short addresses what they are from now on; those of the ``fixed`` stay."""
    used = {int(x) for block in blocks for ins in block.body for x in ins.operands if isinstance(x, Cell)}
    movable = {home for home in used if home < direct and home not in fixed}
    wishes: Counter[Wish] = Counter()
    for block in blocks:
        for length in range(1, _LONGEST + 1):
            wishes.update(_wishes_of(block.body, length, fixed))
    paths = _paths({wish: n for wish, n in wishes.items() if set(wish) <= movable}, movable)
    free = (home for home in range(direct) if home not in fixed)
    return {home: next(free) for path in paths for home in path}


def _wishes_of(body: Sequence[Ins], length: int, fixed: Set[int]) -> Iterator[Wish]:
    """Bytes of which the second should lie behind the first: two pieces of code are the same, but that one
    names what lies a byte further on, or other words. Of pieces of so many instructions that stand one behind
    the other; ``fixed``: words that have their bytes."""
    unlike = moved = -1  # where that was last, of the pairs of an instruction and the one that far on
    told = 0
    for place, (a, b) in enumerate(zip(body, body[length:], strict=False)):
        moves = _moves(a, b, fixed)
        if moves is None:
            unlike = place
        elif moves:
            moved = place
        start = place - length + 1
        if start >= 0 and unlike < start <= moved:
            for k in range(max(start, told), place + 1):
                yield from _apart(body[k], body[length + k])
            told = place + 1


def _apart(a: Ins, b: Ins) -> list[Wish]:
    """The bytes that two instructions name where these differ: the last one of each."""
    pairs = zip(a.operands, b.operands, strict=True)
    return [(int(x), int(y)) for x, y in pairs if isinstance(x, Cell) and isinstance(y, Cell) and x != y][-1:]


def _moves(a: Ins, b: Ins, fixed: Set[int]) -> bool | None:
    """Whether one instruction names an address a byte further on; None where they are not alike."""
    if a.instruction is not b.instruction or a.instruction.flow is not None:
        return None
    moved = False
    for x, y in zip(a.operands, b.operands, strict=True):
        if isinstance(x, Cell) and isinstance(y, Cell):
            moved |= x in fixed and y in fixed and y == x + 1
            continue
        if x != y and not (isinstance(x, int) and isinstance(y, int) and y == x + 1):
            return None
        moved |= x != y
    return moved


def _paths(wishes: dict[Wish, int], homes: Set[int]) -> list[list[int]]:
    """All bytes in paths, along the wishes that most have; the longest path first."""
    path_of = {home: [home] for home in homes}
    for first, second in sorted(wishes, key=lambda wish: (-wishes[wish], wish)):
        a, b = path_of[first], path_of[second]
        if a is not b and a[-1] == first and b[0] == second:
            a.extend(b)
            path_of.update(dict.fromkeys(b, a))
    paths = {id(path): path for path in path_of.values()}
    return sorted(paths.values(), key=lambda path: (-len(path), path))


_BYTE, _PARTS = 8, 4


def read_as_a_whole(programs: Iterable[Program], width: int) -> set[str]:
    """The arrays of the key that are read at indices which depend on data."""
    found = set()
    for p in programs:
        own = dict(zip(p.key_params, p.key_names, strict=True))
        own |= dict(zip(map(origin, p.expand.results), p.key_names, strict=True))
        for node in (*every_node(p.kernel), *every_node(p.expand)):
            read = node.op in (Op.LOAD, Op.STORE) and node.inputs[1].op is not Op.CONST
            if read and node.inputs[1].width <= width:
                found.add(own.get(origin(node.inputs[0]), ""))
    return found


def steps_of(program: Program, width: int) -> dict[Node, int]:
    """Bytes from one entry to the next of the arrays of the key that will lie side by side, by the kernel's
    parameter and by the array that the key schedule fills: as `placed` has them in any memory."""
    types = dict(zip(program.key_names, program.key_types, strict=True))
    places = placed(Memory(), types, read_as_a_whole([program], width))
    filled = map(origin, program.expand.results)
    found: dict[Node, int] = {}
    for place, *arrays in zip(places, program.key_params, filled, strict=True):
        if place.apart:
            found.update(dict.fromkeys(arrays, place.step))
    return found


def placed(memory: Memory, types: Mapping[str, ArrayType], whole: Set[str]) -> list[Place]:
    """Places for the arrays of the key: of words in parts, ``name_0`` and so on, those side by side that are
    not read as a ``whole``."""
    found: dict[str, Place] = {}
    for name, type_ in types.items():
        stem, line, number = name.rpartition("_")
        parts = [f"{stem}_{k}" for k in range(_PARTS)]
        alike = all(types.get(part) == type_ and part not in whole for part in parts)
        if line and number == "0" and type_.width == _BYTE and alike:
            found.update(zip(parts, memory.interleaved(parts, type_), strict=True))
        elif name not in found:
            found[name] = memory.array(name, type_)
    return [found[name] for name in types]
