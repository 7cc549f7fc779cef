"""Tables 1 to 3 of the DSP study of the finalists beside programs for the simulated TMS320C62x and C64x.

T. Wollinger, M. Wang, J. Guajardo, C. Paar, "How Well Are High-End DSPs Suited for the AES Algorithms?"
(AES3, 2000): the finalists in C by TI's compiler, 128-bit keys. Their multi-block mode works on two or three
blocks at once, their single-block mode on one, as feedback asks for.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from itertools import product
from typing import Any

from finalist.isa.limits import Limits, limits
from finalist.isa.schedule.modulo.proofs import Proof
from finalist.isa.simulate.run import Session, SimulatedProgram
from finalist.language.definition import OPERATIONS
from finalist.machines.base import Bounding
from finalist.machines.registry import machine as find_machine
from finalist.measure.cycles import checked
from finalist.papers.load import notes_on, paper
from finalist.resumable import Resumable
from finalist.schedule import parse_schedule

MULTI, SINGLE = "multi", "single"
MODES = (MULTI, SINGLE)
#: Blocks of a message that is long enough for the loop over blocks to be full.
_BLOCKS = 24
#: Blocks whose accesses to memory are counted.
_MANY = 1024


@dataclass(frozen=True, slots=True)
class Figure:
    """What a program takes: ``cycles`` a further block of a long message, bytes of ``code`` of the
    operation, without its key schedule, and of the ``tables`` that it reads by data."""

    cycles: int
    code: int
    tables: int


@dataclass(frozen=True, slots=True)
class Theirs:
    """What the paper has of the same, None where it has nothing."""

    cycles: int | None = None
    code: int | None = None
    tables: int | None = None


@dataclass(frozen=True, slots=True)
class Cell:
    """A cipher on a machine in one direction and mode: the paper's figures and ours, and what is proved of
    the schedule: no schedule of its graph has fewer cycles than ``bound``, None where none is known.

    ``conflicts``: cycles a block in which the same program, in memory of banks, waits for one of them;
    ``limits``: what bounds its loop over blocks.
    """

    machine: str
    cipher: str
    operation: str
    mode: str
    theirs: Theirs
    ours: Figure
    schedule: str
    bound: int | None = None
    conflicts: float = 0.0
    limits: Limits | None = None

    @property
    def status(self) -> str:
        """How good the schedule is, as far as that is proved."""
        return "optimal for its graph" if self.ours.cycles == self.bound else "feasible"


def mbit_s(cycles: float) -> float:
    """10^6 bits a second at the paper's clock."""
    return float(paper("dsp")["block_bits"] * paper("dsp")["clock_mhz"] / cycles)


def pentium(cipher: str, operation: str) -> float:
    """The paper's column of the Pentium Pro at the same clock, in Mbit/s."""
    return float(paper("dsp")["tms320c6201"][cipher][operation]["pentium_pro_mbit_s"])


#: Machine, cipher, operation and mode of a cell.
Asked = tuple[str, str, str, str]


def measuring() -> Resumable[Asked, Cell]:
    """All cells of all machines; alone only those that the paper has."""
    every = product(notes_on("dsp")["machines"], notes_on("dsp")["ciphers"], OPERATIONS, MODES)
    wanted = [one for one in every if one[-1] == MULTI or published(*one).cycles is not None]
    return Resumable(_cell, wanted)


def _cell(asked: Asked) -> Cell:
    return cell(*asked)


@cache
def cell(machine: str, cipher: str, operation: str, mode: str) -> Cell:
    """One cell: of the mode's schedules that of fewest cycles. Raises VectorError, ScheduleError."""
    made = [
        (_figure(program), program, text)
        for text in notes_on("dsp")["schedules"][mode]
        for program in [_program(machine, cipher, operation, text)]
    ]
    ours, program, text = min(made, key=lambda one: one[0].cycles)
    theirs, processor = published(machine, cipher, operation, mode), find_machine(machine)
    assert isinstance(processor, Bounding)
    bound = processor.bound(cipher, operation, ours.cycles, chained=mode == SINGLE)
    waits = _counted(program, _MANY)[1] / _MANY
    bounds = (
        None if program.loop is None else limits(program.loop.problem, program.loop.schedule, processor.known)
    )
    return Cell(machine, cipher, operation, mode, theirs, ours, text, bound, waits, bounds)


def proved(cell: Cell, more: str = "") -> tuple[Proof, ...]:
    """What is proved of a cell's rounds; ``more``: with one more of that."""
    machine = find_machine(cell.machine)
    assert isinstance(machine, Bounding)
    return machine.proofs(cell.cipher, cell.operation, more)


def published(machine: str, cipher: str, operation: str, mode: str) -> Theirs:
    """The paper's figures."""
    study = paper("dsp")
    speed = _at(study, notes_on("dsp")["machines"][machine], cipher, operation, f"{mode}_block_cycles")
    if machine not in notes_on("dsp")["memory"]:
        return Theirs(speed)
    memory = study["memory_bytes_c6201"][cipher]
    return Theirs(speed, memory["program"][f"{mode}_block"][operation], memory["data_rom"][f"{mode}_block"])


def _at(found: Mapping[str, Any], *names: str) -> int | None:
    for name in names[:-1]:
        found = found.get(name, {})
    value: int | None = found.get(names[-1])
    return value


def _program(machine: str, cipher: str, operation: str, text: str) -> SimulatedProgram:
    """The program of a schedule, having reproduced vectors in memory of banks."""
    name, choices = machine + notes_on("dsp")["banked"], parse_schedule(text.split())
    made = checked(cipher, name, operation, paper("dsp")["key_bits"], choices)
    assert isinstance(made, SimulatedProgram)
    return made


def _counted(made: SimulatedProgram, blocks: int) -> tuple[int, int]:
    """Cycles of the work on so many blocks drawn at random without waits for banks, and such waits."""
    data = random.Random(0).randbytes(blocks * made.program.block.bytes)
    session = Session(made, bytes(range(made.key_bits // 8)), len(data))
    session.crypt(data)
    counts = session.counts()
    waits = counts.conflicts.get("block", 0)
    return counts.cycles["block"] - waits, waits


def _figure(made: SimulatedProgram) -> Figure:
    longer, long = (_counted(made, count)[0] for count in (_BLOCKS + 1, _BLOCKS))
    return Figure(longer - long, made.code_bytes, made.table_bytes)
