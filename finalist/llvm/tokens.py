"""The words of LLVM's intermediate representation, and types and values made of them."""

from __future__ import annotations

import re
from collections.abc import Mapping

from finalist.errors import FinalistError
from finalist.llvm.module import (
    Bytes,
    Computed,
    Global,
    Instruction,
    Local,
    Number,
    Several,
    Typed,
    Undefined,
    Value,
    Zeros,
)
from finalist.llvm.types import POINTER, VOID, Array, Int, Other, Struct, Type, Vector, width_of

_TOKEN = re.compile(
    r"""\s*(?:;[^\n]*)?(
        c"[^"]*" | [@%]"[^"]*" | "[^"]*" | [@%][-\w.$]+ | \#\d+ | ![-\w.]* | -?\d[\w.]* | [\w.$]+
        | \.\.\. | [\[\](){}<>=,*|]
    )""",
    re.VERBOSE,
)
_ESCAPED = re.compile(rb"\\(\\|[0-9A-Fa-f]{2})")
_CLOSED = {"(": ")", "[": "]", "{": "}", "<": ">"}
_FLOATS = {"half", "bfloat", "float", "double", "x86_fp80", "fp128", "label", "metadata", "token"}
_CONSTANTS: dict[str, Value] = {
    "true": Number(1),
    "false": Number(0),
    "null": Number(0),
    "zeroinitializer": Zeros(),
}
_CONSTANTS |= dict.fromkeys(("undef", "poison"), Undefined())
#: Constants that are made of others.
_COMPUTING = ("getelementptr", "bitcast", "inttoptr", "ptrtoint", "addrspacecast")


class NotReadError(FinalistError):
    """Text that is not of the part of the language that is read here."""


class Tokens:
    """The words of a text, one after the other; ``named``: types that have names."""

    def __init__(self, text: str, named: Mapping[str, Type]) -> None:
        self.all = _TOKEN.findall(text)
        self.at = 0
        self.named = named

    # -- words ----------------------------------------------------------------------------------

    def peek(self) -> str:
        """The next word; empty at the end."""
        return self.all[self.at] if self.at < len(self.all) else ""

    def take(self) -> str:
        """The next word, which is then behind."""
        self.at += 1
        return self.all[self.at - 1] if self.at <= len(self.all) else ""

    def accept(self, word: str) -> bool:
        """Whether that is the next word; it is behind then."""
        found = self.peek() == word
        self.at += found
        return found

    def expect(self, word: str) -> None:
        """Takes that word. Raises NotReadError."""
        found = self.take()
        if found != word:
            raise NotReadError(f"{found!r} where {word!r} is expected")

    def skip_to(self, *words: str) -> str:
        """Takes all up to one of these words, and that one. Raises NotReadError."""
        while (found := self.take()) not in words:
            if not found:
                raise NotReadError(f"no {' or '.join(words)}")
        return found

    def skip_group(self) -> None:
        """What stands in brackets, if something does."""
        if self.peek() not in _CLOSED:
            return
        depth = 0
        while True:
            word = self.take()
            depth += (word in _CLOSED) - (word in _CLOSED.values())
            if not depth or not word:
                return

    def number(self) -> int:
        """A number. Raises NotReadError."""
        word = self.take()
        try:
            return int(word)
        except ValueError:
            raise NotReadError(f"{word!r} where a number is expected") from None

    # -- types ----------------------------------------------------------------------------------

    def at_type(self) -> bool:
        """Whether a type is next."""
        word = self.peek()
        first = word[:1]
        return first in {"[", "<", "{"} or word in {"void", "ptr", *_FLOATS} or _is_int(word) or first == "%"

    def type(self) -> Type:
        """A type. Raises NotReadError."""
        found = self._plain_type()
        while True:
            if self.accept("*"):
                found = POINTER
            elif self.peek() == "(":  # of a function
                self.skip_group()
                found = Other("function")
            else:
                return found

    def _plain_type(self) -> Type:
        word = self.take()
        if _is_int(word):
            return Int(int(word[1:]))
        if word == "ptr":
            if self.accept("addrspace"):
                self.skip_group()
            return POINTER
        if word.startswith("%"):
            return self.named.get(word[1:], Other(word))
        if word == "[":
            return Array(*self._counted("]"))
        if word == "{":
            return Struct(self._types())
        if word == "<":
            if self.accept("{"):
                items = self._types()
                self.expect(">")
                return Struct(items, packed=True)
            return Vector(*self._counted(">"))
        if word == "void":
            return VOID
        if word in _FLOATS:
            return Other(word)
        raise NotReadError(f"{word!r} where a type is expected")

    def _counted(self, closed: str) -> tuple[int, Type]:
        count = self.number()
        self.expect("x")
        item = self.type()
        self.expect(closed)
        return count, item

    def _types(self) -> tuple[Type, ...]:
        found: list[Type] = []
        while not self.accept("}"):
            found.append(self.type())
            self.accept(",")
        return tuple(found)

    # -- values ---------------------------------------------------------------------------------

    def typed(self) -> Typed:
        """A type and a value of it, what is said of the value between them left out."""
        kind = self.type()
        while self._at_attribute():
            aligned = self.take() == "align"
            if aligned and self.peek() != "(":
                self.take()
            self.skip_group()
        return Typed(kind, self.value(kind))

    def _at_attribute(self) -> bool:
        word = self.peek()
        known = word in _CONSTANTS or word in _COMPUTING
        return word[:1].isalpha() and not known and not word.startswith('c"')

    def value(self, kind: Type) -> Value:
        """A value of a type. Raises NotReadError."""
        word = self.take()
        first = word[:1]
        if first in {"%", "@"}:
            name = word[1:].strip('"')
            return Local(name) if first == "%" else Global(name)
        if word in _CONSTANTS:
            return _CONSTANTS[word]
        if first.isdigit() or first == "-":
            return Number(int(word) & (1 << width_of(kind)) - 1)
        if word.startswith('c"'):
            return Bytes(_ESCAPED.sub(_unescaped, word[2:-1].encode("latin-1")))
        if word == "<" and self.peek() == "{":
            self.expect("{")
            made = self._several("}")
            self.expect(">")
            return made
        if word in {"[", "{", "<"}:
            return self._several(_CLOSED[word])
        if word in _COMPUTING:
            return Computed(self._computed(word, kind))
        raise NotReadError(f"{word!r} where a value is expected")

    def _several(self, closed: str) -> Several:
        items: list[Typed] = []
        while not self.accept(closed):
            items.append(self.typed())
            self.accept(",")
        return Several(tuple(items))

    def _computed(self, op: str, kind: Type) -> Instruction:
        while self.peek() != "(":
            self.take()  # such as inbounds
        self.expect("(")
        if op != "getelementptr":
            operand = self.typed()
            self.expect("to")
            self.type()
            self.expect(")")
            return Instruction(op, (operand,), kind)
        about = self.type()
        operands: list[Typed] = []
        while self.accept(","):
            self.accept("inrange")
            operands.append(self.typed())
        self.expect(")")
        return Instruction(op, tuple(operands), kind, about=about)


def _unescaped(found: re.Match[bytes]) -> bytes:
    return found[1] if found[1] == b"\\" else bytes([int(found[1], 16)])


def _is_int(word: str) -> bool:
    return word[:1] == "i" and word[1:].isdigit()
