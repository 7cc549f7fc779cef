"""``python -m tools.subkeys``: one block under a fresh key, with round keys stored and computed.

Of each cipher that takes `subkeys=computed` on native, the key set-up and the block in cycles, scalar, and
how many times as long as with stored round keys they take together. Both are measured in turns, so that a
noisy computer is as noisy for each. With ``-o`` the table on a page is renewed.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from finalist import api
from finalist.ciphers.catalogue import USUAL_GROUP, cipher, cipher_names
from finalist.cli import output
from finalist.errors import ScheduleError
from finalist.machines.base import CompiledProgram
from finalist.machines.native.run import NativeProgram
from finalist.measure.clock import Measurement, measure_call, measure_setup
from finalist.measure.turns import measure_in_turns
from finalist.report import markdown
from finalist.report.sheets import Row
from finalist.schedule import Schedule

MARK = "python -m tools.subkeys"
ONE = Schedule(blocks=1, width=1)
#: What is measured beside ``stored``: with tables of keyed functions they are still set up, so without them.
KINDS = {
    "computed": Schedule(subkeys="computed"),
    "stored, keyed-tables=zero": Schedule(keyed_tables="zero"),
    "computed, keyed-tables=zero": Schedule(subkeys="computed", keyed_tables="zero"),
}
HEADER = ("cipher", "round keys", "key set-up", "block", "both", "times stored")


@dataclass(frozen=True, slots=True)
class Taken:
    """Cycles of a program: its key set-up, and one block."""

    cipher: str
    kind: str
    setup: float
    block: float

    @property
    def both(self) -> float:
        """A block under a fresh key."""
        return self.setup + self.block


def programs(name: str) -> dict[str, CompiledProgram]:
    """Those of a cipher by kind, the one with stored round keys first; none where no other is legal."""
    made = ((kind, _program(name, choices)) for kind, choices in {"stored": Schedule(), **KINDS}.items())
    found = {kind: program for kind, program in made if program is not None}
    return found if "computed" in found else {}


def _program(name: str, choices: Schedule) -> CompiledProgram | None:
    """The program, its tables read where it has some; None where that is not legal."""
    for tables in (Schedule(lookup="load"), Schedule()):
        with suppress(ScheduleError):
            return api.compile(name, "native", "encrypt", None, choices.over(tables).over(ONE))
    return None


def taken(name: str, seconds: float) -> list[Taken]:
    """The figures of a cipher, all taken in turns."""
    found = programs(name)
    bits = cipher(name).usual_key_bits()
    key = bytes(range(bits // 8))
    work, alive = [], []  # an expanded key is memory that has to stay while it is written and read
    for one in found.values():
        assert isinstance(one, NativeProgram)
        expanded = one.expand(key)
        alive.append(expanded)
        work += [
            partial(measure_setup, one.function_address("expand"), key, expanded.address),
            partial(measure_call, one.function_address("encrypt"), expanded.address, one.block_bytes),
        ]
    figures: list[Measurement] = measure_in_turns(work, seconds=seconds) if work else []
    del alive
    pairs = zip(found, figures[::2], figures[1::2], strict=True)
    return [Taken(name, kind, setup.core_cycles, block.core_cycles) for kind, setup, block in pairs]


def rows(figures: Sequence[Taken]) -> Iterator[Row]:
    """The table's, each cipher's stored round keys first."""
    for one in figures:
        stored = next(other for other in figures if (other.cipher, other.kind) == (one.cipher, "stored"))
        cycles = (f"{one.setup:.0f}", f"{one.block:.0f}", f"{one.both:.0f}")
        yield (one.cipher, one.kind, *cycles, f"{one.both / stored.both:.2f}")


def main(arguments: Sequence[str] | None = None) -> int:
    """Measures, and shows or writes the table."""
    parser = argparse.ArgumentParser(prog=MARK, description=__doc__)
    parser.add_argument("cipher", nargs="*", help="only these")
    parser.add_argument("--seconds", type=float, default=1.0, help="for each figure")
    parser.add_argument("-o", "--output", type=Path, help="the page to renew")
    chosen = parser.parse_args(arguments)
    show = output.part_of(chosen.output, MARK) if chosen.output else print
    figures: list[Taken] = []
    for name in chosen.cipher or cipher_names(USUAL_GROUP):
        figures += taken(name, chosen.seconds)
        print(name, file=sys.stderr)
    show(markdown.table(HEADER, rows(figures), 4).rstrip())
    return 0


if __name__ == "__main__":
    sys.exit(main())
