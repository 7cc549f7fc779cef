"""A graph carried out operation by operation on words of any kind: iterations of loops one after the other,
both arms of a condition that is not known, each entry of an array a word of its own.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from finalist.ir.graph import Node, Region
from finalist.ir.ops import Op
from finalist.ir.types import ArrayType, TupleType, Type
from finalist.prove.words import NotCoveredError

Entry = TypeVar("Entry")

#: Iterations of loops, all of them together, that are still carried out.
ITERATIONS = 1 << 16


class Environment(dict[Node, Any]):
    """The values of nodes; a constant is its own."""

    def __missing__(self, node: Node) -> Any:
        if node.op is not Op.CONST:
            raise KeyError(node)
        return node.attr


class Walk(ABC):
    """Carries out graphs; what an operation makes of words, a derived class says."""

    def __init__(self) -> None:
        self.iterations = 0
        #: The operations that do not make a word of words alone.
        self.special: dict[Op, Callable[[Node, dict[Node, Any]], Any]] = {
            Op.ARRAY: lambda node, env: tuple(node.attr),
            Op.LOOP: self._loop,
            Op.WHEN: self._when,
            Op.RESULT: lambda node, env: env[node.inputs[0]][node.attr],
            Op.TUPLE: lambda node, env: tuple(operands(node, env)),
            Op.INSTRUCTION: self._instruction,
        }

    @abstractmethod
    def check(self) -> None:
        """Called before each operation; may raise."""

    @abstractmethod
    def word(self, node: Node, env: Mapping[Node, Any]) -> Any:
        """What an operation makes of words."""

    @abstractmethod
    def selected(self, condition: Any, a: Any, b: Any, width: int, line: str) -> Any:
        """The first of two words where a condition, which is not known, is true, else the second."""

    def known(self, value: Any) -> Any:
        """A word as a number, if it is known."""
        return value

    def inside(self, region: Region, inputs: Sequence[Any]) -> list[Any]:
        """The results of a region that takes nothing but its parameters."""
        return self.region(region, Environment(zip(region.params, inputs, strict=True)))

    def region(self, region: Region, env: dict[Node, Any]) -> list[Any]:
        """The results of a region whose parameters have their values."""
        for node in region.body:
            self.check()
            env[node] = self.value(node, env)
        return [env[node] for node in region.results]

    def value(self, node: Node, env: dict[Node, Any]) -> Any:
        """What a node makes of what is there."""
        special = self.special.get(node.op)
        return self.word(node, env) if special is None else special(node, env)

    def _instruction(self, node: Node, env: dict[Node, Any]) -> list[Any]:
        words = [word for register in operands(node, env) for word in register]
        return self.inside(node.attr.meaning, words)

    def _loop(self, node: Node, env: dict[Node, Any]) -> list[Any]:
        start, stop, *carried = operands(node, env)
        if not (isinstance(start, int) and isinstance(stop, int)):
            raise NotCoveredError(f"{described(node)}: the iterations of a loop depend on key or block")
        self.iterations += max(0, stop - start)
        if self.iterations > ITERATIONS:
            raise NotCoveredError(f"{described(node)}: more than {ITERATIONS} iterations of loops")
        params = node.region.params
        top = (1 << params[0].width) - 1
        for index in range(start, stop):
            env.update(zip(params, (index & top, *carried), strict=True))
            carried = self.region(node.region, env)
        return carried

    def _when(self, node: Node, env: dict[Node, Any]) -> list[Any]:
        condition, *given = operands(node, env)
        condition = self.known(condition)
        if condition == 0:
            return given
        env.update(zip(node.region.params, given, strict=True))
        new = self.region(node.region, env)
        if isinstance(condition, int):
            return new
        types = [param.type for param in node.region.params]
        return [
            self._either(condition, t, a, b, node.line) for t, a, b in zip(types, new, given, strict=True)
        ]

    def _either(self, condition: Any, type_: Type, a: Any, b: Any, line: str) -> Any:
        """One of two values of a type, whose words are selected one by one."""
        if isinstance(type_, TupleType):
            return [self._either(condition, t, x, y, line) for t, x, y in zip(type_.items, a, b, strict=True)]
        if isinstance(type_, ArrayType):
            pairs = zip(a, b, strict=True)
            return tuple(self.selected(condition, x, y, type_.width, line) for x, y in pairs)
        return self.selected(condition, a, b, type_.width, line)


class Inlining(Walk):
    """A walk with keyed functions inlined and selections by known conditions folded; ``check`` is called
    before each operation, and may raise."""

    def __init__(self, check: Callable[[], None] = lambda: None) -> None:
        super().__init__()
        self._check = check
        self.special |= {
            Op.SELECT: self._select,
            Op.APPLY: lambda node, env: self.inside(node.region, operands(node, env))[0],
        }

    def check(self) -> None:
        self._check()

    def _select(self, node: Node, env: Mapping[Node, Any]) -> Any:
        condition, a, b = operands(node, env)
        if isinstance(condition, int):
            return a if condition else b
        return self.selected(condition, a, b, node.width, node.line)


def entry(array: Sequence[Entry], index: int) -> Entry:
    """An array's entry; indices are taken modulo its length."""
    return array[index % len(array)]


def operands(node: Node, env: Mapping[Node, Any]) -> list[Any]:
    """The values that a node takes."""
    return [env[child] for child in node.inputs]


def described(node: Node) -> str:
    """An operation with the line of the definition that it is from."""
    return f"{node.op.label} ({node.line})" if node.line else node.op.label
