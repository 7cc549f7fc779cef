"""Certificates in the cache: what was settled once is not proved again by the same Finalist.

A certificate is found again by cipher, operation, key length, machine and schedule, and by the digest of
all of Finalist's files, which the definition, the program, and the prover are made by.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from typing import Any

from finalist.cache.notes import note
from finalist.ciphers.catalogue import is_built_in
from finalist.language.cipher import Cipher
from finalist.machines.registry import is_own
from finalist.prove.decide import Certificate
from finalist.prove.refute import Counterexample
from finalist.schedule import Schedule


def certificate(
    cipher: type[Cipher],
    operation: str,
    key_bits: int,
    machine: str,
    schedule: Schedule,
    make: Callable[[], Certificate],
    form: str = "",
) -> Certificate:
    """The certificate from the cache, or as it is made now; nothing undecided is cached, and nothing of
    definitions and machines that are not Finalist's own. Raises what ``make`` raises."""
    if not (is_built_in(cipher) and is_own(machine)):
        return make()
    open_: list[Certificate] = []

    def made() -> dict[str, Any] | None:
        found = make()
        if found.verdict == "undecided":
            open_.append(found)
            return None
        return asdict(found)

    about = (cipher.name(), operation, str(key_bits), machine, str(schedule), form)
    document = note("proof", about, made)
    return open_[0] if document is None else _read(document)


def _read(document: dict[str, Any]) -> Certificate:
    """The inverse of ``asdict``, after JSON."""
    wrong = document["counterexample"]
    return Certificate(
        **document
        | {
            "engines": tuple(document["engines"]),
            "counterexample": None if wrong is None else Counterexample(**wrong),
        }
    )
