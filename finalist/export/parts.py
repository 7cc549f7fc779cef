"""The programs of a library as C files: which share one, and where each key set-up stands."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from finalist.export.levels import Level
from finalist.export.padding import Padded, as_quick, padding
from finalist.ir.printer import fingerprint_of
from finalist.language.cipher import Cipher
from finalist.machines.base import MODES
from finalist.machines.native.run import NativeProgram
from finalist.machines.native.text.emit import key_struct_bytes
from finalist.machines.native.text.head import crowded, may_reassociate

#: Bytes that expanded keys are aligned at, FINALIST_LINE of the library, and those that a context is anyway.
_LINE, _ALIGNED = 64, 8
#: Bytes, at most, between a context's first member and the expanded keys, without those that align them.
_HEAD = 8
#: FINALIST_SINGLE_BYTES of the library: those of a block that it can count and chain by.
_SINGLE_BYTES = 32
#: What may call the kernel of ECB, and the core cycles a byte from which on a kernel may be shared so: with
#: counters through memory, which take 0.11 on a Zen 4 and 0.27 on Sapphire Rapids, and with chains, which
#: take 0.06. Encryption waits for each block of a chain, which memory makes a sixth longer.
_SHARING = {("ctr", "encrypt"): 5.0, ("cbc", "decrypt"): 0.6}
#: The same of scalar code, whose short words memory has to put together first: 0.6 cycles. There is less time
#: and more text where each key length has a kernel of its own.
_SCALAR = {("ctr", "encrypt"): 10.0, ("cbc", "decrypt"): 10.0}

#: A program as it is compiled for a level.
Built: TypeAlias = tuple[Level, NativeProgram]


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """One C file: a kernel with its modes, and the key set-ups of some of the key lengths that it serves.

    ``shared``: the modes that call the kernel of ECB. ``setups``: the programs whose key set-up is here;
    ``padded``: by their bits the keys that become longer ones first; ``lent``: whether other levels call it,
    or a set-up of it. ``small``: whether size comes before speed.
    """

    level: Level
    role: str
    modes: tuple[str, ...]
    programs: tuple[NativeProgram, ...]
    number: int
    shared: tuple[str, ...] = ()
    setups: tuple[NativeProgram, ...] = ()
    padded: Mapping[int, Padded] = field(default_factory=dict)
    lent: bool = False
    small: bool = False

    @property
    def name(self) -> str:
        """Its C name and file name, without the cipher's."""
        return f"{self.kind}_{self.number}" if self.number else self.kind

    @property
    def kind(self) -> str:
        """What the parts for other key lengths have in common with it: operation, level and role."""
        return f"{self.programs[0].operation}_{self.level.name}_{self.role}"

    @property
    def own_modes(self) -> tuple[str, ...]:
        """The modes that it has functions of; a small one of single blocks leaves others to the library."""
        first = self.first
        plain = first.shape.blocks == 1 and first.block_bytes <= _SINGLE_BYTES and not first.stateful
        return MODES[:1] if self.small and plain else self.modes

    @property
    def apart(self) -> tuple[str, ...]:
        """The modes with kernels of vectors of their own, in files of their own: where several share a file,
        a compiler makes fewer helpers part of each than where it stands alone, as it is measured."""
        if self.small or self.first.shape.lanes == 1:
            return ()
        own = (mode for mode in self.own_modes[1:] if mode not in self.shared)
        return tuple(mode for mode in own if (mode, self.first.operation) in _SHARING)

    @property
    def inlined(self) -> bool:
        """Whether a kernel is to be part of each mode's function: a call takes time beside a scalar one."""
        return bool(self.shared) and not self.small and self.first.shape.lanes == 1

    @property
    def key_set_ups(self) -> Sequence[int]:
        """The bits of the keys that there are set-ups for in this file."""
        return sorted({*(program.key_bits for program in self.setups), *self.padded})

    @property
    def first(self) -> NativeProgram:
        """The program whose kernel it is."""
        return self.programs[0]

    @property
    def key_bytes(self) -> int:
        """Bytes of its expanded key."""
        return key_struct_bytes(self.first.program, self.first.shape, self.first.schedule)

    @property
    def smallest(self) -> int:
        """Blocks that its smallest call works on."""
        return smallest_call(self.first)


def smallest_call(program: NativeProgram) -> int:
    """Blocks that the smallest call of a program works on."""
    shape = program.shape
    apart = shape.lanes > 1 or shape.registers or shape.chain > 1
    return shape.kernels[-1].blocks if apart else shape.blocks


@dataclass(frozen=True, slots=True)
class Serving:
    """Which messages a program is for.

    It serves from ``least`` blocks on, and is worth a key set-up of its own from ``pays`` on. Blocks that
    fill no call it does from ``rest`` on, if another program's key has to be set up for them.
    """

    least: int = 0
    pays: int = 0
    rest: int = 0


@dataclass(frozen=True, slots=True)
class Step:
    """One of the programs that messages under a key are done by, as ``serving`` says.

    Its expanded key begins at ``place``, in bytes; ``setup`` is the name of its key set-up, without the
    cipher's, and empty where an earlier step has the same expanded key.
    """

    part: Part
    serving: Serving
    place: int
    setup: str


