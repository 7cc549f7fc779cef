"""The licence of emitted texts: named in the head of each, and whole where it stands by itself."""

from __future__ import annotations

from typing import Any

import pytest

from finalist import licence
from finalist.api import compile as compile_cipher


@pytest.mark.parametrize(
    ("machine", "choices"),
    [("native", {"width": 1}), ("plx", {}), ("fpga", {}), ("fpga", {"language": "vhdl"})],
    ids=str,
)
def test_every_text_names_it_in_its_head(machine: str, choices: dict[str, Any]) -> None:
    head = compile_cipher("rc6", machine, **choices).text.splitlines()[:3]
    assert [line.lstrip(" */;-") for line in head].count(licence.SPDX_LINE) == 1


def test_the_text_has_the_holder() -> None:
    assert licence.text("Someone").startswith("Copyright (C) Someone\n")
    assert licence.SPDX in licence.SPDX_LINE
