"""A second opinion: ours and another library's answers on the same random blocks."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

from finalist import api
from finalist.errors import VectorError
from finalist.language.cipher import Cipher
from finalist.peers import python
from finalist.peers.check import ORDERS, Crypt, Kernel, check_vectors, reordered
from finalist.peers.library import PeerLibrary
from finalist.peers.python import Opened
from finalist.vectors.load import published_name, vectors_of

#: Random keys that the blocks are spread over.
KEYS = 64


@dataclass(frozen=True)
class Opinion:
    """What came of it.

    ``blocks``: how many were compared. ``order``: how the other orders bytes, if not as the submission does.
    ``difference``: the key and block of the first one that differs, in hex, or empty. ``wrong``: how the
    other fails the published vectors; such a one is asked nothing more.
    """

    cipher: str
    operation: str
    key_bits: int
    name: str
    blocks: int
    order: str
    difference: str
    wrong: str = ""


def others(
    definition: type[Cipher], operation: str, library: PeerLibrary | None
) -> Iterator[tuple[str, Crypt]]:
    """All that may have a cipher, in ECB or as a stream, by name; of some key lengths they may have none."""
    name, decrypt = published_name(definition), operation == "decrypt"
    mode = "stream" if definition.stateful else "ecb"
    for peer in library.peers if library else ():
        if (peer.cipher, peer.mode) == (name, mode):
            opener = partial(peer.open, decrypt=decrypt)
            yield peer.name, Kernel(peer.interface.crypt_address, peer.block_bytes, opener)
    for package in python.packages():
        yield package.name, Opened(package, name, "ecb", decrypt)


def has_key(crypt: Crypt, key_bits: int) -> bool:
    """Whether another one has keys of this length."""
    assert isinstance(crypt, Kernel | Opened)
    # No parity bits and no equal halves, of which some libraries want nothing.
    return crypt.open(bytes(1 + place % 255 for place in range(key_bits // 8))) is not None


def ask(
    definition: type[Cipher],
    operation: str,
    key_bits: int,
    name: str,
    other: Crypt,
    *,
    blocks: int,
    seed: int = 0,
) -> Opinion:
    """Compare at least so many blocks, under KEYS keys (or ``blocks`` if fewer)."""
    tell = partial(Opinion, definition.name(), operation, key_bits, name)
    rows = [row for row in vectors_of(definition) if len(row.key) * 8 == key_bits]
    try:
        order = check_vectors(other, rows, operation, stream=definition.stateful) if rows else None
    except VectorError as error:
        return tell(0, "", "", str(error))
    program = api.compile(definition, "native", operation, key_bits)
    size, keys = definition.block.bytes, min(KEYS, blocks)
    each, chance = -(-blocks // keys), random.Random(seed)
    for _ in range(keys):
        key, data = chance.randbytes(key_bits // 8), chance.randbytes(each * size)
        ours = program.run(key, data).output
        if order is None:  # no vectors: the first key decides, and all others have to keep to it
            fitting = (one for one in ORDERS if reordered(other, one, size)(key, data) == ours)
            order = next(fitting, "")
        theirs = reordered(other, order, size)(key, data)
        if theirs != ours:
            wrong = next(
                at for at in range(0, len(data), size) if theirs[at : at + size] != ours[at : at + size]
            )
            difference = f"key {key.hex()}, block {data[wrong : wrong + size].hex()}"
            return tell(keys * each, order, difference)
    return tell(keys * each, order or "", "")
