"""``python -m tools.packets MACHINE CIPHER``: how many packets a second the simulator executes here.

A packet is what is issued together. Seconds are of the processor, so that other work on the computer counts
less; compilation of the simulator's C is not in them.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from time import process_time

from finalist.isa.simulate.exposed import packets
from finalist.isa.simulate.run import Session, SimulatedProgram
from finalist.measure.cycles import checked
from finalist.schedule import parse_schedule

#: Seconds of one run at least.
_LEAST = 1.0


def main(arguments: Sequence[str] | None = None) -> int:
    """Measures; 0 if so many packets were executed as are asked for, 2 on a machine that issues none."""
    parser = argparse.ArgumentParser(prog="python -m tools.packets", description=__doc__)
    parser.add_argument("machine")
    parser.add_argument("cipher")
    parser.add_argument("--operation", default="encrypt", help="(default: %(default)s)")
    parser.add_argument("-s", "--schedule", action="append", default=[], metavar="WORD=VALUE")
    parser.add_argument("--least", type=float, default=0.0, help="millions a second that are asked for")
    chosen = parser.parse_args(arguments)
    program = checked(chosen.cipher, chosen.machine, chosen.operation, None, parse_schedule(chosen.schedule))
    if not isinstance(program, SimulatedProgram) or not program.processor.exposed:
        print(f"{chosen.machine} issues no packets; accepted: machines that do", file=sys.stderr)
        return 2
    blocks = 1024
    while (found := executed(program, blocks))[1] < _LEAST:
        blocks *= 4
    count, seconds = found
    print(f"{chosen.machine} {chosen.cipher}: {count / seconds / 1e6:.1f} million packets a second")
    return int(count < 1e6 * chosen.least * seconds)


def executed(program: SimulatedProgram, blocks: int) -> tuple[int, float]:
    """Packets that so many blocks take, and the seconds of the processor for them."""
    data = bytes(blocks * program.program.block.bytes)
    session = Session(program, bytes(program.key_bits // 8), len(data))
    before = process_time()
    session.crypt(data)
    seconds = process_time() - before
    counts = session.counts()
    return sum(counts.executed[places[0]] for places in packets(program.simulator.code)), seconds


if __name__ == "__main__":
    sys.exit(main())
