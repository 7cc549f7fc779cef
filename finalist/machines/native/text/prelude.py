"""What every emitted C file begins with: loads and stores at any alignment, rotations, vectors."""

from __future__ import annotations

import re

from finalist.machines.native.vectors import logic, long_lanes, long_permutes, permutes, pieces, word_permutes
from finalist.machines.native.vectors.narrow import NARROW
from finalist.machines.native.whole_blocks.registers import NAMES as REGISTER_NAMES

#: What emitted code must not name a variable like, of those names that end in a number.
NAMES = (
    frozenset({"rol32", "ror32", "rol64", "ror64", "select32", "select64", "choose32", "choose64"})
    | permutes.NAMES
    | long_lanes.NAMES
    | word_permutes.NAMES
    | pieces.NAMES
    | REGISTER_NAMES
)

_COMMON = """\
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define FROM_LE(bits, x) __builtin_bswap##bits(x)
#define FROM_BE(bits, x) (x)
#else
#define FROM_LE(bits, x) (x)
#define FROM_BE(bits, x) __builtin_bswap##bits(x)
#endif
"""

_LOAD = """
static inline uint{bits}_t load{bits}{order}(const uint8_t *p)
{{
    uint{bits}_t x;
    memcpy(&x, p, sizeof x);
    return FROM_{upper}({bits}, x);
}}
"""

_STORE = """
static inline void store{bits}{order}(uint8_t *p, uint{bits}_t x)
{{
    x = FROM_{upper}({bits}, x);
    memcpy(p, &x, sizeof x);
}}
"""

_WORDS = """
static inline uint{bits}_t rol{bits}(uint{bits}_t x, uint32_t n)
{{
    return (x << (n & {top})) | (x >> (-n & {top}));
}}

static inline uint{bits}_t ror{bits}(uint{bits}_t x, uint32_t n)
{{
    return (x >> (n & {top})) | (x << (-n & {top}));
}}

/* a if the bit is 1, else b: by a mask. The statement without instructions hides from the compiler that
   the mask is of one bit only: it would make a branch of it. */
static inline uint{bits}_t select{bits}(uint32_t bit, uint{bits}_t a, uint{bits}_t b)
{{
    uint{bits}_t mask = -(uint{bits}_t)bit;
    __asm__("" : "+r"(mask));
    return b ^ ((a ^ b) & mask);
}}

/* a if x is y, else b: by a conditional move, not a branch; a mask is there some cycles later. */
static inline uint{bits}_t choose{bits}(uint32_t x, uint32_t y, uint{bits}_t a, uint{bits}_t b)
{{
#if defined(__x86_64__)
    __asm__("cmpl %2, %1\\n\\tcmove %3, %0" : "+r"(b) : "r"(x), "r"(y), "r"(a) : "cc");
    return b;
#else
    return select{bits}((uint32_t)(x == y), a, b);
#endif
}}
"""


def _common() -> str:
    """Loads and stores in both orders, rotations by words and choices."""
    memory = [
        form.format(bits=bits, order=order, upper=order.upper())
        for bits in (16, 32, 64)
        for form in (_LOAD, _STORE)
        for order in ("le", "be")
    ]
    return "".join([_COMMON, *memory, *(_WORDS.format(bits=bits, top=bits - 1) for bits in (32, 64))])


_SCAN = """
/* Entry i of a table, of `bits` bits each: all of it is gone through, a row of 32 bytes at a time, so that
   no address depends on i. */
typedef uint64_t row __attribute__((vector_size(32)));
static inline uint32_t scan_shift(uint32_t i, uint32_t bits)
{
    const uint32_t shift = i * bits & 63;
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    return shift ^ (64 - bits);
#else
    return shift;
#endif
}
#define row_at(p, bytes) (__extension__ ({ row row_ = {0}; memcpy(&row_, p, bytes); row_; }))
static inline uint64_t scan_read(const void *table, size_t bytes, uint32_t i, uint32_t bits)
{
    const uint8_t *from = table;
    const size_t rest = bytes % sizeof(row);
    const row wanted = (row){0} + i / (256 / bits);
    row number = {0}, found = {0};
    for (; from != (const uint8_t *)table + (bytes - rest); from += sizeof(row), number += 1)
        found |= row_at(from, sizeof(row)) & (row)(number == wanted);
    found |= row_at(from, rest) & (row)(number == wanted);
    found &= (row)((row){0, 1, 2, 3} == (row){0} + (i / (64 / bits) & 3));
    return (found[0] | found[1] | found[2] | found[3]) >> scan_shift(i, bits) & (~(uint64_t)0 >> (64 - bits));
}
static inline void scan_write(void *table, size_t bytes, uint32_t i, uint32_t bits, uint64_t x)
{
    uint8_t *to = table;
    const size_t rest = bytes % sizeof(row);
    const row wanted = (row){0} + i / (256 / bits);
    const row word = (row)((row){0, 1, 2, 3} == (row){0} + (i / (64 / bits) & 3));
    const row place = word & ((row){0} + (~(uint64_t)0 >> (64 - bits) << scan_shift(i, bits)));
    const row value = (row){0} + (x << scan_shift(i, bits));
    row number = {0};
    for (; to != (uint8_t *)table + (bytes - rest); to += sizeof(row), number += 1) {
        const row old = row_at(to, sizeof(row));
        const row new = old ^ ((old ^ value) & place & (row)(number == wanted));
        memcpy(to, &new, sizeof(row));
    }
    const row old = row_at(to, rest);
    const row new = old ^ ((old ^ value) & place & (row)(number == wanted));
    memcpy(to, &new, rest);
}
"""

