"""Test vectors: the published ones, kept as data beside this file, and those that a definition brings itself.

Those that were made by the definition itself (`finalist.vectors.make`) are told apart from published ones:
programs that reproduce them agree with the definition, which is not to say that the definition is right.
All hex is in memory order: the leftmost pair is byte 0. Each row says where it comes from.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Any, TypeVar

from finalist.ciphers.catalogue import cipher_names, is_built_in
from finalist.errors import VectorError
from finalist.language.cipher import Cipher
from finalist.language.parameters import split

DATA = files("finalist.vectors") / "data"
MODES = ("ECB", "CBC")
DIRECTIONS = ("encrypt", "decrypt")
#: Length of a Monte Carlo chain where the record gives no other (NIST's 1998 rules for the AES contest).
ITERATIONS = 10_000
#: What a program was held to.
PUBLISHED, OWN = "published", "own, not published"
_VALUES = ("key", "plaintext", "ciphertext")
#: What a definition without vectors lacks, as errors say it.
HOW_TO_BRING = (
    "a definition brings its own in a class attribute: vectors = [(key, plaintext, ciphertext), ...] in hex;"
    " `finalist vectors FILE` makes some from the definition"
)

_Row = TypeVar("_Row")


@dataclass(frozen=True, slots=True)
class KnownAnswer:
    """One block under one key, all in bytes; ``origin`` names the publication.

    Of a stream cipher a message, of any length, after ``offset`` bytes of the key stream. ``own``: made by
    the definition itself, not published. ``intermediate``: values of the encryption on the way, as text that
    `finalist.vectors.compare` reads; empty where none are known.
    """

    key: bytes
    plaintext: bytes
    ciphertext: bytes
    origin: str
    offset: int = 0
    own: bool = False
    intermediate: str = ""


@dataclass(frozen=True, slots=True)
class MonteCarlo:
    """One entry of a Monte Carlo test: a chain of ``iterations`` operations, each fed by those before it.

    ``mode`` is ECB or CBC, ``direction`` encrypt or decrypt; ``iv`` is empty for ECB; ``number`` is
    the entry's place in its file. Every entry can be checked alone.
    """

    mode: str
    direction: str
    key: bytes
    iv: bytes
    plaintext: bytes
    ciphertext: bytes
    iterations: int
    number: int
    origin: str = ""


@dataclass(frozen=True, slots=True)
class Message:
    """A message in a mode of operation; ``iv``: the initial block, in counter mode the first counter."""

    mode: str
    key: bytes
    iv: bytes
    plaintext: bytes
    ciphertext: bytes
    origin: str


def known_answers(cipher_name: str, folder: Traversable = DATA) -> tuple[KnownAnswer, ...]:
    """The published known answers of a cipher; none where there is no file for it.

    Raises VectorError, naming file and record, where the data are damaged.
    """
    answers = _rows(cipher_name, folder, "known_answer", _known_answer)
    return answers + _rows(cipher_name, folder, "keystream", _key_stream)


def monte_carlo(cipher_name: str, folder: Traversable = DATA) -> tuple[MonteCarlo, ...]:
    """The published Monte Carlo entries of a cipher; as `known_answers` otherwise."""
    return _rows(cipher_name, folder, "monte_carlo", _monte_carlo)


def messages(cipher_name: str, folder: Traversable = DATA / "messages") -> tuple[Message, ...]:
    """The published messages of a cipher in modes of operation; as `known_answers` otherwise."""
    return _rows(cipher_name, folder, "messages", _message)


def printed(cipher_name: str, folder: Traversable = DATA) -> tuple[KnownAnswer, ...]:
    """The known answers as their publication prints them; as `known_answers` otherwise.

    Where the print is not in memory order, a record has the printed strings in nist_key, nist_plaintext and
    nist_ciphertext. If any record of a file has them, those that have none come from elsewhere and are
    left out; if none has, the print is in memory order.
    """
    rows = _rows(cipher_name, folder, "known_answer", _as_printed)
    return tuple(row for row in rows if row is not None) or known_answers(cipher_name, folder)


def vectors_of(cipher: type[Cipher]) -> tuple[KnownAnswer, ...]:
    """The known answers that a definition is held to.

    Of a built-in cipher the published ones; of another those of its class attributes ``vectors`` and
    ``own_vectors``, lists of (key, plaintext, ciphertext) in hex, of which the latter are not published.
    ``vectors = "rijndael"`` stands for the published ones of a built-in cipher. Rows of key lengths that the
    definition does not have are left out. Raises VectorError.
    """
    name = published_name(cipher)
    rows = known_answers(name) if name else tuple(_rows_of(cipher, "vectors", own=False))
    return tuple(row for row in (*rows, *_rows_of(cipher, "own_vectors", own=True)) if _fits(cipher, row))


def published_name(cipher: type[Cipher]) -> str:
    """The built-in cipher whose published vectors and figures are this definition's; empty for none.

    Its own name if it is built in; of a user's definition, whatever its name, what it says in ``vectors``.
    Raises VectorError where there is no such cipher.
    """
    given = getattr(cipher, "vectors", None)
    if given is None:
        return cipher.own_name() if is_built_in(cipher) else ""
    if isinstance(given, str) and given not in cipher_names():
        raise VectorError(
            f"{cipher.name()}.vectors is {given!r}; accepted: a list of rows, or whose published vectors they"
            f" are: {', '.join(cipher_names())}"
        )
    return given if isinstance(given, str) else ""


def provenance(rows: Iterable[KnownAnswer], key_bits: int) -> str:
    """What a program that reproduces these vectors, as far as they are of a key length, was held to.

    `PUBLISHED`, or `OWN` where none of them is published.
    """
    return OWN if all(row.own for row in rows if len(row.key) * 8 == key_bits) else PUBLISHED


def printed_of(cipher: type[Cipher]) -> tuple[KnownAnswer, ...]:
    """The vectors of a definition as printed: its own as they stand, else `printed` of its name.

    As `vectors_of` otherwise.
    """
    name = published_name(cipher)
    return tuple(row for row in printed(name) if _fits(cipher, row)) if name else vectors_of(cipher)


def monte_carlo_of(cipher: type[Cipher]) -> tuple[MonteCarlo, ...]:
    """The Monte Carlo entries that a definition is held to; none if it brings its own vectors."""
    return tuple(row for row in monte_carlo(published_name(cipher)) if _fits(cipher, row))


def key_lengths(cipher: type[Cipher]) -> tuple[int, ...]:
    """The key lengths, in bits, that a cipher is verified for: those of a range that have vectors, or all."""
    if isinstance(cipher.key_bits, tuple):
        return cipher.key_bits
    return tuple(sorted({len(row.key) * 8 for row in vectors_of(cipher)}))


def _fits(cipher: type[Cipher], row: KnownAnswer | MonteCarlo) -> bool:
    """Whether the definition has the row's key length. Raises VectorError where its block is not a block."""
    if len(row.plaintext) != cipher.block.bytes and not cipher.stateful:
        raise VectorError(
            f"{cipher.name()}: vector {row.origin!r} has a block of {len(row.plaintext)} bytes;"
            f" accepted: {cipher.block.bytes}"
        )
    if not row.key and 0 not in cipher.key_bits:
        raise VectorError(f"{cipher.name()}: vector {row.origin!r} has no key; accepted: one of the cipher's")
    return len(row.key) * 8 in cipher.key_bits