@dataclass(frozen=True, slots=True)
class Way:
    """How one operation is done under keys of ``key_bits`` on a level, a block at a time first."""

    level: Level
    key_bits: int
    steps: tuple[Step, ...]

    @property
    def parts(self) -> tuple[Part, ...]:
        """The files of its programs."""
        return tuple(step.part for step in self.steps)

    @property
    def first_until(self) -> int | None:
        """Blocks of the longest message for which no key but the first step's is set; None: of any length."""
        if all(step.place == self.steps[0].place for step in self.steps):
            return None
        return max(self.steps[1].serving.pays - 1, 0)

    def same(self, step: Step) -> int:
        """A bit for each step that has the same expanded key."""
        return sum(1 << k for k, other in enumerate(self.steps) if other.place == step.place)

    def setup(self, step: Step) -> str:
        """The name of the key set-up that a step's expanded key comes from, perhaps an earlier step's."""
        return next(other.setup for other in self.steps if other.place == step.place)

    def last_alone(self, block_bytes: int) -> tuple[int, int, int] | None:
        """The messages for which the last step's key alone is set up, as ``least, mask, above``.

        They have at least ``least`` bytes, and after whole calls, by ``bytes & mask``, either none or more
        than ``above`` are left. None where the last step has the first one's expanded key, or where a
        remainder counts and no mask has it. A block has ``block_bytes``; a message's last may be incomplete.
        """
        step = self.steps[-1]
        call, rest = step.part.smallest * block_bytes, step.serving.rest
        if step.place == self.steps[0].place or (rest and call.bit_count() != 1):
            return None
        least = (step.serving.pays - 1) * block_bytes + 1
        return (least, call - 1, (rest - 1) * block_bytes) if rest else (least, 0, 0)

    def by_first(self, ready: int) -> int | None:
        """Blocks of the longest message that the first step does alone; None: of any length.

        ``ready``: a bit for each step whose key is set.
        """
        first, *others = self.steps
        if not ready & self.same(first):
            return 0
        return next((step.serving.least - 1 for step in others if ready & self.same(step)), None)

    @property
    def expanded_bytes(self) -> int:
        """Bytes of all expanded keys."""
        return max(step.place + step.part.key_bytes for step in self.steps)

    @property
    def key_bytes(self) -> int:
        """Bytes of a context after its first member, wherever it lies."""
        return _up(_HEAD + _LINE - _ALIGNED + self.expanded_bytes, _ALIGNED)


def steps_of(
    programs: Iterable[tuple[Built, Serving]], made: Mapping[Built, Part], setups: Mapping[Built, str]
) -> tuple[Step, ...]:
    """Of programs the steps: those with one expanded key share it."""
    found: list[Step] = []
    places: dict[object, int] = {}
    end = 0
    for own, serving in programs:
        key, part = own[1].key_form, made[own]
        setup = "" if key in places else setups[own]
        place = places.setdefault(key, _up(end, _LINE))
        end = max(end, place + part.key_bytes)
        found.append(Step(part, serving, place, setup))
    return tuple(found)


