"""Why a schedule won: what each kind of layout has to do for a byte, and how quickly it does that."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from finalist.ciphers.catalogue import identity
from finalist.schedule import Schedule, parsed, spelt
from finalist.tuning.choose import Winner, ranked, winners
from finalist.tuning.search import Task
from finalist.tuning.trials import LENGTHS, Trial
from finalist.vectors.load import provenance, vectors_of

_LONG = LENGTHS[-1]
#: Ratios nearer to one than this are noise.
_SMALL = 0.03


@dataclass(frozen=True, slots=True)
class Explanation:
    """What was found for one task: the winners by length, the quickest of each kind, the reasons.

    ``definition``: as `finalist.ciphers.catalogue.identity` says it; ``vectors``: what the programs were held
    to (`finalist.vectors.load.provenance`).
    """

    cipher: str
    operation: str
    key_bits: int
    winners: tuple[Winner, ...]
    kinds: tuple[Trial, ...]
    ruled_out: int
    reasons: tuple[str, ...]
    definition: str = ""
    vectors: str = ""


def explain(found: Iterable[Trial], task: Task | None = None) -> Explanation:
    """The explanation from the trials of a task, of which one at least was timed.

    Of trials that another definition with the same graphs has made, ``task`` says whose they are now.
    """
    all_trials = list(found)
    timed = ranked((t for t in all_trials if t.timed), _LONG)
    quickest: dict[str, Trial] = {}
    for trial in timed:
        quickest.setdefault(kind_of(trial), trial)
    kinds, won = tuple(quickest.values()), tuple(winners(timed))
    first = timed[0]
    return Explanation(
        cipher=task.cipher.name() if task else first.cipher,
        operation=first.operation,
        key_bits=first.key_bits,
        winners=won,
        kinds=kinds,
        ruled_out=len(all_trials) - len(timed),
        reasons=(*_against_other_kinds(kinds), *_within(first, timed), *_short(won)),
        definition=identity(task.cipher) if task else first.definition,
        vectors=provenance(vectors_of(task.cipher), task.key_bits) if task else "",
    )


def schedule_of_trial(trial: Trial) -> Schedule:
    """The schedule with nothing left open."""
    return parsed(trial.schedule)


def kind_of(trial: Trial) -> str:
    """The layout in words."""
    chosen = schedule_of_trial(trial)
    parts = ["scalar" if chosen.width in (1, None) else f"{chosen.width}-bit vectors"]
    if (chosen.planes or 1) > 1:
        parts.append(f"{chosen.planes} planes")
    if chosen.word is not None and chosen.word < 64:
        parts.append(f"words of {chosen.word} bits")
    if chosen.lookup is not None:
        parts.append(f"lookup={chosen.lookup}")
    return ", ".join(parts)


def per_cycle(trial: Trial) -> float:
    """Operations that the program does in a core cycle on long messages."""
    return trial.operations * trial.ticks_per_cycle / trial.at(_LONG)


def _against_other_kinds(kinds: Sequence[Trial]) -> Iterable[str]:
    """The winner against the quickest program of the next kind: less to do, or quicker at it."""
    best, *others = kinds
    if not others:
        yield f"{kind_of(best)} is the only kind of layout that was timed"
        return
    other = others[0]
    gain = other.at(_LONG) / best.at(_LONG)
    fewer, faster = other.operations / best.operations, per_cycle(best) / per_cycle(other)
    compared = "as fast" if abs(gain - 1) < _SMALL else f"{gain:.2f} times as fast"
    reason = (
        f"{kind_of(best)}: {compared} as {kind_of(other)};"
        f" {best.operations:.1f} operations a byte against {other.operations:.1f},"
        f" {per_cycle(best):.1f} of them a core cycle against {per_cycle(other):.1f}"
    )
    if fewer > 1 and faster < 1 - _SMALL:
        reason += "; it does less, if more slowly"
    elif fewer < 1 and faster > 1 + _SMALL:
        reason += "; it has more to do, but does more at once"
    yield reason


def _within(best: Trial, timed: Sequence[Trial]) -> Iterable[str]:
    """What each choice of the winner brings against its nearest rivals that differ in that choice alone."""
    own = schedule_of_trial(best).chosen()
    for word in own:
        rivals = [t for t in timed if _differs_in(own, schedule_of_trial(t).chosen(), word)]
        if rivals:
            rival = min(rivals, key=lambda t: t.at(_LONG))
            value, ratio = schedule_of_trial(rival).chosen()[word], rival.at(_LONG) / best.at(_LONG)
            if ratio > 1 + _SMALL:
                yield f"{spelt(word)}={own[word]} rather than {value}: {ratio:.2f} times as fast"


def _differs_in(own: dict[str, int | str], other: dict[str, int | str], word: str) -> bool:
    # How far blocks lag behind one another means nothing where there is one.
    ignored = {"skew"} if word == "blocks" else set()
    names = (own.keys() | other.keys()) - ignored
    return {name for name in names if own.get(name) != other.get(name)} == {word} and word in other


def _short(won: Sequence[Winner]) -> Iterable[str]:
    """Where other programs are quicker on shorter messages."""
    changes = [b for a, b in itertools.pairwise(won) if a.trial.schedule != b.trial.schedule]
    if changes:
        steps = (f"from {one.data_bytes} bytes on {one.trial.schedule}" for one in (won[0], *changes))
        yield "the quickest program depends on the length of the message: " + "; ".join(steps)
