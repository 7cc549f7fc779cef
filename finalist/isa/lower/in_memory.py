"""Lowering for processors whose words live in memory: see `finalist.isa.lower.accumulator`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from finalist.errors import GraphError
from finalist.ir.graph import Node, Region
from finalist.ir.ops import Op
from finalist.ir.types import WordType
from finalist.isa.code import Code, Ins
from finalist.isa.lower.accumulator import AccumulatorSelector, Both
from finalist.isa.lower.arrays import IndexedArrays
from finalist.isa.lower.carries import Chain, Group, Limb, Pair, groups, use_counts
from finalist.isa.lower.control import Control, Turning, ends_of, inside
from finalist.isa.lower.gathered import gathered
from finalist.isa.lower.homes import Homes
from finalist.isa.lower.lowerer import Conventions, Lowerer
from finalist.isa.lower.shape import holding
from finalist.isa.lower.shifted import Shifts
from finalist.isa.lower.subroutines import Call, Subroutine
from finalist.isa.lower.transposed import Transposed
from finalist.isa.target.meaning import Flow, Leaf, Term, constant, less, mul_high, register
from finalist.isa.target.memory import Memory
from finalist.isa.target.processor import Processor

#: Operations that are written with an operand twice.
_TWICE = frozenset({Op.ROL, Op.ROR})

#: A word in memory, and what it gets.
Move = tuple[int, Term]
Moves = tuple[Move, Move]


def _after_handing_on(region: Region) -> list[Node]:
    """What comes to words of a loop that are themselves handed on to other ones."""
    homes = region.params[len(region.params) - len(region.results) :]
    given = set(region.results)
    return [
        node for home, node in zip(homes, region.results, strict=False) if home in given and home is not node
    ]


class ControlInMemory(Control):
    """Loops whose words change places in memory."""

    to: InMemoryLowerer

    def _step(self, turning: Turning, region: Region) -> None:
        """Where all that takes the index takes a multiple of it plus an offset, that is counted instead."""
        ends, found, width = ends_of(turning.found, region), turning.found, self.to.processor.width
        forms = [found.affine[node] for node in ends]
        if turning.index in ends or len({scale for scale, _ in forms}) != 1:
            return
        base, turns = forms[0][1], (turning.first, turning.last + 1)
        steps = (step for step in (forms[0][0], forms[0][0] - (1 << width)) if step)  # modulo a word
        fits = [step for step in steps if inside((step, base), *turns, 1 << width)]
        if not fits or any(node.width != width for node in ends):
            return
        (scale,) = fits
        counter = self.to.code.fresh()
        turning.pointers[scale] = counter, base
        for node, (_, offset) in zip(ends, forms, strict=True):
            word = register(counter)
            self.to.terms[node] = word if offset == base else word + (offset - base)
        found.places.update(node for node in found.affine if node is not turning.index)
        found.counted = False

    def _move(self, moves: Sequence[Move]) -> None:
        """One after the other, where none takes what another has overwritten; two that change places do so
        by registers."""
        pending = list(moves)
        while (pair := self._handed_on(pending)) is not None:
            pending = [move for move in pending if move not in pair]
        while pending:
            free = next((move for move in pending if not _read_by_others(move, pending)), None)
            if free is not None:
                pending.remove(free)
                self.to.emit(free[1], free[0])
            elif (pair := _exchanged(pending)) is not None:
                assert self.to.choice.hand_on(register(pair[0][0]), pair[1][0], pair[0][0])
                pending = [move for move in pending if move not in pair]
            else:
                target, value = next((m for m in pending if not isinstance(m[1].op, Leaf)), pending[0])
                saved = register(self.to.emit(value, self.to.code.fresh()))
                pending[pending.index((target, value))] = target, saved

    def _handed_on(self, moves: Sequence[Move]) -> Moves | None:
        """Two moves that have been made at once: one to a word of what is made, and one of what was there, so
        that what is made may be made of what was where that goes."""
        taking: dict[Term, list[Move]] = {}
        for move in moves:
            taking.setdefault(move[1], []).append(move)
        for first in moves:
            for second in taking.get(register(first[0]), ()) if not isinstance(first[1].op, Leaf) else ():
                others = {word for move in moves if move not in (first, second) for word in _words(move[1])}
                free = others.isdisjoint((first[0], second[0]))
                if free and self.to.choice.hand_on(first[1], first[0], second[0]):
                    return first, second
        return None


def _read_by_others(move: Move, moves: Sequence[Move]) -> bool:
    return any(move[0] in _words(value) for target, value in moves if target != move[0])


def _exchanged(moves: Sequence[Move]) -> Moves | None:
    """Two moves, each of the other's word, that no further one takes."""
    taken = [word for _, value in moves for word in _words(value)]
    for one in moves:
        for other in moves:
            both = one[1] == register(other[0]) and other[1] == register(one[0]) and one is not other
            if both and taken.count(one[0]) == taken.count(other[0]) == 1:
                return one, other
    return None


