"""What of a cipher a library is to have: operations, modes, levels, how large it may be, and which words of a
schedule can be chosen for all of its programs."""

from __future__ import annotations

from dataclasses import dataclass

from finalist.errors import ScheduleError, UnknownNameError, unknown
from finalist.export.levels import LEVELS, PORTABLE, Level
from finalist.language.cipher import Cipher
from finalist.language.definition import OPERATIONS
from finalist.schedule import Schedule

#: Programs that are as quick as any, or as small.
SIZES = ("fast", "small")
LEVEL_NAMES = tuple(level.name for level in LEVELS)
#: The operations that have functions of a mode.
_OPERATIONS = {"ecb": OPERATIONS, "ctr": OPERATIONS[:1], "cbc": OPERATIONS}
#: The modes that a library may have.
MODES = tuple(_OPERATIONS)
#: Words of a schedule that tell the programs of a library apart, so that they can't be chosen for all.
OWN_WORDS = ("blocks", "width", "tuned")


@dataclass(frozen=True, slots=True)
class Selection:
    """``modes`` and ``levels`` are None where nothing was chosen: all that a cipher has, and of the levels
    those that are worth their code."""

    operations: tuple[str, ...] = OPERATIONS
    modes: tuple[str, ...] | None = None
    levels: tuple[str, ...] | None = None
    size: str = SIZES[0]

    @property
    def small(self) -> bool:
        """Whether size comes before speed."""
        return self.size == SIZES[1]

    def modes_of(self, operation: str) -> tuple[str, ...]:
        """The modes that have functions of an operation, in the order of MODES."""
        wanted = MODES if self.modes is None else self.modes
        return tuple(mode for mode in MODES if mode in wanted and operation in _OPERATIONS[mode])

    def working(self) -> tuple[str, ...]:
        """The operations that any mode is made of."""
        return tuple(operation for operation in self.operations if self.modes_of(operation))

    def takes(self, level: Level) -> bool:
        """Whether programs of a level are wanted; the portable ones always are."""
        return self.levels is None or level.name in self.levels or level is PORTABLE

    def check(self) -> None:
        """Refuse a mode that a library has not, or that the operations have nothing of.

        Raises UnknownNameError or ScheduleError.
        """
        for mode in self.modes or ():
            if mode not in MODES:
                raise UnknownNameError(unknown("mode of a library", mode, MODES))
            if not set(_OPERATIONS[mode]) & set(self.operations):
                raise ScheduleError(
                    f"--mode {mode}: it decrypts by encryption; accepted with it: --operation encrypt"
                )

    def check_for(self, cipher: type[Cipher]) -> None:
        """Refuse a cipher without a key, and a mode that a cipher can't have. Raises ScheduleError."""
        if not any(cipher.key_bits):
            raise ScheduleError(
                f"{cipher.name()} has no key, and functions of a library take one; accepted: --layout file"
            )
        if cipher.stateful and self.modes is not None and set(self.modes) != {MODES[0]}:
            other = next((mode for mode in self.modes if mode != MODES[0]), "")
            raise ScheduleError(
                f"--mode {other}: {cipher.name()} is a stream cipher, which has no modes; accepted:"
                f" {MODES[0]}"
            )


def check_choices(choices: Schedule) -> None:
    """Refuse words that would be the same for all programs. Raises ScheduleError."""
    for word in OWN_WORDS:
        value = getattr(choices, word)
        if value is not None:
            raise ScheduleError(
                f"{word}={value}: a library has programs for one block and for many, for each vector unit;"
                " accepted are words that say the same of all, such as lookup or constant-time"
            )
