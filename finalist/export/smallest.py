"""Where size comes before speed: the files of a cipher with the quickest tables that leave them small."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace

from finalist import api
from finalist.errors import ScheduleError
from finalist.export.identity import Identity
from finalist.export.library import Files, cipher_files, small_text
from finalist.export.plan import plans
from finalist.export.selection import Selection
from finalist.export.tables import table_bytes
from finalist.language.cipher import Cipher
from finalist.machines.native.run import NativeProgram
from finalist.schedule import Schedule

#: What is merged into lookups, the quickest first.
_TABLES = (Schedule(), Schedule(fuse=32), Schedule(fuse=0))
#: Bytes of a cipher's own C that are small enough: 150 KB with what all ciphers of a library share.
_SMALL = 132_000
#: What a library's code is, at the least, of that of one operation under one key length.
_TIMES = 2.4
#: How much more work is as little.
_AS_QUICK = 1.1


def small_files(
    identity: Identity,
    cipher: type[Cipher],
    key_lengths: Sequence[int],
    choices: Schedule,
    selection: Selection,
) -> Files:
    """The files of the first choice of tables that leaves them small, or else of that with the shortest.

    Raises as `plans` and `cipher_files`.
    """
    shortest: Files | None = None
    tried = _tried(cipher, key_lengths, choices, selection)
    for number, own in enumerate(tried):
        last = number == len(tried) - 1
        if not (last and shortest is None) and _too_long(identity, cipher, key_lengths, own, selection):
            continue
        made = cipher_files(identity, cipher, plans(cipher, key_lengths, own, selection))
        if shortest is None or made.source_bytes < shortest.source_bytes:
            shortest = made
        if made.source_bytes <= _SMALL:
            break
    assert shortest is not None
    return shortest


def _tried(
    cipher: type[Cipher], key_lengths: Sequence[int], choices: Schedule, selection: Selection
) -> list[Schedule]:
    """The choices with each of the ways to merge that is legal, but those that are no quicker than another
    with shorter tables; the choices alone where they say how tables are read."""
    if choices.fuse is not None or choices.lookup or choices.constant_time or cipher.stateful:
        return [choices]
    found: list[tuple[Schedule, float]] = []
    for tables in _TABLES:
        own = choices.over(tables)
        with suppress(ScheduleError):
            work = _work(cipher, max(key_lengths), own, selection)
            found = [(other, least) for other, least in found if least * _AS_QUICK < work]
            found.append((own, work))
    return [own for own, _ in found] or [choices]


def _work(cipher: type[Cipher], key_bits: int, choices: Schedule, selection: Selection) -> float:
    single = choices.over(Schedule(blocks=1, width=1))
    program = api.compile(cipher, "native", selection.working()[0], key_bits, single)
    assert isinstance(program, NativeProgram)
    return program.work.least_cycles


def _too_long(
    identity: Identity,
    cipher: type[Cipher],
    key_lengths: Sequence[int],
    choices: Schedule,
    selection: Selection,
) -> bool:
    """Whether one operation under one key length is so long that the library can't be small, or not legal."""
    longest, operations = max(key_lengths), selection.working()
    if len(key_lengths) * len(operations) <= _TIMES:
        return False
    one = replace(selection, operations=operations[:1])
    planned = plans(cipher, (longest,), choices, one)
    text = small_text(identity, cipher, planned[0].parts)
    tables = table_bytes(text)
    return tables + _TIMES * (len(text) - tables) > _SMALL
