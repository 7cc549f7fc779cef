"""The tables of a file: what each is called, where it stands, and the text of all."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from finalist.ir.graph import Graph, Node, TableData, every_node
from finalist.ir.ops import Op
from finalist.ir.types import storage_bits
from finalist.machines.native.shape import Shape
from finalist.machines.native.vectors import long_permutes, transpositions
from finalist.machines.native.vectors.inversions import SUFFIX, inversion_table, inversions_of, map_table
from finalist.machines.native.vectors.long_lanes import LONG
from finalist.machines.native.vectors.narrow import NARROW, is_row
from finalist.machines.native.vectors.transpositions import is_transposition
from finalist.machines.native.vectors.word_permutes import HALVES, LANE, halves_of_table, read_tables
from finalist.names import unused

#: Tables of blocks side by side from which on their addresses are too many for the registers.
_MANY = 3


class Tables:
    """The tables of key schedules and of a kernel, and the linear maps of the kernel, as C has them.

    ``lookup``: how tables are read. ``names``: the expression in C that stands for each.
    """

    def __init__(self, expansions: Sequence[Graph], kernel: Graph, shape: Shape, lookup: str | None) -> None:
        self.kernel, self.shape, self.lookup = kernel, shape, lookup
        self.names: dict[object, str] = {}
        self.together = self._together()
        self._taken = {TOGETHER} if self.together else set()
        self._own: dict[str, TableData] = {}
        words = lookup == "permute" and shape.lane_bits == LANE
        #: The tables that permutes of words read, and those that are read otherwise.
        self.halved, others = read_tables(kernel) if words else (frozenset(), frozenset(tables_of(kernel)))
        narrow = lookup == "permute" and shape.lane_bits in NARROW
        #: The tables that are inversions where the vectors read them.
        self.inverted = inversions_of(kernel) if narrow else {}
        if narrow:
            others = read_tables(kernel)[1] | (others - self.inverted.keys())
        self.whole = others.union(*map(tables_of, expansions))
        for table in dict.fromkeys(t for graph in (*expansions, kernel) for t in tables_of(graph)):
            name = self._unused(re.sub(r"\W", "_", table.name, flags=re.ASCII) or "T")
            self._own[name] = table
            self.names[table] = f"{TOGETHER}->{name}" if table in self.together else name
        # Where bits lie side by side a linear map is but a move, and has no table.
        linear = [] if shape.slotted else [n.attr for n in every_node(kernel) if _of_byte(n)]
        self.maps = list(dict.fromkeys(linear))
        self.names |= {matrices: self._unused("M") for matrices in self.maps}
        every = (node for graph in (*expansions, kernel) for node in every_node(graph))
        permuted = dict.fromkeys(node.attr[0] for node in every if is_transposition(node))
        #: The linear maps that are functions.
        self.transpositions = {matrix: self._unused("transposed") for matrix in permuted}
        self.names |= {(matrix,): name for matrix, name in self.transpositions.items()}

    def _together(self) -> frozenset[TableData]:
        """The tables that are members of one structure: the kernel's, in scalar code of several blocks."""
        found, shape = frozenset(tables_of(self.kernel)), self.shape
        crowded = shape.copies > 1 and shape.scalar
        return found if crowded and self.lookup == "load" and len(found) >= _MANY else frozenset()

    def _unused(self, stem: str) -> str:
        name = unused(stem, self._taken)
        self._taken.add(name)
        return name

    def functions(self, code: str) -> str:
        """The maps that are functions, of those that the code calls."""
        return transpositions.text(self.transpositions, code, self.shape.bits // 8)

    def text(self) -> str:
        """All of them."""
        alone = {name: table for name, table in self._own.items() if table not in self.together}
        lookup, bits = self.lookup, self.shape.lane_bits
        texts = [table_as_read(name, t, lookup, bits) for name, t in alone.items() if t in self.whole]
        halves = {name + HALVES: halves_of_table(t) for name, t in alone.items() if t in self.halved}
        texts += [table_text(name, table, aligned=True) for name, table in halves.items()]
        inverted = {name + SUFFIX: self.inverted[t] for name, t in alone.items() if t in self.inverted}
        texts += [table_text(name, inversion_table(how, name)) for name, how in inverted.items()]
        if self.together:
            texts.append(together({n: table for n, table in self._own.items() if n not in alone}))
        texts += [table_text(self.names[m], map_table(m[0], self.names[m])) for m in self.maps]
        return "\n".join(texts)


def _of_byte(node: Node) -> bool:
    """Whether a node is a linear map that vectors of bytes have."""
    return node.op is Op.LINEAR and not is_transposition(node)


def as_row(table: TableData) -> TableData:
    """The table with as many entries as a permute takes: no fewer than a row, no more than there are."""
    if is_row(table):
        return TableData(table.values[:16], table.width, table.name, table.note)
    missing = (0,) * (16 - len(table.values))
    return TableData(table.values + missing, table.width, table.name, table.note) if missing else table


def table_as_read(name: str, table: TableData, lookup: str | None, lane_bits: int) -> str:
    """The table's text for that way to read it, on lanes of so many bits."""
    if lookup == "gather":
        return table_text(name, table, lane_bits)
    if lookup == "permute" and lane_bits in NARROW:
        return table_text(name, as_row(table))
    if lookup == "permute" and lane_bits == LONG:
        return table_text(name, long_permutes.padded(table), long_permutes.ENTRY)
    return table_text(name, table)


def tables_of(graph: Graph) -> list[TableData]:
    """The tables that a graph looks things up in, each once."""
    return list(dict.fromkeys(node.attr for node in every_node(graph) if node.op is Op.LOOKUP))


def table_text(name: str, table: TableData, least: int = 0, *, aligned: bool = False) -> str:
    """The table's text; a gather takes entries of ``least`` bits, and rows of vectors want to be aligned."""
    note = f"/* {table.note} */\n" if table.note else ""
    kind = f"uint{max(storage_bits(table.width), least)}_t"
    place = " __attribute__((aligned(64)))" if aligned else ""
    return f"{note}static const {kind} {name}[{len(table.values)}]{place} = {{\n{_rows(table)}}};\n"


def _rows(table: TableData, indent: str = "    ") -> str:
    """The entries, as many in a line as it holds."""
    digits = -(-table.width // 4)
    entries = [f"0x{value:0{digits}x}" for value in table.values]
    per_line = max(1, 96 // (digits + 4))
    rows = (", ".join(entries[i : i + per_line]) for i in range(0, len(entries), per_line))
    return ",\n".join(indent + row for row in rows)


# -- several in one structure --------------------------------------------------------------------------

#: What a function calls the structure.
TOGETHER = "T"
_TOGETHER = """
/* Tables whose address is in one register. A compiler that sees where a pointer leads may again keep an
 * address of each, for which there are too few. */
static const struct tables {{
{members}
}} all_tables = {{
{values}
}};
#if defined(__GNUC__)
#define HIDE(pointer) __asm__("" : "+r"(pointer))
#else
#define HIDE(pointer) (void)(pointer)
#endif
"""
#: What a function begins with that reads from it.
_REACH = (f"    const struct tables *{TOGETHER} = &all_tables;", f"    HIDE({TOGETHER});")


def together(tables: Mapping[str, TableData]) -> str:
    """The text of one structure of some tables, by their names."""
    members = []
    for name, table in tables.items():
        note = f" /* {table.note} */" if table.note else ""
        members.append(f"    uint{storage_bits(table.width)}_t {name}[{len(table.values)}];{note}")
    values = (f"    .{name} = {{\n{_rows(table, 8 * ' ')}}}," for name, table in tables.items())
    return _TOGETHER.format(members="\n".join(members), values="\n".join(values))


def reach(lines: Iterable[str]) -> list[str]:
    """What stands before the statements of a function that may read from the structure."""
    return list(_REACH) if any(f"{TOGETHER}->" in line for line in lines) else []
