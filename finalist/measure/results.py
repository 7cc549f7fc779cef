"""Where figures are kept: a file of JSON lines, one a figure, only ever appended to."""

from __future__ import annotations

from dataclasses import dataclass

from finalist import notebook
from finalist.errors import FinalistError
from finalist.measure import records


class ResultsError(FinalistError):
    """The results file can't be read or written."""


@dataclass(frozen=True, slots=True, repr=False)
class Row:
    """One figure, with all that it depends on.

    ``quantity``: one of `finalist.measure.bench.QUANTITIES`, where it is said what each is.
    ``ticks`` of the ``clock`` and ``core_cycles`` are per what ``unit`` says; one cycle of the core took
    ``ticks_per_cycle``. ``mbit_per_s``: 10^6 bits a second, None for a key set-up. ``spread``: how far
    the median of the runs lay above the minimum, as a fraction. ``timing``: whether the program's time
    depends on secrets. ``commit``: the state of Finalist itself; ``date``: UTC, ISO 8601. ``definition``: as
    `finalist.ciphers.catalogue.identity` says it; ``vectors``: what the program was held to, published ones
    or the definition's own (`finalist.vectors.load.provenance`).
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


Results = records.Found[Row]

#: ``$FINALIST_RESULTS``, else finalist/results.jsonl in the user's folder for state (XDG).
STORE = records.Store(Row, "the results file", "FINALIST_RESULTS", "results.jsonl", ResultsError)
results_file, append, read = STORE.file, STORE.append, STORE.read
