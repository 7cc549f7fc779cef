"""An instruction as data: operands with their places in it, the ways in which it is issued, and its effects.

Adding an instruction to a processor is adding one of these.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import product

from finalist.ir.ops import Op
from finalist.isa.target.meaning import Bank, Flow, Term, operand, term
from finalist.isa.target.operand import AssemblyError, Operand


@dataclass(frozen=True, slots=True)
class Way:
    """One way to issue an instruction.

    ``unit``, if it needs one, and the ``paths`` that it takes beside that, are occupied for a cycle.
    ``files``: by operand the registers that it can then be one of. ``name``: what stands in the text where
    the syntax has ``{way}``; ``code``: the bits of the instruction that say so. ``operands``: by name those
    that have other bits in this way, or other numbers; ``syntax``: where they stand in another order.
    ``later``: resources that are occupied so many cycles later, as a port that results are written by.
    """

    unit: str
    paths: tuple[str, ...] = ()
    files: Mapping[str, str] = field(default_factory=dict, hash=False)
    name: str = ""
    code: int = 0
    operands: Mapping[str, Operand] = field(default_factory=dict, hash=False)
    syntax: str = ""
    later: tuple[tuple[str, int], ...] = ()

    @property
    def resources(self) -> tuple[str, ...]:
        """Unit and paths."""
        return (self.unit, *self.paths) if self.unit else self.paths


@dataclass(frozen=True, slots=True)
class Effect:
    """What an instruction changes: an operand gets ``value``, which can be read ``latency`` cycles later.

    Without an operand, ``value`` is a store, or what it does to the course of the program.
    """

    target: str
    value: Term
    latency: int = 1


#: What a meaning gives: the word written to the one operand that is written, or the words of several, by
#: name.
Meaning = Term | Mapping[str, Term]


@dataclass(frozen=True, eq=False)
class Instruction:
    """One instruction.

    ``syntax``: how it is written, with operands in braces: ``"add {rd}, {ra}, {rb}"``. ``code``: the bits of
    the instruction that are not operands, of ``bits`` in all. ``meaning``: a function of those operands that
    it names, giving the word that is written to the ``def`` operand, or a store, a write to a bank, or what
    it does to the course of the program; or by operand what is written to each (a store has no name: ``""``).
    None where a combination of numbers is not legal. ``latency``: cycles until what is written can be read;
    ``latencies``: the same by operand, where these differ.
    """

    syntax: str
    operands: tuple[Operand, ...]
    code: int
    meaning: Callable[..., Meaning | None]
    ways: tuple[Way, ...] = (Way("alu"),)
    latency: int = 1
    #: What the profile counts it as, where the unit does not say.
    kind: str = ""
    bits: int = 32
    latencies: Mapping[str, int] = field(default_factory=dict)
    #: Whether it can be executed under a condition.
    predicable: bool = False
    #: Cycles that it takes, where no other is issued meanwhile.
    cycles: int = 1
    #: By operand what its word must be less than; of others it is not defined what the instruction does.
    below: Mapping[str, int] = field(default_factory=dict)

    @cached_property
    def name(self) -> str:
        """The mnemonic without numbers and ways."""
        return re.split(r"\.\{|\{way\}| ", self.syntax, maxsplit=1)[0]

    @cached_property
    def ways_mask(self) -> int:
        """The bits of the instruction that say in which way it is issued."""
        mask = 0
        for way in self.ways:
            mask |= way.code ^ self.ways[0].code
        return mask

    @cached_property
    def fixed(self) -> int:
        """The bits of the instruction that say which instruction it is."""
        return self.fixed_in(self.ways[0]) & ~self.ways_mask

    def operand_in(self, way: Way, name: str) -> Operand:
        """An operand as a way has it."""
        return way.operands.get(name) or self.by_name[name]

    def fixed_in(self, way: Way) -> int:
        """The bits of the instruction that are no operand's in a way."""
        mine = (self.operand_in(way, o.name) for o in self.operands if not (o.implied or o.pair))
        used = sum((1 << o.high + 1) - (1 << o.low) for o in mine)
        return (1 << self.bits) - 1 & ~used

    @cached_property
    def parameters(self) -> tuple[str, ...]:
        """The operands that the meaning names."""
        return tuple(inspect.signature(self.meaning).parameters)

    @cached_property
    def patterns(self) -> tuple[tuple[re.Pattern[str], tuple[Way, ...]], ...]:
        """What its text looks like, and the ways that are written so."""
        syntaxes = dict.fromkeys(way.syntax or self.syntax for way in self.ways)
        found = []
        for syntax in syntaxes:
            ways = tuple(way for way in self.ways if (way.syntax or self.syntax) == syntax)
            found.append((self._pattern(syntax, ways), ways))
        return tuple(found)

    def _pattern(self, syntax: str, ways: tuple[Way, ...]) -> re.Pattern[str]:
        text = re.escape(syntax.replace("{", "<").replace("}", ">"))
        for o in self.operands:
            what = r"[A-Za-z]\w*" if o.is_register else r"-?\w+"
            text = text.replace(f"<{o.name}>", f"(?P<{o.name}>{what})")
        names = "|".join(re.escape(name) for name in dict.fromkeys(way.name for way in ways))
        text = text.replace("<way>", f"(?P<way>{names})")
        return re.compile(text.replace(r"\ ", r"\s*") + r"\Z")

    def __repr__(self) -> str:
        return f"<{self.syntax}>"

    # -- effects --------------------------------------------------------------------------------

    def effects(self, values: Mapping[str, Term | int]) -> tuple[Effect, ...]:
        """What it does for these operands. Raises AssemblyError for a combination that is not legal."""
        given = {
            name: values[name] if self.by_name[name].values else term(values[name])
            for name in self.parameters
        }
        found = self._effects(self.meaning(**given))
        if found is None:
            told = " ".join(f"{o.name}={values[o.name]}" for o in self.operands if o.values)
            raise AssemblyError(f"{self.name}: this combination is not legal: {told}")
        return found

    def _effects(self, meaning: Meaning | None) -> tuple[Effect, ...] | None:
        if meaning is None:
            return None
        if not isinstance(meaning, Mapping):
            acts = isinstance(meaning, Term) and (isinstance(meaning.op, Flow) or meaning.op is Op.STORE)
            target = "" if acts else next(o.name for o in self.operands if o.written)
            meaning = {target: meaning}
        return tuple(
            Effect(target, term(value), self.latency_of(target)) for target, value in meaning.items()
        )

    def latency_of(self, name: str) -> int:
        """Cycles until what an operand gets can be read, or what has no operand takes effect."""
        return self.latencies.get(name, self.latency)

    @cached_property
    def forms(self) -> tuple[tuple[dict[str, int], tuple[Effect, ...]], ...]:
        """Its legal forms: numbers that have a few values only, and the effects with other operands open."""
        return tuple(self._forms())

    def _forms(self) -> Iterator[tuple[dict[str, int], tuple[Effect, ...]]]:
        listed = [o for o in self.operands if o.values]
        for chosen in product(*(o.values for o in listed)):
            given = {o.name: value for o, value in zip(listed, chosen, strict=True)}
            values = {name: given.get(name, operand(name)) for name in self.parameters}
            effects = self._effects(self.meaning(**values))
            if effects is not None:
                yield given, effects

    @cached_property
    def main(self) -> Term:
        """What it is there for: its first effect, of its first form."""
        return self.forms[0][1][0].value

    @cached_property
    def by_name(self) -> dict[str, Operand]:
        """Its operands."""
        return {o.name: o for o in self.operands}

    @cached_property
    def written(self) -> tuple[int, ...]:
        """The places among its operands of the registers that it writes."""
        return tuple(k for k, o in enumerate(self.operands) if o.written)

    @cached_property
    def read(self) -> tuple[int, ...]:
        """The places among its operands of the registers that it reads."""
        return tuple(k for k, o in enumerate(self.operands) if o.read)

    @cached_property
    def unit(self) -> str:
        """The unit of the first way to issue it."""
        return self.ways[0].unit

    @cached_property
    def flow(self) -> Flow | None:
        """What it does to the course of the program, if anything."""
        found = (effect.value.op for effect in self.forms[0][1])
        return next((op for op in found if isinstance(op, Flow)), None)

    @cached_property
    def effect(self) -> str:
        """What it does outside of registers: load, store, read or write (of a bank), or nothing."""
        values = [effect.value for effect in self.forms[0][1]]
        for value in values:
            if value.op is Op.STORE:
                return "store" if isinstance(value.attr, int) else "write"
        return next(filter(None, map(_reads, values)), "")


def _reads(meaning: Term) -> str:
    if meaning.op is Op.LOAD:
        return "load"
    if meaning.op is Op.LOOKUP and isinstance(meaning.attr, Bank):
        return "read"
    return next(filter(None, map(_reads, meaning.args)), "")
