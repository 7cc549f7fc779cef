"""Parallel table lookup: the two instructions, as entries of the processor's table."""

from __future__ import annotations

from finalist.isa.target.instruction import Instruction
from finalist.isa.target.meaning import Bank, Term, lookup, write
from finalist.isa.target.operand import Operand
from finalist.machines.plx.formats import RA, RD, RS, on
from finalist.machines.plx.parameters import Parameters

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
