"""Hardware as a machine gives it: a circuit, and what it promises of keys, blocks and cycles."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol, runtime_checkable

from finalist.ir.program import Program
from finalist.netlist.circuit import Circuit
from finalist.schedule import Schedule


@dataclass(frozen=True, slots=True)
class Field:
    """A word of the expanded key in what is written to the key port: of which program, which of its arrays
    and which entry; its lowest bit and its width there."""

    program: int
    array: int
    entry: int
    low: int
    width: int


@dataclass(frozen=True, slots=True)
class Promise:
    """How keys and blocks go through a circuit, as its text says.

    A key is written to ``key_word`` in ``key_words`` words, one a cycle with ``key_load`` high, and is ready
    ``key_cycles`` later. These are the lowest first of ``fields``, which the ``programs``' key schedules
    make, or where there are none the key itself, its first byte in the highest bits of the first word.

    A block is taken with ``start`` and ``ready`` high, its first byte in the highest bits of ``block_in``,
    and is in ``block_out`` so many cycles after the next one as ``latency`` says, with ``valid`` high.
    ``under_way``: blocks at once. ``decrypt``: what that port says, of those that have it.
    """

    key_words: int
    key_cycles: int
    latency: int
    under_way: int
    programs: tuple[Program, ...] = ()
    fields: tuple[Field, ...] = ()
    decrypt: int | None = None


@dataclass(frozen=True, slots=True)
class Emitted:
    """A circuit with its promise. ``form``: what it was read of; ``text``: that, or what it was made of;
    ``schedule``: under which; ``engines``: programs that read and made it, with versions; ``key_stream``: the
    words of a key."""

    circuit: Circuit
    promise: Promise
    form: str
    text: str
    schedule: str
    engines: tuple[str, ...]
    key_stream: Callable[[bytes], list[int]] = field(repr=False)


@runtime_checkable
class GivesNetlists(Protocol):
    """A machine whose programs are hardware, of which circuits can be had.

    ``forms``: what they are read of, the text as it is first, then what a mapper made of it.
    """

    forms: tuple[str, str]

    def netlist(self, traced: Program, schedule: Schedule, form: str) -> Emitted:
        """The circuit of a program. Raises ScheduleError where there is none, CompilerError where what reads
        or maps the text is missing or fails."""
        ...
