"""Certificates in the cache: what was settled once is not proved again by the same Finalist.

A certificate is found again by cipher, operation, key length, machine and schedule, and by the digest of
all of Finalist's files, which the definition, the program, and the prover are made by.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from typing import Any, TypeVar

from finalist.cache.notes import note
from finalist.ciphers.catalogue import is_built_in
from finalist.language.cipher import Cipher
from finalist.machines.registry import is_own
from finalist.prove.decide import Certificate
from finalist.prove.passes import Passed, Plan
from finalist.prove.refute import Counterexample
from finalist.schedule import Schedule

Verdicts = TypeVar("Verdicts", Certificate, Plan)


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
    about = operation, str(key_bits), machine, str(schedule), form
    return _noted("proof", cipher, about, make, lambda document: Certificate(**_read(document)))


def plan(
    cipher: type[Cipher],
    operation: str,
    key_bits: int,
    machine: str,
    schedule: Schedule,
    make: Callable[[], Plan],
) -> Plan:
    """The same of the passes of a plan."""

    def read(document: dict[str, Any]) -> Plan:
        return Plan(**document | {"passes": tuple(Passed(**_read(one)) for one in document["passes"])})

    return _noted("passes", cipher, (operation, str(key_bits), machine, str(schedule)), make, read)


def _noted(
    kind: str,
    cipher: type[Cipher],
    about: tuple[str, ...],
    make: Callable[[], Verdicts],
    read: Callable[[dict[str, Any]], Verdicts],
) -> Verdicts:
    if not (is_built_in(cipher) and is_own(about[2])):
        return make()
    open_: list[Verdicts] = []

    def made() -> dict[str, Any] | None:
        found = make()
        if not found.settled:
            open_.append(found)
            return None
        return asdict(found)

    document = note(kind, (cipher.name(), *about), made)
    return open_[0] if document is None else read(document)


def _read(document: dict[str, Any]) -> dict[str, Any]:
    """What of a verdict is no string or number, after JSON."""
    wrong = document["counterexample"]
    return document | {
        "engines": tuple(document["engines"]),
        "counterexample": None if wrong is None else Counterexample(**wrong),
    }
