"""What programs take: measured once, kept, refused with the reason."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from finalist.ciphers.catalogue import cipher as find_cipher
from finalist.cli.output import done
from finalist.measure import taken
from finalist.measure.taken import Taken
from finalist.resumable import Resumable
from finalist.schedule import Schedule

RIJNDAEL = find_cipher("rijndael")
SCHEDULES = [Schedule(optimise="size", map_tables=0), Schedule(rounds="nested")]


def takes(key_bits: int = 128, schedules: Sequence[Schedule] = SCHEDULES) -> Resumable[Taken, Taken]:
    return taken.taking(RIJNDAEL, key_bits, "hc05", schedules)


@pytest.mark.timeout(300)
def test_what_was_measured_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FINALIST_TAKEN", str(tmp_path / "taken.jsonl"))
    made, refused = done(takes()).values()
    assert (made.key, made.refused) == (176, "") and 0 < made.ram <= 40 and made.clocks > 0
    assert "rounds=nested" in refused.refused and refused.rom == 0
    again = takes()
    assert not again.left and list(again.known.values()) == [made, refused]
    assert len(takes(192).left) == 2


def test_other_code_is_measured_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A figure is of the Finalist that it was measured with."""
    monkeypatch.setenv("FINALIST_TAKEN", str(tmp_path / "taken.jsonl"))
    taken.STORE.append([taken._blank(RIJNDAEL, 128, "hc05", SCHEDULES[0])])
    assert not takes(schedules=SCHEDULES[:1]).left
    monkeypatch.setattr(taken, "code_digest", lambda: "other")
    assert takes(schedules=SCHEDULES[:1]).left
