"""What `finalist bench` gives: a row for each quantity, and the figures in it as they are kept."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields

from finalist import notebook
from finalist.measure.figure import Figure


@dataclass(frozen=True, slots=True, repr=False)
class Row:
    """One measurement, with all that it depends on.

    ``quantity``: one of `finalist.measure.bench.QUANTITIES`, where it is said what each is.
    ``ticks`` of the ``clock`` and ``core_cycles`` are per what ``unit`` says; one cycle of the core took
    ``ticks_per_cycle``. ``mbit_per_s``: 10^6 bits a second, None for a key set-up. ``spread``: how far
    the median of the runs lay above the minimum, as a fraction. ``timing``: whether the program's time
    depends on secrets. ``commit``: the state of Finalist itself; ``date``: UTC, ISO 8601. ``definition``: as
    `finalist.ciphers.catalogue.identity` says it; ``vectors``: what the program was held to, published ones
    or the definition's own (`finalist.vectors.load.provenance`). ``program``: a digest of its text;
    ``asked``: the schedule as it was asked for; ``code``: a digest of Finalist's files.
    """

    cipher: str
    operation: str
    key_bits: int
    quantity: str
    ticks: float
    core_cycles: float
    unit: str
    clock: str
    ticks_per_cycle: float
    mbit_per_s: float | None
    spread: float
    data_bytes: int
    machine: str
    processor: str
    compiler: str
    flags: str
    schedule: str
    timing: str
    commit: str
    date: str
    definition: str = ""
    vectors: str = ""
    program: str = ""
    asked: str = ""
    code: str = ""

    def figures(self) -> Iterator[Figure]:
        """Core cycles, ticks and Mbit/s, as they are kept; not what was too short for the clock."""
        told = {f"core cycles {self.unit}": self.core_cycles, f"ticks {self.unit}": self.ticks}
        told |= {} if self.mbit_per_s is None else {"Mbit/s": self.mbit_per_s}
        surroundings = "; ".join(filter(None, (self.compiler, self.flags, self.clock)))
        for unit, value in told.items():
            if value > 0:
                yield Figure(
                    **{name: getattr(self, name) for name in _SHARED},
                    value=value,
                    unit=unit,
                    verified=self.vectors,
                    environment=surroundings,
                )

    def __repr__(self) -> str:
        rate = "" if self.mbit_per_s is None else f", {self.mbit_per_s:.0f} Mbit/s"
        per = f"{self.core_cycles:.2f} cycles {self.unit}"
        return (
            f"<Row {self.cipher} {self.operation}, key of {self.key_bits} bits, {self.quantity}: {per}{rate}>"
        )

    def _repr_html_(self) -> str:
        title = f"{self.cipher} {self.operation}, key of {self.key_bits} bits: {self.quantity}"
        told = ("machine", "processor", "schedule", "timing", "data_bytes", "compiler", "commit", "date")
        values = {name.replace("_", " "): getattr(self, name) for name in told}
        rate = {} if self.mbit_per_s is None else {"Mbit/s": f"{self.mbit_per_s:.0f}"}
        return notebook.table(title, {f"cycles {self.unit}": f"{self.core_cycles:.2f}", **rate, **values})


#: What a row and its figures both have under one name, but for the unit.
_SHARED = ({field.name for field in fields(Row)} & {field.name for field in fields(Figure)}) - {"unit"}
