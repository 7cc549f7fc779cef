"""Instruction words as C: each instruction one statement, its meaning written out for its operands."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from finalist.ir.graph import TableData
from finalist.ir.ops import Op
from finalist.isa.assembly.assembler import Decoded
from finalist.isa.target.meaning import Bank, Flow, InRegister, Leaf, Term, constant, operand

#: The C type of a register.
TYPES = {8: "uint8_t", 16: "uint16_t", 32: "uint32_t", 64: "uint64_t", 128: "unsigned __int128"}


class Renderer:
    """Meanings as C of words of ``width`` bits. ``tables``: fixed tables that meanings have asked for."""

    def __init__(self, width: int) -> None:
        self.width = width
        self.tables: dict[TableData, str] = {}

    def statement(self, one: Decoded, address: int) -> str:
        """What the instruction does."""
        values: dict[str, Term | int] = {}
        for o in one.instruction.operands:
            if o.kind == "use":
                values[o.name] = operand(f"r[{one.values[o.name]}]" if one.values[o.name] else "0")
            elif o.values:
                values[o.name] = one.values[o.name]
            else:
                values[o.name] = constant(one.values[o.name])
        meaning = one.instruction.means(values)
        if isinstance(meaning.op, Flow):
            return self._flow(meaning, one, address)
        if meaning.op is Op.STORE:
            return self._store(meaning)
        text = self.text(meaning)
        return f"r[{one.written}] = {text};" if one.written else f"(void)({text});"

    def _flow(self, meaning: Term, one: Decoded, address: int) -> str:
        if meaning.op is Flow.HALT:
            return "goto halt;"
        if meaning.op is Flow.RETURN:
            return "pc = (uint64_t)r[LINK]; goto dispatch;"
        if meaning.op is Flow.CALL:
            return f"r[LINK] = {address + 1}; goto L{one.target};"
        return f"if ({self.text(meaning.args[0])}) goto L{one.target};"

    def _store(self, meaning: Term) -> str:
        first, *rest = (self.text(arg) for arg in meaning.args)
        if isinstance(meaning.attr, Bank):
            return f"s->bank[{meaning.attr.number}][({first}) & 0xff] = {rest[0]};"
        return f"store{8 * meaning.attr}(s, (uint64_t)({first}), {rest[0]});"

    def text(self, term: Term) -> str:
        """A word as a C expression of the register's type."""
        if term.op is Leaf.OPERAND:
            return str(term.attr)
        if term.op is Leaf.CONSTANT:
            return self._number(term.attr)
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
        return f"(W)({_C[term.op](args, self.width)})"

    def _lookup(self, table: Any, index: str) -> str:
        if isinstance(table, Bank):
            return f"s->bank[{table.number}][(uint8_t)({index})]"
        name = self.tables.setdefault(table, f"fixed{len(self.tables)}")
        return f"(W){name}[(uint64_t)({index}) & {len(table.values) - 1}]"

    def _number(self, value: int) -> str:
        value &= (1 << self.width) - 1
        if value >> 64:
            return f"((W)0x{value >> 64:x}ull << 64 | 0x{value & (1 << 64) - 1:x}ull)"
        return f"(W)0x{value:x}ull"

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


def _turn(args: list[str], width: int, left: bool) -> str:
    a, n = args
    there, back = f"(({n}) & {width - 1})", f"(-({n}) & {width - 1})"
    if not left:
        there, back = back, there
    return f"({a}) << {there} | ({a}) >> {back}"


_C: dict[Op, Callable[[list[str], int], str]] = {
    Op.AND: lambda a, n: f"({a[0]}) & ({a[1]})",
    Op.OR: lambda a, n: f"({a[0]}) | ({a[1]})",
    Op.XOR: lambda a, n: f"({a[0]}) ^ ({a[1]})",
    Op.NOT: lambda a, n: f"~({a[0]})",
    Op.ADD: lambda a, n: f"({a[0]}) + ({a[1]})",
    Op.SUB: lambda a, n: f"({a[0]}) - ({a[1]})",
    Op.MUL: lambda a, n: f"({a[0]}) * ({a[1]})",
    Op.MULHI: lambda a, n: f"mul_high({a[0]}, {a[1]})",
    Op.SHL: lambda a, n: f"({a[1]}) < {n} ? ({a[0]}) << (({a[1]}) & {n - 1}) : 0",
    Op.SHR: lambda a, n: f"({a[1]}) < {n} ? ({a[0]}) >> (({a[1]}) & {n - 1}) : 0",
    Op.ROL: lambda a, n: _turn(a, n, True),
    Op.ROR: lambda a, n: _turn(a, n, False),
    Op.EQ: lambda a, n: f"({a[0]}) == ({a[1]})",
    Op.LT: lambda a, n: f"({a[0]}) < ({a[1]})",
    Op.SELECT: lambda a, n: f"(({a[0]}) & 1) ? ({a[1]}) : ({a[2]})",
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
