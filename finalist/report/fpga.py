"""The sheets of `finalist paper fpga`: errors first, then the paper's tables, ours beside them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from finalist.ciphers.catalogue import cipher as find_cipher
from finalist.papers import fpga
from finalist.papers import fpga_tables as tables
from finalist.papers.fpga import FEEDBACK, Row
from finalist.papers.fpga_tables import QUESTIONS, THEIR_CYCLES, THROUGHPUT, Question, Winner
from finalist.report.fronts import POINT, cells, estimated, remark
from finalist.report.sheets import Sheet
from finalist.schedule import Schedule

_FIGURES = (
    ("slices", "slices"),
    ("mhz", "clock"),
    ("mbit_s", "throughput"),
    (FEEDBACK, "feedback throughput"),
)


def sheets(rows: Sequence[Row]) -> Iterator[Sheet]:
    """How far ours are from the paper; Tables II to IX; key storage; the finalist that the paper left out."""
    yield errors(rows)
    yield conclusions(rows)
    yield from (winners(question, rows) for question in QUESTIONS)
    yield key_storage(rows)
    yield shares(rows)
    yield non_feedback(rows)
    yield aimed(rows)
    yield feedback(rows)
    yield further()


def _per_cent(value: float) -> str:
    return f"{100 * value:.1f} %"


# -- how far from the paper ---------------------------------------------------------------------------


def errors(rows: Sequence[Row]) -> Sheet:
    """Root-mean-square errors: of netlists first, whose area is not fitted; of estimates by cipher."""
    mapped = [row for row in rows if row.mapped is not None]
    found: list[tuple[str, ...]] = []
    winning = set(tables.winning_designs(rows))
    winners = [row for row in mapped if (row.cipher, row.architecture) in winning]
    for name, own in (("netlists", mapped), ("netlists of the paper's winners", winners)):
        timed = [row for row in own if row.mapped is not None and row.mapped.mhz is not None]
        if own:
            area = _per_cent(tables.error(own, "slices", tables.netlist))
            clock = _per_cent(tables.error(timed, "mhz", tables.netlist)) if timed else ""
            count = f"{len(own)}" if len(timed) == len(own) else f"{len(own)}, {len(timed)} of them timed"
            found.append((name, count, area, clock, "", ""))
    by_cipher = {row.cipher: [one for one in rows if one.cipher == row.cipher] for row in rows}
    for name, own in {"all": list(rows), **by_cipher}.items():
        given = [_per_cent(tables.error(own, what)) for what, _ in _FIGURES]
        found.append((f"estimates, {name}", str(len(own)), *given))
    for aim in fpga.AIMS:
        given = [_per_cent(tables.aimed_error(rows, aim, what)) for what, _ in _FIGURES]
        found.append((f"made for {aim}, the paper's for {aim}", str(len(rows)), *given))
    fields = ("slices", "clock_mhz", "throughput_mbit_s")
    found.append(
        ("the paper's two rows", str(len(rows)), *(_per_cent(tables.apart(rows, f)) for f in fields), "")
    )
    header = ("error of", "designs", *(name for _, name in _FIGURES))
    return Sheet("How far from the paper", header, tuple(found), 5, f"{remark('errors')}{_simulated(rows)}")


def _simulated(rows: Sequence[Row]) -> str:
    counts = [(name, sum(name in row.simulated for row in rows)) for name in fpga.LANGUAGES]
    done = " and ".join(f"{count} designs in {name}" for name, count in counts if count)
    return f" In simulation {done} have reproduced the vectors." if done else ""


def conclusions(rows: Sequence[Row]) -> Sheet:
    """Which rankings are the same."""
    found = [
        (_asked(one.question), ", ".join(one.theirs), ", ".join(one.ours), one.verdict)
        for one in tables.conclusions(rows)
    ]
    header = ("best design by", "paper", "ours", "same")
    return Sheet("Conclusions", header, tuple(found), 0, remark("conclusions"))


def _asked(question: Question) -> str:
    return f"{question.measure}, {question.mode}"


def winners(question: Question, rows: Sequence[Row]) -> Sheet:
    """A table of the paper's: each cipher's best design, ours beside."""
    own = {one.cipher: one for one in tables.ours(question, rows)}
    unit = "Mbit/s" if question.measure == THROUGHPUT else "bit/s a slice"
    found = [
        (one.cipher, f"{one.architecture}, {one.aim}", _figure(one), *_design(own[one.cipher]))
        for one in tables.theirs(question, rows)
    ]
    header = ("cipher", "paper's design", unit, "ours", unit)
    note = remark("feedback") if question.mode == THEIR_CYCLES and question.measure == THROUGHPUT else ""
    return Sheet(f"Table {question.table}: {_asked(question)}", header, tuple(found), 0, note)


def _design(one: Winner) -> tuple[str, str]:
    return f"{one.architecture}, {one.aim}" if one.aim else one.architecture, _figure(one)


def _figure(one: Winner) -> str:
    return f"{one.figure:.0f}" if one.figure >= 1000 else f"{one.figure:.1f}"


def key_storage(rows: Sequence[Row]) -> Sheet:
    """The least slices that hold the round keys, two bits in each."""
    least = fpga.least_key_storage()
    found = [
        (name, str(least[name]), str(fpga.key_storage(name)))
        for name in dict.fromkeys(r.cipher for r in rows)
    ]
    header = ("cipher", "paper's slices", "ours")
    return Sheet("Key storage", header, tuple(found), 2, remark("key storage"))


def shares(rows: Sequence[Row]) -> Sheet:
    """What the time of one round goes to, by lines of the definitions."""
    found = [
        (name, share.text or "multiplexers, by the iteration", _per_cent(share.fraction))
        for name in dict.fromkeys(row.cipher for row in rows)
        for share in fpga.shares(name)
    ]
    header = ("cipher", "line of the definition", "of the time")
    return Sheet("Where a round's time goes", header, tuple(found), 1, remark("shares"))


# -- all designs --------------------------------------------------------------------------------------


def non_feedback(rows: Sequence[Row]) -> Sheet:
    """Slices, clock, cycles and throughput with full pipelines."""
    found = [
        (
            row.cipher,
            row.architecture,
            _both(row, "slices"),
            str(row.estimate.slices),
            "" if row.mapped is None else str(row.mapped.slices),
            _both(row, "clock_mhz"),
            f"{row.estimate.mhz:.1f}",
            "" if row.mapped is None or row.mapped.mhz is None else f"{row.mapped.mhz:.1f}",
            f"{row.published['VI']['cycles_per_block']:g}",
            str(row.estimate.cycles_per_block),
            _both(row, "throughput_mbit_s"),
            f"{row.estimate.mbit_s:.0f}",
        )
        for row in rows
    ]
    names = ("cipher", "design", "slices", "estimate", "netlist", "MHz", "estimate", "netlist")
    header = (*names, "cycles", "ours", "Mbit/s", "estimate")
    return Sheet("Tables VI and VII: non-feedback modes", header, tuple(found), 10, remark("rows"))


def aimed(rows: Sequence[Row]) -> Sheet:
    """Slices and clock of designs that are made for speed, and for area, each beside the paper's."""
    found = [
        (
            row.cipher,
            row.architecture,
            *(text for aim, table in _AIMED for text in _beside(row, aim, table)),
        )
        for row in rows
    ]
    header = (
        "cipher",
        "design",
        *(name for aim, _ in _AIMED for name in (f"for {aim}", "ours", "MHz", "ours")),
    )
    return Sheet("Made for speed and for area", header, tuple(found), len(header) - 2, remark("aimed"))


