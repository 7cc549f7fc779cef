"""Instructions of the CPU that do more than an operation of the graph: what each means, and its C.

The meanings are those of Intel's Software Developer's Manual, volume 2 (AESENC and its siblings, PXOR),
written in the graph's operations; the C is that of `immintrin.h`. A register is four words of 32 bits,
byte n of its 16 the n-th in memory. On wider vectors the same happens in each 128 bits.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache

from finalist.ir.graph import Instruction, Region
from finalist.ir.types import WordType
from finalist.language import Table, Word, constant, gf_matrix, gf_multiply, join
from finalist.language.trace import tracing
from finalist.passes.simplify import simplify

#: Words of a register, and bits of one.
WORDS, BITS = 4, 32
_FIELD = 0x11B  # x^8 + x^4 + x^3 + x + 1

Bytes = list[Word]


@dataclass(frozen=True)
class Form:
    """How an instruction is written for vectors of one width."""

    #: C of the call, with a place for each operand.
    text: str
    #: Macros that the compiler defines where the CPU has the instruction.
    macros: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Spelled(Instruction):
    """An instruction with its forms, by width in bits."""

    forms: Mapping[int, Form]


def _inverse(a: int) -> int:
    """a^254, that is a^2 * a^4 * .. * a^128: the inverse in GF(2^8), and 0 for 0."""
    product, square = 1, a
    for _ in range(7):
        square = gf_multiply(square, square, _FIELD)
        product = gf_multiply(product, square, _FIELD)
    return product


def _affine(a: int) -> int:
    turned = (a << shift | a >> 8 - shift for shift in range(5))
    result = 0x63
    for word in turned:
        result ^= word & 0xFF
    return result


@cache
def _box() -> Table:
    """Inversion in GF(2^8), zero for zero, then an affine map over GF(2)."""
    return Table([_affine(_inverse(a)) for a in range(256)], name="S")


@cache
def _inverse_box() -> Table:
    return _box().inverse("S_inv")


def _substituted(state: Bytes, table: Table) -> Bytes:
    return [table[byte] for byte in state]


def _rows_shifted(state: Bytes, step: int) -> Bytes:
    """Byte n is row n mod 4 of column n div 4; row r moves by r columns."""
    return [state[(n + 4 * step * (n % 4)) % 16] for n in range(16)]


def _columns_mixed(state: Bytes, first_row: list[int]) -> Bytes:
    rows = [first_row[-r:] + first_row[:-r] if r else first_row for r in range(4)]
    matrix = gf_matrix(rows, _FIELD)
    return [byte for c in range(0, 16, 4) for byte in matrix(*state[c : c + 4])]


_MIX, _INVERSE_MIX = [2, 3, 1, 1], [14, 11, 13, 9]


def _aesenc(state: Bytes, key: Bytes) -> Bytes:
    return _xor(_columns_mixed(_rows_shifted(_substituted(state, _box()), 1), _MIX), key)


def _aesenclast(state: Bytes, key: Bytes) -> Bytes:
    return _xor(_rows_shifted(_substituted(state, _box()), 1), key)


def _aesdec(state: Bytes, key: Bytes) -> Bytes:
    return _xor(_columns_mixed(_rows_shifted(_substituted(state, _inverse_box()), -1), _INVERSE_MIX), key)


def _aesdeclast(state: Bytes, key: Bytes) -> Bytes:
    return _xor(_rows_shifted(_substituted(state, _inverse_box()), -1), key)


def _aesimc(state: Bytes) -> Bytes:
    return _columns_mixed(state, _INVERSE_MIX)


def _xor(a: Bytes, b: Bytes) -> Bytes:
    return [x ^ y for x, y in zip(a, b, strict=True)]


def _instruction(
    name: str, operands: int, meaning: Callable[..., Bytes], forms: Mapping[int, Form]
) -> Spelled:
    """The instruction whose meaning is a function of lists of bytes, one for each operand."""
    with tracing() as traced:
        make = traced.builder
        make.rule = simplify  # a word of zeros is a constant, so that the region is closed
        params = [make.param("argument", WordType(BITS), f"x{k}") for k in range(WORDS * operands)]
        bytes_ = [byte for param in params for byte in Word(param).bytes()]
        size = WORDS * BITS // 8
        result = meaning(*(bytes_[start : start + size] for start in range(0, len(bytes_), size)))
        words = [join(*result[start : start + 4]).node for start in range(0, size, 4)]
    return Spelled(name, Region(params, words), (WORDS,) * operands, forms)


def _aes_forms(name: str) -> dict[int, Form]:
    """The forms of an AES round on one, two or four registers."""
    return {
        128: Form(f"_mm_{name}_si128({{0}}, {{1}})", ("__AES__",)),
        256: Form(f"_mm256_{name}_epi128({{0}}, {{1}})", ("__VAES__", "__AVX2__")),
        512: Form(f"_mm512_{name}_epi128({{0}}, {{1}})", ("__VAES__", "__AVX512F__")),
    }


_XOR_FORMS = {
    128: Form("_mm_xor_si128({0}, {1})", ("__SSE2__",)),
    256: Form("_mm256_xor_si256({0}, {1})", ("__AVX2__",)),
    512: Form("_mm512_xor_si512({0}, {1})", ("__AVX512F__",)),
}


@cache
def xor() -> Spelled:
    """The XOR of two registers."""
    return _instruction("pxor", 2, _xor, _XOR_FORMS)


@cache
def x86() -> tuple[Spelled, ...]:
    """The AES instructions of x86, and the XOR of registers."""
    rounds = {"aesenc": _aesenc, "aesenclast": _aesenclast, "aesdec": _aesdec, "aesdeclast": _aesdeclast}
    return (
        *(_instruction(name, 2, meaning, _aes_forms(name)) for name, meaning in rounds.items()),
        _instruction("aesimc", 1, _aesimc, {128: Form("_mm_aesimc_si128({0})", ("__AES__",))}),
        xor(),
    )


Places = tuple[int | None, ...]


@cache
def shuffle(places: Places) -> Spelled:
    """The instruction that makes of a register its bytes at these places, zero for None."""

    def meaning(state: Bytes) -> Bytes:
        return [constant(0, 8) if place is None else state[place] for place in places]

    name, form = _move(places)
    return _instruction(name, 1, meaning, {128: form})


def _move(places: Places) -> tuple[str, Form]:
    """The shortest of the instructions that move bytes."""
    size = len(places)
    for amount in range(1, size):
        if places == (None,) * amount + tuple(range(size - amount)):
            return "pslldq", Form(f"_mm_slli_si128({{0}}, {amount})", ("__SSE2__",))
        if places == tuple(range(amount, size)) + (None,) * amount:
            return "psrldq", Form(f"_mm_srli_si128({{0}}, {amount})", ("__SSE2__",))
    words = [place // 4 for place in places[::4] if place is not None]
    if places == tuple(4 * word + k for word in words for k in range(4)):
        order = "".join(f"{word:02b}" for word in reversed(words))
        return "pshufd", Form(f"_mm_shuffle_epi32({{0}}, 0b{order})", ("__SSE2__",))
    listed = ", ".join("-1" if place is None else str(place) for place in places)
    return "pshufb", Form(f"_mm_shuffle_epi8({{0}}, _mm_setr_epi8({listed}))", ("__SSSE3__",))
