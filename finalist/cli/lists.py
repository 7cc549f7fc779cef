"""``finalist ciphers`` and ``finalist machines``: what there is."""

from __future__ import annotations

from collections.abc import Sequence

from finalist.ciphers.catalogue import GROUPS
from finalist.cli import options, output, tables
from finalist.machines.registry import machine as find_machine
from finalist.machines.registry import machine_names
from finalist.vectors.load import KnownAnswer, vectors_of


def ciphers(cipher: options.CipherNames = None, as_json: options.AsJson = False) -> None:
    """List the ciphers: who made them and when, their key lengths, what is known of their security."""
    found = options.ciphers_of(cipher or list(GROUPS))
    records = [tables.of_cipher(one.name(), one) for one in found]
    if as_json:
        counts = [_counts(vectors_of(one)) for one in found]
        output.show_json([record | count for record, count in zip(records, counts, strict=True)])
    else:
        output.show([tables.ciphers(records)])


def _counts(rows: Sequence[KnownAnswer]) -> dict[str, int]:
    own = sum(row.own for row in rows)
    return {"vectors": len(rows) - own, "own_vectors": own}


def machines(as_json: options.AsJson = False) -> None:
    """List the machines, and what their figures depend on here."""
    found = [tables.of_machine(find_machine(name)) for name in machine_names()]
    if as_json:
        output.show_json(found)
    else:
        output.show([tables.machines(found)])
