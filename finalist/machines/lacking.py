"""Words of schedules about what a cipher does not have: refused on every simulated processor."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from finalist.errors import ScheduleError
from finalist.ir.graph import every_node
from finalist.ir.ops import Op
from finalist.ir.program import Program
from finalist.passes.pipeline import default_fuse
from finalist.schedule import Schedule, spelt


def refuse_lacking(traced: Program, schedule: Schedule) -> frozenset[str]:
    """The words, as `Schedule` has them, that mean nothing for a program. Raises ScheduleError where the
    schedule has one."""
    lacking = _lacking(traced)
    refuse_words(traced, schedule, lacking)
    return frozenset(lacking)


def refuse_words(traced: Program, schedule: Schedule, lacking: Mapping[str, str]) -> None:
    """Raise ScheduleError where a schedule has a word that acts on what a program is ``lacking``."""
    for word, what in lacking.items():
        value = getattr(schedule, word)
        if value is not None:
            raise ScheduleError(f"{spelt(word)}={value} is not legal for {traced.cipher}: it has no {what}")


def check_values(schedule: Schedule, *, nested: bool = False, **accepted: Sequence[str]) -> None:
    """Raise ScheduleError where a word, as `Schedule` has it, has a value that is not among those accepted;
    and for ``nested`` rounds, which few machines have."""
    for word, values in accepted.items():
        value = getattr(schedule, word)
        if value is not None and value not in values:
            raise ScheduleError(f"{spelt(word)}={value}: accepted: {', '.join(values)}")
    if schedule.rounds == "nested" and not nested:
        raise ScheduleError("rounds=nested: accepted: loop, unroll, or the rounds in one iteration")


def without(traced: Program) -> frozenset[str]:
    """The words, as `Schedule` has them, that mean nothing for a program."""
    return frozenset(_lacking(traced))


def reads_tables(traced: Program) -> bool:
    """Whether anything is read at an index that depends on what is worked on."""
    return bool(_operations(traced) & {Op.LOOKUP, Op.APPLY}) or any(
        node.op is Op.LOAD and node.inputs[1].op is not Op.CONST for node in every_node(traced.kernel)
    )


def _lacking(traced: Program) -> dict[str, str]:
    """By word what the program does not have."""
    no_map = default_fuse(traced) is None
    lacks = {
        "fuse": ("linear map", no_map),
        "map_tables": ("linear map", no_map),
        "keyed_tables": ("keyed function", Op.APPLY not in _operations(traced)),
        "rounds": ("round", not traced.kernel.rounds),
        "lookup": ("table lookup", not reads_tables(traced)),
    }
    return {word: what for word, (what, lacking) in lacks.items() if lacking}


def _operations(traced: Program) -> set[Op]:
    return {node.op for graph in (traced.kernel, traced.expand) for node in every_node(graph)}
