"""Loops and conditionals as blocks and branches; what they carry, and places that move with a loop.

Places that move with a loop: an array that is read at a + b * iteration is read through a pointer.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from finalist.ir.graph import Node, Region
from finalist.ir.ops import Op
from finalist.ir.types import ArrayType
from finalist.isa.code import Block, Ins
from finalist.isa.lower.rewrites import CLEAN
from finalist.isa.target.meaning import Leaf, Term, branch, constant, equal, less, register
from finalist.isa.target.memory import Place

if TYPE_CHECKING:
    from finalist.isa.lower.lowerer import Lowerer


from collections.abc import Callable

from finalist.ir.builder import mask
from finalist.ir.graph import operands
from finalist.ir.ops import CONTROL


@dataclass(slots=True)
class Turning:
    """A loop under way: its inductions, and the pointers made so far by bytes an iteration."""

    found: Induction
    index: Node
    start: Term
    #: Numbers of the first iteration and of the last, if known; else of those that there can be.
    first: int
    last: int
    #: For bytes an iteration: the word that moves, and the address that it stands for at iteration 0.
    pointers: dict[int, tuple[int, int]] = field(default_factory=dict)


class Control:
    """The loops and conditionals of a piece of program."""

    def __init__(self, lowerer: Lowerer) -> None:
        self.to = lowerer
        self._turning: list[Turning] = []
        self._homes: dict[Node, tuple[Node, ...]] = {}

    # -- places that move -----------------------------------------------------------------------

    def moved(self) -> set[Node]:
        """What only says where arrays are read in the loop under way: it is not computed."""
        return set(self._turning[-1].found.places) if self._turning else set()

    def moving(self, place: Place, index: Node) -> Term | None:
        """The address of an entry whose place moves with the loop under way."""
        turning = self._turning[-1] if self._turning else None
        if turning is None or (index is not turning.index and index not in turning.found.places):
            return None
        scale, offset = turning.found.affine[index]
        step = scale * place.step
        if step not in turning.pointers:
            origin = self.to.arrays.origin(place, step, turning.first, turning.last)
            turning.pointers[step] = self.to.code.fresh(), origin
        pointer, origin = turning.pointers[step]
        return register(pointer) + (place.address + offset * place.step - origin)

    # -- loops and conditionals -----------------------------------------------------------------

    def loop(self, node: Node) -> None:
        """A loop; none where its bounds are fixed and leave it no iteration."""
        start, stop = node.inputs[:2]
        index = node.region.params[0]
        fixed = start.op is Op.CONST and stop.op is Op.CONST
        last = stop.attr - 1 if stop.op is Op.CONST else (1 << index.width) - 1
        homes = self._carry(node, 2)
        if fixed and start.attr >= stop.attr:
            return
        self.to.limits[index] = max(last, 0)
        first = start.attr if start.op is Op.CONST else 0
        found = found_in(node.region, first, last, self.to.arrays.elsewhere)
        turning = Turning(found, index, self.to.term(start), first, last)
        if fixed:
            self._step(turning, node.region)
        counted = turning.found.counted or not fixed
        counter = self.to.emit(self.to.term(start), self.to.code.fresh()) if counted else None
        if counter is not None:
            self.to.terms[index] = register(counter)
        before = self.to.block
        self.to.depth += 1
        head = self.to.begin("loop", _line(node))
        test = None if fixed else self._test(index, register(counter or 0), self.to.term(stop))
        self._body(node, turning, homes)
        self._advance(turning, before, counter, fixed, node, head)
        self.to.depth -= 1
        end = self.to.begin("after")
        if test is not None:
            test.operands[-1] = end.label

    def _step(self, turning: Turning, region: Region) -> None:
        """What counts in steps of its own in the place of the index, if there is anything like that."""

    def _test(self, index: Node, counter: Term, stop: Term) -> Ins:
        """Leaves the loop, to a label that is not known yet, where no iteration is left."""
        inside = less(counter, stop)
        if index.width < self.to.processor.width:
            inside = Term(Op.LT, inside.args, CLEAN)
        self.to.act(branch(Term(Op.EQ, (register(self.to.emit(inside)), constant(0)))), "?")
        test = self.to.block.body[-1]
        self.to.begin("turn")
        return test

    def _body(self, node: Node, turning: Turning, homes: Sequence[Node]) -> None:
        self._turning.append(turning)
        self._inner(node.region, homes)
        self._turning.pop()

    def _advance(
        self, turning: Turning, before: Block, counter: int | None, fixed: bool, node: Node, head: Block
    ) -> None:
        """Pointers and the counter move on, and back to the head unless that was the last iteration."""
        body, start = self.to.block, turning.start
        if counter is None and not turning.pointers:
            counter = self.to.code.fresh()
            self._before(before, start, counter)
        for step, (pointer, origin) in turning.pointers.items():
            fixed_start = start.op is Leaf.CONSTANT
            first = constant(origin + step * start.attr) if fixed_start else start * step + origin
            self._before(before, first, pointer)
        self.to.block = body
        for step, (pointer, _) in turning.pointers.items():
            self.to.emit(register(pointer) + step, pointer)
        if counter is not None:
            self.to.emit(register(counter) + 1, counter)
        if not fixed:
            self.to.goto(head.label)
            return
        stop = node.inputs[1].attr
        if counter is not None:
            end: Term = constant(stop)
            moving = counter
        else:
            step, (moving, origin) = next(iter(turning.pointers.items()))
            end = constant((origin + step * stop) & (1 << self.to.processor.width) - 1)
        self.to.act(branch(equal(register(moving), end) ^ 1), head.label)

    def _before(self, block: Block, term: Term, into: int) -> None:
        """A first value, made at the end of a block that lies before."""
        self.to.block = block
        self.to.emit(term, into)

    def when(self, node: Node) -> None:
        """A conditional."""
        homes = self._carry(node, 1)
        condition = self.to.emit(self.to.term(node.inputs[0]))
        self.to.act(branch(equal(register(condition), constant(0))), "?")
        test = self.to.block.body[-1]
        self.to.begin("when", _line(node))
        turning, self._turning = self._turning, []
        self._inner(node.region, homes)
        self._turning = turning
        test.operands[-1] = self.to.begin("after").label

    def _carry(self, node: Node, skip: int) -> tuple[Node, ...]:
        """A word for each carried word, holding its first value; arrays are worked on in place."""
        initial = node.inputs[skip:]
        homes = node.region.params[len(node.region.params) - len(initial) :]
        for home, value in zip(homes, initial, strict=True):
            if isinstance(value.type, ArrayType):
                self.to.arrays.carry(home, value)
            else:
                self.to.carry(home, register(self.to.emit(self._handed(home, value), self.to.code.fresh())))
        self._homes[node] = homes
        return homes

    def _handed(self, home: Node, value: Node) -> Term:
        """What goes to a carried word's place."""
        return self.to.low(value) if self.to.is_loose(home) else self.to.term(value)

    def _hand_on(self, homes: Sequence[Node], results: Sequence[Node]) -> None:
        """All carried words get their next values at once."""
        words = [(h, r) for h, r in zip(homes, results, strict=True) if not isinstance(h.type, ArrayType)]
        moves = [(int(self.to.carried(home).attr), self._handed(home, result)) for home, result in words]
        moves = [(target, value) for target, value in moves if value != register(target)]
        self._move(moves)
        for home, result in zip(homes, results, strict=True):
            if isinstance(home.type, ArrayType):
                self.to.arrays.settle(home, result)

    def _move(self, moves: Sequence[tuple[int, Term]]) -> None:
        """All words get their values as they are before."""
        for target, value in [(target, self._saved(value, moves)) for target, value in moves]:
            self.to.emit(value, target)

    def _saved(self, value: Term, moves: Sequence[tuple[int, Term]]) -> Term:
        """A value that none of the moves overwrites."""
        overwritten = value.op is Leaf.REGISTER and any(value.attr == target for target, _ in moves)
        if overwritten or not isinstance(value.op, Leaf):
            return register(self.to.emit(value, self.to.code.fresh()))
        return value

    def result(self, node: Node) -> None:
        """What a loop or conditional gives."""
        home = self._homes[node.inputs[0]][node.attr]
        if isinstance(home.type, ArrayType):
            self.to.arrays.hand_over(node, home)
        else:
            self.to.carry(node, self.to.carried(home))

    def _inner(self, region: Region, homes: Sequence[Node]) -> None:
        """The body of a loop or conditional, to where its words are handed on."""
        own, self.to.arrays.own = self.to.arrays.own, set(homes)
        known = len(self.to.masked)
        self.to.region(region)
        self.to.arrays.own = own
        self._hand_on(homes, region.results)
        self.to.forget_masked(known)  # a conditional may have been passed by


