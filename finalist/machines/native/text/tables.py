"""The tables of a file: what each is called, where it stands, and the text of all."""

from __future__ import annotations

import re
from collections.abc import Sequence

from finalist.ir.graph import Graph, Node, TableData, every_node
from finalist.ir.ops import Op
from finalist.machines.native.shape import Shape
from finalist.machines.native.text.table_texts import TOGETHER, table_as_read, table_text, tables_of, together
from finalist.machines.native.vectors import transpositions
from finalist.machines.native.vectors.inversions import SUFFIX, inversion_table, inversions_of, map_table
from finalist.machines.native.vectors.narrow import NARROW
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
        crowded = shape.copies > 1 and shape.lanes == 1 and not shape.registers
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
