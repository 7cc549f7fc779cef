"""Which schedules are legal for a program on the host CPU, and what an open choice becomes.

Every choice that is given is either followed or refused with the reason; none is ignored.
"""

from __future__ import annotations

from dataclasses import replace

from finalist.errors import ScheduleError
from finalist.ir.graph import Graph, every_node
from finalist.ir.memoized import memoized
from finalist.ir.ops import CONTROL, Op
from finalist.ir.program import Program
from finalist.machines.lacking import refuse_words
from finalist.machines.native.layouts import on_lanes
from finalist.machines.native.passes.lanes import planes
from finalist.machines.native.secrets import SCAN, at_secret_places
from finalist.machines.native.shape import Shape
from finalist.machines.native.text.block_arrays import array_obstacle, of_block
from finalist.machines.native.vectors.narrow import NARROW
from finalist.machines.native.vectors.pieces import in_pieces
from finalist.machines.native.vectors.word_permutes import LANE, VECTOR
from finalist.passes import counters, legalise
from finalist.passes.analysis import KeyOnly, handed_on
from finalist.passes.driver import run_once
from finalist.passes.pipeline import SUBKEYS, default_fuse
from finalist.passes.rounds.roll import natural_period
from finalist.schedule import Schedule, spelt
from finalist.toolchain import compiler

WIDTHS = (1, 128, 256, 512)
#: Bits of the widest word in the code; the first are lanes of vectors, the last needs nothing narrowed.
WORD_BITS = (*NARROW, 32, 64)
_SCALAR_WORD = 32
_LANE_BITS = (*NARROW, 32, 64)
_WITH_VECTORS = ("gather", "permute")
_MOST_BLOCKS = 4096
#: Planes a word where the kernel is all boolean: few enough to keep shuffles and live values few.
_PLANES = 8
#: Blocks (scalar) or vectors worked on side by side, and by how many statements each lags behind.
_SCALAR_SKEW = 8
_VECTOR_COPIES, _VECTOR_SKEW = 8, 4
#: Those that a CPU of today has at most.
_VECTOR_REGISTERS = 32
#: Bytes of blocks that come one after the other in a kernel: a word of memory.
_CHAIN = 8
#: Operations of a kernel that a CPU's cache of decoded instructions holds; most have some thousands.
_SHORT = 4000
#: Statements of a kernel that a C compiler takes without minutes.
_LONG = 8000
#: Words that a round hands on to the next, at most, and the scalar blocks that the registers then hold side
#: by side. Where one block fills them, a second one only makes both wait for memory.
_SCALAR_COPIES = ((2, 4), (8, 3))


def with_lanes(schedule: Schedule) -> Schedule:
    """The schedule with the lanes that its way of reading tables has."""
    return schedule.over(Schedule(word=NARROW[0])) if schedule.lookup == "permute" else schedule


#: Values that ask for a layout in which the kernel reads round keys from memory.
_READING_KEYS = {"lookup": ("match", "bitslice", "permute"), "planes": range(2, 65), "word": NARROW}


def with_subkeys(traced: Program, schedule: Schedule) -> tuple[Program, Schedule]:
    """The program with its round keys where the schedule wants them, and the schedule as it is then.

    Raises ScheduleError.
    """
    if schedule.subkeys != "computed":
        return traced, schedule
    for word, values in _READING_KEYS.items():
        value = getattr(schedule, word)
        if value in values:
            reason = "whose kernels take round keys from memory"
            raise ScheduleError(f"subkeys=computed is not legal with {spelt(word)}={value}, {reason}")
    return run_once(traced, (SUBKEYS,)), schedule.over(Schedule(planes=None if schedule.width == 1 else 1))


def words_in_use(traced: Program, schedule: Schedule) -> Schedule:
    """The defaults of the words that concern what not every definition has, where this one has it."""
    # On lanes of bytes a wider table is more tables, and a linear map takes less than one.
    return _words_in_use(traced, schedule.lookup == SCAN or schedule.word in NARROW)


@memoized
def _words_in_use(traced: Program, small: bool) -> Schedule:
    ops = {node.op for graph in (traced.kernel, traced.expand) for node in every_node(graph)}
    reads = ops & {Op.LOOKUP, Op.APPLY} or at_secret_places(traced.kernel) | at_secret_places(traced.expand)
    fuse = default_fuse(traced)
    return Schedule(
        lookup="load" if reads else None,
        fuse=0 if fuse and small else fuse,
        keyed_tables="full" if Op.APPLY in ops else None,
        word=WORD_BITS[-1] if legalise.widest(traced) > _SCALAR_WORD else None,
    )


