"""The FPGA study of the finalists (Elbirt, Yip, Chetwynd, Paar, IEEE Trans. VLSI), and ours beside it.

Tables VI and VII: 47 designs, optimised for speed and for area, in non-feedback modes; VIII and IX: the same
in feedback modes.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from math import log, sqrt
from typing import Any

from finalist.cache.folder import cache_folder
from finalist.ciphers.catalogue import cipher as find_cipher
from finalist.errors import ScheduleError
from finalist.language.cipher import Cipher
from finalist.machines.base import Estimated, Estimating, Mapped
from finalist.machines.registry import machine
from finalist.papers.load import notes_on, paper
from finalist.schedule import Schedule
from finalist.vectors.check import check_known_answers
from finalist.vectors.load import KnownAnswer, vectors_of

MACHINE = "fpga"
KEY_BITS = 128
LANGUAGES = ("verilog", "vhdl")
#: Known answers that a simulation is held to: so many of the first key, and of the last.
VECTORS = 8
SPEED, AREA = ("VI", "VIII"), ("VII", "IX")


@dataclass(frozen=True, slots=True)
class Row:
    """A design of the paper: its rows by table, our estimate, and what its netlist gave if it was mapped."""

    cipher: str
    architecture: str
    published: dict[str, dict[str, float]]
    estimate: Estimated
    mapped: Mapped | None
    #: The languages in which simulation of the emitted text has reproduced vectors on this computer.
    simulated: tuple[str, ...] = ()

    def theirs(self, what: str) -> float:
        """The geometric mean of the paper's speed and area rows; they differ by 12 % in clock."""
        name = {"mhz": "clock_mhz"}.get(what, what)
        return sqrt(self.published["VI"][name] * self.published["VII"][name])

    def ours(self, what: str) -> float:
        """Slices or MHz: of the netlist where there is one, else the estimate."""
        source = self.estimate if self.mapped is None else self.mapped
        return float(source.slices if what == "slices" else source.mhz)


def designs() -> list[tuple[str, str]]:
    """The paper's (cipher, architecture), each once, in its order."""
    return list(dict.fromkeys((row["cipher"], row["architecture"]) for row in paper("fpga")["rows"]))


def row(cipher: str, architecture: str, *, make: bool = False, simulate: bool = False) -> Row:
    """One design; ``make``: also map it, which takes minutes; ``simulate``: run vectors in both languages.

    Raises what the machine raises, and VectorError.
    """
    found = hardware()
    wanted: dict[str, Any] = {
        "operation": "encrypt",
        "key_bits": KEY_BITS,
        "schedule": Schedule(architecture=architecture),
    }
    definition = find_cipher(cipher)
    own = [r for r in paper("fpga")["rows"] if (r["cipher"], r["architecture"]) == (cipher, architecture)]
    return Row(
        cipher,
        architecture,
        {entry["table"]: entry for entry in own},
        found.estimate(definition, **wanted),
        _mapped(found, definition, wanted, make),
        tuple(language for language in LANGUAGES if _simulated(cipher, architecture, language, simulate)),
    )


def _mapped(found: Estimating, definition: type[Cipher], wanted: dict[str, Any], make: bool) -> Mapped | None:
    """The netlist's figures, known or made now; those of one that is too large for the part as well."""
    if make:
        with suppress(ScheduleError):  # what does not fit has figures all the same, and the paper has some
            found.map(definition, **wanted)
    return found.known(definition, **wanted)


def _simulated(cipher: str, architecture: str, language: str, make: bool) -> bool:
    """Whether the emitted text has reproduced vectors in simulation; made now if asked for, kept then."""
    folder, name = cache_folder() / "simulated", f"{cipher}-{architecture}-{language}"
    if not make and not any(folder.glob(f"{name}-*")):
        return False
    program = machine(MACHINE).compile(
        find_cipher(cipher),
        operation="encrypt",
        key_bits=KEY_BITS,
        schedule=Schedule(architecture=architecture, language=language),
    )
    mark = folder / f"{name}-{_digest(program.text)}"
    if make and not mark.exists():
        check_known_answers(program, _of_two_keys(vectors_of(find_cipher(cipher))))
        folder.mkdir(parents=True, exist_ok=True)
        mark.touch()
    return mark.exists()


def _of_two_keys(vectors: Iterable[KnownAnswer]) -> list[KnownAnswer]:
    """A few known answers, with one change of key: in a simulator, writing round keys takes longest."""
    known = [row for row in vectors if len(row.key) * 8 == KEY_BITS]
    keys = dict.fromkeys((known[0].key, known[-1].key))
    return [row for key in keys for row in [row for row in known if row.key == key][:VECTORS]]


def _digest(text: str) -> str:
    """A hash of an emitted text; estimates and other comments count for nothing."""
    lines = (line for line in text.split("\n") if not line.startswith(("//", "--")))
    return sha256("\n".join(lines).encode()).hexdigest()[:24]


def hardware() -> Estimating:
    """The machine."""
    found = machine(MACHINE)
    assert isinstance(found, Estimating)
    return found


def error(rows: Iterable[Row], what: str, *, only_mapped: bool = False) -> float:
    """Root mean square of log(ours / theirs); of the estimate, or of the netlists alone."""
    logs = [
        log((row.ours(what) if only_mapped else _estimated(row, what)) / row.theirs(what))
        for row in rows
        if row.mapped is not None or not only_mapped
    ]
    return sqrt(sum(value * value for value in logs) / len(logs)) if logs else 0.0


def _estimated(row: Row, what: str) -> float:
    return float(row.estimate.slices if what == "slices" else row.estimate.mhz)


@dataclass(frozen=True, slots=True)
class Conclusion:
    """A ranking of ciphers by their best design, the first first: the paper's and ours."""

    what: str
    theirs: tuple[str, ...]
    ours: tuple[str, ...]

    @property
    def holds(self) -> bool:
        """Whether both rank the same cipher first."""
        return self.theirs[0] == self.ours[0]

    @property
    def same(self) -> bool:
        """Whether all ranks agree."""
        return self.theirs == self.ours


def conclusions(rows: Sequence[Row]) -> list[Conclusion]:
    """Best throughput, and best throughput a slice, with full pipelines and in feedback modes."""
    found = []
    for mode, table in (("non-feedback", "VI"), ("feedback", "VIII")):
        for each in ("throughput", "throughput per slice"):
            theirs = {id(row): _published(row, table, each) for row in rows}
            ours = {id(row): _own(row, mode, each) for row in rows}
            found.append(Conclusion(f"{each}, {mode}", _ranking(rows, theirs), _ranking(rows, ours)))
    return found


def _published(row: Row, table: str, what: str) -> float:
    entry = row.published[table]
    per = entry["throughput_per_slice_bit_s"] if "slice" in what else entry["throughput_mbit_s"]
    return float(per)


def _own(row: Row, mode: str, what: str) -> float:
    feedback = mode == "feedback"
    speed = row.estimate.feedback_mbit_s if feedback else row.estimate.mbit_s
    return speed / row.estimate.slices if "slice" in what else speed


def _ranking(rows: Sequence[Row], value: dict[int, float]) -> tuple[str, ...]:
    best: dict[str, float] = {}
    for row in rows:
        best[row.cipher] = max(best.get(row.cipher, 0.0), value[id(row)])
    return tuple(sorted(best, key=lambda cipher: -best[cipher]))


def left_out() -> list[tuple[str, str]]:
    """Designs of the finalist that the paper has none of."""
    return [(name, architecture) for name, own in notes_on("fpga")["further"].items() for architecture in own]
