"""What a file with narrow lanes begins with: vectors of bytes, tables read by permutes, products.

Only what the kernel uses is written. Each table is read as rows of 16 entries: a permute takes one of a
row by the low four bits of the index, and the others choose between rows. Neither is an address.
"""

from __future__ import annotations

from collections.abc import Iterable

from finalist.machines.native.vectors import inversions, word_permutes

_TYPES = """
/* {lanes} lanes of {bits} bits; the same text serves every vector unit. */
typedef uint{bits}_t vec __attribute__((vector_size({size})));

/* How vectors are passed between files, which compilers warn of, does not matter to functions of this one. */
#pragma GCC diagnostic ignored "-Wpsabi"
#if defined(__clang__)
#define vec_shuffle(a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
#else
#define vec_shuffle(a, b, ...) __builtin_shuffle(a, b, (vec){{__VA_ARGS__}})
#endif
#define vec_load(p) (__extension__ ({{ vec v_; memcpy(&v_, p, sizeof v_); v_; }}))
/* The statement without instructions keeps the compiler from storing in another order. */
#define vec_store(p, v) do {{ const vec v_ = (v); memcpy(p, &v_, sizeof v_); \\
    __asm__ volatile("" ::: "memory"); }} while (0)
#define vec_all(x) ((vec){{0}} + (uint{bits}_t)(x))
"""

_SWAPS = """
typedef uint8_t vec_bytes __attribute__((vector_size({size})));
#if defined(__clang__)
#define vec_swapped(v) ((vec)__builtin_shufflevector((vec_bytes)(v), (vec_bytes)(v), {places}))
#else
#define vec_swapped(v) ((vec)__builtin_shuffle((vec_bytes)(v), (vec_bytes){{{places}}}))
#endif
#define vec_little(v) (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? vec_swapped(v) : (v))
#define vec_big(v) (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? (v) : vec_swapped(v))
"""

_NO_SWAPS = """
#define vec_little(v) (v)
#define vec_big(v) (v)
"""

_ZIPS = """
/* The elements of two vectors in turns, 128 bits by 128 bits: of the lower halves, of the upper ones. */
#define vec_zip_low(a, b) vec_shuffle(a, b, {low})
#define vec_zip_high(a, b) vec_shuffle(a, b, {high})
"""

_SELECT = """
/* a where the bit c is 1, else b. */
#define vec_select(c, a, b) ((((a) ^ (b)) & -(c)) ^ (b))
"""

_SAME = """
/* What a word of 32 bits is, in all lanes. */
typedef uint32_t vec_same_words __attribute__((vector_size({size})));
#define vec_same(x) ((vec)((vec_same_words){{0}} + (x)))
"""

_LANES16 = """
typedef uint16_t vec_lanes16 __attribute__((vector_size({size})));
"""

_MULTIPLY = """
/* Products of bytes, from those of the 16-bit words that they are the lower and the upper halves of. */
static inline vec vec_multiply(vec a, vec b)
{{
    const vec_lanes16 x = (vec_lanes16)a, y = (vec_lanes16)b;
    return (vec)(((x * y) & 0xff) | ((x >> 8) * (y & 0xff00)));
}}
"""

_MULTIPLY_WORDS = """
#define vec_multiply(a, b) ((a) * (b))
"""

_MULTIPLY_HIGH = """
/* The upper halves of products of 16 bits by 16. */
#if {size} == 64 && defined(__AVX512BW__)
#define vec_multiply_high(a, b) ((vec)_mm512_mulhi_epu16((__m512i)(a), (__m512i)(b)))
#elif {size} == 32 && defined(__AVX2__)
#define vec_multiply_high(a, b) ((vec)_mm256_mulhi_epu16((__m256i)(a), (__m256i)(b)))
#elif {size} == 16 && defined(__SSE2__)
#define vec_multiply_high(a, b) ((vec)_mm_mulhi_epu16((__m128i)(a), (__m128i)(b)))
#else
static inline vec vec_multiply_high(vec a, vec b)
{{
    vec high = {{0}};
    for (int k = 0; k < {lanes}; k++)
        high[k] = (uint16_t)((uint32_t)a[k] * b[k] >> 16);
    return high;
}}
#endif
"""

