"""A module of LLVM's intermediate representation, read from the text that clang writes.

Of the language (LLVM Language Reference) what code on words needs: no floating point, no exceptions, no
threads. Pointers may have types, as before LLVM 15, or none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from finalist.llvm.module import (
    Computed,
    Function,
    Instruction,
    Module,
    Number,
    Several,
    Typed,
    Undefined,
    Variable,
    Zeros,
)
from finalist.llvm.tokens import NotReadError, Tokens
from finalist.llvm.types import POINTER, VOID, Int, Type, Vector

_LABEL = re.compile(r'([-\w.$]+|"[^"]*"):')
_NAMED_TYPE = re.compile(r"%([-\w.$]+) = type ")
_PLACE = re.compile(r"^!(\d+) = (?:distinct )?!DILocation\(line: (\d+)", re.MULTILINE)
BINARY = frozenset(
    {"add", "sub", "mul", "udiv", "urem", "sdiv", "srem", "shl", "lshr", "ashr", "and", "or", "xor"}
)
CASTS = frozenset({"zext", "sext", "trunc", "bitcast", "ptrtoint", "inttoptr", "freeze"})
#: The fourth operand's word becomes the third's if the first two are equal; in AT&T's order of operands.
_MOVED_IF_EQUAL = r'"cmpl $2, $1\0A\09cmove $3, $0"'
#: What may stand between an operation's name and its first type.
_FLAGS = frozenset(
    {"nuw", "nsw", "exact", "disjoint", "nneg", "samesign", "inbounds", "nusw", "volatile", "inalloca"}
)


def module(text: str) -> Module:
    """The module of a text. Raises NotReadError, which says at which line."""
    named: dict[str, Type] = {}
    variables: dict[str, Variable] = {}
    functions: dict[str, Function] = {}
    places = {f"!{number}": int(line) for number, line in _PLACE.findall(text)}
    lines = enumerate(text.splitlines(), start=1)
    for number, line in lines:
        try:
            if found := _NAMED_TYPE.match(line):
                named[found[1]] = Tokens(line[found.end() :], named).type()
            elif line.startswith("@"):
                _variable(Tokens(line, named), variables)
            elif line.startswith("define "):
                function = _head(Tokens(line, named))
                functions[function.name] = function
                _Body(function, named, places).read(lines)
        except (NotReadError, ValueError) as error:
            raise NotReadError(f"line {number} of LLVM's representation: {error}") from error
    return Module(variables, functions)


def _variable(tokens: Tokens, variables: dict[str, Variable]) -> None:
    name = tokens.take()[1:].strip('"')
    external, kind = False, ""
    while kind not in {"global", "constant"}:
        kind = tokens.take()
        external |= kind == "external"
        if not kind or kind == "alias":
            return
    type_ = tokens.type()
    if not external:
        variables[name] = Variable(type_, tokens.value(type_), kind == "constant")


def _head(tokens: Tokens) -> Function:
    while not tokens.peek().startswith("@"):
        tokens.take()
    function = Function(tokens.take()[1:].strip('"'), params := [])
    tokens.expect("(")
    while not tokens.accept(")"):
        one = tokens.typed()
        params.append((getattr(one.value, "name", ""), one.type))
        tokens.accept(",")
    # A block without a label has the first number that no parameter has.
    function.entry = str(sum(name.isdigit() for name, _ in params))
    return function


class _Body:
    """Reads the basic blocks of one function."""

    def __init__(self, function: Function, named: dict[str, Type], places: dict[str, int]) -> None:
        self.function, self.named, self.places = function, named, places

    def read(self, lines: Iterator[tuple[int, str]]) -> None:
        """From the line behind its head to its end."""
        label = ""
        for number, line in lines:
            if line.startswith("}"):
                return
            if found := _LABEL.match(line):
                label = found[1].strip('"')
                if not self.function.blocks:
                    self.function.entry = label
                self.function.blocks[label] = []
            elif line.strip():
                label = label or self.function.entry
                try:
                    one = self._instruction(line)
                except (NotReadError, ValueError) as error:
                    raise NotReadError(f"line {number}: {line.strip()[:60]}: {error}") from error
                self.function.blocks.setdefault(label, []).append(one)
        raise NotReadError(f"{self.function.name} has no end")

    def _instruction(self, line: str) -> Instruction:
        tokens = Tokens(line, self.named)
        result = ""
        if tokens.peek().startswith("%"):
            result = tokens.take()[1:].strip('"')
            tokens.expect("=")
        op = tokens.take()
        if op in {"tail", "musttail", "notail"}:
            op = tokens.take()
        made = self._read(op, tokens)
        said = [second for first, second in pairwise(tokens.all) if first == "!dbg"]
        at = self.places.get(said[0], 0) if said else 0
        return Instruction(
            made.op, made.operands, made.type, result, made.detail, made.about, made.labels, made.lanes, at
        )

    def _read(self, op: str, tokens: Tokens) -> Instruction:
        """The operation with its operands."""
        if op == "call":
            return _call(tokens)
        if op == "icmp":
            tokens.accept("samesign")
            predicate = tokens.take()
            first, second = _pair(tokens)
            return Instruction(op, (first, second), Int(1), detail=predicate)
        while tokens.peek() in _FLAGS:
            tokens.take()
        if op in BINARY:
            pair = _pair(tokens)
            return Instruction(op, pair, pair[0].type)
        if op in CASTS:
            operand = tokens.typed()
            return Instruction(op, (operand,), tokens.type() if tokens.accept("to") else operand.type)
        reader = _READERS.get(op)
        if reader is None:
            raise NotReadError(f"no meaning of {op}")
        return reader(op, tokens)


def _pair(tokens: Tokens) -> tuple[Typed, Typed]:
    """Two values of one type, which is written once."""
    first = tokens.typed()
    tokens.expect(",")
    return first, Typed(first.type, tokens.value(first.type))


def _list(op: str, tokens: Tokens) -> Instruction:
    """Values with their types, up to what is said of the instruction."""
    operands = [tokens.typed()]
    while tokens.accept(",") and tokens.at_type():
        operands.append(tokens.typed())
    return Instruction(op, tuple(operands), _type_of(op, operands))


def _type_of(op: str, operands: list[Typed]) -> Type:
    first = operands[0].type
    if op == "select":
        return operands[1].type
    if op == "extractelement" and isinstance(first, Vector):
        return first.item
    return VOID if op == "store" else first


def _shuffle(op: str, tokens: Tokens) -> Instruction:
    made = _list(op, tokens)
    *vectors, chosen = made.operands
    assert isinstance(chosen.type, Vector)
    lanes: list[int | None] = [0] * chosen.type.count
    if isinstance(chosen.value, Several):
        values = [item.value for item in chosen.value.items]
        lanes = [one.value if isinstance(one, Number) else None for one in values]
    elif not isinstance(chosen.value, Zeros | Undefined):
        raise NotReadError("lanes that are not constant")
    first = vectors[0].type
    assert isinstance(first, Vector)
    return Instruction(op, tuple(vectors), Vector(len(lanes), first.item), lanes=tuple(lanes))


def _place(op: str, tokens: Tokens) -> Instruction:
    """``getelementptr``: a type, the address of such a value, numbers of items."""
    about = tokens.type()
    tokens.expect(",")
    made = _list(op, tokens)
    return Instruction(op, made.operands, POINTER, about=about)


def _load(op: str, tokens: Tokens) -> Instruction:
    kind = tokens.type()
    tokens.expect(",")
    return Instruction(op, (tokens.typed(),), kind)


def _room(op: str, tokens: Tokens) -> Instruction:
    kind = tokens.type()
    count = (tokens.typed(),) if tokens.accept(",") and tokens.at_type() else ()
    return Instruction(op, count, POINTER, about=kind)


def _branch(op: str, tokens: Tokens) -> Instruction:
    condition: tuple[Typed, ...] = ()
    if tokens.peek() != "label":
        condition = (tokens.typed(),)
        tokens.expect(",")
    labels: list[str] = []
    while tokens.accept("label"):
        labels.append(tokens.take()[1:].strip('"'))
        tokens.accept(",")
    return Instruction(op, condition, VOID, labels=tuple(labels))


def _choice(op: str, tokens: Tokens) -> Instruction:
    """``phi``: a value for each basic block that control can come from."""
    kind = tokens.type()
    operands: list[Typed] = []
    labels: list[str] = []
    while tokens.accept("["):
        operands.append(Typed(kind, tokens.value(kind)))
        tokens.expect(",")
        labels.append(tokens.take()[1:].strip('"'))
        tokens.expect("]")
        tokens.accept(",")
    return Instruction(op, tuple(operands), kind, labels=tuple(labels))


def _return(op: str, tokens: Tokens) -> Instruction:
    if tokens.peek() == "void":
        return Instruction(op, (), VOID)
    one = tokens.typed()
    return Instruction(op, (one,), one.type)


def _call(tokens: Tokens) -> Instruction:
    while not tokens.at_type():
        tokens.take()
        tokens.skip_group()
    kind = tokens.type()
    called = tokens.take()
    if called == "asm":
        return _assembly(tokens, kind)
    if not called.startswith("@"):
        raise NotReadError(f"a call of {called}, which is no function of the module")
    return Instruction("call", _arguments(tokens), kind, detail=called[1:].strip('"'))


def _assembly(tokens: Tokens, kind: Type) -> Instruction:
    """Of x86's assembly a comparison with a conditional move, and none, which hides from an optimiser what a
    word is."""
    while not tokens.peek().startswith('"'):
        tokens.take()
    template = tokens.take()
    tokens.expect(",")
    constraints = tokens.take()
    operands = _arguments(tokens)
    if template == _MOVED_IF_EQUAL and constraints.startswith('"=r,r,r,r,0,'):
        first, second, moved, before = operands
        equal = Computed(Instruction("icmp", (first, second), Int(1), detail="eq"))
        return Instruction("select", (Typed(Int(1), equal), moved, before), kind)
    if template == '""' and constraints.startswith('"=r,0'):
        return Instruction("freeze", operands, kind)
    raise NotReadError(f"assembly {template} with {constraints}")


def _arguments(tokens: Tokens) -> tuple[Typed, ...]:
    tokens.expect("(")
    operands: list[Typed] = []
    while not tokens.accept(")"):
        if tokens.peek() == "metadata":
            tokens.skip_to(",", ")")
            tokens.at -= 1
        else:
            operands.append(tokens.typed())
        tokens.accept(",")
    return tuple(operands)


_READERS = {
    **dict.fromkeys(("select", "store", "extractelement", "insertelement"), _list),
    "shufflevector": _shuffle,
    "getelementptr": _place,
    "load": _load,
    "alloca": _room,
    "br": _branch,
    "phi": _choice,
    "ret": _return,
}
