"""Trials: what each schedule was found to take, kept in a file that later runs go on from."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from finalist.errors import FinalistError
from finalist.measure import records
from finalist.schedule import Schedule, parsed

#: Bytes of the messages that each schedule is timed on, in one call.
LENGTHS = (16, 64, 256, 512, 1024, 4096, 8192, 65536)
#: What stands among the lengths for a chain of single blocks, each the result of the one before.
CHAIN = 0


class TuningError(FinalistError):
    """The file of trials can't be read or written, or an argument is wrong."""


@dataclass(frozen=True, slots=True)
class Trial:
    """One schedule of one program.

    ``task`` names what is to be done whatever the schedule: a hash of the definition's graphs for one
    operation and key length. ``place``: the processor and compiler. ``text``: a hash of what was compiled:
    the text that was emitted, the compiler's command and the flags.
    ``asked`` is the schedule as it was asked for, ``schedule`` with nothing left open. ``ticks``: of the
    clock a byte, by the bytes of a call (`CHAIN`: of a program of one block, in a chain); empty where the
    schedule was ruled out untimed. ``bound``:
    core cycles a byte that its operations take at the very least. ``date``: UTC, ISO 8601. ``definition``:
    whose trial it was, as `finalist.ciphers.catalogue.identity` says it; it serves all with the same graphs.
    ``turns``: how often it was timed; of more than once the figures are medians. Then there are also
    ``mode``: ticks a byte of CTR, of decryption CBC, by the bytes of a message, empty where the program has
    no such function; and of a program of one block ``set_up``: ticks of a key set-up.
    """

    task: str
    place: str
    text: str
    cipher: str
    operation: str
    key_bits: int
    machine: str
    asked: str
    schedule: str
    timing: str
    operations: float
    bound: float
    ticks: dict[str, float]
    ticks_per_cycle: float
    commit: str
    date: str
    definition: str = ""
    turns: int = 1
    mode: dict[str, float] = field(default_factory=dict)
    set_up: float = 0.0

    @property
    def chained(self) -> bool:
        """Whether it was timed in a chain, too."""
        return str(CHAIN) in self.ticks

    @property
    def timed(self) -> bool:
        """Whether it ran."""
        return bool(self.ticks)

    def at(self, data_bytes: int) -> float:
        """Ticks a byte in a message of so many bytes: those of the longest one timed that is no longer."""
        if data_bytes == CHAIN and self.chained:
            return self.ticks[str(CHAIN)]
        lengths = sorted(length for length in map(int, self.ticks) if length != CHAIN)
        fitting = [length for length in lengths if length <= data_bytes]
        return self.ticks[str(fitting[-1] if fitting else lengths[0])]

    def cycles(self, data_bytes: int) -> float:
        """The same in core cycles: the core's frequency may have been another one at another trial."""
        return self.at(data_bytes) / self.ticks_per_cycle

    def cost(self, data_bytes: int) -> float:
        """The same for the mean of the blocks alone and of a mode, if that was timed."""
        alone = self.cycles(data_bytes)
        if not self.mode:
            return alone
        return (alone + self.mode[str(data_bytes)] / self.ticks_per_cycle) / 2

    def choices(self) -> Schedule:
        """The schedule as it was asked for."""
        return parsed(self.asked)


#: ``$FINALIST_TUNING``, else finalist/tuning.jsonl in the user's folder for state (XDG).
STORE = records.Store(Trial, "the file of trials", "FINALIST_TUNING", "tuning.jsonl", TuningError)
trials_file, append, read = STORE.file, STORE.append, STORE.read


def latest(trials: Iterable[Trial]) -> list[Trial]:
    """Of each schedule of each task at each place the last trial, in the order of the first ones."""
    kept: dict[tuple[str, ...], Trial] = {}
    for trial in trials:
        kept[trial.task, trial.place, trial.machine, trial.schedule] = trial
    return list(kept.values())
