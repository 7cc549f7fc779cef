"""A module of LLVM's intermediate representation: its globals and functions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from finalist.llvm.types import Type


@dataclass(frozen=True, slots=True)
class Local:
    """A value that an instruction or a parameter of the function has made."""

    name: str


@dataclass(frozen=True, slots=True)
class Global:
    """The address of a global or a function."""

    name: str


@dataclass(frozen=True, slots=True)
class Number:
    """A constant word."""

    value: int


@dataclass(frozen=True, slots=True)
class Undefined:
    """Any value; each use may have another."""


@dataclass(frozen=True, slots=True)
class Zeros:
    """All bits are zero, of whatever type."""


@dataclass(frozen=True, slots=True)
class Bytes:
    """An array of bytes."""

    data: bytes


@dataclass(frozen=True, slots=True)
class Several:
    """An array, vector or struct of constants."""

    items: tuple[Typed, ...]


@dataclass(frozen=True, slots=True)
class Computed:
    """An operand, mostly a constant, that an instruction would make of others."""

    instruction: Instruction


Value = Local | Global | Number | Undefined | Zeros | Bytes | Several | Computed


@dataclass(frozen=True, slots=True)
class Typed:
    """A value with its type."""

    type: Type
    value: Value


@dataclass(frozen=True, slots=True)
class Instruction:
    """``op`` on operands. ``result``: the name of what it makes, and ``type`` that one's type.

    ``detail``: the predicate of a comparison, or the function that is called. ``about``: the type that places
    are counted in, by ``getelementptr``, or that of which ``alloca`` makes room for one. ``labels``: where a
    branch goes; where each operand of a ``phi`` comes from. ``lanes``: of a ``shufflevector``. ``line``: of
    the C text, 0 if that is not known.
    """

    op: str
    operands: tuple[Typed, ...] = ()
    type: Type | None = None
    result: str = ""
    detail: str = ""
    about: Type | None = None
    labels: tuple[str, ...] = ()
    lanes: tuple[int | None, ...] = ()
    line: int = 0


@dataclass(slots=True)
class Function:
    """A function: its parameters' names and types, and basic blocks by label, of which ``entry`` is the
    first."""

    name: str
    params: Sequence[tuple[str, Type]]
    entry: str = ""
    blocks: dict[str, list[Instruction]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Variable:
    """A global: its type, what it begins with, and whether that stays so."""

    type: Type
    initial: Value
    constant: bool


@dataclass(frozen=True, slots=True)
class Module:
    """What a C file becomes."""

    variables: Mapping[str, Variable]
    functions: Mapping[str, Function]
