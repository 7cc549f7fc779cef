"""Tables as C arrays."""

from __future__ import annotations

from finalist.ir.graph import Graph, TableData, every_node, storage_bits
from finalist.ir.ops import Op
from finalist.machines.native import long_permutes
from finalist.machines.native.narrow import NARROW, is_row


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
    if lookup != "permute":
        return table_text(name, table)
    if lane_bits in NARROW:
        return table_text(name, as_row(table))
    return table_text(name, long_permutes.padded(table), long_permutes.ENTRY)


def tables_of(graph: Graph) -> list[TableData]:
    """The tables that a graph looks things up in, each once."""
    return list(dict.fromkeys(node.attr for node in every_node(graph) if node.op is Op.LOOKUP))


def table_text(name: str, table: TableData, least: int = 0) -> str:
    """The table's text; a gather takes entries of ``least`` bits."""
    bits = max(storage_bits(table.width), least)
    digits = -(-table.width // 4)
    entries = [f"0x{value:0{digits}x}" for value in table.values]
    per_line = max(1, 96 // (digits + 4))
    rows = [", ".join(entries[i : i + per_line]) for i in range(0, len(entries), per_line)]
    body = ",\n    ".join(rows)
    note = f"/* {table.note} */\n" if table.note else ""
    return f"{note}static const uint{bits}_t {name}[{len(entries)}] = {{\n    {body}}};\n"
