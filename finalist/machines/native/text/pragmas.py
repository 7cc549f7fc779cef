"""What gcc is told in a text itself, without which it makes slower code of it; of clang nothing is known."""

from __future__ import annotations

from finalist.machines.native.shape import Shape

#: The text has the vectors that it wants; what compilers make of the rest is slower.
_NO_VECTORS = "no-tree-vectorize"
#: Where more values are alive than there are registers, gcc spills fewer with this.
_CROWDED = "live-range-shrinkage"
#: With AVX-512 gcc keeps what it has no register for in those of vectors, which takes longer than memory:
#: code with sixteen bytes in variables took 652 cycles in place of 405. Instructions for whole blocks are
#: called through functions of a header, which are of another target then.
_SCALAR = """\
#if defined(__AVX512F__)
#pragma GCC target("no-avx512f")
#endif
"""


def crowded(shape: Shape) -> bool:
    """Whether more values are alive in a kernel than there are registers."""
    return shape.planes > 1 or shape.sliced or shape.slotted


def pragmas(shape: Shape) -> str:
    """The lines, to stand before everything that is compiled."""
    optimise = ", ".join(f'"{one}"' for one in (_NO_VECTORS, *([_CROWDED] if crowded(shape) else [])))
    return (
        "/* Without these gcc makes slower code. */\n"
        f"#if defined(__GNUC__) && !defined(__clang__)\n#pragma GCC optimize({optimise})\n"
        f"{_SCALAR if shape.lanes == 1 and not shape.registers else ''}#endif\n"
    )
