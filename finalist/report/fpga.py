"""The sheets of `finalist paper fpga` and the table and plot of `finalist pareto`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from statistics import median

from finalist.ciphers.catalogue import cipher as find_cipher
from finalist.machines.base import Estimated, Placed
from finalist.papers import fpga
from finalist.papers.fpga import Row
from finalist.papers.load import notes_on
from finalist.report.plots import pareto
from finalist.report.plots.style import Spec
from finalist.report.sheets import Sheet
from finalist.schedule import Schedule


def sheets(rows: Sequence[Row]) -> Iterator[Sheet]:
    """Tables VI and VII, VIII and IX, the conclusions, and the finalist that the paper left out."""
    yield non_feedback(rows)
    yield feedback(rows)
    yield conclusions(rows)
    yield further()


def _remark(name: str) -> str:
    return str(notes_on("fpga")["remarks"][name])


def non_feedback(rows: Sequence[Row]) -> Sheet:
    """Slices, clock, cycles and throughput with full pipelines."""
    cells = [
        (
            row.cipher,
            row.architecture,
            f"{row.published['VI']['slices']} / {row.published['VII']['slices']}",
            str(row.estimate.slices),
            "" if row.mapped is None else str(row.mapped.slices),
            f"{row.published['VI']['clock_mhz']} / {row.published['VII']['clock_mhz']}",
            f"{row.estimate.mhz:.1f}",
            "" if row.mapped is None else f"{row.mapped.mhz:.1f}",
            f"{row.published['VI']['cycles_per_block']:g}",
            str(row.estimate.cycles_per_block),
            f"{row.published['VI']['throughput_mbit_s']} / {row.published['VII']['throughput_mbit_s']}",
            f"{row.estimate.mbit_s:.0f}",
        )
        for row in rows
    ]
    names = ("cipher", "design", "slices", "estimate", "netlist", "MHz", "estimate", "netlist")
    header = (*names, "cycles", "ours", "Mbit/s", "estimate")
    note = f"{_remark('rows')} {_errors(rows)}{_simulated(rows)}"
    return Sheet("Tables VI and VII: non-feedback modes", header, tuple(cells), 10, note)


def _errors(rows: Sequence[Row]) -> str:
    text = (
        f"Root-mean-square error of the estimates: slices {100 * fpga.error(rows, 'slices'):.1f} %, clock"
        f" {100 * fpga.error(rows, 'mhz'):.1f} %."
    )
    mapped = [row for row in rows if row.mapped is not None]
    if mapped:
        slices, clock = (fpga.error(mapped, what, only_mapped=True) for what in ("slices", "mhz"))
        text += f" Of the {len(mapped)} netlists: slices {100 * slices:.1f} %, clock {100 * clock:.1f} %."
    return text


def _simulated(rows: Sequence[Row]) -> str:
    counts = [(name, sum(name in row.simulated for row in rows)) for name in fpga.LANGUAGES]
    done = " and ".join(f"{count} designs in {name}" for name, count in counts if count)
    return f" In simulation {done} have reproduced the vectors." if done else ""


def feedback(rows: Sequence[Row]) -> Sheet:
    """Cycles and throughput where each block waits for the one before."""
    cells = [
        (
            row.cipher,
            row.architecture,
            f"{row.published['VIII']['cycles_per_block']:g}",
            str(row.estimate.feedback_cycles),
            f"{row.published['VIII']['throughput_mbit_s']} / {row.published['IX']['throughput_mbit_s']}",
            f"{row.estimate.feedback_mbit_s:.1f}",
        )
        for row in rows
    ]
    header = ("cipher", "design", "cycles", "ours", "Mbit/s", "estimate")
    title = "Tables VIII and IX: feedback modes"
    return Sheet(title, header, tuple(cells), 4, _remark("feedback"))


def conclusions(rows: Sequence[Row]) -> Sheet:
    """Which rankings are the same."""
    cells = [
        (
            one.what,
            ", ".join(one.theirs),
            ", ".join(one.ours),
            "yes" if one.same else "first" if one.holds else "no",
        )
        for one in fpga.conclusions(rows)
    ]
    header = ("best design by", "paper", "ours", "same")
    return Sheet("Conclusions", header, tuple(cells), 0, _remark("conclusions"))


def further() -> Sheet:
    """The designs that the paper has not."""
    machine, cells = fpga.hardware(), []
    for name, architecture in fpga.left_out():
        found = machine.estimate(
            find_cipher(name),
            operation="encrypt",
            key_bits=fpga.KEY_BITS,
            schedule=Schedule(architecture=architecture),
        )
        cells.append((name, architecture, *point(found)))
    header = ("cipher", "design", *POINT)
    return Sheet("What the paper left out", header, tuple(cells), len(POINT), _remark("further"))


POINT = ("slices", "MHz", "cycles", "Mbit/s", "kbit/s a slice", "feedback Mbit/s")


def point(found: Estimated) -> tuple[str, ...]:
    """A design's figures, as POINT names them."""
    return (
        str(found.slices),
        f"{found.mhz:.1f}",
        str(found.cycles_per_block),
        f"{found.mbit_s:.0f}",
        f"{1000 * found.mbit_s / found.slices:.0f}",
        f"{found.feedback_mbit_s:.0f}",
    )


