"""``python -m tools.fitting``: the FPGA model's constants fitted to the paper's designs; a cipher left out.

Area takes a minute, nearly all of it for the designs; ``--wires`` fits the clock as well, which takes some
minutes: each step of the search measures all designs anew. Nothing is written: the constants that the model
has are in ``finalist/machines/fpga/parts/virtex-4.json``.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import asdict
from math import sqrt

from finalist.machines.fpga.part import virtex
from tools.fitting.designs import WIRES, Row, rows
from tools.fitting.fit import Constants, left_out, rms, searched, weights


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


def told(what: str, constants: Constants, error: float) -> str:
    """A line: what was fitted, its constants, how far that is from the rows."""
    values = ", ".join(f"{name} {value:.3f}" for name, value in constants.items())
    return f"{what:24} {100 * error:5.1f} % rms   {values}"


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the fits."""
    parser = argparse.ArgumentParser(prog="python -m tools.fitting", description=__doc__)
    parser.add_argument("cipher", nargs="*", help="only these of the paper's ciphers, two at the least")
    parser.add_argument("--wires", action="store_true", help="also fit the law of wires")
    chosen = parser.parse_args(arguments)
    own = list(rows(frozenset(chosen.cipher)))
    if len({row.cipher for row in own}) < 2:
        parser.error("two of the paper's ciphers at the least, so that one can be left out")
    fits = [
        ("slices", virtex().area, fitted_area, area_error),
        ("clock", present_wires(), fitted_wires, clock_error),
    ]
    for what, present, fit, error in fits:
        print(f"{what}: {len(present)} constants, {len(own)} designs")
        print(told("as the part has them", present, error(present, own)))
        if what == "clock" and not chosen.wires:
            continue
        constants = fit(own)
        print(told("fitted", constants, error(constants, own)))
        found = left_out(own, lambda row: row.cipher, fit, error)
        for cipher, (others, apart) in found.items():
            print(told(f"{cipher} left out", others, apart))
        shares = [found[row.cipher][1] ** 2 for row in own]
        print(told("each by the others", {}, sqrt(sum(shares) / len(shares))))
    return 0


if __name__ == "__main__":
    sys.exit(main())
