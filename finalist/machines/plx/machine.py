"""The machine `plx`: which schedules are legal on it, its defaults, and programs for the simulator."""

from __future__ import annotations

from collections.abc import Mapping

from finalist.errors import ScheduleError
from finalist.ir.graph import Graph, Node, every_node, origin
from finalist.ir.ops import Op
from finalist.ir.program import Program
from finalist.isa import prepare
from finalist.isa.build import Plan, build
from finalist.isa.lower import Conventions
from finalist.isa.residence import Resident, What, residents
from finalist.isa.run import SimulatedProgram
from finalist.isa.simulator import translator
from finalist.language.cipher import Cipher
from finalist.language.definition import trace
from finalist.machines.plx.model import processor
from finalist.machines.plx.parameters import Parameters, parsed
from finalist.passes import legalise, stores
from finalist.passes.chain import chained
from finalist.passes.late import with_late_parts
from finalist.passes.pipeline import default_fuse, lower
from finalist.passes.placed import with_placed_tables
from finalist.passes.roll import rolled
from finalist.passes.shared_sums import with_shared_sums
from finalist.passes.timing import CONSTANT, Execution, addresses, timing
from finalist.schedule import Schedule

#: Blocks of a kernel that hands on a state, so that it is fetched and put back once for all of them.
CHAIN = 4
_MOST_BLOCKS = 64


