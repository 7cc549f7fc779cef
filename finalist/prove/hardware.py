"""Whether hardware is equal to its definition for all keys and all blocks, and whatever its registers held.

A key is written as the text says, or where there is none, the circuit is reset; then blocks are offered: one
alone; and one after the other, without a gap, of which that one is looked at that comes when the pipeline
is full. What is in the port of the result as many cycles later as the text promises has to be what the
definition says, and that it is there has to be said in that cycle. Key and blocks are not known, nor is
what the registers hold before.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from finalist.errors import CompilerError
from finalist.ir.program import Program
from finalist.netlist.course import Control, Course
from finalist.netlist.emitted import Emitted, Promise
from finalist.netlist.lanes import Lanes, bits_of_lanes, lanes_of
from finalist.netlist.recorded import Recorded
from finalist.passes.timing import CONSTANT
from finalist.prove import definition
from finalist.prove.bits import Bits, bits_of
from finalist.prove.collector import uncollected
from finalist.prove.decide import Certificate, Found, Subject, certified, difference
from finalist.prove.memory import as_bytes
from finalist.prove.refute import Pair
from finalist.prove.settle import Sides
from finalist.prove.unknown import Unknown
from finalist.prove.words import NotCoveredError, Words

#: Bits of a word of the key port.
PORT = 32


@dataclass(frozen=True, slots=True)
class Passage:
    """A block's way through a circuit: what is known in each cycle, when the block is taken, and when its
    result is there."""

    control: Control
    taken: int
    left: int


class Passages:
    """That of a block alone, and that of one in a full pipeline, each made when it is first asked for. Raises
    NotCoveredError where `ready` or `valid` depend on data, or are not as the text promises."""

    def __init__(self, emitted: Emitted) -> None:
        self.emitted = emitted
        self._made: list[Passage] = []

    def __iter__(self) -> Iterator[Passage]:
        for number, full in enumerate((False, True)):
            if number == len(self._made):
                self._made.append(_passage(self.emitted, full))
            yield self._made[number]


def _passage(emitted: Emitted, full: bool) -> Passage:
    circuit, promise = emitted.circuit, emitted.promise
    before = (promise.key_words or 1) + promise.key_cycles
    idle = {"reset": 0, "key_load": 0, "start": 0}
    if promise.decrypt is not None:
        idle["decrypt"] = promise.decrypt
    cycles = [idle | {"key_load": 1}] * promise.key_words or [idle | {"reset": 1}]
    cycles += [idle] * promise.key_cycles
    cycles.append(idle | {"start": 1})
    rest = (2 * promise.latency + 2) if full else promise.latency + 1
    cycles += [idle | {"start": int(full)}] * rest
    control = Control(circuit, cycles)
    said = {name: [row.get(circuit.ports[name][0]) for row in control.known] for name in ("ready", "valid")}
    for name, values in said.items():
        if None in values[before:]:
            raise NotCoveredError(f"{name} is not known in cycle {values.index(None, before)}")
    ready = [cycle for cycle in range(before, len(cycles)) if said["ready"][cycle]]
    before_it = promise.under_way if full else 0
    if len(ready) <= before_it or ready[0] != before:
        raise NotCoveredError("ready is not high when it is promised")
    taken = ready[before_it]
    left = taken + 1 + promise.latency
    valid = [cycle for cycle in range(before, min(left + 1, len(cycles))) if said["valid"][cycle]]
    if left not in valid or (not full and valid != [left]):
        raise NotCoveredError(f"valid is not high {promise.latency} cycles after a block, or too often")
    return Passage(control, taken, left)


# -- keys and blocks -----------------------------------------------------------------------------------


def key_words(promise: Promise, words: Words, key: Sequence[Bits]) -> list[Bits]:
    """What is written to the key port, of a key that is not known."""
    if not promise.programs:
        whole = [bits_of(byte, 8) for byte in key]
        whole += [(0,) * 8] * (-len(whole) % (PORT // 8))
        groups = (whole[k : k + PORT // 8] for k in range(0, len(whole), PORT // 8))
        return [tuple(bit for byte in reversed(group) for bit in byte) for group in groups]
    bits = [0] * (PORT * promise.key_words)
    arrays = [
        definition.Evaluator(words, tabulated=False).run(program.expand, definition.split(program.key, key))
        for program in promise.programs
    ]
    for one in promise.fields:
        found = arrays[one.program][one.array][one.entry]
        bits[one.low : one.low + one.width] = bits_of(found, one.width)
    return [tuple(bits[k : k + PORT]) for k in range(0, len(bits), PORT)]


def port_of(block: Sequence[Bits]) -> list[int]:
    """A block as a word of a port: its first byte in the highest bits."""
    return [bit for byte in reversed(block) for bit in bits_of(byte, 8)]


def block_of(bits: Sequence[int]) -> list[Bits]:
    """The inverse of `port_of`."""
    return [tuple(bits[k : k + 8]) for k in range(0, len(bits), 8)][::-1]


def data(
    passage: Passage, keys: Sequence[Sequence[int]], block: Sequence[int]
) -> Mapping[tuple[str, int], Sequence[int]]:
    """The inputs of a passage that are data, by port and cycle."""
    written = {("key_word", cycle): word for cycle, word in enumerate(keys)}
    return {**written, ("block_in", passage.taken): block}


# -- carried out on numbers --------------------------------------------------------------------------


class Simulated:
    """A circuit carried out on keys and blocks that are known: each block alone, and among others.

    ``size``: the bytes of a block."""

    def __init__(self, emitted: Emitted, size: int) -> None:
        self.emitted, self.size = emitted, size
        self.passages = Passages(emitted)

    @cached_property
    def results(self) -> Sequence[tuple[Passage, Recorded]]:
        """What comes out of the passages; nothing where it is not there when it is promised."""
        words, block = [range(PORT)] * self.emitted.promise.key_words, range(8 * self.size)
        try:
            ways = list(self.passages)
        except NotCoveredError:
            return []
        return [(way, Recorded(way.control, "block_out", way.left, data(way, words, block))) for way in ways]

    def __call__(self, key: bytes, blocks: bytes) -> bytes:
        """The results; empty where there are none when they are promised, or they hang on other blocks."""
        count = len(blocks) // self.size
        lanes = Lanes(count)
        keys = [[lanes.constant(word >> k & 1) for k in range(PORT)] for word in self.emitted.key_stream(key)]
        numbers = [int.from_bytes(blocks[k : k + self.size], "big") for k in range(0, len(blocks), self.size)]
        given = bits_of_lanes(numbers, 8 * self.size)
        found = set()
        for passage, result in self.results:
            rows = lanes_of(result(lanes, data(passage, keys, given)), count)
            found.add(b"".join(row.to_bytes(self.size, "big") for row in rows))
        return found.pop() if len(found) == 1 else b""


# -- proofs ------------------------------------------------------------------------------------------


@uncollected()
def prove(traced: Program, emitted: Emitted, machine: str = "", seconds: float | None = None) -> Certificate:
    """Compare hardware with the definition that it was made of; ``seconds``: of the CPU for carrying out
    both sides, all of them if None."""
    start = time.process_time()
    simulated = Simulated(emitted, traced.block.bytes)
    found = _executed(traced, simulated, seconds)
    subject = Subject(machine, emitted.schedule, emitted.text, emitted.form, tuple(emitted.engines))
    return certified(Pair(traced, simulated), found, subject, start)


def _executed(traced: Program, simulated: Simulated, seconds: float | None) -> Found:
    """Carry out both sides."""
    emitted = simulated.emitted
    words = Words(seconds)
    key = as_bytes(words, "key", traced.key.bytes)
    block = as_bytes(words, "data", traced.block.bytes)
    try:
        wanted = definition.outputs(traced, words, key, [block], tabulated=False)
    except NotCoveredError as error:
        return Found(f"the definition: {error}")
    own = len(words.store.atoms)
    try:
        unknown = Unknown(words)
        made = [_output(emitted, unknown, key, block, passage) for passage in simulated.passages]
    except (NotCoveredError, CompilerError) as error:
        return Found(f"the {emitted.form}: {error}")
    sides = [Sides(words, wanted, one, own, (len(key), len(block))) for one in made]
    differences = [difference(wanted, one) for one in made]
    at = next((k for k, text in enumerate(differences) if text), 0)
    return Found(differences[at], CONSTANT, emitted.promise.latency, sides[at])


def _output(
    emitted: Emitted, unknown: Unknown, key: Sequence[Bits], block: Sequence[Bits], passage: Passage
) -> list[Bits]:
    keys = key_words(emitted.promise, unknown.words, key)
    course = Course(passage.control, unknown, data(passage, keys, port_of(block)))
    return block_of(course.port("block_out", passage.left))
