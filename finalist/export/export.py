"""From ciphers to a folder that others can build: planned in several processes, checked, put in place."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import as_completed
from dataclasses import dataclass, field
from pathlib import Path

from finalist.ciphers.catalogue import Reference, ciphers, reference
from finalist.errors import KeyLengthError, ScheduleError
from finalist.export import folder, verify
from finalist.export.identity import DEFAULT_PREFIX, Identity, check_holder, check_prefix, holder_of
from finalist.export.library import Files, cipher_files, library_files
from finalist.export.plan import plans
from finalist.export.selection import LEVEL_NAMES, Selection, check_choices
from finalist.export.smallest import small_files
from finalist.export.supercop import supercop_files
from finalist.export.testing import rows_of
from finalist.ir.memoized import uncollected
from finalist.language.cipher import Cipher
from finalist.schedule import Schedule
from finalist.vectors.load import key_lengths
from finalist.workers import processes

Step = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Order:
    """What is asked for: ciphers by name or path, key lengths in bits (all that have vectors if there are
    none here), choices of the schedule for all programs, and the command that asks; what of the ciphers, the
    prefix of public names, and the copyright holder, by default as `holder_of` has it."""

    ciphers: tuple[str, ...]
    key_bits: int | None
    choices: Schedule
    command: str
    selection: Selection = field(default_factory=Selection)
    prefix: str = DEFAULT_PREFIX
    holder: str | None = None

    @property
    def identity(self) -> Identity:
        """Whose the library is. Raises UnknownNameError."""
        check_prefix(self.prefix)
        if self.holder is not None:
            check_holder(self.holder)
        holder = self.holder or holder_of(ciphers(self.ciphers))
        return Identity(self.command, self.prefix, holder)


def lengths_of(cipher: type[Cipher], key_bits: int | None) -> tuple[int, ...]:
    """The key lengths of a cipher in a library. Raises KeyLengthError."""
    if key_bits is None:
        return key_lengths(cipher)
    if key_bits not in cipher.key_bits:
        raise KeyLengthError(f"{cipher.name()} has no {key_bits}-bit keys; accepted: {cipher.key_sizes()}")
    return (key_bits,)


def write_library(
    order: Order, target: Path, step: Step, *, force: bool = False, check: bool = True
) -> dict[str, str]:
    """Write a library into a folder, after it has passed its own test; what was checked, by level.

    ``step`` is told what happens. Nothing is there before all is. Raises FolderError, ScheduleError,
    VectorError, CompilerError, KeyLengthError or UnknownNameError.
    """
    check_choices(order.choices)
    identity = order.identity
    _check_selection(order)
    folder.check_folder(target, force=force)
    made = library_files(identity, _made(order, identity, step))
    _check_levels(order.selection, made)
    with folder.beside(target) as part:
        folder.fill(part, made.texts)
        found = verify.checked(made, part, step) if check else verify.unchecked(made)
        texts = found.put_into(made)
        folder.fill(part, {**texts, folder.MARK: folder.mark(order.command, texts)})
        folder.take_over(part, target)
    return found.levels


def _check_selection(order: Order, *, streams: bool = True) -> None:
    """Of all ciphers, stream ciphers or not, before anything takes time.

    Raises ScheduleError, KeyLengthError or VectorError.
    """
    order.selection.check()
    for cipher in ciphers(order.ciphers):
        if streams or not cipher.stateful:
            order.selection.check_for(cipher)
            rows_of(cipher, lengths_of(cipher, order.key_bits))


def _check_levels(selection: Selection, made: Files) -> None:
    """Refuse a level that was asked for and that no cipher has anything on. Raises ScheduleError."""
    for name in selection.levels or ():
        if name not in made.levels:
            names, others = ", ".join(made.names), ", ".join(one for one in LEVEL_NAMES if one != name)
            raise ScheduleError(
                f"--levels {name}: of {names} there are no programs for it, or none that are quicker than"
                f" those of the levels below; accepted: of {others} those that there are, or no --levels"
            )


def write_supercop(order: Order, target: Path, step: Step, *, force: bool = False) -> list[str]:
    """Write folders for SUPERCOP, which checks them itself; what was left out, and why.

    Raises as `write_library`; ScheduleError also where nothing is left.
    """
    check_choices(order.choices)
    _check_selection(order, streams=False)
    folder.check_folder(target, force=force)
    texts, refused = _supercop(order, step)
    if not texts:
        raise ScheduleError("; ".join(refused))
    with folder.beside(target) as part:
        folder.fill(part, {**texts, folder.MARK: folder.mark(order.command, texts)})
        folder.take_over(part, target)
    return refused


def _supercop(order: Order, step: Step) -> tuple[dict[str, str], list[str]]:
    texts: dict[str, str] = {}
    refused: list[str] = []
    for cipher in ciphers(order.ciphers):
        step(f"programs of {cipher.name()}")
        if cipher.stateful:
            refused.append(f"{cipher.name()}: SUPERCOP's stream ciphers take a nonce, which this one has not")
            continue
        lengths = lengths_of(cipher, order.key_bits)
        planned = plans(cipher, lengths, order.choices, order.selection)
        texts |= supercop_files(order.command, cipher, planned)
    return texts, refused


def _made(order: Order, identity: Identity, step: Step) -> Sequence[Files]:
    """The files of each cipher, in the order that they are named in."""
    wanted = {reference(one): one.name() for one in ciphers(order.ciphers)}
    if len(wanted) == 1:
        (name,) = wanted.values()
        step(f"programs of {name}")
        return [_files(order, identity, *wanted)]
    found = dict(_together(order, identity, wanted, step))
    return [found[one] for one in wanted]


def _together(
    order: Order, identity: Identity, wanted: Mapping[Reference, str], step: Step
) -> Iterator[tuple[Reference, Files]]:
    with processes() as pool:
        waiting = {pool.submit(_files, order, identity, one): one for one in wanted}
        for done in as_completed(waiting):
            step(f"programs of {wanted[waiting[done]]}")
            yield waiting[done], done.result()


def _files(order: Order, identity: Identity, which: Reference) -> Files:
    cipher = which.load()
    lengths = lengths_of(cipher, order.key_bits)
    with uncollected():
        if order.selection.small:
            return small_files(identity, cipher, lengths, order.choices, order.selection)
        return cipher_files(identity, cipher, plans(cipher, lengths, order.choices, order.selection))