#: What each of these words acts on.
_ACTS_ON = {
    "keyed_tables": "keyed function",
    "fuse": "linear map",
    "lookup": "table lookup",
    "word": f"word of more than {_SCALAR_WORD} bits",
}


def check_words(traced: Program, schedule: Schedule, in_use: Schedule) -> None:
    """Refuse words that have nothing to act on in this definition, as it was traced."""
    if schedule.optimise == "on":
        raise ScheduleError("optimise=on: of this machine `finalist tune` finds the best; accepted: off")
    if schedule.lookup in ("ptlu", "compute"):
        accepted = "load, gather, permute, match, bitslice, scan"
        raise ScheduleError(f"lookup={schedule.lookup}: accepted: {accepted}")
    if schedule.word not in (None, *WORD_BITS):
        raise ScheduleError(f"word={schedule.word}: this machine has {', '.join(map(str, WORD_BITS))}")
    lacking = {word: what for word, what in _ACTS_ON.items() if getattr(in_use, word) is None}
    if schedule.word in NARROW or (schedule.word == LANE and schedule.lookup == "permute"):
        lacking.pop("word", None)
    lacking |= {} if traced.kernel.rounds else {"rounds": "round"}
    refuse_words(traced, schedule, lacking)


def resolve(program: Program, schedule: Schedule) -> tuple[Schedule, Shape]:
    """The schedule with nothing open, and the kernel's shape. Raises ScheduleError with the reason."""
    obstacle, lane_bits = lane_obstacle(program, schedule.lookup or "load")
    width = schedule.width or _default_width(schedule, obstacle, lane_bits)
    if width not in WIDTHS:
        raise ScheduleError(f"width={width}: this machine has {', '.join(map(str, WIDTHS))}")
    if width > 1 and obstacle:
        raise ScheduleError(f"width={width} is not legal for {program.cipher}: {obstacle}")
    if width == 1 and schedule.lookup in _WITH_VECTORS:
        raise ScheduleError(
            f"lookup={schedule.lookup} reads with vectors; accepted with it: width of 128 or more"
        )
    if width == 1 and schedule.word in NARROW:
        raise ScheduleError(
            f"word={schedule.word} is not legal for {program.cipher}: "
            + (obstacle or "it is a lane of vectors; accepted with it: width of 128 or more")
        )
    if width > 1 and schedule.sums == "ready":
        raise ScheduleError(f"sums=ready with width={width} is for scalar code; accepted with it: width=1")
    if lane_bits == LANE and schedule.lookup == "permute" and width != VECTOR:
        reason = f"a permute of words takes vectors of {VECTOR} bits"
        raise ScheduleError(f"width={width}: {reason}; accepted with it: width={VECTOR}")
    lanes = 1 if width == 1 else width // lane_bits
    cut = schedule.planes or _default_planes(program, schedule, lanes)
    if cut > 1 and lanes > 1 and in_pieces(program.block.count):
        reason = f"its block is {program.block.count} words, not a power of two"
        raise ScheduleError(f"planes={cut} is not legal for {program.cipher}: {reason}; accepted: planes=1")
    if cut > 1 and carries_state(program):
        raise ScheduleError(f"planes={cut} is not legal for {program.cipher}: it has {_waiting(program)}")
    blocks = schedule.blocks or _default_blocks(program, schedule, lanes, cut)
    if blocks % (lanes * cut):
        given = f"blocks={blocks} with width={width}" + (f" planes={cut}" if cut > 1 else "")
        raise ScheduleError(f"{given}: accepted is a multiple of {lanes * cut}")
    check_blocks(program, blocks)
    shape = Shape(blocks // (lanes * cut), lanes, lane_bits, cut)
    if carries_state(program):
        shape = replace(shape, copies=1, chain=blocks)
    if schedule.skew is not None and shape.copies == 1:
        raise ScheduleError(
            f"skew={schedule.skew}: one block (or vector) at a time has nothing to lag behind"
        )
    return schedule.over(_defaults(program, shape, width)), shape


def _defaults(program: Program, shape: Shape, width: int) -> Schedule:
    """What is left open, for this shape."""
    skew = _VECTOR_SKEW if shape.lanes > 1 else _SCALAR_SKEW
    return Schedule(
        blocks=shape.blocks,
        width=width,
        planes=shape.planes if shape.planes > 1 else None,
        skew=skew if shape.copies > 1 else None,
        rounds=_default_rounds(program.kernel, shape),
    )


def _default_rounds(kernel: Graph, shape: Shape) -> int | str:
    """Long code, as that on many vectors is, stays in the CPU's caches as a loop that moves no words."""
    if shape.lanes == 1 and len(kernel.body) * shape.copies <= _SHORT:
        return "unroll"
    return natural_period(kernel) or "unroll"


def has_loop(before: Graph, after: Graph) -> bool:
    """Whether rounds were made a loop: what was written often is then written once."""
    return len(after.body) != len(before.body)


def check_rounds(before: Graph, after: Graph, schedule: Schedule) -> None:
    """Refuse a loop where no rounds could be made one."""
    if schedule.rounds == "unroll" or has_loop(before, after):
        return
    raise ScheduleError(f"rounds={schedule.rounds} is not legal for {before.name}: no such rounds are equal")


@memoized
def lane_obstacle(program: Program, lookup: str = "load") -> tuple[str, int]:
    """Why the kernel can't work on a block a lane (empty if it can), and the bits of its lanes."""
    width, count = program.block.width, program.block.count
    if width not in _LANE_BITS or (in_pieces(count) and (width in NARROW or program.counters)):
        return f"its block is {count} words of {width} bits", width
    if carries_state(program):
        return _waiting(program), width
    shared, dialect = KeyOnly(), on_lanes(width)
    reasons = (
        array_obstacle(node, width, shared)
        if of_block(node, shared)
        else dialect.refusal(node, width, lookup)
        for node in program.kernel.body
        if not shared(node)
    )
    return next(filter(None, reasons), ""), width


def _default_width(schedule: Schedule, obstacle: str, lane_bits: int) -> int:
    """The widest vectors that the CPU has and the blocks fill, else scalar code, which `sums` may ask for."""
    if obstacle or schedule.sums == "ready":
        return 1
    for width in sorted(WIDTHS[1:], reverse=True):
        together = width // lane_bits * (schedule.planes or 1)
        if width <= widest() and (schedule.blocks or together) % together == 0:
            return width
    return 1


def widest() -> int:
    """Bits of this CPU's vectors; of the commonest desktop's where no compiler is there to ask."""
    return compiler.vector_bits() if compiler.available() else 256


def _default_planes(program: Program, schedule: Schedule, lanes: int) -> int:
    """Eight where all operations have a form on planes and the blocks fill them, else none."""
    together = lanes * _PLANES
    fills = lanes > 1 and (schedule.blocks or together) % together == 0
    fills = fills and not in_pieces(program.block.count)
    return _PLANES if fills and not planes.obstacle(program, _PLANES) else 1


def _default_blocks(program: Program, schedule: Schedule, lanes: int, cut: int) -> int:
    if carries_state(program):
        return max(1, _CHAIN // program.block.bytes)
    return lanes * cut * _default_copies(program, schedule, lanes, cut)


def _default_copies(program: Program, schedule: Schedule, lanes: int, cut: int) -> int:
    if cut > 1 or _control(program):
        return 1  # one block's words fill the registers
    if lanes > 1 and program.block.width in NARROW:  # here as well, unless they lie in memory
        return 2 if any(node.op is Op.ARRAY for node in program.kernel.body) else 1
    if lanes > 1 and program.counters:  # which have no block to wait for: what waits is the registers
        words = max(1, handed_on(program.kernel, KeyOnly("key", "counter")))
        return next(n for n in (_VECTOR_COPIES, 4, 2, 1) if n == 1 or n * words <= _VECTOR_REGISTERS)
    if lanes > 1:
        # Permutes want as many for the rows of a table and what they find there.
        room = _VECTOR_REGISTERS // 2 if schedule.lookup == "permute" else _VECTOR_REGISTERS
        fit = [n for n in (_VECTOR_COPIES, 4, 2) if n * program.block.count <= room]
        return next((n for n in fit if n * len(program.kernel.body) <= _LONG), 1)
    words = handed_on(program.kernel, KeyOnly())
    return next((copies for most, copies in _SCALAR_COPIES if words <= most), 1)


def carries_state(program: Program) -> bool:
    """Whether the kernel has a state that is carried from block to block, so that each waits for the last."""
    return program.stateful and not program.counters


def _waiting(program: Program) -> str:
    """Why blocks of a stream cipher wait for one another."""
    return counters.obstacle(program) or "state that each block hands on to the next"


def _control(program: Program) -> str:
    """What in the kernel is written for one block at a time; empty if nothing."""
    return next((f"a {n.op.label} ({n.line})" for n in program.kernel.body if n.op in CONTROL), "")


def check_blocks(program: Program, blocks: int) -> None:
    """Refuse more blocks a call than there may be, or than the kernel can work on side by side."""
    if blocks > _MOST_BLOCKS:
        raise ScheduleError(f"blocks={blocks}: accepted is 1 to {_MOST_BLOCKS}")
    control = "" if carries_state(program) else _control(program)
    if control and blocks > 1:
        raise ScheduleError(
            f"blocks={blocks} is not legal for {program.cipher}: it has {control} and takes one at a time"
        )
