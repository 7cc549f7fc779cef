"""``python -m tools.loops CPU CIPHER OPERATION``: search for a schedule of a cipher's loop over blocks.

The interval to try is the shortest that is kept, less one, or what ``--interval`` says. What is found is
added to ``--file``, with the bound that is known; what is not yet good enough stays beside it, and the next
search of that interval begins there. Interrupted, it leaves the best so far.
"""

from __future__ import annotations

import argparse
import contextlib
import sys
from collections.abc import Sequence
from pathlib import Path

from finalist.ciphers.catalogue import cipher
from finalist.isa.build import Plan
from finalist.isa.lower.lowerer import Conventions
from finalist.isa.piped import PipedBuilder
from finalist.isa.pipeline import prepared
from finalist.isa.prepare.late import with_late_parts
from finalist.isa.prepare.shared_sums import with_shared_sums
from finalist.isa.schedule.modulo.bounds import least_interval
from finalist.isa.schedule.modulo.greedy import greedy, manners
from finalist.isa.schedule.modulo.loop import Loop
from finalist.isa.schedule.modulo.problem import Schedule
from finalist.isa.schedule.modulo.schedulers import fits, quick
from finalist.isa.schedule.modulo.search import missing, search, start
from finalist.isa.schedule.modulo.stored import Stored, read, stored, write
from finalist.language.definition import trace
from finalist.machines.c6x.model import CPUS, processor
from finalist.passes.driver import on_kernel, run
from finalist.schedule import Schedule as Choices


class _FoundError(Exception):
    """The loop has been seen: the program is not built any further."""


def loop_of(cpu: str, name: str, operation: str, blocks: int = 1, key_bits: int = 128) -> Loop:
    """The loop over blocks of a cipher."""
    found: list[Loop] = []

    def seen(loop: Loop) -> Schedule:
        found.append(loop)
        raise _FoundError

    program = prepared(trace(cipher(name), operation, key_bits), blocks, processor(cpu), Choices())
    parts = on_kernel("late parts", with_late_parts), on_kernel("shared sums", with_shared_sums)
    plan = Plan(conventions=Conventions(short=True))
    with contextlib.suppress(_FoundError):
        PipedBuilder(run(program, parts), processor(cpu), plan, seen).text()
    return found[0]


def main(arguments: Sequence[str] | None = None) -> int:
    """Searches; 0 if a schedule was found."""
    chosen = _arguments(arguments)
    loop = loop_of(chosen.cpu, chosen.cipher, chosen.operation, chosen.blocks)
    name = f"{chosen.cpu} {chosen.cipher} {chosen.operation}" + f" {chosen.blocks}" * (chosen.blocks > 1)
    if chosen.chained:
        loop.chain()
        name += " chained"
    schedules = read(chosen.file)
    before = schedules.get(loop.problem.digest)
    bound = least_interval(loop.problem)
    print(
        f"{name}: {len(loop.problem.operations)} operations, at least {bound} cycles, kept: {_told(before)}"
    )
    made: Schedule | None
    if chosen.quick:
        made = quick(loop)
    elif chosen.seeds:
        made = _drawn(loop, chosen.interval or (before.schedule.interval - 1 if before else 0), chosen.seeds)
    else:
        interval = chosen.interval or (before.schedule.interval - 1 if before else bound + bound // 5)
        made = _searched(loop, interval, chosen.file, chosen.seconds, name)
    if made is None or (before is not None and before.schedule.interval <= made.interval):
        return 1
    schedules = read(chosen.file)
    schedules[loop.problem.digest] = stored(loop.problem, made, name)
    write(chosen.file, schedules)
    print(f"{name}: {made.interval} cycles, {_told(schedules[loop.problem.digest])}")
    return 0


def _told(one: Stored | None) -> str:
    return "none" if one is None else f"{one.schedule.interval}, {one.label}"


def _drawn(loop: Loop, interval: int, seeds: int) -> Schedule | None:
    """The shortest of greedy schedules, from an interval downwards."""
    best = None
    for manner in manners(loop.problem, seeds):
        while interval >= 1:
            made = greedy(loop.problem, interval, manner)
            if made is None or not fits(loop, made):
                break
            print(f"{interval} cycles by seed {manner.seed}", flush=True)
            best, interval = made, interval - 1
    return best


def _searched(loop: Loop, interval: int, file: Path, seconds: float, name: str) -> Schedule | None:
    """A schedule of an interval that fits; the best so far is kept beside the file meanwhile."""
    problem = loop.problem
    beside = file.with_name(f"{file.stem}.{problem.digest}.{interval}.part")
    begun = read(beside).get(problem.digest)
    first = schedule = begun.schedule if begun else start(problem, interval)
    if first is None or schedule is None:
        print(f"{name}: no schedule of {interval} cycles to begin with")
        return None
    try:
        for schedule in search(problem, first, lambda one: fits(loop, one), seconds):
            write(beside, {problem.digest: stored(problem, schedule, name)})
            print(f"{name}: {interval} cycles, {missing(problem, schedule)} registers lacking", flush=True)
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
    if not fits(loop, schedule):
        return None
    beside.unlink(missing_ok=True)
    return schedule


def _arguments(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tools.loops", description=__doc__)
    parser.add_argument("cpu", choices=CPUS)
    parser.add_argument("cipher")
    parser.add_argument("operation", choices=("encrypt", "decrypt"))
    parser.add_argument("--blocks", type=int, default=1, help="in an iteration (default: %(default)s)")
    parser.add_argument("--interval", type=int, help="cycles of an iteration to try")
    parser.add_argument("--seconds", type=float, default=300, help="to search (default: %(default)s)")
    parser.add_argument("--file", type=Path, required=True, help="where schedules are kept")
    parser.add_argument("--chained", action="store_true", help="a block begins when the last is stored")
    parser.add_argument("--seeds", type=int, default=0, help="draw so many greedy schedules instead")
    parser.add_argument("--quick", action="store_true", help="without a solver")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main())