from finalist.passes.superwords import with_superwords
from finalist.passes.key_order import with_ordered_keys
from finalist.passes.contained import with_contained_tables
from finalist.ir.program import ByteOrder
PL=None
class Plx:
    """A RISC with in-order issue, simulated; `Parameters` say which."""

    summary = "a RISC with in-order issue and parallel table lookup, simulated; parameters after a colon"
    suffix = ".s"
    #: What is verified beside the default.
    variants = (Schedule(rounds="unroll"), Schedule(optimise="on"), Schedule(blocks=3))

    def __init__(self, parameters: Parameters | None = None) -> None:
        self.parameters = parameters or Parameters()
        self.processor = processor(self.parameters)
        told = str(self.parameters)
        self.name = "plx" + (f":{told}" if told else "")

    def configured(self, parameters: str) -> Plx:
        """The machine with these parameters. Raises UnknownNameError."""
        return Plx(parsed(parameters))

    def describe(self) -> Mapping[str, str]:
        """The processor's parameters, and the compiler that the simulator needs. Raises CompilerError."""
        told = str(self.parameters) or "one instruction a cycle, 32 bits"
        return {"processor": f"simulated, {told}", "compiler": translator()}

    def compile(
        self, cipher: type[Cipher], *, operation: str, key_bits: int, schedule: Schedule
    ) -> SimulatedProgram:
        """The program under the schedule; what that leaves open is chosen here."""
        return self.program(trace(cipher, operation, key_bits), schedule)

    def program(self, traced: Program, schedule: Schedule) -> SimulatedProgram:
        """As `compile`, of a program that is traced already."""
        full = self._resolved(traced, schedule)
        if full.optimise == "on":
            return self._best(traced, full, schedule)
        return self._compiled(traced, full, Conventions(), "levels", asked=schedule.rounds is not None)

    # -- schedules ------------------------------------------------------------------------------

    def _resolved(self, traced: Program, schedule: Schedule) -> Schedule:
        """The schedule with nothing left open. Raises ScheduleError with the reason."""
        ops = {node.op for graph in (traced.kernel, traced.expand) for node in every_node(graph)}
        for word in ("width", "planes", "skew", "word"):
            value = getattr(schedule, word)
            if value is not None:
                raise ScheduleError(f"{word}={value}: plx works on one word at a time, of its own width")
        tables = bool(ops & {Op.LOOKUP, Op.APPLY}) or any(
            node.op is Op.LOAD and node.inputs[1].op is not Op.CONST for node in every_node(traced.kernel)
        )
        self._check_lookup(traced, schedule.lookup, tables)
        lacking = {
            "fuse": default_fuse(traced) is None and "linear map",
            "keying": Op.APPLY not in ops and "keyed function",
            "rounds": not traced.kernel.rounds and "round",
        }
        for word, what in lacking.items():
            value = getattr(schedule, word)
            if what and value is not None:
                raise ScheduleError(f"{word}={value} is not legal for {traced.cipher}: it has no {what}")
        blocks = schedule.blocks or (CHAIN if traced.stateful else 1)
        if blocks > _MOST_BLOCKS:
            raise ScheduleError(f"blocks={blocks}: accepted is 1 to {_MOST_BLOCKS}")
        fast = schedule.optimise == "on"
        return schedule.over(
            Schedule(
                blocks=blocks,
                lookup=("ptlu" if self.processor.tables else "load") if tables else None,
                fuse=default_fuse(traced),
                keying=None if lacking["keying"] else "full",
                rounds=None if lacking["rounds"] or fast else "loop",
                optimise="off",
            )
        )

    def _check_lookup(self, traced: Program, lookup: str | None, tables: bool) -> None:
        if lookup is None:
            return
        if lookup not in ("load", "ptlu"):
            raise ScheduleError(f"lookup={lookup}: plx has load, and ptlu with that instruction")
        if not tables:
            raise ScheduleError(f"lookup={lookup} is not legal for {traced.cipher}: it has no table lookup")
        if lookup == "ptlu" and not self.processor.tables:
            raise ScheduleError(
                "lookup=ptlu: this processor lacks the instruction; accepted with plx:with=ptlu"
            )

    # -- programs -------------------------------------------------------------------------------

    def _best(self, traced: Program, full: Schedule, asked: Schedule) -> SimulatedProgram:
        """The program of fewest cycles among those that the schedule leaves open, each simulated."""
        rounds = [full.rounds] if asked.rounds is not None or not traced.kernel.rounds else ["unroll", "loop"]
        found = []
        for choice in rounds:
            chosen = full.over(Schedule(rounds=choice))
            for how in ("levels", "critical"):
                found.append(self._compiled(traced, chosen, Conventions(short=True), how))
        return min(found, key=lambda program: program.cycles_a_block)

    def _compiled(
        self, traced: Program, schedule: Schedule, conventions: Conventions, how: str, asked: bool = False
    ) -> SimulatedProgram:
        width = 64 if self.processor.width == 64 else 32
        fuse, blocks = schedule.fuse, schedule.blocks or 1
        program = legalise.run(chained(traced, blocks), width)
        program = lower(program, 32 if fuse is None else fuse, schedule.keying or "full")
        program = stores.run(program)
        program = prepare.run(program, width)
        kernel = with_shared_sums(with_late_parts(program.kernel))
        on_chip = schedule.lookup == "ptlu"
        if on_chip and PL is not None:
            kernel = with_contained_tables(kernel)
        elif on_chip:
            kernel = with_placed_tables(kernel, self.processor.tables, self.processor.width)
        elif self.processor.built_in:
            placed = with_placed_tables(kernel, _ANY, self.processor.width)
            kernel = placed if _tables(placed) <= self.processor.built_in else kernel
        if schedule.rounds not in (None, "unroll"):
            kernel, schedule = _looped(kernel, schedule, asked)
        program = program.with_graphs(program.expand, kernel)
        if PL is not None and on_chip:
            lanes = self.processor.width // 32
            asc = program.block.order is ByteOrder.LITTLE
            program = program.with_graphs(program.expand, with_superwords(kernel, PL, lanes, asc))
            program = with_ordered_keys(program, asc)
        chips: Mapping[What, Resident] = residents(program, self.processor) if on_chip else {}
        text = build(program, self.processor, Plan(how, conventions, chips))
        header = f"; {traced.cipher} {traced.operation}, {traced.key_bits}-bit keys, on {self.name}\n"
        header += f"; {schedule}\n"
        parts = timing(program, _execution(chips))
        if schedule.constant_time and parts.label != CONSTANT:
            raise ScheduleError(
                f"constant-time is not legal for {traced.cipher} on {self.name}: {parts.reason}"
            )
        return SimulatedProgram(program, schedule, self.processor, header + text, blocks, parts)


def _execution(chips: Mapping[What, Resident]) -> Execution:
    """A table on the chip is read without an address in memory."""

    def visible(node: Node) -> tuple[Node, ...]:
        table = node.attr if node.op is Op.LOOKUP else None
        if node.op in (Op.LOAD, Op.STORE):
            table = origin(node.inputs[0])
        return () if table in chips else addresses(node)

    return Execution(addresses=visible)


def _looped(kernel: Graph, schedule: Schedule, asked: bool) -> tuple[Graph, Schedule]:
    """Rounds as a loop; if none are alike they stay as they are, unless a loop was asked for."""
    looped = rolled(kernel, schedule.rounds if isinstance(schedule.rounds, int) else None)
    if len(looped.body) != len(kernel.body):
        return looped, schedule
    if asked:
        raise ScheduleError(
            f"rounds={schedule.rounds} is not legal for {kernel.name}: no such turns are equal"
        )
    return kernel, Schedule(rounds="unroll").over(schedule)


#: More tables than any cipher has.
_ANY = 1 << 16


def _tables(graph: Graph) -> set[object]:
    return {node.attr for node in every_node(graph) if node.op is Op.LOOKUP}


MACHINE = Plx()
