"""Instructions beyond the base: those that `Parameters.extra` can name. Each is one entry here.

`docs/add-an-instruction.md` takes ``extract`` as its example.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, reduce
from operator import xor

from finalist.ir.graph import TableData
from finalist.isa.target.instruction import Instruction, Way
from finalist.isa.target.meaning import Bank, InRegister, Term, lookup, permuted, write
from finalist.isa.target.operand import Operand
from finalist.language.tables import Table, gf_multiply
from finalist.machines.plx.parameters import Parameters

RD = Operand("rd", "def", 25, 21)
RA = Operand("ra", "use", 20, 16)
RB = Operand("rb", "use", 15, 11)
RS = Operand("rs", "use", 25, 21)
SIGNED = Operand("imm", "imm", 15, 0, signed=True)
UNSIGNED = Operand("imm", "imm", 15, 0)
TARGET = Operand("to", "target", 15, 0)
FAR = Operand("to", "target", 25, 0)


def on(unit: str) -> tuple[Way, ...]:
    """The one way in which an instruction is issued: on a unit of this kind."""
    return (Way(unit),)


def extract(p: Parameters) -> list[Instruction]:
    """A byte of a register, moved up by as many bits as an index of a table's entries wants."""
    byte = Operand("byte", "imm", 15, 12, values=tuple(range(p.word // 8)))
    up = Operand("up", "imm", 11, 10, values=(0, 1, 2, 3))

    def meaning(ra: Term, byte: int, up: int) -> Term:
        return ra.byte(byte) << up if up else ra.byte(byte)

    syntax = "extract {rd}, {ra}, {byte}, {up}"
    return [Instruction(syntax, (RD, RA, byte, up), 0x22 << 26, meaning, on("shift"))]


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

    ``rd = ra ^ (T of byte k of rb, rotated left by k bytes)``. (The RISC-V Instruction Set Manual, volume I,
    chapter on scalar cryptography: aes32esmi, aes32esi, aes32dsmi, aes32dsi.)
    """
    byte = Operand("byte", "imm", 10, 9, values=(0, 1, 2, 3))

    def one(name: str, code: int, tables: tuple[TableData, ...]) -> Instruction:
        def meaning(ra: Term, rb: Term, byte: int) -> Term:
            return ra ^ lookup(tables[byte], rb.byte(byte))

        syntax = f"{name} {{rd}}, {{ra}}, {{rb}}, {{byte}}"
        return Instruction(syntax, (RD, RA, RB, byte), 0x23 << 26 | code, meaning)

    forward = _substitution()
    inverse = forward.inverse()
    return [
        one("aes32esmi", 0, _rotated(forward, (2, 1, 1, 3))),
        one("aes32esi", 1, _rotated(forward, (1, 0, 0, 0))),
        one("aes32dsmi", 2, _rotated(inverse, (14, 9, 13, 11))),
        one("aes32dsi", 3, _rotated(inverse, (1, 0, 0, 0))),
    ]


#: x^8 + x^4 + x^3 + x + 1.
_FIELD = 0x11B


@cache
def _substitution() -> Table:
    """FIPS 197, section 5.1.1: the S-box."""
    values = []
    for x in range(256):
        inverse = square = x
        for _ in range(6):  # x^254 = x^2 * x^4 * .. * x^128
            square = gf_multiply(square, square, _FIELD)
            inverse = gf_multiply(inverse, square, _FIELD)
        inverse = gf_multiply(inverse, inverse, _FIELD)
        values.append(reduce(xor, ((inverse << k | inverse >> 8 - k) & 0xFF for k in range(5)), 0x63))
    return Table(values, name="S")


def _rotated(box: Table, column: tuple[int, ...]) -> tuple[TableData, ...]:
    """The box times a column, lowest byte first, rotated left by 0 to 3 bytes."""
    products = [[gf_multiply(s, c, _FIELD) for c in column] for s in box.data.values]
    words = [int.from_bytes(one, "little") for one in products]
    return tuple(
        TableData(tuple((w << 8 * k | w >> 32 - 8 * k) & 0xFFFFFFFF for w in words), 32) for k in range(4)
    )


#: Bytes of a table's entry that an instruction reads or writes.
SIZES = (1, 2, 4, 8, 16)


def parallel_lookup(p: Parameters) -> list[Instruction]:
    """Section 4 of the paper: ``ptlu.lookups.bytes.offset`` reads tables by adjacent bytes, ``ptlw`` writes.

    Byte k of a register, counted from the right, is looked up in table k modulo their number; offsets past
    the word begin anew, so that all tables can be reached (the paper leaves open which table is meant). No
    more bytes of an entry are read or written than it has.
    """
    size = p.word // 8
    widest = (p.entries or p.word) // 8

    def read(lookups: int, data: int, offset: int, ra: Term) -> Term | None:
        if lookups * data > size or data > widest:
            return None
        total: Term | None = None
        for k in range(lookups):
            entry = lookup(Bank((offset + k) % p.tables), ra.byte((offset + k) % size))
            if data < size:
                entry = entry & (1 << 8 * data) - 1
            entry = entry << 8 * data * k if k else entry
            total = entry if total is None else total | entry
        return total

    def change(table: int, data: int, offset: int, rs: Term, ra: Term) -> Term | None:
        if data > widest or offset >= size or table >= p.tables:
            return None
        value = ra & (1 << 8 * data) - 1 if data < size else ra
        return write(Bank(table), rs.byte(offset), value)

    number = Operand("lookups", "imm", 15, 13, values=tuple(range(1, 9)))
    table = Operand("table", "imm", 15, 13, values=tuple(range(8)))
    data = Operand("data", "imm", 12, 10, values=SIZES)
    offset = Operand("offset", "imm", 9, 6, values=tuple(range(16)))
    names = "ptlu.{lookups}.{data}.{offset} {rd}, {ra}", "ptlw.{table}.{data}.{offset} {rs}, {ra}"
    return [
        Instruction(names[0], (number, data, offset, RD, RA), 0x20 << 26, read, on("table")),
        Instruction(names[1], (table, data, offset, RS, RA), 0x21 << 26, change, on("table")),
    ]


#: By name.
EXTRA: dict[str, Callable[[Parameters], list[Instruction]]] = {
    "ptlu": parallel_lookup,
    "extract": extract,
    "andn": and_not,
    "aes32": rounds32,
    "xperm8": permute_bytes,
    "shuffle": shuffle_bytes,
}
