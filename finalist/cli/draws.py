"""``finalist verify --drawn``: schedules drawn at random."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict

from rich.console import RenderableType

from finalist.cli import options, output
from finalist.cli.tables import plain
from finalist.vectors import drawn
from finalist.vectors.drawn import Batch


def verify(names: list[str] | None, machines: Sequence[str], count: int, seed: int, as_json: bool) -> bool:
    """Draw so many programs a cipher and machine, compare each with the interpreter; whether all agree."""
    ciphers = options.ciphers_of(names)
    wanted = [job for machine in machines for job in drawn.jobs(ciphers, machine, count, seed)]
    made = output.done(drawn.drawing(wanted))
    found = [made[job] for job in wanted]
    output.show_either(as_json, [asdict(batch) for batch in found], _tables(found))
    return not any(batch.failed for batch in found)


def _tables(found: Sequence[Batch]) -> Iterator[RenderableType]:
    """A row for each cipher, then every failure."""
    table = plain(["cipher", "machine"], ["programs", "failed", "draws refused", "too long to compile"])
    for which in dict.fromkeys((batch.cipher, batch.definition, batch.machine) for batch in found):
        own = [batch for batch in found if (batch.cipher, batch.definition, batch.machine) == which]
        numbers = (
            sum(batch.agreed + batch.failed for batch in own),
            sum(batch.failed for batch in own),
            sum(batch.refused for batch in own),
            sum(batch.long for batch in own),
        )
        table.add_row(own[0].cipher, own[0].machine, *map(str, numbers))
    yield table
    for batch in found:
        yield from (f"failed: {batch.cipher} {line}" for line in batch.failures.splitlines())
