"""The sheets of `finalist paper dsp`: Tables 1 to 3 of the DSP study of the finalists (2000), ours beside."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain

from finalist.isa.limits import REGISTERS, SIDES, Limit, Limits, both, sooner
from finalist.isa.schedule.modulo.proofs import FOUND, least
from finalist.language.definition import OPERATIONS
from finalist.papers.dsp import MODES, MULTI, SINGLE, Cell, mbit_s, pentium, proved
from finalist.report.sheets import MARK, Row, Sheet

#: A cipher in one direction, by mode.
Modes = Mapping[str, Cell]
_BESIDE = ("multi, paper", "multi, ours", "times", "single, paper", "single, ours", "times")


def sheets(found: Iterable[Cell]) -> Iterator[Sheet]:
    """All sheets of these cells, of which none is left out."""
    first, later = _by_machine(found)
    yield cycles("Table 1: cycles a block on the C6201", by_mode(first), _WHAT)
    yield banked("Table 1 with banks of memory: cycles a block on the C6201", by_mode(first), _BANKS)
    yield throughput(by_mode(first))
    yield memory(by_mode(first))
    yield cycles("Table 3: cycles a block on the C64x", by_mode(later), _LATER)
    yield banked("Table 3 with banks of memory: cycles a block on the C64x", by_mode(later), _LATER_BANKS)
    yield asked([*first, *later])
    yield proofs([*first, *later])
    yield rounds([*first, *later])
    yield binding([*first, *later])
    yield gained([*first, *later])
    yield closer([cell for cell in (*first, *later) if cell.mode == SINGLE])


def _by_machine(found: Iterable[Cell]) -> list[list[Cell]]:
    """The cells of each machine, in the order in which they come."""
    own: dict[str, list[Cell]] = {}
    for one in found:
        own.setdefault(one.machine, []).append(one)
    return list(own.values())


def by_mode(found: Iterable[Cell]) -> list[Modes]:
    """A row for each cipher and direction, in their order."""
    rows: dict[tuple[str, str], dict[str, Cell]] = {}
    for one in found:
        rows.setdefault((one.cipher, one.operation), {})[one.mode] = one
    return list(rows.values())


_WHAT = (
    "Of a further block of a long message, keys of 128 bits, flat memory. The paper's are of TI's compiler,"
    " two or three blocks at once in its multi-block mode. Ours: `pipeline=on`, and where a block waits for"
    " the one before, `pipeline=chained`."
)
_LATER = "The paper has one cipher, by the compiler of the day. Ours wait for no word that is read across."


_BANKS = (
    "The same programs with `memory=banked`: two blocks of 32 KB, each of four banks of 16 bits, so that two"
    " words of a cycle that share a bank take a cycle more. The mean of 1024 blocks drawn at random. Fixed"
    " tables lie in both blocks, and each side looks up in its own, so that no two lookups meet. Tables of"
    " the key lie once, and schedules do not know of banks. The paper does not say whether its simulator did."
)
_LATER_BANKS = (
    "The same in eight banks of 32 bits, as of the first cache, which holds everything here: two different"
    " words of one bank take a cycle more."
)


def banked(title: str, found: Sequence[Modes], note: str) -> Sheet:
    """Cycles in flat memory and in banks, and how many times the former the latter are."""
    header = tuple(f"{mode}, {what}" for mode in MODES for what in ("flat", "banked", "times"))
    return Sheet(title, ("cipher", "operation", *header), _in_modes(found, _in_banks), 6, note)


def _in_modes(found: Sequence[Modes], shown: Callable[[Cell | None], Row]) -> tuple[Row, ...]:
    """By cipher and direction what is ``shown`` of each mode."""
    return tuple(
        (
            modes[MULTI].cipher,
            modes[MULTI].operation,
            *chain.from_iterable(shown(modes.get(mode)) for mode in MODES),
        )
        for modes in found
    )


def _in_banks(cell: Cell | None) -> Row:
    if cell is None:
        return ("-", "-", "-")
    flat = cell.ours.cycles
    return str(flat), f"{flat + cell.conflicts:.1f}", f"{1 + cell.conflicts / flat:.2f}"


def cycles(title: str, found: Sequence[Modes], note: str) -> Sheet:
    """Cycles by cipher and direction, in both modes, and how many times ours the paper's is."""
    return Sheet(title, ("cipher", "operation", *_BESIDE), _in_modes(found, _beside), 6, note)


def _beside(cell: Cell | None) -> Row:
    if cell is None:
        return ("-", "-", "-")
    theirs, ours = cell.theirs.cycles, cell.ours.cycles
    slower = theirs is not None and ours > theirs
    return _number(theirs), MARK * slower + str(ours), _times(theirs, ours)