#: One function for all tables of a size, since there are many lookups.
_SCAN_OF = """
__attribute__((noinline)) static uint64_t scan_read_{size}x{bits}(const void *table, uint32_t i)
{{
    return scan_read(table, {size}, i, {bits});
}}

__attribute__((noinline)) static void scan_write_{size}x{bits}(void *table, uint32_t i, uint64_t x)
{{
    scan_write(table, {size}, i, {bits}, x);
}}
"""

_VECTOR = """
/* {lanes} lanes of {bits} bits; the same text serves every vector unit. */
typedef uint{bits}_t vec __attribute__((vector_size({size})));

#if defined(__clang__)
#define vec_shuffle(a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
#else
#define vec_shuffle(a, b, ...) __builtin_shuffle(a, b, (vec){{__VA_ARGS__}})
#endif
typedef uint8_t vec_bytes __attribute__((vector_size({size})));
#if defined(__clang__)
#define vec_swapped(v) ((vec)__builtin_shufflevector((vec_bytes)(v), (vec_bytes)(v), {places}))
#else
#define vec_swapped(v) ((vec)__builtin_shuffle((vec_bytes)(v), (vec_bytes){{{places}}}))
#endif
#define vec_little(v) (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? vec_swapped(v) : (v))
#define vec_big(v) (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? (v) : vec_swapped(v))
#define vec_load(p) (__extension__ ({{ vec v_; memcpy(&v_, p, sizeof v_); v_; }}))
/* The statement without instructions keeps the compiler from storing in another order. */
#define vec_store(p, v) do {{ const vec v_ = (v); memcpy(p, &v_, sizeof v_); \\
    __asm__ volatile("" ::: "memory"); }} while (0)

/* Rotations by words: `n` counts modulo the lane; `_near` if it is known to be below the lane. */
#if {bits} == 32 && {size} == 64 && defined(__AVX512F__)
#define vec_rol(x, n) ((vec)_mm512_rolv_epi32((__m512i)(x), (__m512i)(n)))
#define vec_rol_near(x, n) ((vec)_mm512_rolv_epi32((__m512i)(x), (__m512i)(n)))
#define vec_ror(x, n) ((vec)_mm512_rorv_epi32((__m512i)(x), (__m512i)(n)))
#define vec_ror_near(x, n) ((vec)_mm512_rorv_epi32((__m512i)(x), (__m512i)(n)))
#elif {bits} == 32 && {size} == 32 && defined(__AVX512VL__)
#define vec_rol(x, n) ((vec)_mm256_rolv_epi32((__m256i)(x), (__m256i)(n)))
#define vec_rol_near(x, n) ((vec)_mm256_rolv_epi32((__m256i)(x), (__m256i)(n)))
#define vec_ror(x, n) ((vec)_mm256_rorv_epi32((__m256i)(x), (__m256i)(n)))
#define vec_ror_near(x, n) ((vec)_mm256_rorv_epi32((__m256i)(x), (__m256i)(n)))
#elif {bits} == 32 && {size} == 32 && defined(__AVX2__)
/* These shifts give zero for a count of 32, so the way back needs no reduction. */
#define vec_shl_(x, n) ((vec)_mm256_sllv_epi32((__m256i)(x), (__m256i)(n)))
#define vec_shr_(x, n) ((vec)_mm256_srlv_epi32((__m256i)(x), (__m256i)(n)))
#define vec_rol_near(x, n) (vec_shl_(x, n) | vec_shr_(x, 32 - (n)))
#define vec_ror_near(x, n) (vec_shr_(x, n) | vec_shl_(x, 32 - (n)))
#define vec_rol(x, n) vec_rol_near(x, (n) & 31)
#define vec_ror(x, n) vec_ror_near(x, (n) & 31)
#else
#define vec_rol(x, n) (((x) << ((n) & {top})) | ((x) >> (-(n) & {top})))
#define vec_rol_near(x, n) (((x) << ((n) & {top})) | ((x) >> (-(n) & {top})))
#define vec_ror(x, n) (((x) >> ((n) & {top})) | ((x) << (-(n) & {top})))
#define vec_ror_near(x, n) (((x) >> ((n) & {top})) | ((x) << (-(n) & {top})))
#endif
"""

