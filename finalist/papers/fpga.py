"""The FPGA study of the finalists (Elbirt, Yip, Chetwynd, Paar, IEEE Trans. VLSI), and ours beside it.

Tables VI and VII: 47 designs, optimised for speed and for area, in non-feedback modes; VIII and IX: the same
in feedback modes.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from hashlib import sha256
from linecache import getline
from math import sqrt
from typing import Any

from finalist.cache.folder import cache_folder
from finalist.ciphers.catalogue import cipher as find_cipher
from finalist.errors import ScheduleError
from finalist.language.cipher import Cipher
from finalist.machines.base import Estimated, Estimating, Mapped
from finalist.machines.registry import machine
from finalist.papers.load import notes_on, paper
from finalist.resumable import Resumable
from finalist.schedule import Schedule
from finalist.vectors.check import check_known_answers
from finalist.vectors.load import KnownAnswer, vectors_of

MACHINE = "fpga"
KEY_BITS = 128
LANGUAGES = ("verilog", "vhdl")
#: What the paper optimised designs for, and our word for it.
AIMS = {"speed": "speed", "area": "size"}
#: Known answers that a simulation is held to: so many of the first key, and of the last.
VECTORS = 8
#: Figures of `Row.theirs` that the paper's data has under another name.
FEEDBACK = "feedback_mbit_s"
FIELDS = {"mhz": "clock_mhz", "mbit_s": "throughput_mbit_s", FEEDBACK: "throughput_mbit_s"}


@dataclass(frozen=True, slots=True)
class Published:
    """A design of the paper: its rows by table."""

    cipher: str
    architecture: str
    published: dict[str, dict[str, float]]

    def theirs(self, what: str) -> float:
        """The geometric mean of the paper's speed and area rows: a figure by its name in the paper's data."""
        tables = ("VIII", "IX") if what == FEEDBACK else ("VI", "VII")
        one, other = (self.published[table][FIELDS.get(what, what)] for table in tables)
        return sqrt(one * other)


@dataclass(frozen=True, slots=True)
class Row(Published):
    """A design of the paper with our estimate, and what its netlist gave if it was mapped.

    ``made``: our estimates of the design made for "speed" and for "area", as the paper's rows are.
    """

    estimate: Estimated
    mapped: Mapped | None
    #: The languages in which simulation of the emitted text has reproduced vectors on this computer.
    simulated: tuple[str, ...] = ()
    made: Mapping[str, Estimated] = field(default_factory=dict)

    @property
    def ways(self) -> Mapping[str, Estimated]:
        """All of our estimates by what the design was made for, first without that."""
        return {"": self.estimate, **self.made}


def designs() -> list[tuple[str, str]]:
    """The paper's (cipher, architecture), each once, in its order."""
    return list(dict.fromkeys((row["cipher"], row["architecture"]) for row in paper("fpga")["rows"]))


def published(cipher: str, architecture: str) -> dict[str, dict[str, float]]:
    """The paper's rows of a design, by table."""
    own = [r for r in paper("fpga")["rows"] if (r["cipher"], r["architecture"]) == (cipher, architecture)]
    return {entry["table"]: entry for entry in own}


def measuring(
    wanted: Sequence[tuple[str, str]], *, make: bool = False, simulate: bool = False
) -> Resumable[tuple[str, str], Row]:
    """The rows of these designs; arguments as of `row`, which keeps what takes long."""
    return Resumable(partial(_row, make, simulate), wanted)


def _row(make: bool, simulate: bool, design: tuple[str, str]) -> Row:
    return row(*design, make=make, simulate=simulate)


def row(cipher: str, architecture: str, *, make: bool = False, simulate: bool = False) -> Row:
    """One design; ``make``: also map it, which takes minutes; ``simulate``: run vectors in both languages.

    Raises what the machine raises, and VectorError.
    """
    found = hardware()
    schedule = Schedule(architecture=architecture)
    wanted: dict[str, Any] = {"operation": "encrypt", "key_bits": KEY_BITS, "schedule": schedule}
    aims = {aim: {**wanted, "schedule": schedule.over(Schedule(optimise=word))} for aim, word in AIMS.items()}
    definition = find_cipher(cipher)
    return Row(
        cipher,
        architecture,
        published(cipher, architecture),
        found.estimate(definition, **wanted),
        _mapped(found, definition, wanted, make),
        tuple(language for language in LANGUAGES if _simulated(cipher, architecture, language, simulate)),
        {aim: found.estimate(definition, **these) for aim, these in aims.items()},
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


@dataclass(frozen=True, slots=True)
class Share:
    """Of the critical path of a round what a line of the definition takes; ``text`` is empty for what
    hardware alone has: multiplexers, where rounds that differ share it."""

    text: str
    fraction: float


def shares(cipher: str) -> list[Share]:
    """Where the time of a round goes, by estimate of LU-1, the largest share first."""
    found = hardware().critical_path(
        find_cipher(cipher), operation="encrypt", key_bits=KEY_BITS, schedule=Schedule(architecture="LU-1")
    )
    by_line: dict[str, float] = {}
    for hop in found:
        by_line[hop.line] = by_line.get(hop.line, 0.0) + hop.ns
    whole = sum(by_line.values())
    made = [Share(_text_of(line), ns / whole) for line, ns in by_line.items()]
    return sorted(made, key=lambda share: -share.fraction)


def _text_of(line: str) -> str:
    path, _, number = line.rpartition(":")
    return getline(path, int(number)).strip() if path else ""


def key_storage(cipher: str) -> int:
    """The slices that the round keys of our designs take at the least, two bits in each."""
    found = hardware().estimate(
        find_cipher(cipher),
        operation="encrypt",
        key_bits=KEY_BITS,
        schedule=Schedule(architecture="LU-1"),
    )
    return -(-found.stored_key_bits // 2)


def least_key_storage() -> dict[str, int]:
    """The paper's least slices for the round keys, by cipher."""
    return dict(paper("fpga")["key_storage_min_slices"])


def left_out() -> list[tuple[str, str]]:
    """Designs of the finalist that the paper has none of."""
    return [(name, architecture) for name, own in notes_on("fpga")["further"].items() for architecture in own]