_ROTATE = """
/* Words rotated to the left. */
#if {size} == 64 && defined(__AVX512VBMI2__)
#define vec_rotate(x, n) ((vec)_mm512_shldi_epi16((__m512i)(x), (__m512i)(x), n))
#elif {size} == 32 && defined(__AVX512VBMI2__) && defined(__AVX512VL__)
#define vec_rotate(x, n) ((vec)_mm256_shldi_epi16((__m256i)(x), (__m256i)(x), n))
#elif {size} == 16 && defined(__AVX512VBMI2__) && defined(__AVX512VL__)
#define vec_rotate(x, n) ((vec)_mm_shldi_epi16((__m128i)(x), (__m128i)(x), n))
#else
#define vec_rotate(x, n) (((x) << (n)) | ((x) >> (16 - (n))))
#endif
"""

#: Rows and choices between them, as each vector unit has them.
_ROWS = """
/* vec_row: 16 entries of a table, for each 128 bits. vec_permute: of a row the entry at the index's lower
 * four bits, 0 where its bit 7 is set. vec_choose: b where bit 7 of c is set, else a. */
#if {size} == 64 && defined(__AVX512BW__)
#define vec_row(t, r) _mm512_broadcast_i32x4(_mm_loadu_si128((const __m128i *)(t) + (r)))
#define vec_permute(row, i) ((vec)_mm512_shuffle_epi8(row, (__m512i)(i)))
#define vec_choose(a, b, c) ((vec)_mm512_mask_blend_epi8(_mm512_movepi8_mask((__m512i)(c)), \\
                                                         (__m512i)(a), (__m512i)(b)))
#define vec_up(x, bits) ((vec)_mm512_slli_epi16((__m512i)(x), bits))
#define VEC_PERMUTES
#elif {size} == 32 && defined(__AVX2__)
#define vec_row(t, r) _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)(t) + (r)))
#define vec_permute(row, i) ((vec)_mm256_shuffle_epi8(row, (__m256i)(i)))
#define vec_choose(a, b, c) ((vec)_mm256_blendv_epi8((__m256i)(a), (__m256i)(b), (__m256i)(c)))
#define vec_up(x, bits) ((vec)_mm256_slli_epi16((__m256i)(x), bits))
#define VEC_PERMUTES
#elif {size} == 16 && defined(__SSE4_1__)
#define vec_row(t, r) _mm_loadu_si128((const __m128i *)(t) + (r))
#define vec_permute(row, i) ((vec)_mm_shuffle_epi8(row, (__m128i)(i)))
#define vec_choose(a, b, c) ((vec)_mm_blendv_epi8((__m128i)(a), (__m128i)(b), (__m128i)(c)))
#define vec_up(x, bits) ((vec)_mm_slli_epi16((__m128i)(x), bits))
#define VEC_PERMUTES
#endif
/* Rows that gcc knows it would put together from halves, by a shuffle each; of a pointer that it does not
 * see through it loads them. */
#define VEC_HIDE(t) __asm__("" : "+r"(t))
/* Without permutes: every entry is read, and kept where it is the one. */
{scanning} vec vec_scan(const uint8_t *t, int entries, vec i)
{{
    vec found = {{0}};
    for (int e = 0; e < entries; e++)
        found |= (vec)(i == vec_all(e)) & vec_all(t[e]);
    return found;
}}
"""

_LOOKUP = """
static inline vec vec_lookup{entries}(const uint8_t *t, vec i)
{{
#ifdef VEC_PERMUTES
{body}
#else
    return vec_scan(t, {entries}, {index});
#endif
}}
"""

_MAP = """
/* A linear map over GF(2): tables of what the lower and the upper four bits add, then its rows as
 * `vgf2p8affineqb` has them. */
#if {size} == 64 && defined(__GFNI__) && defined(__AVX512BW__)
#define vec_map_rows(m) _mm512_set1_epi64((long long)load64le((m) + 32))
#define vec_map(m, x) ((vec)_mm512_gf2p8affine_epi64_epi8((__m512i)(x), vec_map_rows(m), 0))
#elif {size} == 32 && defined(__GFNI__) && defined(__AVX2__)
#define vec_map_rows(m) _mm256_set1_epi64x((long long)load64le((m) + 32))
#define vec_map(m, x) ((vec)_mm256_gf2p8affine_epi64_epi8((__m256i)(x), vec_map_rows(m), 0))
#elif {size} == 16 && defined(__GFNI__)
#define vec_map_rows(m) _mm_set1_epi64x((long long)load64le((m) + 32))
#define vec_map(m, x) ((vec)_mm_gf2p8affine_epi64_epi8((__m128i)(x), vec_map_rows(m), 0))
#else
#define vec_map(m, x) (vec_lookup16(m, (x) & 0xf) ^ vec_lookup16((m) + 16, (x) >> 4))
#endif
"""

_LIMB = """
/* Of a word's bytes, the lowest being 0, the place of one in memory. */
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define VEC_LIMB(k, bytes) ((bytes) - 1 - (k))
#else
#define VEC_LIMB(k, bytes) (k)
#endif
"""

