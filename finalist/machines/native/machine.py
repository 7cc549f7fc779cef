"""The host CPU: what it can do, which schedules are legal on it, and its defaults for a cipher."""

from __future__ import annotations

import platform
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path

from finalist.ir.program import Program
from finalist.language.cipher import Cipher
from finalist.language.definition import trace
from finalist.machines.native import compiler, space
from finalist.machines.native.bound import Work
from finalist.machines.native.emit import emit
from finalist.machines.native.resolve import WIDTHS, WORDS, check_rounds, check_words, resolve, words_in_use
from finalist.machines.native.run import NativeProgram
from finalist.machines.native.shape import Shape
from finalist.machines.native.spread import GROUPS, eligible
from finalist.passes import hoist, legalise, planes
from finalist.passes.amounts import with_small_amounts
from finalist.passes.keying import KEYING
from finalist.passes.order import ordered
from finalist.passes.pipeline import lower
from finalist.passes.roll import rolled
from finalist.schedule import Schedule, refuse_others

#: The words of a schedule that this machine has.
_CHOICES = ("blocks", "width", "planes", "skew", "lookup", "fuse", "keying", "rounds", "word")


class Native:
    """C through the system's compiler, scalar or SIMD, one block or many."""

    name = "native"
    summary = "this computer's CPU: C by the system's compiler, scalar and SIMD"
    #: File ending of an emitted program.
    suffix = ".c"
    #: What is verified beside the default: single blocks, odd counts, each width, loops, planes, keyings,
    #: narrow words.
    variants = (
        Schedule(blocks=1, width=1),
        Schedule(blocks=5, width=1, skew=3),
        Schedule(blocks=2, width=1, rounds="loop"),
        *(Schedule(width=width) for width in WIDTHS[1:]),
        Schedule(blocks=8, width=128),
        Schedule(width=128, planes=4, rounds="loop"),
        *(Schedule(lookup="gather", width=width) for width in (128, 256)),
        *(Schedule(keying=depth) for depth in KEYING[1:]),
        Schedule(word=WORDS[0]),
    )

    def compile(
        self, cipher: type[Cipher], *, operation: str, key_bits: int, schedule: Schedule
    ) -> NativeProgram:
        """The program under the schedule; what that leaves open is chosen here."""
        refuse_others(schedule, _CHOICES, self.name)
        traced = trace(cipher, operation, key_bits)
        in_use = words_in_use(traced)
        check_words(traced, schedule, in_use)
        narrow = legalise.run(traced, schedule.word or WORDS[-1])
        program = lower(narrow, _or(schedule.fuse, in_use.fuse or 32), schedule.keying or "full")
        full, shape = resolve(program, schedule)
        full = full.over(in_use)
        laid_out, shape = lay_out(program, full, shape)
        text = emit(laid_out, shape, full)
        return NativeProgram(
            laid_out, full, text, program.block.bytes, _flags(shape), Work.of(laid_out, shape)
        )

    def kinds(self) -> Iterator[Schedule]:
        """One schedule of each kind of layout, for the vectors that this CPU has; legal or not."""
        return space.kinds(space.widths())

    def near(self, schedule: Schedule) -> Iterator[Schedule]:
        """Schedules that differ from one in a single choice of layout."""
        return space.near(schedule)

    def describe(self) -> Mapping[str, str]:
        """Processor, compiler and flags."""
        return {
            "processor": processor(),
            "compiler": compiler.version(),
            "flags": " ".join((*compiler.STANDARD, *compiler.OPTIMISE)),
        }


def _flags(shape: Shape) -> tuple[str, ...]:
    crowded = shape.planes > 1 and compiler.available() and compiler.is_gcc()
    return (*compiler.OPTIMISE, *(compiler.CROWDED if crowded else ()))


def _or(value: int | None, default: int) -> int:
    return default if value is None else value


@cache
def processor() -> str:
    """The CPU's name for itself."""
    try:
        for line in Path("/proc/cpuinfo").read_text("utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()


def lay_out(program: Program, schedule: Schedule, shape: Shape) -> tuple[Program, Shape]:
    """The program as the schedule lays it out: planes, vector forms, rounds; and the shape it then has."""
    if shape.planes > 1:
        program = hoist.run(planes.run(program, shape.planes))
    kernel = program.kernel
    if shape.lanes >= GROUPS and eligible(kernel, shape.lane_bits, shape.planes):
        shape = replace(shape, spread=True)
    if shape.lanes > 1:
        kernel = with_small_amounts(kernel)
    if schedule.rounds != "unroll":
        looped = rolled(kernel, schedule.rounds if isinstance(schedule.rounds, int) else None)
        check_rounds(kernel, looped, schedule)
        kernel = looped
    if shape.planes > 1:
        kernel = ordered(kernel)
    return program.with_graphs(program.expand, kernel), shape


MACHINE = Native()
