"""``finalist ciphers`` and ``finalist machines``: what there is."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TypeVar

from finalist.ciphers import catalogue
from finalist.ciphers.catalogue import GROUPS
from finalist.cli import options, output, tables
from finalist.cli.tables import Record
from finalist.errors import FinalistError
from finalist.language.cipher import Cipher
from finalist.machines import registry
from finalist.machines.registry import machine as find_machine
from finalist.machines.registry import machine_names
from finalist.vectors.load import KnownAnswer, vectors_of

T = TypeVar("T")


def ciphers(cipher: options.CipherNames = None, as_json: options.AsJson = False) -> None:
    """List the ciphers: who made them and when, their key lengths, what is known of their security."""

    def record(one: type[Cipher]) -> Record:
        return tables.of_cipher(one.name(), one) | (_counts(vectors_of(one)) if as_json else {})

    records = [record(one) for one in options.ciphers_of(cipher or list(GROUPS))]
    if cipher is None:
        records += _of_packages(catalogue.installed(), record)
    output.show_either(as_json, records, [tables.ciphers(records)])


def _of_packages(offered: Iterable[T | FinalistError], record: Callable[[T], Record]) -> Iterator[Record]:
    """Records of what other packages offer. What is wrong with one is said, and is in the way of no other."""
    for one in offered:
        if isinstance(one, FinalistError):
            output.say(str(one))
            continue
        try:
            yield record(one)
        except Exception as error:  # of somebody else's code, which may raise anything
            output.say(f"{one!r}: {type(error).__name__}: {error}")


def _counts(rows: Sequence[KnownAnswer]) -> dict[str, int]:
    own = sum(row.own for row in rows)
    return {"vectors": len(rows) - own, "own_vectors": own}


def machines(as_json: options.AsJson = False) -> None:
    """List the machines, and what their figures depend on here."""
    found = [tables.of_machine(find_machine(name)) for name in machine_names()]
    found += _of_packages(registry.installed(), tables.of_machine)
    output.show_either(as_json, found, [tables.machines(found)])
