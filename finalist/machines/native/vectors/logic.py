"""Any function of three vectors, bit by bit: one instruction on vectors of 512 bits, several elsewhere."""

from __future__ import annotations

#: Bits of the vectors that have that instruction, whatever else their CPU has.
BITS = 512

_TEXT = """
/* Bit j of the result: bit a[j] + 2 b[j] + 4 c[j] of a truth table of 8 bits, a literal. The instruction's
 * first operand counts most. Elsewhere, the XOR of the products that the table is made of. */
#if {size} == 64 && defined(__AVX512F__)
#include <immintrin.h>
#define vec_logic(a, b, c, truth) \\
    ((vec)_mm512_ternarylogic_epi32((__m512i)(c), (__m512i)(b), (__m512i)(a), truth))
#else
#define vec_term(x, rows, truth) (__builtin_parity((truth) & (rows)) ? (x) : (vec){{0}})
#define vec_logic(a, b, c, truth) (__extension__ ({{ const vec a_ = (a), b_ = (b), c_ = (c); \\
    vec_term(~(vec){{0}}, 0x01, truth) ^ vec_term(a_, 0x03, truth) ^ vec_term(b_, 0x05, truth) \\
    ^ vec_term(c_, 0x11, truth) ^ vec_term(a_ & b_, 0x0f, truth) ^ vec_term(a_ & c_, 0x33, truth) \\
    ^ vec_term(b_ & c_, 0x55, truth) ^ vec_term(a_ & b_ & c_, 0xff, truth); }}))
#endif
"""


def macro(bits: int) -> str:
    """The macro for vectors of so many bits."""
    return _TEXT.format(size=bits // 8)


def needed(bits: int, code: str) -> str:
    """The macro where the code has it."""
    return macro(bits) if "vec_logic(" in code else ""
