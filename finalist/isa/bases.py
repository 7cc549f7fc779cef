"""Fixed tables in two blocks of memory, so that two lookups of a cycle never wait for each other.

``LDW *+A5[A7]`` beside ``LDW *+B5[B7]``, both registers with the address of one table -> the register of file
``a`` with the address of a copy that lies in the other block of memory.

(TI's C6201 has two blocks of 32 KB; accesses to different ones never wait. TMS320C6000 Programmer's Guide,
SPRU198.)
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from finalist.ir.ops import Op
from finalist.isa.code import Ins
from finalist.isa.target.meaning import constant, register
from finalist.isa.target.memory import Memory, Place


def copied(
    body: Iterable[Ins],
    held: Collection[tuple[int, str]],
    values: Mapping[int, int],
    memory: Memory,
    blocks: Mapping[str, int],
) -> dict[tuple[int, str], Place]:
    """By word and register file the copies that words have the address of, of fixed tables in ``memory``.

    ``held``: the words that keep what they hold while ``body`` is repeated, by file; ``values``: what they
    hold; ``blocks``: by file where the block of memory begins that its copies go to. A table is copied if
    nothing but lookups by an index reads the word, it lies before that block, and there is room.
    """
    tables = {place.address: place for place in memory.contents}
    instructions = tuple(body)
    found: dict[tuple[int, str], Place] = {}
    for word, file in held:
        table = tables.get(values.get(word, -1))
        if table is not None and file in blocks and _only_looked_up(word, instructions):
            copy = memory.copy(table, blocks[file])
            if copy is not None:
                found[word, file] = copy
    return found


def _only_looked_up(word: int, body: Iterable[Ins]) -> bool:
    """Whether instructions read a word only as where a table begins, of which an index says the entry."""
    return all(_looks_up(word, ins) for ins in body if word in ins.read)


def _looks_up(word: int, ins: Ins) -> bool:
    if ins.instruction.effect != "load" or ins.read.count(word) != 1:
        return False
    operands = zip(ins.instruction.operands, ins.operands, strict=True)
    values = {o.name: register(int(x)) if o.is_register else constant(int(x)) for o, x in operands}
    loads = [effect.value for effect in ins.instruction.effects(values) if effect.value.op is Op.LOAD]
    return all(
        load.args[0].op is Op.ADD and all(part.number is None for part in load.args[0].args) for load in loads
    )
