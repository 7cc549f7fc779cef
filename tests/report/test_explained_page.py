"""The page of `finalist explain`: complete in itself, a part for each pass that changed something."""

from __future__ import annotations

import re

import pytest

from finalist.ciphers.catalogue import cipher
from finalist.machines.registry import machine
from finalist.report.explained import stages
from finalist.report.explained_page import page
from finalist.schedule import Schedule


def test_the_page() -> None:
    made, passed, _ = stages(machine("native"), cipher("rijndael"), "encrypt", 128, Schedule(width=1))
    text = page("rijndael & more", str(made.schedule), passed)
    changed = [stage for stage in passed if stage.changed]
    assert "<title>rijndael &amp; more</title>" in text and f"schedule: {made.schedule}" in text
    assert text.count("<section") == text.count("</section>") == len(changed) > 4
    assert text.count("<svg ") == len(changed) and text.count("<tr>") == len(passed) + 1
    links, targets = re.findall('href="#(.*?)"', text), re.findall('id="(.*?)"', text)
    assert links == targets and len(set(targets)) == len(changed)
    assert not re.search(r"(src|href)=\"(?!#)|@import|url\(", text)  # nothing is fetched
    assert "lookup S" in text and "S_T0" in text


@pytest.mark.check
def test_rounds_that_are_too_large_are_left_to_the_text() -> None:
    """Bit slices of a round are thousands of operations on a few lines, or on none."""
    made, passed, _ = stages(
        machine("native"), cipher("present"), "encrypt", 80, Schedule(lookup="bitslice", width=128)
    )
    text = page("present", str(made.schedule), passed)
    assert text.count("<details>") == 2 * sum(stage.changed for stage in passed)
    assert len(text) < 3_000_000
