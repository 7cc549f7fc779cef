"""Every error that Finalist raises on purpose; each message says what was wrong and what is accepted."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from difflib import get_close_matches


class FinalistError(Exception):
    """Base of all errors that are the caller's to mend."""


def reason(error: Exception) -> str:
    """What went wrong, in the words of the system where it has some, without number and path."""
    return getattr(error, "strerror", None) or str(error)


class DefinitionError(FinalistError):
    """A cipher definition misuses the language; the message starts with ``file:line``."""

    def __init__(self, message: str, line: str = "") -> None:
        super().__init__(f"{line}: {message}" if line else message)
        self.line = line


class UnknownNameError(FinalistError, ValueError):
    """A cipher, machine, mode or schedule word that does not exist."""


class PackageError(FinalistError):
    """A package that offers a cipher or a machine, and not as it should; the message names it."""


class UsageError(FinalistError, TypeError):
    """An argument that is missing, of another type, or not of this mode; a call that an object does not take
    any more."""


class ScheduleError(FinalistError):
    """A schedule that is malformed, or not legal for this cipher and machine.

    ``reason``: what was wrong. ``remedies``: finds what else would have to be said for it to be legal; that
    takes time, so it is asked where the message is read, and nowhere else.
    """

    def __init__(self, reason: str, remedies: Callable[[], Iterable[str]] = tuple) -> None:
        super().__init__(reason)
        self.reason = reason
        self._remedies = remedies

    def __str__(self) -> str:
        found = self.remedies()
        return self.reason + (f"; legal with {either(found)}" if found else "")

    def __reduce__(self) -> tuple[type[ScheduleError], tuple[str]]:
        return type(self), (str(self),)

    def remedies(self) -> tuple[str, ...]:
        """Choices each of which makes it legal, as `-s` takes them."""
        found = tuple(self._remedies())
        self._remedies = lambda: found
        return found


class KeyLengthError(FinalistError, ValueError):
    """A key whose length the cipher does not have."""


class DataError(FinalistError, ValueError):
    """Data, IV or counter of a wrong length or type."""


class CounterError(DataError, OverflowError):
    """A counter that would repeat."""


class CompilerError(FinalistError):
    """The system's C compiler is missing, or failed."""


class CacheError(FinalistError):
    """The folder of what was compiled is somebody else's, or can't be used."""


class VectorError(FinalistError):
    """A program does not reproduce a published test vector."""


class GraphError(FinalistError):
    """A graph breaks a rule of the intermediate representation: a defect of a pass, not of a user."""


class MatchError(FinalistError):
    """A program has no form in the instructions that it is held against; the message says why."""


def unknown(what: str, name: object, accepted: Iterable[str], more: str = "") -> str:
    """What is said of a name that is none of the accepted; ``more``: what else is accepted, in words."""
    known = tuple(accepted)
    return f"unknown {what} {name!r}{did_you_mean(name, known)}; accepted: {', '.join(known)}{more}"


def did_you_mean(name: object, accepted: Iterable[str]) -> str:
    """In brackets the accepted name that is most like one, if any is; else nothing."""
    close = get_close_matches(str(name).lower()[:_LONGEST], list(accepted), n=1, cutoff=0.6)
    return f" (did you mean {close[0]}?)" if close else ""


#: Of a name that is no name at all, as a whole file's text, the beginning will do to compare.
_LONGEST = 80


def either(names: Iterable[str]) -> str:
    """Names as alternatives: ``a, b or c``."""
    *first, last = names
    return f"{', '.join(first)} or {last}" if first else last
