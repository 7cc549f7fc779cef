"""Programs of the page: figures of one schedule together, refusals apart, the best of each cipher."""

from __future__ import annotations

from dataclasses import replace

from finalist.measure.figure import REFUSED, Figure
from finalist.report.page.points import Points, gathered
from tests.measure.test_figure import CYCLES, RATE

BULK = replace(CYCLES, cipher="rc6", definition="rc6", asked="default", processor="A Processor")
SET_UP = replace(BULK, quantity="key set-up", unit="core cycles per call", value=900.0)
SLOW = replace(BULK, schedule="blocks=1", value=9.0)
BROKEN = replace(BULK, cipher="frog", definition="frog", value=0.5)
AREA = replace(
    BULK, machine="fpga", processor="", quantity="area", value=5000.0, unit="slices", timing="", schedule="a"
)
SPEED = replace(AREA, quantity="throughput", value=700.0, unit="Mbit/s")
LARGE = [replace(AREA, schedule="b", value=8000.0), replace(SPEED, schedule="b", value=1400.0)]
NONE = replace(
    BULK, cipher="rc4", definition="rc4", machine="fpga", quantity=REFUSED, refused="no path", processor=""
)
ROWS: list[Figure] = [AREA, SPEED, *LARGE, NONE, BULK, RATE, SET_UP, SLOW, BROKEN]
ORDER = ("native", "fpga")


def points() -> Points:
    return gathered([row for row in ROWS if row.cipher != "toy"], ORDER)


def test_a_point_has_all_figures_of_its_program() -> None:
    first = points().points[0]
    assert (first.value("throughput"), first.value("set-up"), first.value("ram")) == (1.5, 900.0, None)
    assert first.unit("throughput") == "core cycles per byte" and first.unit("ram") == ""


def test_machines_in_order_with_their_processors() -> None:
    assert points().places == ("native, A Processor", "fpga")
    assert [one.number for one in points().points] == list(range(len(points().points)))


def test_a_refusal_is_no_point() -> None:
    (one,) = points().refusals
    assert (one.cipher, one.place, one.operation, one.why) == ("rc4", "fpga", "encrypt", "no path")
    assert "rc4" in points().ciphers


def test_the_best_of_each_cipher() -> None:
    found = points()
    best = {one.cipher: one.value("throughput") for one in found.best("native, A Processor", "throughput")}
    assert best == {"rc6": 1.5, "frog": 0.5}
    (hardware,) = found.best("fpga", "throughput")
    assert hardware.value("throughput") == 1400.0


def test_a_record() -> None:
    found = points().points[0].record()
    assert found["command"] == BULK.command and found["throughput"] == 1.5 and found["state"] == "unbroken"
    assert points().of("fpga")[0].record()["timing"] == "estimate"


def test_other_key_lengths_are_left_out() -> None:
    long = replace(BULK, key_bits=256)
    assert len(gathered([BULK, long], ORDER).points) == 1


def test_definitions_of_ones_own_come_last() -> None:
    own = replace(BULK, cipher="mine", definition="folder/mine.py:Mine", key_bits=80)
    assert gathered([own, BULK], ORDER).ciphers == ("rc6", "folder/mine.py:Mine")
