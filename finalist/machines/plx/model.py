"""The processor as data: Fiskiran and Lee, "Fast Parallel Table Lookups to Accelerate Symmetric-Key
Cryptography" (ITCC 2005), table 2 and section 4; encoding and open points are this project's.

32 registers of 32, 64 or 128 bits, register 0 is 0. Instruction words of 32 bits. Loads give zeros above what
they read. Amounts in registers count modulo the word. ``bg`` and ``bge`` compare unsigned.
"""

from __future__ import annotations

from collections.abc import Callable

from finalist.errors import UnknownNameError
from finalist.isa.target.instruction import Instruction
from finalist.isa.target.meaning import (
    Flow,
    Term,
    branch,
    equal,
    less,
    load,
    mul_high,
    ror,
    select,
    store,
)
from finalist.isa.target.operand import Operand
from finalist.isa.target.processor import Processor
from finalist.isa.target.registers import RegisterFile
from finalist.machines.plx.extra import EXTRA, FAR, RA, RB, RD, RS, SIGNED, TARGET, UNSIGNED, on
from finalist.machines.plx.parameters import Parameters

REGISTERS = 32


def processor(p: Parameters) -> Processor:
    """The processor with these parameters."""
    base = [*_arithmetic(p), *_shifts(p.word), *_memory(p.word), *_flow()]
    if p.word > 32:
        base += _subwords()
    for name in p.extra:
        if name not in EXTRA:
            raise UnknownNameError(f"with={name}; accepted: {', '.join(EXTRA)}")
        base += EXTRA[name](p)
    units = {"shift": p.shifters, "mul": p.multipliers, "mem": p.ports, "table": p.issue, "branch": 1}
    return Processor(
        name="plx",
        files={"r": RegisterFile("r", REGISTERS, p.word, zero=0)},
        instructions=tuple(base),
        issue=p.issue,
        units=units,
        banks=p.tables if "ptlu" in p.extra else 0,
        entry_bits=p.entries or p.word,
        link=31,
        cache=p.cache,
    )


def three(
    name: str, function: int, meaning: Callable[..., Term | None], unit: str = "alu", latency: int = 1
) -> Instruction:
    """``name rd, ra, rb``, the function in the lowest bits of the instruction word."""
    return Instruction(f"{name} {{rd}}, {{ra}}, {{rb}}", (RD, RA, RB), function, meaning, on(unit), latency)


def immediate(
    name: str, major: int, meaning: Callable[..., Term | None], imm: Operand = SIGNED, unit: str = "alu"
) -> Instruction:
    """``name rd, ra, imm``."""
    return Instruction(f"{name} {{rd}}, {{ra}}, {{imm}}", (RD, RA, imm), major << 26, meaning, on(unit))


def _arithmetic(p: Parameters) -> list[Instruction]:
    half = (1 << p.multiplier) - 1 if p.multiplier else 0

    def low(ra: Term, rb: Term) -> Term:
        return (ra & half) * (rb & half) if half else ra * rb

    found = [
        three("add", 0x01, lambda ra, rb: ra + rb),
        three("sub", 0x02, lambda ra, rb: ra - rb),
        three("and", 0x03, lambda ra, rb: ra & rb),
        three("or", 0x04, lambda ra, rb: ra | rb),
        three("xor", 0x05, lambda ra, rb: ra ^ rb),
        Instruction("not {rd}, {ra}", (RD, RA), 0x06, lambda ra: ~ra),
        three("mul.lo", 0x10, low, "mul", p.latency),
        immediate("addi", 0x01, lambda ra, imm: ra + imm),
        immediate("subi", 0x02, lambda ra, imm: ra - imm),
        immediate("andi", 0x03, lambda ra, imm: ra & imm, UNSIGNED),
        immediate("ori", 0x04, lambda ra, imm: ra | imm, UNSIGNED),
        immediate("xori", 0x05, lambda ra, imm: ra ^ imm, UNSIGNED),
        Instruction("loadi {rd}, {imm}", (RD, Operand("imm", "imm", 20, 0, signed=True)), 0x06 << 26, _same),
    ]
    if not half:
        found.append(three("mul.hi", 0x11, lambda ra, rb: mul_high(ra, rb), "mul", p.latency))
    return found


