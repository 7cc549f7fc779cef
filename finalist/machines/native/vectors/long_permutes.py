"""Tables of 32-bit words read by permutes, for indices in lanes of 64 bits.

A row of a table fills a register; a permute takes from it what the index's lower bits say, and choices
between rows follow its upper bits. As with bytes (`finalist.machines.native.vectors.permutes`), no address
depends on the index.
"""

from __future__ import annotations

from finalist.ir.graph import TableData

#: Bits of an entry, and how many entries a table may have.
ENTRY = 32
SIZES = (16, 32, 64)
#: The functions' names, for the sake of variables.
NAMES = frozenset(f"vec_words{entries}" for entries in SIZES)

_HEAD = """
/* How vectors are passed between files, which compilers warn of, does not matter to functions of this one. */
#pragma GCC diagnostic ignored "-Wpsabi"
"""

_LOOKUP = """
/* Entry i of a table of {entries} words: rows by permutes, choices between rows by the upper bits of i. */
static inline vec vec_words{entries}(const uint32_t *t, vec i)
{{
#if {size} == 64 && defined(__AVX512F__)
    const __m512i x = (__m512i)i;
{wide}
#elif {size} == 32 && defined(__AVX2__)
    const __m256i x = (__m256i)i;
{narrow}
#else
    vec found = {{0}};
    for (uint32_t e = 0; e < {entries}; e++)
        found |= (vec)(i == e) & t[e];
    return found;
#endif
}}
"""


def padded(table: TableData) -> TableData:
    """The table with as many entries as the smallest that a permute is written for."""
    missing = (0,) * (SIZES[0] - len(table.values))
    return TableData(table.values + missing, table.width, table.name, table.note) if missing else table


def name(entries: int) -> str:
    """The function for a table of so many entries."""
    return f"vec_words{max(SIZES[0], entries)}"


def text(size: int, kernel: str) -> str:
    """The functions that a kernel calls, for vectors of ``size`` bytes."""
    wanted = [entries for entries in SIZES if f"{name(entries)}(" in kernel]
    functions = "".join(
        _LOOKUP.format(entries=entries, size=size, wide=_wide(entries), narrow=_narrow(entries))
        for entries in wanted
    )
    return _HEAD + functions if wanted else ""


def _narrow(entries: int) -> str:
    """Eight entries a row, and a tree of choices: a bit of the index becomes the sign that `blendv` sees."""
    lines, level = [], 0
    names = [f"r{row}" for row in range(entries // 8)]
    for row, made in enumerate(names):
        loaded = f"_mm256_loadu_si256((const __m256i *)t + {row})"
        lines.append(f"    const __m256i {made} = _mm256_permutevar8x32_epi32({loaded}, x);")
    while len(names) > 1:
        bit = f"b{level}"
        lines.append(f"    const __m256 {bit} = (__m256)_mm256_slli_epi32(x, {28 - level});")
        pairs = list(zip(names[::2], names[1::2], strict=True))
        names = [f"c{level}_{place}" for place in range(len(pairs))]
        for made, (a, b) in zip(names, pairs, strict=True):
            chosen = f"_mm256_blendv_ps((__m256){a}, (__m256){b}, {bit})"
            lines.append(f"    const __m256i {made} = (__m256i){chosen};")
        level += 1
    return "\n".join([*lines, f"    return (vec){names[0]} & 0xffffffffu;"])


def _wide(entries: int) -> str:
    """Sixteen entries a row, and permutes that take two rows."""
    rows = [f"_mm512_loadu_si512((const void *)(t + {16 * row}))" for row in range(entries // 16)]
    if len(rows) == 1:
        found = f"_mm512_permutexvar_epi32(x, {rows[0]})"
        return f"    return (vec){found} & 0xffffffffu;"
    pairs = [f"_mm512_permutex2var_epi32({a}, x, {b})" for a, b in zip(rows[::2], rows[1::2], strict=True)]
    lines = [f"    const __m512i r{place} = {pair};" for place, pair in enumerate(pairs)]
    if len(pairs) == 2:
        lines.append("    const __mmask16 upper = _mm512_test_epi32_mask(x, _mm512_set1_epi32(32));")
        lines.append("    const __m512i chosen = _mm512_mask_blend_epi32(upper, r0, r1);")
    return "\n".join([*lines, f"    return (vec){'chosen' if len(pairs) == 2 else 'r0'} & 0xffffffffu;"])