_MULTIPLY16 = """
/* Words of 16 bits as two vectors of their bytes, the lower first; and of whole words, in the order in
 * which `vec_words16` puts the bytes together. */
typedef struct {{ vec limb[2]; }} vec_limbs2;
typedef struct {{ vec_lanes16 part[2]; }} vec_parts16;
static inline vec_parts16 vec_words16(vec_limbs2 x)
{{
    const vec a = x.limb[VEC_LIMB(0, 2)], b = x.limb[VEC_LIMB(1, 2)];
    return (vec_parts16){{{{(vec_lanes16)vec_zip_low(a, b), (vec_lanes16)vec_zip_high(a, b)}}}};
}}
static inline vec_parts16 vec_all16(uint32_t x)
{{
    const vec_lanes16 all = (vec_lanes16){{0}} + (uint16_t)x;
    return (vec_parts16){{{{all, all}}}};
}}
static inline vec_limbs2 vec_multiply16(vec_parts16 x, vec_parts16 y)
{{
    const vec p = (vec)(x.part[0] * y.part[0]), q = (vec)(x.part[1] * y.part[1]);
    vec_limbs2 z;
    z.limb[VEC_LIMB(0, 2)] = vec_shuffle(p, q, {even});
    z.limb[VEC_LIMB(1, 2)] = vec_shuffle(p, q, {odd});
    return z;
}}
"""

_MULTIPLY32 = """
/* Words of 32 bits as four vectors of their bytes, the lowest first; and of whole words, in the order in
 * which `vec_words32` puts the bytes together. */
typedef struct {{ vec limb[4]; }} vec_limbs4;
typedef uint32_t vec_lanes32 __attribute__((vector_size({size})));
typedef struct {{ vec_lanes32 part[4]; }} vec_parts32;
static inline vec_parts32 vec_words32(vec_limbs4 x)
{{
    const vec a = x.limb[VEC_LIMB(0, 4)], b = x.limb[VEC_LIMB(1, 4)];
    const vec c = x.limb[VEC_LIMB(2, 4)], d = x.limb[VEC_LIMB(3, 4)];
    const vec p = vec_zip_low(a, b), q = vec_zip_low(c, d), r = vec_zip_high(a, b), s = vec_zip_high(c, d);
    return (vec_parts32){{{{
        (vec_lanes32)vec_shuffle(p, q, {low2}), (vec_lanes32)vec_shuffle(p, q, {high2}),
        (vec_lanes32)vec_shuffle(r, s, {low2}), (vec_lanes32)vec_shuffle(r, s, {high2})}}}};
}}
static inline vec_parts32 vec_all32(uint32_t x)
{{
    const vec_lanes32 all = (vec_lanes32){{0}} + x;
    return (vec_parts32){{{{all, all, all, all}}}};
}}
static inline vec vec_product32(vec_lanes32 x, vec_lanes32 y)
{{
    const vec product = (vec)(x * y);
    return vec_shuffle(product, product, {limbs});
}}
static inline vec_limbs4 vec_multiply32(vec_parts32 x, vec_parts32 y)
{{
    const vec a = vec_product32(x.part[0], y.part[0]), b = vec_product32(x.part[1], y.part[1]);
    const vec c = vec_product32(x.part[2], y.part[2]), d = vec_product32(x.part[3], y.part[3]);
    const vec p = vec_shuffle(a, b, {low4}), q = vec_shuffle(c, d, {low4});
    const vec r = vec_shuffle(a, b, {high4}), s = vec_shuffle(c, d, {high4});
    vec_limbs4 z;
    z.limb[VEC_LIMB(0, 4)] = vec_shuffle(p, q, {low8});
    z.limb[VEC_LIMB(1, 4)] = vec_shuffle(p, q, {high8});
    z.limb[VEC_LIMB(2, 4)] = vec_shuffle(r, s, {low8});
    z.limb[VEC_LIMB(3, 4)] = vec_shuffle(r, s, {high8});
    return z;
}}
"""

#: Sizes of tables that have a way of their own.
SIZES = (16, 32, 64, 128, 256)
#: The names above that end in a number, for the sake of variables.
NAMES = frozenset(
    {
        f"vec_{what}{bits}"
        for what in ("all", "words", "multiply", "product", "lanes", "parts")
        for bits in (16, 32)
    }
    | {"vec_limbs2", "vec_limbs4", *(f"vec_lookup{n}" for n in SIZES)}
)


