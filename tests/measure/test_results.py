"""What `finalist bench` gives shows itself; the figures in it are in test_figure."""

from __future__ import annotations

from dataclasses import replace

from finalist.measure.results import Row

ROW = Row(
    cipher="toy",
    operation="encrypt",
    key_bits=128,
    quantity="bulk",
    ticks=1.25,
    core_cycles=1.5,
    unit="per byte",
    clock="rdtsc",
    ticks_per_cycle=0.8333333333333334,
    mbit_per_s=1234.5,
    spread=0.01,
    data_bytes=65536,
    machine="native",
    processor='A "processor" ü',
    compiler="cc 12",
    flags="-O2",
    schedule="blocks=2 width=1",
    timing="table lookups",
    commit="0123abc",
    date="2024-01-01T00:00:00+00:00",
)
SET_UP = replace(ROW, quantity="key set-up", unit="per call", mbit_per_s=None)


def test_what_is_shown_is_the_figure() -> None:
    name = f"{ROW.cipher} {ROW.operation}, key of {ROW.key_bits} bits"
    assert repr(ROW) == f"<Row {name}, bulk: 1.50 cycles per byte, 1234 Mbit/s>"
    assert repr(SET_UP) == f"<Row {name}, key set-up: 1.50 cycles per call>"
    text = ROW._repr_html_()
    assert "&quot;processor&quot; ü" in text and ">blocks=2 width=1</td>" in text and ">1.50</td>" in text
    assert "Mbit/s" not in SET_UP._repr_html_()
