"""Every error that Finalist raises on purpose; each message says what was wrong and what is accepted."""

from __future__ import annotations


class FinalistError(Exception):
    """Base of all errors that are the caller's to mend."""


class DefinitionError(FinalistError):
    """A cipher definition misuses the language; the message starts with ``file:line``."""

    def __init__(self, message: str, line: str = "") -> None:
        super().__init__(f"{line}: {message}" if line else message)
        self.line = line


class UnknownNameError(FinalistError, ValueError):
    """A cipher, machine, mode or schedule word that does not exist."""


class UsageError(FinalistError, TypeError):
    """An argument that is missing, of another type, or not of this mode; a call that an object does not take
    any more."""


class ScheduleError(FinalistError):
    """A schedule that is malformed, or not legal for this cipher and machine."""


class KeyLengthError(FinalistError, ValueError):
    """A key whose length the cipher does not have."""


class DataError(FinalistError, ValueError):
    """Data, IV or counter of a wrong length or type."""


class CounterError(DataError, OverflowError):
    """A counter that would repeat."""


class CompilerError(FinalistError):
    """The system's C compiler is missing, failed, or its cache cannot be written."""


class VectorError(FinalistError):
    """A program does not reproduce a published test vector."""


class GraphError(FinalistError):
    """A graph breaks a rule of the intermediate representation: a defect of a pass, not of a user."""


class MatchError(FinalistError):
    """A program has no form in the instructions that it is held against; the message says why."""
