"""Memory whose bytes may not be known."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import pairwise
from typing import Literal

from finalist.prove.bits import Bits, Word, bits_of, known
from finalist.prove.words import NotCoveredError, Words

_PAGE = 8


class Memory:
    """Bytes by address. What nothing has written is not known, and no two bytes of it are the same."""

    def __init__(self, words: Words, order: Literal["little", "big"], limit: int, aligned: bool) -> None:
        self.words = words
        self.order = order
        self.limit = limit
        self.aligned = aligned
        self.bytes: dict[int, Word] = {}
        #: Names what is read here, apart from what another memory has at the same addresses.
        self._own = object()
        #: By page how often it was written to.
        self.versions: dict[int, int] = {}
        #: By addresses and size of what is read the pages that it lies in.
        self.pages: dict[tuple[tuple[int, ...], int], list[int]] = {}

    def copied(self) -> Memory:
        """Another one with the same bytes. What is read in either is named apart, so that these may change
        differently."""
        other = Memory(self.words, self.order, self.limit, self.aligned)
        other.bytes = dict(self.bytes)
        return other

    def byte(self, at: int) -> Word:
        """One byte."""
        found = self.bytes.get(at)
        if found is None:
            found = self.bytes[at] = self.words.symbol(("memory", at), 8)
        return found

    def put(self, at: int, value: Word) -> None:
        """Sets a byte."""
        self.bytes[at] = value
        self.versions[at >> _PAGE] = self.versions.get(at >> _PAGE, 0) + 1

    def fill(self, address: int, data: Sequence[Word]) -> None:
        """Sets bytes from an address on."""
        for k, value in enumerate(data):
            self.put(address + k, value)

    def load(self, size: int, at: Word) -> Word:
        """So many bytes from an address on; where that is not known, one word of all that it can be."""
        at = known(at)
        if isinstance(at, int):
            return self._at(size, at)
        found = self.words.values(at)
        if found is None:
            raise NotCoveredError("an address with too many bits that are not known")
        space, addresses = found
        if self.words.arrays.made:
            index, ordered = self.words.arrays.index(space, addresses)
            written = self.words.arrays.read(
                tuple(self._at(size, address) for address in ordered), index, 8 * size
            )
            if written is not None:
                return written
        read = tuple((page, self.versions.get(page, 0)) for page in self._read(addresses, size))
        key = self._own, size, read
        return self.words.entries(space, partial(self._at, size), addresses, 8 * size, key)

    def _read(self, addresses: tuple[int, ...], size: int) -> list[int]:
        """The pages that words at some addresses lie in."""
        found = self.pages.get((addresses, size))
        if found is None:
            all_ = {page for address in addresses for page in (address >> _PAGE, address + size - 1 >> _PAGE)}
            found = self.pages[addresses, size] = sorted(all_)
        return found

    def _check(self, size: int, at: int) -> None:
        if at > self.limit - size or (self.aligned and at % size):
            raise NotCoveredError(f"an access to memory at 0x{at:x}, past {self.limit} bytes or not aligned")

    def _at(self, size: int, at: int) -> Word:
        self._check(size, at)
        if size == 1:
            return self.byte(at)
        addresses = range(at, at + size) if self.order == "little" else range(at + size - 1, at - 1, -1)
        parts = [self.byte(address) for address in addresses]
        numbers = [part for part in parts if isinstance(part, int)]
        if len(numbers) == size:
            return sum(part << 8 * k for k, part in enumerate(numbers))
        return known(tuple(bit for part in parts for bit in bits_of(part, 8)))

    def store(self, size: int, at: Word, value: Word) -> None:
        """Writes the lowest bytes of a word; where the address is not known, to all that it can be."""
        at = known(at)
        if isinstance(at, int):
            self._store(size, at, value)
            return
        found = self.words.values(at)
        if found is None:
            raise NotCoveredError("a store to an address with too many bits that are not known")
        index, addresses = self.words.arrays.index(*found)
        if any(after - before < size for before, after in pairwise(addresses)):
            raise NotCoveredError("a store of words that overlap, to an address that depends on key or block")
        entries = [self._at(size, address) for address in addresses]
        written = self.words.arrays.write(entries, index, value, 8 * size)
        for address, word in zip(addresses, written, strict=True):
            self._store(size, address, word)

    def _store(self, size: int, at: int, value: Word) -> None:
        self._check(size, at)
        bits = value if isinstance(value, int) else bits_of(value, 8 * size)
        for k in range(size):
            address = at + (k if self.order == "little" else size - 1 - k)
            part = bits >> 8 * k & 0xFF if isinstance(bits, int) else known(bits[8 * k : 8 * k + 8])
            self.put(address, part)


def as_bytes(words: Words, name: str, count: int) -> list[Bits]:
    """Bytes that nothing is known of."""
    return [words.symbol((name, k), 8) for k in range(count)]
