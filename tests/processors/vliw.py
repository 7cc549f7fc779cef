"""A small VLIW processor: two sides, cross paths, exposed delay slots, predicates.

Each side has 16 registers of 32 bits, and units l (logic, sums), s (shifts, branches), m (products), d
(memory). A unit writes registers of its own side; its second source may come from the other one, over the one
cross path that leads to its side. A load can bring its word to either side. Results of loads can be read 4
cycles later, of products 2; a branch is carried out 5 cycles later.
"""

from __future__ import annotations

from collections.abc import Callable

from finalist.isa.target.instruction import Instruction, Way
from finalist.isa.target.meaning import Flow, Term, branch, constant, equal, less, load, ror, store
from finalist.isa.target.operand import Operand
from finalist.isa.target.processor import Predicates, Processor
from finalist.isa.target.registers import RegisterFile

#: Bits of an instruction: condition 31-29, code 28-23, operands 22-4, way 3-1, issued with the next one 0.
RD = Operand("rd", "def", 22, 19)
RA = Operand("ra", "use", 18, 15)
RB = Operand("rb", "use", 14, 11)
RS = Operand("rs", "use", 22, 19)
SHORT = Operand("imm", "imm", 14, 9, signed=True)
AMOUNT = Operand("imm", "imm", 14, 10)
OFFSET = Operand("imm", "imm", 14, 4)
LONG = Operand("imm", "imm", 18, 4, signed=True)
PLACE = Operand("imm", "imm", 18, 4)
LABEL = Operand("to", "target", 22, 4)
SIDES = (("1", "a", "b"), ("2", "b", "a"))


def ways(units: str, own: str, across: str = "", either: str = "") -> tuple[Way, ...]:
    """On units of both sides: operands of its own side, one that may come across, one on either side."""
    found = []
    for unit in units:
        for number, here, there in SIDES:
            files = dict.fromkeys(own.split(), here)
            for crossing in (False, True) if across else (False,):
                for other in (here, there) if either else (here,):
                    more = {**({across: there if crossing else here} if across else {})}
                    more |= {either: other} if either else {}
                    paths = (f"x{number}",) if crossing else ()
                    paths += (f"t{'12'['ab'.index(other)]}",) if either else ()
                    name = f".{unit}{number}" + "x" * crossing + (other if either else "")
                    found.append(Way(unit + number, paths, files | more, name, len(found) << 1))
    return tuple(found)


def _three(
    code: int, name: str, meaning: Callable[[Term, Term], Term], units: str, latency: int = 1
) -> Instruction:
    return Instruction(
        f"{name}{{way}} {{rd}}, {{ra}}, {{rb}}",
        (RD, RA, RB),
        code << 23,
        lambda ra, rb: meaning(ra, rb),
        ways(units, "rd ra", across="rb"),
        latency,
        predicable=True,
    )


def _number(
    code: int, name: str, meaning: Callable[[Term, Term], Term], units: str, imm: Operand = SHORT
) -> Instruction:
    return Instruction(
        f"{name}{{way}} {{rd}}, {{ra}}, {{imm}}",
        (RD, RA, imm),
        code << 23,
        lambda ra, imm: meaning(ra, imm),
        ways(units, "rd ra"),
        predicable=True,
    )


def _memory(code: int, size: int) -> list[Instruction]:
    bits = 8 * size
    unit = ways("d", "ra", either="rd"), ways("d", "ra", either="rs")
    fixed = ways("d", "", either="rd"), ways("d", "", either="rs")
    more = {"predicable": True}
    return [
        Instruction(f"ld{bits}{{way}} {{rd}}, {{imm}}({{ra}})", (RD, RA, OFFSET), code << 23,
                    lambda ra, imm: load(size, ra + imm), unit[0], 4, **more),
        Instruction(f"lda{bits}{{way}} {{rd}}, {{imm}}", (RD, PLACE), code + 1 << 23,
                    lambda imm: load(size, imm), fixed[0], 4, **more),
        Instruction(f"st{bits}{{way}} {{rs}}, {{imm}}({{ra}})", (RS, RA, OFFSET), code + 2 << 23,
                    lambda rs, ra, imm: store(size, ra + imm, rs), unit[1], **more),
        Instruction(f"sta{bits}{{way}} {{rs}}, {{imm}}", (RS, PLACE), code + 3 << 23,
                    lambda rs, imm: store(size, imm, rs), fixed[1], **more),
    ]  # fmt: skip


def _move(
    syntax: str, source: Operand, code: int, meaning: Callable[[Term], Term], across: str = ""
) -> Instruction:
    return Instruction(syntax, (RD, source), code << 23, meaning, ways("ls", "rd", across), predicable=True)


def processor() -> Processor:
    """The processor."""
    here = ways("s", "")
    instructions = [
        _three(1, "add", lambda a, b: a + b, "ls"),
        _three(2, "sub", lambda a, b: a - b, "l"),
        _three(3, "and", lambda a, b: a & b, "ls"),
        _three(4, "or", lambda a, b: a | b, "ls"),
        _three(5, "xor", lambda a, b: a ^ b, "ls"),
        _three(6, "sltu", less, "l"),
        _three(7, "seq", equal, "l"),
        _three(8, "shl", lambda a, b: a << (b & 31), "s"),
        _three(9, "shr", lambda a, b: a >> (b & 31), "s"),
        _three(10, "rotr", ror, "s"),
        _three(11, "mul", lambda a, b: a * b, "m", 2),
        _number(16, "addi", lambda a, b: a + b, "ls"),
        _number(17, "andi", lambda a, b: a & b, "l", Operand("imm", "imm", 14, 7)),
        _number(18, "shli", lambda a, b: a << b, "s", AMOUNT),
        _number(19, "shri", lambda a, b: a >> b, "s", AMOUNT),
        _number(20, "rotri", ror, "s", AMOUNT),
        _move("mv{way} {rd}, {rb}", RB, 24, lambda rb: rb, "rb"),
        _move("mvi{way} {rd}, {imm}", LONG, 25, lambda imm: imm),
        *(one for k, size in enumerate((1, 2, 4)) for one in _memory(32 + 4 * k, size)),
        Instruction("b{way} {to}", (LABEL,), 48 << 23, lambda: branch(constant(1)), here, 5, predicable=True),
        Instruction("nop", (), 49 << 23, lambda: Term(Flow.IDLE), (Way(""),)),
        Instruction("halt", (), 50 << 23, lambda: Term(Flow.HALT)),
    ]
    files = {name: RegisterFile(name, 16, 32) for name in "ab"}
    units = [f"{unit}{side}" for unit in "lsmdxt" for side in "12"]
    conditions = Predicates(31, 29, (("a", 0), ("b", 0), ("b", 1)))
    return Processor(
        "vliw",
        files,
        tuple(instructions),
        issue=8,
        units=dict.fromkeys(units, 1),
        exposed=True,
        parallel=0,
        predicates=conditions,
        reserved=8,
        reach=1 << 11,
    )
