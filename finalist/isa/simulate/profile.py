"""Where the time goes: the simulator's counts of a program by what instructions do and what they are for.

Published profiles differ in what they count as a table lookup. Three rules:

``work``: everything that a lookup takes: shift, mask, address, access.
``masks``: the same, but masks count as logical operations, and reading the key as a lookup.
``class``: shifts and accesses to memory; masks count as logical, sums of addresses as arithmetic.

In the first the key is read as part of the operation that takes it; accesses to an array that the cipher
changes as it goes are table lookups in all.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from finalist.ir.ops import Op
from finalist.isa.assembly.decoder import Decoded
from finalist.isa.simulate.run import SimulatedProgram

RULES = ("work", "masks", "class")
LOOKUP, ARITHMETIC, LOGICAL, PRODUCT = "table_lookup", "arithmetic", "logical", "multiplication"
FIXED, VARIABLE, OTHER = "fixed_shift_rotate", "variable_rotate", "other"
CATEGORIES = (LOOKUP, ARITHMETIC, LOGICAL, PRODUCT, FIXED, VARIABLE, OTHER)


def profile(program: SimulatedProgram, rule: str) -> Mapping[str, float]:
    """Per cent of the cycles of the work on a block, by category; cycles that wait for a word count for
    products, those that wait for a cache are left out.

    A program of a machine that starts one instruction a cycle is expected: only there do cycles belong to
    instructions.
    """
    counts, code, image = program.sample, program.simulator.code, program.image
    found: Counter[str] = Counter()
    for address, one in code.items():
        if image.parts[address] == "block":
            found[_category(program, address, one, rule)] += counts.executed[address]
    waiting = counts.cycles["block"] - counts.stalls.get("block", 0) - sum(found.values())
    found[PRODUCT] += max(waiting, 0)
    total = sum(found.values())
    return {category: 100 * found[category] / total for category in CATEGORIES}


def _category(program: SimulatedProgram, address: int, one: Decoded, rule: str) -> str:
    note, kind = program.image.notes[address], _kind(one)
    if kind == PRODUCT or note == "product":
        return PRODUCT
    if note in ("data", "spilled") or one.instruction.flow is not None:
        return OTHER
    if kind == ARITHMETIC and one.read[0] == 0 and _taker(program, address, one) == VARIABLE:
        return VARIABLE  # the other direction, for a machine that rotates right only
    if rule == "class":
        memory = kind == LOOKUP or (note == "lookup" and kind == FIXED)
        return LOOKUP if memory else kind
    if _steps(one):
        return OTHER
    if note == "lookup":
        return LOGICAL if rule == "masks" and kind == LOGICAL else LOOKUP
    if kind == LOOKUP and note == "key" and rule == "work":
        return _taker(program, address, one)
    return kind


def _kind(one: Decoded) -> str:
    """What an instruction does."""
    meaning = one.instruction.main
    if one.instruction.effect in ("load", "store", "read", "write"):
        return LOOKUP
    if meaning.op in _SHIFTS:
        return FIXED if len(one.read) < 2 else VARIABLE
    return _KINDS.get(meaning.op, OTHER)


_SHIFTS = frozenset({Op.SHL, Op.SHR, Op.ROR, Op.ROL})
_KINDS: dict[object, str] = {
    **dict.fromkeys((Op.ADD, Op.SUB), ARITHMETIC),
    **dict.fromkeys((Op.AND, Op.OR, Op.XOR, Op.NOT), LOGICAL),
    **dict.fromkeys((Op.MUL, Op.MULHI), PRODUCT),
}


def _steps(one: Decoded) -> bool:
    """Whether a pointer or counter moves on: a number is added to a register in place."""
    sum_ = one.instruction.main.op is Op.ADD
    return sum_ and one.read == one.written


def _taker(program: SimulatedProgram, address: int, one: Decoded) -> str:
    """The category of the next instruction that reads what this one loads."""
    code = program.simulator.code
    for later in (code[place] for place in code if place > address):
        if set(one.written) & set(later.read):
            return _kind(later)
        if later.written == one.written or later.instruction.flow is not None:
            break
    return OTHER
