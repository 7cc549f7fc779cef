"""Instructions beyond the base: those that `Parameters.extra` can name. Each is one entry here.

`docs/add-an-instruction.md` takes ``extract`` as its example.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from finalist.ir.graph import TableData
from finalist.isa.target.instruction import Instruction, Operand
from finalist.isa.target.meaning import InRegister, Term, lookup, permuted
from finalist.machines.plx.formats import RA, RB, RD
from finalist.machines.plx.parameters import Parameters
from finalist.machines.plx.ptlu.instructions import parallel_lookup


def extract(p: Parameters) -> list[Instruction]:
    """A byte of a register, moved up by as many bits as an index of a table's entries wants."""
    byte = Operand("byte", "imm", 15, 12, values=tuple(range(p.word // 8)))
    up = Operand("up", "imm", 11, 10, values=(0, 1, 2, 3))

    def meaning(ra: Term, byte: int, up: int) -> Term:
        return ra.byte(byte) << up if up else ra.byte(byte)

    return [Instruction("extract {rd}, {ra}, {byte}, {up}", (RD, RA, byte, up), 0x22 << 26, meaning, "shift")]


def and_not(p: Parameters) -> list[Instruction]:
    """``ra & ~rb``."""
    return [Instruction("andn {rd}, {ra}, {rb}", (RD, RA, RB), 0x40, lambda ra, rb: ra & ~rb)]


def permute_bytes(p: Parameters) -> list[Instruction]:
    """RISC-V's xperm8 (Zbkx): each byte of ``rb`` says which byte of ``ra`` stands there; 0 past the last."""
    return [_permute("xperm8", 0x41, InRegister(wraps=False))]


def shuffle_bytes(p: Parameters) -> list[Instruction]:
    """The same, an index counting modulo the bytes of a word: of 16 as x86's pshufb, less its zeros."""
    return [_permute("shuffle", 0x42, InRegister(wraps=True))]


def _permute(name: str, code: int, kind: InRegister) -> Instruction:
    syntax = f"{name} {{rd}}, {{ra}}, {{rb}}"
    return Instruction(syntax, (RD, RA, RB), code, lambda ra, rb: permuted(rb, ra, kind))


def rounds32(p: Parameters) -> list[Instruction]:
    """RISC-V's Zkne and Zknd on 32 bits: one byte through the S-box and, with ``m``, the mixed column.

    ``rd = ra ^ (T of byte k of rb, turned up by k bytes)``. (The RISC-V Instruction Set Manual, volume I,
    chapter on scalar cryptography: aes32esmi, aes32esi, aes32dsmi, aes32dsi.)
    """
    byte = Operand("byte", "imm", 10, 9, values=(0, 1, 2, 3))

    def one(name: str, code: int, tables: tuple[TableData, ...]) -> Instruction:
        def meaning(ra: Term, rb: Term, byte: int) -> Term:
            return ra ^ lookup(tables[byte], rb.byte(byte))

        syntax = f"{name} {{rd}}, {{ra}}, {{rb}}, {{byte}}"
        return Instruction(syntax, (RD, RA, RB, byte), 0x23 << 26 | code, meaning, "alu")

    forward, inverse = _substitutions()
    return [
        one("aes32esmi", 0, _turned(forward, (2, 1, 1, 3))),
        one("aes32esi", 1, _turned(forward, (1, 0, 0, 0))),
        one("aes32dsmi", 2, _turned(inverse, (14, 9, 13, 11))),
        one("aes32dsi", 3, _turned(inverse, (1, 0, 0, 0))),
    ]


def _product(a: int, b: int) -> int:
    """In GF(2^8) modulo x^8 + x^4 + x^3 + x + 1."""
    total = 0
    while b:
        total ^= a * (b & 1)
        a, b = a << 1 ^ (0x11B if a & 0x80 else 0), b >> 1
    return total


@cache
def _substitutions() -> tuple[tuple[int, ...], tuple[int, ...]]:
    """FIPS 197, section 5.1.1: the S-box and its inverse."""
    forward = []
    for x in range(256):
        inverse = next((y for y in range(256) if _product(x, y) == 1), 0)
        turned = (inverse << k | inverse >> 8 - k for k in range(5))
        value = 0x63
        for word in turned:
            value ^= word & 0xFF
        forward.append(value)
    backward = [0] * 256
    for x, y in enumerate(forward):
        backward[y] = x
    return tuple(forward), tuple(backward)


def _turned(box: tuple[int, ...], column: tuple[int, ...]) -> tuple[TableData, ...]:
    """The box times a column, lowest byte first, turned up by 0 to 3 bytes."""
    words = [sum(_product(s, c) << 8 * k for k, c in enumerate(column)) for s in box]
    return tuple(
        TableData(tuple((w << 8 * k | w >> 32 - 8 * k) & 0xFFFFFFFF for w in words), 32) for k in range(4)
    )


#: By name.
EXTRA: dict[str, Callable[[Parameters], list[Instruction]]] = {
    "ptlu": parallel_lookup,
    "extract": extract,
    "andn": and_not,
    "aes32": rounds32,
    "xperm8": permute_bytes,
    "shuffle": shuffle_bytes,
}
