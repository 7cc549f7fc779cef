"""An outliner: sequences of statements that are equal but for names and numbers become calls of one function.

    t1 = a[x >> 24];  t2 = b[x & 255];  t3 = t1 ^ t2;        t1 = part_1(x);
    t7 = a[y >> 24];  t8 = b[y & 255];  t9 = t7 ^ t8;   ->   t7 = part_1(y);

Repeats are found in a suffix array over the statements and taken by what they save, most first (procedure
abstraction: C. Fraser, E. Myers, A. Wendt, "Analyzing and Compressing Assembly Code", SIGPLAN 1984).
"""

from __future__ import annotations

import heapq
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, count

from finalist.machines.native.text.outlining.forwarding import forward_reads
from finalist.machines.native.text.outlining.parts import ALWAYS_INLINE, Part
from finalist.machines.native.text.outlining.repeats import repeats
from finalist.machines.native.text.outlining.statements import (
    Block,
    Function,
    Statement,
    declarations,
    parsed,
)
from finalist.machines.native.text.outlining.units import Level, Run, Unit, Units

_INDENT = "    "
#: What a function has to save, in characters; rounds; and how many candidates in turn may save nothing until
#: those of half the length are looked at.
_LEAST, _ROUNDS, _PATIENCE = 60, 40, 40
#: Key set-ups, kernels, functions that have one within, and what this has made before.
_WANTED = (
    r"^{name}_(?:expand_key_\d+|(?:en|de)crypt_\d+|ctr_\d+|cbc_(?:en|de)crypt(?:_\d+)?|part_\d+)(?:_\d+)?$"
)
#: The names of functions that are defined, of macros in their place, and of those that are called.
_DEFINED = re.compile(
    r"^ *(?:(?:static|ALWAYS) [^\n;=()]*?\b(?=\w+\([^;={}]*\)\n\{)|#define )(\w+)\(", re.MULTILINE
)
_CALLED = re.compile(r"\b(\w+)(?=\()")
#: A macro that is called, with its lines.
_MACRO = re.compile(r"^#define (\w+)\((?:.*\\\n)*.*", re.MULTILINE)
#: What is no name of a function, though it stands before a parenthesis.
_ATTRIBUTES = re.compile(r"__attribute__\(\(.*?\)\)")
#: Characters of a statement list from which on a call takes nothing beside it: that takes some four hundred
#: core cycles, and a call whose results go through memory six.
_LONG = 20_000


def outlined(text: str, name: str, *, inlined: bool = False) -> str:
    """The text with functions NAME_part_1 and so on for what stands several times in the key set-ups and
    kernels of a cipher that C calls NAME; the same text where that saves nothing.

    ``inlined``: whether the compiler makes them part of what calls them, so that only the source is shorter,
    but for long ones of key set-ups.
    """
    for number in range(_ROUNDS):
        made = _Round(text, name, forward=not number, inlined=inlined).text()
        if made == text:
            break
        text = made
    return text