def zipped(lanes: int, lane_bits: int, size: int, *, high: bool) -> tuple[int, ...]:
    """The elements of two vectors in turns, ``size`` neighbours at a time, within each 128 bits."""
    inner = min(128 // lane_bits, lanes)
    half = inner // 2 if high else 0
    return tuple(
        side * lanes + start + half + k + at
        for start in range(0, lanes, inner)
        for k in range(0, inner // 2, size)
        for side in (0, 1)
        for at in range(size)
    )


def _listed(places: Iterable[int]) -> str:
    return ", ".join(map(str, places))


def _rows(entries: int) -> str:
    """The body of a lookup: a tree of choices between rows, by the index's bits from the fifth on."""
    if entries == 16:
        return "    return vec_permute(vec_row(t, 0), i);"
    lines, count = ["    VEC_HIDE(t);"], entries // 16
    if entries == 256:
        # Half of the rows give 0 for indices that belong to the other half, so no choice is needed there.
        lines.append("    const vec j = i ^ 0x80;")
        terms = [f"vec_permute(vec_row(t, {r}), i) | vec_permute(vec_row(t, {r + 8}), j)" for r in range(8)]
    else:
        terms = [f"vec_permute(vec_row(t, {r}), i)" for r in range(count)]
    levels = len(terms).bit_length() - 1
    lines.append(f"    const vec {', '.join(f'b{4 + k} = vec_up(i, {3 - k})' for k in range(levels))};")
    for level in range(levels):
        names = [f"r{4 + level}_{k}" for k in range(len(terms) // 2)]
        pairs = zip(names, terms[0::2], terms[1::2], strict=True)
        lines += [f"    const vec {name} = vec_choose({a}, {b}, b{4 + level});" for name, a, b in pairs]
        terms = names
    return "\n".join([*lines, f"    return {terms[0]};"])


def _lookup(entries: int) -> str:
    """A function for tables of so many entries; not yet formatted, as the other pieces."""
    index = "i & 0x8f" if entries == 16 else "i"
    return (
        _LOOKUP.format(entries=entries, body=_rows(entries), index=index)
        .replace("{", "{{")
        .replace("}", "}}")
    )


def text(lanes: int, lane_bits: int, kernel: str) -> str:
    """The text for a kernel, of which only the names that it uses matter."""
    size, step = lanes * lane_bits // 8, lane_bits // 8
    places = [lane * step + step - 1 - k for lane in range(lanes) for k in range(step)]
    zips = {
        f"{name}{width if width > 1 else ''}": _listed(zipped(lanes, lane_bits, width, high=name == "high"))
        for width in (1, 2, 4, 8)
        for name in ("low", "high")
        if width * lane_bits <= 64
    }
    limbs = [16 * group + 4 * k + byte for group in range(size // 16) for byte in range(4) for k in range(4)]
    pieces = [
        (("",), _NO_SWAPS if lane_bits == 8 else _SWAPS),
        (("vec_zip_",), _ZIPS),
        (("vec_select",), _SELECT),
        (("vec_same(",), _SAME),
        (("vec_lanes16",), _LANES16),
        (("vec_multiply(",), _MULTIPLY if lane_bits == 8 else _MULTIPLY_WORDS),
        (("vec_multiply_high(",), _MULTIPLY_HIGH),
        (("vec_rotate(",), _ROTATE),
        (("vec_scan", "vec_row"), _ROWS),
        *(((f"vec_lookup{entries}(",), _lookup(entries)) for entries in SIZES),
        (("vec_map",), _MAP),
        (("vec_inver",), inversions.TEXT),
        (("VEC_LIMB",), _LIMB),
        (("vec_multiply16", "vec_limbs2"), _MULTIPLY16),
        (("vec_multiply32", "vec_limbs4"), _MULTIPLY32),
    ]
    values = {"lanes": lanes, "bits": lane_bits, "size": size, "places": _listed(places), **zips}
    values |= {"limbs": _listed(limbs), **inversions.values()}
    values["scanning"] = word_permutes.SCANNING if size == 64 else "static inline"
    both = [zipped(lanes, lane_bits, 1, high=high) for high in (False, True)]
    back = sorted(range(2 * lanes), key=[*both[0], *both[1]].__getitem__)
    values |= {"even": _listed(back[:lanes]), "odd": _listed(back[lanes:])}
    wanted: list[str] = []
    for names, piece in reversed(pieces):
        if any(name in kernel or any(name in later for later in wanted) for name in names):
            wanted.append(piece.format(**values))
    words = word_permutes.halves(size, kernel) if lane_bits == 16 else ""
    return "".join([_TYPES.format(**values), *reversed(wanted), words])
