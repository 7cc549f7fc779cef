"""Selection: the cheapest instructions whose meanings, put together, are a given term.

Every way to cover a term by meanings is compared, and every way to cover what the rewrites of
`finalist.isa.lower.rewrites` make of it. The cost is the number of instructions; a constant in a register
is cheap, since it is made once for the whole program.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from finalist.errors import GraphError
from finalist.ir.ops import COMMUTATIVE, Op
from finalist.isa.code import ZERO, Ins
from finalist.isa.lower.rewrites import InMemory, rewrites
from finalist.isa.target.instruction import Instruction
from finalist.isa.target.meaning import Bank, Flow, Leaf, Term, branch, constant, register
from finalist.isa.target.processor import Form, Processor, Shape

#: Thousandths of an instruction.
ONE, HELD, LATENCY = 1000, 100, 10
_NEVER = 1 << 40

Bindings = dict[str, Term]


@dataclass(frozen=True, slots=True)
class Cover:
    """How a term is made: an instruction and what its operands are, or another term that is its equal.

    ``condition``: the word on which the instruction depends, and whether it must be other than 0 or 0.
    """

    cost: int
    instruction: Instruction | None = None
    bindings: Bindings | None = None
    instead: Term | None = None
    condition: tuple[Term, bool] | None = None


class Selector:
    """Covers terms and emits the instructions. ``emit``: takes each; ``constant``: the word of a constant."""

    def __init__(
        self,
        processor: Processor,
        fresh: Callable[[], int],
        emit: Callable[[Ins], None],
        constant: Callable[[int], int],
    ) -> None:
        self.processor = processor
        self.fresh = fresh
        self.emit = emit
        self.constant = constant
        self.mask = (1 << processor.width) - 1
        self._covers: dict[Term, Cover] = {}
        self._made: dict[Term, int] = {}
        #: What the instructions serve that are being emitted: a lookup, a product.
        self.role = ""

    # -- covering -------------------------------------------------------------------------------

    def cover(self, subject: Term) -> Cover:
        """The cheapest cover. Raises GraphError where there is none: the processor lacks an operation."""
        known = self._covers.get(subject)
        if known is None:
            self._covers[subject] = Cover(_NEVER)  # what leads back to itself is no cover
            known = self._best(subject)
            if known.cost < _NEVER:
                self._covers[subject] = known
            else:
                del self._covers[subject]
        return known

    def _best(self, subject: Term) -> Cover:
        if isinstance(subject.op, Leaf):
            held = subject.op is not Leaf.REGISTER and (subject.attr or self.processor.main.zero is None)
            return Cover(HELD if held else 0)
        best = Cover(_NEVER)
        for found in self._candidates(subject):
            if found.cost < best.cost:
                best = found
        return best

    def _candidates(self, subject: Term) -> Iterator[Cover]:
        for instruction, given, meaning in self._alike(subject):
            for bindings in self.match(instruction, meaning, subject, given):
                cost = ONE + LATENCY * (instruction.latency - 1) + self._scarce(instruction)
                for o in instruction.operands:
                    if o.read:
                        cost += self.cover(bindings[o.name]).cost
                yield Cover(cost, instruction, bindings)
        for other in rewrites(subject, self.processor):
            yield Cover(self.cover(other).cost, instead=other)
        if subject.op is Flow.BRANCH and self.processor.predicates is not None:
            yield from self._conditional(subject)

    def _conditional(self, subject: Term) -> Iterator[Cover]:
        """A branch that is always taken, under a condition."""
        (wanted,) = subject.args
        for instruction, _, meaning in self.processor.by_root.get((Flow.BRANCH, 0), ()):
            if instruction.predicable and meaning == branch(constant(1)):
                for word, sense in _senses(wanted):
                    cost = ONE + self.cover(word).cost
                    yield Cover(cost, instruction, {}, condition=(word, sense))

    def _alike(self, subject: Term) -> Iterator[Form]:
        """Forms of instructions whose operands can be the subject's, in one order or the other."""
        ops = tuple(arg.op for arg in subject.args)
        orders = (ops, ops[::-1]) if subject.op in COMMUTATIVE else (ops,)
        for shape, forms in self.processor.by_shape.get((subject.op, subject.lane), ()):
            if any(_fits(shape, order) for order in orders):
                yield from forms

    def _scarce(self, instruction: Instruction) -> int:
        """Of two ways that are as long the one that leaves the rarer unit alone."""
        if self.processor.exposed:
            return max(0, 8 - len({way.unit for way in instruction.ways}))
        return int(
            self.processor.unit_count(instruction.unit) == 1 and instruction.unit in self.processor.units
        )

    def match(
        self, instruction: Instruction, meaning: Term, subject: Term, given: dict[str, int]
    ) -> Iterator[Bindings]:
        """All ways in which the meaning is the subject, as what the operands then are."""
        start = {name: Term(Leaf.CONSTANT, attr=value) for name, value in given.items()}
        yield from self._match(instruction, meaning, subject, start)

    def _match(self, one: Instruction, meaning: Term, subject: Term, known: Bindings) -> Iterator[Bindings]:
        if meaning.op is Leaf.OPERAND:
            name, o = meaning.attr, one.by_name[meaning.attr]
            if o.kind == "imm":
                fits = subject.op is Leaf.CONSTANT and o.accepts(subject.attr, self.processor.width)
                if not fits:
                    return
            if name not in known:
                yield {**known, name: subject}
            elif known[name] == subject:
                yield known
            return
        if meaning.op is Leaf.CONSTANT:
            if subject.op is Leaf.CONSTANT and (meaning.attr - subject.attr) & self.mask == 0:
                yield known
            return
        if meaning.op is not subject.op or meaning.lane != subject.lane:
            return
        if meaning.op in _TELLING and not _same(meaning.attr, subject.attr):
            return
        if len(meaning.args) != len(subject.args):
            return
        yield from self._match_all(one, meaning.args, subject.args, known)
        if meaning.op in COMMUTATIVE and subject.args[0] != subject.args[1]:
            yield from self._match_all(one, meaning.args, subject.args[::-1], known)

    def _match_all(
        self, one: Instruction, meanings: tuple[Term, ...], subjects: tuple[Term, ...], known: Bindings
    ) -> Iterator[Bindings]:
        if not meanings:
            yield known
            return
        for more in self._match(one, meanings[0], subjects[0], known):
            yield from self._match_all(one, meanings[1:], subjects[1:], more)

    # -- emitting -------------------------------------------------------------------------------

    def forget(self) -> None:
        """What has been made so far is not used again: another block begins, or a word has changed."""
        self._made.clear()

    def root(self, subject: Term, into: int | None = None) -> int:
        """As `value`, for a whole term."""
        result = self.value(subject, into)
        if into is not None:
            self.forget()
        return result

    def value(self, subject: Term, into: int | None = None) -> int:
        """Instructions for a term; the word that then holds it, which is ``into`` where that is given."""
        if isinstance(subject.op, Leaf) and into is None:
            return self._leaf(subject)
        if isinstance(subject.op, Leaf):
            return self._moved(subject, into)
        if into is None and subject in self._made:
            return self._made[subject]
        cover = self.cover(subject)
        if cover.instead is not None:
            result = self._rewritten(subject, cover.instead, into)
        elif cover.instruction is None or cover.bindings is None:
            raise GraphError(f"{self.processor.name} has no instructions for {subject}")
        else:
            result = self._emitted(cover.instruction, cover.bindings, into)
        if into is None and is_pure(subject):
            self._made[subject] = result  # what stands twice in a block is made once
        return result

    def _rewritten(self, subject: Term, instead: Term, into: int | None) -> int:
        outer, self.role = self.role, self.role or _ROLES.get(subject.op, "")
        result = self.value(instead, into)
        self.role = outer
        return result

    def _leaf(self, subject: Term) -> int:
        if subject.op is Leaf.REGISTER:
            return int(subject.attr)
        value = subject.attr & self.mask
        return self.constant(value) if value or self.processor.main.zero is None else ZERO

    def _moved(self, subject: Term, into: int | None) -> int:
        source = self._leaf(subject)
        for instruction, _, meaning in self.processor.by_root.get((Leaf.OPERAND, 0), ()):
            if instruction.by_name[meaning.attr].kind == "use":
                return self._emitted(instruction, {meaning.attr: register(source)}, into)
        cover = self.cover(Term(Op.OR, (Term(Leaf.REGISTER, attr=source), Term(Leaf.REGISTER, attr=ZERO))))
        assert cover.instruction is not None and cover.bindings is not None
        return self._emitted(cover.instruction, cover.bindings, into)

    def act(self, effect: Term, to: str = "", access: object = None) -> None:
        """The instructions of a store, a write to a table or a branch."""
        best = min(self._candidates(effect), key=lambda cover: cover.cost, default=Cover(_NEVER))
        if best.instead is not None:
            return self.act(best.instead, to, access)
        if best.instruction is None or best.bindings is None:
            raise GraphError(f"{self.processor.name} has no instructions for {effect}")
        condition = None
        if best.condition is not None:
            word, sense = best.condition
            condition = self.value(word, self.fresh()), sense  # few registers can be tested: only for this
        self._emitted(best.instruction, best.bindings, None, to, access, condition)
        return None

    def _emitted(
        self,
        instruction: Instruction,
        bindings: Bindings,
        into: int | None,
        to: str = "",
        access: object = None,
        condition: tuple[int, bool] | None = None,
    ) -> int:
        """One instruction, after those of its operands."""
        result = ZERO
        operands: list[int | str] = []
        for o in instruction.operands:
            if o.read:
                operands.append(self.value(bindings[o.name]))
            elif o.kind == "imm":
                operands.append(self.immediate(bindings[o.name].attr, o.signed))
            elif o.kind == "target":
                operands.append(to)
            else:
                result = self.fresh() if into is None else into
                operands.append(result)
        self.emit(Ins(instruction, operands, note=self.role, access=access, condition=condition))
        return result

    def immediate(self, value: int, signed: bool) -> int:
        """An immediate as it is written."""
        half = 1 << self.processor.width - 1
        return value - 2 * half if signed and value >= half else value


