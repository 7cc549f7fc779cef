"""All passes in their order: from a traced program to one that a software machine can emit."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from finalist.ir.program import Program
from finalist.passes import complements, gather, hoist, keying, linear, pack, regions, simplify
from finalist.passes.bitslice import keys
from finalist.passes.circuits import lower as circuits
from finalist.passes.fuse import Fuser

Pass = Callable[[Program], Program]
#: Bits of the widest entries of tables in the key schedule of a kernel on bits.
_FUSED_KEYS = 32


def passes(fuse: int, keying_depth: str) -> list[tuple[str, Pass]]:
    """The passes by name, in order.

    ``fuse``: widest table entry, in bits, that a linear map is merged into (0: none).
    ``keying_depth``: one of `keying.KEYING`.
    """
    fuser = Fuser(fuse)
    return [
        ("simplify", simplify.run),
        ("pack", pack.run),
        ("regions", regions.run if fuse else simplify.run),
        ("keying", lambda p: keying.before_fusing(p, keying_depth)),
        ("fuse", lambda p: p.with_graphs(p.expand, fuser.run(p.kernel))),
        ("tabulate", keying.tabulated),
        ("pack again", pack.run),
        ("gather", gather.run),
        ("hoist", hoist.run),
        ("fuse the key schedule", lambda p: p.with_graphs(fuser.run(p.expand), p.kernel)),
        ("pack the key schedule", pack.run),
        ("linear", linear.run),
        ("circuits", circuits.run),
        ("complements", complements.run),
        ("hoist complements", hoist.run),
    ]


def word_passes() -> list[tuple[str, Pass]]:
    """The passes before a kernel is put on single bits: nothing fused or tabulated but in the key schedule."""
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


def key_bit_passes(*, moved: bool) -> list[tuple[str, Pass]]:
    """The passes after that: reads of the key's bits, with complements ``moved`` there if that is wanted."""
    passes: list[tuple[str, Pass]] = [("complements", complements.run)] if moved else []
    return [*passes, ("keys", keys.run)]


def default_fuse(program: Program) -> int | None:
    """Bits of the widest table entry where none is asked for: as its linear maps have; None without any."""
    widest = regions.widest(program)
    return next((bits for bits in (32, 64) if 0 < widest <= bits), None)


def stages(program: Program, fuse: int, keying_depth: str) -> Iterator[tuple[str, Program]]:
    """The program after each pass."""
    for name, step in passes(fuse, keying_depth):
        program = step(program)
        yield name, program


def lower(program: Program, fuse: int = 32, keying_depth: str = "full") -> Program:
    """The program after all passes."""
    for _, step in passes(fuse, keying_depth):
        program = step(program)
    return program
