"""``finalist bench --exported DIR``: libraries that were exported and built, beside what Finalist runs."""

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
    folders: Sequence[Path],
    names: list[str] | None,
    key_bits: int | None,
    targets: Sequence[Path],
    as_json: bool,
) -> None:
    """Measure the functions of libraries, compiled files and what Finalist runs, in turns.

    Raises FolderError where a folder has no library that was built, UnknownNameError, KeyLengthError,
    WorkersError.
    """
    wanted = _wanted(list(map(built_in, folders)), names)
    renewals = [output.part_of(target, _MARK) for target in targets]
    found: dict[tuple[str, int], list[Figure]] = {}
    with output.progress(PROCESSES * len(wanted)) as step:
        for one, library in wanted.items():
            bits = key_bits or one.usual_key_bits()
            step(f"{one.name()} {bits}")
            taken = []
            for figures in measured(one.name(), bits, library.folder):
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


def _wanted(libraries: Sequence[BuiltLibrary], names: list[str] | None) -> dict[type[Cipher], BuiltLibrary]:
    """The ciphers named, or all that are there, each with the first library that has it. Raises
    UnknownNameError."""
    built_in_ones = [cipher(name) for name in cipher_names()]
    there = {one: own for own in reversed(libraries) for one in built_in_ones if own.has(one)}
    folders = " and ".join(str(library.folder) for library in libraries)
    if not names:
        if not there:
            raise UnknownNameError(f"{folders} has no built-in cipher; no others are measured")
        return {one: there[one] for one in built_in_ones if one in there}
    found = {}
    for one in options.ciphers_of(names):
        if not is_built_in(one) or one not in there:
            known = ", ".join(own.name() for own in built_in_ones if own in there)
            accepted = f"accepted: built-in ciphers of this library: {known}"
            raise UnknownNameError(f"{one.source or one.name()} in {folders}; {accepted}")
        found[one] = there[one]
    return found
