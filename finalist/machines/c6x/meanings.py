"""What instructions mean, in the operations of the graph: mnemonic, operands in the text's order, meaning.

``ra``, ``rb``, ``rd``: registers; ``rx``: read and written; ``imm``, ``up``, ``down``: numbers; ``hi:lo``: a
pair of registers that is written, ``sh:sl`` one that is read; ``to``: a label. An instruction whose operands
stand in another order on some units has both orders.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from finalist.ir.ops import Op
from finalist.isa.target.instruction import Meaning
from finalist.isa.target.meaning import Term, branch, constant, equal, less, select

ONES = 0xFFFF


@dataclass(frozen=True, slots=True)
class Entry:
    """An instruction of the table. ``orders``: its operands, in each order; ``listed``: numbers that change
    what it means; ``count``: the operand that says by how many bits it shifts, where that is a word."""

    mnemonic: str
    orders: tuple[str, ...]
    meaning: Callable[..., Meaning | None]
    listed: tuple[int, ...] = ()
    count: str = ""


def arithmetic(a: Term, n: Term) -> Term:
    """Shifted right, with the sign above: of a negative number the complement of its complement shifted."""
    return select(a >> 31, ~(~a >> n), a >> n)


def _pair_shl(ra: Term, imm: int) -> Mapping[str, Term]:
    """40 bits of a word shifted left."""
    above = ra >> 32 - imm if imm else constant(0)
    return {"lo": ra << imm, "hi": above if imm <= 8 else above & 0xFF}


def _low(x: Term, signed: bool) -> Term:
    return (((x & ONES) ^ 0x8000) - 0x8000) if signed else x & ONES


def _high(x: Term, signed: bool) -> Term:
    high = (x >> 16) & ONES
    return ((high ^ 0x8000) - 0x8000) if signed else high


def _product(first: str, second: str, a: bool, b: bool) -> Callable[[Term, Term], Term]:
    """A product of halves, each signed or not."""
    halves = {"l": _low, "h": _high}

    def meaning(ra: Term, rb: Term) -> Term:
        return halves[first](ra, a) * halves[second](rb, b)

    return meaning


_PRODUCTS = [
    Entry(name, ("ra rb rd",), _product(*which))
    for name, which in {
        "MPYU": ("l", "l", False, False),
        "MPYHU": ("h", "h", False, False),
        "MPYHLU": ("h", "l", False, False),
        "MPYLHU": ("l", "h", False, False),
        "MPY": ("l", "l", True, True),
        "MPYH": ("h", "h", True, True),
        "MPYHL": ("h", "l", True, True),
        "MPYLH": ("l", "h", True, True),
    }.items()
]


def _lanes(op: Callable[[Term, Term], Term], bits: int) -> Callable[[Term, Term], Term]:
    return lambda ra, rb: op(ra, rb).in_lanes(bits)


def _bytes(ra: Term, first: int) -> Term:
    """Two bytes, each as a half word."""
    return ra.byte(first) | ra.byte(first + 1) << 16


#: What both processors have.
BASE = (
    Entry("ADD", ("ra rb rd",), lambda ra, rb: ra + rb),
    Entry("ADD", ("imm ra rd", "ra imm rd"), lambda ra, imm: ra + imm),
    Entry("SUB", ("ra rb rd",), lambda ra, rb: ra - rb),
    Entry("SUB", ("imm ra rd",), lambda ra, imm: imm - ra),
    Entry("AND", ("ra rb rd",), lambda ra, rb: ra & rb),
    Entry("AND", ("imm ra rd",), lambda ra, imm: ra & imm),
    Entry("OR", ("ra rb rd",), lambda ra, rb: ra | rb),
    Entry("OR", ("imm ra rd",), lambda ra, imm: ra | imm),
    Entry("XOR", ("ra rb rd",), lambda ra, rb: ra ^ rb),
    Entry("XOR", ("imm ra rd",), lambda ra, imm: ra ^ imm),
    Entry("NOT", ("ra rd",), lambda ra: ~ra),
    Entry("MV", ("ra rd",), lambda ra: ra),
    Entry("MVK", ("imm rd",), lambda imm: imm),
    Entry("ADDAB", ("ra rb rd",), lambda ra, rb: ra + rb),
    Entry("ADDAH", ("ra rb rd",), lambda ra, rb: ra + (rb << 1)),
    Entry("ADDAW", ("ra rb rd",), lambda ra, rb: ra + (rb << 2)),
    Entry("SUBAH", ("ra rb rd",), lambda ra, rb: ra - (rb << 1)),
    Entry("SUBAW", ("ra rb rd",), lambda ra, rb: ra - (rb << 2)),
    Entry("SHL", ("ra rb rd",), lambda ra, rb: ra << (rb & 63), count="rb"),
    Entry("SHL", ("ra imm rd",), lambda ra, imm: ra << imm),
    Entry("SHL", ("ra imm hi:lo",), _pair_shl, tuple(range(32))),
    Entry("SHRU", ("ra rb rd",), lambda ra, rb: ra >> (rb & 63), count="rb"),
    Entry("SHRU", ("ra imm rd",), lambda ra, imm: ra >> imm),
    Entry("SHR", ("ra rb rd",), lambda ra, rb: arithmetic(ra, rb & 63), count="rb"),
    Entry("SHR", ("ra imm rd",), lambda ra, imm: arithmetic(ra, imm)),
    Entry("EXTU", ("ra up down rd",), lambda ra, up, down: (ra << up) >> down),
    Entry("EXT", ("ra up down rd",), lambda ra, up, down: arithmetic(ra << up, down)),
    Entry("ADDU", ("ra rb hi:lo",), lambda ra, rb: {"lo": ra + rb, "hi": less(ra + rb, rb)}),
    Entry("CMPEQ", ("ra rb rd",), lambda ra, rb: equal(ra, rb)),
    Entry("CMPEQ", ("imm ra rd",), lambda ra, imm: equal(ra, imm)),
    Entry("CMPLTU", ("ra rb rd",), lambda ra, rb: less(ra, rb)),
    Entry("CMPGTU", ("ra rb rd",), lambda ra, rb: less(rb, ra)),
    Entry("CMPGTU", ("imm ra rd",), lambda ra, imm: less(ra, imm)),
    Entry("CMPLTU", ("imm ra rd",), lambda ra, imm: less(imm, ra)),
    *_PRODUCTS,
    Entry("ADD2", ("ra rb rd",), _lanes(lambda a, b: a + b, 16)),
    Entry("SUB2", ("ra rb rd",), _lanes(lambda a, b: a - b, 16)),
    Entry("B", ("to",), lambda: branch(constant(1))),
)

#: What only the later one has.
LATER = (
    Entry("ANDN", ("ra rb rd",), lambda ra, rb: ra & ~rb),
    Entry("ADDAD", ("ra rb rd",), lambda ra, rb: ra + (rb << 3)),
    Entry("ROTL", ("ra imm rd",), lambda ra, imm: Term(Op.ROL, (ra, imm))),
    Entry("ROTL", ("ra rb rd",), lambda ra, rb: Term(Op.ROL, (ra, rb))),
    Entry("SHLMB", ("ra rb rd",), lambda ra, rb: rb << 8 | ra >> 24),
    Entry("SHRMB", ("ra rb rd",), lambda ra, rb: ra << 24 | rb >> 8),
    Entry("PACK2", ("ra rb rd",), lambda ra, rb: ra << 16 | rb & ONES),
    Entry("PACKH2", ("ra rb rd",), lambda ra, rb: ra & 0xFFFF0000 | rb >> 16),
    Entry("PACKLH2", ("ra rb rd",), lambda ra, rb: ra << 16 | rb >> 16),
    Entry("PACKHL2", ("ra rb rd",), lambda ra, rb: ra & 0xFFFF0000 | rb & ONES),
    Entry("UNPKLU4", ("ra rd",), lambda ra: _bytes(ra, 0)),
    Entry("UNPKHU4", ("ra rd",), lambda ra: _bytes(ra, 2)),
    Entry("ADD4", ("ra rb rd",), _lanes(lambda a, b: a + b, 8)),
    Entry("SUB4", ("ra rb rd",), _lanes(lambda a, b: a - b, 8)),
    Entry("MVD", ("ra rd",), lambda ra: ra),
)
