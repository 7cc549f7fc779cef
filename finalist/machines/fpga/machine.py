"""Field-programmable gate arrays as a machine: what is emitted, under which schedules."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Unpack

from finalist.cache.folder import cache_folder
from finalist.errors import ScheduleError
from finalist.ir.memoized import memoized, uncollected
from finalist.ir.ops import Op
from finalist.ir.printer import fingerprint
from finalist.ir.program import Program
from finalist.language.cipher import Cipher
from finalist.licence import SPDX_LINE
from finalist.machines.base import Asked, Placed
from finalist.machines.fpga import part
from finalist.machines.fpga.architecture import Architecture, every, parse
from finalist.machines.fpga.boards import board as boards
from finalist.machines.fpga.boards import place
from finalist.machines.fpga.datapath.design import build
from finalist.machines.fpga.datapath.lower import lower
from finalist.machines.fpga.datapath.slots import split
from finalist.machines.fpga.keys.unit import PORT, Keys
from finalist.machines.fpga.mapping import circuits, mapped
from finalist.machines.fpga.model import estimate
from finalist.machines.fpga.model.estimate import Hop
from finalist.machines.fpga.signals import Design
from finalist.machines.fpga.simulation.run import Hardware
from finalist.machines.fpga.simulation.simulator import simulator
from finalist.machines.fpga.text import verilog, vhdl
from finalist.machines.fpga.words import WORDS
from finalist.machines.tracing import traced
from finalist.machines.words import names_of
from finalist.netlist.emitted import Emitted
from finalist.passes.lanes import nibbles
from finalist.schedule import Schedule, refuse_others
from finalist.version import VERSION

_DEFAULTS = Schedule(architecture="LU-1", language="verilog", key_schedule="load", directions="one")
#: Those that a design may have both of, in the order of the port that says which.
OPERATIONS = ("encrypt", "decrypt")
#: Where round keys come from.
_KEYS = ("load", "chip")
#: What a design may be made for.
_MADE_FOR = (None, "size", "speed")
_WRITERS = {"verilog": verilog.emit, "vhdl": vhdl.emit}


class Fpga:
    """Data paths in Verilog and VHDL: n rounds unrolled, pipelined, sub-pipelined."""

    name = "fpga"
    summary = "programmable hardware: LU-n, PP-n, SP-n-m data paths in Verilog and VHDL, simulated"
    #: File ending of an emitted program.
    suffix = ".v"
    #: The words of a schedule that it has.
    words = WORDS
    #: What is verified beside the default.
    variants = (
        Schedule(language="vhdl"),
        Schedule(architecture="PP-2"),
        Schedule(architecture="SP-1-1", language="vhdl"),
    )

    #: What `estimate` and `map` are of.
    estimated = "virtex-4"
    parts = place.PARTS
    #: What `netlist` reads.
    forms = (circuits.TEXT, circuits.MAPPED)

    def compile(self, cipher: type[Cipher], *, operation: str, key_bits: int, schedule: Schedule) -> Hardware:
        """The data path under the schedule. Raises ScheduleError with the reason where there is none."""
        other = OPERATIONS[operation == OPERATIONS[0]] if schedule.directions == "both" else None
        inverse = traced(cipher, other, key_bits) if other else None
        return self.program(traced(cipher, operation, key_bits), schedule, inverse)

    def program(self, traced: Program, schedule: Schedule, inverse: Program | None = None) -> Hardware:
        """As `compile`, of a program that is traced already; with `directions=both`, also its ``inverse``."""
        return _compiled(traced, schedule, inverse)

    def estimate(self, cipher: type[Cipher], **asked: Unpack[Asked]) -> estimate.Estimate:
        """Area and clock on the part of the published tables, without any tool, in about a second."""
        return self.compile(cipher, **asked).estimate

    def critical_path(self, cipher: type[Cipher], **asked: Unpack[Asked]) -> tuple[Hop, ...]:
        """What bounds the clock, by estimate, from the first cell to the last. Raises ScheduleError."""
        return estimate.critical_path(self.compile(cipher, **asked).design)

    def map(self, cipher: type[Cipher], **asked: Unpack[Asked]) -> mapped.Figures:
        """Area and clock of the netlist that Yosys maps, which has just reproduced 64 blocks; kept once made.

        Raises ScheduleError for VHDL, and for what does not fit the part; CompilerError where Yosys is
        missing or fails; VectorError where the netlist is wrong.
        """
        program = self.compile(cipher, **asked)
        found = mapped.of(program, self.netlists())
        room = part.virtex()
        if found.slices > room.slices:
            raise ScheduleError(
                f"{program.name} does not fit {room.name}: {found.slices} slices, it has {room.slices}"
            )
        return found

    def known(self, cipher: type[Cipher], **asked: Unpack[Asked]) -> mapped.Figures | None:
        """What `map` found for this design before, on this computer or on that of who published; None if
        nothing."""
        return mapped.kept(self.compile(cipher, **asked), self.netlists())

    def netlist(self, traced: Program, schedule: Schedule, form: str) -> Emitted:
        """What proofs carry out, in one of ``forms``; kept once made. Raises ScheduleError for VHDL,
        CompilerError where Yosys is missing or fails."""
        return circuits.emitted(self.program(traced, schedule), form, self.netlists())

    @staticmethod
    def netlists() -> Path:
        """The folder in which what was mapped is kept."""
        return cache_folder() / "netlists"

    def check_tools(self, part: str) -> None:
        """Raise CompilerError where a tool that `place` needs is missing; UnknownNameError for a part."""
        place.check_tools(part)

    def place(self, cipher: type[Cipher], *, part: str, seed: int, **asked: Unpack[Asked]) -> Placed:
        """Placed and routed by nextpnr, from a netlist that has just reproduced 64 blocks; kept once made.

        Raises UnknownNameError for a part that is not in `place.PARTS`; ScheduleError where the design does
        not fit, or is VHDL; CompilerError where a tool is missing or fails; VectorError.
        """
        return place.place(self.compile(cipher, **asked), part, seed, self.netlists())

    def board(self, cipher: type[Cipher], *, board: str, **asked: Unpack[Asked]) -> Mapping[str, str]:
        """Verilog with a top level of few wires, pins, commands. Raises UnknownNameError, ScheduleError."""
        return boards.texts(self.compile(cipher, **asked), board)

    def architectures(self, cipher: type[Cipher], operation: str, key_bits: int) -> list[str]:
        """All that the cipher's number of rounds allows, with up to two registers inside a round."""
        program = lower(traced(cipher, operation, key_bits))
        return [str(one) for one in every(len(split(program.kernel, program.cipher).segments))]

    def describe(self) -> Mapping[str, str]:
        """The simulator. Raises CompilerError where there is none."""
        return {"simulator": simulator("verilog").version()}