class _Round:
    """One time through a text: functions that have nothing to do with one another.

    ``heap``: candidates with what they save at the most, and functions with what they save; ``seen``: the
    candidates that there were; ``calls``: by its first statement where a run ends, and what stands in its
    place.
    """

    def __init__(self, text: str, name: str, *, forward: bool, inlined: bool) -> None:
        self.name, self.before, self.inlined = name, text, inlined
        self.parsed = parsed(text, _WANTED.format(name=re.escape(name)))
        if forward:
            forward_reads(self.parsed)
        self.units = Units(self.parsed)
        made = [int(m) for m in re.findall(rf"^static [^\n]*?\b{name}_part_(\d+)\(", text, re.MULTILINE)]
        self.numbers = count(max(made, default=0) + 1)
        self.calls: dict[Unit, tuple[int, list[str]]] = {}
        self.functions: list[str] = []
        self.order = count()
        self.heap: list[tuple[int, int, tuple[Run, ...] | Part]] = []
        self.seen: set[tuple[int, ...]] = set()
        self.fruitless, self.longest = 0, 1 << 20

    def text(self) -> str:
        """The text with what this round has found."""
        self._choose()
        if not self.functions:
            return self.before
        pieces = [p if isinstance(p, str) else self._written(p) for p in self.parsed.pieces]
        return self._ordered(pieces)

    # -- which ----------------------------------------------------------------------------------------

    def _choose(self) -> None:
        """Take the function that saves most, again and again; what might save more is looked at first."""
        for runs in self._candidates():
            self._push(runs)
        while self.heap:
            what = heapq.heappop(self.heap)[-1]
            if isinstance(what, Part):
                self._take(what)
            elif any(run.is_outlined() for run in what):
                self._push(what)
            elif what[0].end - what[0].start <= self.longest:
                self._look_at(what)

    def _push(self, runs: Sequence[Run]) -> None:
        """Runs as a candidate: those that are free, with what they would save if they were all the same."""
        runs = _disjoint([run for run in runs if not run.is_outlined()])
        if len(runs) < 2:
            return
        first = runs[0]
        key = (len(runs), first.end - first.start, id(first.level), first.start)
        bound = (len(runs) - 1) * sum(unit.length for unit in first.units)
        if key not in self.seen and bound >= _LEAST:
            self.seen.add(key)
            heapq.heappush(self.heap, (-bound, next(self.order), tuple(runs)))

    def _take(self, part: Part) -> None:
        if any(run.is_outlined() for run in part.runs):
            self._push(part.runs)
        else:
            self._accept(part)

    def _look_at(self, runs: tuple[Run, ...]) -> None:
        """The functions that runs make, and what might be better."""
        forms: dict[tuple[int, ...], list[Run]] = defaultdict(list)
        for run in runs:
            forms[run.form()].append(run)
        best = 0
        for part in self._parts(forms.values()):
            saved = part.saved()
            best = max(best, saved)
            if saved >= _LEAST:
                heapq.heappush(self.heap, (-saved, next(self.order), part))
        for shorter in self._shorter(runs, list(forms), best):
            self._push(shorter)
        self.fruitless = 0 if best >= _LEAST else self.fruitless + 1
        if self.fruitless > _PATIENCE:
            self.fruitless, self.longest = 0, (runs[0].end - runs[0].start) // 2

    def _candidates(self) -> Iterator[list[Run]]:
        numbers: list[int] = []
        where: list[tuple[Level, int]] = []
        for level in self.units.levels:
            for unit in level.units:
                numbers.append(unit.shape)
                where.append((level, unit.place))
            numbers.append(-1)
            where.append((level, -1))
        for length, places in repeats(numbers):
            yield [Run(where[p][0], where[p][1], where[p][1] + length) for p in places]

    def _parts(self, forms: Iterable[list[Run]]) -> Iterator[Part]:
        for alike in forms:
            if len(alike) < 2:
                continue
            yield from self._legal(alike)
            exact: dict[object, list[Run]] = defaultdict(list)
            for run in alike:
                exact[tuple(run.values())].append(run)
            if len(exact) > 1:
                for same in exact.values():
                    if len(same) > 1:
                        yield from self._legal(same)

    def _legal(self, runs: Sequence[Run]) -> Iterator[Part]:
        part = Part(runs, self.inlined and not all(map(_of_set_up, runs)))
        if part.legal():
            yield part

    def _shorter(
        self, runs: Sequence[Run], forms: Sequence[tuple[int, ...]], saved: int
    ) -> Iterator[list[Run]]:
        """Parts of runs that might save more: split where their names part, or else in halves."""
        length = runs[0].end - runs[0].start
        if length < 2:
            return
        if len(forms) > 1:
            at = min(max(1, _parting(runs[0], forms)), length - 1)
            cuts = {(0, at), (at, length)}
        elif saved:
            cuts = {(0, length - 1), (1, length)}
        else:
            cuts = {(0, length // 2), (length // 2, length), (0, length - 1), (1, length)}
        for start, end in sorted(cuts):
            yield [Run(run.level, run.start + start, run.start + end) for run in runs]

    def _accept(self, part: Part) -> None:
        name = f"{self.name}_part_{next(self.numbers)}"
        self.functions.append(part.function(name))
        for run in part.runs:
            self.calls[run.level.units[run.start]] = (run.end, part.call(run, name))
            for unit in run.units:
                self._use(unit.statement)
            above = run.block.parent
            while above is not None:
                self.units.use(above)
                above = above.block.parent
            for inner in run.inner:
                del run.block.storage[inner]

    def _use(self, statement: Statement) -> None:
        self.units.use(statement)
        if statement.inner is not None:
            for own in statement.inner.statements:
                self._use(own)

    # -- text -----------------------------------------------------------------------------------------

    def _written(self, function: Function) -> str:
        return f"{function.head}\n{{\n{''.join(self._lines(function.body))}}}\n"

    def _lines(self, block: Block) -> Iterator[str]:
        indent = _INDENT * block.depth
        waiting = dict(block.storage)
        at = 0
        while at < len(block.statements):
            statement = block.statements[at]
            unit = self.units.of[statement]
            at, lines = self.calls.get(unit, (at + 1, None))
            texts = (
                [f"{indent}{line}\n" for line in lines] if lines is not None else self._own(statement, indent)
            )
            named = set(re.findall(r"\w+", "".join(texts))) if waiting else set()
            now = {name: waiting.pop(name) for name in list(waiting) if name in named}
            yield from (f"{indent}{line}\n" for line in declarations(now))
            yield from texts

    def _own(self, statement: Statement, indent: str) -> list[str]:
        if statement.inner is None or statement.lines[-1][1] != ("}",):
            return [f"{indent}{_INDENT * depth}{''.join(line)}\n" for depth, line in statement.lines]
        return [
            f"{indent}{''.join(statement.lines[0][1])}\n",
            *self._lines(statement.inner),
            f"{indent}}}\n",
        ]

    def _ordered(self, pieces: Sequence[str]) -> str:
        """The pieces, with the functions of parts as early as all that they call allows."""
        own = re.compile(rf"static [^\n]*?\b({self.name}_part_\d+)\(")
        parts = {m[1]: p for p in [*self.functions, *pieces] if (m := own.match(p))}
        rest = [p for p in pieces if not own.match(p)]
        #: By function the piece after which it can be called.
        after = {name: at for at, piece in enumerate(rest) if at for name in _defined(piece)}
        macros = _called_by_macros(rest)
        done: dict[str, str] = {}

        def expanded(name: str) -> int:
            return max([after.get(name, 0), *map(expanded, macros.get(name, ()))])

        def visit(name: str) -> None:
            if name not in done:
                called = [one for one in dict.fromkeys(_CALLED.findall(parts[name])) if one != name]
                for one in called:
                    if one in parts:
                        visit(one)
                after[name] = max(map(expanded, called), default=0)
                done[name] = parts[name]

        for name in parts:
            visit(name)
        text, ends = "", False
        for at, piece in enumerate(rest):
            text += piece.lstrip("\n") if ends else piece
            here = [part for name, part in done.items() if after[name] == at]
            ends = bool(here)
            if here:
                text = text.rstrip("\n") + "\n\n" + "\n".join(here) + "\n"
        return text


def _defined(text: str) -> list[str]:
    """The functions that a text defines, and the macros that are called as such."""
    return _DEFINED.findall(_ATTRIBUTES.sub("", text))


def _called_by_macros(pieces: Iterable[str]) -> dict[str, set[str]]:
    """By macro what it calls, in whichever of its definitions."""
    called: dict[str, set[str]] = defaultdict(set)
    for macro in chain.from_iterable(map(_MACRO.finditer, pieces)):
        called[macro[1]] |= {*_CALLED.findall(macro[0])} - {macro[1]}
    return called


def _of_set_up(run: Run) -> bool:
    """Whether a run is a long one of a key set-up."""
    function = run.block.function
    own = "_expand_key_" in function.name or (
        "_part_" in function.name and ALWAYS_INLINE not in function.head
    )
    return own and sum(unit.length for unit in run.units) >= _LONG


def _disjoint(runs: Sequence[Run]) -> list[Run]:
    """Those that do not overlap, from the first on; ``runs`` in the order of levels and places."""
    found: list[Run] = []
    for run in runs:
        if not found or found[-1].level is not run.level or found[-1].end <= run.start:
            found.append(run)
    return found


def _parting(run: Run, forms: Sequence[tuple[int, ...]]) -> int:
    """The statement of a run at which the last of the other forms becomes another than its own."""
    own = run.form()
    place = max(
        next((at for at, (a, b) in enumerate(zip(own, form, strict=True)) if a != b), 0)
        for form in forms
        if form != own
    )
    for number, unit in enumerate(run.units):
        place -= len(unit.names)
        if place < 0:
            return number
    return 0
