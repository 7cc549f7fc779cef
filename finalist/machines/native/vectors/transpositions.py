"""Bit permutations that transpose a matrix of 8 rows of 8 bits: one `gf2p8affineqb` where a CPU has GFNI.

Five exchanges of bits, as DES's initial permutation takes -> ``transposed(x)``.

That instruction (Intel, Intrinsics Guide: GF2P8AFFINEQB) multiplies each byte of one operand by a matrix of
bits, the other. Where the bytes are the rows of the identity, in some order, and the word is the matrix, the
products are its columns: bit j of byte i of the result is a bit of the word's byte 7 - j, by i alone. A
shuffle of the word's bytes before it gives all permutations in which the byte that a bit comes from depends
on j alone, and its index there on i alone: the initial permutation of DES and its inverse, the permutation
between the S-boxes of LOKI97.

Without GFNI they are exchanges of bits (`finalist.passes.wiring.network`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from finalist.ir.builder import mask
from finalist.ir.graph import Matrix, Node
from finalist.ir.ops import Op
from finalist.passes import wiring

#: Bits of the word.
WORD = 64
#: What the name of a function on vectors ends in.
ON_LANES = "_lanes"

_TYPES = """
/* A word as a matrix of eight rows of eight bits that is transposed, rows and columns in some order. */
#if defined(__GFNI__) && defined(__SSSE3__) && defined(__x86_64__)
typedef uint64_t bit_matrix __attribute__((vector_size(16)));
typedef char matrix_rows __attribute__((vector_size(16)));
#if defined(__clang__)
#define with_rows(x, ...) __builtin_shufflevector((matrix_rows)(x), (matrix_rows)(x), __VA_ARGS__)
#else
#define with_rows(x, ...) __builtin_shuffle((matrix_rows)(x), (matrix_rows){__VA_ARGS__})
#endif
#endif
"""
# By the compilers' own name: what `immintrin.h` has may be of another target than this text.
_WORD = """
static inline uint64_t {name}(uint64_t x)
{{
#if defined(__GFNI__) && defined(__SSSE3__) && defined(__x86_64__)
    const bit_matrix word = {{x, 0}}, columns = {{{columns}, 0}};
    const matrix_rows rows = {rows};
    return ((bit_matrix)__builtin_ia32_vgf2p8affineqb_v16qi((matrix_rows)columns, rows, 0))[0];
#else
{swaps}
    return x;
#endif
}}
"""
_VECTORS = """
#if {size} == 64 && defined(__GFNI__) && defined(__AVX512BW__)
#define vec_columns(c, x) \\
    ((vec)_mm512_gf2p8affine_epi64_epi8(_mm512_set1_epi64((long long)(c)), (__m512i)(x), 0))
#elif {size} == 32 && defined(__GFNI__) && defined(__AVX2__)
#define vec_columns(c, x) \\
    ((vec)_mm256_gf2p8affine_epi64_epi8(_mm256_set1_epi64x((long long)(c)), (__m256i)(x), 0))
#elif {size} == 16 && defined(__GFNI__) && defined(__SSSE3__)
#define vec_columns(c, x) \\
    ((vec)_mm_gf2p8affine_epi64_epi8(_mm_set1_epi64x((long long)(c)), (__m128i)(x), 0))
#endif
#if defined(__clang__)
#define vec_rows(x, ...) __builtin_shufflevector((vec_bytes)(x), (vec_bytes)(x), __VA_ARGS__)
#else
#define vec_rows(x, ...) __builtin_shuffle((vec_bytes)(x), (vec_bytes){{__VA_ARGS__}})
#endif
"""
_VECTOR = """
static inline vec {name}(vec x)
{{
#ifdef vec_columns
    return vec_columns({columns}, {rows});
#else
{swaps}
    return x;
#endif
}}
"""


@dataclass(frozen=True, slots=True)
class Transposition:
    """Bit j of byte i of the result is bit ``bits[i]`` of byte ``bytes[j]``; both count from the lowest."""

    bytes: tuple[int, ...]
    bits: tuple[int, ...]

    @property
    def columns(self) -> int:
        """The operand of eight bytes, each the bit that it is of all rows."""
        return sum(1 << 8 * byte + bit for byte, bit in enumerate(self.bits))

    @property
    def rows(self) -> tuple[int, ...]:
        """The byte of the word that each byte of the matrix is: bit j of a product is of byte 7 - j."""
        return self.bytes[::-1]


def transposition(matrix: Matrix) -> Transposition | None:
    """How a linear map of a word of 64 bits to as many transposes its bits; None if it doesn't."""
    found = wiring.sources(matrix, WORD) if len(matrix) == WORD else None
    if found is None or wiring.network(matrix, WORD) is None:
        return None
    how = Transposition(tuple(bit >> 3 for bit in found[:8]), tuple(bit & 7 for bit in found[::8]))
    moved = (8 * byte + bit for bit in how.bits for byte in how.bytes)
    return how if tuple(moved) == found else None


def is_transposition(node: Node) -> bool:
    """Whether a node is a linear map of one word that transposes a matrix of bits."""
    whole = node.op is Op.LINEAR and len(node.attr) == 1 and node.width == WORD
    return whole and transposition(node.attr[0]) is not None


def text(names: Mapping[Matrix, str], code: str, size: int) -> str:
    """The functions that ``code`` calls, by the map that each is; ``size``: bytes of the code's vectors."""
    words = {name: matrix for matrix, name in names.items() if f"{name}(" in code}
    lanes = {name + ON_LANES: matrix for matrix, name in names.items() if f"{name}{ON_LANES}(" in code}
    parts = [_TYPES] if words else []
    parts += [
        _function(_WORD, name, matrix, "with_rows", "(matrix_rows)word", 16) for name, matrix in words.items()
    ]
    parts += [_VECTORS.format(size=size)] if lanes else []
    parts += [_function(_VECTOR, name, matrix, "vec_rows", "x", size) for name, matrix in lanes.items()]
    return "".join(parts)


def _function(form: str, name: str, matrix: Matrix, shuffled: str, word: str, size: int) -> str:
    how = transposition(matrix)
    assert how is not None
    places = [8 * start + byte for start in range(size // 8) for byte in how.rows]
    as_it_is = how.rows == tuple(range(8))
    rows = word if as_it_is else f"{shuffled}({word}, {', '.join(map(str, places))})"
    return form.format(name=name, columns=f"0x{how.columns:016x}ull", rows=rows, swaps=_swaps(matrix))


def _swaps(matrix: Matrix) -> str:
    """The map as exchanges of bits that lie equally far apart, of which each waits for the one before."""
    steps, lines = wiring.network(matrix, WORD), []
    assert steps is not None
    for step in steps:
        distance, low = wiring.exchange(step, WORD)
        kept = mask(WORD) ^ low ^ low << distance
        stay = f" | (x & 0x{kept:x}ull)" if kept else ""
        lines.append(f"    x = (x & 0x{low:x}ull) << {distance} | (x >> {distance} & 0x{low:x}ull){stay};")
    return "\n".join(lines)