def _line(node: Node) -> str:
    """The definition's line, without the folder that it lies in."""
    return node.line.replace("\\", "/").rpartition("/")[2]


#: What keeps a multiple of the number plus an offset one, if the other operand is a constant.
_BY_CONSTANTS = frozenset({Op.ADD, Op.SUB, Op.MUL, Op.SHL})
#: ``scale * iteration + offset``, as (scale, offset).
Affine = tuple[int, int]


@dataclass(slots=True)
class Induction:
    """What a region computes of its iteration's number.

    ``affine``: nodes that are a multiple of the number plus an offset, modulo their width. ``places``: those
    of them that only say where arrays are read or written, which need not be computed. ``counted``: whether
    anything else needs the number.
    """

    affine: dict[Node, Affine] = field(default_factory=dict)
    places: set[Node] = field(default_factory=set)
    counted: bool = False


def found_in(
    region: Region, first: int, last: int, elsewhere: Callable[[Node], bool] = lambda array: False
) -> Induction:
    """The inductions of a loop whose iterations are numbered ``first`` to ``last``.

    ``elsewhere``: whether an array is not in memory, so that no pointer reaches it.
    """
    index = region.params[0]
    found = Induction({index: (1, 0)})
    for node in region.body:
        form = _affine(node, found.affine, first, last)
        if form is not None:
            found.affine[node] = form
    wanted = _wanted(region, found.affine, first, last, elsewhere)
    for node in reversed(region.body):  # what a computed value is computed from is computed
        if node in wanted:
            wanted |= {child for child in node.inputs if child in found.affine}
    found.places = {node for node in found.affine if node not in wanted and node is not index}
    found.counted = index in wanted
    return found


