"""The functions of a C text as the emitter writes it: statements, and what each declares and changes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

#: Spaces are tokens too, so that a line is its tokens put together; an array of the expanded key is one name.
_TOKEN = re.compile(r"k->\w+|[A-Za-z_]\w*|0x[0-9a-f]+[ul]*|\d+[ul]*|<<=?|>>=?|\s+|.")
_FUNCTION = re.compile(
    r"^static (?!const|inline const)(?P<result>[\w ]*?)(?P<name>\w+)\((?P<params>[^;={}]*?)\)\n\{\n"
    r"(?P<body>.*?)^\}\n",
    re.MULTILINE | re.DOTALL,
)
_TABLE = re.compile(r"^static const (\w+) (\w+)\[", re.MULTILINE)
_FIELDS = re.compile(r"^typedef struct \{\n([^{}]*?)^\} (\w+);", re.MULTILINE)
_FIELD = re.compile(r"    (\w+) (\w+)\[\d+\];")
_TYPE = r"uint(?:8|16|32|64)_t"
_SCALAR = re.compile(rf"(?:const )?(?P<type>{_TYPE}) (?P<name>\w+) = [^{{}}]*;$")
_STORAGE = re.compile(rf"(?P<type>{_TYPE}) (?P<name>\w+)(?:\[(?P<length>\d+)\])?;$")
_FILLED = re.compile(rf"static const (?P<type>{_TYPE}) (?P<name>\w+)\[\d+\] = \{{[^{{}}]*\}};$")
_LOOP = re.compile(rf"(?:for \((?P<type>{_TYPE}) (?P<name>\w+) = [^{{}}]*\)|if \([^{{}}]*\)) \{{$")
_ASSIGNED = re.compile(r"(?P<name>\w+) = [^{}]*;$")
_STORED = re.compile(r"(?P<name>(?:k->)?\w+)\[[^=;{}]*\] = [^{}]*;$")
_CALLED = re.compile(r"(?P<name>\w+)\((?P<arguments>[^{};]*)\);$")
_WRITTEN = re.compile(r"(?:mem(?:cpy|set)|store\w+)\((?P<name>(?:k->)?\w+)")
_CALL = re.compile(r"\b(?P<name>\w+)\((?P<arguments>[^(){};]*)\)")
_OUTPUT = re.compile(r"&(\w+)\b")
_SIZED = re.compile(r"\bsizeof (k->\w+|\w+)")
_INDENT = "    "


@dataclass(slots=True, eq=False)
class Statement:
    """A statement of one level, or a loop or condition with all that is in it.

    ``lines``: tokens, by lines with their depth below the statement's own. ``declared``: the scalars that it
    gives those after it, with their types, ``bound`` what is declared within it; ``assigned``: scalars of
    others that it changes; ``stored``: arrays that it may change; ``sized``: arrays whose size it asks for.
    ``opaque``: it can be no part of a sequence.
    """

    lines: list[tuple[int, tuple[str, ...]]]
    block: Block
    declared: dict[str, str] = field(default_factory=dict)
    bound: dict[str, str] = field(default_factory=dict)
    assigned: set[str] = field(default_factory=set)
    stored: set[str] = field(default_factory=set)
    sized: set[str] = field(default_factory=set)
    inner: Block | None = None
    opaque: bool = False

    def tokens(self) -> Iterator[str]:
        """Its tokens, one line after the other."""
        return (token for _, line in self.lines for token in line)

    @property
    def length(self) -> int:
        """Characters of its text, at its own depth."""
        return sum(len(_INDENT) * depth + sum(map(len, line)) + 1 for depth, line in self.lines)


@dataclass(slots=True, eq=False)
class Block:
    """Statements of one level; ``storage``: what is declared there without a value, with types and lengths,
    0 for scalars."""

    function: Function
    depth: int
    parent: Statement | None = None
    statements: list[Statement] = field(default_factory=list)
    storage: dict[str, tuple[str, int]] = field(default_factory=dict)


@dataclass(slots=True, eq=False)
class Function:
    """A function: what stands before its braces, the types of its parameters, and its statements."""

    head: str
    name: str
    types: dict[str, str]
    body: Block = field(init=False)

    @property
    def key(self) -> str:
        """The type of the expanded key that it is given; empty if none."""
        return self.types.get("k", "").removeprefix("const ").removesuffix(" *")


@dataclass(slots=True)
class Text:
    """A C text: what stands before, between and behind its functions is kept as it is.

    ``tables``: the types of entries of tables; ``fields``: by structure those of arrays of an expanded key.
    """

    pieces: list[str | Function]
    tables: dict[str, str]
    fields: dict[str, dict[str, str]]

    @property
    def functions(self) -> list[Function]:
        """Its functions, in their order."""
        return [piece for piece in self.pieces if isinstance(piece, Function)]


def parsed(text: str, wanted: str) -> Text:
    """A text with those of its static functions whose names match ``wanted`` taken apart."""
    structs = _FIELDS.findall(text)
    fields = {own: {f"k->{name}": type_ for type_, name in _FIELD.findall(body)} for body, own in structs}
    found = Text([], {name: type_ for type_, name in _TABLE.findall(text)}, fields)
    writers = {match["name"]: _written_through(match["params"]) for match in _FUNCTION.finditer(text)}
    end = 0
    for match in _FUNCTION.finditer(text):
        if re.search(wanted, match["name"]):
            found.pieces += [text[end : match.start()], _function(match, writers)]
            end = match.end()
    found.pieces.append(text[end:])
    return found


def _written_through(params: str) -> list[bool]:
    return ["*" in param and not param.strip().startswith("const") for param in params.split(",")]


def _function(match: re.Match[str], writers: dict[str, list[bool]]) -> Function:
    params = (param.strip().rpartition(" ") for param in match["params"].split(","))
    types = {}
    for kind, _, name in params:
        types[name.lstrip("*")] = f"{kind} *" if name.startswith("*") else kind
    function = Function(match[0][: match[0].index("\n{\n")], match["name"], types)
    lines = match["body"].splitlines()
    reader = _Reader(function, lines, writers)
    function.body = reader.block(1, None)
    return function


class _Reader:
    """Takes lines for statements, one after the other."""

    def __init__(self, function: Function, lines: Sequence[str], writers: dict[str, list[bool]]) -> None:
        self.function, self.lines, self.writers = function, lines, writers
        self.at = 0

    def block(self, depth: int, parent: Statement | None) -> Block:
        """The statements up to the end of a level."""
        block = Block(self.function, depth, parent)
        while self.at < len(self.lines) and self._indented(depth):
            text = self.lines[self.at][len(_INDENT) * depth :]
            self.at += 1
            if storage := _STORAGE.match(text):
                self._types(storage)
                block.storage[storage["name"]] = (storage["type"], int(storage["length"] or 0))
            elif not text.startswith("/*"):
                block.statements.append(self._statement(block, text))
        return block

    def _indented(self, depth: int) -> bool:
        line = self.lines[self.at]
        return line.startswith(_INDENT * depth) and not line[len(_INDENT) * depth :].startswith("}")

    def _types(self, match: re.Match[str]) -> None:
        star = " *" if match.groupdict().get("length") or match.re is _FILLED else ""
        # A name that is declared twice, in several scopes, is followed nowhere.
        known = self.function.types.setdefault(match["name"], match["type"] + star)
        if known != match["type"] + star:
            self.function.types[match["name"]] = ""

    def _statement(self, block: Block, text: str) -> Statement:
        made = Statement([(0, tokens_of(text))], block)
        if scalar := _SCALAR.match(text):
            self._types(scalar)
            made.declared[scalar["name"]] = scalar["type"]
        elif loop := _LOOP.match(text):
            self._loop(made, loop)
        elif filled := _FILLED.match(text):
            self._types(filled)
            made.bound[filled["name"]] = filled["type"]
            made.lines.append((0, tokens_of(self.lines[self.at].strip())))
            self.at += 1
        elif stored := _STORED.match(text):
            made.stored.add(stored["name"])
        elif assigned := _ASSIGNED.match(text):
            self._set(made, assigned["name"])
        elif not _CALLED.match(text):
            made.opaque = True
            self._skip(block, made)
        self._effects(made)
        return made

    def _loop(self, made: Statement, loop: re.Match[str]) -> None:
        if loop["name"]:
            self._types(loop)
            made.bound[loop["name"]] = loop["type"]
        made.inner = inner = self.block(made.block.depth + 1, made)
        end = self.lines[self.at][len(_INDENT) * made.block.depth :]
        self.at += 1
        made.opaque = end != "}"
        made.bound |= {name: type_ for name, (type_, _) in inner.storage.items()}
        for statement in inner.statements:
            made.bound |= statement.declared | statement.bound
            made.opaque |= statement.opaque
        changed = set().union(*(s.assigned for s in inner.statements))
        made.assigned |= changed - made.bound.keys()
        made.stored |= set().union(*(s.stored for s in inner.statements)) - made.bound.keys()
        made.lines += [(1, tokens_of(f"{t} {n}[{size}];" if size else f"{t} {n};")) for n, (t, size) in inner.storage.items()]
        made.lines += [(depth + 1, line) for s in inner.statements for depth, line in s.lines]
        made.lines.append((0, tokens_of(end)))
        if end != "}":
            self._skip(made.block, made)

    def _skip(self, block: Block, made: Statement) -> None:
        """The rest of a statement that is not understood, to the brace that ends it."""
        open_ = made.lines[0][1].count("{") - made.lines[0][1].count("}")
        while open_ > 0 and self.at < len(self.lines):
            line = tokens_of(self.lines[self.at][len(_INDENT) * block.depth :])
            made.lines.append((0, line))
            open_ += line.count("{") - line.count("}")
            self.at += 1

    def _effects(self, made: Statement) -> None:
        for _, line in made.lines[:1] if made.inner else made.lines:
            text = "".join(line)
            made.sized |= {name for name in _SIZED.findall(text)}
            if written := _WRITTEN.match(text):
                made.stored.add(written["name"])
            for call in _CALL.finditer(text):
                self._of_call(made, call["name"], call["arguments"])
        if made.inner:
            made.sized |= set().union(*(s.sized for s in made.inner.statements)) - made.bound.keys()

    def _of_call(self, made: Statement, name: str, arguments: str) -> None:
        through = self.writers.get(name, [])
        for argument, writes in zip(arguments.split(","), through, strict=False):
            argument = argument.strip()
            if not writes:
                continue
            if not argument.startswith("&"):
                made.stored.add(argument)
            else:
                self._set(made, argument[1:])

    @staticmethod
    def _set(made: Statement, name: str) -> None:
        """A scalar has a new value: its first, where it was declared without one."""
        type_, size = made.block.storage.get(name, ("", 0))
        if type_ and not size:
            made.declared[name] = type_
        else:
            made.assigned.add(name)


def tokens_of(text: str) -> tuple[str, ...]:
    """The tokens of a line."""
    return tuple(_TOKEN.findall(text))