_AIMED = (("speed", "VI"), ("area", "VII"))


def _beside(row: Row, aim: str, table: str) -> tuple[str, str, str, str]:
    theirs, ours = row.published[table], row.made[aim]
    return str(theirs["slices"]), str(ours.slices), str(theirs["clock_mhz"]), f"{ours.mhz:.1f}"


def _both(row: Row, field: str, tables: tuple[str, str] = ("VI", "VII")) -> str:
    return " / ".join(str(row.published[table][field]) for table in tables)


def feedback(rows: Sequence[Row]) -> Sheet:
    """Cycles and throughput where each block waits for the one before; ours counted in both ways."""
    found = [
        (
            row.cipher,
            row.architecture,
            f"{row.published['VIII']['cycles_per_block']:g}",
            str(row.estimate.feedback_cycles),
            _both(row, "throughput_mbit_s", ("VIII", "IX")),
            f"{tables.estimated(row, FEEDBACK):.1f}",
            f"{row.estimate.feedback_mbit_s:.1f}",
        )
        for row in rows
    ]
    header = ("cipher", "design", "cycles", "ours", "Mbit/s", "by their cycles", "by ours")
    title = "Tables VIII and IX: feedback modes"
    return Sheet(title, header, tuple(found), 5, remark("feedback"))


def further() -> Sheet:
    """The designs that the paper has not."""
    machine, found = fpga.hardware(), []
    for name, architecture in fpga.left_out():
        estimate = machine.estimate(
            find_cipher(name),
            operation="encrypt",
            key_bits=fpga.KEY_BITS,
            schedule=Schedule(architecture=architecture),
        )
        found.append((name, architecture, *cells(estimated(architecture, estimate))))
    header = ("cipher", "design", *POINT)
    return Sheet("What the paper left out", header, tuple(found), len(POINT), remark("further"))
