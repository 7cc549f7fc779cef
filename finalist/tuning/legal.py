"""Which schedules a cipher has on a machine: each word, its values, what is refused and why."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from finalist import api
from finalist.ciphers.catalogue import cipher as find_cipher
from finalist.errors import ScheduleError
from finalist.language.cipher import Cipher
from finalist.machines.base import Checking
from finalist.machines.registry import machine as find_machine
from finalist.machines.words import Word
from finalist.schedule import parse_schedule
from finalist.tuning import choose

#: What is called before each schedule that is tried.
Step = Callable[[str], object]


@dataclass(frozen=True, slots=True)
class Value:
    """A value of a word: what it changes, and whether it is legal with all else left open.

    ``reason``: why not. ``legal_with``: choices each of which would make it legal.
    """

    value: str
    says: str
    legal: bool
    reason: str = ""
    legal_with: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Choice:
    """A word: what it is about, what the machine takes by itself (None: it has nothing to act on), and why;
    the values that were tried, and what may stand there beside them, in words."""

    word: str
    says: str
    default: str | None
    why: str
    values: tuple[Value, ...]
    others: str

    @property
    def legal(self) -> tuple[str, ...]:
        """The values that are legal with all else left open."""
        return tuple(one.value for one in self.values if one.legal)


@dataclass(frozen=True, slots=True)
class Schedules:
    """The schedules of one operation on one machine; ``default``: what is taken where nothing is said."""

    cipher: str
    machine: str
    operation: str
    key_bits: int
    default: str
    words: tuple[Choice, ...]


def schedules(
    cipher: str | Path | type[Cipher],
    machine: str = "native",
    operation: str = "encrypt",
    key_bits: int | None = None,
    *,
    step: Step = lambda what: None,
) -> Schedules:
    """What may be chosen for a cipher on a machine: each word, what is legal, the default, what is refused.

    ``key_bits``: as `finalist.compile` takes it. Raises what that raises, but for what is refused.

    >>> [value.value for value in finalist.schedules("rc6").words[1].values if value.legal]
    """
    definition = cipher if isinstance(cipher, type) else find_cipher(cipher)
    step("default")
    program = api.compile(definition, machine, operation, key_bits)
    task = (definition, machine, operation, program.key_bits)
    chosen = {text.partition("=")[0]: text.partition("=")[2] for text in program.schedule.texts()}
    found = [_choice(word, chosen.get(word.name), partial(_error, *task), step) for word in _words(machine)]
    return Schedules(
        program.cipher, machine, operation, program.key_bits, str(program.schedule), tuple(found)
    )


def count(machine: str) -> int:
    """How many schedules `schedules` tries, for showing progress."""
    return 1 + sum(len(word.values) for word in _words(machine))


def _words(machine: str) -> Iterator[Word]:
    """The words of a machine, and that for what was tuned where there is anything to tune."""
    yield from find_machine(machine).words
    if choose.tunable(machine):
        yield Word(
            "tuned",
            "what `finalist tune` found quickest, for all that is open",
            "not asked for: programs do not depend on what was tuned, but for `finalist bench` and .new",
            {
                "long": "the quickest for long messages",
                "16": "the quickest for messages of 16 bytes",
                "1024": "the quickest for messages of 1024 bytes",
            },
            "the bytes of a message",
        )


def _choice(
    word: Word, default: str | None, error: Callable[[str], ScheduleError | None], step: Step
) -> Choice:
    """A word with all of its values tried."""
    values = []
    for value, says in word.values.items():
        text = f"{word.name}={value}" if value else word.name
        step(text)
        values.append(_value(word.name, value, says, error(text)))
    return Choice(word.name, word.says, default, word.default, tuple(values), word.others)


def _value(word: str, value: str, says: str, error: ScheduleError | None) -> Value:
    if error is None:
        return Value(value, says, True)
    # Which word and value it is about stands beside it.
    reason = re.sub(rf"^{word}(={re.escape(value)})?(:| is not legal for \S+:) ", "", error.reason)
    return Value(value, says, False, reason, error.remedies())


def _error(
    cipher: type[Cipher], machine: str, operation: str, key_bits: int, text: str
) -> ScheduleError | None:
    """Why a choice is refused; None if it is not."""
    schedule, found = parse_schedule([text]), find_machine(machine)
    try:
        if isinstance(found, Checking) and schedule.tuned is None:
            found.check(cipher, operation=operation, key_bits=key_bits, schedule=schedule)
        else:
            api.compile(cipher, machine, operation, key_bits, schedule)
    except ScheduleError as error:
        return error
    return None