_GATHER = """
/* Entries of a table of 32-bit words at the places of an index vector. */
#if {size} == 64 && defined(__AVX512F__)
#define vec_gather(t, i) ((vec)_mm512_i32gather_epi32((__m512i)(i), (const void *)(t), 4))
#elif {size} == 32 && defined(__AVX2__)
#define vec_gather(t, i) ((vec)_mm256_i32gather_epi32((const int *)(t), (__m256i)(i), 4))
#elif {size} == 16 && defined(__AVX2__)
#define vec_gather(t, i) ((vec)_mm_i32gather_epi32((const int *)(t), (__m128i)(i), 4))
#else
#define vec_gather(t, i) (__extension__ ({{ const vec i_ = (i); vec r_ = {{0}}; \\
    for (int l_ = 0; l_ < {lanes}; l_++) {{ r_[l_] = (t)[i_[l_]]; }} r_; }}))
#endif
"""

#: Vectors of 512 bits have rotations; where there are none, their bytes would be moved one by one.
_ROTATION = """
#define vec_rol{bits}(x) (((x) << {bits}) | ((x) >> {rest}))
"""
_TURN = """
#if defined(__AVX512VL__)
#define vec_rol{bits}(x) (((x) << {bits}) | ((x) >> {rest}))
#elif defined(__clang__)
#define vec_rol{bits}(x) ((vec)__builtin_shufflevector((vec_bytes)(x), (vec_bytes)(x), {places}))
#else
#define vec_rol{bits}(x) ((vec)__builtin_shuffle((vec_bytes)(x), (vec_bytes){{{places}}}))
#endif
"""


def _turns(lanes: int, lane_bits: int) -> str:
    """Rotations by whole bytes: one shuffle where the vector unit has no rotation."""
    step = lane_bits // 8
    texts = []
    for moved in range(1, step):
        places = [lane * step + (k - moved) % step for lane in range(lanes) for k in range(step)]
        listed = ", ".join(map(str, places))
        form = _ROTATION if lanes * lane_bits == logic.BITS else _TURN
        texts.append(form.format(bits=8 * moved, rest=lane_bits - 8 * moved, places=listed))
    return "".join(texts)


_SPREAD = """
typedef uint32_t vec_four __attribute__((vector_size(16)));
/* Bytes q of the four lanes of every 128 bits in lane q, and back. */
#if defined(__clang__)
#define vec_spread(x) ((vec)__builtin_shufflevector((vec_bytes)(x), (vec_bytes)(x), {spread}))
#else
#define vec_spread(x) ((vec)__builtin_shuffle((vec_bytes)(x), (vec_bytes){{{spread}}}))
#endif
#if {size} == 64 && defined(__AVX512BW__)
#define vec_key(p) ((vec)_mm512_broadcast_i32x4(_mm_loadu_si128((const __m128i *)(p))))
#define vec_left(x, bytes) ((vec)_mm512_bslli_epi128((__m512i)(x), bytes))
#define vec_right(x, bytes) ((vec)_mm512_bsrli_epi128((__m512i)(x), bytes))
#elif {size} == 32 && defined(__AVX2__)
#define vec_key(p) ((vec)_mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)(p))))
#define vec_left(x, bytes) ((vec)_mm256_bslli_epi128((__m256i)(x), bytes))
#define vec_right(x, bytes) ((vec)_mm256_bsrli_epi128((__m256i)(x), bytes))
#elif {size} == 16 && defined(__SSE2__)
#define vec_key(p) ((vec)_mm_loadu_si128((const __m128i *)(p)))
#define vec_left(x, bytes) ((vec)_mm_bslli_si128((__m128i)(x), bytes))
#define vec_right(x, bytes) ((vec)_mm_bsrli_si128((__m128i)(x), bytes))
#else
#define vec_key(p) ((vec){{{keys}}})
#define vec_left(x, bytes) (vec_left_##bytes(x))
#define vec_right(x, bytes) (vec_right_##bytes(x))
{generic}#endif
"""


