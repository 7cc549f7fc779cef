"""The tables and plots of `finalist pareto` and `finalist place`: designs of hardware and their front."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import median

from finalist.machines.base import Estimated, Placed
from finalist.papers.load import notes_on
from finalist.report.plots import pareto
from finalist.report.plots.pareto import Point
from finalist.report.plots.style import Spec
from finalist.report.sheets import Sheet


def remark(name: str) -> str:
    """What is said of a sheet of the FPGA study."""
    return str(notes_on("fpga")["remarks"][name])


def _kind(part: str, named: bool) -> str:
    """What the figures are, as the remark on them is called."""
    return "placed" if part else "front of some" if named else "front"


def unit_of(part: str) -> str:
    """What area is counted in on a part; none is named for estimates, which are of the paper's."""
    return "LUT" if part else "slice"


def figures(unit: str) -> tuple[str, ...]:
    """The columns of `cells`, the area in this unit."""
    return (f"{unit}s", "MHz", "cycles", "Mbit/s", f"kbit/s a {unit}", "feedback Mbit/s")


POINT = figures("slice")


def cells(one: Point) -> tuple[str, ...]:
    return (
        str(one.area),
        f"{one.mhz:.1f}",
        str(one.cycles_per_block),
        f"{one.mbit_s:.0f}",
        f"{1000 * one.mbit_s / one.area:.0f}",
        f"{one.feedback_mbit_s:.0f}",
    )


def estimated(name: str, found: Estimated) -> Point:
    """A design by its estimate."""
    own = (found.cycles_per_block, found.mbit_s, found.feedback_mbit_s, found.fits)
    return Point(name, found.slices, found.mhz, *own)


def placed(name: str, found: Placed, rate: Estimated) -> Point:
    """A design as it is placed; ``rate``: its estimate, for how many cycles a block takes."""
    clock = found.mhz / rate.mhz
    own = (rate.cycles_per_block, rate.mbit_s * clock, rate.feedback_mbit_s * clock)
    return Point(name, found.luts, found.mhz, *own)


# -- parts that one can buy --------------------------------------------------------------------------


def placed_sheet(cipher: str, part: str, placed: Sequence[Placed], rate: Estimated) -> Sheet:
    """Each seed's clock and throughput with the pipeline full; the median, and how far they are apart."""
    bits = rate.mbit_s / rate.mhz
    rows = [
        (str(one.seed), str(one.luts), str(one.flip_flops), f"{one.mhz:.1f}", f"{one.mhz * bits:.0f}")
        for one in placed
    ]
    clocks = [one.mhz for one in placed]
    middle, apart = median(clocks), 100 * (max(clocks) - min(clocks)) / median(clocks)
    note = f"Median {middle:.1f} MHz, {middle * bits:.0f} Mbit/s; {len(placed)} seeds, {apart:.0f} % apart."
    header = ("seed", "LUTs", "flip-flops", "MHz", "Mbit/s")
    return Sheet(f"{cipher} on {part}", header, tuple(rows), len(header), note)


# -- the front ----------------------------------------------------------------------------------------


def front(points: Sequence[Point]) -> list[Point]:
    """The designs that fit and that no other beats in both area and throughput, the smallest first."""
    kept: list[Point] = []
    for one in sorted((one for one in points if one.fits), key=lambda one: (one.area, -one.mbit_s)):
        if not kept or one.mbit_s > kept[-1].mbit_s:
            kept.append(one)
    return kept


def front_sheet(
    cipher: str,
    points: Sequence[Point],
    refused: Mapping[str, str] | None = None,
    part: str = "",
    *,
    named: bool = False,
) -> Sheet:
    """All designs, those of the front marked; ``refused``: those that can't be had, and why; ``part``: the
    one that they are placed on, where they are not estimates; ``named``: whether they are a choice."""
    best, refused = {one.name for one in front(points)}, refused or {}
    rows = [
        (one.name, "*" if one.name in best else "" if one.fits else "no room", *cells(one)) for one in points
    ]
    rows += [(name, "refused", *[""] * len(POINT)) for name in refused]
    reasons = (f"{name} is refused: {reason}." for name, reason in refused.items())
    header = ("design", "front", *figures(unit_of(part)))
    note = " ".join([remark(_kind(part, named)), *reasons])
    title = f"{cipher}: area and throughput" + (f" on {part}" if part else "")
    return Sheet(title, header, tuple(rows), len(POINT), note)


def front_plot(title: str, points: Sequence[Point], part: str = "", *, named: bool = False) -> Spec:
    """All designs as a plot (Vega-Lite), those of the front joined and named; the rest as `front_sheet`.

    Raises PlotError where there is none.
    """
    note = remark(_kind(part, named)).partition(";")[0]
    below = [f"{note}; the line joins those that no other beats."]
    best = [one.name for one in front(points)]
    whole = f"{title}: area and throughput" + (f" on {part}" if part else "")
    return pareto.plot(whole, below, points, best, unit=unit_of(part))
