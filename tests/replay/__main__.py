"""``python -m tests.replay``: compare the digests of emitted texts with those that are committed.

No C compiler is asked for anything, so that a text is the same on every computer. A run that was stopped goes
on where it was.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import as_completed
from pathlib import Path

from rich.progress import track

from finalist import workers
from finalist.toolchain import compiler
from tests.replay.cases import CHOSEN, Case, cases, digests_of

FOLDER = Path(__file__).with_name("digests")
#: Cases that a process makes one after the other.
_TOGETHER = 12


def committed(folder: Path = FOLDER) -> dict[Case, str]:
    """The digests as they should be. A file for each kind of machine."""
    found = {}
    for path in sorted(folder.glob("*.txt")):
        for line in path.read_text("utf-8").splitlines():
            digest, name, operation, bits, machine, *schedule = line.split()
            found[Case(machine, name, operation, int(bits), " ".join(schedule))] = digest
    return found


def write(digests: Mapping[Case, str], folder: Path = FOLDER) -> None:
    """The files anew."""
    files = defaultdict(list)
    for case, digest in sorted(digests.items()):
        files[case.kind].append(f"{digest:16} {case}\n")
    folder.mkdir(exist_ok=True)
    for old in set(folder.glob("*.txt")) - {folder / f"{kind}.txt" for kind in files}:
        old.unlink()
    for kind, lines in files.items():
        (folder / f"{kind}.txt").write_text("".join(lines), "utf-8")


def differences(known: Mapping[Case, str], found: Mapping[Case, str]) -> Iterator[str]:
    """A line for each text that is another one than it was, or that was not there."""
    for case, digest in sorted(found.items()):
        before = known.get(case)
        if before != digest:
            yield f"{case}: {before or 'not there'} -> {digest}"


def gone(known: Iterable[Case], wanted: Iterable[Case]) -> list[Case]:
    """Cases that are not any more."""
    return sorted(set(known) - set(wanted))


def digests(wanted: Sequence[Case]) -> dict[Case, str]:
    """Of the texts as they are now, by several processes."""
    portions = [wanted[at : at + _TOGETHER] for at in range(0, len(wanted), _TOGETHER)]
    found: dict[Case, str] = {}
    with workers.processes() as pool:
        jobs = [pool.submit(digests_of, portion) for portion in portions]
        for job in track(as_completed(jobs), "emitting", len(jobs), disable=not sys.stderr.isatty()):
            found |= job.result()
    return found


def _without_compiler() -> None:
    """For this process and those that it starts: what is left open then depends on no CPU."""
    os.environ["CC"] = "none-for-replay"
    assert not compiler.available()


def main(arguments: Sequence[str] | None = None) -> int:
    """0 where all is as committed, else 1."""
    parser = argparse.ArgumentParser(prog="python -m tests.replay", description=__doc__)
    parser.add_argument("cipher", nargs="*", help="only these")
    parser.add_argument("--all", action="store_true", help="all texts; without it one in some seventy")
    parser.add_argument("--machine", metavar="KIND", help="all texts of this kind of machine, as plx")
    parser.add_argument("--renew", action="store_true", help="write the digests of all these texts anew")
    chosen = parser.parse_args(arguments)
    _without_compiler()
    known = committed()
    whole = bool(chosen.all or chosen.renew or chosen.cipher or chosen.machine)
    every = [
        case for case in (cases(chosen.cipher) if whole else known) if chosen.machine in (None, case.kind)
    ]
    wanted = every if whole else [case for case in every if case.in_part and known[case] != CHOSEN]
    found = digests(wanted)
    changed = list(differences(known, found))
    left = [] if chosen.cipher or chosen.machine else gone(known, every)
    for line in (*changed, *(f"{case}: not there any more" for case in left)):
        print(line)
    print(f"{len(found)} texts of {len(every)}, {len(changed)} changed")
    if chosen.renew:
        write({case: one for case, one in known.items() if case not in left} | found)
        return 0
    return 1 if changed or left else 0


if __name__ == "__main__":
    sys.exit(main())
