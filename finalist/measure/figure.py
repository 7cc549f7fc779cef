"""A figure: one number that was found of one program, with all that it depends on."""

from __future__ import annotations

import hashlib
import shlex
from dataclasses import dataclass

from finalist import notebook
from finalist.ciphers import is_path

#: The quantity of a row that says why there is no figure.
REFUSED = "refused"
#: What a figure is called whose program has run no vectors, as estimates of hardware have not.
NOT_EXECUTED = "estimate, not executed"
#: Units that a greater number is better in end so.
_RATES = ("/s", "MHz", "/s per slice")
#: Several numbers may say one thing, of one measurement: the first of these is the one that is compared.
_FIRST = ("core cycles", "cycles", "")
_LAST = ("ticks", "Mbit/s")


@dataclass(frozen=True, slots=True, repr=False)
class Figure:
    """One figure.

    ``definition``: the cipher by file and class, as `finalist.ciphers.catalogue.identity` says it.
    ``machine``: with its parameters. ``asked``: the schedule as it was asked for, ``schedule`` with nothing
    left open. ``quantity``: what the ``value``, in this ``unit``, is of; ``data_bytes``: the bytes of a
    message, or of a block, where that matters. ``spread``: how far the median of the runs lay above the
    minimum, as a fraction; 0 where nothing varies. ``timing``: whether the program's time depends on secrets.
    ``program``: a digest of its text (`digest`). ``verified``: what it was held to first. ``commit``: the
    state of Finalist, ``code``: a digest of its files; ``date``: UTC, ISO 8601. ``processor`` and
    ``environment``: what else the figure depends on here, empty where it depends on nothing, as in a
    simulator. ``refused``: why there is no figure, else empty. ``point``: of which point of a sweep it is.
    """

    cipher: str
    operation: str
    key_bits: int
    machine: str
    schedule: str
    quantity: str
    value: float
    unit: str
    data_bytes: int
    spread: float
    timing: str
    program: str
    verified: str
    commit: str
    date: str
    processor: str = ""
    environment: str = ""
    definition: str = ""
    asked: str = ""
    code: str = ""
    refused: str = ""
    point: str = ""

    @property
    def name(self) -> str:
        """The definition; rows of old files have none but the cipher's name."""
        return self.definition or self.cipher

    @property
    def fingerprint(self) -> str:
        """Short for the environment: 12 hex digits, empty where the figure depends on none."""
        told = "; ".join(filter(None, (self.processor, self.environment)))
        return digest(told)[:12] if told else ""

    @property
    def rank(self) -> int:
        """Of the numbers that say one thing, which is compared: the least."""
        if self.unit.startswith(_LAST):
            return len(_FIRST) + (0 if self.unit.startswith(_LAST[0]) else 1)
        return next(place for place, start in enumerate(_FIRST) if self.unit.startswith(start))

    @property
    def is_rate(self) -> bool:
        """Whether more is better."""
        return self.unit.endswith(_RATES)

    @property
    def source(self) -> str:
        """The cipher as commands take it: a name, or a file, with its parameters."""
        if not is_path(self.definition):
            return self.name
        file, _, *values = self.definition.split(":")
        return ":".join((file, *values))

    @property
    def command(self) -> str:
        """What prints the program that the figure is of."""
        words = ["finalist", "emit", self.source, "--machine", self.machine]
        words += ["--key-bits", str(self.key_bits)] if self.key_bits else []
        if "directions=both" not in self.asked.split():
            words += ["--operation", self.operation]
        choices = [part for word in self.asked.split() if word != "default" for part in ("-s", word)]
        return shlex.join([*words, *choices])

    def __repr__(self) -> str:
        told = self.refused or f"{self.value:.4g} {self.unit}"
        return f"<Figure {self.title}: {self.quantity}, {told}>"

    @property
    def title(self) -> str:
        """What it is of."""
        return f"{self.cipher} {self.operation}, key of {self.key_bits} bits, {self.machine}"

    def _repr_html_(self) -> str:
        told = ("schedule", "timing", "data_bytes", "verified", "processor", "environment", "commit", "date")
        values = {name.replace("_", " "): getattr(self, name) for name in told}
        return notebook.table(f"{self.title}: {self.quantity}", {self.unit: f"{self.value:.4g}", **values})


def digest(text: str) -> str:
    """What tells one text from another: 16 hex digits."""
    return hashlib.sha256(text.encode()).hexdigest()[:16]
