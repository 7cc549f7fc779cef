"""``python -m tools.netlists``: map designs of the FPGA study with Yosys, and store their figures.

Without names, the designs that win a table of the paper come first, then all others; a large one
takes a quarter of an hour. A netlist has its figures stored once it has reproduced 64 blocks. What was mapped
is kept in the cache's folder, so that this can be stopped at any time and goes on; figures of designs whose
text or model has changed since are left out of the file.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from finalist.ciphers.catalogue import cipher as find_cipher
from finalist.errors import ScheduleError
from finalist.machines.fpga import tools
from finalist.machines.fpga.machine import MACHINE
from finalist.machines.fpga.mapping import mapped, yosys
from finalist.machines.fpga.simulation.run import Hardware
from finalist.papers import fpga
from finalist.papers.fpga_tables import winning_designs
from finalist.schedule import Schedule

TARGET = Path(__file__).parent.parent.parent / "finalist/machines/fpga/mapping/netlists.json"
Design = tuple[str, str]


def in_order() -> list[Design]:
    """The paper's designs, those first that win a table there."""
    winning = winning_designs([fpga.Published(*one, fpga.published(*one)) for one in fpga.designs()])
    return list(dict.fromkeys([*winning, *fpga.designs()]))


def compiled(design: Design) -> Hardware:
    """The design as it is emitted."""
    cipher, architecture = design
    return MACHINE.compile(
        find_cipher(cipher),
        operation="encrypt",
        key_bits=fpga.KEY_BITS,
        schedule=Schedule(architecture=architecture),
    )


def mapped_now(design: Design) -> None:
    """Map it, unless that was done before; one that the part has no room for has figures all the same."""
    cipher, architecture = design
    schedule = Schedule(architecture=architecture)
    with suppress(ScheduleError):
        MACHINE.map(find_cipher(cipher), operation="encrypt", key_bits=fpga.KEY_BITS, schedule=schedule)


def rows() -> Iterator[dict[str, Any]]:
    """What is known of each design as it is emitted today."""
    before = {row["design"]: row for row in json.loads(TARGET.read_text("utf-8"))}
    for design in fpga.designs():
        hardware = compiled(design)
        name = mapped.identity(hardware)
        known, found = before.get(name, {}), mapped.kept(hardware, MACHINE.netlists())
        if found is not None and found.paths and "paths" not in known:
            yield {"design": name, **mapped.written(found), "mapped_by": version()}
        elif known:
            yield known


def version() -> str:
    """The synthesiser."""
    return " ".join(tools.run([yosys.program(), "--version"], seconds=60).split()[:2])


def written(found: Sequence[dict[str, Any]]) -> str:
    """The file, a line a design."""
    return "[\n" + ",\n".join(json.dumps(row) for row in found) + "\n]\n"


def main(arguments: Sequence[str] | None = None) -> int:
    """Map, and write after each."""
    parser = argparse.ArgumentParser(description="Map designs of the FPGA study, and store their figures.")
    parser.add_argument("designs", nargs="*", metavar="CIPHER/ARCHITECTURE", help="all without any")
    wanted = [tuple(name.split("/")) for name in parser.parse_args(arguments).designs] or in_order()
    unknown = [design for design in wanted if design not in fpga.designs()]
    if unknown:
        parser.error(f"{'/'.join(unknown[0])} is none of the paper's; accepted: CIPHER/ARCHITECTURE")
    for number, (cipher, architecture) in enumerate(wanted, 1):
        print(f"{number} of {len(wanted)}: {cipher} {architecture}", flush=True)
        mapped_now((cipher, architecture))
        half = TARGET.with_suffix(".part")
        half.write_text(written(list(rows())), "utf-8")
        half.replace(TARGET)
    return 0


if __name__ == "__main__":
    sys.exit(main())
