"""``python -m tools.loops CPU CIPHER OPERATION``: search for a schedule of a cipher's loop over blocks.

The interval to try is the shortest that is kept, less one, or what ``--interval`` says. What is found is
added to ``--file``, with the bound that is known; what is not yet good enough stays beside it, and the next
search of that interval begins there. Interrupted, it leaves the best so far.
"""

from __future__ import annotations

import argparse
import contextlib
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from finalist.ciphers.catalogue import cipher
from finalist.errors import FinalistError
from finalist.isa.build import Plan
from finalist.isa.lower.lowerer import Conventions
from finalist.isa.piped import PipedBuilder
from finalist.isa.pipeline import chained_parts, parts_of_words, prepared
from finalist.isa.schedule.modulo import shares
from finalist.isa.schedule.modulo.bounds import least_interval
from finalist.isa.schedule.modulo.loop import Loop
from finalist.isa.schedule.modulo.problem import Problem, Schedule
from finalist.isa.schedule.modulo.rounds import folded
from finalist.isa.schedule.modulo.schedulers import fits, in_rounds, quick
from finalist.isa.schedule.modulo.stored import Stored, found, read, stored, write
from finalist.language.definition import OPERATIONS, trace
from finalist.machines.c6x.model import CPUS, processor
from finalist.passes.driver import run
from finalist.schedule import Schedule as Choices
from tools.loops.exact import Answer, Effort, decided, solved
from tools.loops.neighbourhood import missing, search, start
from tools.loops.proofs import proved, proved_with_more
from tools.loops.relaxed import relaxed
from tools.loops.shared import shared
from tools.loops.shorter import drawn, shortened

#: Rounds that are under way at once, where rounds are to be alike.
_STAGES = 3
#: Seconds for the neighbours of a cycle that is taken out.
_WINDOW = 8.0


class _FoundError(Exception):
    """The loop has been seen: the program is not built any further."""


def loop_of(
    cpu: str,
    name: str,
    operation: str,
    blocks: int = 1,
    key_bits: int = 128,
    chained: bool = False,
    short: bool = False,
) -> Loop:
    """The loop over blocks of a cipher; ``chained``: whether a block begins when the last is stored;
    ``short``: whether it is written as if it did, for few registers."""
    found: list[Loop] = []

    def seen(loop: Loop) -> Schedule:
        found.append(loop)
        raise _FoundError

    program = prepared(trace(cipher(name), operation, key_bits), blocks, processor(cpu), Choices())
    short = short or chained
    parts = chained_parts(processor(cpu)) if short else parts_of_words()
    plan = Plan(conventions=Conventions(short=True))
    with contextlib.suppress(_FoundError):
        PipedBuilder(run(program, parts), processor(cpu), plan, seen, balance=not short).text()
    if chained:
        found[0].chain()
    return found[0]


