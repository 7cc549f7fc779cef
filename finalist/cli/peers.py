"""``finalist bench --against peers`` and ``finalist verify --against peers``."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path

from rich.console import RenderableType

from finalist.ciphers.catalogue import GROUPS, USUAL_GROUP, cipher_names, is_built_in
from finalist.cli import options, output, tables
from finalist.cli.sheets import shown
from finalist.errors import UnknownNameError
from finalist.language.cipher import Cipher
from finalist.language.definition import OPERATIONS
from finalist.peers import field, figures, opinion, python
from finalist.peers.field import Field
from finalist.peers.grid import ENCRYPTION, LEVELS, SIZES, Cell, cells
from finalist.peers.interface import PeersError
from finalist.peers.library import LIBRARIES, PeerLibrary, how_to_install, library
from finalist.peers.opinion import Opinion
from finalist.peers.processes import PROCESSES, measuring
from finalist.report import peers as report
from finalist.report.sheets import page
from finalist.tuning import choose, trials
from finalist.tuning.search import Search, Task, place_of
from finalist.vectors.load import published_name

#: The only value of --against.
PEERS = "peers"
#: Random blocks of a second opinion.
BLOCKS = 100_000
#: Seconds of looking for the quickest schedules of one operation, where none are known.
TUNING = 15.0
_MARK, _SHORT_MARK = "finalist bench --against peers", "finalist bench --against peers, in short"


def refuse(against: str, others: Mapping[str, object]) -> None:
    """Refuse what --against can't be, and options that say nothing there. Raises UnknownNameError."""
    if against != PEERS:
        raise UnknownNameError(f"--against {against}; accepted: {PEERS}")
    options.refuse(others, f"--against {PEERS}")


# -- bench -------------------------------------------------------------------------------------------


def bench(
    names: list[str] | None,
    key_bits: int | None,
    again: bool,
    targets: Sequence[Path],
    as_json: bool,
    at: int | None = None,
) -> None:
    """Measure ours and all others side by side; what an earlier run has measured is taken from it.

    ``at``: messages of so many bytes alone, encrypted in ECB and CTR by functions in C.
    """
    if at not in (None, *SIZES):
        raise UnknownNameError(f"--at {at}; accepted: {', '.join(map(str, SIZES))}")
    found = _peers()
    wanted = _ciphers(names, found)
    strange = [cipher.source for cipher in wanted if not is_built_in(cipher)]
    if strange:  # what is measured is kept by the name of a cipher
        raise UnknownNameError(f"{strange[0]}: other libraries are measured beside built-in ciphers only")
    fields = [Field(cipher, key_bits or field.usual_key_bits(cipher, found), found) for cipher in wanted]
    grids = [[cell for cell in cells(one) if at is None or _is_at(cell, at)] for one in fields]
    marked = partial(_renewals, mark=_MARK if at is None else f"{_MARK} --at {at}")
    renewals = [renewal for target in targets for renewal in marked(target)]
    place = place_of(options.DEFAULT_MACHINE)
    kept = {} if again else figures.known(place)
    left = (PROCESSES - len(kept.get(cell, ())) for grid in grids for cell in grid)
    with output.progress(sum(left)) as step:
        for one, grid in zip(fields, grids, strict=True):
            if any(len(kept.get(cell, {})) < PROCESSES for cell in grid):
                _tune(one.definition, one.key_bits, step)
            for work in measuring(one.definition, grid, place, kept):
                deque(output.followed(step, work), maxlen=0)
    comparisons = list(figures.in_order(kept, (cell for grid in grids for cell in grid)))
    notes = [note for one in fields for note in one.notes]
    sheets = list(report.sheets(comparisons, notes, _absent(found)))
    if at is not None:
        sheets = [report.of_one_size(comparisons)]
    for renew, whole in renewals:
        renew(page(sheets if whole else [report.in_short(comparisons)]))
    told = [asdict(one) for comparison in comparisons for one in comparison]
    output.show_either(as_json, told, shown(sheets), *targets)


def _tune(definition: type[Cipher], key_bits: int, step: output.Step) -> None:
    """Look for our quickest schedules for some time, where none are known."""
    known = trials.latest(trials.read().rows)
    for operation in OPERATIONS:
        task = Task(definition, options.DEFAULT_MACHINE, operation, key_bits)
        if choose.ladder(definition, operation, key_bits):
            continue
        for trial in Search(task, known, TUNING).run():
            trials.append([trial])
            step(f"{task}: {trial.schedule}", begins=False)


