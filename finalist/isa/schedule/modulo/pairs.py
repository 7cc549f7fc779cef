"""Two shifts of a word as one instruction that has both results."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from finalist.isa.code import Ins
from finalist.isa.target.instruction import Instruction
from finalist.isa.target.meaning import Leaf, Term, constant, register
from finalist.isa.target.processor import Processor


def joined(body: Sequence[Ins], processor: Processor) -> list[Ins]:
    """The same instructions; two whose results one instruction has together are that one, where it stands
    first."""
    made: dict[Term, int] = {}
    for number, ins in enumerate(body):
        if len(ins.written) == 1 and not ins.instruction.effect and ins.condition is None:
            made.setdefault(_term(ins), number)
    gone: set[int] = set()
    instead: dict[int, Ins] = {}
    for one, numbers, terms in _doubles(processor):
        for word in dict.fromkeys(word for ins in body for word in ins.read):
            subjects = [_filled(term, word) for _, term in terms]
            places = [made[subject] for subject in subjects if subject in made]
            if (
                len(places) < len(terms)
                or set(places) & (gone | set(instead))
                or len(set(places)) < len(places)
            ):
                continue
            words = {name: body[place].written[0] for (name, _), place in zip(terms, places, strict=True)}
            first = min(places)
            instead[first] = _made(one, numbers, words, word, body[first])
            gone |= {place for place in places if place != first}
    return [instead.get(number, ins) for number, ins in enumerate(body) if number not in gone]


Double = tuple[Instruction, dict[str, int], list[tuple[str, Term]]]


def _doubles(processor: Processor) -> Iterator[Double]:
    """Instructions with two results of one word and a number, by that number."""
    for one in processor.instructions:
        sources = [o for o in one.operands if o.read]
        if len(one.written) != 2 or len(sources) != 1 or any(o.kind == "target" for o in one.operands):
            continue
        for numbers, effects in one.forms:
            terms = [(effect.target, effect.value) for effect in effects]
            if all(term.op is not Leaf.OPERAND for _, term in terms):
                yield one, numbers, terms


def _term(ins: Ins) -> Term:
    """What an instruction computes, of words."""
    given: dict[str, Term | int] = {}
    for o, x in zip(ins.instruction.operands, ins.operands, strict=True):
        if o.read:
            given[o.name] = register(int(x))
        elif o.kind == "imm":
            given[o.name] = int(x) if o.values else constant(int(x))
    one = ins.instruction
    (effect,) = one.effects({name: given[name] for name in one.parameters})
    return effect.value


def _filled(term: Term, word: int) -> Term:
    if term.op is Leaf.OPERAND:
        return register(word)
    if not term.args:
        return term
    return Term(term.op, tuple(_filled(arg, word) for arg in term.args), term.attr, term.lane)


def _made(one: Instruction, numbers: dict[str, int], words: dict[str, int], word: int, place: Ins) -> Ins:
    operands: list[int | str] = []
    for o in one.operands:
        operands.append(words[o.name] if o.written else word if o.read else numbers[o.name])
    return Ins(one, operands, place.phase, place.note)
