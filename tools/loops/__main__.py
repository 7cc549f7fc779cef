"""``python -m tools.loops CPU CIPHER OPERATION``: search for a schedule of a cipher's loop over blocks.

The interval to try is the shortest that is kept, less one, or what ``--interval`` says. What is found is
added to ``--file``, with the bound that is known; what is not yet good enough stays beside it, and the next
search of that interval begins there. Interrupted, it leaves the best so far.
"""

from __future__ import annotations

import argparse
import contextlib
import random
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from time import monotonic

from finalist.ciphers.catalogue import cipher
from finalist.errors import FinalistError
from finalist.isa.build import Plan
from finalist.isa.lower.lowerer import Conventions
from finalist.isa.piped import PipedBuilder
from finalist.isa.pipeline import chained_parts, parts_of_words, prepared
from finalist.isa.schedule.modulo.bounds import least_interval
from finalist.isa.schedule.modulo.exact import Answer, Effort, decided, solved
from finalist.isa.schedule.modulo.greedy import greedy, manners
from finalist.isa.schedule.modulo.loop import Loop
from finalist.isa.schedule.modulo.problem import Problem, Schedule
from finalist.isa.schedule.modulo.rounds import Rounds, folded, written_out
from finalist.isa.schedule.modulo.schedulers import fits, quick
from finalist.isa.schedule.modulo.search import missing, search, squeezed, start
from finalist.isa.schedule.modulo.stored import Stored, read, stored, write
from finalist.language.definition import OPERATIONS, trace
from finalist.machines.c6x.model import CPUS, processor
from finalist.passes.driver import run
from finalist.schedule import Schedule as Choices
from tools.loops.proofs import proved

#: Rounds that are under way at once, where rounds are to be alike.
_STAGES = 3


class _FoundError(Exception):
    """The loop has been seen: the program is not built any further."""


def loop_of(
    cpu: str, name: str, operation: str, blocks: int = 1, key_bits: int = 128, chained: bool = False
) -> Loop:
    """The loop over blocks of a cipher; ``chained``: whether a block begins when the last is stored."""
    found: list[Loop] = []

    def seen(loop: Loop) -> Schedule:
        found.append(loop)
        raise _FoundError

    program = prepared(trace(cipher(name), operation, key_bits), blocks, processor(cpu), Choices())
    parts = chained_parts(processor(cpu)) if chained else parts_of_words()
    plan = Plan(conventions=Conventions(short=True))
    with contextlib.suppress(_FoundError):
        PipedBuilder(run(program, parts), processor(cpu), plan, seen, balance=not chained).text()
    if chained:
        found[0].chain()
    return found[0]


def main(arguments: Sequence[str] | None = None) -> int:
    """Searches; 0 if a schedule was found."""
    chosen = _arguments(arguments)
    loop = loop_of(
        chosen.cpu, chosen.cipher, chosen.operation, chosen.blocks, chosen.key_bits, chosen.chained
    )
    name = _name(chosen)
    if chosen.proofs:
        return _proofs(loop, chosen.rounds, chosen.seconds, name, chosen.proofs)
    schedules = read(chosen.file)
    before = schedules.get(loop.problem.digest)
    bound = least_interval(loop.problem)
    print(
        f"{name}: {len(loop.problem.operations)} operations, at least {bound} cycles, kept: {_told(before)}"
    )
    made: Schedule | None
    if chosen.quick:
        made = quick(loop)
    elif chosen.rounds:
        made = _by_rounds(loop, chosen.rounds, chosen.seconds, name)
    elif chosen.squeeze:
        made = _shortened(loop, before.schedule, chosen.seconds, chosen.squeeze) if before else None
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


def _name(chosen: argparse.Namespace) -> str:
    """What a schedule is stored as: CPU, cipher, operation, and what is other than one block and 128 bits."""
    name = [chosen.cpu, chosen.cipher, chosen.operation]
    name += [str(chosen.blocks)] * (chosen.blocks > 1)
    name += [f"{chosen.key_bits}-bit"] * (chosen.key_bits != 128)
    return " ".join(name + ["chained"] * chosen.chained)


