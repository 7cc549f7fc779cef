"""Which re-ordering of bytes makes printed test vectors right on a machine that reads words little-endian.

Gladman, "Implementation Experience with AES Candidate Algorithms" (1999), lists for each candidate what has
to be done to NIST's vectors, as the submissions print them, before a little-endian machine takes them. Here
that is found, by trying every re-ordering of key, plaintext and ciphertext on the cipher's definition.

A little-endian machine reads memory in words of 32 or of 64 bits (the *reading*), most significant word
first where the cipher's own words are wider. If the definition's words are big-endian, the machine's are
theirs with the bytes inverted; if they are little-endian, or bytes, there is no difference. So a re-ordering
is right if, done to the printed values and followed by that inversion, it gives what the definition computes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from enum import Enum
from itertools import product
from typing import NamedTuple

from finalist import api
from finalist.ciphers.catalogue import cipher_names
from finalist.errors import DataError, KeyLengthError, VectorError
from finalist.ir.program import ByteOrder, Layout
from finalist.language.cipher import Cipher
from finalist.papers.load import notes_on, paper
from finalist.vectors.load import KnownAnswer, printed_of, published_name

#: Bits of the words in which a machine may read.
READINGS = (32, 64)
#: Bytes of a block, in all ciphers of the paper.
BLOCK = 16
#: How many vectors are tried whose keys tell all re-orderings apart, and how many whose plaintexts do.
EACH = 3

Reader = Callable[[bytes], bytes]


class Action(Enum):
    """A re-ordering of the bytes of a key or a block, named as the paper names it."""

    NONE = "none"
    IN_32 = "invert bytes in 32-bit words"
    IN_64 = "invert bytes in 64-bit words"
    #: The whole value, a key of 192 or 256 bits too: it is printed as one number.
    IN_128 = "invert bytes in 128-bit words"

    def apply(self, value: bytes) -> bytes:
        """The re-ordered value, of a length that is a multiple of 8 bytes."""
        return _inverted(value, _UNITS.get(self, len(value)))


_UNITS = {Action.NONE: 1, Action.IN_32: 4, Action.IN_64: 8}


class Actions(NamedTuple):
    """What is done to each part of a vector."""

    key: Action
    plaintext: Action
    ciphertext: Action


@dataclass(frozen=True, slots=True)
class Finding:
    """What makes a cipher's printed vectors right: the one answer for each of `READINGS`.

    ``block``: the words that the definition has. ``vectors``: the origins of those that were tried.
    """

    cipher: str
    key_bits: int
    block: Layout
    actions: Mapping[int, Actions]
    vectors: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Comparison:
    """A finding beside the paper's entry (None where it has none), and our note on it, often empty."""

    finding: Finding
    published: Action | None
    note: str

    @property
    def agrees(self) -> tuple[int, ...]:
        """The readings in which the paper's action is the one that was found."""
        wanted = (self.published,) * 3
        return tuple(bits for bits, found in self.finding.actions.items() if found == wanted)


def compare(cipher: type[Cipher], key_bits: int, machine: str = "interpreter") -> Comparison:
    """The finding for a cipher beside the paper's entry. Arguments and errors are those of `find`."""
    name = published_name(cipher)
    note = notes_on("gladman")["byte_order"]["notes"].get(name, "")
    return Comparison(find(cipher, key_bits, machine), published().get(name), note)


def published() -> dict[str, Action]:
    """The paper's action for each definition that is of one of its ciphers, in the catalogue's order."""
    names = notes_on("gladman")["byte_order"]["names"]
    table = paper("gladman")["byte_order_action_for_nist_vectors_on_little_endian"]
    found = {
        ours: Action(action)
        for action, ciphers in table.items()
        for theirs in ciphers
        for ours in names.get(theirs, [theirs])
    }
    return {name: found[name] for name in cipher_names() if name in found}


