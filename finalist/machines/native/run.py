"""A program as C text, compiled by the system's compiler."""

from __future__ import annotations

import ctypes
import hashlib
from functools import cached_property
from pathlib import Path

from finalist.errors import ScheduleError
from finalist.ir.printer import fingerprint_of
from finalist.ir.program import Program
from finalist.machines.base import MODES
from finalist.machines.native.binary import Binary
from finalist.machines.native.bound import Work
from finalist.machines.native.layouts import needed_macros
from finalist.machines.native.shape import Shape
from finalist.machines.native.text.emit import emit, key_fields
from finalist.machines.native.text.modes import check_modes, modes_of
from finalist.machines.native.text.names import c_name
from finalist.machines.native.vectors import logic
from finalist.machines.native.vectors.narrow import NARROW
from finalist.passes.timing import Timing
from finalist.schedule import Schedule
from finalist.toolchain.compiler import (
    PLAIN,
    PLAIN_INTRINSICS,
    build_shared_library,
    lacking,
    load_shared_library,
    vector_bits,
)


class NativeProgram(Binary):
    """One operation as compiled C. ``text`` is the source; the same text runs.

    It has a function for each of ``modes``, by default for ECB alone; `in_modes` gives others.
    """

    def __init__(
        self,
        program: Program,
        schedule: Schedule,
        shape: Shape,
        block_bytes: int,
        flags: tuple[str, ...] = (),
        modes: tuple[str, ...] = MODES[:1],
        *,
        parts: Timing,
        work: Work,
    ) -> None:
        super().__init__()
        self.program = program
        self.cipher = program.cipher
        self.operation = program.operation
        self.key_bits = program.key_bits
        self.block_bytes = block_bytes
        self.stateful = program.stateful
        self.schedule = schedule
        self.shape = shape
        self.smallest_call = shape.kernels[-1].blocks
        self.modes = modes
        self.possible_modes = modes_of(program, shape)
        check_modes(modes, program, shape)
        self.flags = flags
        #: What a byte takes at the very least.
        self.work = work
        #: The labels of key schedule and kernel; see `finalist.passes.timing`.
        self.parts = parts
        self._others: dict[tuple[str, ...], NativeProgram] = {modes: self}

    @cached_property
    def text(self) -> str:
        """The C source."""
        return emit(self.program, self.shape, self.schedule, self.parts, self.modes)

    @cached_property
    def key_form(self) -> str:  # type: ignore[override]  # hashed when first read: few programs are compared
        """A hash of what programs whose expanded keys are the same, bit for bit, have in common."""
        fields = key_fields(self.program, self.shape, self.schedule)
        form = f"{self.key_bits} {fingerprint_of(self.program.expand)} {fields}"
        return hashlib.sha256(form.encode()).hexdigest()[:16]

    @property
    def timing(self) -> str:
        """Whether its time depends on secrets: the worse label of key schedule and kernel."""
        return self.parts.label

    def in_modes(self, *modes: str) -> NativeProgram:
        """The same program with functions for these modes, in a text of its own.

        An expanded key of one serves the other. Raises UnknownNameError or ScheduleError.
        """
        if modes not in self._others:
            made = (self.program, self.schedule, self.shape, self.block_bytes, self.flags, modes)
            self._others[modes] = NativeProgram(*made, parts=self.parts, work=self.work)
        return self._others[modes]

    @property
    def statements(self) -> int:
        """Statements of the text, each table one of them."""
        return self.text.count(";\n")

    def unoptimised(self) -> NativeProgram:
        """The same text, to be compiled in a fraction of the time."""
        intrinsics = self.shape.bits == logic.BITS and self.shape.lane_bits in NARROW
        return self.compiled_with(PLAIN_INTRINSICS if intrinsics else PLAIN)

    def compiled_with(self, flags: tuple[str, ...]) -> NativeProgram:
        """The same text, to be compiled with these options."""
        made = (self.program, self.schedule, self.shape, self.block_bytes, flags, self.modes)
        other = NativeProgram(*made, parts=self.parts, work=self.work)
        other.text = self.text
        return other

    def build(self) -> Path:
        """Compile, or find compiled, the shared library.

        Raises ScheduleError for vectors that this CPU does not have: the text is good, but not here.
        """
        self._check_here()
        return build_shared_library(self.text, name=self._name, flags=self.flags)

    def _check_here(self) -> None:
        width, most = self.schedule.width or 1, vector_bits()
        if width > max(most, 1):
            raise ScheduleError(f"width={width} can't run here: this CPU has vectors of {most} bits")
        if missing := lacking(self.needs):
            choices = f"lookup={self.schedule.lookup} width={width}"
            raise ScheduleError(f"{choices} can't run here: no {', '.join(missing)} on this CPU")

    @property
    def _name(self) -> str:
        parts = (c_name(self.cipher), self.operation, str(self.key_bits))
        return "-".join((*parts, *(mode for mode in self.modes if mode != MODES[0])))

    def load(self) -> ctypes.CDLL:
        self._check_here()
        return load_shared_library(self.text, name=self._name, flags=self.flags)

    @property
    def needs(self) -> tuple[str, ...]:
        """The compiler's macros of instructions that the text can't do without."""
        return needed_macros(self.program, self.shape)
