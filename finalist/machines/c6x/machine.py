"""The machines `c62x` and `c64x`: programs for the simulator, of a schedule in which nothing is left open."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

from finalist.errors import GraphError, ScheduleError, UnknownNameError, unknown
from finalist.ir.program import Program
from finalist.isa.allocate.linear import NoRoomError
from finalist.isa.limits import Known
from finalist.isa.lower.lowerer import Conventions
from finalist.isa.pipeline import Writing, compiled
from finalist.isa.schedule.modulo import proofs, shares
from finalist.isa.schedule.modulo.proofs import Proof, Proofs
from finalist.isa.schedule.modulo.schedulers import kept, scheduler
from finalist.isa.schedule.modulo.stored import Stored, read
from finalist.isa.simulate.run import SimulatedProgram
from finalist.isa.simulate.simulator import translator
from finalist.machines.c6x.model import processor
from finalist.machines.c6x.words import WORDS
from finalist.machines.lacking import check_values, refuse_lacking
from finalist.machines.tracing import Compiling
from finalist.machines.words import names_of
from finalist.passes.driver import run_once
from finalist.passes.pipeline import SUBKEYS, default_fuse
from finalist.schedule import Schedule, refuse_others

#: Blocks of a kernel that hands on a state, so that it is fetched and put back once for all of them.
_CHAIN = 4
_MOST_BLOCKS = 64
#: Data memory, the default first: two accesses a cycle wherever they are, or in banks.
_MEMORIES = ("flat", "banked")


class SignalProcessor(Compiling[SimulatedProgram]):
    """One of the processors, by name."""

    suffix = ".s"
    words = WORDS
    #: What is verified beside the default.
    variants = (Schedule(blocks=2), Schedule(rounds="unroll"), Schedule(key_schedule="loop"))

    def __init__(self, cpu: str, memory: str = _MEMORIES[0]) -> None:
        self.cpu, self.memory = cpu, memory
        self.name = cpu if memory == _MEMORIES[0] else f"{cpu}:memory={memory}"
        self.summary = f"TMS320{cpu.upper()[:3]}x, a VLIW signal processor of 8 units, simulated"
        self.processor = processor(cpu, banked=memory == "banked")

    def configured(self, parameters: str) -> SignalProcessor:
        """The machine with other memory, as in ``memory=banked``. Raises UnknownNameError."""
        name, _, value = parameters.partition("=")
        if name != "memory":
            raise UnknownNameError(unknown("parameter", name, ("memory",)))
        if value not in _MEMORIES:
            raise UnknownNameError(f"memory={value}; accepted: {', '.join(_MEMORIES)}")
        return SignalProcessor(self.cpu, value)

    def bound(self, cipher: str, operation: str, cycles: int, *, chained: bool = False) -> int | None:
        """The least cycles a block of all schedules of the loop whose stored one takes ``cycles``, if any."""
        begin = " ".join((self.cpu, cipher, operation))
        names = {f"{begin} chained"} if chained else {begin, f"{begin} short"}
        found = (one for one in _stored().values() if one.name in names and one.schedule.interval == cycles)
        return next((one.bound for one in found), None)

    def proofs(self, cipher: str, operation: str, more: str = "") -> tuple[Proof, ...]:
        """What is proved of rounds, of a block that waits for the one before: how far apart they can be;
        ``more``: with one more of that."""
        wanted = " ".join((self.name, cipher, operation, "chained round", *([f"+1 {more}"] if more else [])))
        return tuple(one for told in _proofs().values() for one in told if one.name == wanted)

    @property
    def known(self) -> Known:
        """What has been found out about loops, with one more of something and shared out among sides."""
        return _known()

    def describe(self) -> Mapping[str, str]:
        """The processor, and the compiler that the simulator needs. Raises CompilerError."""
        return {
            "processor": f"simulated TMS320{self.cpu.upper()[:3]}x, {self.memory} memory",
            "compiler": translator(),
        }

    def program(self, traced: Program, schedule: Schedule) -> SimulatedProgram:
        """As `compile`, of a program that is traced already. Raises ScheduleError with the reason."""
        refuse_others(schedule, names_of(self.words), self.name)
        if schedule.subkeys == "computed":
            traced = run_once(traced, (SUBKEYS,))
        full = resolved(traced, schedule)
        writing = Writing("backward", Conventions(short=True), asked=schedule.rounds is not None)
        if full.pipeline != "off":
            return self._pipelined(traced, full, writing)
        return compiled(self.name, self.processor, traced, full, writing)

    def _pipelined(self, traced: Program, full: Schedule, writing: Writing) -> SimulatedProgram:
        """With iterations of the loop over blocks that overlap, by the schedule that is stored or found.

        What is stored may be of a body that is written as if its blocks waited for each other: one whose
        values live short, where the registers are too few for those of several blocks.
        """
        chained = full.pipeline == "chained"
        last = replace(writing, scheduler=scheduler(_stored(), chained, _rounds()), chained=chained)
        try:
            if not chained:
                known = replace(writing, scheduler=kept(_stored(), chained, _rounds()))
                for one in (known, replace(known, chained=True)):
                    with suppress(NoRoomError):
                        return compiled(self.name, self.processor, traced, full, one)
            return compiled(self.name, self.processor, traced, full, last)
        except GraphError as error:
            raise ScheduleError(
                f"pipeline={full.pipeline} is not legal for {traced.cipher}: {error}"
            ) from error


@lru_cache(maxsize=1)
def _stored() -> Mapping[str, Stored]:
    """The schedules of loops that have been found, by digest (``python -m tools.loops``)."""
    return read(Path(__file__).parent / "schedules.json")


@lru_cache(maxsize=1)
def _rounds() -> Mapping[str, Stored]:
    """The schedules of rounds that have been found, by digest (``python -m tools.loops --rounds``)."""
    return read(Path(__file__).parent / "rounds.json")


@lru_cache(maxsize=1)
def _proofs() -> Proofs:
    """What is proved of rounds, by digest (``python -m tools.loops --proofs``)."""
    return proofs.read(Path(__file__).parent / "proofs.json")


@lru_cache(maxsize=1)
def _known() -> Known:
    """What has been found out about loops, by digest (``python -m tools.loops --relaxed --shares``)."""
    folder = Path(__file__).parent
    return Known(read(folder / "relaxed.json"), shares.read(folder / "shares.json"))


def resolved(traced: Program, schedule: Schedule) -> Schedule:
    """The schedule with nothing left open. Raises ScheduleError with the reason."""
    lacking = refuse_lacking(traced, schedule)
    _check_values(schedule)
    defaults = Schedule(
        blocks=_CHAIN if traced.stateful else 1,
        lookup=None if "lookup" in lacking else "load",
        fuse=default_fuse(traced),
        keyed_tables=None if "keyed_tables" in lacking else "full",
        rounds=None if "rounds" in lacking else "loop" if schedule.pipeline in (None, "off") else "unroll",
        pipeline="off",
    )
    return schedule.over(defaults)


def _check_values(schedule: Schedule) -> None:
    if schedule.blocks is not None and schedule.blocks > _MOST_BLOCKS:
        raise ScheduleError(f"blocks={schedule.blocks}: accepted is 1 to {_MOST_BLOCKS}")
    check_values(schedule, key_schedule=("loop", "unroll", "nested"), lookup=("load",))
    if schedule.pipeline not in (None, "off") and schedule.rounds not in (None, "unroll"):
        raise ScheduleError(f"rounds={schedule.rounds}: accepted with pipeline={schedule.pipeline}: unroll")


C62X, C64X = SignalProcessor("c62x"), SignalProcessor("c64x")