def throughput(found: Sequence[Modes]) -> Sheet:
    """The same as Mbit/s, and how many times the Pentium Pro's that is."""
    rows = [_rates(modes[MULTI], modes[SINGLE]) for modes in found]
    columns = (
        "Pentium Pro",
        "multi, paper",
        "times",
        "multi, ours",
        "times",
        "single, paper",
        "single, ours",
    )
    note = "At 200 MHz, which is the clock of the Pentium Pro that the paper quotes; times are to that one."
    return Sheet("Table 1: Mbit/s on the C6201", ("cipher", "operation", *columns), tuple(rows), 7, note)


def _rates(multi: Cell, single: Cell) -> Row:
    other = pentium(multi.cipher, multi.operation)
    theirs, ours = (mbit_s(count) for count in (multi.theirs.cycles or 1, multi.ours.cycles))
    pairs = (f"{other:.1f}", f"{theirs:.1f}", f"{theirs / other:.2f}", f"{ours:.1f}", f"{ours / other:.2f}")
    alone = (mbit_s(count) for count in (single.theirs.cycles or 1, single.ours.cycles))
    return (multi.cipher, multi.operation, *pairs, *(f"{one:.1f}" for one in alone))


def memory(found: Sequence[Modes]) -> Sheet:
    """Bytes of tables, and of code in both modes."""
    rows = []
    for modes in found:
        multi, single = modes[MULTI], modes[SINGLE]
        sizes = [(multi.theirs.tables, multi.ours.tables)]
        sizes += [(cell.theirs.code, cell.ours.code) for cell in (multi, single)]
        columns = (text for theirs, ours in sizes for text in (_number(theirs), str(ours)))
        rows.append((multi.cipher, multi.operation, *columns))
    header = tuple(f"{what}, {whose}" for what in ("tables", MULTI, SINGLE) for whose in ("paper", "ours"))
    note = (
        "Code of one operation without its key schedule, all rounds written out here; the paper's has loops."
        " Tables that depend on the key are counted here, and are not in the paper's ROM."
    )
    return Sheet("Table 2: bytes on the C6201", ("cipher", "operation", *header), tuple(rows), 6, note)


def asked(found: Sequence[Cell]) -> Sheet:
    """Of the machine whose memory the paper has, how long each cipher takes, at least, and what is known of
    that."""
    rows = []
    for cell in found:
        if cell.theirs.code is not None:
            figures = (cell.theirs.cycles, cell.bound, cell.ours.cycles)
            name = (cell.cipher, cell.mode, cell.operation, cell.status)
            rows.append((*name, *map(_number, figures), _apart(cell)))
    header = ("cipher", "mode", "operation", "status", "paper", "bound", "reached", "rounds")
    note = (
        "Cycles a block of the five ciphers in two modes on the C6201, and what is proved of them. *Optimal"
        " for its graph*: no schedule of the same instructions is shorter; *feasible*: one may be, not below"
        " the bound. *Rounds*: how far apart they can be where all are issued alike, = where no closer."
    )
    return Sheet("The ten figures, in both directions", header, tuple(rows), 4, note)


def _apart(cell: Cell, more: str = "") -> str:
    """How many cycles rounds are apart that are all issued alike, as far as a solver has said; ``more``: with
    one more of that."""
    told = proved(cell, more) if cell.mode == SINGLE else ()
    if not told:
        return "-"
    counted = (one for one in (*told, *proved(cell)) if one.registers and not one.banks)
    apart = min((one.interval for one in counted if one.outcome == FOUND), default=None)
    return _number(apart) + " =" * (apart is not None and least(told) == apart)


def proofs(found: Sequence[Cell]) -> Sheet:
    """What is known of each schedule."""
    rows = []
    for cell in found:
        bound = "-" if cell.bound is None else str(cell.bound)
        name = (f"{cell.machine} {cell.cipher} {cell.operation}", cell.mode, f"`{cell.schedule}`")
        rows.append((*name, cell.status, str(cell.ours.cycles), bound, _times(cell.ours.cycles, cell.bound)))
    header = ("kernel", "mode", "schedule", "status", "cycles", "bound", "times")
    note = (
        "No schedule of the same instructions has fewer cycles than the bound, which units, or the longest"
        " way through a block, impose; *optimal* is one that reaches it. Without a bound, a list schedule."
    )
    return Sheet("What is proved", header, tuple(rows), 3, note)


def rounds(found: Sequence[Cell]) -> Sheet:
    """What a solver has said of rounds that are all issued alike, as many cycles apart."""
    rows = []
    for cell in found:
        for one in proved(cell) if cell.mode == SINGLE else ():
            registers = "counted" if one.registers else "not counted"
            stages = str(one.stages) if one.stages else "any"
            kernel = f"{cell.machine} {cell.cipher} {cell.operation}"
            banks = "one access each" if one.banks else "any"
            answer = (one.outcome, f"{one.seconds:.1f}", one.solver)
            rows.append((kernel, str(one.interval), stages, registers, banks, *answer))
    header = ("kernel", "cycles", "stages", "registers", "blocks of memory", "answer", "seconds", "solver")
    note = (
        "A block that waits for the one before, all its rounds issued alike, so many cycles apart. What is"
        " *infeasible* without registers is so with them, and with any number of stages there is none. Memory"
        " in two blocks: half of the tables, and half of the words of the key, in each."
    )
    return Sheet("What is proved of rounds", header, tuple(rows), 5, note)