def _rows_of(cipher: type[Cipher], attribute: str, *, own: bool) -> Iterator[KnownAnswer]:
    """The rows of a definition's attribute; a published one may end in intermediate values."""
    given, most = getattr(cipher, attribute, None) or (), 3 if own else 4
    if not isinstance(given, list | tuple):
        raise VectorError(f"{cipher.name()}.{attribute} is {type(given).__name__}; accepted: a list of rows")
    for number, row in enumerate(given):
        where = f"{cipher.name()}.{attribute}[{number}]"
        if not isinstance(row, list | tuple) or not 3 <= len(row) <= most:
            accepted = "" if own else ", after which a text of intermediate values may come"
            raise VectorError(f"{where} is {row!r}; accepted: (key, plaintext, ciphertext) in hex{accepted}")
        record = dict(zip((*_VALUES, "intermediate"), row, strict=False))
        yield replace(_known_answer({**record, "origin": where}, where), own=own)


# -- the data files ----------------------------------------------------------------------------------


def _rows(
    cipher_name: str, folder: Traversable, part: str, read: Callable[[Any, str], _Row]
) -> tuple[_Row, ...]:
    base, values = split(cipher_name)
    name, part = f"{base}.json", f"{part}:{values}" if values else part
    # Compared with what is there, never joined to a path: a definition may call itself anything.
    if name not in {entry.name for entry in folder.iterdir()}:
        return ()
    records = _parsed(folder / name).get(part, [])
    if not isinstance(records, list):
        raise VectorError(f"{name}: {part} is {type(records).__name__}; accepted: a list")
    return tuple(read(record, f"{name}: {part}[{number}]") for number, record in enumerate(records))


def _parsed(file: Traversable) -> dict[str, Any]:
    return _published(file.name) if file == DATA / file.name else _read(file)


@cache
def _published(name: str) -> dict[str, Any]:
    return _read(DATA / name)


