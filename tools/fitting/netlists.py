"""The paper's designs as netlists: their longest paths, which a law of wires makes a clock of."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass

from finalist.machines.fpga.mapping import mapped
from finalist.machines.fpga.mapping.timing import CriticalPath
from finalist.machines.fpga.part import Wires, wires
from finalist.papers.fpga import Published, designs, published
from tools.fitting.fit import Constants


@dataclass(frozen=True, slots=True)
class Netlist:
    """A design of the paper that has been mapped. ``mhz``: the geometric mean of the paper's rows."""

    cipher: str
    architecture: str
    mhz: float
    paths: tuple[CriticalPath, ...]

    def clock(self, constants: Constants) -> float:
        """MHz by this law of wires."""
        law = Wires(constants["per_span"], wires().most)
        return 1000 / max(path.ns(law) for path in self.paths)


def present() -> Constants:
    """The constants of the part's file."""
    return {"per_span": wires().per_span}


def netlists(ciphers: frozenset[str] = frozenset()) -> Iterator[Netlist]:
    """Those whose paths come with the package, of all ciphers or of some."""
    by_name = {_name(cipher, architecture): (cipher, architecture) for cipher, architecture in designs()}
    for row in json.loads(mapped.STORED.read_text("utf-8")):
        cipher, architecture = by_name[row["design"].rsplit("-", 1)[0]]
        if "paths" in row and (not ciphers or cipher in ciphers):
            theirs = Published(cipher, architecture, published(cipher, architecture)).theirs("mhz")
            yield Netlist(cipher, architecture, theirs, mapped.read(row).paths)


def _name(cipher: str, architecture: str) -> str:
    """As the design's module is called."""
    return re.sub(r"\W+", "_", f"{cipher}_encrypt_{architecture}".lower())
