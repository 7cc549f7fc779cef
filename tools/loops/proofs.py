"""What a solver says of the rounds of a loop: asked, and kept as data."""

from __future__ import annotations

from pathlib import Path
from time import monotonic

from finalist.isa.schedule.modulo import proofs
from finalist.isa.schedule.modulo.loop import Loop
from finalist.isa.schedule.modulo.problem import Problem
from finalist.isa.schedule.modulo.proofs import INFEASIBLE, Proof
from finalist.isa.schedule.modulo.rounds import Rounds
from tools.loops.banks import in_two, separated
from tools.loops.exact import Answer, Effort, decided, solver_version
from tools.loops.relaxed import questions


def proved(loop: Loop, rounds: Rounds, interval: int, effort: Effort, name: str, file: Path) -> bool:
    """Asks whether rounds can be an interval apart, and a cycle less, and keeps each answer as it comes.

    Without registers first: what is refuted so needs no further question. Then the interval with accesses of
    a cycle to different blocks of memory. Returns whether rounds can be so far apart.
    """
    asked = _Asked(rounds.problem, effort, name, file)
    if asked.of(rounds.problem, interval - 1, registers=False) != INFEASIBLE:
        asked.of(rounds.problem, interval - 1)
    found = asked.of(rounds.problem, interval)
    apart = banked(loop, rounds)
    if found == proofs.FOUND and apart is not None:
        asked.of(apart, interval, banks=True)
    return found == proofs.FOUND


def proved_with_more(rounds: Rounds, interval: int, effort: Effort, name: str, file: Path) -> None:
    """Asks how close rounds can be with one more of each thing: ever closer, until they can not, or that is
    not said in time. ``interval``: how far apart they can be as it is. Nothing is asked twice."""
    for what, problem in questions(rounds.problem):
        asked = _Asked(problem, effort, f"{name} +1 {what}", file)
        closer = interval - 1
        while what and (asked.known(closer) or asked.of(problem, closer)) == proofs.FOUND:
            closer -= 1


class _Asked:
    """Questions about rounds, of which the answers are kept under the digest of their problem."""

    def __init__(self, problem: Problem, effort: Effort, name: str, file: Path) -> None:
        self.digest, self.effort, self.name, self.file = problem.digest, effort, name, file

    def known(self, interval: int) -> str | None:
        """The outcome for an interval with registers, if it has been asked for."""
        question = interval, 0, True, False
        told = proofs.read(self.file).get(self.digest, ())
        return next((one.outcome for one in told if one.question == question), None)

    def of(self, problem: Problem, interval: int, *, registers: bool = True, banks: bool = False) -> str:
        """The outcome."""
        begun = monotonic()
        answer: Answer = decided(problem, interval, self.effort, registers=registers)
        seconds = round(monotonic() - begun, 1)
        outcome = proofs.answer(answer.status)
        proof = Proof(self.name, interval, 0, registers, banks, outcome, seconds, solver_version())
        proofs.write(self.file, proofs.added(proofs.read(self.file), self.digest, proof))
        print(f"{proof}: {outcome}, {seconds} s", flush=True)
        return outcome


def banked(loop: Loop, rounds: Rounds) -> Problem | None:
    """The rounds with accesses in two blocks of memory; None where no word of theirs is an index."""
    body = [loop.body.instructions[number] for number in rounds.operations(0)]
    held = set(loop.body.invariants)
    numbers = [k for k, ins in enumerate(body) if ins.instruction.effect == "load"]
    arrays = [next((word for word in body[k].read if word in held), None) for k in numbers]
    if not any(arrays):
        return None
    blocks = in_two([(array, array is not None) for array in arrays])
    return separated(rounds.problem, dict(zip(numbers, blocks, strict=True)))
