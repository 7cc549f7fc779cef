"""The processor as data: a Motorola 68HC05 core. Opcodes, lengths and cycles are those of ``opcodes.json``;
here is what each mnemonic means.

Left out is what programs of ciphers have no use for: interrupts and their mask, the pin, the half carry (only
``bhcc`` and ``bhcs`` read it). The text is what SDCC's assembler ``sdas6808`` takes after ``.hc05``.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from inspect import Parameter, Signature, signature

from finalist.errors import UnknownNameError, unknown
from finalist.ir.ops import Op
from finalist.isa.target.instruction import Instruction
from finalist.isa.target.meaning import (
    Flow,
    Term,
    branch,
    constant,
    equal,
    less,
    load,
    mul_high,
    operand,
    store,
)
from finalist.isa.target.operand import Operand
from finalist.isa.target.processor import Counting, Idiom, Processor, WorkingMemory
from finalist.isa.target.registers import RegisterFile

FILES = {
    "a": RegisterFile("A", 1, 8),
    "x": RegisterFile("X", 1, 8),
    "c": RegisterFile("C", 1, 1, status=True),
    "z": RegisterFile("Z", 1, 1, status=True),
    "n": RegisterFile("N", 1, 1, status=True),
}
#: Where memory begins, and what is not words of the block; where code begins; where all ends.
RAM, REST, CODE, END = 0x40, 0x0520, 0x4000, 0x10000
#: Calls push their return address from here downwards.
STACK = 0xFF

#: What an instruction does, of registers by name and of ``m``, a number or an operand in memory.
Meaning = Callable[..., Mapping[str, Term] | Term]


def _named(word: Term) -> dict[str, Term]:
    """The condition codes of a word."""
    return {"z": equal(word, constant(0)), "n": word >> 7}


def _to(name: str, word: Term, **flags: Term) -> dict[str, Term]:
    return {name: word, **_named(word), **flags}


def _adc(a: Term, m: Term, c: Term) -> Mapping[str, Term]:
    part = a + m
    whole = part + c
    return _to("a", whole, c=less(part, m) | less(whole, c))


def _sbc(a: Term, m: Term, c: Term) -> Mapping[str, Term]:
    part = a - m
    whole = part - c
    return _to("a", whole, c=less(a, m) | less(part, c))


def _bitwise(op: Op) -> Meaning:
    return lambda a, m: _to("a", Term(op, (a, m)))


#: With an operand that is a number or in memory.
OPERATIONS: dict[str, Meaning] = {
    "LDA": lambda m: _to("a", m),
    "LDX": lambda m: _to("x", m),
    "ADD": lambda a, m: _to("a", a + m, c=less(a + m, m)),
    "ADC": _adc,
    "SUB": lambda a, m: {"a": a - m, "c": less(a, m), "z": equal(a, m), "n": (a - m) >> 7},
    "SBC": _sbc,
    "AND": _bitwise(Op.AND),
    "ORA": _bitwise(Op.OR),
    "EOR": _bitwise(Op.XOR),
    "CMP": lambda a, m: {"c": less(a, m), "z": equal(a, m), "n": (a - m) >> 7},
    "CPX": lambda x, m: {"c": less(x, m), "z": equal(x, m), "n": (x - m) >> 7},
    "BIT": lambda a, m: _named(a & m),
}
#: To memory.
STORES: dict[str, str] = {"STA": "a", "STX": "x"}
#: On a register, or on a byte of memory in place: the word, and the carry where it changes.
IN_PLACE: dict[str, Callable[..., tuple[Term, Term | None]]] = {
    "NEG": lambda m: (constant(0) - m, equal(m, constant(0)) ^ 1),
    "COM": lambda m: (~m, constant(1)),
    "LSR": lambda m: (m >> 1, m & 1),
    "ROR": lambda m, c: (m >> 1 | c << 7, m & 1),
    "ASR": lambda m: (m >> 1 | (m & 0x80), m & 1),
    "ASL": lambda m: (m << 1, m >> 7),
    "ROL": lambda m, c: (m << 1 | c, m >> 7),
    "DEC": lambda m: (m - 1, None),
    "INC": lambda m: (m + 1, None),
    "CLR": lambda m: (constant(0), None),
}
INHERENT: dict[str, Meaning] = {
    "TAX": lambda a: {"x": a},
    "TXA": lambda x: {"a": x},
    "CLC": lambda: {"c": constant(0)},
    "SEC": lambda: {"c": constant(1)},
    "MUL": lambda a, x: {"a": a * x, "x": mul_high(a, x), "c": constant(0)},
    "RTS": lambda: Term(Flow.RETURN),
    "STOP": lambda: Term(Flow.HALT),
    "NOP": lambda: Term(Flow.IDLE),
}
BRANCHES: dict[str, Meaning] = {
    "BRA": lambda: branch(constant(1)),
    "BNE": lambda z: branch(z ^ 1),
    "BEQ": lambda z: branch(z),
    "BCC": lambda c: branch(c ^ 1),
    "BCS": lambda c: branch(c),
    "BPL": lambda n: branch(n ^ 1),
    "BMI": lambda n: branch(n),
    "BHI": lambda c, z: branch((c | z) ^ 1),
    "BLS": lambda c, z: branch(c | z),
    "BSR": lambda: Term(Flow.CALL),
}
JUMPS: dict[str, Meaning] = {"JMP": lambda: branch(constant(1)), "JSR": lambda: Term(Flow.CALL)}
#: How an operand is written, its bits, the address of what it names; by mode.
MODES: dict[str, tuple[str, int, Callable[..., Term] | None]] = {
    "IMM": (" #{m}", 8, None),
    "DIR": (" *{m}", 8, lambda m: m),
    "EXT": (" {m}", 16, lambda m: m),
    "IX": (" ,x", 0, lambda x: x.extend(16)),
    "IX1": (" {m},x", 8, lambda m, x: x.extend(16) + m),
    "IX2": (" {m},x", 16, lambda m, x: x.extend(16) + m),
}


@cache
def opcodes() -> list[dict[str, object]]:
    """The opcodes of the core, with bytes and cycles."""
    text = files(__package__).joinpath("opcodes.json").read_text(encoding="utf-8")
    found: list[dict[str, object]] = json.loads(text)["opcodes"]
    return found


def _names(meaning: Callable[..., object]) -> tuple[str, ...]:
    return tuple(signature(meaning).parameters)


def _taking(names: tuple[str, ...], meaning: Meaning) -> Meaning:
    """A meaning with the parameters that it is said to have."""

    def made(**given: Term) -> Mapping[str, Term] | Term:
        return meaning(**given)

    # What `inspect.signature` reads, by which an instruction finds its operands; mypy does not know of it.
    every = [Parameter(name, Parameter.KEYWORD_ONLY) for name in names]
    made.__signature__ = Signature(every)  # type: ignore[attr-defined]
    return made


def _with_operand(operation: Meaning, place: Callable[..., Term] | None) -> Meaning:
    """The operation on what a mode finds."""
    own, read = _names(operation), () if place is None else _names(place)

    def meaning(**given: Term) -> Mapping[str, Term] | Term:
        found = given["m"] if place is None else load(1, place(**{n: given[n] for n in read}))
        return operation(**{n: found if n == "m" else given[n] for n in own})

    return _taking(tuple(dict.fromkeys((*own, *read))), meaning)


def _storing(register: str, place: Callable[..., Term]) -> Meaning:
    own = _names(place)

    def meaning(**given: Term) -> Mapping[str, Term]:
        value = given[register]
        return {"": store(1, place(**{n: given[n] for n in own}), value), **_named(value)}

    return _taking(tuple(dict.fromkeys((register, *own))), meaning)


def _in_place(name: str, place: Callable[..., Term] | str) -> Meaning:
    """The operation on a register, or on the byte at a place."""
    operation = IN_PLACE[name]
    own = _names(operation)
    carry = tuple(n for n in own if n == "c")
    read = (place,) if isinstance(place, str) else _names(place)

    def meaning(**given: Term) -> Mapping[str, Term]:
        where = None if isinstance(place, str) else place(**{n: given[n] for n in read})
        old = given[str(place)] if where is None else load(1, where)
        known = {"m": old, **{n: given[n] for n in carry}}
        word, over = operation(**{n: known[n] for n in own})
        flags = _named(word) | ({} if over is None else {"c": over})
        return {str(place): word, **flags} if where is None else {"": store(1, where, word), **flags}

    return _taking(tuple(dict.fromkeys((*read, *carry))), meaning)


def _instruction(
    code: Mapping[str, object], syntax: str, meaning: Meaning, bits: int, kind: str = "imm"
) -> Instruction:
    read = _names(meaning)
    made = meaning(**{name: operand(name) for name in read})
    written = set(made) if isinstance(made, Mapping) else set()
    operands = []
    for name in FILES:
        if name in written or name in read:
            what = "use" if name not in written else "both" if name in read else "def"
            operands.append(Operand(name, what, file=name))
    if bits:
        operands.append(Operand("m" if kind == "imm" else "to", kind, bits - 1))
    opcode = int(str(code["opcode"]), 16) << bits
    return Instruction(
        syntax, tuple(operands), opcode, meaning, bits=8 + bits, cycles=int(str(code["cycles"]))
    )


def _tested(code: Mapping[str, object]) -> Instruction:
    """A bit of a byte to the carry: a branch on it, to the next instruction either way."""
    bit = int(str(code["bit"]))

    def meaning(m: Term) -> Mapping[str, Term]:
        return {"c": load(1, m) >> bit & 1 if bit else load(1, m) & 1}

    operands = (Operand("c", "def", file="c"), Operand("m", "imm", 15, 8))
    opcode, cycles = int(str(code["opcode"]), 16) << 16, int(str(code["cycles"]))
    return Instruction(f"brset #{bit},*{{m}},.+3", operands, opcode, meaning, bits=24, cycles=cycles)


def _modelled(code: Mapping[str, object]) -> Instruction | None:
    """An opcode with its meaning; None of those that programs have no use for."""
    name, mode = str(code["mnemonic"]), str(code["mode"])
    text, register = name.lower(), name[-1].lower()
    if mode == "INH":
        if name in INHERENT:
            return _instruction(code, text, INHERENT[name], 0)
        known = name[:-1] in IN_PLACE and register in FILES
        return _instruction(code, text, _in_place(name[:-1], register), 0) if known else None
    if mode == "REL":
        known = name in BRANCHES
        return _instruction(code, f"{text} {{to}}", BRANCHES[name], 8, "target") if known else None
    if name in JUMPS:
        return _instruction(code, f"{text} {{to}}", JUMPS[name], 16, "place") if mode == "EXT" else None
    if mode == "DIR_REL" and name.startswith("BRSET"):
        return _tested(code)
    if mode not in MODES:
        return None
    syntax, bits, place = MODES[mode]
    if name in OPERATIONS:
        return _instruction(code, text + syntax, _with_operand(OPERATIONS[name], place), bits)
    if place is not None and name in STORES:
        return _instruction(code, text + syntax, _storing(STORES[name], place), bits)
    if place is not None and name in IN_PLACE:
        return _instruction(code, text + syntax, _in_place(name, place), bits)
    return None


@cache
def instructions() -> tuple[Instruction, ...]:
    """All opcodes that programs use."""

    def every() -> Iterator[Instruction]:
        for code in opcodes():
            made = _modelled(code)
            if made is not None:
                yield made

    return tuple(every())


def _by_name(name: str, mode: str) -> Instruction:
    """An opcode with its meaning."""
    code = next(code for code in opcodes() if (code["mnemonic"], code["mode"]) == (name, mode))
    return next(one for one in instructions() if one.code >> one.bits - 8 == int(str(code["opcode"]), 16))


@cache
def idioms() -> tuple[Idiom, ...]:
    """A shift by one bit, with a constant added where a bit was lost; it leaves no condition codes."""
    word = Operand("a", "both", file="a")
    flags = tuple(Operand(name, "def", file=name) for name in "czn")
    number = Operand("m", "imm", 7)

    def halved(a: Term, m: Term) -> Mapping[str, Term]:
        return {"a": (a >> 1) ^ ((constant(0) - (a & 1)) & m)}

    def doubled(a: Term, m: Term) -> Mapping[str, Term]:
        return {"a": (a << 1) ^ ((constant(0) - (a >> 7 & 1)) & m)}

    def idiom(name: str, meaning: Meaning, shift: str) -> Idiom:
        one = Instruction(name, (word, *flags, number), 0, meaning, bits=40, cycles=8)
        return Idiom(one, (_by_name(shift, "INH"), _by_name("BCC", "REL"), _by_name("EOR", "IMM")))

    return idiom("halved #{m}", halved, "LSRA"), idiom("doubled #{m}", doubled, "ASLA")


def processor(p: Parameters) -> Processor:
    """The processor with these parameters."""
    direct = STACK + 1 - RAM - p.stack
    return Processor(
        name="hc05",
        files=FILES,
        instructions=instructions(),
        word=8,
        data=1,
        working=WorkingMemory(first=RAM, direct=direct, rest=REST, beyond=p.beyond, block=True, end=END),
        single=True,
        code=CODE,
        stack=STACK,
        idioms=idioms(),
        counting=Counting("x", _by_name("LDX", "IMM"), _by_name("DECX", "INH"), _by_name("BPL", "REL")),
    )


@dataclass(frozen=True, slots=True)
class Parameters:
    """A card; of each budget 0 is as much as the addresses reach.

    ``ram``: bytes that the work on a block may take, with the block itself and the deepest stack; ``key``:
    bytes of key memory; ``rom``: bytes of code and fixed tables; ``stack``: bytes kept for the stack;
    ``beyond``: bytes of memory behind page zero that words may be in.
    """

    ram: int = 0
    key: int = 0
    rom: int = 0
    stack: int = 16
    beyond: int = 1024

    def __str__(self) -> str:
        """As `parsed` takes it; what is as in the base is left out."""
        base = Parameters()
        told = [(name, getattr(self, name)) for name in _LIMITS if getattr(self, name) != getattr(base, name)]
        return ",".join(f"{name}={value}" for name, value in told)


#: The largest value of each.
_LIMITS = {"ram": 4096, "key": 16384, "rom": 49152, "stack": 64, "beyond": 4096}


def parsed(text: str) -> Parameters:
    """Parameters from ``name=value,name=value``. Raises UnknownNameError, saying what is accepted."""
    found = Parameters()
    for item in filter(None, text.split(",")):
        name, _, value = item.partition("=")
        if name not in _LIMITS:
            raise UnknownNameError(unknown("parameter", item, _LIMITS))
        number = int(value) if value.isascii() and value.isdecimal() else -1
        if not 0 <= number <= _LIMITS[name]:
            raise UnknownNameError(f"{name}={value}; accepted: 0 to {_LIMITS[name]}")
        found = replace(found, **{name: number})
    return found
