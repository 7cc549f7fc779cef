"""The C file of a program: header, prelude, tables, key schedule, kernel, driver."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from finalist.errors import ScheduleError, UnknownNameError
from finalist.ir.graph import (
    ArrayType,
    Graph,
    Node,
    Region,
    TableData,
    Type,
    every_node,
    origin,
    storage_bits,
)
from finalist.ir.ops import Op
from finalist.ir.printer import fingerprint
from finalist.ir.program import Program
from finalist.machines.base import MODES
from finalist.machines.native import bits, drivers, prelude, registers
from finalist.machines.native.blocks import (
    LOW_BYTES,
    Chained,
    Direct,
    LaneBlocks,
    ScalarBlocks,
    load_words,
)
from finalist.machines.native.body import Body
from finalist.machines.native.dialect import Registers, Scalar, Vector
from finalist.machines.native.names import c_name, field_names, numbered
from finalist.machines.native.narrow import NARROW, NarrowVector, map_table
from finalist.machines.native.register_blocks import RegisterBlocks
from finalist.machines.native.secrets import scanned, scanned_in_key_schedule
from finalist.machines.native.shape import Shape
from finalist.machines.native.spread import GROUPS, SpreadVector
from finalist.passes.analysis import KeyOnly
from finalist.passes.timing import CONSTANT, TABLE, VARIABLE, Timing
from finalist.schedule import Schedule
from finalist.version import VERSION

_TIMING = {
    CONSTANT: "no address, branch or duration depends on key or block",
    TABLE: "addresses depend on secrets",
    VARIABLE: "branches, or instructions that take their time, depend on secrets",
}


def emit(
    program: Program, shape: Shape, schedule: Schedule, timing: Timing, modes: Sequence[str] = MODES[:1]
) -> str:
    """The C text; functions are named after the cipher: NAME_expand_key and one for each mode.

    ecb: NAME_encrypt or NAME_decrypt; ctr: NAME_ctr; cbc: NAME_cbc_encrypt or NAME_cbc_decrypt.
    Raises UnknownNameError or ScheduleError for a mode that there is not, or not for this program.
    """
    return _File(program, shape, schedule, timing, tuple(modes)).text()


def modes_of(program: Program, shape: Shape) -> tuple[str, ...]:
    """The modes that a program has."""
    return tuple(mode for mode in MODES if not _mode_obstacle(mode, program, shape))


def _mode_obstacle(mode: str, program: Program, shape: Shape) -> str:
    """Why there is no such mode of this program; empty if there is."""
    if mode == "ecb":
        return ""
    if program.stateful:
        return "a stream cipher has no modes"
    if mode == "ctr":
        return "" if program.operation == "encrypt" else "it decrypts by encryption; accepted: encrypt"
    if program.operation == "encrypt" and shape.blocks > 1:
        return "it encrypts block after block; accepted: blocks=1 width=1"
    return ""


class _File:
    def __init__(
        self, program: Program, shape: Shape, schedule: Schedule, timing: Timing, modes: tuple[str, ...]
    ) -> None:
        self.program = program
        self.shape = shape
        self.schedule = schedule
        self.timing = timing
        self.modes = modes
        self._check_modes()
        self.name = c_name(program.cipher)
        self.tables: dict[object, str] = {}
        self.functions: dict[Region, str] = {}
        self.fields = field_names(program.key_names)
        self.block_bytes = program.block.bytes // shape.planes

    def _check_modes(self) -> None:
        for mode in self.modes:
            if mode not in MODES:
                raise UnknownNameError(f"unknown mode {mode!r}; accepted: {', '.join(MODES)}")
            obstacle = _mode_obstacle(mode, self.program, self.shape)
            if obstacle:
                what = f"{self.program.cipher} {self.program.operation}"
                raise ScheduleError(f"mode={mode} is not legal for {what}: {obstacle}")

    def text(self) -> str:
        shape, tables, key_type = self.shape, self._tables(), self._key_type()
        expand, called = self._expand(), self._called()
        functions = [part for mode in self.modes for part in _FUNCTIONS[mode](self)]
        code = "\n".join(part for part in (tables, key_type, expand, called, *functions) if part)
        begin = _prelude(self.program, shape, code) + prelude.for_tables(code)
        return "\n".join([self._header(), begin, code])

    # -- head -----------------------------------------------------------------------------------

    def _header(self) -> str:
        p = self.program
        command = f"finalist emit {p.source or p.cipher} --machine native --operation {p.operation}"
        choices = " ".join(f"-s {choice}" for choice in self.schedule.texts())
        if self.modes != MODES[:1]:
            choices = " ".join((*(f"--mode {mode}" for mode in self.modes), choices))
        contracts = "".join(self._contract(mode) for mode in self.modes)
        return f"""\