# -- parts that one can buy --------------------------------------------------------------------------


def placed_sheet(cipher: str, part: str, placed: Sequence[Placed], rate: Estimated) -> Sheet:
    """Each seed's clock and throughput with the pipeline full; the median, and how far they are apart."""
    bits = rate.mbit_s / rate.mhz
    cells = [
        (str(one.seed), str(one.luts), str(one.flip_flops), f"{one.mhz:.1f}", f"{one.mhz * bits:.0f}")
        for one in placed
    ]
    clocks = [one.mhz for one in placed]
    middle, apart = median(clocks), 100 * (max(clocks) - min(clocks)) / median(clocks)
    note = f"Median {middle:.1f} MHz, {middle * bits:.0f} Mbit/s; {len(placed)} seeds, {apart:.0f} % apart."
    header = ("seed", "LUTs", "flip-flops", "MHz", "Mbit/s")
    return Sheet(f"{cipher} on {part}", header, tuple(cells), len(header), note)


# -- the front ----------------------------------------------------------------------------------------


def front(points: Sequence[tuple[str, Estimated]]) -> list[tuple[str, Estimated]]:
    """The designs that fit and that no other beats in both area and throughput, the smallest first."""
    kept: list[tuple[str, Estimated]] = []
    room = [(name, found) for name, found in points if found.fits]
    for name, found in sorted(room, key=lambda entry: (entry[1].slices, -entry[1].mbit_s)):
        if not kept or found.mbit_s > kept[-1][1].mbit_s:
            kept.append((name, found))
    return kept


def front_sheet(
    cipher: str, points: Sequence[tuple[str, Estimated]], refused: Mapping[str, str] | None = None
) -> Sheet:
    """All designs, those of the front marked; ``refused``: those that can't be had, and why."""
    best, refused = {name for name, _ in front(points)}, refused or {}
    cells = [
        (name, "*" if name in best else "" if found.fits else "no room", *point(found))
        for name, found in points
    ]
    cells += [(name, "refused", *[""] * len(POINT)) for name in refused]
    reasons = (f"{name} is refused: {reason}." for name, reason in refused.items())
    header = ("design", "front", *POINT)
    note = " ".join([_remark("front"), *reasons])
    return Sheet(f"{cipher}: area and throughput", header, tuple(cells), len(POINT), note)


def front_plot(title: str, points: Sequence[tuple[str, Estimated]]) -> Spec:
    """All designs as a plot (Vega-Lite), those of the front joined and named.

    Raises PlotError where there is none.
    """
    note = _remark("front").partition(";")[0]
    below = [f"{note}; the line joins those that no other beats."]
    return pareto.plot(
        f"{title}: area and throughput", below, dict(points), [name for name, _ in front(points)]
    )