def _read(file: Traversable) -> dict[str, Any]:
    try:
        content = json.loads(file.read_text("utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise VectorError(f"{file.name} can't be read: {error}") from error
    if not isinstance(content, dict):
        raise VectorError(f"{file.name} holds {type(content).__name__}; accepted: an object")
    return content


def _known_answer(record: Any, where: str) -> KnownAnswer:
    key, plaintext, ciphertext = _key_and_blocks(record, where)
    origin, intermediate = str(record.get("origin", where)), _text(record, "intermediate", where)
    return KnownAnswer(key, plaintext, ciphertext, origin, intermediate=intermediate)


def _as_printed(record: Any, where: str) -> KnownAnswer | None:
    """The printed strings of a record; None where it has none."""
    row = _known_answer(record, where)
    if not any(name.startswith("nist_") for name in record):
        return None
    key, plaintext, ciphertext = (_hex(record, f"nist_{name}", where) for name in _VALUES)
    lengths = [len(value) for value in (key, plaintext, ciphertext)]
    if lengths != [len(row.key), len(row.plaintext), len(row.ciphertext)]:
        raise VectorError(f"{where}: what is printed is not as long as what is in memory order")
    return KnownAnswer(key, plaintext, ciphertext, row.origin)


def _key_stream(record: Any, where: str) -> KnownAnswer:
    """Part of a key stream: what zeros become, that many bytes after its start."""
    if not isinstance(record, dict):
        raise VectorError(f"{where} is {type(record).__name__}; accepted: an object")
    stream = _hex(record, "keystream", where)
    return KnownAnswer(
        key=_hex(record, "key", where),
        plaintext=bytes(len(stream)),
        ciphertext=stream,
        origin=str(record.get("origin", where)),
        offset=_count(record, "offset", where, 0, least=0),
    )


def _message(record: Any, where: str) -> Message:
    values = _key_and_blocks(record, where)
    mode, iv = str(record.get("mode", "")), _hex(record, "iv", where)
    return Message(mode, values[0], iv, *values[1:], origin=str(record.get("origin", where)))


def _monte_carlo(record: Any, where: str) -> MonteCarlo:
    key, plaintext, ciphertext = _key_and_blocks(record, where)
    mode = _one_of(record, "mode", where, MODES)
    iv = _hex(record, "iv", where) if mode == "CBC" else b""
    if mode == "CBC" and len(iv) != len(plaintext):
        raise VectorError(f"{where}: iv has {len(iv)} bytes; accepted: {len(plaintext)}, as its blocks")
    return MonteCarlo(
        mode=mode,
        direction=_one_of(record, "direction", where, DIRECTIONS),
        key=key,
        iv=iv,
        plaintext=plaintext,
        ciphertext=ciphertext,
        iterations=_count(record, "iterations", where, ITERATIONS, least=1),
        number=_count(record, "I", where, 0, least=0),
        origin=str(record.get("origin", where)),
    )


def _key_and_blocks(record: Any, where: str) -> tuple[bytes, bytes, bytes]:
    if not isinstance(record, dict):
        raise VectorError(f"{where} is {type(record).__name__}; accepted: an object")
    key, plaintext, ciphertext = (
        _hex(record, name, where, least=0 if name == "key" else 1) for name in _VALUES
    )
    if len(plaintext) != len(ciphertext):
        raise VectorError(f"{where}: plaintext of {len(plaintext)} bytes, ciphertext of {len(ciphertext)}")
    return key, plaintext, ciphertext


def _hex(record: dict[str, Any], name: str, where: str, least: int = 1) -> bytes:
    """Bytes, ``least`` of them; a key may be empty, that of a permutation."""
    try:
        value = bytes.fromhex(record[name])
    except KeyError as error:
        raise VectorError(f"{where}: {name} is missing") from error
    except (TypeError, ValueError) as error:
        raise VectorError(f"{where}: {name} is {record[name]!r}; accepted: pairs of hex digits") from error
    if len(value) < least:
        raise VectorError(f"{where}: {name} is empty; accepted: at least one byte")
    return value


def _text(record: dict[str, Any], name: str, where: str) -> str:
    value = record.get(name, "")
    if not isinstance(value, str):
        raise VectorError(f"{where}: {name} is {type(value).__name__}; accepted: a text")
    return value


def _one_of(record: dict[str, Any], name: str, where: str, accepted: tuple[str, ...]) -> str:
    value = record.get(name)
    if value not in accepted:
        raise VectorError(f"{where}: {name} is {value!r}; accepted: {', '.join(accepted)}")
    return str(value)


def _count(record: dict[str, Any], name: str, where: str, default: int, least: int) -> int:
    value = record.get(name, default)
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise VectorError(f"{where}: {name} is {value!r}; accepted: an integer from {least}")
    return value
