"""What serves many blocks and few on CPUs of a level, by the winners of tuning that come along."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from finalist.export.levels import Level
from finalist.language.cipher import Cipher
from finalist.schedule import Schedule, parsed
from finalist.tuning import shipped
from finalist.tuning.search import Task
from finalist.tuning.trials import CHAIN

#: Bytes of a message of few blocks, at most, and of many, at least.
_FEW_BYTES, _MANY_BYTES = 512, 65536
#: The CPUs whose winners serve single blocks everywhere.
_USUAL = ("avx512-vaes",)


def entry(cipher: type[Cipher], operation: str, key_bits: int, level: Level) -> dict[str, Any]:
    """The schedules for a level, as `finalist.export.data` has them; empty where there are none."""
    for bits in dict.fromkeys((key_bits, cipher.usual_key_bits())):
        if level.kinds and (found := _won(cipher, operation, bits, level.kinds)):
            return _entry(found)
    return {}


def alone(cipher: type[Cipher], operation: str, key_bits: int) -> Schedule | None:
    """What has won with chains of single blocks; None where nothing was tried, or it needs vectors."""
    known = (_won(cipher, operation, bits, _USUAL) for bits in (key_bits, cipher.usual_key_bits()))
    found = next((parsed(own[CHAIN]) for own in known if CHAIN in own), None)
    if found is None or found.width not in (None, 1):
        return None
    return replace(found, blocks=1, width=1)


def _won(cipher: type[Cipher], operation: str, key_bits: int, kinds: tuple[str, ...]) -> Mapping[int, str]:
    return shipped.winners(Task(cipher, "native", operation, key_bits).name, "native", kinds)


def _entry(winners: Mapping[int, str]) -> dict[str, Any]:
    many, few = (_serving(winners, length) for length in (_MANY_BYTES, _FEW_BYTES))
    schedule = parsed(few)
    wide = schedule.width is not None and schedule.width > 1
    return {"schedule": many} | ({"few": {"schedule": few}} if wide and few != many else {})


def _serving(winners: Mapping[int, str], length: int) -> str:
    """The winner for messages of so many bytes."""
    fitting = [own for own in winners if own <= length and own != CHAIN]
    return winners[max(fitting) if fitting else min(own for own in winners if own != CHAIN)]
