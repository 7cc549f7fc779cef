"""Sequences that are equal but for names and values, as one function and its calls."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from finalist.machines.native.text.outlining.statements import declarations
from finalist.machines.native.text.outlining.units import Run

_INDENT = "    "
#: Parameters and outputs of a function, at most: a reader, and a caller's registers, follow no more.
_PARAMETERS, _OUTPUTS = 24, 8
#: How many times as many it may have where the compiler makes it part of what calls it; what asks for that.
_INLINED = 2
ALWAYS_INLINE = "__attribute__((always_inline))"


@dataclass(eq=False)
class Part:
    """A function in the place of ``runs``, which are equal but for names and values; ``inlined``: whether the
    compiler is to make it part of what calls it."""

    runs: Sequence[Run]
    inlined: bool = False
    _varying: list[int] = field(default_factory=list)
    _bases: dict[str, dict[object, tuple[str, int]]] = field(default_factory=dict)

    def legal(self) -> bool:
        """Whether there may be such a function; that all runs have the same things within, too."""
        if not all(run.resolve() for run in self.runs):
            return False
        inner = [self._places(run, run.inner) for run in self.runs]
        sizes = {tuple(run.inner.values()) for run in self.runs}
        if any(one != inner[0] for one in inner) or len(sizes) > 1:
            return False
        given = len(self._inputs) + (len(self._varying) if self._substitutes else 0)
        most = _INLINED if self.inlined else 1
        return len(self._outputs) <= most * _OUTPUTS and given <= most * _PARAMETERS

    @staticmethod
    def _places(run: Run, names: Collection[str]) -> list[int]:
        """The numbers of some of a run's names."""
        if not names:
            return []
        own = {name: number for number, name in enumerate(run.named())}
        return [own[name] for name in names]

    @cached_property
    def _named(self) -> list[list[str]]:
        """For each run its names by their numbers."""
        return [run.named() for run in self.runs]

    @cached_property
    def _outputs(self) -> list[int]:
        """The numbers of names that some run has as a result."""
        return sorted({place for run in self.runs for place in self._places(run, run.outputs)})

    @cached_property
    def _inputs(self) -> list[int]:
        return self._places(self.runs[0], self.runs[0].inputs)

    @cached_property
    def _key(self) -> str:
        """The type of the expanded key that all runs have; empty where they differ."""
        keys = {run.block.function.key for run in self.runs}
        return keys.pop() if len(keys) == 1 else ""

    @cached_property
    def _stem(self) -> str:
        """What names of values begin with."""
        return self._unused("v", "w", "value", "given")

    @cached_property
    def _output_stem(self) -> str:
        """What names of pointers to outputs begin with."""
        return self._unused("r", "s", "result", "found")

    def _unused(self, *stems: str) -> str:
        own = {name.rstrip("0123456789") for name in self._named[0]}
        return next((stem for stem in stems if stem not in own), f"{stems[-1]}_")

    @cached_property
    def _rows(self) -> list[tuple[str, tuple[str, ...]]]:
        """The values at each place: their type, and what they are in each run."""
        places = zip(*(run.values() for run in self.runs), strict=True)
        return [(values[0][1], tuple(text for text, _ in values)) for values in places]

    @cached_property
    def _substitutes(self) -> dict[int, str]:
        """By place what stands in the function for values that are not the same in all runs: a parameter, or
        a number that is always as much more than one."""
        found: dict[int, str] = {}
        for place, (type_, texts) in enumerate(self._rows):
            if len(set(texts)) > 1 or (not self._key and texts[0].startswith("k->")):
                found[place] = self._substitute(place, type_, texts)
        return found

    def _substitute(self, place: int, type_: str, texts: tuple[str, ...]) -> str:
        known = self._bases.setdefault(type_, {})
        if type_.endswith("*"):
            if texts not in known:
                known[texts] = (self._parameter_for(place), 0)
            return known[texts][0]
        numbers = [int(text.rstrip("ul"), 0) for text in texts]
        steps = tuple(number - numbers[0] for number in numbers)
        if steps not in known:
            known[steps] = (self._parameter_for(place), numbers[0])
        name, base = known[steps]
        more, suffix = numbers[0] - base, "ull" if type_ == "uint64_t" else "u"
        return f"({name} {'+' if more > 0 else '-'} {abs(more)}{suffix})" if more else name

    def _parameter_for(self, place: int) -> str:
        """A new parameter for what stands at a place."""
        self._varying.append(place)
        return f"{self._stem}{len(self._varying) - 1}"

    @cached_property
    def _stored(self) -> set[str]:
        """Arrays that the first run may change, as it names them."""
        return set().union(*(unit.statement.stored for unit in self.runs[0].units))

    # -- the function ---------------------------------------------------------------------------------

    @cached_property
    def _own(self) -> dict[str, str]:
        """The first run's names as the function has them."""
        stems: dict[str, int] = defaultdict(int)
        found: dict[str, str] = {}
        types = self.runs[0].block.function.types
        for name in self._named[0]:
            stem = name.rstrip("0123456789")
            if stem == name or types[name].endswith("_key *"):
                found[name] = name
            else:
                found[name] = f"{stem}{stems[stem]}"
                stems[stem] += 1
        return found

    @cached_property
    def _uses_key(self) -> bool:
        """Whether the function names the expanded key beside what it is given."""
        own = [
            text for place, (text, _) in enumerate(self.runs[0].values()) if place not in self._substitutes
        ]
        own += [name for unit in self.runs[0].units for name in unit.statement.sized]
        return any(text.startswith("k->") for text in own) and "k" not in self.runs[0].inputs

    def _head(self, name: str) -> str:
        run = self.runs[0]
        types, named = run.block.function.types, self._named[0]
        outputs = [named[number] for number in self._outputs]
        params = []
        if self._uses_key:
            params.append(self._parameter(f"{self._key} *", "k", "k"))
        for number in self._inputs:
            params.append(self._parameter(types[named[number]], self._own[named[number]], named[number]))
        for place in self._varying:
            type_, texts = self._rows[place]
            params.append(self._parameter(type_, self._substitutes[place], texts[0]))
        params += [
            f"{types[n]} *{self._output_stem}{number}" for number, n in enumerate(outputs[1:], start=1)
        ]
        result = types[outputs[0]] if outputs else "void"
        static = f"static inline {ALWAYS_INLINE}" if self.inlined else "static"
        return f"{static} {result} {name}({', '.join(params) or 'void'})"

    def _parameter(self, type_: str, name: str, text: str) -> str:
        stored = text in self._stored or (text == "k" and any(n.startswith("k->") for n in self._stored))
        if type_.endswith("*") and not type_.startswith("const") and not stored:
            type_ = f"const {type_}"
        return f"{type_}{name}" if type_.endswith("*") else f"{type_} {name}"

    def _body(self) -> str:
        run = self.runs[0]
        own, place = self._own, 0
        declared = {n for unit in run.units for n in unit.statement.declared}
        storage = run.block.storage
        waiting = {
            n: storage[n] for n in self._named[0] if n in storage and (n in run.inner or n in declared)
        }
        lines = []
        for unit in run.units:
            lines += declarations({own[n]: what for n, what in waiting.items() if n in unit.names})
            waiting = {n: what for n, what in waiting.items() if n not in unit.names}
            for (depth, line), slots in zip(unit.statement.lines, unit.slots, strict=True):
                text = []
                for token, slot in zip(line, slots, strict=True):
                    if slot == "v":
                        text.append(self._substitutes.get(place, token))
                        place += 1
                    else:
                        text.append(own[token] if slot == "n" else token)
                lines.append(_INDENT * depth + "".join(text))
        outputs = [own[self._named[0][number]] for number in self._outputs]
        lines += [f"*{self._output_stem}{number} = {n};" for number, n in enumerate(outputs[1:], start=1)]
        lines += [f"return {outputs[0]};"] if outputs else []
        return "".join(f"{_INDENT}{line}\n" for line in lines)

    def function(self, name: str) -> str:
        """The function's text."""
        return f"{self._head(name)}\n{{\n{self._body()}}}\n"

    # -- calls ----------------------------------------------------------------------------------------

    def call(self, run: Run, name: str) -> list[str]:
        """What stands in a run's place."""
        at = self.runs.index(run)
        named, values = self._named[at], run.values()
        outputs = [named[number] for number in self._outputs]
        given = ["k"] if self._uses_key else []
        given += [named[number] for number in self._inputs]
        given += [values[place][0] for place in self._varying]
        given += [f"&{n}" for n in outputs[1:]]
        declared = {n: t for unit in run.units for n, t in unit.statement.declared.items()}
        storage = run.block.storage
        lines = declarations({n: (declared[n], 0) for n in outputs[1:] if n in declared and n not in storage})
        text = f"{name}({', '.join(given)});"
        if outputs and outputs[0] in run.outputs:
            new = outputs[0] in declared and outputs[0] not in storage
            text = f"{self._declaration(run, outputs[0]) if new else ''}{outputs[0]} = {text}"
        return [*lines, text]

    @staticmethod
    def _declaration(run: Run, name: str) -> str:
        line = next("".join(u.statement.lines[0][1]) for u in run.units if name in u.statement.declared)
        return line[: line.index(f" {name} ") + 1]

    def saved(self) -> int:
        """Characters that it saves."""
        name = "x" * 18
        total = -len(self.function(name)) - 1
        for run in self.runs:
            indent = len(_INDENT) * run.block.depth
            extra = sum(len(t) + len(n) + 4 for n, (t, size) in run.inner.items())
            total += sum(u.length + indent * len(u.statement.lines) for u in run.units) + extra
            total -= sum(len(line) + indent + 1 for line in self.call(run, name))
        return total