/* {p.cipher}, {p.operation}, {p.key_bits}-bit keys. Generated by Finalist {VERSION}; do not edit.
 *
 *   {command} --key-bits {p.key_bits} {choices}
 *
 * graph {fingerprint(p)}
 * block {self.block_bytes} bytes, key {p.key.bytes} bytes, {self.shape.blocks} block(s) a kernel call
 *
 * {self.name}_expand_key: `key` points to {p.key.bytes} bytes at any alignment.
{contracts} * `in` and `out` at any alignment; they may be the same buffer, but may not overlap otherwise.
 * Timing: {self._timing()}.
 */
"""

    def _contract(self, mode: str) -> str:
        """What a caller of the mode's function has to know."""
        if mode == "ecb":
            return f" * {self._function(mode)}: any number of blocks, 0 included, each by itself.\n"
        if mode == "cbc":
            return (
                f" * {self._function(mode)}: cipher block chaining, any number of blocks, 0 included; `iv` is"
                f" {self.block_bytes} bytes\n * and becomes the last ciphertext block.\n"
            )
        return (
            f" * {self._function(mode)}: counter mode, any number of bytes, 0 included; `counter` is"
            f" {self.block_bytes} bytes, a big-endian\n"
            " * number: the first block's, and after the call that of the first block that was not begun.\n"
        )

    def _function(self, mode: str) -> str:
        """The name of a mode's function."""
        if mode == "ctr":
            return f"{self.name}_ctr"
        return f"{self.name}_{'cbc_' if mode == 'cbc' else ''}{self.program.operation}"

    def _timing(self) -> str:
        """The label and what it means; where key schedule and kernel have different ones, both."""
        found = self.timing
        text = f"{found.label}; {_TIMING[found.label]}"
        if found.key_schedule == found.kernel:
            return text
        return f"{text}\n *   (key schedule: {found.key_schedule}; kernel: {found.kernel})"

    def _tables(self) -> str:
        used: dict[TableData, None] = {}
        for graph in (self.program.expand, self.program.kernel):
            used.update(dict.fromkeys(_tables(graph)))
        texts = []
        for table in used:
            name = self._table_name(table)
            self.tables[table] = name
            least = self.shape.lane_bits if self.schedule.lookup == "gather" else 0
            texts.append(_table(name, as_row(table) if self.schedule.lookup == "permute" else table, least))
        texts += [self._map(node) for node in every_node(self.program.kernel) if node.op is Op.LINEAR]
        return "\n".join(text for text in texts if text)

    def _map(self, node: Node) -> str:
        """A linear map of one word, as tables and rows; empty if it stands there already."""
        if node.attr in self.tables:
            return ""
        name = self.tables[node.attr] = self._unused("M")
        return _table(name, map_table(node.attr[0], name))

    def _table_name(self, table: TableData) -> str:
        return self._unused(re.sub(r"\W", "_", table.name, flags=re.ASCII) or "T")

    def _unused(self, stem: str) -> str:
        name, number = stem, 2
        while name in self.tables.values():
            name, number = f"{stem}_{number}", number + 1
        return name

    def _key_type(self) -> str:
        fields = [
            f"    uint{self._entry_bits(t)}_t {name}[{t.length}];"
            for name, t in zip(self.fields, self.program.key_types, strict=True)
        ]
        if self.shape.spread:
            named = zip(self.fields, self.program.key_types, strict=True)
            fields += [f"    uint32_t {name}_lanes[{GROUPS * t.length}];" for name, t in named]
        body = "\n".join(fields or ["    uint8_t unused;"])
        return (
            f"typedef struct {{\n{body}\n}} {self.name}_key;\n"
            f"extern const size_t {self.name}_key_bytes;\n"
            f"const size_t {self.name}_key_bytes = sizeof({self.name}_key);\n"
        )

    def _entry_bits(self, type_: ArrayType) -> int:
        """Bits that an entry of the expanded key is kept in; a single bit of bitsliced code as a mask."""
        return 32 if self._is_mask(type_) else storage_bits(type_.width)

    def _is_mask(self, type_: Type) -> bool:
        return self.shape.sliced and isinstance(type_, ArrayType) and type_.width == 1

    # -- functions ------------------------------------------------------------------------------

    def _expand(self) -> str:
        p = self.program
        body = Body(Scalar(), tables=self.tables, scanned=scanned_in_key_schedule(p.expand, self.schedule))
        again = []  # an array that stands at several places of the key is filled once
        for name, result in zip(self.fields, p.expand.results, strict=True):
            if self._is_mask(result.type):
                continue
            home = body.arrays.setdefault((origin(result), 0), f"k->{name}")
            if home != f"k->{name}":
                again.append(f"    memcpy(k->{name}, {home}, sizeof k->{name});")
        loads = load_words(body, p.expand, p.expand.params, p.key, "key")
        body.region(p.expand, p.expand.rounds)
        unused = "" if loads and p.key_types else "    (void)key; (void)k;\n"
        return (
            f"void {self.name}_expand_key(const uint8_t *key, {self.name}_key *k)\n{{\n"
            + unused
            + "\n".join(loads + body.lines + again + self._masks(body) + self._spread_keys())
            + "\n}\n"
        )

    def _masks(self, body: Body) -> list[str]:
        """Each bit of the key as a mask of ones or zeros."""
        results = zip(self.fields, self.program.expand.results, strict=True)
        return [
            f"    for (size_t i = 0; i < {result.length}; i++)\n"
            f"        k->{name}[i] = -(uint32_t){body.array(result, 0)}[i];"
            for name, result in results
            if self._is_mask(result.type)
        ]

    def _spread_keys(self) -> list[str]:
        """Each key word again, its byte q filling word q of four."""
        if not self.shape.spread:
            return []
        lines = []
        for name, type_ in zip(self.fields, self.program.key_types, strict=True):
            lines += [
                f"    for (size_t i = 0; i < {type_.length}; i++) {{",
                f"        const vec_four word = (vec_four){{0}} + k->{name}[i];",
                "        const vec_four bytes = (word >> (vec_four){0, 8, 16, 24} & 0xffu) * 0x01010101u;",
                f"        memcpy(k->{name}_lanes + {GROUPS} * i, &bytes, sizeof bytes);",
                "    }",
            ]
        return lines

    def _called(self) -> str:
        """Those that the kernel calls."""
        applied = [n.region for n in every_node(self.program.kernel) if n.op is Op.APPLY]
        for region in dict.fromkeys(applied):
            stem = f"{self.name}_{c_name(region.params[0].name)}"
            taken = self.functions.values()
            self.functions[region] = next(n for n in numbered(stem) if n not in taken)
        texts = (bits.function(name, region, self.shape.lanes) for region, name in self.functions.items())
        return "\n".join(texts)

    def _ecb(self) -> list[str]:
        kernels = [self._kernel("ecb", shape) for shape in self._shapes()]
        return [*kernels, drivers.ecb(self._kernels("ecb"))]

    def _ctr(self) -> list[str]:
        direct = self._blocks(self.shape)
        if isinstance(direct, Direct):
            kernels = [self._kernel("ctr", shape) for shape in self._shapes()]
            counting = registers.counting(self.shape.bits) if self.shape.registers else ""
            return [
                prelude.COUNTING + counting,
                *kernels,
                drivers.ctr(self._kernels("ctr"), direct.counter_bits),
            ]
        kernels = self._shared_kernels()
        return [
            prelude.COUNTING,
            prelude.ADDING,
            *kernels,
            drivers.ctr_in_memory(self._kernels("ctr", "ecb")),
        ]

    def _cbc(self) -> list[str]:
        if self.program.operation == "encrypt":
            return self._chain()
        if isinstance(self._blocks(self.shape), Direct):
            kernels = [self._kernel("cbc", shape) for shape in self._shapes()]
            return [*kernels, drivers.cbc_decrypt(self._kernels("cbc"))]
        kernels = self._shared_kernels()
        return [prelude.ADDING, *kernels, drivers.cbc_decrypt_in_memory(self._kernels("cbc", "ecb"))]

    def _chain(self) -> list[str]:
        blocks = self._blocks(self.shape)
        if not isinstance(blocks, Chained):
            made = drivers.cbc_encrypt_in_memory(self._kernels("cbc", "ecb"))
            return [prelude.ADDING, *self._shared_kernels(), made]
        begin, loads = blocks.chain_begins(), blocks.chain_loads()
        blocks.body.region(self.program.kernel, self.program.kernel.rounds)
        turn = [*loads, *blocks.body.lines, *blocks.chain_stores()]
        turn = [f"    {line}" if line else line for line in turn]
        return [drivers.cbc_encrypt(self._kernels("cbc"), begin, turn, blocks.chain_ends())]

    def _shared_kernels(self) -> list[str]:
        """The kernels of ECB, for a mode that is made of them, where they are not there already."""
        return [] if "ecb" in self.modes else [self._kernel("ecb", shape) for shape in self._shapes()]

    def _kernels(self, mode: str, kernel_mode: str = "") -> drivers.Kernels:
        sizes = tuple(shape.blocks for shape in self._shapes())
        own = self._function(kernel_mode or mode)
        return drivers.Kernels(self._function(mode), own, self._key(), self.block_bytes, sizes)

    def _shapes(self) -> list[Shape]:
        """Those of the kernels: the schedule's, and for what does not fill it a single vector."""
        shape = self.shape
        vectors = shape.lanes > 1 or shape.registers
        return [shape, replace(shape, copies=1)] if vectors and shape.copies > 1 else [shape]

    def _blocks(self, shape: Shape) -> ScalarBlocks | LaneBlocks | RegisterBlocks | bits.PlaneBlocks:
        """The blocks of a kernel in registers, and the kernel's body that they are the words of."""
        p = self.program
        dialect = _dialect(shape)
        shared = KeyOnly("key", "index")
        hidden = scanned(p.kernel, self.schedule)
        body = Body(dialect, shape.copies, shared, self.tables, self.schedule.skew or 0, hidden)
        for param, name in zip(p.kernel.params[p.block.count :], self.fields, strict=True):
            body.arrays[param, 0] = f"k->{name}"
            (body.own if param.attr == "state" else body.constant_arrays).add(param)
        body.functions = self.functions
        if shape.registers:
            return RegisterBlocks(body, p, shape)
        if shape.sliced:
            return bits.PlaneBlocks(body, p, shape)
        return ScalarBlocks(body, p, shape) if shape.lanes == 1 else LaneBlocks(body, p, shape)

    def _kernel(self, mode: str, shape: Shape) -> str:
        p, blocks = self.program, self._blocks(shape)
        direct = blocks if isinstance(blocks, Direct) else None
        loads = direct.counters() if direct and mode == "ctr" else blocks.loads()
        blocks.body.region(p.kernel, p.kernel.rounds)
        stores = direct.xor_stores(_ADDED[mode]) if direct and mode != "ecb" else blocks.stores()
        head = f"static inline void {self._function(mode)}_{shape.blocks}({self._key()}, {_PARAMETERS[mode]})"
        return (
            f"{head}\n{{\n"
            + ("" if loads and p.key_types else "    (void)k; (void)in;\n")
            + ("    (void)counter;\n" if mode == "ctr" and self.block_bytes <= LOW_BYTES else "")
            + "\n".join(loads + blocks.body.lines + stores)
            + "\n}\n"
        )

    def _key(self) -> str:
        """The parameter for the expanded key, which a stream cipher changes as it goes."""
        return f"{'' if self.program.stateful else 'const '}{self.name}_key *k"