def _same(imm: Term) -> Term:
    return imm


def _shifts(width: int) -> list[Instruction]:
    """Shifts and rotations by a number or a register."""
    amount = Operand("imm", "imm", width.bit_length() - 2, 0)
    within = width - 1

    def arithmetic(a: Term, n: Term) -> Term:
        # Of a negative number the complement of its complement moved.
        return select(a >> width - 1, ~(~a >> n), a >> n)

    by_register: list[tuple[str, int, Callable[..., Term]]] = [
        ("sll", 0x20, lambda ra, rb: ra << (rb & within)),
        ("srl", 0x21, lambda ra, rb: ra >> (rb & within)),
        ("sra", 0x22, lambda ra, rb: arithmetic(ra, rb & within)),
        ("rotr", 0x23, lambda ra, rb: ror(ra, rb)),
    ]
    by_number: list[tuple[str, int, Callable[..., Term]]] = [
        ("slli", 0x08, lambda ra, imm: ra << imm),
        ("srli", 0x09, lambda ra, imm: ra >> imm),
        ("srai", 0x0A, lambda ra, imm: arithmetic(ra, imm)),
        ("rotri", 0x0B, lambda ra, imm: ror(ra, imm)),
    ]
    return [three(name, code, meaning, "shift") for name, code, meaning in by_register] + [
        immediate(name, code, meaning, amount, "shift") for name, code, meaning in by_number
    ]


def _memory(width: int) -> list[Instruction]:
    """Loads and stores of 1 byte to a whole word, at a register plus a displacement."""
    found = []
    for place, size in enumerate(s for s in (1, 2, 4, 8, 16) if 8 * s <= width):
        found += [_load(size, 0x10 + place), _store(size, 0x18 + place)]
    return found


def _load(size: int, major: int) -> Instruction:
    return Instruction(
        f"load.{8 * size} {{rd}}, {{imm}}({{ra}})",
        (RD, SIGNED, RA),
        major << 26,
        lambda ra, imm: load(size, ra + imm),
        on("mem"),
    )


def _store(size: int, major: int) -> Instruction:
    return Instruction(
        f"store.{8 * size} {{rs}}, {{imm}}({{ra}})",
        (RS, SIGNED, RA),
        major << 26,
        lambda rs, ra, imm: store(size, ra + imm, rs),
        on("mem"),
    )


def _flow() -> list[Instruction]:
    """Branches, calls, the end."""
    return [
        _branch("beq", 0x30, lambda rs, ra: branch(equal(rs, ra))),
        _branch("bne", 0x31, lambda rs, ra: branch(equal(rs, ra) ^ 1)),
        _branch("bg", 0x32, lambda rs, ra: branch(less(ra, rs))),
        _branch("bge", 0x33, lambda rs, ra: branch(less(rs, ra) ^ 1)),
        Instruction("call {to}", (FAR,), 0x34 << 26, lambda: Term(Flow.CALL), on("branch")),
        Instruction("return", (), 0x35 << 26, lambda: Term(Flow.RETURN), on("branch")),
        Instruction("trap", (), 0x36 << 26, lambda: Term(Flow.HALT), on("branch")),
    ]


def _branch(name: str, major: int, meaning: Callable[..., Term]) -> Instruction:
    return Instruction(f"{name} {{rs}}, {{ra}}, {{to}}", (RS, RA, TARGET), major << 26, meaning, on("branch"))


def _subwords() -> list[Instruction]:
    """Operations on the 32-bit parts of a word."""
    amount = Operand("imm", "imm", 4, 0)
    return [
        three("padd", 0x30, lambda ra, rb: (ra + rb).in_lanes(32)),
        three("psub", 0x31, lambda ra, rb: (ra - rb).in_lanes(32)),
        three("protr", 0x32, lambda ra, rb: ror(ra, rb).in_lanes(32), "shift"),
        immediate("psrli", 0x0C, lambda ra, imm: (ra >> imm).in_lanes(32), amount, "shift"),
        immediate("pslli", 0x0D, lambda ra, imm: (ra << imm).in_lanes(32), amount, "shift"),
        immediate("protri", 0x0E, lambda ra, imm: ror(ra, imm).in_lanes(32), amount, "shift"),
    ]