def ends_of(found: Induction, region: Region) -> list[Node]:
    """What of the computed multiples something else takes."""
    computed = found.affine.keys() - found.places
    taken = [child for node in region.body if node not in found.affine for child in operands(node)]
    return list(dict.fromkeys(node for node in (*taken, *region.results) if node in computed))


def inside(form: Affine, first: int, last: int, stop: int) -> bool:
    """Whether the values of all iterations are at least 0 and less than ``stop``."""
    ends = [form[0] * iteration + form[1] for iteration in (first, last)]
    return min(ends) >= 0 and max(ends) < stop


def _affine(node: Node, known: dict[Node, Affine], first: int, last: int) -> Affine | None:
    if not node.inputs or node.inputs[0] not in known:
        return None
    scale, offset = known[node.inputs[0]]
    if node.op is Op.EXTEND or (node.op is Op.SLICE and node.attr == 0):
        narrow = min(node.width, node.inputs[0].width)
        return (scale, offset) if inside((scale, offset), first, last, mask(narrow) + 1) else None
    if node.op not in _BY_CONSTANTS or node.inputs[1].op is not Op.CONST:
        return None
    value = _signed(node.inputs[1].attr, node.width)
    if node.op is Op.ADD:
        return scale, offset + value
    if node.op is Op.SUB:
        return scale, offset - value
    if node.op is Op.MUL:
        return scale * value, offset * value
    return (scale << value, offset << value) if 0 <= value < 32 else None


def _signed(value: int, width: int) -> int:
    return value - (1 << width) if value >> width - 1 and width > 8 else value


def _wanted(
    region: Region,
    affine: dict[Node, Affine],
    first: int,
    last: int,
    elsewhere: Callable[[Node], bool],
) -> set[Node]:
    """Nodes whose value something needs that is no place in memory."""
    wanted = {node for node in region.results if node in affine}
    for node in region.body:
        if node in affine:
            continue
        for number, child in enumerate(node.inputs):
            place = node.op in (Op.LOAD, Op.STORE) and number == 1 and not elsewhere(node.inputs[0])
            if child in affine and not (place and inside(affine[child], first, last, node.inputs[0].length)):
                wanted.add(child)
        if node.op in CONTROL:
            wanted |= {child for child in operands(node) if child in affine}
    return wanted