def _words(term: Term) -> list[int]:
    found = [int(term.attr)] if term.op is Leaf.REGISTER and not isinstance(term.attr, str) else []
    return found + [word for arg in term.args for word in _words(arg)]


class InMemoryLowerer(Lowerer):
    """Makes the code of regions, its words in memory."""

    def __init__(
        self,
        processor: Processor,
        memory: Memory,
        code: Code,
        conventions: Conventions,
        homes: Homes | None = None,
    ) -> None:
        super().__init__(processor, memory, code, conventions, homes)
        self.choice = AccumulatorSelector(processor, code.fresh, self._emit, self.constant)
        self.selector = self.choice
        self.arrays = IndexedArrays(self)
        self.control = ControlInMemory(self)
        self._groups: dict[Node, Group] = {}
        self._written: set[Node] = set()
        #: Whether code is to be small.
        self.small = False
        #: The call that a node belongs to.
        self.calls: Mapping[Node, Call] = {}

    def emit(self, term: Term, into: int | None = None) -> int:
        """The word that holds a term; bits from here and there are gathered one by one if that costs less."""
        return super().emit(gathered(term, self.processor.width, self.choice.cost), into)

    def region(self, region: Region) -> None:
        """The code of a region's body."""
        outer, self._groups = self._groups, self.grouped(region)
        super().region(region)
        self._groups = outer

    def grouped(self, region: Region) -> dict[Node, Group]:
        """The groups of a region that are not inside of a subroutine."""
        found = groups(region, self.processor.width, self._pairs(), self.small)
        return {node: group for node, group in found.items() if node not in self.calls}

    @property
    def _carry(self) -> str:
        """The file of the register that sums leave their carry in."""
        a, b = register(1), register(2)
        made = self.choice.both(a + b, [less(a + b, b)])
        return "" if made is None else made.second

    def _pairs(self) -> list[tuple[Op, Op]]:
        """Operations that one instruction does both."""
        a, b = register(1), register(2)
        return [] if self.choice.both(a * b, [mul_high(a, b)]) is None else [(Op.MUL, Op.MULHI)]

    def _use_counts(self, region: Region) -> dict[Node, int]:
        """A group takes each of its operands once, whatever its members are made of; so does a word that is
        handed on what comes to it."""
        counts = super()._use_counts(region)
        known = {*region.params, *self._groups, *self.calls}
        _count(counts, [node for node in _after_handing_on(region) if known.issuperset(node.inputs)], -1)
        for node in region.body:
            if node in self._groups:
                _count(counts, node.inputs, -1)
            elif node.op in _TWICE:
                _count(counts, node.inputs, 1)
        for call in self.calls_of(region):
            for node in call.nodes:
                _count(counts, node.inputs, -1 if node not in self._groups else 0)
            _count(counts, call.inputs, 1)
        for group in {id(group): group for group in self._groups.values()}.values():
            for node, times in use_counts(group).items():
                _count(counts, [node], times)
        return counts

    def calls_of(self, region: Region) -> list[Call]:
        """The calls of a region, each once."""
        calls = (self.calls[node] for node in region.body if node in self.calls)
        return list({id(call): call for call in calls}.values())

    def _lasts(self, array: Node) -> bool:
        return array.attr == "key" and array not in self.arrays.own

    def _load(self, node: Node) -> None:
        """An entry of the key that is known is read where it is taken, where there is little memory."""
        array, working = node.inputs[0], self.processor.working
        if working is not None and working.block and self._lasts(array) and node.inputs[1].op is Op.CONST:
            self.terms[node] = self.arrays.read(array, node.inputs[1], node.width)
        else:
            super()._load(node)

    def _node(self, node: Node) -> None:
        call = self.calls.get(node)
        if call is not None:
            if node not in self._written:
                self._written.update(call.nodes)
                self._call(call)
            return
        group = self._groups.get(node)
        if group is None:
            self._check(node)
            super()._node(node)
        elif node not in self._written:
            self._written.update(group.members)
            for child in group.inputs:
                self._ahead(child)
            if isinstance(group, Chain):
                self._chain(group)
            elif isinstance(group, Shifts):
                self._shifts(group)
            elif isinstance(group, Transposed):
                self._transposed(group)
            else:
                self._pair(group)

    def _check(self, node: Node) -> None:
        if isinstance(node.type, WordType) and node.width > self.processor.width:
            raise GraphError(
                f"{node.op.label} ({node.line}) has {node.width} bits; accepted: {self.processor.width}"
            )

    def _ahead(self, node: Node) -> None:
        """An operand whose place is yet to come."""
        if node.op in (Op.CONST, Op.PARAM) or node in self.terms or node in self.loose:
            return
        call = self.calls.get(node)
        for child in node.inputs if call is None else call.inputs:
            self._ahead(child)
        self._node(node)

    # -- subroutines ----------------------------------------------------------------------------

    def _call(self, call: Call) -> None:
        """What goes in is put in its places; what comes out is taken from there."""
        one = call.subroutine
        for child in call.inputs:
            self._ahead(child)
        for word, node in zip(one.arguments, call.inputs, strict=True):
            self.emit(self.term(node), word)
        self.transfer(Flow.CALL, one.label, one.arguments, one.changed)
        for word, node in zip(one.results, call.outputs, strict=True):
            if self._uses.get(node, 0):
                self.terms[node] = register(self.emit(register(word), self.code.fresh()))

    def transfer(self, flow: Flow, label: str, takes: list[int], gives: list[int]) -> None:
        """A call, or a return."""
        one = next(
            i
            for i in self.processor.instructions
            if i.flow is flow and (not label or i.operands[0].kind == "place")
        )
        changes = tuple(self.processor.files) if flow is Flow.CALL else ()
        self._emit(Ins(one, [label] if label else [], takes=takes, gives=gives, changes=changes))

    def subroutine(self, one: Subroutine) -> None:
        """The code of one."""
        self.part = "block"
        self.begin("").label = one.label
        for param, word in zip(one.region.params, one.arguments, strict=True):
            self.terms[param] = register(word)
        self.region(one.region)
        for result, word in zip(one.region.results, one.results, strict=True):
            self.emit(self.term(result), word)
        self.transfer(Flow.RETURN, "", one.results, [])

    # -- several results ------------------------------------------------------------------------

    def _pair(self, pair: Pair) -> None:
        a, b = (self.term(node) for node in pair.inputs)
        made = self.choice.both(Term(pair.first.op, (a, b)), [Term(pair.second.op, (a, b))])
        if made is None:
            a, b = self._stored(a), self._stored(b)
            made = self.choice.both(Term(pair.first.op, (a, b)), [Term(pair.second.op, (a, b))])
        assert made is not None
        self.choice.make_both(made)
        self._keep_result(pair.first, made.first, frozenset({made.second}))
        self._keep_result(pair.second, made.second, frozenset())

    def _keep_result(self, node: Node, file: str, keep: frozenset[str]) -> None:
        word = self.code.fresh()
        self.choice.keep_held(file, word, keep)
        self.terms[node] = register(word)

    def _chain(self, chain: Chain) -> None:
        """All limbs, one after the other; what they are made of must leave the carry alone."""
        parts = [self._parts(limb) for limb in chain.limbs]
        for k, (limb, (x, y)) in enumerate(zip(chain.limbs, parts, strict=True)):
            if k and self._sum(limb, x, y, self._carry) is None:
                parts[k] = self._stored(x), self._stored(y)
        carry = ""
        for limb, (x, y) in zip(chain.limbs, parts, strict=True):
            if limb.out is None:
                self.terms[limb.result] = register(self.emit(_total(limb.op, x, y, carry)))
                return
            made = self._sum(limb, x, y, carry)
            assert made is not None
            self.choice.make_both(made)
            self._keep_result(limb.result, made.first, frozenset({made.second}))
            carry = made.second
        if chain.last is not None:
            self.terms[chain.last] = register(self.emit(constant(0) + constant(0) + holding(carry)))

    def _shifts(self, group: Shifts) -> None:
        """All words, the bit that one loses left in the carry for the next."""
        words = [self._stored(self.term(node)) for node in group.words]
        before = None if group.before is None else self.term(group.before)
        carry, top = self._carry, constant(self.processor.width - 1)
        for number, (word, result) in enumerate(zip(words, group.results, strict=True)):
            bit = holding(carry) if number else _lost(group.left, before, top)
            came = bit if group.left or bit is None else Term(Op.SHL, (bit, top))
            moved = Term(Op.SHL if group.left else Op.SHR, (word, constant(1)))
            total = moved if came is None else moved | came
            lost = _lost(group.left, word, top)
            assert lost is not None
            if number + 1 == len(words):
                self.terms[result] = register(self.emit(total))
                return
            made = self.choice.both(total, [lost])
            assert made is not None
            self.choice.make_both(made)
            self._keep_result(result, made.first, frozenset({made.second}))

    def _transposed(self, group: Transposed) -> None:
        """All results, each of the bits that the words lose next."""
        words = [self._stored(self.term(node)) for node in group.words]
        file, top = next(iter(self.processor.files)), constant(self.processor.width - 1)
        for result in group.results:
            self.choice.load(constant(0), file)
            for number, word in enumerate(words):
                made = self.choice.both(word << 1, [word >> top.attr], frozenset({file}))
                assert made is not None
                self.choice.make_both(made, frozenset({file}))
                words[number] = register(self.code.fresh())
                self.choice.keep_held(made.first, int(words[number].attr), frozenset({file, made.second}))
                self.choice.load(holding(file) << 1 | holding(made.second), file)
            self.terms[result] = register(self.code.fresh())
            self.choice.keep_held(file, int(self.terms[result].attr))

    def _stored(self, term: Term) -> Term:
        return term if isinstance(term.op, Leaf) else register(self.emit(term))

    def _parts(self, limb: Limb) -> tuple[Term, Term]:
        return self.term(limb.x), constant(0) if limb.y is None else self.term(limb.y)

    def _sum(self, limb: Limb, x: Term, y: Term, carry: str) -> Both | None:
        total = _total(limb.op, x, y, carry)
        return self.choice.both(total, [_over(limb.op, a, b, carry) for a, b in ((x, y), (y, x))])


def _total(op: Op, x: Term, y: Term, carry: str) -> Term:
    part = Term(op, (x, y))
    return Term(op, (part, holding(carry))) if carry else part


def _lost(left: bool, word: Term | None, top: Term) -> Term | None:
    """The bit that a word loses when it is moved by one."""
    if word is None:
        return None
    return Term(Op.SHR, (word, top)) if left else word & 1


def _over(op: Op, x: Term, y: Term, carry: str) -> Term:
    """The carry of a sum, or the borrow of a difference."""
    part, held = Term(op, (x, y)), holding(carry)
    over = less(part, y) if op is Op.ADD else less(x, y)
    if not carry:
        return over
    again = less(Term(op, (part, held)), held) if op is Op.ADD else less(part, held)
    return over | again


def _count(counts: dict[Node, int], nodes: object, times: int) -> None:
    assert isinstance(nodes, list | tuple)
    for node in nodes:
        counts[node] = counts.get(node, 0) + times
