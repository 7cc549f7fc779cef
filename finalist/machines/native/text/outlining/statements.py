"""The functions of a C text as the emitter writes it: statements, and what each declares and changes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

#: Spaces are tokens too, so that a line is its tokens put together; an array of the expanded key is one name.
_TOKEN = re.compile(r"k->\w+|[A-Za-z_]\w*|0x[0-9a-f]+[ul]*|\d+[ul]*|<<=?|>>=?|\s+|.")
_FUNCTION = re.compile(
    r"^static (?:inline )?(?:__attribute__\(\(\w+\)\) )?(?!const)[\w ]*?(?P<name>\w+)"
    r"\((?P<params>[^;={}()]*)\)\n\{\n"
    r"(?P<body>.*?)^\}\n",
    re.MULTILINE | re.DOTALL,
)
_TABLE = re.compile(r"^static const (\w+) (\w+)\[", re.MULTILINE)
_FIELDS = re.compile(r"^typedef struct \{\n([^{}]*?)^\} (\w+);", re.MULTILINE)
_NARROW = re.compile(r"^typedef uint(?:8|16)_t vec ", re.MULTILINE)
_FIELD = re.compile(r"    (\w+) (\w+)\[\d+\];")
_TYPE = r"(?:uint(?:8|16|32|64)_t|vec)"
_SCALAR = re.compile(rf"(?:const )?(?P<type>{_TYPE}) (?P<name>\w+) = [^{{}}]*;$")
_STORAGE = re.compile(rf"(?P<type>{_TYPE}) (?P<names>\w+(?:\[\d+\])?(?:, \w+(?:\[\d+\])?)*);$")
_STORED_NAME = re.compile(r"(\w+)(?:\[(\d+)\])?")
_FILLED = re.compile(rf"static const (?P<type>{_TYPE}) (?P<name>\w+)\[\d+\] = \{{[^{{}}]*\}};$")
_LOOP = re.compile(rf"(?:for \((?P<type>{_TYPE}) (?P<name>\w+) = [^{{}}]*\)|if \([^{{}}]*\)) \{{$")
#: Loops of a driver, which move pointers: no part of a sequence, but what is within may be.
_DRIVER = re.compile(r"(?:for|while) \([^{}]*\) \{$")
_ASSIGNED = re.compile(r"(?P<name>\w+) = [^{}]*;$")
_STORED = re.compile(r"(?P<name>(?:k->)?\w+)\[[^=;{}]*\] = [^{}]*;$")
_CALLED = re.compile(r"(?P<name>\w+)\((?P<arguments>[^{};]*)\);$")
_WRITTEN = re.compile(r"(?:mem(?:cpy|set)|store\w+)\((?P<name>(?:k->)?\w+)")
_CALL = re.compile(r"\b(\w+)\(")
_SIZED = re.compile(r"\bsizeof (k->\w+|\w+)")
#: What a statement that is not understood may declare: names of types that are not followed.
_DECLARED = re.compile(r"\b[A-Za-z_]\w* \*?([A-Za-z_]\w*)(?=(?:\[[^\]]*\])*(?: = |;|, |\)))")
_LISTED = re.compile(r"(?:const |static )*\w+ [\w\[\], ]+;$")
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

    ``tables``: the types of entries of tables; ``fields``: by structure those of arrays of an expanded key;
    ``narrow``: whether its vectors have lanes narrower than a number's own type.
    """

    pieces: list[str | Function]
    tables: dict[str, str]
    fields: dict[str, dict[str, str]]
    narrow: bool = False

    @property
    def functions(self) -> list[Function]:
        """Its functions, in their order."""
        return [piece for piece in self.pieces if isinstance(piece, Function)]


def parsed(text: str, wanted: str) -> Text:
    """A text with those of its static functions whose names match ``wanted`` taken apart."""
    structs = _FIELDS.findall(text)
    fields = {own: {f"k->{name}": type_ for type_, name in _FIELD.findall(body)} for body, own in structs}
    tables = {name: type_ for type_, name in _TABLE.findall(text)}
    found = Text([], tables, fields, narrow=_NARROW.search(text) is not None)
    writers = {match["name"]: _written_through(match["params"]) for match in _FUNCTION.finditer(text)}
    end = 0
    for match in _FUNCTION.finditer(text):
        if re.search(wanted, match["name"]):
            found.pieces += [text[end : match.start()], _function(match, writers)]
            end = match.end()
    found.pieces.append(text[end:])
    return found