#: What makes the text of a mode: its kernels, and the function around them.
_FUNCTIONS: dict[str, Callable[[_File], list[str]]] = {
    "ecb": _File._ecb,
    "ctr": _File._ctr,
    "cbc": _File._cbc,
}
_PARAMETERS = {
    "ecb": "const uint8_t *in, uint8_t *out",
    "ctr": "const uint8_t *counter, uint64_t low, const uint8_t *in, uint8_t *out",
    "cbc": "const uint8_t *in, const uint8_t *before, uint8_t *out",
}
#: What a kernel XORs its output with.
_ADDED = {"ctr": "in", "cbc": "before"}


def needed_macros(program: Program, shape: Shape) -> tuple[str, ...]:
    """The compiler's macros that say whether the CPU has the instructions of the program, if it has any."""
    if not shape.registers:
        return ()
    bits = {program.kernel: shape.bits, program.expand: registers.REGISTER}
    found = (macro for graph, size in bits.items() for macro in registers.macros(every_node(graph), size))
    return tuple(dict.fromkeys(found))


def _prelude(program: Program, shape: Shape, functions: str) -> str:
    if shape.registers:
        return prelude.text(1, 0) + registers.prelude(shape.bits, needed_macros(program, shape))
    if shape.sliced:
        return prelude.text(1, 1) + bits.prelude(shape.lanes, program.block)
    return prelude.text(shape.lanes, shape.lane_bits, functions, spread=shape.spread)


