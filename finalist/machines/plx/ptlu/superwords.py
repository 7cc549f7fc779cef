"""What is done alike to several words is done to all of them at once, side by side in one register.

(S. Larsen, S. Amarasinghe, "Exploiting superword level parallelism with multimedia instruction sets", PLDI
2000.) The words that the turns of a loop hand on, and those that the kernel gives, are gathered to registers;
from there it goes backwards, to what they are made of. What comes out is what went in, one word at a time
still, but for tuples between (`finalist.machines.plx.ptlu.builder`).
"""

from __future__ import annotations

from collections.abc import Sequence

from finalist.errors import GraphError
from finalist.ir.graph import Graph, Node, Region, every_node
from finalist.ir.ops import Op
from finalist.ir.rewrite import Rewriter
from finalist.ir.types import TupleType, WordType
from finalist.machines.plx.ptlu.builder import WideBuilder, Words
from finalist.machines.plx.ptlu.sums_of_lookups import Sums

#: Done lane by lane.
_ALIKE = frozenset({Op.AND, Op.OR, Op.ADD, Op.SUB, Op.NOT})
_TURNS = frozenset({Op.ROL, Op.ROR})
#: Groups of words gathered for each word, where they do not belong together.
_TOO_MANY = 4


def with_superwords(graph: Graph, places: Sequence[int], lanes: int, ascending: bool) -> Graph:
    """The graph with its words in registers of ``lanes`` words.

    ``places``: for each word that a loop hands on where it stands, register by register and lane by lane;
    ``ascending``: whether of words in memory the first is in the lowest lane of a register. Raises GraphError
    where words are not worked on alike, so that far more groups would be gathered than there are words.
    """
    words_in_all = len(graph.params) + sum(1 for _ in every_node(graph))
    gatherer = Gatherer(places, lanes, most=_TOO_MANY * words_in_all)
    words = [p for p in graph.params if p.attr == "memory"]
    groups = [tuple(words[k : k + lanes]) for k in range(0, len(words) - lanes + 1, lanes)]
    if not ascending:
        groups = [group[::-1] for group in groups]
    for group in groups:
        gatherer.wide.in_memory(group)
    rewriter = Rewriter(gatherer.make, gatherer.visit)
    for node in graph.body:
        rewriter.get(node)
    results = rewriter.all(graph.results)
    count = len(groups) * lanes
    found = gatherer.placed(results[:count])  # put together as rounds do it, then exchanged for memory
    results[:count] = [found.get(result, result) for result in results[:count]]
    for group in groups:
        numbers = [words.index(word) for word in group]
        (whole,) = gatherer.gathered([tuple(results[number] for number in numbers)])
        for lane, number in enumerate(numbers):
            results[number] = gatherer.wide.lane(whole, lane)
    return Graph(graph.name, graph.params, results, graph.rounds)


class Gatherer:
    """Gathers words to registers.

    ``places``: as above; ``most``: how many groups of words are gathered before it gives up.
    """

    def __init__(self, places: Sequence[int], lanes: int, most: int) -> None:
        self.wide = WideBuilder(lanes)
        self.make, self.lanes = self.wide.make, lanes
        self.most = most
        self.places = places
        self.sums = Sums(self.wide, self.gathered, self.placed)
        self._known: dict[Words, Node] = {}

    # -- gathering ------------------------------------------------------------------------------

    def gathered(self, groups: Sequence[Words]) -> list[Node]:
        """For each group a register that holds it. Groups are looked at together: their sums may share."""
        new = [group for group in groups if group not in self._known]
        if new:
            for group, register in zip(new, self._gathered(new), strict=True):
                self._known[group] = register
            if len(self._known) > self.most:
                raise GraphError("words that stand side by side are not worked on alike")
        return [self._known[group] for group in groups]

    def _gathered(self, groups: Sequence[Words]) -> list[Node]:
        every = [word for group in groups for word in group]
        op = every[0].op
        if any(word.op is not op or word.type != WordType(32) for word in every):
            return [self.wide.register(group) for group in groups]
        if op is Op.XOR:
            return self.sums.of(groups)
        amounts = {word.inputs[1].attr for word in every if op in _TURNS and word.inputs[1].op is Op.CONST}
        if len(amounts) == 1 and all(word.inputs[1].op is Op.CONST for word in every):
            inner = self.gathered([tuple(word.inputs[0] for word in group) for group in groups])
            return [self.wide.alike(op, register, int(*amounts)) for register in inner]
        if op in _ALIKE:
            sides = [
                self.gathered([tuple(word.inputs[k] for word in group) for group in groups])
                for k in range(len(every[0].inputs))
            ]
            return [self.wide.alike(op, *registers) for registers in zip(*sides, strict=True)]
        return [self.wide.register(group) for group in groups]

    def placed(self, words: Sequence[Node]) -> dict[Node, Node]:
        """As many words as there are places, gathered so; each as a lane of its register. Of others none."""
        if len(words) != len(self.places):
            return {}
        slots = sorted(range(len(words)), key=lambda m: self.places[m])
        groups = [
            tuple(words[m] for m in slots[k : k + self.lanes]) for k in range(0, len(slots), self.lanes)
        ]
        registers = self.gathered(groups)
        return {
            word: self.wide.lane(register, lane)
            for group, register in zip(groups, registers, strict=True)
            for lane, word in enumerate(group)
        }

    # -- loops ----------------------------------------------------------------------------------

    def visit(self, rewriter: Rewriter, node: Node, inputs: tuple[Node, ...]) -> Node | None:
        """A loop that hands on as many words as there are places hands on registers."""
        if node.op is not Op.LOOP or [n.type for n in inputs[2:]] != [WordType(32)] * len(self.places):
            return None
        region, make = node.region, self.make
        index = rewriter.remake_param(region.params[0])
        first = self._registers(self.placed(inputs[2:]), inputs[2:])
        type_ = TupleType((WordType(32),) * self.lanes)
        params = [make.param("carried", type_, f"w{k}") for k in range(len(first))]
        carried = region.params[1:]
        rewriter.map[region.params[0]] = index
        rewriter.map.update(self._spread(params, carried))
        for inner in region.body:
            rewriter.get(inner)
        results = rewriter.all(region.results)
        last = self._registers(self.placed(results), results)
        made = make.make(Op.LOOP, (*inputs[:2], *first), Region([index, *params], last))
        spread = self._spread(make.results(made), carried)
        rewriter.gives(node, [spread[param] for param in carried])
        return made

    def _spread(self, registers: Sequence[Node], words: Sequence[Node]) -> dict[Node, Node]:
        """For each word its lane."""
        return {
            word: self.wide.lane(registers[place // self.lanes], place % self.lanes)
            for word, place in zip(words, self.places, strict=True)
        }

    def _registers(self, lanes: dict[Node, Node], words: Sequence[Node]) -> list[Node]:
        """The registers that words which have been gathered lie in, in order."""
        slots = sorted(range(len(words)), key=lambda m: self.places[m])
        return [lanes[words[m]].inputs[0] for m in slots[:: self.lanes]]
