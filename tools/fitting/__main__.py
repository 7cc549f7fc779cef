"""``python -m tools.fitting``: the FPGA model's constants fitted to the paper's designs; a cipher left out.

Netlists come first, from the paths that the package has of them, which takes no time. Area takes a minute,
nearly all of it for the designs; ``--wires`` fits the estimates' clock as well, which takes some minutes:
each step of the search measures all designs anew. Nothing is written: the constants that the model has are
in ``finalist/machines/fpga/parts/virtex-4.json``.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict
from math import sqrt
from typing import TypeVar

from finalist.machines.fpga.part import virtex
from tools.fitting.designs import WIRES, Row, rows
from tools.fitting.fit import Constants, left_out, rms, searched, weights
from tools.fitting.netlists import Netlist, netlists, present

_Row = TypeVar("_Row", Row, Netlist)


def area_error(constants: Constants, own: Sequence[Row]) -> float:
    """Of the slices, as `rms`."""
    return rms([(sum(constants[n] * row.counts[n] for n in constants) / 2, row.slices) for row in own])


def fitted_area(own: Sequence[Row]) -> Constants:
    """Half slices a count."""
    return weights([row.counts for row in own], [2 * row.slices for row in own])


def clock_error(constants: Constants, own: Sequence[Row]) -> float:
    """Of the clock, as `rms`."""
    return rms([(row.clock(constants), row.mhz) for row in own])


def fitted_wires(own: Sequence[Row]) -> Constants:
    """From the constants that the part has."""
    return searched(present_wires(), lambda constants: clock_error(constants, own), step=0.04, least=0.02)


def present_wires() -> Constants:
    """Those of the part's file."""
    return {name: float(value) for name, value in asdict(virtex()).items() if name in WIRES}


def netlist_error(constants: Constants, own: Sequence[Netlist]) -> float:
    """Of the clock of netlists, as `rms`."""
    return rms([(one.clock(constants), one.mhz) for one in own])


def fitted_netlists(own: Sequence[Netlist]) -> Constants:
    """From the constants that the part has."""
    return searched(present(), lambda constants: netlist_error(constants, own), least=0.002)


def told(what: str, constants: Constants, error: float) -> str:
    """A line: what was fitted, its constants, how far that is from the rows."""
    values = ", ".join(f"{name} {value:.3f}" for name, value in constants.items())
    return f"{what:24} {100 * error:5.1f} % rms   {values}"


def show(
    what: str,
    own: Sequence[_Row],
    present: Constants,
    fit: Callable[[Sequence[_Row]], Constants],
    error: Callable[[Constants, Sequence[_Row]], float],
) -> None:
    """How far the present constants are, those that are fitted, and each cipher by the others."""
    print(f"{what}: {len(present)} constants, {len(own)} designs")
    print(told("as the part has them", present, error(present, own)))
    constants = fit(own)
    print(told("fitted", constants, error(constants, own)))
    found = left_out(own, lambda row: row.cipher, fit, error)
    for cipher, (others, apart) in found.items():
        print(told(f"{cipher} left out", others, apart))
    shares = [found[row.cipher][1] ** 2 for row in own]
    print(told("each by the others", {}, sqrt(sum(shares) / len(shares))))


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the fits."""
    parser = argparse.ArgumentParser(prog="python -m tools.fitting", description=__doc__)
    parser.add_argument("cipher", nargs="*", help="only these of the paper's ciphers, two at the least")
    parser.add_argument("--wires", action="store_true", help="also fit the law of wires")
    chosen = parser.parse_args(arguments)
    some = frozenset(chosen.cipher)
    mapped, own = list(netlists(some)), list(rows(some))
    if len({row.cipher for row in own}) < 2:
        parser.error("two of the paper's ciphers at the least, so that one can be left out")
    show("clock of netlists", mapped, present(), fitted_netlists, netlist_error)
    show("slices", own, virtex().area, fitted_area, area_error)
    if chosen.wires:
        show("clock", own, present_wires(), fitted_wires, clock_error)
    else:
        print(told("clock: as the part has it", present_wires(), clock_error(present_wires(), own)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
