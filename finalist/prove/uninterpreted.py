"""Value numbering of loops and arrays as uninterpreted terms, for what depends on a key that is not known.

A loop is numbered by its bounds, its initial values, and what one iteration makes of any values; an array by
the stores that made it, as in the theory of arrays (McCarthy 1962). Loops of one number make equal values,
whatever ends them, by induction (recursion induction: McCarthy 1963); so do reads of one array at equal
indices. What has another number may be equal nevertheless. So two key schedules whose loops depend on the key
are proved equal loop by loop, where passes have preserved the loops.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from finalist.ir.graph import Node
from finalist.ir.ops import Op
from finalist.ir.types import ArrayType, Type, WordType
from finalist.prove.bits import Word, bits_of, known, stripped
from finalist.prove.definition import Evaluator
from finalist.prove.walk import operands
from finalist.prove.words import Words


@dataclass(frozen=True, slots=True)
class Term:
    """An array, by its number among all that there are."""

    number: int
    type: ArrayType


class Uninterpreted(Evaluator):
    """Carries out graphs, each loop once for all of its iterations. Keyed functions are computed of each
    argument."""

    def __init__(self, words: Words) -> None:
        super().__init__(words, tabulated=False)
        #: Loops and arrays by what they are made of, and the other way round (hash-consing).
        self._numbers: dict[tuple[Any, ...], int] = {}
        self._contents: list[tuple[Any, ...]] = []
        #: Loops around the one that is carried out.
        self._depth = 0
        self.special |= {
            Op.ARRAY: self._fresh,
            Op.LOAD: self._loaded,
            Op.STORE: self._replaced,
            Op.WINDOW: self._part,
        }

    # -- loops ----------------------------------------------------------------------------------

    def _loop(self, node: Node, env: dict[Node, Any]) -> list[Any]:
        start, stop, *carried = operands(node, env)
        if isinstance(start, int) and isinstance(stop, int) and stop <= start:
            return carried
        types = [param.type for param in node.region.params]
        index, *before = [self.symbol(t, "bound", self._depth, k) for k, t in enumerate(types)]
        env.update(zip(node.region.params, (index, *before), strict=True))
        self._depth += 1
        try:
            after = self.region(node.region, env)
        finally:
            self._depth -= 1
        made = self._number("loop", known(start), known(stop), tuple(types), tuple(carried), tuple(after))
        return [
            first if b == a else self.symbol(t, "after", made, k)
            for k, (t, first, b, a) in enumerate(zip(types[1:], carried, before, after, strict=True))
        ]

    def _either(self, condition: Any, type_: Type, a: Any, b: Any, line: str) -> Any:
        if isinstance(type_, ArrayType):
            return a if a == b else self._array(type_, "either", condition, a, b)
        return super()._either(condition, type_, a, b, line)

    # -- arrays ---------------------------------------------------------------------------------

    def _fresh(self, node: Node, env: dict[Node, Any]) -> Term:
        return self._array(node.type, "entries", tuple(node.attr))

    def _loaded(self, node: Node, env: dict[Node, Any]) -> Word:
        array, index = operands(node, env)
        return self._read(array, _reduced(index, array.type.length), node.width)

    def _replaced(self, node: Node, env: dict[Node, Any]) -> Term:
        array, index, value = operands(node, env)
        index = _reduced(index, array.type.length)
        kind, *rest = self._contents[array.number]
        before = rest[0] if kind == "stored" and rest[1] == index else array
        return self._array(array.type, "stored", before, index, known(value))

    def _part(self, node: Node, env: dict[Node, Any]) -> Term:
        array, start = operands(node, env)
        return self._array(node.type, "window", array, known(start))

    def _read(self, array: Term, index: Word, width: int) -> Word:
        """The entry at an index: what the last store to it stored, past stores that are known to be to other
        ones; or one of two (select over store)."""
        kind, *rest = self._contents[array.number]
        while kind == "stored":
            before, other, value, _ = rest
            if other == index:
                stored: Word = value
                return stored
            if not isinstance(index, int):
                break
            if not isinstance(other, int):
                return self._one_of_two(array, index, width)
            array = before
            kind, *rest = self._contents[array.number]
        if kind == "entries" and isinstance(index, int):
            entry: Word = rest[0][index]
            return entry
        return self.words.symbol(("entry", array.number, index), width)

    def _one_of_two(self, array: Term, index: int, width: int) -> Word:
        """The entry at a known index where the last store was at one that is not known: what that stored, or
        what the last store to this entry before it did; a name where there is none such."""
        _, array_before, other, value, _ = self._contents[array.number]
        stored = self._stored(array_before, index)
        if stored is None or array.type.length & array.type.length - 1:
            return self.words.symbol(("entry", array.number, index), width)
        bits = array.type.length.bit_length() - 1
        here = bits_of(self.words.apply(Op.EQ, [other, index], bits), 1)
        return stored if stored == value else known(self.words.select(here[0], value, stored, width))

    def _stored(self, array: Term, index: int) -> Word | None:
        """What stores at known indices alone have left of an entry; None if it is not one of theirs."""
        kind, *rest = self._contents[array.number]
        while kind == "stored" and isinstance(rest[1], int):
            if rest[1] == index:
                stored: Word = rest[2]
                return stored
            kind, *rest = self._contents[rest[0].number]
        return None

    # -- names ----------------------------------------------------------------------------------

    def symbol(self, type_: Type, *about: Any) -> Any:
        """What nothing is known of but its name."""
        if isinstance(type_, ArrayType):
            return self._array(type_, *about)
        assert isinstance(type_, WordType)
        return self.words.symbol(about, type_.width)

    def _array(self, type_: Type, *about: Any) -> Term:
        assert isinstance(type_, ArrayType)
        return Term(self._number(*about, type_), type_)

    def _number(self, *about: Any) -> int:
        number = self._numbers.setdefault(about, len(self._contents))
        if number == len(self._contents):
            self._contents.append(about)
        return number


def _reduced(index: Word, length: int) -> Word:
    """An index of an array modulo its length, as far as that drops bits alone, without zeros above."""
    if isinstance(index, int):
        return index % length
    used = index if length & length - 1 else index[: length.bit_length() - 1]
    return known(stripped(used))