def find(cipher: type[Cipher], key_bits: int, machine: str = "interpreter") -> Finding:
    """Try all re-orderings of the vectors of that key length, of each part by itself, in each reading.

    ``machine``: where the definition is run. Raises DataError where the cipher's blocks are not of 128
    bits; KeyLengthError where it has no such keys, or they are no multiple of 64 bits; VectorError where
    the vectors are not right under exactly one re-ordering; and what compiling raises.
    """
    _check(cipher, key_bits)
    rows = telling(row for row in printed_of(cipher) if len(row.key) * 8 == key_bits)
    readers = {bits: _readers(cipher, bits) for bits in READINGS}
    # All at once: a key schedule can be long, but takes hardly longer for many keys.
    inputs = sorted({pair for pairs in readers.values() for row in rows for pair in _inputs(row, *pairs)})
    program = api.compile(cipher, machine, "encrypt", key_bits)
    results = program.run_many([key for key, _ in inputs], [block for _, block in inputs])
    outputs = dict(zip(inputs, results, strict=True))
    actions = {}
    for bits, (of_key, of_block) in readers.items():
        right = [one for one in _EVERY if all(_is_right(one, row, of_key, of_block, outputs) for row in rows)]
        if len(right) != 1:
            raise VectorError(_failure(cipher, key_bits, bits, rows, len(right)))
        actions[bits] = right[0]
    return Finding(cipher.name(), key_bits, cipher.block, actions, tuple(row.origin for row in rows))


def _check(cipher: type[Cipher], key_bits: int) -> None:
    if cipher.block.bytes != BLOCK or cipher.stateful:
        raise DataError(f"{cipher.name()} has blocks of {cipher.block.bytes * 8} bits; accepted: {BLOCK * 8}")
    if key_bits in cipher.key_bits and key_bits % 64:
        raise KeyLengthError(f"{key_bits}-bit keys are no whole number of words; accepted: multiples of 64")


def telling(rows: Iterable[KnownAnswer]) -> list[KnownAnswer]:
    """Of vectors of one key length the first few that tell all actions apart, by key or by plaintext.

    Few do both: in NIST's variable-key and variable-text tests the other part is zero.
    """
    rows = list(rows)
    by_key = [row for row in rows if len({action.apply(row.key) for action in Action}) == len(Action)]
    by_text = [row for row in rows if len({action.apply(row.plaintext) for action in Action}) == len(Action)]
    return list(dict.fromkeys([*by_key[:EACH], *by_text[:EACH]]))


_EVERY = [Actions(*actions) for actions in product(Action, repeat=3)]


def _readers(cipher: type[Cipher], bits: int) -> tuple[Reader, Reader]:
    """From what a machine's memory holds to what the definition's must, for keys and for blocks.

    A key that the definition takes in bytes is read as its blocks are.
    """
    block, key = cipher.block, cipher.key_words
    return _reader(block if key is None or key.width == 8 else key, bits), _reader(block, bits)


def _reader(layout: Layout, bits: int) -> Reader:
    swapped = layout.width > 8 and layout.order is ByteOrder.BIG
    return lambda value: _inverted(value, bits // 8 if swapped else 1)


def _inverted(value: bytes, unit: int) -> bytes:
    return b"".join(value[start : start + unit][::-1] for start in range(0, len(value), unit))


def _inputs(row: KnownAnswer, of_key: Reader, of_block: Reader) -> Iterable[tuple[bytes, bytes]]:
    """Every key and plaintext that the row can become."""
    keys = {of_key(action.apply(row.key)) for action in Action}
    return product(keys, {of_block(action.apply(row.plaintext)) for action in Action})


def _is_right(
    actions: Actions,
    row: KnownAnswer,
    of_key: Reader,
    of_block: Reader,
    outputs: Mapping[tuple[bytes, bytes], bytes],
) -> bool:
    key, plaintext = of_key(actions.key.apply(row.key)), of_block(actions.plaintext.apply(row.plaintext))
    return outputs[key, plaintext] == of_block(actions.ciphertext.apply(row.ciphertext))


def _failure(cipher: type[Cipher], key_bits: int, bits: int, rows: list[KnownAnswer], right: int) -> str:
    what = f"{cipher.name()}, {key_bits}-bit keys, read in {bits}-bit words"
    if not rows:
        return f"{what}: no vector has a key or plaintext that tells all re-orderings apart"
    if not right:
        return f"{what}: no re-ordering makes the vectors right, of which {rows[0].origin!r} is the first"
    return f"{what}: {right} re-orderings make the vectors right; others are needed to tell them apart"