def _spread(lanes: int) -> str:
    """Moves by bytes in the layout of `finalist.machines.native.vectors.spread`."""
    quads = range(0, lanes, 4)
    spread = [4 * (quad + d) + q for quad in quads for q in range(4) for d in range(4)]
    generic = []
    for moved in (1, 2, 3):
        for name, sign in (("left", -1), ("right", 1)):
            moves = [
                quad + q + sign * moved if 0 <= q + sign * moved < 4 else lanes
                for quad in quads
                for q in range(4)
            ]
            listed = ", ".join(map(str, moves))
            generic.append(f"#define vec_{name}_{4 * moved}(x) vec_shuffle(x, (vec){{0}}, {listed})\n")
    text = _SPREAD.format(
        size=4 * lanes,
        spread=", ".join(map(str, spread)),
        keys=", ".join(f"(p)[{lane % 4}]" for lane in range(lanes)),
        generic="".join(generic),
    )
    for moved in (1, 2, 3):
        places = ", ".join(str(quad + (q - moved) % 4) for quad in quads for q in range(4))
        text += f"#define vec_rol{8 * moved}(x) vec_shuffle(x, x, {places})\n"
        text += f"#define vec_shl{8 * moved}(x) vec_left(x, {4 * moved})\n"
        text += f"#define vec_shr{8 * moved}(x) vec_right(x, {4 * moved})\n"
    return text


COUNTING = """
/* The last eight bytes of a block as a big-endian number, or all if it has fewer. */
static inline uint64_t low_of(const uint8_t *block, size_t bytes)
{
    uint64_t low = 0;
    if (bytes >= 8)
        return load64be(block + bytes - 8);
    for (size_t i = 0; i < bytes; i++)
        low = low << 8 | block[i];
    return low;
}

static inline void set_low(uint8_t *block, size_t bytes, uint64_t low)
{
    if (bytes >= 8)
        store64be(block + bytes - 8, low);
    else
        for (size_t i = bytes; i--; low >>= 8)
            block[i] = (uint8_t)low;
}

/* One more in the bytes before those. */
static inline void carry(uint8_t *block, size_t bytes)
{
    for (size_t i = bytes > 8 ? bytes - 8 : 0; i-- && !++block[i];)
        continue;
}
"""

ADDING = """
typedef uint64_t wide_words __attribute__((vector_size(32)));
static inline void xor_bytes(uint8_t *out, const uint8_t *a, const uint8_t *b, size_t bytes)
{
    wide_words x, y;
    for (; bytes >= sizeof x; bytes -= sizeof x, a += sizeof x, b += sizeof x, out += sizeof x) {
        memcpy(&x, a, sizeof x);
        memcpy(&y, b, sizeof y);
        x ^= y;
        memcpy(out, &x, sizeof x);
    }
    for (; bytes >= 8; bytes -= 8, a += 8, b += 8, out += 8)
        store64le(out, load64le(a) ^ load64le(b));
    for (; bytes; bytes--)
        *out++ = *a++ ^ *b++;
}
"""


def for_tables(code: str) -> str:
    """The helpers for tables at secret places, where the code calls them."""
    sizes = sorted({(int(size), int(bits)) for size, bits in re.findall(r"\bscan_\w+_(\d+)x(\d+)\(", code)})
    return _SCAN + "".join(_SCAN_OF.format(size=size, bits=bits) for size, bits in sizes) if sizes else ""


def text(lanes: int, lane_bits: int, kernel: str = "", *, spread: bool = False) -> str:
    """The prelude for this shape; ``lanes`` 1 is scalar code. ``kernel``: the text that it is for."""
    if lanes == 1:
        return _common()
    if lane_bits in NARROW:
        return _common() + permutes.text(lanes, lane_bits, kernel)
    size = lanes * lane_bits // 8
    step = lane_bits // 8
    places = [lane * step + step - 1 - k for lane in range(lanes) for k in range(step)]
    vector = _VECTOR.format(
        lanes=lanes, bits=lane_bits, size=size, top=lane_bits - 1, places=", ".join(map(str, places))
    )
    vector += pieces.TEXT.format(size=size)
    reads = (long_lanes.TEXT if lane_bits == long_lanes.LONG else _GATHER).format(lanes=lanes, size=size)
    reads += word_permutes.text(size, kernel) if lane_bits == word_permutes.LANE else ""
    reads += long_permutes.text(size, kernel) if lane_bits == long_lanes.LONG else ""
    return _common() + vector + reads + (_spread(lanes) if spread else _turns(lanes, lane_bits))
