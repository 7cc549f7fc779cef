"""The host CPU: what it can do, which schedules are legal on it, and its defaults for a cipher."""

from __future__ import annotations

import platform
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path

from finalist.errors import ScheduleError
from finalist.ir.ops import CONTROL, Op
from finalist.ir.program import Program
from finalist.language.cipher import Cipher
from finalist.language.definition import trace
from finalist.machines.native import compiler
from finalist.machines.native.dialect import Vector
from finalist.machines.native.emit import Shape, emit
from finalist.machines.native.run import NativeProgram
from finalist.machines.native.spread import GROUPS, eligible
from finalist.passes.amounts import with_small_amounts
from finalist.passes import hoist, planes
from finalist.passes.analysis import KeyOnly
from finalist.passes.keying import KEYING
from finalist.passes.order import ordered
from finalist.passes.pipeline import lower
from finalist.passes.roll import rolled
from finalist.schedule import Schedule

WIDTHS = (1, 128, 256, 512)
_LANE_BITS = (32, 64)
#: Blocks (scalar) or vectors worked on side by side where nothing else is asked.
_SCALAR_COPIES, _VECTOR_COPIES = 2, 1
_MOST_BLOCKS = 4096


class Native:
    """C through the system's compiler, scalar or SIMD, one block or many."""

    name = "native"
    summary = "this computer's CPU: C by the system's compiler, scalar and SIMD"
    #: File ending of an emitted program.
    suffix = ".c"
    #: What is verified beside the default: single blocks, odd counts, each width, several vectors, keyings.
    variants = (
        Schedule(blocks=1, width=1),
        Schedule(blocks=3, width=1),
        *(Schedule(width=width) for width in WIDTHS[1:]),
        Schedule(blocks=8, width=128),
        *(Schedule(keying=depth) for depth in KEYING[1:]),
    )

    def compile(
        self, cipher: type[Cipher], *, operation: str, key_bits: int, schedule: Schedule
    ) -> NativeProgram:
        """The program under the schedule; what that leaves open is chosen here."""
        program = trace(cipher, operation, key_bits)
        program = lower(program, _or(schedule.fuse, 32), schedule.keying or "full")
        full, shape = resolve(program, schedule)
        laid_out, shape = lay_out(program, full, shape)
        text = emit(laid_out, shape, full)
        return NativeProgram(laid_out, full, text, program.block.bytes, _flags(shape))

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
        kernel = rolled(kernel, schedule.rounds if isinstance(schedule.rounds, int) else None)
    if shape.planes > 1:
        kernel = ordered(kernel)
    return program.with_graphs(program.expand, kernel), shape


def resolve(program: Program, schedule: Schedule) -> tuple[Schedule, Shape]:
    """The schedule with nothing open, and the kernel's shape. Raises ScheduleError with the reason."""
    obstacle, lane_bits = lane_obstacle(program)
    cut = schedule.planes or 1
    width = schedule.width or _default_width(schedule, obstacle, lane_bits)
    if width not in WIDTHS:
        raise ScheduleError(f"width={width}: this machine has {', '.join(map(str, WIDTHS))}")
    if width > 1 and obstacle:
        raise ScheduleError(f"width={width} is not legal for {program.cipher}: {obstacle}")
    lanes = 1 if width == 1 else width // lane_bits
    blocks = schedule.blocks or lanes * cut * _default_copies(program, lanes, cut)
    if blocks % (lanes * cut):
        shape = f"width={width}, planes={cut}"
        raise ScheduleError(f"blocks={blocks} with {shape}: accepted is a multiple of {lanes * cut}")
    _check_blocks(program, blocks)
    defaults = Schedule(blocks=blocks, width=width, planes=cut, rounds="unroll", fuse=32)
    defaults = Schedule(keying="full", lookup="load").over(defaults) if obstacle else defaults
    return schedule.over(defaults), Shape(blocks // (lanes * cut), lanes, lane_bits, cut)


def _check_blocks(program: Program, blocks: int) -> None:
    if blocks > _MOST_BLOCKS:
        raise ScheduleError(f"blocks={blocks}: accepted is 1 to {_MOST_BLOCKS}")
    control = next((n for n in program.kernel.body if n.op in CONTROL or n.op is Op.ARRAY), None)
    if control is not None and blocks > 1:
        raise ScheduleError(
            f"blocks={blocks} is not legal for {program.cipher}: it has a {control.op.label}"
            f" ({control.line}) and takes one block at a time"
        )


def lane_obstacle(program: Program) -> tuple[str, int]:
    """Why the kernel can't work on a block a lane (empty if it can), and the bits of its lanes."""
    width, count = program.block.width, program.block.count
    if width not in _LANE_BITS or count & (count - 1):
        return f"its block is {count} words of {width} bits", width
    shared = KeyOnly()
    for node in program.kernel.body:
        if not shared(node):
            reason = Vector.refusal(node, width)
            if reason:
                return reason, width
    return "", width


def _default_width(schedule: Schedule, obstacle: str, lane_bits: int) -> int:
    """The widest vectors that the CPU has and the blocks fill, else scalar code."""
    if obstacle:
        return 1
    for width in (512, 256, 128):
        lanes = width // lane_bits
        lanes *= schedule.planes or 1
        if width <= compiler.vector_bits() and (schedule.blocks or lanes) % lanes == 0:
            return width
    return 1


def _default_copies(program: Program, lanes: int, cut: int) -> int:
    control = any(n.op in CONTROL or n.op is Op.ARRAY for n in program.kernel.body)
    if control or cut > 1:
        return 1
    return _VECTOR_COPIES if lanes > 1 else _SCALAR_COPIES


MACHINE = Native()
