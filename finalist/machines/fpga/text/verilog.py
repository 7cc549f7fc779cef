"""A design as Verilog-2005."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import ClassVar

from finalist.ir.graph import TableData
from finalist.ir.ops import Op
from finalist.machines.fpga.keys.unit import PORT
from finalist.machines.fpga.signals import Design, Flag, Part, Register, Signal
from finalist.machines.fpga.text import verilog_keys
from finalist.machines.fpga.text.shared import Writer, key_logic, name_registers, results
from finalist.machines.fpga.text.verilog_keys import range_of


class Verilog(Writer):
    """Statements of Verilog."""

    signs: ClassVar = {Op.AND: "&", Op.OR: "|", Op.XOR: "^", Op.ADD: "+", Op.SUB: "-"}
    complement = "~"

    def __init__(self, design: Design) -> None:
        super().__init__(design)
        #: Names that are assigned in a block.
        self.variables: set[str] = set()

    def statement(self, name: str, signal: Signal) -> list[str]:
        """An assignment; a linear map has a line for each bit."""
        if signal.op is Part.MUX:
            return self._mux(name, signal)
        if signal.op is Op.LINEAR and not signal.fixed:
            return [
                f"    assign {name}[{bit}] = {self.sum_of(terms, ' ^ ')};"
                for bit, terms in enumerate(self.rows(signal))
            ]
        return [f"    assign {name} = {self.expression(signal)};"]

    def _mux(self, name: str, signal: Signal) -> list[str]:
        """Choices by the bits of the select, the highest first: a case would be taken to compare it."""
        select, *choices = signal.inputs
        numbers = [None if k is None else self.operand(choices[k]) for k in signal.attr]
        return [f"    assign {name} = {self._chosen(select, numbers, '        ')};"]

    def _chosen(self, select: Signal, texts: Sequence[str | None], indent: str) -> str:
        """One of the texts by as many low bits of the select."""
        low, high = texts[: len(texts) // 2], texts[len(texts) // 2 :]
        if not any(high):
            return self._chosen(select, low, indent) if len(low) > 1 else str(low[0])
        bit = self.bit(select, len(low).bit_length() - 1)
        a, b = (self._half(select, half, indent + "    ") for half in (high, low))
        if len(low) < 4:
            return f"{bit} ? {a} : {b}"
        return f"{bit}\n{indent}? {a}\n{indent}: {b}"

    def _half(self, select: Signal, texts: Sequence[str | None], indent: str) -> str:
        text = self._chosen(select, texts, indent) if len(texts) > 1 else str(texts[0])
        return f"({text})" if "?" in text else text

    def literal(self, value: int, width: int) -> str:
        """A sized hexadecimal number."""
        return f"{width}'h{value:x}"

    def bits(self, name: str, width: int, low: int, size: int) -> str:
        """Bits of a named vector, or all of it."""
        if size == width:
            return name
        return f"{name}[{low}]" if size == 1 else f"{name}[{low + size - 1}:{low}]"

    def bracketed(self, text: str, signal: Signal) -> str:
        """Concatenations bring their own brackets."""
        return text if text.startswith("{") and signal.fixed else f"({text})"

    def concatenation(self, pieces: list[str]) -> str:
        """Side by side, highest first."""
        return pieces[0] if len(pieces) == 1 else "{" + ", ".join(pieces) + "}"

    def choice(self, signal: Signal, inputs: list[str]) -> str:
        """A choice, an entry of a table, or a comparison."""
        op = signal.op
        if op is Op.SELECT:
            return f"{inputs[0]} ? {inputs[1]} : {inputs[2]}"
        if op is Op.LOOKUP:
            return f"{self.table(signal.attr)}({inputs[0]})"
        assert op in (Op.EQ, Op.LT), op
        return f"{inputs[0]} {'==' if op is Op.EQ else '<'} {inputs[1]}"


def emit(design: Design, name: str, header: Sequence[str]) -> str:
    """The whole file: one module of that name."""
    writer = Verilog(design)
    body = [*_body(writer), *_block_rams(writer, name)]
    lines = [*(f"// {line}".rstrip() for line in header), "", *_module(design, name)]
    for table, called in writer.tables.items():
        lines += ["", *_function(table, called)]
    lines += ["", *_declarations(writer), "", *body, "", "endmodule", ""]
    for table, called in writer.memories.items():
        lines += [*_memory(table, f"{name}_{called}"), ""]
    return "\n".join(lines)


def _module(design: Design, name: str) -> list[str]:
    top = design.block_bits - 1
    return [
        f"module {name} (",
        "    input  wire clk,",
        "    input  wire reset,",
        "    input  wire key_load,",
        f"    input  wire [{PORT - 1}:0] key_word,",
        "    input  wire start,",
        f"    input  wire [{top}:0] block_in,",
        *(["    input  wire decrypt,"] if design.decrypt else []),
        "    output wire ready,",
        "    output reg  valid,",
        f"    output wire [{top}:0] block_out",
        ");",
    ]


def _function(table: TableData, name: str) -> list[str]:
    """A table as a function: one case a line of it."""
    digits, wide = -(-table.width // 4), -(-table.index_width // 4)
    lines = [f"    function [{table.width - 1}:0] {name};"]
    lines += [f"        input [{table.index_width - 1}:0] x;", "        case (x)"]
    each = max(1, 96 // (digits + wide + len(name) + 16))
    items = [
        f"{table.index_width}'h{x:0{wide}x}: {name} = {table.width}'h{value:0{digits}x};"
        for x, value in enumerate(table.values)
    ]
    lines += ["            " + " ".join(items[k : k + each]) for k in range(0, len(items), each)]
    return [*lines, "        endcase", "    endfunction"]


def _memory(table: TableData, name: str) -> list[str]:
    """A table as a block RAM of two ports."""
    digits, wide = -(-table.width // 4), -(-table.index_width // 4)
    items = [
        f"entries[{table.index_width}'h{x:0{wide}x}] = {table.width}'h{value:0{digits}x};"
        for x, value in enumerate(table.values)
    ]
    each = max(1, 96 // len(items[0]))
    return [
        f"// the table {table.name} in a block RAM, read at a rising edge through two ports",
        f"module {name} (",
        "    input  wire clk,",
        f"    input  wire {range_of(table.index_width)}a,",
        f"    input  wire {range_of(table.index_width)}b,",
        f"    output reg  {range_of(table.width)}entry_a,",
        f"    output reg  {range_of(table.width)}entry_b",
        ");",
        '    (* ram_style = "block" *)',
        f"    reg {range_of(table.width)}entries [0:{len(table.values) - 1}];",
        "    initial begin",
        *("        " + " ".join(items[k : k + each]) for k in range(0, len(items), each)),
        "    end",
        "    always @(posedge clk) entry_a <= entries[a];",
        "    always @(posedge clk) entry_b <= entries[b];",
        "endmodule",
    ]


def _declarations(writer: Verilog) -> list[str]:
    design = writer.design
    lines = ["    initial valid = 1'b0;"]
    if design.keys:
        lines.append(f"    reg [{design.keys - 1}:0] keys = {design.keys}'h0;")
    for place, stage in enumerate(design.stages):
        lines.append(f"    reg valid{place} = 1'b0;")
        if design.turned:
            lines.append(f"    reg {range_of(stage.turn.width)}{stage.turn.name} = {stage.turn.width}'h0;")
        for flag, name in writer.flags.get(stage.turn, {}).items():
            keep = '(* keep = "true" *) ' if flag.copy else ""
            lines.append(f"    {keep}reg {name} = 1'b{int(0 in flag.iterations)};")
    if design.key_unit:
        lines += verilog_keys.declarations(writer, design.key_unit)
    rows = [register for stage in design.stages for register in stage.registers]
    lines += [_register(writer, register) for register in (*rows, *design.finish)]
    return lines + [
        f"    {'reg' if name in writer.variables else 'wire'} {range_of(width)}{name};"
        for name, width in writer.declared
    ]


def _register(writer: Verilog, register: Register) -> str:
    """A register of the data path; one of a block RAM is in a module of its own.

    Before a block of logic it begins as nothing, since it takes a change to run the block.
    """
    signal, keep = register.output, '(* keep = "true" *) ' if register.keep else ""
    name = f"{range_of(signal.width)}{writer.name[signal]}"
    if signal.attr:
        return f"    wire {name};"
    return f"    {keep}reg {name};" if writer.design.deep else f"    {keep}reg {name} = {signal.width}'h0;"


def _body(writer: Verilog) -> list[str]:
    design = writer.design
    name_registers(writer)
    lines = _control(writer)
    lines += ["", "    // a new block", *writer.statements(design.load)]
    for place, stage in enumerate(design.stages):
        lines += ["", f"    // stage {place}: {stage.title}"]
        logic = writer.statements(results(design, place))
        lines += _in_order(writer, logic) if design.deep else logic
    if design.key_unit:
        lines += key_logic(writer, design.key_unit, "//")
    lines += ["", "    // the result", *writer.statements([design.block_out])]
    lines += [f"    assign block_out = {writer.operand(design.block_out)};", "", *_clocked(writer)]
    return lines


def _in_order(writer: Verilog, logic: list[str]) -> list[str]:
    """Assignments as one block in the order of their writing.

    In long logic each assignment for itself would be made again and again in a simulator, for every path
    that leads to it; a block is made once.
    """
    writer.variables.update(re.findall(r"^    assign (\w+)", "\n".join(logic), re.MULTILINE))
    return [
        "    always @* begin",
        *("    " + line.replace("assign ", "", 1).replace("\n", "\n    ") for line in logic),
        "    end",
    ]


def _control(writer: Verilog) -> list[str]:
    design = writer.design
    last = len(design.stages) - 1
    lines, free = [], "!key_load"
    if design.key_unit:
        lines = verilog_keys.control(writer, design.key_unit)
        free += f" && !{writer.own['expanding']}"
    turn = design.stages[-1].turn
    if design.turns == 1:
        lines += ["    wire next_turn = decrypt;"] if design.decrypt else []
        return [*lines, f"    wire leaving = valid{last};", f"    assign ready = {free};"]
    done, one = writer.flag(turn, Flag(design.last_turns)), f"{turn.width}'d1"
    none = f"{{decrypt, {turn.width - 1}'d0}}" if design.decrypt else f"{turn.width}'d0"
    return [
        *lines,
        f"    wire leaving = valid{last} && {done};",
        f"    wire returning = valid{last} && !{done};",
        f"    wire {range_of(turn.width)}next_turn = returning ? {turn.name} + {one} : {none};",
        f"    assign ready = !returning && {free};",
    ]


def _clocked(writer: Verilog) -> list[str]:
    design = writer.design
    lines = ["    always @(posedge clk) begin"]
    if design.key_unit:
        lines += verilog_keys.clocked(writer, design.key_unit)
    elif design.keys:
        rest = f"{{key_word, keys[{design.keys - 1}:{PORT}]}}" if design.keys > PORT else "key_word"
        lines.append(f"        if (key_load) keys <= {rest};")
    back = " || returning" if design.turns > 1 else ""
    for place in range(len(design.stages)):
        before = f"((start && ready){back})" if place == 0 else f"valid{place - 1}"
        lines.append(f"        valid{place} <= {before} && !reset && !key_load;")
        lines += _row(writer, place)
    lines.append("        valid <= leaving && !reset && !key_load;")
    for register in design.finish:
        guard = "if (leaving) " if design.turns > 1 else ""
        lines.append(f"        {guard}{writer.name[register.output]} <= {writer.operand(register.input)};")
    return [*lines, "    end"]


def _row(writer: Verilog, place: int) -> list[str]:
    design = writer.design
    stage, lines = design.stages[place], []
    if design.turned:
        new = design.stages[place - 1].turn.name if place else "next_turn"
        lines.append(f"        {stage.turn.name} <= {new};")
        lines += [f"        {line}" for line in verilog_keys.flags_of(writer, stage.turn, new)]
    for register, value in _taken(writer, place):
        if register.table is None:
            lines.append(f"        {writer.name[register.output]} <= {value};")
    return lines


def _taken(writer: Verilog, place: int) -> Iterator[tuple[Register, str]]:
    """The registers of a row, and what each takes at the clock."""
    design = writer.design
    if place:
        yield from ((r, writer.operand(r.input)) for r in design.stages[place].registers)
        return
    for register, new in zip(design.stages[0].registers, design.load, strict=True):
        fresh = writer.operand(new)
        back = f"returning ? {writer.operand(register.input)} : {fresh}" if design.turns > 1 else fresh
        yield register, back


def _block_rams(writer: Verilog, name: str) -> list[str]:
    """An instance for every two reads of a table."""
    design = writer.design
    every = [taken for place in range(len(design.stages)) for taken in _taken(writer, place)]
    lines = []
    for number, (table, ports) in enumerate(design.memories):
        pins = []
        for port, rank in zip("ab", ports, strict=False):
            register, address = every[rank]
            pins += [f".{port}({address})", f".entry_{port}({writer.name[register.output]})"]
        if len(ports) == 1:
            pins += [f".b({table.index_width}'h0)", ".entry_b()"]
        lines.append(f"    {name}_{writer.memory(table)} ram{number} (.clk(clk), {', '.join(pins)});")
    return lines
