"""``finalist paper gladman``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from finalist.ciphers.catalogue import cipher as find_cipher
from finalist.cli import options, output, sheets
from finalist.errors import UnknownNameError
from finalist.measure import clock
from finalist.papers import gladman as papers
from finalist.papers import gladman_choices as lengths
from finalist.papers import gladman_choices as others
from finalist.papers.gladman import Cell
from finalist.report import gladman as report
from finalist.resumable import Resumable
from finalist.schedule import Schedule
from finalist.workers import HERE

_WORDS = {64: "this computer's own words", 32: f"words of 32 bits ({' '.join(papers.FLAGS_32)})"}


def gladman(
    bits: Annotated[
        int, typer.Option(help="64: code for this computer; 32: code for words of 32 bits, as his was.")
    ] = 64,
    seconds: Annotated[float, typer.Option(help="Time for one figure, in seconds.")] = clock.SECONDS,
    choices: Annotated[
        bool,
        typer.Option("--choices", help="Instead: byte order left out; schedules by length of message."),
    ] = False,
    claims: options.Claims = False,
    target: options.Page = None,
    as_json: options.AsJson = False,
) -> None:
    """Gladman's tables of 1999 taken on this computer, by his method, and his beside.

    Key set-up, encryption and decryption of all candidates at 128, 192 and 256 bits, each program having
    just reproduced its vectors; speeds; the ranking by length of message.
    """
    if claims:
        sheets.show_claims("gladman", as_json=as_json)
        return
    if choices:
        _show_choices(seconds, target, as_json=as_json)
        return
    if bits not in _WORDS:
        raise UnknownNameError(f"--bits {bits}; accepted: {', '.join(map(str, _WORDS))}")
    renew = output.part_of(target, f"finalist paper gladman --bits {bits}")
    cells = _cells(bits, seconds)
    frequency = clock.ticks_per_second() / clock.ticks_per_cycle()
    found = list(report.sheets(cells, frequency, f"plain C for {_WORDS[bits]}, without vectors"))
    sheets.show(found, renew, target, as_json, [asdict(cell) for cell in cells.values()])


def _cells(bits: int, seconds: float) -> Mapping[tuple[str, int], Cell]:
    wanted = [(name, length) for name in papers.rows() for length in papers.KEY_BITS]
    wanted += [(name, find_cipher(name).usual_key_bits()) for name in papers.references()]
    work = Resumable(lambda asked: papers.measure(*asked, seconds=seconds, bits=bits), wanted)
    return output.done(work, lambda asked: f"{asked[0]} {asked[1]}", HERE)


def _show_choices(seconds: float, target: Path | None, *, as_json: bool) -> None:
    renew = output.part_of(target, "finalist paper gladman --choices")
    orders = {name: others.byte_order_cycles(name, seconds=seconds) for name in others.big_endian()}
    depths = {name: others.by_keyed_tables(name, seconds=seconds) for name in others.keyed()}
    schedules = _by_schedule(seconds)
    places = list(lengths.places(schedules))
    found = [
        report.byte_order(orders),
        *(report.keyed_tables(*item) for item in depths.items()),
        *map(report.best_by_length, places),
    ]
    by_name = {name: {str(s): f for s, f in own.items()} for name, own in schedules.items()}
    document = {"byte order": orders, "keyed tables": depths, "schedules": by_name}
    sheets.show(found, renew, target, as_json, document)


def _by_schedule(seconds: float) -> dict[str, dict[Schedule, others.Figures]]:
    with output.progress(len(papers.rows())) as step:
        found = {}
        for name in papers.rows():
            step(name)
            found[name] = lengths.by_schedule(name, seconds=seconds)
    return found