def _up(bytes_: int, unit: int) -> int:
    """So many, up to a whole number of units."""
    return -(-bytes_ // unit) * unit


@dataclass(frozen=True, slots=True)
class Plan:
    """All programs of one operation of a cipher, and the modes that there are functions of."""

    cipher: type[Cipher]
    operation: str
    modes: tuple[str, ...]
    parts: tuple[Part, ...]
    ways: tuple[Way, ...]

    @property
    def key_bytes(self) -> int:
        """Bytes of a context after its first member that serve any of the ways."""
        return max(way.key_bytes for way in self.ways)

    @property
    def adjacent(self) -> bool:
        """Whether the first steps' expanded keys follow a context's head at once, wherever in a line that is.

        Not where vectors are loaded from them, nor of a stream cipher with several steps, which all work on
        one state.
        """
        if self.cipher.stateful and any(len(way.steps) > 1 for way in self.ways):
            return False
        return all(way.steps[0].part.first.shape.scalar for way in self.ways)


@dataclass(frozen=True, slots=True, eq=False)
class _Group:
    """Programs with one kernel: those of a level, a role, and the form of their keys."""

    level: Level
    role: str
    modes: tuple[str, ...]
    programs: list[NativeProgram] = field(default_factory=list)

    @property
    def built(self) -> list[Built]:
        return [(self.level, program) for program in self.programs]


class Parts:
    """Programs gathered by what they have in common: level, role, kernel, and the form of their keys."""

    def __init__(self, cipher: type[Cipher], *, small: bool) -> None:
        self.cipher, self.small = cipher, small
        self.groups: dict[tuple[str, Level, str], dict[object, _Group]] = {}
        self.setups: dict[Built, object] = {}
        self.lent: set[Built] = set()

    def add(self, built: Built, by: Level, role: str, modes: Sequence[str], *, with_setup: bool) -> None:
        """A program in a role that a level calls, with functions of ``modes`` as far as it can have them.

        ``with_setup``: whether its key set-up is called.
        """
        level, program = built
        if by is not level:
            self.lent.add(built)
        traced = program.program
        kernel = fingerprint_of(traced.kernel)
        # Of key set-ups there is one for each length.
        written = str(replace(program.schedule, key_schedule=None))
        same = (kernel, traced.key_types, traced.key_names, program.shape, written)
        possible = tuple(mode for mode in program.possible_modes if mode in modes)
        groups = self.groups.setdefault((program.operation, level, role), {})
        programs = groups.setdefault(same, _Group(level, role, possible)).programs
        if program not in programs:
            programs.append(program)
        if with_setup:
            self.setups[built] = program.key_form

    def made(self) -> tuple[Mapping[Built, Part], Mapping[Built, str]]:
        """The part that each program is in, and the name of its key set-up. Where a level has several parts
        in a role they are numbered."""
        homes = self._homes()
        padded = {p: q for group in self._all() for p, q in self._padded(group).items()}
        called = {p: homes[(p[0], padded[p].longer) if p in padded else p] for p in self.setups}
        found: dict[Built, Part] = {}
        for kernels in self.groups.values():
            for number, group in enumerate(kernels.values(), start=1):
                own = [p for p in self.setups if called[p] in group.built]
                part = self._part(group, number, len(kernels), own, called, padded)
                found |= dict.fromkeys(group.built, part)
        return found, {p: f"{found[home].name}_key_{p[1].key_bits}" for p, home in called.items()}

    def _part(
        self,
        group: _Group,
        number: int,
        kernels: int,
        callers: Sequence[Built],
        called: Mapping[Built, Built],
        padded: Mapping[Built, Padded],
    ) -> Part:
        """``callers``: the programs whose key set-up is here, of any level."""
        setups = tuple(dict.fromkeys(called[caller][1] for caller in callers))
        filled = {p[1].key_bits: padded[p] for p in callers if p in padded}
        called_by = {group.level, *(level for level, _ in callers)}
        lent = len(called_by) > 1 or not self.lent.isdisjoint(group.built)
        first = group.programs[0]
        shared = tuple(mode for mode in group.modes if self.small or _may_share(first, mode, kernels))
        programs, modes, number = tuple(group.programs), group.modes, number if kernels > 1 else 0
        return Part(
            group.level, group.role, modes, programs, number, shared, setups, filled, lent, self.small
        )

    def _all(self) -> Iterator[_Group]:
        return (group for kernels in self.groups.values() for group in kernels.values())

    def _padded(self, group: _Group) -> dict[Built, Padded]:
        """The programs of a kernel whose keys are those of the longest, filled up; those whose own key set-up
        is quicker only where size comes first."""
        own = [built for built in group.built if built in self.setups]
        if len(own) < 2 or own[0][1].stateful:
            return {}
        longest = max((program for _, program in own), key=lambda program: program.key_bits)
        shorter = [p for p in own if p[1] is not longest and (self.small or as_quick(p[1], longest))]
        found = {p: padding(self.cipher, p[1].key_bits, longest.key_bits) for p in shorter}
        return {p: Padded(longest, fill) for p, fill in found.items() if fill is not None}

    def _homes(self) -> dict[Built, Built]:
        """For each program the one in whose file its key set-up stands: of the lowest level that has it, and
        is tuned alike."""
        homes: dict[Built, Built] = {}
        known: dict[object, list[Built]] = {}
        for group in sorted(self._all(), key=lambda group: -group.level.rank):
            for built in group.built:
                if built in self.setups:
                    own = known.setdefault(self.setups[built], [])
                    homes[built] = next((home for home in own if _serves(home, built)), built)
                    own.append(built)
        return homes


def _serves(lower: Built, own: Built) -> bool:
    """Whether a key set-up of a lower level is as good on CPUs of another: not in instructions for whole
    blocks, of which later levels need fewer, and of masks and planes only with vectors as wide: PRESENT's
    takes 1.14 times as long in SSE2 as with AVX-512, and Noekeon's, in variable shifts without BMI2, 1.11.
    Nor where a program has a form for what the level adds, as DEAL's, by DES, has for GFNI, or where the
    compiler may reassociate sums in one of them alone."""
    (below, program), (level, _) = lower, own
    as_wide = not crowded(program.shape) or level.width == below.width
    alike = level.has(below) and level.tuned == below.tuned and not level.gains(program.text, below)
    same_order = may_reassociate(program.schedule) == may_reassociate(own[1].schedule)
    return as_wide and alike and same_order and not program.shape.registers


def _may_share(program: NativeProgram, mode: str, kernels: int) -> bool:
    """Whether a mode may call the kernel of ECB, where key lengths have so many kernels."""
    scalar = program.shape.lanes == 1
    least = (_SCALAR if scalar else _SHARING).get((mode, program.operation), math.inf)
    return program.work.least_cycles >= least or (scalar and kernels > 1 and least < math.inf)


def same_keys(one: NativeProgram, many: NativeProgram) -> bool:
    """Whether the two expanded keys are the same, bit for bit."""
    return one is many or one.key_form == many.key_form
