"""Selection for processors whose words live in memory, and whose few registers have one task each.

Every term is covered by the meanings of instructions, as in `finalist.isa.lower.select`; but a register is a
lone one, so that what is evaluated first must survive what comes after, or wait in memory. The covers of a
term are therefore by goal (the register that it is wanted in) and by the registers that have to be preserved;
all orders of evaluation are compared. (A. V. Aho, S. C. Johnson, "Optimal Code Generation for Expression
Trees", 1976; the costs are cycles, then words of code.) Covers are of shapes, and known from then on.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, combinations, permutations

from finalist.errors import GraphError
from finalist.ir.ops import Op
from finalist.isa.code import Cell, Ins
from finalist.isa.lower.select import Bindings, Selector
from finalist.isa.lower.shape import Keep, Names, Recorded, Shapes, held, holding, operand_of, replayed
from finalist.isa.lower.single_steps import Places, single_steps
from finalist.isa.target.instruction import Effect, Instruction
from finalist.isa.target.meaning import Flow, Leaf, Term, register
from finalist.isa.target.processor import Processor

_NEVER = 1 << 40
#: A word of memory that has no number yet.
_SOME = register(-1)
#: The goal of what is wanted for its effect: a store, a branch.
_EFFECT = ""


@dataclass(frozen=True, slots=True)
class Plan:
    """How a term is made: by an instruction, whose operands ``early`` go to memory first and those of
    ``order`` to their registers then; or as another term; or in another register, to be ``moved``."""

    cost: int
    instruction: Instruction | None = None
    bindings: Bindings | None = None
    early: tuple[str, ...] = ()
    order: tuple[str, ...] = ()
    instead: Term | None = None
    moved: tuple[Instruction, str] | None = None


@dataclass(frozen=True, slots=True)
class Both:
    """Two terms made by the one instruction of a plan, and the files of the registers that get them."""

    plan: Plan
    first: str
    second: str
    #: The shapes of the terms, and what they stand for.
    shapes: tuple[Term, ...] = ()
    names: Names = field(default_factory=Names)


@dataclass(frozen=True, slots=True)
class _Form:
    instruction: Instruction
    given: dict[str, int]
    meaning: Term


class AccumulatorSelector(Selector):
    """Covers terms and emits the instructions. A `Leaf.REGISTER` is a word in memory, by number; or, by the
    name of its file, what a register holds already."""

    def __init__(
        self,
        processor: Processor,
        fresh: Callable[[], int],
        emit: Callable[[Ins], None],
        constant: Callable[[int], int],
    ) -> None:
        super().__init__(processor, fresh, emit, constant)
        self._places = Places(processor)
        self._forms: dict[tuple[str, object], list[_Form]] = {}
        self._moves: dict[str, list[tuple[Instruction, str]]] = {}
        self._written: dict[Instruction, Keep] = {}
        self._read: dict[Instruction, Keep] = {}
        for one in (*processor.instructions, *(idiom.instruction for idiom in processor.idioms)):
            self._add(one)
        self._direct: dict[tuple[Term, str, Keep], Plan] = {}
        self._plans: dict[tuple[Term, str, Keep], Plan] = {}
        self._shapes = Shapes(processor)
        self._both: dict[tuple[tuple[Term, ...], Keep], Both | None] = {}
        #: The instructions of shapes, and those of the one that is under way.
        self._recorded: dict[Hashable, list[Recorded]] = {}
        self._recording: list[Recorded] = []
        self._waiting = 0

    def _add(self, one: Instruction) -> None:
        self._written[one] = frozenset(self._file(one, o.name) for o in one.operands if o.written)
        self._read[one] = frozenset(self._file(one, o.name) for o in one.operands if o.read)
        for given, effects in one.forms:
            acts = [effect for effect in effects if not effect.target]
            for effect in acts or effects:
                goal = self._file(one, effect.target) if effect.target else _EFFECT
                source = effect.value
                if source.op is Leaf.OPERAND and one.by_name[source.attr].is_register:
                    self._moves.setdefault(goal, []).append((one, self._file(one, source.attr)))
                else:
                    form = _Form(one, given, effect.value)
                    self._forms.setdefault((goal, effect.value.op), []).append(form)

    def _file(self, one: Instruction, name: str) -> str:
        return one.by_name[name].file or next(iter(self.processor.files))

    # -- covering -------------------------------------------------------------------------------

    def plan(self, subject: Term, goal: str, keep: Keep = frozenset()) -> Plan:
        """The cheapest way to have a term in the register of a file while others are preserved."""
        key = subject, goal, keep
        known = self._plans.get(key)
        if known is not None:
            return known
        self._plans[key] = Plan(_NEVER)  # what leads back to itself is no plan
        best = self._in_one(subject, goal, keep)
        for one, source in self._moves.get(goal, ()):
            if source not in keep and not keep & self._written[one] - {goal}:
                cost = self._in_one(subject, source, keep).cost + self._cost(one)
                if cost < best.cost:
                    best = Plan(cost, moved=(one, source))
        self._plans[key] = best
        return best

    def _in_one(self, subject: Term, goal: str, keep: Keep) -> Plan:
        """The same, but for moves from another register."""
        if subject.op is Leaf.REGISTER and subject.attr == goal:
            return Plan(0)
        key = subject, goal, keep
        best = self._direct.get(key)
        if best is None:
            self._direct[key] = Plan(_NEVER)
            best = min(self._ways(subject, goal, keep), key=lambda plan: plan.cost, default=Plan(_NEVER))
            self._direct[key] = best
        return best

    def _ways(self, subject: Term, goal: str, keep: Keep) -> Iterator[Plan]:
        for form in self._alike_forms(subject, goal):
            one = form.instruction
            if keep & self._written[one] - {goal} or keep & self._read[one]:
                continue
            for bindings in self.match(one, form.meaning, subject, form.given):
                yield from self._arranged(one, bindings, keep)
        status = goal != _EFFECT and self.processor.files[goal].status
        for other in single_steps(subject, self.processor, status):
            yield Plan(self.plan(other, goal, keep).cost, instead=other)

    def _alike_forms(self, subject: Term, goal: str) -> Iterator[_Form]:
        roots: list[object] = [subject.op]
        if subject.op is Leaf.REGISTER:
            roots = [Op.LOAD]
        elif isinstance(subject.op, Leaf):
            roots = [Leaf.OPERAND]
        return chain.from_iterable(self._forms.get((goal, op), ()) for op in roots)

    def _match(self, one: Instruction, meaning: Term, subject: Term, known: Bindings) -> Iterator[Bindings]:
        if meaning.op is Op.LOAD and meaning.args[0].op is Leaf.OPERAND:
            o = one.by_name[meaning.args[0].attr]
            if o.kind == "imm" and o.bits <= self.processor.width and _can_be_stored(subject):
                if known.get(o.name, subject) == subject:
                    yield {**known, o.name: subject}
                return
        if meaning.op is Leaf.OPERAND and subject.op is Leaf.ADDRESS:
            o = one.by_name[meaning.attr]
            if o.kind == "imm" and o.accepts(subject.attr) and known.get(o.name, subject) == subject:
                yield {**known, o.name: subject}
            return
        if meaning.op is Op.STORE and meaning.args[0].op is Leaf.OPERAND:
            yield from self._match_store(one, meaning, subject, known)
            return
        yield from super()._match(one, meaning, subject, known)

    def _match_store(
        self, one: Instruction, meaning: Term, subject: Term, known: Bindings
    ) -> Iterator[Bindings]:
        """A store to an address that the instruction has; words of the program by short ones."""
        place, value = subject.args
        o = one.by_name[meaning.args[0].attr]
        short = place.op is Leaf.REGISTER and o.bits <= self.processor.width
        if short or (place.op is Leaf.ADDRESS and o.accepts(place.attr)):
            yield from self._match(one, meaning.args[1], value, {**known, o.name: place})

    def _arranged(self, one: Instruction, bindings: Bindings, keep: Keep) -> Iterator[Plan]:
        """All orders in which the operands of an instruction can be evaluated."""
        names = [o.name for o in one.operands if o.read and o.name in bindings]
        heavy = [name for name in names if not isinstance(bindings[name].op, Leaf)]
        # Operands that have to be put in memory first.
        stored = tuple(
            o.name for o in one.operands if o.kind == "imm" and not isinstance(bindings[o.name].op, Leaf)
        )
        for count in range(len(heavy) + 1 if len(names) > 1 else 1):
            for chosen in combinations(heavy, count):
                for order in permutations(names):
                    early = (*stored, *chosen)
                    cost = self._cost(one) + self._evaluated(one, bindings, early, order, keep)
                    if cost < _NEVER:
                        yield Plan(cost, one, bindings, early, order)

    def _evaluated(
        self, one: Instruction, bindings: Bindings, early: tuple[str, ...], order: tuple[str, ...], keep: Keep
    ) -> int:
        total = 0
        for term, goal, preserved in self._sequence(one, bindings, early, order, keep):
            if goal != _EFFECT:
                total += self.plan(term, goal, preserved).cost
            else:
                total += self.plan(Term(Op.STORE, (_SOME, term), 1), goal, preserved).cost
            if total >= _NEVER:
                break
        return total

    def _sequence(
        self, one: Instruction, bindings: Bindings, early: tuple[str, ...], order: tuple[str, ...], keep: Keep
    ) -> list[tuple[Term, str, Keep]]:
        """What is evaluated one after the other: a term, where to, and what it must keep. What is held in a
        register is preserved until it is taken."""
        steps = [(bindings[name], _EFFECT) for name in early]
        steps += [(_SOME if name in early else bindings[name], self._file(one, name)) for name in order]
        found = []
        for place, (term, goal) in enumerate(steps):
            later = frozenset[str]().union(*(held(other) for other, _ in steps[place + 1 :]))
            before = frozenset(file for _, file in steps[:place] if file)
            found.append((term, goal, keep | before | (later - {goal})))
        return found

    def _cost(self, one: Instruction) -> int:
        return 16 * one.cycles + one.bits // self.processor.word

    # -- emitting -------------------------------------------------------------------------------

    def root(self, subject: Term, into: int | None = None) -> int:
        """The word in memory that holds a term, made unless it is one."""
        if subject.op is Leaf.REGISTER and into is None:
            return int(subject.attr)
        word = self.fresh() if into is None else into
        self.act(Term(Op.STORE, (register(word), subject), 1))
        return word

    def act(self, effect: Term, to: str = "", access: object = None) -> None:
        """The instructions of a store, a branch, or the end."""
        self._write(self._places.canonical(effect), _EFFECT, frozenset(), to, access)

    def cost(self, subject: Term) -> int:
        """What it costs to have a term in the register of words."""
        (shape,), _ = self._shapes.of(self._places.canonical(subject))
        return self.plan(shape, next(iter(self.processor.files))).cost

    def both(self, first: Term, seconds: Iterable[Term], keep: Keep = frozenset()) -> Both | None:
        """The cheapest instruction that makes a term and one of ``seconds`` at once; None without one."""
        shapes, names = self._shapes.of(*map(self._places.canonical, (first, *seconds)))
        key = shapes, keep
        if key not in self._both:
            ways = self._all_both(shapes[0], shapes[1:], keep)
            self._both[key] = min(ways, key=lambda made: made.plan.cost, default=None)
        found = self._both[key]
        return None if found is None else replace(found, shapes=shapes, names=names)

    def _all_both(self, first: Term, seconds: Sequence[Term], keep: Keep) -> Iterator[Both]:
        for file in self.processor.files:
            for form in self._forms.get((file, first.op), ()):
                one = form.instruction
                if keep & (self._written[one] | self._read[one]):
                    continue
                for other in self._others(form):
                    goal = self._file(one, other.target)
                    for bindings in self.match(one, form.meaning, first, form.given):
                        if any(any(self._match(one, other.value, term, bindings)) for term in seconds):
                            for plan in self._arranged(one, bindings, keep):
                                yield Both(plan, file, goal)

    def _others(self, form: _Form) -> Iterator[Effect]:
        """What else an instruction does to registers, in this form."""
        for given, effects in form.instruction.forms:
            if given == form.given:
                yield from (e for e in effects if e.target and e.value is not form.meaning)

    def make_both(self, made: Both, keep: Keep = frozenset()) -> None:
        """Its instruction, after those of its operands."""
        key = made.shapes, made.first, made.second, keep
        found = self._record(key, lambda: self._make_direct(made.plan, made.first, keep, last=True))
        self._replay(found, made.names)

    def load(self, subject: Term, file: str) -> None:
        """The instructions that have a term in the register of a file."""
        self._write(self._places.canonical(subject), file, frozenset())

    def keep_held(self, file: str, word: int, keep: Keep = frozenset()) -> None:
        """What the register of a file holds as a word in memory; registers to be preserved are."""
        self._write(Term(Op.STORE, (register(word), holding(file)), 1), _EFFECT, keep - {file})

    def hand_on(self, made: Term, into: int, after: int) -> bool:
        """A word in memory gets what is made, and another one what was there, if there are registers for
        both."""
        for first, second in permutations(self.processor.files, 2):
            early = self.plan(self._places.canonical(made), first)
            kept = self.plan(register(into), second, frozenset({first}))
            if early.cost < _NEVER and kept.instruction is not None and not kept.early:
                self._write(self._places.canonical(made), first, frozenset())
                self._write(register(into), second, frozenset({first}))
                self.keep_held(second, after, frozenset({first}))
                self.keep_held(first, into)
                return True
        return False

    def _write(self, term: Term, goal: str, keep: Keep, to: str = "", access: object = None) -> None:
        """The instructions that have a term in the register of a file."""
        (shape,), names = self._shapes.of(term)
        if self.plan(shape, goal, keep).cost >= _NEVER:
            raise GraphError(f"{self.processor.name} has no instructions for {term}")
        made = self._record((shape, goal, keep), lambda: self._make(shape, goal, keep, last=True))
        self._replay(made, names, to, access)

    def _replay(self, found: list[Recorded], names: Names, to: str = "", access: object = None) -> None:
        for ins in replayed(found, names, self.fresh, to, access):
            self.emit(ins)

    def _record(self, key: Hashable, make: Callable[[], None]) -> list[Recorded]:
        """The instructions of a shape, recorded when they are asked for first."""
        if key not in self._recorded:
            self._recording, self._waiting = [], 0
            make()
            self._recorded[key] = self._recording
        return self._recorded[key]

    def _make(self, subject: Term, goal: str, keep: Keep, last: bool = False) -> None:
        """Records what has a term in a register; ``last``: whether that is what was asked for."""
        plan = self.plan(subject, goal, keep)
        if plan.moved is not None:
            one, source = plan.moved
            self._make_direct(self._in_one(subject, source, keep), source, keep, last)
            self._issue(one, {}, last)
        else:
            self._make_direct(plan, goal, keep, last)

    def _make_direct(self, plan: Plan, goal: str, keep: Keep, last: bool) -> None:
        if plan.instead is not None:
            self._make(plan.instead, goal, keep, last)
        elif plan.instruction is not None:
            assert plan.bindings is not None
            bindings = dict(plan.bindings)
            steps = self._sequence(plan.instruction, bindings, plan.early, plan.order, keep)
            for name, (term, file, preserved) in zip((*plan.early, *plan.order), steps, strict=True):
                if file == _EFFECT:
                    self._waiting += 1
                    bindings[name] = register(_SOME.attr - self._waiting)
                    self._make(Term(Op.STORE, (_SOME, term), 1), file, preserved)
                    self._name_last(int(bindings[name].attr))
                else:
                    self._make(bindings[name] if term is _SOME else term, file, preserved)
            self._issue(plan.instruction, bindings, last)

    def _name_last(self, number: int) -> None:
        """The word that the last store was to, which plans leave open."""
        one = self._recording[-1]
        operands = tuple(Cell(number) if x == _SOME.attr else x for x in one.operands)
        self._recording[-1] = replace(one, operands=operands)

    def _issue(self, one: Instruction, bindings: Bindings, last: bool) -> None:
        operands: list[int | str] = []
        for o in one.operands:
            if o.is_target:
                operands.append("")
            elif o.is_register:
                operands.append(0)
            else:
                operands.append(operand_of(bindings[o.name]))
        self._recording.append(Recorded(one, tuple(operands), last))


def _can_be_stored(subject: Term) -> bool:
    """Whether a term can be an operand in working memory: a word there, or what is put there first."""
    if subject.op is Leaf.REGISTER:
        return not isinstance(subject.attr, str)
    if isinstance(subject.op, Leaf | Flow):
        return False
    return subject.op is not Op.LOAD or subject.args[0].op is not Leaf.ADDRESS
