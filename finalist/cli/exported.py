"""``finalist bench --exported DIR``: a library that was exported and built, beside what Finalist runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from finalist.ciphers.catalogue import cipher, cipher_names, is_built_in
from finalist.cli import options, output, sheets
from finalist.errors import UnknownNameError
from finalist.export.figures.built import BuiltLibrary, built_in
from finalist.export.figures.processes import PROCESSES, Figure, least, measured
from finalist.language.cipher import Cipher
from finalist.report import exported as report
from finalist.report.sheets import page

_MARK = "finalist bench --exported"


def bench(
    folder: Path, names: list[str] | None, key_bits: int | None, targets: Sequence[Path], as_json: bool
) -> None:
    """Measure a library's functions, compiled files and what Finalist runs, in turns.

    Raises FolderError where the folder has no library that was built, UnknownNameError, KeyLengthError.
    """
    library = built_in(folder)
    wanted = _ciphers(library, names)
    renewals = [output.part_of(target, _MARK) for target in targets]
    found: dict[tuple[str, int], list[Figure]] = {}
    with output.progress(PROCESSES * len(wanted)) as step:
        for one in wanted:
            bits = key_bits or one.usual_key_bits()
            step(f"{one.name()} {bits}")
            taken = []
            for figures in measured(one.name(), bits, folder):
                taken.append(figures)
                if len(taken) < PROCESSES:
                    step(f"{one.name()} {bits}")
            found[one.name(), bits] = least(taken)
    made = list(report.sheets(found))
    for renew in renewals:
        renew(page(made))
    rows = [(name, bits, one) for (name, bits), own in found.items() for one in own]
    told = [{"cipher": name, "key_bits": bits} | asdict(one) for name, bits, one in rows]
    output.show_either(as_json, told, sheets.shown(made), *targets)


def _ciphers(library: BuiltLibrary, names: list[str] | None) -> list[type[Cipher]]:
    """The ciphers named, or all that the library has. Raises UnknownNameError."""
    there = [one for one in map(cipher, cipher_names()) if library.has(one)]
    if not names:
        if not there:
            raise UnknownNameError(f"{library.folder} has no built-in cipher; no others are measured")
        return there
    wanted = options.ciphers_of(names)
    for one in wanted:
        if not is_built_in(one) or not library.has(one):
            accepted = f"accepted: built-in ciphers of this library: {', '.join(one.name() for one in there)}"
            raise UnknownNameError(f"{one.source or one.name()} in {library.folder}; {accepted}")
    return wanted
