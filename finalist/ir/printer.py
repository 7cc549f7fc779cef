"""A graph as text, one operation a line: `v7 = xor v5 v6 : u32`."""

from __future__ import annotations

import hashlib

from finalist.ir.graph import Graph, Node, Region, TableData, every_node
from finalist.ir.ops import Op
from finalist.ir.program import Program


def format_graph(graph: Graph) -> str:
    """The whole graph; nested regions indented, round boundaries as comments."""
    printer = _Printer(graph.rounds)
    params = ", ".join(f"{printer.define(p)}: {p.type}" for p in graph.params)
    printer.lines.append(f"{graph.name}({params})")
    printer.region(graph, "  ")
    printer.lines.append("  return " + " ".join(printer.use(r) for r in graph.results))
    return "\n".join(printer.lines) + "\n"


def fingerprint(program: Program) -> str:
    """A hash of both graphs, with the contents of tables and arrays."""
    return fingerprint_of(program.expand, program.kernel)


def fingerprint_of(*graphs: Graph) -> str:
    """A hash of graphs, with the contents of tables and arrays."""
    nodes = [node for graph in graphs for node in every_node(graph)]
    tables = dict.fromkeys(node.attr for node in nodes if node.op is Op.LOOKUP)
    contents = [*(str(table.values) for table in tables), *(str(n.attr) for n in nodes if n.op is Op.ARRAY)]
    return hashlib.sha256("".join((*map(format_graph, graphs), *contents)).encode()).hexdigest()[:16]


def digest(program: Program) -> str:
    """A hash of all that the results of a program depend on, for what is found again by it.

    To its `fingerprint` it adds what the graphs as text leave open: which of several tables of one name a
    lookup reads, the widths of constants, the kinds of parameters, and how words lie in memory.
    """
    return _digest(program, program.expand, program.kernel)


def key_schedule_digest(program: Program) -> str:
    """The same of the key schedule alone."""
    return _digest(program, program.expand)


def kernel_digest(program: Program) -> str:
    """The same of the kernel alone."""
    return _digest(program, program.kernel)


def _digest(program: Program, *graphs: Graph) -> str:
    nodes = [node for graph in graphs for node in every_node(graph)]
    tables: dict[object, int] = {}
    read = [tables.setdefault(node.attr, len(tables)) for node in nodes if node.op is Op.LOOKUP]
    widths = [child.type for node in nodes for child in node.inputs if child.op is Op.CONST]
    kinds = [param.attr for graph in graphs for param in graph.params]
    parts = (fingerprint_of(*graphs), program.block, program.key, read, list(map(str, widths)), kinds)
    return hashlib.sha256(repr(parts).encode()).hexdigest()[:16]


class _Printer:
    def __init__(self, rounds: tuple[tuple[int, int], ...]) -> None:
        self.lines: list[str] = []
        self.names: dict[Node, str] = {}
        self.taken: set[str] = set()
        self.boundaries = {first + r: r for first, count in rounds for r in range(count)}
        self.phase = -1

    def define(self, node: Node) -> str:
        name = node.name or f"v{len(self.names)}"
        if name in self.taken:
            name = f"{name}_{len(self.names)}"
        self.taken.add(name)
        self.names[node] = name
        return name

    def use(self, node: Node) -> str:
        if node.op is Op.CONST:
            return f"0x{node.attr:x}" if node.attr > 9 else str(node.attr)
        return self.names.get(node, "?")

    def region(self, region: Region, indent: str) -> None:
        for node in region.body:
            self.boundary(node, indent)
            inputs = " ".join(self.use(child) for child in node.inputs)
            attr = _attribute(node)
            text = " ".join(part for part in (node.op.label, inputs, attr) if part)
            self.lines.append(f"{indent}{self.define(node)} = {text} : {node.type}")
            if isinstance(node.attr, Region):
                self.nested(node.attr, indent + "  ")

    def nested(self, region: Region, indent: str) -> None:
        params = " ".join(self.define(p) for p in region.params)
        self.lines.append(f"{indent}given {params}")
        self.region(region, indent)
        self.lines.append(f"{indent}yield " + " ".join(self.use(r) for r in region.results))

    def boundary(self, node: Node, indent: str) -> None:
        if node.phase > self.phase and node.phase in self.boundaries:
            self.lines.append(f"{indent}# round {self.boundaries[node.phase]}")
        self.phase = max(self.phase, node.phase)


def _attribute(node: Node) -> str:
    if isinstance(node.attr, TableData):
        return f"[{node.attr.name}]"
    if node.op is Op.LINEAR:
        return "[" + "; ".join(" ".join(f"{column:x}" for column in m) for m in node.attr) + "]"
    if node.op is Op.ARRAY:
        return f"[{len(node.attr)} entries]" if any(node.attr) else "[zeros]"
    if node.attr is None or isinstance(node.attr, Region):
        return ""
    return f"[{node.attr}]"
