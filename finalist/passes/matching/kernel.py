"""A kernel as machine instructions: layer by layer, each found equal to an instruction's normal form.

Between two additions of key words, whatever the definition says is an S-box on each byte of the state
and a linear map (see `affine`). The order of the state's bytes within a kernel is the definition's own
affair; where each is in the instruction's register follows forwards from the block in memory, since the
S-boxes of the next layer must take just the bytes that the instruction makes. What a definition adds of
the key before its linear map (as the decryption of many does) is the map of that key after it, and may be
an instruction again. The block is one register then, and the kernel's words are its words.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from finalist.errors import MatchError
from finalist.ir.builder import Builder
from finalist.ir.graph import Graph, Node, every_node
from finalist.ir.ops import Op
from finalist.ir.program import ByteOrder, Layout, Program
from finalist.ir.types import WordType
from finalist.passes.analysis import KeyOnly
from finalist.passes.matching.affine import ONE, Forms, Leaf, Rows, affine_after
from finalist.passes.matching.normal import (
    BYTE,
    InstructionSet,
    Places,
    Round,
    bytes_of,
    leaf_places,
    translated,
)
from finalist.passes.matching.registers import Registers
from finalist.passes.matrices import identity
from finalist.passes.simplify import simplify


@dataclass(frozen=True)
class Step:
    """One instruction: a round, or (None) an addition; with the rows of the register that it adds."""

    round: Round | None
    added: Rows
    phase: int


#: What may become of the state in one step: a round (None for none), and the rows of its linear map.
Candidates = list[tuple[Round | None, Rows]]


def run(program: Program, instructions: InstructionSet) -> Program:
    """The program with its kernel as instructions on registers.

    Raises MatchError, saying where the kernel and the instructions differ.
    """
    if program.stateful or program.block.bytes != instructions.bytes:
        raise MatchError(f"its blocks are not registers of {instructions.bytes} bytes")
    _check_boxes(program, instructions)
    matcher = _Matcher(program, instructions)
    layout = Layout(instructions.words, 32, ByteOrder.LITTLE)
    kernel = _written(program, layout, matcher.steps(), Registers(matcher.forms, instructions))
    return replace(program.with_graphs(program.expand, kernel), block=layout)


def _check_boxes(program: Program, instructions: InstructionSet) -> None:
    """A quick look at the tables: most ciphers have none that is an instruction's."""
    tables = {node.attr for node in every_node(program.kernel) if node.op is Op.LOOKUP}
    if not any(affine_after(table, box) is not None for table in tables for box in instructions.boxes):
        raise MatchError("no table of it is the S-box of an instruction, with or without a linear map")


class _Matcher:
    """Takes a kernel apart into steps."""

    def __init__(self, program: Program, instructions: InstructionSet) -> None:
        self.instructions = instructions
        self.key_only = KeyOnly()
        self.forms = Forms(instructions.boxes, self.key_only)
        self.order = program.block.order
        self.block = self._in_memory(program.kernel.params[: program.block.count])
        self.results = self._in_memory(program.kernel.results)

    def _in_memory(self, words: Sequence[Node]) -> Rows:
        """The rows of a block in the order of its bits in memory."""
        total: list[int] = []
        for word in words:
            rows = self.forms(word)
            starts = range(0, len(rows), BYTE)
            ordered = starts if self.order is ByteOrder.LITTLE else reversed(starts)
            total += [row for start in ordered for row in rows[start : start + BYTE]]
        return tuple(total)

    def steps(self) -> list[Step]:
        """The instructions, in order. Raises MatchError."""
        places = {row.bit_length() - 1: place for place, row in enumerate(self.block)}
        candidates: Candidates = [(None, identity(len(self.block)))]
        steps, phase = [], 0
        for layer in self._layers():
            step, places = self._to_layer(candidates, places, layer, phase)
            steps.append(step)
            candidates = [(r, r.rows) for r in self.instructions.rounds if r.box == layer[0].box]
            phase = min(leaf.node.phase for leaf in layer)
        steps.append(self._to_results(candidates, places, phase))
        return [step for step in steps if step.round or any(step.added)]

    def _layers(self) -> list[list[Leaf]]:
        """The layers of S-boxes from the first to the last."""
        layers: list[list[Leaf]] = []
        rows: Sequence[int] = self.results
        while leaves := self._state_leaves(rows):
            if all(leaf.box is None for leaf in leaves):
                return layers[::-1]
            if len({leaf.box for leaf in leaves}) > 1 or len(leaves) != self.instructions.bytes:
                count = self.instructions.bytes
                line = leaves[0].node.line
                raise MatchError(f"a layer of it is not {count} times the S-box of an instruction ({line})")
            layers.append(leaves)
            rows = [row for leaf in leaves for row in leaf.index]
        raise MatchError("its result does not depend on its block")

    def _state_leaves(self, rows: Sequence[int]) -> list[Leaf]:
        """The leaves, but for those of the key."""
        support = 0
        for row in rows:
            support |= row
        leaves = [leaf for leaf in self.forms.within(support) if not self._of_key(leaf)]
        for leaf in leaves:
            if leaf.box is None and leaf.node.op is not Op.PARAM:
                raise MatchError(
                    f"{leaf.node.op.label} is neither affine nor a matching S-box ({leaf.node.line})"
                )
        return leaves

    def _of_key(self, leaf: Leaf) -> bool:
        return leaf.box is None and self.key_only(leaf.node)

    def _split(self, places: Places, rows: Sequence[int]) -> tuple[Rows | None, Rows]:
        """The state's part of rows, as rows over its register, and the part of the key and the ones."""
        key = ONE
        for row in rows:
            for leaf in self.forms.within(row):
                key |= leaf.bits if self._of_key(leaf) else 0
        return translated(places, [row & ~key for row in rows]), tuple(row & key for row in rows)

    def _to_layer(
        self, candidates: Candidates, places: Places, layer: list[Leaf], phase: int
    ) -> tuple[Step, Places]:
        """The step whose bytes the S-boxes of a layer take, and where their outputs then are."""
        parts = {leaf: self._split(places, leaf.index) for leaf in layer}
        for round_, rows in candidates:
            bytes_ = bytes_of(rows)
            at = {leaf: bytes_.get(state) for leaf, (state, _) in parts.items() if state is not None}
            order = {place: leaf for leaf, place in at.items() if place is not None}
            if len(order) == len(layer):
                added = tuple(row for place in sorted(order) for row in parts[order[place]][1])
                after: Places = {}
                for place, leaf in order.items():
                    after |= leaf_places(leaf, BYTE * place)
                return Step(round_, added, phase), after
        raise MatchError(f"what its S-boxes take is not what an instruction makes ({layer[0].node.line})")

    def _to_results(self, candidates: Candidates, places: Places, phase: int) -> Step:
        state, added = self._split(places, self.results)
        for round_, rows in candidates:
            if rows == state:
                return Step(round_, added, phase)
        raise MatchError("what it does after its last S-boxes is not what an instruction does")


def _written(program: Program, block: Layout, steps: list[Step], registers: Registers) -> Graph:
    """The steps as a kernel on the same arrays of the key."""
    kernel = program.kernel
    make = Builder(simplify)
    params = [make.param("memory", WordType(block.width), f"p{k}") for k in range(block.count)]
    state = make.make(Op.TUPLE, params)
    for step in steps:
        make.phase = step.phase
        added = registers.register(make, step.added)
        normal = step.round or registers.instructions.addition
        state = make.make(Op.INSTRUCTION, (state, added), normal.instruction)
    keys = program.key_params
    return Graph(kernel.name, (*params, *keys), make.results(state), kernel.rounds)