def _is_at(cell: Cell, size: int) -> bool:
    return (cell.level, cell.data_bytes) == (LEVELS[0], size) and cell.quantity in ENCRYPTION


def _renewals(target: Path, mark: str) -> list[tuple[Callable[[str], None], bool]]:
    """What writes the parts of a page that are this command's, and whether each is the whole or in short."""
    text = target.read_text("utf-8") if target.is_file() else ""
    short = f"<!-- {_SHORT_MARK} -->" in text
    return [(output.part_of(target, _SHORT_MARK if short else mark), not short)]


# -- verify ------------------------------------------------------------------------------------------


def verify(
    names: list[str] | None, operation: str | None, key_bits: int | None, blocks: int, as_json: bool
) -> bool:
    """Ask every other library that has a cipher for its answers; whether all agree.

    Those that order bytes otherwise have to agree in their own order; those that fail the published vectors
    are named.
    """
    found, operations = _peers(), options.operations_of(operation)
    tasks = [
        (one, each, bits)
        for one in _ciphers(names, found)
        for bits in ([key_bits] if key_bits else one.key_bits)
        for each in operations
    ]
    opinions = []
    with output.progress(len(tasks)) as step:
        for one, each, bits in tasks:
            step(f"{one.name()} {each} {bits}")
            for name, other in opinion.others(one, each, found):
                if opinion.has_key(other, bits):
                    opinions.append(opinion.ask(one, each, bits, name, other, blocks=blocks))
    output.show_either(as_json, [asdict(one) for one in opinions], _opinions(opinions, _absent(found)))
    return not any(one.difference for one in opinions)


def _opinions(found: Sequence[Opinion], absent: Sequence[str]) -> Iterator[RenderableType]:
    table = tables.plain(["cipher", "library"], ["key bits", "programs", "blocks"], ["verdict"])
    for cipher, name, verdict in dict.fromkeys((one.cipher, one.name, _verdict(one)) for one in found):
        own = [one for one in found if (one.cipher, one.name, _verdict(one)) == (cipher, name, verdict)]
        bits = sorted({one.key_bits for one in own})
        lengths = f"{bits[0]} to {bits[-1]}" if len(bits) > 3 else ", ".join(map(str, bits))
        table.add_row(cipher, name, lengths, str(len(own)), str(sum(one.blocks for one in own)), verdict)
    yield table
    for one in found:
        if one.difference:
            what = f"{one.cipher} {one.operation}, {one.key_bits}-bit key, {one.name}"
            yield f"differs: {what}: {one.difference}"
    yield from ([f"not installed: {', '.join(absent)}; {how_to_install()}"] if absent else [])


def _verdict(one: Opinion) -> str:
    if one.wrong:
        return "fails the published vectors, and is not asked"
    return "differs" if one.difference else f"agrees; it {one.order}" if one.order else "agrees"


# -- who is there --------------------------------------------------------------------------------------


def _peers() -> PeerLibrary | None:
    """The libraries; None if only packages of Python are there. Raises PeersError where there is neither."""
    found = library()
    if found is None and not python.packages():
        raise PeersError(f"no other library is here: {how_to_install()}")
    return found


def _absent(found: PeerLibrary | None) -> tuple[str, ...]:
    return (*(found.absent if found else LIBRARIES), *python.absent())


def _ciphers(names: list[str] | None, found: PeerLibrary | None) -> list[type[Cipher]]:
    """The ciphers named, or all that any other library has. Raises UnknownNameError, or as `cipher`."""
    had = field.ciphers(found)
    groups = {group: [name for name in cipher_names(group) if name in had] for group in GROUPS}
    wanted = options.ciphers_of([one for name in names or [USUAL_GROUP] for one in groups.get(name, [name])])
    for one in wanted:
        if published_name(one) not in had:
            accepted = f"{', '.join(sorted(had))}, and a definition that says whose vectors it is held to"
            raise UnknownNameError(
                f"{one.source or one.name()} is in no library here; accepted: {accepted} (vectors = 'NAME')"
            )
    return wanted
