"""Any function of three vectors, bit by bit: one instruction on vectors of 512 bits, several elsewhere."""

from __future__ import annotations

import re
from functools import cache

#: Bits of the vectors that have that instruction, whatever else their CPU has.
BITS = 512

_TEXT = """
/* Bit j of the result: bit a[j] + 2 b[j] + 4 c[j] of a truth table of 8 bits, a literal. The instruction's
 * first operand counts most. */
#if {size} == 64 && defined(__AVX512F__)
#define vec_logic(a, b, c, truth) \\
    ((vec)_mm512_ternarylogic_epi32((__m512i)(c), (__m512i)(b), (__m512i)(a), truth))
#else
#pragma GCC diagnostic ignored "-Wpsabi"
#define vec_logic(a, b, c, truth) vec_logic_##truth(a, b, c)
{functions}#endif
"""

_FUNCTION = """\
static inline vec vec_logic_{truth}(vec a, vec b, vec c) {{ {unused}return {expression}; }}
"""

_USED = re.compile(r", (0x[0-9a-f]{2})\)")
_ALL = 0xFF
_WORDS = {0xAA: "a", 0xCC: "b", 0xF0: "c", 0: "a ^ a"}
_OPERATIONS = (("^", int.__xor__), ("&", int.__and__), ("|", int.__or__))


def literal(truth: int) -> str:
    """A truth table as it stands in the text."""
    return f"0x{truth:02x}"


def macro(bits: int, code: str) -> str:
    """The macro for vectors of so many bits, for the functions that ``code`` has."""
    lines = (line for line in code.splitlines() if "vec_logic(" in line)
    truths = sorted({int(found, 16) for line in lines for found in _USED.findall(line)})
    return _TEXT.format(size=bits // 8, functions="".join(map(_function, truths)))


def needed(bits: int, code: str) -> str:
    """The macro where the code has it."""
    return macro(bits, code) if "vec_logic(" in code else ""


def _function(truth: int) -> str:
    expression = expressions()[truth]
    unused = "".join(f"(void){word}; " for word in "abc" if not re.search(rf"\b{word}\b", expression))
    return _FUNCTION.format(truth=literal(truth), unused=unused, expression=expression)


@cache
def expressions() -> dict[int, str]:
    """For each function of a, b and c one of its shortest expressions in C."""
    sizes = [dict(_WORDS)]
    known = dict(_WORDS)
    while len(known) <= _ALL:
        found: dict[int, str] = {}
        for truth, text in _of_size(sizes):
            if truth not in known:
                found.setdefault(truth, text)
        sizes.append(found)
        known |= found
    return known


def _of_size(sizes: list[dict[int, str]]) -> list[tuple[int, str]]:
    """What one more operation makes of expressions that together have one less than there are sizes."""
    made = [(~truth & _ALL, f"~{_inner(text)}") for truth, text in sizes[-1].items()]
    for low in range((len(sizes) + 1) // 2):
        for a, first in sizes[low].items():
            for b, second in sizes[len(sizes) - 1 - low].items():
                x, y = _inner(first), _inner(second)
                made += [(operation(a, b), f"{x} {sign} {y}") for sign, operation in _OPERATIONS]
    return made


def _inner(text: str) -> str:
    """As an operand."""
    return f"({text})" if " " in text else text
