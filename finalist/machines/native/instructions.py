"""Instructions of the CPU that do more than an operation of the graph: what each means, and its C.

The meanings are those of Intel's Software Developer's Manual, volume 2 (AESENC and its siblings, PXOR),
written in the graph's operations; the C is that of `immintrin.h`. A register is four words of 32 bits,
byte n of its 16 the n-th in memory. On wider vectors the same happens in each 128 bits.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache

from finalist.ir.graph import Instruction, Region, WordType
from finalist.language import Table, Word, gf_matrix, gf_multiply, join
from finalist.language.trace import tracing

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


@dataclass(frozen=True)
class Spelled:
    """An instruction and its forms by width in bits."""

    instruction: Instruction
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


def _instruction(name: str, operands: int, meaning: Callable[..., Bytes]) -> Instruction:
    """The instruction whose meaning is a function of lists of bytes, one for each operand."""
    with tracing() as traced:
        make = traced.builder
        params = [make.param("argument", WordType(BITS), f"x{k}") for k in range(WORDS * operands)]
        bytes_ = [byte for param in params for byte in Word(param).bytes()]
        size = WORDS * BITS // 8
        result = meaning(*(bytes_[start : start + size] for start in range(0, len(bytes_), size)))
        words = [join(*result[start : start + 4]).node for start in range(0, size, 4)]
    return Instruction(name, Region(params, words), (WORDS,) * operands)


def _forms(call: str, macros: tuple[str, ...], wide: tuple[str, ...], widest: tuple[str, ...]) -> dict[int, Form]:
    """The forms of 128, 256 and 512 bits of a call named as Intel names its AES intrinsics."""
    return {
        128: Form(f"_mm_{call.replace('(', '_si128(')}", macros),
        256: Form(f"_mm256_{call.replace('(', '_epi128(')}", wide),
        512: Form(f"_mm512_{call.replace('(', '_epi128(')}", widest),
    }


@cache
def x86() -> tuple[Spelled, ...]:
    """The AES instructions of x86, and the XOR of registers."""
    rounds = {"aesenc": _aesenc, "aesenclast": _aesenclast, "aesdec": _aesdec, "aesdeclast": _aesdeclast}
    spelled = [
        Spelled(
            _instruction(name, 2, meaning),
            _forms(f"{name}({{0}}, {{1}})", ("__AES__",), ("__VAES__", "__AVX2__"), ("__VAES__", "__AVX512F__")),
        )
        for name, meaning in rounds.items()
    ]
    mix = Spelled(_instruction("aesimc", 1, _aesimc), {128: Form("_mm_aesimc_si128({0})", ("__AES__",))})
    xor = {
        128: Form("_mm_xor_si128({0}, {1})", ("__SSE2__",)),
        256: Form("_mm256_xor_si256({0}, {1})", ("__AVX2__",)),
        512: Form("_mm512_xor_si512({0}, {1})", ("__AVX512F__",)),
    }
    return (*spelled, mix, Spelled(_instruction("pxor", 2, _xor), xor))