def _told(one: Stored | None) -> str:
    return "none" if one is None else f"{one.schedule.interval}, {one.label}"


def _drawn(loop: Loop, interval: int, seeds: int) -> Schedule | None:
    """The shortest of greedy schedules, from an interval downwards."""
    best = None
    try:
        for manner in manners(loop.problem, seeds):
            while interval >= 1:
                made = greedy(loop.problem, interval, manner)
                if made is None or not fits(loop, made):
                    break
                print(f"{interval} cycles by seed {manner.seed}", flush=True)
                best, interval = made, interval - 1
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
    return best


def _shortened(loop: Loop, schedule: Schedule, seconds: float, width: int) -> Schedule | None:
    """A schedule that is shorter by cycles taken out of it one by one, here and there.

    Where none can be taken out, more of what lies beside it is scheduled anew.
    """
    best, refuted, draw, end = schedule, set[int](), random.Random(0), monotonic() + seconds
    try:
        while monotonic() < end and 2 * width < best.interval:
            cycles = sorted(set(range(best.interval)) - refuted)
            if not cycles:
                width, refuted = width + 1, set()
                print(f"{best.interval} cycles are left with {width - 1} beside", flush=True)
                continue
            cycle = draw.choice(cycles)
            made = squeezed(loop.problem, best, cycle, width)
            if made is None or not fits(loop, made):
                refuted.add(cycle)
                continue
            best, refuted = made, {c - (c > cycle) for c in refuted if abs(c - cycle) > width}
            print(f"{best.interval} cycles", flush=True)
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
    return None if best is schedule else best


def _by_rounds(loop: Loop, interval: int, seconds: float, name: str) -> Schedule | None:
    """The shortest schedule in which a round is issued ``interval`` cycles after the one before."""
    rounds = folded(loop.problem)
    if rounds is None:
        print(f"{name}: its body does not repeat itself")
        return None
    answer = _round(rounds.problem, interval, Effort(seconds))
    print(f"{name}: rounds of {interval} cycles: {answer.status}", flush=True)
    if answer.schedule is None:
        return None
    best, length = None, (rounds.count + 6) * interval
    try:
        for made in _ever_shorter(loop, rounds, answer.schedule, length):
            best = made
            print(f"{made.interval} cycles", flush=True)
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
    return best


def _round(problem: Problem, interval: int, effort: Effort) -> Answer:
    """Of any number of stages; of a few where operations are in no ring."""
    try:
        return decided(problem, interval, effort)
    except ValueError:
        return solved(problem, interval, _STAGES, effort, renamed=True)


def _proofs(loop: Loop, interval: int, seconds: float, name: str, file: Path) -> int:
    """What is proved of rounds; 0 if they can be so far apart."""
    rounds = folded(loop.problem)
    if rounds is None:
        print(f"{name}: its body does not repeat itself")
        return 1
    try:
        return 0 if proved(loop, rounds, interval, Effort(seconds), f"{name} round", file) else 1
    except ValueError as error:
        print(f"{name}: {error}")
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
    return 1


def _ever_shorter(loop: Loop, rounds: Rounds, schedule: Schedule, length: int) -> Iterator[Schedule]:
    while made := next(
        (one for one in written_out(loop.problem, rounds, schedule, length) if fits(loop, one)), None
    ):
        yield made
        length = made.interval - 1


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
    parser.add_argument("--file", type=Path, help="where schedules are kept")
    parser.add_argument("--chained", action="store_true", help="a block begins when the last is stored")
    parser.add_argument("--seeds", type=_count, default=0, help="draw so many greedy schedules instead")
    parser.add_argument(
        "--squeeze", type=_count, metavar="WIDTH", help="take cycles out, with so many beside"
    )
    parser.add_argument("--rounds", type=_count, metavar="CYCLES", help="rounds alike, so many cycles apart")
    parser.add_argument("--proofs", type=Path, help="keep there what is proved of such rounds; no schedule")
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