def _senses(condition: Term) -> Iterator[tuple[Term, bool]]:
    """Words of which a condition says that they are other than 0, or 0."""
    yield condition, True
    if condition.op is Op.XOR and condition.args[1] == constant(1):
        yield from ((word, not sense) for word, sense in _senses(condition.args[0]))
    elif condition.op is Op.EQ:
        a, b = condition.args
        yield (a if b == constant(0) else a ^ b), False


@lru_cache(maxsize=1 << 16)
def is_pure(subject: Term) -> bool:
    """Whether a term reads neither memory nor tables that may change."""
    changing = subject.op is Op.LOAD or (
        subject.op is Op.LOOKUP and isinstance(subject.attr, Bank | InMemory)
    )
    return not changing and all(map(is_pure, subject.args))


def _fits(shape: Shape, ops: tuple[object, ...]) -> bool:
    return len(shape) == len(ops) and all(a is None or a is b for a, b in zip(shape, ops, strict=True))


def _same(own: object, wanted: object) -> bool:
    """Whether an instruction reads what is wanted; a table in memory may be one that it has built in."""
    return own == wanted or (isinstance(wanted, InMemory) and own is not None and own == wanted.table)


#: What instructions are for that an operation was rewritten to.
_ROLES: dict[object, str] = {Op.LOOKUP: "lookup", Op.MUL: "product", Op.MULHI: "product"}
#: Operations whose ``attr`` says what they do.
_TELLING = frozenset({Op.LOAD, Op.STORE, Op.LOOKUP})
