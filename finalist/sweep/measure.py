"""The figures of one point, each of a program that has just reproduced vectors; of hardware, its estimate."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from random import Random
from typing import Any, Protocol, runtime_checkable

from finalist.cache.origin import code_digest
from finalist.ciphers.catalogue import identity
from finalist.errors import FinalistError, ScheduleError
from finalist.language.cipher import Cipher
from finalist.machines.base import CompiledProgram, Estimating
from finalist.machines.registry import machine as find_machine
from finalist.measure import bench, store
from finalist.measure.clock import SECONDS
from finalist.measure.cycles import CountsCycles, TakesMemory, checked
from finalist.measure.figure import NOT_EXECUTED, REFUSED, Figure, digest
from finalist.resumable import Resumable
from finalist.schedule import Schedule, parsed
from finalist.sweep.points import Point
from finalist.tuning import choose
from finalist.vectors.load import provenance, vectors_of

_ROOT = Path(__file__).parents[2]
#: Blocks after which a loop whose iterations overlap is in its stride.
_MANY = 64
#: A quantity, its value, its unit, and the bytes that it is of.
Value = tuple[str, float, str, int]


@runtime_checkable
class TakesCode(Protocol):
    """A program whose bytes of code and of tables are known."""

    code_bytes: int
    table_bytes: int


@dataclass(frozen=True, slots=True)
class Outcome:
    """The figures of a point; ``failed``: why there are none though there should be, else empty."""

    figures: tuple[Figure, ...]
    failed: str = ""


def is_timed(machine: str) -> bool:
    """Whether figures are times of this computer, so that nothing else may run beside."""
    return choose.tunable(machine)


def measured(point: Point, seconds: float = SECONDS) -> Outcome:
    """The figures of a point, the row that says why it is refused, or what failed."""
    cipher = point.cipher.load()
    try:
        found = tuple(_figures(cipher, point, seconds))
    except ScheduleError as error:
        # Places in Finalist's own definitions are told from its folder on, wherever that lies.
        why = " ".join(error.reason.split()).replace(f"{_ROOT}{os.sep}", "")
        found = (replace(_blank(cipher, point), quantity=REFUSED, refused=why),)
    except FinalistError as error:
        return Outcome((), f"{point}: {' '.join(str(error).split())}")
    except Exception as error:  # a mistake of Finalist's: it costs no other point its figures
        return Outcome((), f"{point}: {type(error).__name__}: {error}")
    return Outcome(tuple(replace(one, point=point.name) for one in found))


def _figures(cipher: type[Cipher], point: Point, seconds: float) -> Iterator[Figure]:
    machine, schedule = find_machine(point.machine), parsed(point.schedule)
    if is_timed(point.machine):
        yield from _timed(cipher, point, schedule, seconds)
    elif isinstance(machine, Estimating):
        yield from _estimated(cipher, machine, point, schedule)
    else:
        yield from _simulated(cipher, point, schedule)


def _blank(cipher: type[Cipher], point: Point) -> Figure:
    return Figure(
        cipher=cipher.name(),
        definition=identity(cipher),
        operation=point.operation,
        key_bits=point.key_bits,
        machine=point.machine,
        schedule=point.schedule,
        asked=point.schedule,
        quantity="",
        value=0.0,
        unit="",
        data_bytes=0,
        spread=0.0,
        timing="",
        program="",
        verified="",
        commit=bench.commit(),
        code=code_digest(),
        date=datetime.now(UTC).isoformat(timespec="seconds"),
    )


def _of_values(blank: Figure, values: Iterator[Value]) -> Iterator[Figure]:
    for quantity, value, unit, data_bytes in values:
        yield replace(blank, quantity=quantity, value=float(value), unit=unit, data_bytes=data_bytes)


# -- machines ------------------------------------------------------------------------------------------


def _timed(cipher: type[Cipher], point: Point, schedule: Schedule, seconds: float) -> Iterator[Figure]:
    many, single = schedule, None
    if schedule == Schedule():
        task = (cipher, point.operation, point.key_bits)
        found = choose.best(*task, bench.DATA_BYTES, point.machine)
        many, single = found or schedule, found and choose.best_of_one(*task, point.machine)
    take = partial(bench.bench, key_bits=point.key_bits, operations=[point.operation], seconds=seconds)
    for row in take(cipher, point.machine, schedule=many, single=single):
        yield from row.figures()


def _estimated(
    cipher: type[Cipher], machine: Estimating, point: Point, schedule: Schedule
) -> Iterator[Figure]:
    own: Mapping[str, Any] = {"operation": point.operation, "key_bits": point.key_bits}
    found = machine.estimate(cipher, schedule=schedule, **own)
    if not found.fits:
        raise ScheduleError(f"{machine.estimated} has no room for it: {found.slices} slices")
    blank = replace(_blank(cipher, point), verified=NOT_EXECUTED, environment=machine.estimated)
    size = cipher.block.bytes
    yield from _of_values(
        blank,
        iter(
            (
                ("area", found.slices, "slices", size),
                ("clock", found.mhz, "MHz", size),
                ("throughput", found.mbit_s, "Mbit/s", size),
                ("feedback throughput", found.feedback_mbit_s, "Mbit/s", size),
                ("throughput per area", 1000 * found.mbit_s / found.slices, "kbit/s per slice", size),
            )
        ),
    )


def _simulated(cipher: type[Cipher], point: Point, schedule: Schedule) -> Iterator[Figure]:
    program = checked(cipher, point.machine, point.operation, point.key_bits, schedule)
    if not isinstance(program, CountsCycles):
        raise ScheduleError(f"{point.machine} counts no cycles")
    blank = replace(
        _blank(cipher, point),
        schedule=str(program.schedule),
        timing=program.timing,
        program=digest(program.text),
        verified=provenance(vectors_of(cipher), point.key_bits),
    )
    yield from _of_values(blank, _counted(program))


def _counted(program: CompiledProgram) -> Iterator[Value]:
    """Cycles, and bytes where the machine counts them. Where blocks are worked on together, what one takes
    alone is not known."""
    assert isinstance(program, CountsCycles)
    size, overlapped = program.block_bytes, program.schedule.pipeline == "on"
    key = bytes(range(program.key_bits // 8))
    cycles = _one_more(program, key) if overlapped else program.cycles_a_block
    yield "bulk", cycles / size, "cycles per byte", size
    if not overlapped and program.schedule.blocks in (None, 1):
        yield "block", cycles, "cycles per block", size
    set_up = program.run(key, bytes(size)).figures.get("cycles of the key")
    if set_up:
        yield "key set-up", set_up, "cycles per call", program.key_bits // 8
    if isinstance(program, TakesMemory):
        memory = program.memory
        yield from (("key memory", memory.key, "bytes", 0), ("RAM", memory.ram, "bytes", 0))
        yield "code and tables", memory.rom, "bytes", 0
    elif isinstance(program, TakesCode):
        yield "code and tables", program.code_bytes + program.table_bytes, "bytes", 0


def _one_more(program: CompiledProgram, key: bytes) -> float:
    """Cycles of a block among many: without what begins and ends a loop whose iterations overlap."""
    data = Random(0).randbytes(2 * _MANY * program.block_bytes)
    few, many = (
        count * program.run(key, data[: count * program.block_bytes]).figures["cycles a block"]
        for count in (_MANY, 2 * _MANY)
    )
    return (many - few) / _MANY


def sweep(points: Sequence[Point], path: Path | None, seconds: float) -> Resumable[Point, Outcome]:
    """The figures of points, kept in the results file; those that are timed are taken alone.

    Raises ResultsError, and its runs do.
    """
    kept: dict[str, list[Figure]] = {}
    for row in store.read(path).rows:
        kept.setdefault(row.point, []).append(row)
    return Resumable(
        partial(measured, seconds=seconds),
        points,
        known={point: Outcome(tuple(kept[point.name])) for point in points if point.name in kept},
        keep=lambda _, outcome: store.append(outcome.figures, path),
        alone=lambda point: is_timed(point.machine),
    )
