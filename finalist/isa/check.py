"""Whether code keeps the rules of its processor, and does what its instructions do one after the other.

Written from the processor's data alone: nothing here knows how an order was found. `rules` follows
instruction words along all ways through a program, with what is under way; `same` executes a basic block
twice on the same random words, instruction by instruction and packet by packet, and compares what registers
and memory are then.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from finalist.ir.ops import Op
from finalist.isa.assembly.decoder import Decoded
from finalist.isa.code import Ins
from finalist.isa.target.instruction import Effect
from finalist.isa.target.meaning import Flow, Term, constant, evaluate, operand
from finalist.isa.target.processor import Processor
from finalist.isa.target.registers import Register

# -- rules -------------------------------------------------------------------------------------------


def rules(
    code: Mapping[int, Decoded],
    entries: Sequence[int],
    processor: Processor,
    given: Iterable[Register] = (),
) -> list[str]:
    """What is wrong with a program of instruction words, as lines that say where; nothing where all is
    right.

    ``given``: registers that a caller has written, beside those that are reserved.
    """
    found = _Rules(code, processor)
    return sorted({*found.all(entries), *found.unwritten(entries, given)})


@dataclass(frozen=True, slots=True)
class _State:
    """Where the program is, and what is under way: results and branches by the cycles until they are
    there."""

    place: int
    results: tuple[tuple[int, Register], ...] = ()
    #: Targets; of branches that may not be taken, the complements.
    branches: tuple[tuple[int, int], ...] = ()
    #: Cycles more in which nothing is issued.
    idle: int = 0


class _Rules:
    def __init__(self, code: Mapping[int, Decoded], processor: Processor) -> None:
        self.code, self.processor = code, processor
        self.first = next(iter(processor.files))
        #: Where each state can go on.
        self.nexts: dict[_State, list[_State]] = {}
        #: By its place each packet, and the place after it.
        self.packets: dict[int, list[Decoded]] = {}
        self.after: dict[int, int] = {}
        start = None
        for place, one in code.items():
            start = place if start is None else start
            self.packets.setdefault(start, []).append(one)
            self.after[start] = place + one.length
            start = start if one.chained else None

    def all(self, entries: Sequence[int]) -> Iterator[str]:
        for place, packet in self.packets.items():
            yield from self._resources(place, packet)
        waiting = [_State(place) for place in entries]
        seen = set(waiting)
        while waiting:
            state = waiting.pop()
            if state.place not in self.packets and not state.idle:
                yield f"{state.place}: no packet begins there"
                continue
            found, nexts = self._step(state)
            yield from found
            self.nexts[state] = nexts
            new = set(nexts) - seen
            seen |= new
            waiting += new

    def _resources(self, place: int, packet: Sequence[Decoded]) -> Iterator[str]:
        if len(packet) > self.processor.issue:
            yield f"{place}: {len(packet)} instructions in a cycle; accepted: {self.processor.issue}"
        yield from self._taken(place, packet)
        if sum(one.instruction.cycles > 1 for one in packet) > 1:
            yield f"{place}: instructions of several cycles are issued together"
        most, fetch = self.processor.reads, self.processor.fetch
        for register, count in Counter(r for one in packet for r in self._read(one)).items():
            if most and count > most:
                yield f"{place}: {self._written(register)} is read {count} times in a cycle; accepted: {most}"
        last = self.after[place] - 1
        if fetch and not self.processor.crossing and place // fetch != last // fetch:
            yield f"{place}: what is issued together is fetched in two parts"

    def _taken(self, place: int, packet: Sequence[Decoded]) -> Iterator[str]:
        """Units and paths that are taken too often; over a shared path one register is read as often as may
        be."""
        users: dict[str, list[Decoded]] = {}
        for one in packet:
            for resource in one.issue.way.resources:
                users.setdefault(resource, []).append(one)
        for resource, taking in users.items():
            count = len(taking)
            if resource in self.processor.shared:
                count = len({register for one in taking for register in one.across()})
            if count > self.processor.unit_count(resource):
                yield f"{place}: {resource} is taken {count} times in a cycle"

    def unwritten(self, entries: Sequence[int], given: Iterable[Register]) -> Iterator[str]:
        """Registers that are read and, on some path there, were never written.

        A forward data-flow analysis of what is written on all paths (definite assignment). A result that is
        still in flight is not there; a write under a condition counts as one.
        """
        files = self.processor.files
        reserved = {
            (name, n) for name, file in files.items() for n in (*file.reserved, file.zero) if n is not None
        }
        known = dict.fromkeys(map(_State, entries), frozenset({*reserved, *given}))
        waiting = list(known)
        while waiting:
            state = waiting.pop()
            after = known[state] | {register for later, register in self._results(state) if later == 1}
            for then in self.nexts.get(state, ()):
                there = known[then] & after if then in known else after
                if known.get(then) != there:
                    known[then] = there
                    waiting.append(then)
        for state, written in known.items():
            for register in set(self._needed(state)) - written:
                name = self._written(register)
                yield f"{state.place}: {name} is read, and on some way there nothing was written to it"

    def _needed(self, state: _State) -> Iterator[Register]:
        """The registers read in a cycle, those of predicates too."""
        for one in self._issued(state):
            yield from self._read(one)
            if one.issue.condition:
                assert self.processor.predicates is not None
                yield self.processor.predicates.tested(one.issue.condition)[0]

    def _issued(self, state: _State) -> Sequence[Decoded]:
        return () if state.idle else self.packets.get(state.place, ())

    def _read(self, one: Decoded) -> list[Register]:
        operands = (o for o in one.instruction.operands if o.read)
        return [(one.file(o.name) or self.first, one.values[o.name]) for o in operands]

    def _step(self, state: _State) -> tuple[list[str], list[_State]]:
        """What is wrong in a cycle, and where it can go on."""
        packet = self._issued(state)
        results, branches = self._results(state), list(state.branches)
        for one in packet:
            for effect in one.instruction.effects(one.values):
                if effect.value.op is Flow.BRANCH:
                    assert one.target is not None
                    always = effect.value.args[0] == constant(1) and not one.issue.condition
                    branches.append((effect.latency, one.target if always else ~one.target))
        wrong = [
            f"{state.place}: {self._written(register)} is written {count} times in the cycle {later} later"
            for (later, register), count in _collisions(results, len(state.results)).items()
            if register[1] < 0 or register[1] != self.processor.files[register[0]].zero
        ]
        when = [later for later, _ in branches]
        wrong += [
            f"{state.place}: {count} branches are carried out in the cycle {later} later"
            for later, count in _collisions(when, len(state.branches)).items()
        ]
        if any(one.instruction.flow is Flow.HALT for one in packet):
            return wrong, []
        left = tuple(sorted((later - 1, register) for later, register in results if later > 1))
        under_way = tuple(sorted((later - 1, target) for later, target in branches if later > 1))
        idle = state.idle - 1 if state.idle else max(one.instruction.cycles for one in packet) - 1
        nexts = [_State(state.place if state.idle else self.after[state.place], left, under_way, idle)]
        for target in (target for later, target in branches if later == 1):
            there = _State(target if target >= 0 else ~target, left, under_way)
            nexts = [there] if target >= 0 else [*nexts, there]
        return wrong, nexts

    def _results(self, state: _State) -> list[tuple[int, Register]]:
        """What is under way, those first that have been before, with what is issued."""
        results = list(state.results)
        for one in self._issued(state):
            results += [(later + 1, (port, -1)) for port, later in one.issue.way.later]
            for effect in one.instruction.effects(one.values):
                if effect.target:
                    register = (one.file(effect.target) or self.first, one.values[effect.target])
                    results.append((effect.latency, register))
        return results

    def _written(self, register: Register) -> str:
        file, number = register
        return file if number < 0 else self.processor.files[file].written(number)


T = TypeVar("T")


def _collisions(items: Sequence[T], known: int) -> dict[T, int]:
    """What is there several times, and not only among the first ``known``, and how often."""
    counts = Counter(items)
    return {item: counts[item] for item in items[known:] if counts[item] > 1}


# -- equality ----------------------------------------------------------------------------------------


def same(before: Sequence[Ins], after: Sequence[Ins], processor: Processor, seed: int = 0) -> bool:
    """Whether packets leave registers and memory as the instructions do one after the other.

    ``before``: of a basic block, on registers; ``after``: the same in packets. What is still under way at the
    end counts as not there.
    """
    one, other = _Machine(processor, seed), _Machine(processor, seed)
    for ins in before:
        one.packet([ins])
        one.settle()
    packet: list[Ins] = []
    for ins in after:
        if packet and not (ins.issue and ins.issue.parallel):
            other.packet(packet)
            packet = []
        packet.append(ins)
    if packet:
        other.packet(packet)
    other.arrive()
    return (one.registers, one.memory, one.taken) == (other.registers, other.memory, other.taken)


@dataclass
class _Machine:
    """Registers and memory of which every place holds some random number, always the same for one seed."""

    processor: Processor
    seed: int
    registers: dict[Register, int] = field(default_factory=dict)
    memory: dict[object, int] = field(default_factory=dict)
    taken: list[bool] = field(default_factory=list)
    pending: list[tuple[int, Register, int]] = field(default_factory=list)
    cycle: int = 0

    def packet(self, packet: Sequence[Ins]) -> None:
        """A cycle."""
        self.arrive()
        stores: list[tuple[object, int]] = []
        changes: list[tuple[int, Register, int]] = []
        for ins in packet:
            if self._executed(ins):
                for effect in ins.instruction.effects(self._operands(ins)):
                    self._effect(ins, effect, stores, changes)
        for place, value in stores:
            self.memory[place] = value
        self.pending += changes
        self.cycle += max(ins.instruction.cycles for ins in packet)

    def settle(self) -> None:
        """All results are there."""
        self.cycle += 1 + max((at - self.cycle for at, _, _ in self.pending), default=0)
        self.arrive()

    def arrive(self) -> None:
        """Results of which the cycle has come."""
        for _, register, value in (p for p in self.pending if p[0] <= self.cycle):
            self.registers[register] = value
        self.pending = [p for p in self.pending if p[0] > self.cycle]

    def _effect(
        self,
        ins: Ins,
        effect: Effect,
        stores: list[tuple[object, int]],
        changes: list[tuple[int, Register, int]],
    ) -> None:
        meaning = effect.value
        if effect.target:
            place = [o.name for o in ins.instruction.operands].index(effect.target)
            register = (ins.files[place] if ins.files else "", int(ins.operands[place]))
            changes.append((self.cycle + effect.latency, register, self._value(ins, meaning)))
        elif meaning.op is Op.STORE:
            where, value = (self._value(ins, arg) for arg in meaning.args)
            stores.append(((ins.access, meaning.attr, where), value))
        elif meaning.op is Flow.BRANCH:
            self.taken.append(bool(self._value(ins, meaning.args[0])))

    def _operands(self, ins: Ins) -> dict[str, Term | int]:
        found: dict[str, Term | int] = {}
        for k, o in enumerate(ins.instruction.operands):
            if o.is_register:
                register = (ins.files[k] if ins.files else "", int(ins.operands[k]))
                found[o.name] = constant(self._register(register))
            elif o.kind != "target":
                value = int(ins.operands[k])
                found[o.name] = value if o.values else constant(value)
            else:
                found[o.name] = operand(o.name)
        return found

    def _register(self, register: Register) -> int:
        if register not in self.registers:
            self.registers[register] = self._random(register)
        return self.registers[register]

    def _executed(self, ins: Ins) -> bool:
        if ins.issue is None or not ins.issue.condition:
            return True
        assert self.processor.predicates is not None
        register, sense = self.processor.predicates.tested(ins.issue.condition)
        return bool(self._register(register)) == sense

    def _value(self, ins: Ins, meaning: Term) -> int:
        def outside(term: Term, values: tuple[int, ...]) -> int:
            place = (ins.access, term.attr, values[0])
            return int(self.memory.get(place, self._random(place) & (1 << 8 * term.attr) - 1))

        return evaluate(meaning, {}, self.processor.width, outside)

    def _random(self, what: object) -> int:
        return random.Random(f"{self.seed} {what}").getrandbits(self.processor.width)
