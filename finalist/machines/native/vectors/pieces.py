"""Blocks of any number of words from memory into vectors, a word of each in every lane, and back.

A block is cut into parts of a power of two of words. A vector takes a piece of so many words of each of
several blocks, from where the blocks lie; of these vectors `lanes.network` makes words, as it does of whole
blocks. Words that are left over are read and written one by one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

from finalist.machines.native.vectors.spread import Network, network, simulate

T = TypeVar("T")

#: Bits of the narrowest piece that vector units have as a part of a register, and of the widest that pays:
#: of whole vectors it takes a step of shuffles more to make words.
_NARROWEST, _WIDEST = 128, 256

TEXT = """
/* Vectors of two or four pieces that lie apart, from memory and there. */
#if {size} == 64 && defined(__AVX512F__)
#define vec_256(p) _mm256_loadu_si256((const __m256i *)(p))
#define vec_128(p) _mm_loadu_si128((const __m128i *)(p))
#define vec_halves_load(a, b) \\
    ((vec)_mm512_inserti64x4(_mm512_castsi256_si512(vec_256(a)), vec_256(b), 1))
#define vec_halves_store(a, b, v) do {{ const __m512i v_ = (__m512i)(v); \\
    _mm256_storeu_si256((__m256i *)(a), _mm512_castsi512_si256(v_)); \\
    _mm256_storeu_si256((__m256i *)(b), _mm512_extracti64x4_epi64(v_, 1)); }} while (0)
#define vec_quarters_load(a, b, c, d) ((vec)_mm512_inserti32x4(_mm512_inserti32x4(_mm512_inserti32x4( \\
    _mm512_castsi128_si512(vec_128(a)), vec_128(b), 1), vec_128(c), 2), vec_128(d), 3))
#define vec_quarters_store(a, b, c, d, v) do {{ const __m512i v_ = (__m512i)(v); \\
    _mm_storeu_si128((__m128i *)(a), _mm512_castsi512_si128(v_)); \\
    _mm_storeu_si128((__m128i *)(b), _mm512_extracti32x4_epi32(v_, 1)); \\
    _mm_storeu_si128((__m128i *)(c), _mm512_extracti32x4_epi32(v_, 2)); \\
    _mm_storeu_si128((__m128i *)(d), _mm512_extracti32x4_epi32(v_, 3)); }} while (0)
#elif {size} == 32 && defined(__AVX2__)
#define vec_128(p) _mm_loadu_si128((const __m128i *)(p))
#define vec_halves_load(a, b) \\
    ((vec)_mm256_inserti128_si256(_mm256_castsi128_si256(vec_128(a)), vec_128(b), 1))
#define vec_halves_store(a, b, v) do {{ const __m256i v_ = (__m256i)(v); \\
    _mm_storeu_si128((__m128i *)(a), _mm256_castsi256_si128(v_)); \\
    _mm_storeu_si128((__m128i *)(b), _mm256_extracti128_si256(v_, 1)); }} while (0)
#else
#define vec_in(v, part, p, n) memcpy((uint8_t *)&(v) + (part) * (sizeof(v) / (n)), p, sizeof(v) / (n))
#define vec_out(v, part, p, n) memcpy(p, (const uint8_t *)&(v) + (part) * (sizeof(v) / (n)), sizeof(v) / (n))
#define vec_halves_load(a, b) (__extension__ ({{ vec v_; vec_in(v_, 0, a, 2); vec_in(v_, 1, b, 2); v_; }}))
#define vec_halves_store(a, b, v) do {{ const vec v_ = (v); \\
    vec_out(v_, 0, a, 2); vec_out(v_, 1, b, 2); }} while (0)
#define vec_quarters_load(a, b, c, d) (__extension__ ({{ vec v_; \\
    vec_in(v_, 0, a, 4); vec_in(v_, 1, b, 4); vec_in(v_, 2, c, 4); vec_in(v_, 3, d, 4); v_; }}))
#define vec_quarters_store(a, b, c, d, v) do {{ const vec v_ = (v); \\
    vec_out(v_, 0, a, 4); vec_out(v_, 1, b, 4); vec_out(v_, 2, c, 4); vec_out(v_, 3, d, 4); }} while (0)
#endif
"""
#: The names above that end in a number, for the sake of variables.
NAMES = frozenset({"vec_128", "vec_256"})


@dataclass(frozen=True)
class Part:
    """Words ``first`` to ``first + words`` of each block: so many vectors, and what makes words of them.

    ``blocks``: of the pieces of all these vectors, one vector after the other, the blocks that they are of:
    in the end lane k holds block k.
    """

    first: int
    words: int
    network: Network
    blocks: tuple[int, ...]

    def of(self, words: Sequence[T]) -> Sequence[T]:
        """Its words, of all those of a block."""
        return words[self.first : self.first + self.words]

    def vectors(self) -> Iterator[tuple[int, ...]]:
        """The blocks of each vector's pieces."""
        each = len(self.blocks) // self.words
        return (self.blocks[v * each : (v + 1) * each] for v in range(self.words))


def in_pieces(count: int) -> bool:
    """Whether blocks of so many words do not fill vectors one after the other."""
    return count & (count - 1) != 0


def parts(count: int, lanes: int, lane_bits: int) -> tuple[Part, ...]:
    """The parts of blocks of ``count`` words, the largest first."""
    found, first = [], 0
    size = max(min(_WIDEST, lanes * lane_bits // 2), _NARROWEST) // lane_bits
    while first < count:
        while size > count - first:
            size //= 2
        if size * lane_bits < _NARROWEST:
            size = 1
        found.append(_part(first, size, lanes, lane_bits))
        first += size
    return tuple(found)


def _part(first: int, words: int, lanes: int, lane_bits: int) -> Part:
    made = network(words, lanes, lane_bits)
    memory = [[vector * lanes + lane for lane in range(lanes)] for vector in range(words)]
    ends = [element // words for element in simulate(made.split, memory)[0]]
    return Part(first, words, made, tuple(ends.index(piece) for piece in range(lanes)))
