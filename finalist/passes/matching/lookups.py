"""Lookups in a key schedule as instructions: four bytes of a word at a time, whatever is done with them.

A key schedule that takes the S-box of the rounds has it from the same instruction, which has no table in
memory: the key is then set up in constant time, too.
"""

from __future__ import annotations

from finalist.ir.builder import Builder
from finalist.ir.graph import Graph, Node, every_node
from finalist.ir.ops import Op
from finalist.ir.program import Program
from finalist.ir.rewrite import Rewriter, rewrite
from finalist.passes.matching.affine import Affine, affine_after
from finalist.passes.matching.normal import BYTE, InstructionSet, Round
from finalist.passes.simplify import simplify

_WORD = 32


def run(program: Program, instructions: InstructionSet) -> Program:
    """The program with the lookups of its key schedule as instructions, where those have their S-box."""
    finder = _Finder(instructions)
    return program.with_graphs(finder.without_lookups(program.expand), program.kernel)


class _Finder:
    def __init__(self, instructions: InstructionSet) -> None:
        self.words = instructions.words
        self.plain = {
            r.box: (r, sources) for r in instructions.rounds if (sources := _sources(r, self.words))
        }

    def without_lookups(self, graph: Graph) -> Graph:
        """The graph with an instruction for each word that has bytes looked up."""
        if not any(node.op is Op.LOOKUP and self._known(node) for node in every_node(graph)):
            return graph
        return rewrite(graph, Builder(simplify), self._visit)

    def _known(self, node: Node) -> tuple[Round, dict[int, int], Affine] | None:
        for box, (round_, sources) in self.plain.items():
            after = affine_after(node.attr, box)
            if after is not None:
                return round_, sources, after
        return None

    def _visit(self, rewriter: Rewriter, node: Node, inputs: tuple[Node, ...]) -> Node | None:
        known = self._known(node) if node.op is Op.LOOKUP else None
        if known is None:
            return None
        make = rewriter.builder
        round_, sources, (matrix, constant) = known
        word, byte = _byte_of(make, inputs[0])
        state = make.make(Op.TUPLE, (word,) * self.words)
        zero = make.make(Op.TUPLE, (make.const(0, _WORD),) * self.words)
        substituted = make.make(Op.INSTRUCTION, (state, zero), round_.instruction)
        found = make.slice(make.results(substituted)[0], BYTE * sources[byte], BYTE)
        mapped = make.linear([matrix], [found], node.width)
        return make.make(Op.XOR, (mapped, make.const(constant, node.width)))


def _byte_of(make: Builder, index: Node) -> tuple[Node, int]:
    """A word of 32 bits, and which byte of it the index is."""
    if index.op is Op.SLICE and index.inputs[0].width == _WORD and index.attr % BYTE == 0:
        return index.inputs[0], index.attr // BYTE
    return make.extend(index, _WORD), 0


def _sources(round_: Round, words: int) -> dict[int, int] | None:
    """With one word in all places of the register: where in the first word each of its bytes is, substituted.

    None where the instruction's linear map does more than move bytes, or moves them otherwise.
    """
    found = {}
    for place in range(_WORD // BYTE):
        rows = round_.rows[BYTE * place : BYTE * (place + 1)]
        source = rows[0].bit_length() - 1
        if source % BYTE or rows != tuple(1 << (source + bit) for bit in range(BYTE)):
            return None
        found[source // BYTE % (_WORD // BYTE)] = place
    return found if len(found) == _WORD // BYTE else None