def _written_through(params: str) -> list[bool]:
    return ["*" in param and not param.strip().startswith("const ") for param in params.split(",")]


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
                for name, length in _STORED_NAME.findall(storage["names"]):
                    self._type(name, storage["type"] + (" *" if length else ""))
                    block.storage[name] = (storage["type"], int(length or 0))
            elif not text.startswith("/*"):
                block.statements.append(self._statement(block, text))
        return block

    def _indented(self, depth: int) -> bool:
        line = self.lines[self.at]
        return line.startswith(_INDENT * depth) and not line[len(_INDENT) * depth :].startswith("}")

    def _type(self, name: str, type_: str) -> None:
        """A name is declared; one that stands for two things, in several scopes, is followed nowhere."""
        if self.function.types.setdefault(name, type_) != type_:
            self.function.types[name] = ""

    def _statement(self, block: Block, text: str) -> Statement:
        made = Statement([(0, tokens_of(text))], block)
        if scalar := _SCALAR.match(text):
            self._type(scalar["name"], scalar["type"])
            made.declared[scalar["name"]] = scalar["type"]
        elif loop := _LOOP.match(text):
            self._loop(made, loop)
        elif _DRIVER.match(text):
            self._declare_unknown(text)
            self._loop(made, None)
            made.opaque = True
        elif filled := _FILLED.match(text):
            self._type(filled["name"], f"{filled['type']} *")
            made.bound[filled["name"]] = filled["type"]
            made.lines.append((0, tokens_of(self.lines[self.at].strip())))
            self.at += 1
        elif stored := _STORED.match(text):
            made.stored.add(stored["name"])
        elif assigned := _ASSIGNED.match(text):
            self._set(made, assigned["name"])
        elif not self._known(text):
            made.opaque = True
            self._skip(block, made)
        if made.opaque and made.inner is None:
            self._declare_unknown("".join(made.tokens()))
        self._effects(made)
        return made

    def _declare_unknown(self, text: str) -> None:
        """Names of other types: what names them is no part of a sequence either."""
        names = _DECLARED.findall(text)
        if _LISTED.match(text):
            names += re.findall(r", (\w+)", text)
        for name in names:
            self.function.types.setdefault(name, "")

    def _loop(self, made: Statement, loop: re.Match[str] | None) -> None:
        if loop and loop["name"]:
            self._type(loop["name"], loop["type"])
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
        made.lines += [(1, tokens_of(line)) for line in declarations(inner.storage)]
        made.lines += [(depth + 1, line) for s in inner.statements for depth, line in s.lines]
        made.lines.append((0, tokens_of(end)))
        if end != "}":
            self._skip(made.block, made)

    def _known(self, text: str) -> bool:
        """Whether a statement is a call of which it is known what it writes."""
        called = _CALLED.match(text)
        return called is not None and (called["name"] in self.writers or _WRITTEN.match(text) is not None)

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
            made.sized |= set(_SIZED.findall(text))
            if written := _WRITTEN.match(text):
                made.stored.add(written["name"])
            for call in _CALL.finditer(text):
                if call[1] in self.writers:
                    self._of_call(made, self.writers[call[1]], _arguments(text, call.end()))
        if made.inner:
            made.sized |= set().union(*(s.sized for s in made.inner.statements)) - made.bound.keys()

    def _of_call(self, made: Statement, through: Sequence[bool], arguments: Sequence[str]) -> None:
        made.opaque |= len(arguments) != len(through)
        for argument, writes in zip(arguments, through, strict=False):
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
            made.opaque |= name not in made.block.function.types or _without_value(made.block.parent, name)


def _without_value(above: Statement | None, name: str) -> bool:
    """Whether a level above declares a name without a value."""
    while above is not None:
        if name in above.block.storage:
            return True
        above = above.block.parent
    return False


def _arguments(text: str, at: int) -> list[str]:
    """The arguments of a call that begin at a place, up to the bracket that ends them."""
    found, depth = [""], 0
    for letter in text[at:]:
        depth += (letter in "([{") - (letter in ")]}")
        if depth < 0:
            break
        if letter == "," and not depth:
            found.append("")
        else:
            found[-1] += letter
    return [argument.strip() for argument in found]


def tokens_of(text: str) -> tuple[str, ...]:
    """The tokens of a line."""
    return tuple(_TOKEN.findall(text))


def declarations(storage: Mapping[str, tuple[str, int]]) -> list[str]:
    """Declarations without values, those of a type in one line each."""
    names: dict[str, list[str]] = {}
    for name, (type_, length) in storage.items():
        names.setdefault(type_, []).append(f"{name}[{length}]" if length else name)
    return [f"{type_} {', '.join(own)};" for type_, own in names.items()]
