"""What programs take: measured once, kept, refused with the reason."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from finalist.ciphers.catalogue import cipher as find_cipher
from finalist.measure import taken
from finalist.measure.taken import Taken
from finalist.schedule import Schedule

RIJNDAEL = find_cipher("rijndael")
SCHEDULES = [Schedule(optimise="size", map_tables=0), Schedule(rounds="nested")]


class _Unused:
    """A pool that nothing may be submitted to."""

    def __enter__(self) -> _Unused:
        return self

    def __exit__(self, *_: object) -> None: ...

    def submit(self, *_: Any) -> None:
        raise AssertionError("what is known is measured again")

    def shutdown(self, **_: Any) -> None: ...


@pytest.mark.timeout(300)
def test_what_was_measured_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FINALIST_TAKEN", str(tmp_path / "taken.jsonl"))
    made, refused = taken.taken(RIJNDAEL, 128, "hc05", SCHEDULES)
    assert (made.key, made.refused) == (176, "") and 0 < made.ram <= 40 and made.clocks > 0
    assert "rounds=nested" in refused.refused and refused.rom == 0
    monkeypatch.setattr(taken.workers, "processes", _Unused)
    assert list(taken.taken(RIJNDAEL, 128, "hc05", SCHEDULES)) == [made, refused]
    with pytest.raises(AssertionError, match="measured again"):
        list(taken.taken(RIJNDAEL, 192, "hc05", SCHEDULES))


def test_other_code_is_measured_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A figure is of the Finalist that it was measured with."""
    monkeypatch.setenv("FINALIST_TAKEN", str(tmp_path / "taken.jsonl"))
    taken.STORE.append([taken._blank(RIJNDAEL, 128, "hc05", SCHEDULES[0])])
    monkeypatch.setattr(taken.workers, "processes", _Unused)
    assert [type(one) for one in taken.taken(RIJNDAEL, 128, "hc05", SCHEDULES[:1])] == [Taken]
    monkeypatch.setattr(taken, "code_digest", lambda: "other")
    with pytest.raises(AssertionError, match="measured again"):
        list(taken.taken(RIJNDAEL, 128, "hc05", SCHEDULES[:1]))