def main(arguments: Sequence[str] | None = None) -> int:
    """Searches; 0 if a schedule was found."""
    chosen = _arguments(arguments)
    sizes, ways = (chosen.blocks, chosen.key_bits), (chosen.chained, chosen.short)
    loop = loop_of(chosen.cpu, chosen.cipher, chosen.operation, *sizes, *ways)
    name, effort = _name(chosen), Effort(chosen.seconds, chosen.workers)
    if chosen.proofs:
        return _proofs(loop, chosen, effort, name)
    schedules = read(chosen.file)
    before = schedules.get(loop.problem.digest)
    if chosen.shares or chosen.relaxed:
        return 1 if before is None else _asked(loop, before, chosen, name)
    bound = least_interval(loop.problem)
    print(
        f"{name}: {len(loop.problem.operations)} operations, at least {bound} cycles, kept: {_told(before)}"
    )
    made: Schedule | None
    if chosen.quick:
        made = quick(loop)
    elif chosen.rounds:
        made = _by_rounds(loop, chosen.rounds, effort, name, chosen.file.with_name("rounds.json"))
    elif chosen.squeeze:
        width, window = chosen.squeeze, Effort(_WINDOW, chosen.workers)
        made = _last(shortened(loop, before.schedule, width, chosen.seconds, window)) if before else None
    elif chosen.seeds:
        least = chosen.interval or (before.schedule.interval - 1 if before else 0)
        made = _last(drawn(loop, least, chosen.seeds, chosen.seconds))
    else:
        interval = chosen.interval or (before.schedule.interval - 1 if before else bound + bound // 5)
        made = _searched(loop, interval, chosen.file, chosen.seconds, name)
    if made is None or (before is not None and before.schedule.interval <= made.interval):
        return 1
    schedules = read(chosen.file)
    schedules[loop.problem.digest] = stored(loop.problem, made, name, before.bound if before else 0)
    write(chosen.file, schedules)
    print(f"{name}: {made.interval} cycles, {_told(schedules[loop.problem.digest])}")
    return 0


def _name(chosen: argparse.Namespace) -> str:
    """What a schedule is stored as: CPU, cipher, operation, and what is other than one block and 128 bits."""
    name = [chosen.cpu, chosen.cipher, chosen.operation]
    name += [str(chosen.blocks)] * (chosen.blocks > 1)
    name += [f"{chosen.key_bits}-bit"] * (chosen.key_bits != 128)
    return " ".join(name + ["chained"] * chosen.chained + ["short"] * chosen.short)


def _told(one: Stored | None) -> str:
    return "none" if one is None else f"{one.schedule.interval}, {one.label}"


def _last(found: Iterator[Schedule]) -> Schedule | None:
    """The last of ever shorter schedules, or the last before an interruption."""
    best = None
    try:
        for best in found:
            print(f"{best.interval} cycles", flush=True)
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
    return best


def _by_rounds(loop: Loop, interval: int, effort: Effort, name: str, file: Path) -> Schedule | None:
    """The shortest schedule in which a round is issued ``interval`` cycles after the one before.

    The round's schedule is kept in ``file``, and not asked for again: it may serve any number of rounds.
    """
    rounds = folded(loop.problem)
    if rounds is None:
        print(f"{name}: its body does not repeat itself")
        return None
    known = found(rounds.problem, read(file), renamed=True)
    if known is None or known.schedule.interval != interval:
        answer = _round(rounds.problem, interval, effort)
        print(f"{name}: rounds of {interval} cycles: {answer.status}", flush=True)
        if answer.schedule is None:
            return None
        known = stored(rounds.problem, answer.schedule, f"{name} round", renamed=True)
        write(file, {**read(file), rounds.problem.digest: known})
    return _last(in_rounds(loop, rounds, known.schedule))


def _round(problem: Problem, interval: int, effort: Effort) -> Answer:
    """Of any number of stages; of a few where operations are in no ring."""
    try:
        return decided(problem, interval, effort)
    except ValueError:
        return solved(problem, interval, _STAGES, effort, renamed=True)


def _asked(loop: Loop, before: Stored, chosen: argparse.Namespace, name: str) -> int:
    """What a schedule that is kept says about the loop: how operations can be shared out, what more gives."""
    try:
        if chosen.shares:
            effort = Effort(chosen.seconds, chosen.workers)
            _share(loop, before, effort, name, chosen)
        if chosen.relaxed:
            relaxed(loop, before.schedule, chosen.seconds, chosen.workers, name, chosen.relaxed)
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        return 1
    return 0


def _share(loop: Loop, before: Stored, effort: Effort, name: str, chosen: argparse.Namespace) -> None:
    """How operations can be shared out, kept as data, and the bound that it gives with the schedule."""
    paths = tuple(sorted(loop.processor.paths))
    one = shared(loop.problem, before.schedule, paths, effort, name)
    shares.write(chosen.shares, {**shares.read(chosen.shares), loop.problem.digest: one})
    better = replace(before, bound=max(before.bound, one.shortest))
    write(chosen.file, {**read(chosen.file), loop.problem.digest: better})
    across = f"{one.crossing} operands across at least, {one.enough} are enough"
    print(f"{name}: {better.label}; in {one.interval} cycles {across}", flush=True)


def _proofs(loop: Loop, chosen: argparse.Namespace, effort: Effort, name: str) -> int:
    """What is proved of rounds; 0 if they can be so far apart."""
    rounds = folded(loop.problem)
    if rounds is None:
        print(f"{name}: its body does not repeat itself")
        return 1
    try:
        if chosen.more:
            proved_with_more(rounds, chosen.rounds, effort, f"{name} round", chosen.proofs)
            return 0
        return 0 if proved(loop, rounds, chosen.rounds, effort, f"{name} round", chosen.proofs) else 1
    except ValueError as error:
        print(f"{name}: {error}")
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
    return 1


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
    parser.add_argument("cipher", type=_cipher)
    parser.add_argument("operation", choices=OPERATIONS)
    parser.add_argument("--blocks", type=_count, default=1, help="in an iteration (default: %(default)s)")
    parser.add_argument("--key-bits", type=_count, help="(default: 128 where the cipher has such keys)")
    parser.add_argument("--interval", type=_count, help="cycles of an iteration to try")
    parser.add_argument("--seconds", type=float, default=300, help="to search (default: %(default)s)")
    parser.add_argument(
        "--workers", type=_count, default=2, help="threads of the solver (default: %(default)s)"
    )
    parser.add_argument("--file", type=Path, help="where schedules are kept")
    parser.add_argument("--chained", action="store_true", help="a block begins when the last is stored")
    parser.add_argument("--short", action="store_true", help="written as if it did, for few registers")
    parser.add_argument("--seeds", type=_count, default=0, help="draw so many greedy schedules instead")
    parser.add_argument(
        "--squeeze", type=_count, metavar="WIDTH", help="take cycles out, with so many beside"
    )
    parser.add_argument(
        "--rounds",
        type=_count,
        metavar="CYCLES",
        help="rounds alike, so many cycles apart; kept in rounds.json beside FILE",
    )
    parser.add_argument("--proofs", type=Path, help="keep there what is proved of such rounds; no schedule")
    parser.add_argument(
        "--more", action="store_true", help="with --proofs: with one more unit, path or register"
    )
    parser.add_argument("--shares", type=Path, help="keep there how operations can be shared out among units")
    parser.add_argument(
        "--relaxed", type=Path, help="keep there schedules with one more unit, path or register"
    )
    parser.add_argument("--quick", action="store_true", help="without a solver")
    chosen = parser.parse_args(arguments)
    if chosen.proofs and not chosen.rounds:
        parser.error("--proofs: of no rounds; accepted with --rounds CYCLES")
    if not (chosen.proofs or chosen.file):
        parser.error("--file: not given; accepted without with --proofs FILE")
    asked = cipher(chosen.cipher)
    chosen.key_bits = chosen.key_bits or asked.usual_key_bits()
    if chosen.key_bits not in asked.key_bits:
        parser.error(f"--key-bits: {chosen.key_bits}; of {asked.name()} accepted: {asked.key_sizes()}")
    return chosen


def _cipher(text: str) -> str:
    try:
        cipher(text)
    except FinalistError as error:
        raise argparse.ArgumentTypeError(str(error)) from error
    return text


def _count(text: str) -> int:
    if not text.isdecimal() or not int(text):
        raise argparse.ArgumentTypeError(f"{text!r}; accepted: 1 or more")
    return int(text)


if __name__ == "__main__":
    sys.exit(main())
