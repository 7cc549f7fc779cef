"""The passes that machines share, in their order: from a traced program to one that a machine can lay out."""

from __future__ import annotations

from collections.abc import Callable

from finalist.ir.graph import Node
from finalist.ir.program import Program
from finalist.passes import (
    byte_xors,
    complements,
    fuse,
    gather,
    hoist,
    keying,
    linear,
    linear_forms,
    pack,
    simplify,
    subkeys,
)
from finalist.passes.bitslice import keys as key_bits
from finalist.passes.circuits import lower as circuits
from finalist.passes.driver import Pass, Plan, on_kernel, on_keys, run, when, whole
from finalist.passes.fuse import Fuser
from finalist.passes.lanes import maps, nibbles
from finalist.passes.matching import kernel, keys, lookups
from finalist.passes.matching.normal import InstructionSet
from finalist.passes.rounds.roll import rolled

#: Bits of the widest entries of tables in the key schedule of a kernel on bits.
_FUSED_KEYS = 32

SIMPLIFY = whole("simplify", simplify.run)
SIMPLIFY_AGAIN = whole("simplify again", simplify.run)
PACK = whole("pack", pack.run)
HOIST = whole("hoist", hoist.run)
LINEAR = whole("linear", linear.run)
#: No keyed function is tabulated.
ZERO_KEYING = whole("keying", keying.before_fusing, "zero")
LINEAR_KEYS = on_keys("linear in the key schedule", linear.lowered)
SUBKEYS = whole("subkeys", subkeys.computed)
#: But for what all rounds take.
SINGLE_SUBKEYS = whole("subkeys", subkeys.computed, shared=False)


def rounds_as_loop(rounds: int | None) -> Pass:
    """Rounds of the kernel as the iterations of a loop, so many in each, or as many as is best."""
    return on_kernel("rounds as a loop", rolled, rounds)


def passes(
    fuse: int,
    keying_depth: str,
    instructions: InstructionSet | None = None,
    *,
    ternary: bool = False,
    shallow: bool = False,
    legal: Callable[[Node], bool] = linear.no_legal_maps,
    key_fuse: int | None = None,
    alone: bool = False,
) -> Plan:
    """The plan for words as wide as the definition has them, or a machine.

    ``fuse``: widest table entry, in bits, that a linear map is merged into (0: none).
    ``keying_depth``: one of `keying.KEYING`. ``instructions``: those that the kernel is to be made of;
    there are no tables and keyed functions then. Their pass raises MatchError where it can't be.
    ``ternary``: whether the kernel's circuits may have gates of three inputs; ``shallow``: whether these are
    to be few one after the other. ``legal``: the linear maps that the machine has. ``key_fuse``: as ``fuse``,
    for the key schedule, if that is another. ``alone``: as `Fuser` has it.
    """
    if instructions is not None:
        return _matching(instructions)
    fuser = Fuser(fuse, alone)
    return (
        SIMPLIFY,
        PACK,
        *_fused(fuser, keying_depth),
        *when(alone and fuse >= byte_xors.WORD, *_on_words(fuser)),
        whole("pack again", pack.run),
        whole("gather", gather.run),
        HOIST,
        _fused_keys(fuser, key_fuse),
        whole("pack the key schedule", pack.run),
        whole("linear", linear.run, legal),
        *_circuits(ternary, shallow),
    )


def narrow_passes(fuse: int, keying_depth: str, *, by_permute: bool, ternary: bool = False) -> Plan:
    """The plan for a kernel in lanes of 8 or 16 bits: nothing is packed to wider words in it.

    ``by_permute``: whether tables are read by permutes; then linear maps of one word are left to the machine.
    """
    fuser = Fuser(fuse)
    return (
        SIMPLIFY,
        *_fused(fuser, keying_depth),
        whole("nibbles", nibbles.run) if by_permute else SIMPLIFY_AGAIN,
        whole("maps", maps.run),
        HOIST,
        *_key_schedule(fuser),
        *when(not by_permute, on_kernel("linear", linear.lowered)),
        *_circuits(ternary),
    )


def word_passes() -> Plan:
    """The plan before a kernel is put on single bits: only the key schedule has fused tables."""
    return (SIMPLIFY, ZERO_KEYING, HOIST, *key_schedule_passes())


def byte_passes() -> Plan:
    """The plan before a kernel is put on the bits of bytes side by side."""
    return (SIMPLIFY, ZERO_KEYING, on_kernel("regions", linear_forms.found))


def key_schedule_passes() -> Plan:
    """The plan for the key schedule of a kernel that needs no more passes."""
    return (
        *_key_schedule(Fuser(_FUSED_KEYS)),
        on_keys("circuits in the key schedule", circuits.with_circuits),
    )


def key_bit_passes(*, moved: bool) -> Plan:
    """The plan after that: reads of the key's bits, with complements ``moved`` there if that is wanted."""
    return (*when(moved, whole("complements", complements.run)), whole("bits of the key", key_bits.run))


def _fused(fuser: Fuser, keying_depth: str) -> Plan:
    """Keyed functions and linear maps of the kernel become tables."""
    return (
        whole("regions", linear_forms.run) if fuser.width else SIMPLIFY_AGAIN,
        whole("keying", keying.before_fusing, keying_depth),
        whole("fuse", fuse.run, fuser),
        whole("tabulate", keying.tabulated),
    )


def _on_words(fuser: Fuser) -> Plan:
    """XORs of looked-up bytes become XORs of words, and the lookups those of wider tables."""
    return whole("XORs of bytes", byte_xors.run), whole("fuse words", fuse.run, fuser)


def _fused_keys(fuser: Fuser, width: int | None = None) -> Pass:
    return on_keys("fuse the key schedule", fuse.fused, fuser, width)


def _key_schedule(fuser: Fuser) -> Plan:
    """What the key schedule alone goes through, after `HOIST`."""
    return (_fused_keys(fuser), on_keys("pack the key schedule", pack.packed), LINEAR_KEYS)


def _circuits(ternary: bool, shallow: bool = False) -> Plan:
    """Bitsliced tables as gates, and what that leaves to move into the key schedule."""
    return (
        whole("circuits", circuits.run, ternary=ternary, shallow=shallow),
        whole("complements", complements.run),
        whole("hoist complements", hoist.run),
    )


def _matching(instructions: InstructionSet) -> Plan:
    return (
        SIMPLIFY,
        whole("match", kernel.run, instructions),
        HOIST,
        whole("pack the key schedule", pack.to_the_end),
        whole("match the key schedule", keys.run, instructions),
        whole("match lookups", lookups.run, instructions),
        whole("pack it again", pack.to_the_end),
        LINEAR,
        whole("circuits", circuits.run),
    )


def default_fuse(program: Program) -> int | None:
    """Bits of the widest table entry where none is asked for: as its linear maps have; None without any."""
    widest = linear_forms.widest(program)
    return next((bits for bits in (32, 64) if 0 < widest <= bits), None)


def lower(
    program: Program,
    fuse: int = 32,
    keying_depth: str = "full",
    instructions: InstructionSet | None = None,
    *,
    ternary: bool = False,
) -> Program:
    """The program after all `passes`."""
    return run(program, passes(fuse, keying_depth, instructions, ternary=ternary))
