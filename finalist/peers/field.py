"""All that have a cipher with keys of one length, each held to the vectors first."""

from __future__ import annotations

import functools
from dataclasses import dataclass

from finalist.errors import VectorError
from finalist.language.cipher import Cipher
from finalist.peers import python
from finalist.peers.check import ORDERS, Crypt, Kernel, check_mode, check_vectors, reordered
from finalist.peers.interface import Peer
from finalist.peers.library import PeerLibrary
from finalist.peers.python import Opened, Package
from finalist.vectors.load import KnownAnswer, vectors_of

#: Operations and modes that are compared; ECB first, by which the others are checked.
WANTED = (
    ("encrypt", "ecb"),
    ("decrypt", "ecb"),
    ("encrypt", "ctr"),
    ("encrypt", "cbc"),
    ("decrypt", "cbc"),
)


@dataclass(frozen=True)
class Note:
    """Why one was left out, or how it orders bytes."""

    cipher: str
    name: str
    text: str


class Field:
    """The peers of a cipher. ``notes``: on those that are not as they should be.

    ``library`` may be None, for there is none. Raises VectorError where there are no vectors to hold them to.
    """

    def __init__(self, definition: type[Cipher], key_bits: int, library: PeerLibrary | None) -> None:
        self.definition, self.key_bits, self.library = definition, key_bits, library
        self.cipher, self.block_bytes = definition.name(), definition.block.bytes
        self.rows = [row for row in vectors_of(definition) if len(row.key) * 8 == key_bits]
        if not self.rows:
            raise VectorError(f"{self.cipher} has no vectors for {key_bits}-bit keys")
        # A key of many different bytes: zeros could be quicker than others to set up.
        self.key = max((row.key for row in self.rows), key=lambda key: len(set(key)))
        self.notes: list[Note] = []
        self._own = [p for p in library.peers if p.cipher == self.cipher] if library else []
        #: What peers call the mode that others are checked by.
        self._whole = "stream" if definition.stateful else "ecb"
        #: The libraries that have an operation in a mode and agree, and the packages.
        self.peers: dict[tuple[str, str], list[Peer]] = {}
        self.packages: dict[tuple[str, str], list[Package]] = {}
        for wanted in WANTED:
            self.peers[wanted] = self._checked_peers(*wanted)
            self.packages[wanted] = self._checked_packages(*wanted)

    def _checked_peers(self, operation: str, mode: str) -> list[Peer]:
        kept = []
        for peer in self._own:
            crypt, ecb = self.kernel(peer, operation), self.kernel(self._ecb_of(peer), operation)
            passed = mode == "ecb" or peer.name in {one.name for one in self.peers[operation, "ecb"]}
            own = self._whole if mode == "ecb" else mode
            if passed and peer.mode == own and crypt.open(self.key) is not None:
                kept += [peer] * self._agrees(peer.name, crypt, ecb, operation, mode)
        return kept

    def _checked_packages(self, operation: str, mode: str) -> list[Package]:
        kept, decrypt = [], operation == "decrypt"
        for package in python.packages():
            crypt, ecb = (Opened(package, self.cipher, each, decrypt) for each in (mode, "ecb"))
            passed = mode == "ecb" or package in self.packages[operation, "ecb"]
            if passed and crypt.open(self.key) is not None:
                kept += [package] * self._agrees(package.name, crypt, ecb, operation, mode)
        return kept

    def kernel(self, peer: Peer, operation: str) -> Kernel:
        """A library's cipher as a kernel."""
        opener = functools.partial(peer.open, decrypt=operation == "decrypt")
        return Kernel(peer.interface.crypt_address, peer.block_bytes, opener)

    def _ecb_of(self, peer: Peer) -> Peer:
        return next(one for one in self._own if one.name == peer.name and one.mode == self._whole)

    def _agrees(self, name: str, crypt: Crypt, ecb: Crypt, operation: str, mode: str) -> bool:
        try:
            if mode == "ecb":
                stream = self.definition.stateful
                self._note(name, check_vectors(crypt, self.rows, operation, stream=stream))
            else:
                check_mode(mode, crypt, ecb, self.key, self.block_bytes, operation)
        except VectorError as error:
            self._note(name, f"is left out: {error}")
            return False
        return True

    def _note(self, name: str, text: str) -> None:
        note = Note(self.cipher, name, text)
        if text and note not in self.notes:
            self.notes.append(note)


def ciphers(library: PeerLibrary | None) -> frozenset[str]:
    """The names of the ciphers that any peer has."""
    found = {peer.cipher for peer in library.peers} if library else set()
    return frozenset(found.union(*(package.ciphers for package in python.packages())))


def usual_key_bits(definition: type[Cipher], library: PeerLibrary | None) -> int:
    """The key length that most libraries agree in; among those the cipher's usual one, else the shortest."""
    if definition.stateful:  # whose keys go with what is public
        return definition.key_bits[-1] if definition.public else definition.usual_key_bits()
    every = library.peers if library else ()
    own = [peer for peer in every if (peer.cipher, peer.mode) == (definition.name(), "ecb")]

    def worth(bits: int) -> tuple[int, bool, int]:
        row = next((row for row in vectors_of(definition) if len(row.key) * 8 == bits), None)
        having = sum(_answers(peer, row) for peer in own) if row else 0
        return having, bits == definition.usual_key_bits(), -bits

    return max(definition.key_bits, key=worth)


def _answers(peer: Peer, row: KnownAnswer) -> bool:
    """Whether a library has keys of a vector's length, and the right answer to it."""
    kernel = Kernel(peer.interface.crypt_address, peer.block_bytes, peer.open)
    if kernel.open(row.key) is None:
        return False
    asked = (reordered(kernel, order, peer.block_bytes)(row.key, row.plaintext) for order in ORDERS)
    return any(answer == row.ciphertext for answer in asked)