def _number(value: int | None) -> str:
    return "-" if value is None else str(value)


def _times(above: int | None, below: int | None) -> str:
    return "-" if above is None or below is None else f"{above / below:.2f}"


_BINDING = (
    "What bounds each loop over blocks in encryption, and its bound with one more: units .L, .S, .M, .D"
    " (with a ninth instruction a cycle), paths between the sides (X) and to memory (T), a port to memory,"
    " which is both .D and T, registers on each side; or with words from memory, or products, a cycle"
    " sooner. It is the bound of the same instructions; a processor that had more would be given others."
    " *Sides*: the bound by units and paths of both sides together, between which a solver has shared the"
    " operations out; *across*: the cycles that those operands take which have to cross, as far as that is"
    " proved. `finalist explain CIPHER --machine c62x -s pipeline=on` has how much of each is in use, too."
)
_MORE = ("L", "S", "M", "D", "X", "T", both("D", "T"), REGISTERS, sooner(5), sooner(2))
_HEADER = (*(f"+1 {name}" for name in _MORE[:-2]), "loads sooner", "products sooner")


def binding(found: Sequence[Cell]) -> Sheet:
    """What binds each loop, and the bound with one more of each resource."""
    rows = []
    for cell, bounds in _bounded(found):
        name = (f"{cell.machine} {cell.cipher}", cell.mode, bounds.binding)
        alone = {one.name: one.least for one in bounds.all}
        figures = (cell.ours.cycles, bounds.bound, alone.get(SIDES), alone.get("X") or None)
        rows.append((*name, *map(_number, figures), *map(_number, map(bounds.more, _MORE))))
    header = ("kernel", "mode", "binds", "cycles", "bound", "sides", "across", *_HEADER)
    return Sheet("What binds, and what one more would give", header, tuple(rows), 14, _BINDING)


_GAINED = (
    "The shortest schedules that were found for the same instructions on a processor with one more, and in"
    " brackets the bound there; = where that is reached. Each was looked for in as many seconds, from the"
    " schedule of the processor as it is, or a shorter one that suits; what a search as long finds with"
    " nothing more is beside them. Results that are sooner take registers sooner, for which the schedule of"
    " the processor as it is may have none; the search then begins with a quick one, and may end longer."
    " All are data, each schedule verified (`python -m tools.loops c62x CIPHER encrypt --relaxed FILE`),"
    " and no bounds: a longer search may find shorter ones."
)


def gained(found: Sequence[Cell]) -> Sheet:
    """What searches have found with one more of each resource."""
    rows = []
    for cell, bounds in _bounded(found):
        if bounds.again is not None:
            name = (f"{cell.machine} {cell.cipher}", cell.mode, str(cell.ours.cycles))
            searched = map(_found, (bounds.again, *map(bounds.of, _MORE)))
            rows.append((*name, *searched, f"{bounds.again.seconds:.0f}"))
    header = ("kernel", "mode", "cycles", "nothing more", *_HEADER, "seconds")
    return Sheet("What one more gives, as far as found", header, tuple(rows), 13, _GAINED)


_CLOSER = (
    "How far apart rounds can be if all are issued alike, of a block that waits for the one before: as it is,"
    " and on a processor with one more; = where a solver has refuted a cycle less, which it says of all"
    " schedules of rounds alike, with any number of stages. Without =, it did not say so in its time."
)


def closer(found: Sequence[Cell]) -> Sheet:
    """How far apart rounds can be with one more of each resource."""
    rows = []
    for cell in found:
        if cell.operation == OPERATIONS[0] and any(proved(cell, more) for more in _MORE):
            more = (_apart(cell, more) for more in _MORE)
            rows.append((f"{cell.machine} {cell.cipher}", _apart(cell), *more))
    header = ("kernel", "nothing more", *_HEADER)
    return Sheet("How far apart rounds are with one more", header, tuple(rows), 11, _CLOSER)


def _bounded(found: Iterable[Cell]) -> Iterator[tuple[Cell, Limits]]:
    """The encryptions of which is known what bounds them."""
    for cell in found:
        if cell.limits is not None and cell.operation == OPERATIONS[0]:
            yield cell, cell.limits


def _found(one: Limit | None) -> str:
    if one is None or one.found is None:
        return "-"
    return f"{one.found} =" if one.found == one.more else f"{one.found} ({one.more})"
