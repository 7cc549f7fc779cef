"""Instructions of several results: two instructions of which one gives what both give.

A shift that keeps what it moves out of a word makes both halves of a rotation; a sum with its carry, both
words of a longer one. Selection covers one word at a time; here two that belong together are found by what
they mean.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from finalist.isa.code import Block, Code, Ins
from finalist.isa.target.meaning import Leaf, Term, constant, register
from finalist.isa.target.processor import Double, Processor


def merge(code: Code, processor: Processor, lasting: set[int], left_out: set[str]) -> None:
    """Puts instructions together where the processor has one for both. ``lasting``: words that live across
    blocks; ``left_out``: blocks, by label, that stay as they are."""
    found = processor.doubles
    for block in code.blocks:
        if found and block.label not in left_out:
            _Merger(block, found, lasting, processor.width).run()


class _Merger:
    def __init__(self, block: Block, found: Sequence[Double], lasting: set[int], width: int) -> None:
        self.block, self.doubles, self.lasting, self.width = block, found, lasting, width

    def run(self) -> None:
        body = self.block.body
        writes: dict[int, int] = {}
        for ins in body:
            for word in ins.written:
                writes[word] = writes.get(word, 0) + 1
        self.once = {word for word, count in writes.items() if count == 1}
        made = {term: k for k, ins in enumerate(body) if (term := self._term(ins, writes)) is not None}
        gone: set[int] = set()
        instead: dict[int, Ins] = {}
        for term, first in made.items():
            for double in self.doubles:
                for bindings, other in self._halves(double, term, body[first]):
                    second = made.get(other)
                    if second is None or {first, second} & gone:
                        continue
                    early, late = sorted((first, second))
                    gone |= {early, late}
                    instead[early] = self._both(double, bindings, body[first], body[second])
        self.block.body = [instead.get(k, ins) for k, ins in enumerate(body) if k not in gone or k in instead]

    def _term(self, ins: Ins, writes: Mapping[int, int]) -> Term | None:
        """What an instruction makes, of words that nothing changes in the block."""
        if len(ins.written) != 1 or ins.instruction.effect or ins.condition is not None:
            return None
        word = ins.written[0]
        if word in self.lasting or word not in self.once:
            return None
        if any(writes.get(read, 0) > (0 if read in self.lasting else 1) for read in ins.read):
            return None
        values: dict[str, Term | int] = {
            o.name: register(int(x)) if o.is_register else int(x) if o.values else constant(int(x))
            for o, x in zip(ins.instruction.operands, ins.operands, strict=True)
        }
        (effect,) = ins.instruction.effects(values)
        return effect.value

    def _halves(self, double: Double, term: Term, ins: Ins) -> Iterator[tuple[dict[str, Term], Term]]:
        """What the operands of a double instruction are if its first result is a term; its second one
        then."""
        one, given, first, second = double
        bindings = {name: constant(value) for name, value in given.items()}
        if _matches(first.value, term, bindings) and all(
            o.name in bindings for o in one.operands if not o.written
        ):
            bound = _bound(second.value, bindings)
            yield bindings, _replaced(bound, term, register(ins.written[0]))

    def _both(self, double: Double, bindings: Mapping[str, Term], first: Ins, second: Ins) -> Ins:
        one, _, low, high = double
        words = {low.target: first.written[0], high.target: second.written[0]}
        operands = [words[o.name] if o.written else int(bindings[o.name].attr) for o in one.operands]
        return Ins(one, list(operands), first.phase, first.note)


def _matches(meaning: Term, subject: Term, known: dict[str, Term]) -> bool:
    """Whether a meaning is a term, as it stands; ``known`` gets what its operands then are."""
    if meaning.op is Leaf.OPERAND:
        return known.setdefault(meaning.attr, subject) == subject
    if meaning.op is not subject.op or meaning.lane != subject.lane:
        return False
    if isinstance(meaning.op, Leaf):
        return bool(meaning.attr == subject.attr)
    return len(meaning.args) == len(subject.args) and all(
        _matches(a, b, known) for a, b in zip(meaning.args, subject.args, strict=True)
    )


def _bound(meaning: Term, bindings: Mapping[str, Term]) -> Term:
    if meaning.op is Leaf.OPERAND:
        return bindings[meaning.attr]
    args = tuple(_bound(arg, bindings) for arg in meaning.args)
    return Term(meaning.op, args, meaning.attr, meaning.lane, meaning.width) if args else meaning


def _replaced(term: Term, old: Term, new: Term) -> Term:
    if term == old:
        return new
    args = tuple(_replaced(arg, old, new) for arg in term.args)
    return Term(term.op, args, term.attr, term.lane, term.width) if args else term
