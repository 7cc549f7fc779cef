"""Meanings as C: each effect of an instruction an expression over the registers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from finalist.ir.graph import TableData
from finalist.ir.ops import Op
from finalist.isa.assembly.decoder import Decoded
from finalist.isa.target.instruction import Effect
from finalist.isa.target.meaning import Bank, InRegister, Leaf, Term, operand
from finalist.isa.target.processor import Processor

#: The C type of a word.
TYPES = {8: "uint8_t", 16: "uint16_t", 32: "uint32_t", 64: "uint64_t", 128: "unsigned __int128"}


def type_of(bits: int) -> str:
    """The narrowest C type that holds so many bits."""
    return next(name for width, name in TYPES.items() if bits <= width)


def bytes_of(bits: int) -> int:
    """Bytes of that type."""
    return next(width // 8 for width in TYPES if bits <= width)


def array_of(file: str) -> str:
    """The C name of a register file."""
    return f"r_{file}"


class Renderer:
    """Meanings as C. ``tables``: fixed tables that meanings have asked for."""

    def __init__(self, processor: Processor) -> None:
        self.processor = processor
        self.width = processor.width
        self.tables: dict[TableData, str] = {}
        self.first = next(iter(processor.files))

    def effects(self, one: Decoded) -> tuple[Effect, ...]:
        """The effects of an instruction, with C expressions for the registers that it reads."""
        values: dict[str, Term | int] = {}
        for o in one.instruction.operands:
            if o.is_register:
                values[o.name] = operand(self.register(one, o.name))
            elif o.values:
                values[o.name] = one.values[o.name]
            else:
                width = o.bits if o.bits > self.width else 0  # an address can have more bits than a word
                values[o.name] = Term(Leaf.CONSTANT, attr=one.values[o.name], width=width)
        return one.instruction.effects(values)

    def register(self, one: Decoded, name: str) -> str:
        """A register operand as C, to be read."""
        file = one.file(name) or self.first
        number = one.values[name]
        return "0" if number == self.processor.files[file].zero else f"{array_of(file)}[{number}]"

    def condition(self, one: Decoded) -> str:
        """What must hold for an instruction to be executed; empty without a condition."""
        number = one.issue.condition
        if not number:
            return ""
        assert self.processor.predicates is not None
        (file, register), sense = self.processor.predicates.tested(number)
        return f"{'' if sense else '!'}{array_of(file)}[{register}]"

    def store(self, meaning: Term) -> str:
        """A store, or a write to a bank, as a statement."""
        first, value = (self.text(arg) for arg in meaning.args)
        if isinstance(meaning.attr, Bank):
            return f"s->bank[{meaning.attr.number}][({first}) & 0xff] = {value};"
        return f"store{8 * meaning.attr}(s, (uint64_t)({first}), {value});"

    def text(self, term: Term) -> str:
        """A word as a C expression of its type."""
        if term.op is Leaf.OPERAND:
            return str(term.attr)
        if term.op is Leaf.CONSTANT:
            return self._number(term.attr, term.width or self.width)
        args = [self.text(arg) for arg in term.args]
        if term.op is Op.LOAD:
            return f"load{8 * term.attr}(s, (uint64_t)({args[0]}))"
        if term.op is Op.LOOKUP:
            if isinstance(term.attr, InRegister):
                return f"permuted_{'wrapped' if term.attr.wraps else 'cut'}({', '.join(args)})"
            return self._lookup(term.attr, args[0])
        assert isinstance(term.op, Op)
        if term.lane and term.lane != self.width:
            return f"{term.op.label}_{term.lane}({', '.join(args)})"
        width = term.width or self.width
        text = _C[term.op](args, width)
        kind = "W" if width == self.width else type_of(width)
        return f"({kind})({text})" if width in TYPES else f"(({kind})({text}) & 0x{(1 << width) - 1:x}ull)"

    def _lookup(self, table: Any, index: str) -> str:
        if isinstance(table, Bank):
            return f"s->bank[{table.number}][(uint8_t)({index})]"
        name = self.tables.setdefault(table, f"fixed{len(self.tables)}")
        return f"(W){name}[(uint64_t)({index}) & {len(table.values) - 1}]"

    def _number(self, value: int, width: int) -> str:
        value &= (1 << width) - 1
        kind = type_of(width)
        if value >> 64:
            return f"(({kind})0x{value >> 64:x}ull << 64 | 0x{value & (1 << 64) - 1:x}ull)"
        return f"({kind})0x{value:x}ull"

    def fixed(self) -> str:
        """The tables that meanings have asked for."""
        return "".join(
            f"static const uint64_t {name}[] = {{{', '.join(f'0x{v:x}' for v in table.values)}}};\n"
            for table, name in self.tables.items()
        )


def lanes(width: int) -> str:
    """Functions for operations in lanes of 8, 16, 32 and 64 bits, and for bytes found in a register."""
    found = [_lane(op, size, width) for size in (8, 16, 32, 64) if size < width for op in _IN_LANES]
    return "\n".join([*found, _permuted("wrapped", width), _permuted("cut", width)])


def _permuted(name: str, width: int) -> str:
    size = width // 8
    found = f"table >> 8 * (place & {size - 1}) & 0xff"
    if name == "cut":
        found = f"place < {size} ? {found} : 0"
    return (
        f"static inline W permuted_{name}(W index, W table)\n{{\n    W sum = 0;\n"
        f"    for (int i = 0; i < {width}; i += 8) {{\n        unsigned place = (uint8_t)(index >> i);\n"
        f"        sum |= (W)({found}) << i;\n    }}\n    return sum;\n}}\n"
    )


def _lane(op: Op, size: int, width: int) -> str:
    shared = op in (Op.SHL, Op.SHR, Op.ROL, Op.ROR)
    inner = _C[op](["x", "y"], size)
    y = "y" if shared else "(T)(b >> i)"
    return (
        f"static inline W {op.label}_{size}(W a, W b)\n{{\n    typedef {TYPES[size]} T;\n    W sum = 0;\n"
        f"    for (int i = 0; i < {width}; i += {size}) {{\n"
        f"        T x = (T)(a >> i);\n        {'W' if shared else 'T'} y = {'b' if shared else y};\n"
        f"        sum |= (W)(T)({inner.replace('(W)', '(T)')}) << i;\n    }}\n    return sum;\n}}\n"
    )


_IN_LANES = (Op.ADD, Op.SUB, Op.SHL, Op.SHR, Op.ROR, Op.ROL)


def _rotated(args: list[str], width: int, left: bool) -> str:
    a, n = args
    there, back = f"(({n}) & {width - 1})", f"(-({n}) & {width - 1})"
    if not left:
        there, back = back, there
    return f"({a}) << {there} | ({a}) >> {back}"


def _shifted(args: list[str], width: int, sign: str) -> str:
    a, n = args
    wide = f"({type_of(width)})({a})"
    return f"({n}) < {width} ? {wide} {sign} (({n}) & {_ones(width)}) : 0"


def _ones(width: int) -> int:
    """The bits of an amount that is less than the width."""
    return (1 << (width - 1).bit_length()) - 1


_C: Mapping[Op, Callable[[list[str], int], str]] = {
    Op.AND: lambda a, n: f"({a[0]}) & ({a[1]})",
    Op.OR: lambda a, n: f"({a[0]}) | ({a[1]})",
    Op.XOR: lambda a, n: f"({a[0]}) ^ ({a[1]})",
    Op.NOT: lambda a, n: f"~({a[0]})",
    Op.ADD: lambda a, n: f"({type_of(n)})({a[0]}) + ({a[1]})",
    Op.SUB: lambda a, n: f"({type_of(n)})({a[0]}) - ({a[1]})",
    Op.MUL: lambda a, n: f"({type_of(n)})({a[0]}) * ({a[1]})",
    Op.MULHI: lambda a, n: f"mul_high({a[0]}, {a[1]})",
    Op.SHL: lambda a, n: _shifted(a, n, "<<"),
    Op.SHR: lambda a, n: _shifted(a, n, ">>"),
    Op.ROL: lambda a, n: _rotated(a, n, True),
    Op.ROR: lambda a, n: _rotated(a, n, False),
    Op.EQ: lambda a, n: f"({a[0]}) == ({a[1]})",
    Op.LT: lambda a, n: f"({a[0]}) < ({a[1]})",
    Op.SELECT: lambda a, n: f"(({a[0]}) & 1) ? ({a[1]}) : ({a[2]})",
    Op.EXTEND: lambda a, n: a[0],
    Op.SLICE: lambda a, n: a[0],
}


def mul_high(width: int) -> str:
    """A function for the upper half of a product."""
    if width < 64:
        return f"static inline W mul_high(W a, W b)\n{{\n    return (W)((uint64_t)a * b >> {width});\n}}\n"
    if width == 64:
        return "static inline W mul_high(W a, W b)\n{\n    return (W)((unsigned __int128)a * b >> 64);\n}\n"
    return """static inline W mul_high(W a, W b)
{
    W low = (uint64_t)a, high = a >> 64, l = (uint64_t)b, h = b >> 64;
    W middle = high * l + (low * l >> 64), other = low * h + (uint64_t)middle;
    return high * h + (middle >> 64) + (other >> 64);
}
"""