@memoized
def _compiled(traced: Program, schedule: Schedule, inverse: Program | None) -> Hardware:
    refuse_others(schedule, names_of(WORDS), MACHINE.name)
    full = schedule.over(_DEFAULTS)
    architecture = parse(str(full.architecture))
    both = _both(traced, inverse) if full.directions == "both" else [traced]
    full = full.over(Schedule(lookup=_lookup(both, full)))
    if full.key_schedule not in _KEYS:
        raise ScheduleError(
            f"key-schedule={full.key_schedule}: fpga has load (round keys come from outside) and chip"
        )
    if full.optimise not in _MADE_FOR:
        raise ScheduleError(
            f"optimise={full.optimise}: accepted: size (fewer slices), speed (a quicker clock)"
        )
    compute, chip = full.lookup == "compute", full.key_schedule == "chip"
    programs = [lower(one, compute=compute, chip=chip) for one in both]
    memories = full.lookup == "blockram"
    aims = dict.fromkeys((None, full.optimise))
    with uncollected():
        made = [
            build(programs, architecture, memories=memories, chip=chip, compute=compute, optimise=aim)
            for aim in aims
        ]
        estimates = [estimate.of(design) for design, _ in made]
    (design, keys), found = _best(made, estimates, full.optimise)
    name = module_name(programs, architecture)
    write = _WRITERS[str(full.language)]

    def text() -> str:
        return write(design, name, header(programs, architecture, design, keys, found))

    return Hardware(programs, traced.operation, full, design, keys, name, text, found)


def _best(
    made: Sequence[tuple[Design, Keys]], estimates: Sequence[estimate.Estimate], optimise: str | None
) -> tuple[tuple[Design, Keys], estimate.Estimate]:
    """The design that a schedule asks for; what was made for it is not always better than what was not."""
    by_size = optimise == "size"
    found = zip(made, estimates, strict=True)
    return min(found, key=lambda one: one[1].slices if by_size else -one[1].mhz)


def _both(traced: Program, inverse: Program | None) -> list[Program]:
    """Both operations of a cipher, in the order of the port that says which."""
    if inverse is None:
        raise ScheduleError("directions=both of one program: accepted with a cipher, which has both")
    return sorted((traced, inverse), key=lambda program: OPERATIONS.index(program.operation))


