"""S-boxes that are inversion in GF(2^8) between affine maps, on vectors of bytes: no table is read.

With GFNI an S-box is `vgf2p8affineinvqb`, after one `vgf2p8affineqb` if a map comes before the inversion.
With AES instructions it is AESENCLAST, whose ShiftRows is undone by a shuffle and whose affine map by the one
that follows; all fields of 256 elements being the same, that serves S-boxes of other ciphers as well. With
neither it is six permutes between two maps (`finalist.machines.native.vectors.nibble_inversion`).
"""

from __future__ import annotations

from finalist.ir.graph import Graph, Matrix, Node, TableData
from finalist.ir.ops import Op
from finalist.machines.native.vectors.nibble_inversion import rows, tower
from finalist.machines.native.vectors.word_permutes import read_tables
from finalist.passes.inversions import Inversion, of_table
from finalist.passes.matrices import apply_matrix, composed, inverted


def map_values(matrix: Matrix, constant: int = 0) -> tuple[int, ...]:
    """What each value of the lower and upper four bits adds, and the rows.

    Row 7 - k, eight bytes in all, says which bits of the operand bit k of the result is the sum of. The
    ``constant`` is in what the lower bits add; rows have no place for it.
    """
    lower, upper = ([apply_matrix(matrix[low : low + 4], value) for value in range(16)] for low in (0, 4))
    rows = (
        sum((column >> bit & 1) << place for place, column in enumerate(matrix)) for bit in reversed(range(8))
    )
    return (*(value ^ constant for value in lower), *upper, *rows)


def map_table(matrix: Matrix, name: str) -> TableData:
    """What `vec_map` takes."""
    return TableData(map_values(matrix), 8, name, "a linear map of a byte")


#: What the name of a table ends in that stands for an S-box.
SUFFIX = "_inversion"
#: Bytes of a map in the table, and where those of the permutes begin.
_MAP, _PERMUTED = 40, 80
#: SubBytes is this, after inversion (FIPS 197, 5.1.1).
_AES_SHIFT = 0x63
_AES = tuple(0x1F << bit & 0xFF | 0x1F >> 8 - bit for bit in range(8))

TEXT = """
/* S-boxes that are 1 / x in GF(2^8) between affine maps: `before` and `shift` are what the maps add, and in
 * t are the map before the inversion, the map after it, and what permutes take: a map onto GF(2^4)^2, and
 * what either part adds. */
#if {size} == 64 && defined(__GFNI__) && defined(__AVX512BW__)
#define vec_affine(m, x, c) ((vec)_mm512_gf2p8affine_epi64_epi8((__m512i)(x), vec_map_rows(m), c))
#define vec_affine_inverse(m, x, c) \\
    ((vec)_mm512_gf2p8affineinv_epi64_epi8((__m512i)(x), vec_map_rows(m), c))
#elif {size} == 32 && defined(__GFNI__) && defined(__AVX2__)
#define vec_affine(m, x, c) ((vec)_mm256_gf2p8affine_epi64_epi8((__m256i)(x), vec_map_rows(m), c))
#define vec_affine_inverse(m, x, c) \\
    ((vec)_mm256_gf2p8affineinv_epi64_epi8((__m256i)(x), vec_map_rows(m), c))
#elif {size} == 16 && defined(__GFNI__)
#define vec_affine(m, x, c) ((vec)_mm_gf2p8affine_epi64_epi8((__m128i)(x), vec_map_rows(m), c))
#define vec_affine_inverse(m, x, c) \\
    ((vec)_mm_gf2p8affineinv_epi64_epi8((__m128i)(x), vec_map_rows(m), c))
#elif {size} == 64 && defined(__VAES__) && defined(__AVX512BW__)
#define vec_aes(x) _mm512_aesenclast_epi128(_mm512_shuffle_epi8((__m512i)(x), vec_row(VEC_ROWS_BACK, 0)), \
                                            _mm512_setzero_si512())
#elif {size} == 32 && defined(__VAES__) && defined(__AVX2__)
#define vec_aes(x) _mm256_aesenclast_epi128(_mm256_shuffle_epi8((__m256i)(x), vec_row(VEC_ROWS_BACK, 0)), \
                                            _mm256_setzero_si256())
#elif {size} == 16 && defined(__AES__) && defined(__SSE4_1__)
#define vec_aes(x) _mm_aesenclast_si128(_mm_shuffle_epi8((__m128i)(x), vec_row(VEC_ROWS_BACK, 0)), \
                                        _mm_setzero_si128())
#endif
#ifdef vec_affine
#define vec_inverse(t, x, shift) vec_affine_inverse((t) + {map}, x, shift)
#define vec_inversion(t, x, before, shift) vec_inverse(t, vec_affine(t, x, before), shift)
#elif defined(vec_aes)
/* What the constants add is in the maps, and ShiftRows undone. */
static const uint8_t VEC_ROWS_BACK[16] = {{{back}}};
static inline vec vec_by_aes(const uint8_t *t, vec x)
{{
    const vec y = (vec)vec_aes(x);
    return vec_map(t, y);
}}
#define vec_inverse(t, x, shift) vec_by_aes((t) + {map}, x)
#define vec_inversion(t, x, before, shift) vec_inverse(t, vec_map(t, x), shift)
#else
/* 1 / x and a / x in GF(2^4), infinite at 0. */
static const uint8_t VEC_OVER[32] = {{
    {inverse},
    {over}}};
static inline vec vec_by_permutes(const uint8_t *t, vec x)
{{
    const vec pair = vec_map(t, x), k = pair & 0xf, i = pair >> 4, j = i ^ k;
    const vec over = vec_lookup16(VEC_OVER + 16, k);
    const vec u = vec_lookup16(VEC_OVER, vec_lookup16(VEC_OVER, i) ^ over) ^ j;
    const vec w = vec_lookup16(VEC_OVER, vec_lookup16(VEC_OVER, j) ^ over) ^ i;
    return vec_lookup16(t + {map}, u) ^ vec_lookup16(t + {map} + 16, w);
}}
#define vec_inverse(t, x, shift) (vec_by_permutes((t) + {permuted}, x) ^ (uint8_t)(shift))
#define vec_inversion(t, x, before, shift) vec_inverse(t, x, shift)
#endif
"""


