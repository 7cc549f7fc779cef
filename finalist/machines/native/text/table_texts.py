"""Tables as C arrays."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from finalist.ir.graph import Graph, TableData, every_node
from finalist.ir.ops import Op
from finalist.ir.types import storage_bits
from finalist.machines.native.vectors import long_permutes
from finalist.machines.native.vectors.long_lanes import LONG
from finalist.machines.native.vectors.narrow import NARROW, is_row


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