def _lookup(programs: Sequence[Program], schedule: Schedule) -> str | None:
    """How tables are read: asked for, or computed where some are networks of small ones; None without any."""
    kernels = [lower(program, compute=False).kernel for program in programs]
    name, found = programs[0].cipher, any(nibbles.tables_in_logic(kernel) for kernel in kernels)
    has_tables = any(node.op is Op.LOOKUP for kernel in kernels for node in kernel.body)
    if schedule.lookup is None:
        return "compute" if found else "load" if has_tables else None
    if schedule.lookup not in ("load", "compute", "blockram"):
        raise ScheduleError(
            f"lookup={schedule.lookup}: fpga has load (tables in logic), compute and blockram"
        )
    if not has_tables:
        raise ScheduleError(f"lookup={schedule.lookup} is not legal for {name}: it has no table lookup")
    if schedule.lookup == "compute" and not found:
        raise ScheduleError(f"lookup=compute is not legal for {name}: no table is a network of smaller ones")
    return schedule.lookup


def module_name(programs: Sequence[Program], architecture: Architecture) -> str:
    """Such as ``rc6_encrypt_pp_2``, or ``rc6_both_pp_2``."""
    operation = programs[0].operation if len(programs) == 1 else "both"
    text = f"{programs[0].cipher}_{operation}_{architecture}".lower()
    return re.sub(r"\W+", "_", text, flags=re.ASCII)


def header(
    programs: Sequence[Program],
    architecture: Architecture,
    design: Design,
    keys: Keys,
    found: estimate.Estimate,
) -> list[str]:
    """What a reader of the file has to know."""
    blocks, turns, program = len(design.stages), design.turns, programs[0]
    rams = f" and {found.block_rams} block RAMs" if found.block_rams else ""
    operations = " and ".join(each.operation for each in programs)
    return [
        f"{program.cipher}, {operations}, {program.key_bits}-bit keys, architecture {architecture}",
        f"Finalist {VERSION}, program {' and '.join(map(fingerprint, programs))}",
        SPDX_LINE,
        "",
        "Blocks: block_in is taken at a rising edge of clk with start and ready high; the first byte of a",
        "block is in the highest bits. Its result is in block_out, with valid high for one cycle,",
        f"{design.latency} cycles later. {_rate(blocks, turns)}",
        *_directions(design),
        *_key_port(program, design, keys),
        *_fields(keys),
        "",
        f"Estimated for {part.virtex().name}:",
        f"{found.slices} slices{rams}{'' if found.fits else ', more than it has'},"
        f" {found.mhz:.1f} MHz;"
        " ns from register to register:",
        *_delays(design, found),
    ]


def _directions(design: Design) -> list[str]:
    """How a block says which way it goes."""
    both = "With decrypt high then it is decrypted; blocks of both kinds may follow one another."
    return [both] if design.both else []


def _key_port(program: Program, design: Design, keys: Keys) -> list[str]:
    """How a key gets in."""
    unit, at = design.key_unit, "one at each rising edge of clk with"
    if unit is None:
        return [
            f"Round keys: {keys.bits // PORT} words of {PORT} bits, {at}",
            "key_load high, in the order of keys[31:0], keys[63:32], ... What is under way then is"
            " discarded,",
            "as with reset.",
        ]
    each = f"{unit.steps} steps of {unit.clocks} cycles" if unit.clocks > 1 else f"{unit.steps} cycles"
    rest = PORT - program.key_bits % PORT
    return [
        f"Key: {unit.key.width // PORT} words of {PORT} bits, {at}",
        "key_load high, the first byte of the key in the highest bits of the first"
        + (f"; the lowest {rest} of the last count for nothing." if rest < PORT else "."),
        f"The round keys are made in the {each} after that, in which ready is low.",
        "What is under way when a key is written is discarded, as with reset; reset leaves keys as they are.",
    ]


def _rate(blocks: int, turns: int) -> str:
    together = f"{blocks} blocks are under way at once" if blocks > 1 else "One block is under way at a time"
    return f"{together}; one in {turns} cycles." if turns > 1 else f"{together}; one in every cycle."


def _delays(design: Design, found: estimate.Estimate) -> list[str]:
    stages = zip(design.stages, found.stages, strict=True)
    lines = [f"stage {place}, {stage.title}: {ns:.1f}" for place, (stage, ns) in enumerate(stages)]
    return lines + ([f"key schedule: {found.key_schedule:.1f}"] if design.key_unit else [])


def _fields(keys: Keys) -> list[str]:
    """Where the arrays of the expanded key lie, one line an array."""
    by_name: dict[str, list[tuple[int, int, int]]] = {}
    for name, number, low, width in keys.fields:
        by_name.setdefault(name, []).append((number, low, width))
    return [
        f"{name}[{words[0][0]}] to {name}[{words[-1][0]}]: {words[0][2]} bits each, from bit {words[0][1]}"
        for name, words in by_name.items()
    ]


MACHINE = Fpga()