def of_lookup(node: Node) -> Inversion | None:
    """What a lookup is, if its table is such an S-box."""
    return of_table(node.attr) if node.op is Op.LOOKUP else None


def inversions_of(kernel: Graph) -> dict[TableData, Inversion]:
    """The tables that are such S-boxes, of those that a kernel reads at places of the block."""
    hows = {table: of_table(table) for table in read_tables(kernel)[0]}
    return {table: how for table, how in hows.items() if how}


def operations(how: Inversion) -> int:
    """Instructions of one S-box, at the least."""
    return 1 if how.direct else 2


def written(how: Inversion, table: str, operand: str) -> str:
    """The S-box in C, ``table`` being the name of the lookup's."""
    if how.direct:
        return f"vec_inverse({table}{SUFFIX}, {operand}, 0x{how.shift:02x})"
    return f"vec_inversion({table}{SUFFIX}, {operand}, 0x{how.before:02x}, 0x{how.shift:02x})"


def values() -> dict[str, str | int]:
    """What `TEXT` is formatted with, besides the size."""
    field = tower()
    listed = {
        "back": [place * 13 % 16 for place in range(16)],
        "inverse": field.inverse,
        "over": field.over,
    }
    return {name: ", ".join(map(str, some)) for name, some in listed.items()} | {
        "map": _MAP,
        "permuted": _PERMUTED,
    }


def inversion_table(how: Inversion, name: str) -> TableData:
    """What `vec_inversion` takes.

    Maps are as `vec_map` has them, but that the tables of the second are after SubBytes, and its rows, which
    only `vgf2p8affineinvqb` takes, are after inversion alone.
    """
    after = composed(how.outer, _undone(_AES))
    constant = apply_matrix(after, _AES_SHIFT) ^ how.shift
    split = rows(how)
    parts = (
        *map_values(how.inner, how.before),
        *map_values(after, constant)[:32],
        *map_values(how.outer)[32:],
        *map_values(split.split, split.before),
        *split.u,
        *split.w,
    )
    return TableData(parts, 8, name, "an inversion in GF(2^8) between affine maps")


def _undone(matrix: Matrix) -> Matrix:
    back = inverted(matrix)
    assert back is not None, "the map of SubBytes has an inverse"
    return back
