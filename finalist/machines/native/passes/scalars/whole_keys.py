"""Parts of round keys, taken in the kernel where the whole is in the expanded key anyway.

``derived[3]``, where the key schedule stores bits 9 to 15 of ``key[5]`` -> ``key[5] >> 9``. A slice of a
round key is not on the critical path of a kernel of one block; as an entry of its own it costs one more store
for each key.
"""

from __future__ import annotations

from collections.abc import Mapping

from finalist.ir.builder import Builder
from finalist.ir.graph import Graph, Node, operands, reads_parameter
from finalist.ir.ops import Op
from finalist.ir.program import Program
from finalist.ir.rewrite import Rewriter, rewrite
from finalist.passes import hoist
from finalist.passes.analysis import stored

#: An array of the expanded key and an index.
_Entry = tuple[Node, int]


def with_whole_round_keys(program: Program) -> Program:
    """The program without arrays all of whose entries are parts of entries of others."""
    entries = _entries(program)
    wholes = {value: entry for entry, value in entries.items() if value.op is not Op.SLICE}
    parts = {
        entry: (value, wholes[value.inputs[0]])
        for entry, value in entries.items()
        if value.op is Op.SLICE and value.inputs[0] in wholes
    }
    needless = {array for array in program.key_params if _only_parts(program.kernel, array, parts)}
    if not needless:
        return program
    kernel = _reading(program.kernel, needless, parts)
    return hoist.without_unused(program.with_graphs(program.expand, kernel))


def _entries(program: Program) -> dict[_Entry, Node]:
    """What the key schedule stores at each constant index."""
    found = {}
    for param, result in zip(program.key_params, program.expand.results, strict=True):
        found.update({(param, index): value for index, value in stored(result)[0].items()})
    return found


def _only_parts(kernel: Graph, array: Node, parts: Mapping[_Entry, object]) -> bool:
    """Whether a kernel reads an array at constant indices alone, and slices of other entries at each."""
    users = [node for node in kernel.body if array in operands(node)]
    return bool(users) and all(reads_parameter(node) and _entry_of(node) in parts for node in users)


def _entry_of(read: Node) -> _Entry:
    array, index = read.inputs
    return array, index.attr % array.length


def _reading(kernel: Graph, needless: set[Node], parts: Mapping[_Entry, tuple[Node, _Entry]]) -> Graph:
    make = Builder()

    def visit(rewriter: Rewriter, node: Node, inputs: tuple[Node, ...]) -> Node | None:
        if not reads_parameter(node) or node.inputs[0] not in needless:
            return None
        part, (array, index) = parts[_entry_of(node)]
        whole = make.make(Op.LOAD, (rewriter.get(array), make.const(index, 32)))
        return make.slice(whole, part.attr, part.width)

    return rewrite(kernel, make, visit)
