"""What happens to a program between its definition and its text: each pass, and what it changed."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from finalist.ir.graph import Graph, TableData, every_node
from finalist.ir.memoized import uncollected
from finalist.ir.ops import Op
from finalist.ir.printer import fingerprint_of
from finalist.ir.program import Program
from finalist.ir.steps import Step, path, watching
from finalist.ir.types import storage_bits
from finalist.language.cipher import Cipher
from finalist.machines.base import FromProgram, Machine
from finalist.machines.tracing import traced
from finalist.report.counts import counted
from finalist.report.path import critical_path
from finalist.schedule import Schedule

#: What the program is called before any pass.
TRACED = "traced"


@dataclass(frozen=True, slots=True)
class Size:
    """How large a program is.

    ``key_schedule``, ``kernel``: operations of one key set-up and of one call, but for moves of words.
    ``critical_path``: of the kernel, in operations. ``blocks``: of a call. ``tables``, ``expanded_key``: in
    bytes.
    ``written``: operations and moves as they stand in both graphs, those of a loop's body once.
    """

    key_schedule: int
    kernel: int
    critical_path: int
    blocks: int
    tables: int
    expanded_key: int
    written: int


@dataclass(frozen=True, slots=True)
class Stage:
    """A program on its way: what made it, by a name that no other stage has; ``changed``: whether that did
    anything; the program's size; the program."""

    name: str
    summary: str
    file: str
    changed: bool
    size: Size
    program: Program


def stages(
    machine: Machine, cipher: type[Cipher], operation: str, key_bits: int, schedule: Schedule
) -> tuple[FromProgram, list[Stage], int]:
    """The program that a machine makes of a cipher, and the stages to it, from the traced program on.

    And how many passes ran for others, such as were tried and not taken. Raises ScheduleError.
    """
    made, taken, others = passes(machine, cipher, operation, key_bits, schedule)
    begin = taken[0].before if taken else made.program
    return made, _stages(begin, taken), others


def passes(
    machine: Machine, cipher: type[Cipher], operation: str, key_bits: int, schedule: Schedule
) -> tuple[FromProgram, list[Step], int]:
    """The program that a machine makes of a cipher, the passes that made it, each by a name that no other
    has, and how many ran besides. Raises ScheduleError."""
    with watching() as steps, uncollected():
        begin = traced(cipher, operation, key_bits)
        made = machine.compile(cipher, operation=operation, key_bits=key_bits, schedule=schedule)
    taken = path(steps, begin, made.program)
    names = _distinct(step.name for step in taken)
    named = [replace(step, name=name) for name, step in zip(names, taken, strict=True)]
    return made, named, len({id(step) for step in steps}) - len(taken)


def _stages(begin: Program, taken: Sequence[Step]) -> list[Stage]:
    measure, prints = _Measure(begin.block.bytes), dict[Graph, str]()

    def changed(before: Graph, after: Graph) -> bool:
        for graph in {before, after} - prints.keys():
            prints[graph] = fingerprint_of(graph)
        return prints[before] != prints[after]

    first = Stage(TRACED, "The definition, run on symbolic words", "", True, measure(begin), begin)
    return [first] + [
        Stage(
            step.name,
            step.summary,
            step.file,
            changed(step.before.expand, step.after.expand) or changed(step.before.kernel, step.after.kernel),
            measure(step.after),
            step.after,
        )
        for step in taken
    ]


def _distinct(names: Iterable[str]) -> Iterable[str]:
    """The names, numbered where one comes again."""
    seen: Counter[str] = Counter()
    for name in names:
        seen[name] += 1
        yield name if seen[name] == 1 else f"{name} {seen[name]}"


class _Measure:
    """The sizes of programs, of each graph once; ``block``: bytes of a block of the cipher."""

    def __init__(self, block: int) -> None:
        self.block = block
        self.operations: dict[Graph, int] = {}
        self.paths: dict[Graph, int] = {}

    def __call__(self, program: Program) -> Size:
        graphs = program.expand, program.kernel
        for graph in graphs:
            if graph not in self.operations:
                self.operations[graph] = counted(graph).total
        if program.kernel not in self.paths:
            self.paths[program.kernel] = critical_path(program.kernel)
        return Size(
            self.operations[program.expand],
            self.operations[program.kernel],
            self.paths[program.kernel],
            program.block.bytes // self.block,
            _tables(graphs),
            program.expanded_bytes,
            sum(1 for graph in graphs for _ in every_node(graph)),
        )


def _tables(graphs: Iterable[Graph]) -> int:
    """Bytes of the tables that lookups read, each once, and of arrays that begin with values."""
    nodes = list(itertools.chain.from_iterable(map(every_node, graphs)))
    tables: set[TableData] = {node.attr for node in nodes if node.op is Op.LOOKUP}
    arrays = {(node.attr, node.width) for node in nodes if node.op is Op.ARRAY and any(node.attr)}
    sizes = [(len(table.values), table.width) for table in tables]
    sizes += [(len(values), width) for values, width in arrays]
    return sum(entries * storage_bits(width) // 8 for entries, width in sizes)
