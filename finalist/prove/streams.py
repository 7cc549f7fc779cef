"""Programs whose blocks hand on a state: the state after set-up, and one call from any state.

Carried out are the key schedule on an unknown key, and then, from memory of which nothing is known but what
the text says of it and the key schedule leaves so, one call on unknown data from a state of unknown words.
Where the key schedule leaves the definition's state, and the call makes of any state the definition's output
and its next state, all calls of one length do: by induction, with what the text fills memory with, which the
call may not change, as part of it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from finalist.ir.program import Program
from finalist.ir.types import storage_bits
from finalist.isa.assembly.assembler import Image
from finalist.isa.simulate.run import SimulatedProgram
from finalist.isa.target.memory import Place
from finalist.prove import definition
from finalist.prove.bits import Bits, Word, bits_of, known
from finalist.prove.execute import Execution
from finalist.prove.memory import Memory
from finalist.prove.proof import Proof
from finalist.prove.words import NotCoveredError, Words

#: What is then proved.
CLAIM = "the state after the key schedule; of one call from any state the output and the state after it"


@dataclass(frozen=True, slots=True)
class Course:
    """Bytes of the state after set-up, of the output of a call, and of the state after it."""

    begun: list[Word]
    output: list[Word]
    left: list[Word]

    @property
    def bytes(self) -> list[Word]:
        """All of them."""
        return [*self.begun, *self.output, *self.left]

    def parts(self) -> Iterator[tuple[str, list[Word]]]:
        """Each with what it is."""
        yield "the state after the key schedule", self.begun
        yield "the output", self.output
        yield "the state after a call", self.left


@dataclass(frozen=True, slots=True)
class Begun:
    """What a program's key schedule leaves. ``places``: of the state, and its bytes; ``changed``: entries
    elsewhere that are not what the text fills them with any more; ``runs``: the processors."""

    places: list[Place]
    state: list[Word]
    changed: list[tuple[Place, int]]
    runs: list[Execution]


class Streams(Proof):
    """Both sides of the proof of one stream cipher's program."""

    claim: ClassVar[str] = CLAIM

    def __init__(self, traced: Program, words: Words, key: Sequence[Bits], data: Sequence[Bits]) -> None:
        super().__init__(traced, words, key, data)
        #: Of each array of the expanded key words that nothing is known of.
        self.state = [
            tuple(words.symbol(("state", name, k), type_.width) for k in range(type_.length))
            for name, type_ in zip(traced.key_names, traced.key_types, strict=True)
        ]
        #: What the program's key schedule leaves, once it was carried out.
        self._begun: Begun | None = None

    # -- the definition -------------------------------------------------------------------------

    def defined(self) -> Course:
        """What the definition gives. Raises NotCoveredError."""
        traced, keyed = self.traced, self.keyed
        arrays, output, size = list(self.state), list[Word](), traced.block.bytes
        for at in range(0, len(self.data), size):
            block = definition.split(traced.block, self.data[at : at + size])
            results = keyed.kernel(traced, [*block, *arrays])
            output += definition.merge(traced.block, results[: traced.block.count])
            handed_on = iter(results[traced.block.count :])
            arrays = [
                next(handed_on) if param.attr == "state" else array
                for param, array in zip(traced.key_params, arrays, strict=True)
            ]
        return Course(self._bytes(keyed.arrays), output, self._bytes(arrays))

    def _bytes(self, arrays: Sequence[Sequence[Word]]) -> list[Word]:
        """The words of the expanded key as bytes, each the lowest first."""
        found: list[Word] = []
        for array, type_ in zip(arrays, self.traced.key_types, strict=True):
            size = storage_bits(type_.width)
            for word in array:
                bits = bits_of(word, size)
                found += [known(bits[k : k + 8]) for k in range(0, size, 8)]
        return found

    # -- the program ----------------------------------------------------------------------------

    def carried_out(self, program: SimulatedProgram) -> tuple[Course, list[Execution]]:
        """What a program gives: its key schedule, and on another processor a call. Raises NotCoveredError."""
        if self._begun is None:
            self._begun = self._set_up(program)
        begun, call = self._begun, self.processor(program)
        self._forget(call.memory, begun.changed)
        for place, array in zip(begun.places, self.state, strict=True):
            for k, word in enumerate(array):
                call.memory.store(place.bytes, place.address + k * place.step, word)
        output = call.call(program.operation, self.data)
        _unchanged(call, begun.places, begun.changed, program.operation)
        left = self._bytes(_read(call.memory, begun.places))
        return Course(begun.state, output, left), [*begun.runs, call]

    def forget(self) -> None:
        """Have the program's key schedule carried out anew."""
        super().forget()
        self._begun = None

    def _set_up(self, program: SimulatedProgram) -> Begun:
        """The key schedule; for a further key on another processor, if that finds other memory."""
        first = self.after(program)
        places = self._places(first.image)
        state = self._bytes(_read(first.memory, places))
        changed, runs = _changed(first, places), [first]
        # The further one goes where the first went: the way is known whatever lies in the changed entries.
        if changed:
            further = self.processor(program)
            self._forget(further.memory, changed)
            further.set_up(self.key)
            _unchanged(further, places, changed, "the key schedule")
            if self._bytes(_read(further.memory, places)) != state:
                raise NotCoveredError("a further key's schedule leaves another state")
            runs.append(further)
        return Begun(places, state, changed, runs)

    def _forget(self, memory: Memory, entries: Sequence[tuple[Place, int]]) -> None:
        """Fill entries with words that nothing is known of."""
        for place, k in entries:
            word = self.words.symbol(("left", place.name, k), 8 * place.bytes)
            memory.store(place.bytes, place.address + k * place.bytes, word)

    def _places(self, image: Image) -> list[Place]:
        """Where a program has the arrays of the expanded key."""
        found = []
        for name, type_ in zip(self.traced.key_names, self.traced.key_types, strict=True):
            place = image.places.get(name)
            if place is None or (8 * place.bytes, place.length) != (storage_bits(type_.width), type_.length):
                raise NotCoveredError(f"no place in memory is the state's {name}, {type_}")
            found.append(place)
        return found


def _read(memory: Memory, places: Sequence[Place]) -> list[list[Word]]:
    """The words that lie there."""
    return [
        [memory.load(place.bytes, place.address + k * place.step) for k in range(place.length)]
        for place in places
    ]


def _unchanged(
    run: Execution, state: Sequence[Place], known: Sequence[tuple[Place, int]], after: str
) -> None:
    """Raises NotCoveredError where more than what is known to change is not what the text fills it with."""
    for place, k in _changed(run, state):
        if (place, k) not in known:
            what = f"entry {k} of {place.name}"
            raise NotCoveredError(f"{what} is not what the text fills it with any more, after {after}")


def _changed(run: Execution, state: Sequence[Place]) -> list[tuple[Place, int]]:
    """The entries in memory that are not what the text fills them with any more, the state aside."""
    found = []
    for name, values in run.image.contents.items():
        place = run.image.places[name]
        if place not in state:
            found += [
                (place, k)
                for k, value in enumerate(values)
                if run.memory.load(place.bytes, place.address + k * place.bytes) != value
            ]
    return found