def _dialect(shape: Shape) -> Scalar:
    if shape.registers:
        return Registers(shape.bits)
    if shape.lanes == 1:
        return Scalar()
    if shape.sliced:
        return bits.Bits(shape.lanes)
    if shape.lane_bits in NARROW:
        return NarrowVector(shape.lane_bits, shape.lanes)
    kind = SpreadVector if shape.spread else Vector
    return kind(shape.lane_bits, shape.lanes)


def as_row(table: TableData) -> TableData:
    """The table with as many entries as a permute takes at least."""
    missing = (0,) * (16 - len(table.values))
    return TableData(table.values + missing, table.width, table.name, table.note) if missing else table


def _tables(graph: Graph) -> list[TableData]:
    return list(dict.fromkeys(node.attr for node in every_node(graph) if node.op is Op.LOOKUP))


def _table(name: str, table: TableData, least: int = 0) -> str:
    """The table's text; a gather takes entries of ``least`` bits."""
    bits = max(storage_bits(table.width), least)
    digits = -(-table.width // 4)
    entries = [f"0x{value:0{digits}x}" for value in table.values]
    per_line = max(1, 96 // (digits + 4))
    rows = [", ".join(entries[i : i + per_line]) for i in range(0, len(entries), per_line)]
    body = ",\n    ".join(rows)
    note = f"/* {table.note} */\n" if table.note else ""
    return f"{note}static const uint{bits}_t {name}[{len(entries)}] = {{\n    {body}}};\n"
