"""What is kept of the shares of loops."""

from __future__ import annotations

from pathlib import Path

import pytest

from finalist.errors import DataError
from finalist.isa.schedule.modulo import shares

ONE = shares.Share("c62x rc6 encrypt", 3, 5, "X", 2, 7, 9, 0.5, "a solver")


def test_answers_are_kept(tmp_path: Path) -> None:
    file = tmp_path / "shares.json"
    assert shares.read(file) == {}
    shares.write(file, {"digest": ONE})
    assert shares.read(file) == {"digest": ONE}
    file.write_text('{"format": "other"}')
    with pytest.raises(DataError, match=r"shares\.json: format 'other'; accepted: "):
        shares.read(file)
