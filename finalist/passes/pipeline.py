"""All passes in their order: from a traced program to one that a software machine can emit."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

from finalist.ir.program import Program
from finalist.passes import complements, gather, hoist, keying, linear, pack, regions, simplify
from finalist.passes.bitslice import keys as key_bits
from finalist.passes.circuits import lower as circuits
from finalist.passes.fuse import Fuser
from finalist.passes.lanes import maps, nibbles
from finalist.passes.matching import kernel, keys, lookups
from finalist.passes.matching.normal import InstructionSet

Pass = Callable[[Program], Program]
#: Bits of the widest entries of tables in the key schedule of a kernel on bits.
_FUSED_KEYS = 32


def passes(
    fuse: int,
    keying_depth: str,
    instructions: InstructionSet | None = None,
    *,
    ternary: bool = False,
) -> list[tuple[str, Pass]]:
    """The passes by name, in order.

    ``fuse``: widest table entry, in bits, that a linear map is merged into (0: none).
    ``keying_depth``: one of `keying.KEYING`. ``instructions``: those that the kernel is to be made of;
    there are no tables and keyed functions then. Their pass raises MatchError where it can't be.
    ``ternary``: whether the kernel's circuits may have gates of three inputs.
    """
    if instructions is not None:
        return _matching(instructions)
    fuser = Fuser(fuse)
    return [
        ("simplify", simplify.run),
        ("pack", pack.run),
        ("regions", regions.run if fuse else simplify.run),
        ("keying", lambda p: keying.before_fusing(p, keying_depth)),
        ("fuse", fuser.run_kernel),
        ("tabulate", keying.tabulated),
        ("pack again", pack.run),
        ("gather", gather.run),
        ("hoist", hoist.run),
        ("fuse the key schedule", lambda p: p.with_graphs(fuser.run(p.expand), p.kernel)),
        ("pack the key schedule", pack.run),
        ("linear", linear.run),
        ("circuits", partial(circuits.run, ternary=ternary)),
        ("complements", complements.run),
        ("hoist complements", hoist.run),
    ]


def narrow_passes(
    fuse: int, keying_depth: str, *, by_permute: bool, ternary: bool = False
) -> list[tuple[str, Pass]]:
    """The passes for a kernel in lanes of 8 or 16 bits: nothing is packed to wider words in it.

    ``by_permute``: whether tables are read by permutes; then linear maps of one word are left to the machine.
    """
    fuser = Fuser(fuse)
    return [
        ("simplify", simplify.run),
        ("regions", regions.run if fuse else simplify.run),
        ("keying", lambda p: keying.before_fusing(p, keying_depth)),
        ("fuse", fuser.run_kernel),
        ("tabulate", keying.tabulated),
        ("nibbles", nibbles.run if by_permute else simplify.run),
        ("maps", maps.run),
        ("hoist", hoist.run),
        ("fuse the key schedule", lambda p: p.with_graphs(fuser.run(p.expand), p.kernel)),
        ("pack the key schedule", lambda p: p.with_graphs(pack.packed(p.expand), p.kernel)),
        ("linear", _linear_key_schedule if by_permute else linear.run),
        ("circuits", partial(circuits.run, ternary=ternary)),
        ("complements", complements.run),
        ("hoist complements", hoist.run),
    ]


def _linear_key_schedule(program: Program) -> Program:
    return program.with_graphs(linear.lowered(program.expand), program.kernel)


def _matching(instructions: InstructionSet) -> list[tuple[str, Pass]]:
    return [
        ("simplify", simplify.run),
        ("match", lambda p: kernel.run(p, instructions)),
        ("hoist", hoist.run),
        ("pack the key schedule", _packed_whole),
        ("match the key schedule", lambda p: keys.run(p, instructions)),
        ("match lookups", lambda p: lookups.run(p, instructions)),
        ("pack it again", _packed_whole),
        ("linear", linear.run),
        ("circuits", circuits.run),
    ]


def _packed_whole(program: Program) -> Program:
    """Packed until nothing more comes of it: words that have been packed lead to others."""
    size = None
    while size != len(program.expand.body):
        size = len(program.expand.body)
        program = pack.run(program)
    return program


def word_passes() -> list[tuple[str, Pass]]:
    """The passes before a kernel is put on single bits: only the key schedule has fused tables."""
    fuser = Fuser(_FUSED_KEYS)
    return [
        ("simplify", simplify.run),
        ("keying", lambda p: keying.before_fusing(p, "zero")),
        ("hoist", hoist.run),
        ("fuse the key schedule", lambda p: p.with_graphs(fuser.run(p.expand), p.kernel)),
        ("pack the key schedule", lambda p: p.with_graphs(pack.packed(p.expand), p.kernel)),
        ("linear", lambda p: p.with_graphs(linear.lowered(p.expand), p.kernel)),
        ("circuits", lambda p: p.with_graphs(circuits.with_circuits(p.expand), p.kernel)),
    ]


def byte_passes() -> list[tuple[str, Pass]]:
    """The passes before a kernel is put on the bits of bytes side by side."""
    return [
        ("simplify", simplify.run),
        ("keying", lambda p: keying.before_fusing(p, "zero")),
        ("regions", lambda p: p.with_graphs(p.expand, regions.found(p.kernel))),
    ]


def key_schedule_passes() -> list[tuple[str, Pass]]:
    """The passes for the key schedule of a kernel that needs no more of them."""
    return word_passes()[3:]


def key_bit_passes(*, moved: bool) -> list[tuple[str, Pass]]:
    """The passes after that: reads of the key's bits, with complements ``moved`` there if that is wanted."""
    passes: list[tuple[str, Pass]] = [("complements", complements.run)] if moved else []
    return [*passes, ("keys", key_bits.run)]


def default_fuse(program: Program) -> int | None:
    """Bits of the widest table entry where none is asked for: as its linear maps have; None without any."""
    widest = regions.widest(program)
    return next((bits for bits in (32, 64) if 0 < widest <= bits), None)


def stages(
    program: Program, fuse: int, keying_depth: str, instructions: InstructionSet | None = None
) -> Iterator[tuple[str, Program]]:
    """The program after each pass."""
    for name, step in passes(fuse, keying_depth, instructions):
        program = step(program)
        yield name, program


def lower(
    program: Program,
    fuse: int = 32,
    keying_depth: str = "full",
    instructions: InstructionSet | None = None,
    *,
    ternary: bool = False,
) -> Program:
    """The program after all passes."""
    return _through(program, passes(fuse, keying_depth, instructions, ternary=ternary))


def lower_narrow(
    program: Program,
    fuse: int = 0,
    keying_depth: str = "full",
    *,
    by_permute: bool = True,
    ternary: bool = False,
) -> Program:
    """The program after all `narrow_passes`."""
    return _through(program, narrow_passes(fuse, keying_depth, by_permute=by_permute, ternary=ternary))


def _through(program: Program, steps: list[tuple[str, Pass]]) -> Program:
    for _, step in steps:
        program = step(program)
    return program
